"""Datasets given to `fit_generator` and its kin, of shapes that are not known, and what those loops give."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
tf.logging.set_verbosity(tf.logging.FATAL)
x = np.linspace(-1, 1, 24).reshape(8, 3).astype(np.float32)
y = np.linspace(0, 1, 8).reshape(8, 1).astype(np.float32)
labels = np.arange(8) % 3
rows = tf.data.Dataset.from_tensor_slices((x, y))
results = {}


def model(units=1, loss="mse", **settings):
    made = tf.keras.Sequential([tf.keras.layers.Dense(units, input_shape=(3,), kernel_initializer="ones")])
    made.compile("sgd", loss, **settings)
    return made


def halves(count):
    for index in range(count):
        yield x[index * 4 % 8 : index * 4 % 8 + 4]


def trained(dataset, steps=None, **more):
    return model().fit_generator(dataset, steps, verbose=0, **more).history


def unknown(part):
    return tf.py_func(lambda value: value, [part], tf.float32)


def classes(weights):
    dataset = tf.data.Dataset.from_tensor_slices((x, labels)).batch(4)
    made = model(3, "sparse_categorical_crossentropy")
    return made.fit_generator(dataset, verbose=0, class_weight=weights).history


def plain_weights():
    model().set_weights(model().weights)


INPUTS = rows.batch(4).map(lambda a, b: (unknown(a), b))
TARGETS = rows.batch(4).map(lambda a, b: (a, unknown(b)))
CASES = {
    "all of it": lambda: trained(rows.batch(3), epochs=2),
    "some of it": lambda: trained(rows.batch(4), 1, epochs=4),
    "without end": lambda: trained(rows.batch(4).repeat()),
    "without end, two steps": lambda: trained(rows.batch(4).repeat(), 2, epochs=2),
    "nothing": lambda: trained(rows.batch(4).take(0)),
    "validated": lambda: trained(rows.batch(4), epochs=2, validation_data=rows.batch(2)),
    "validated by arrays": lambda: trained(rows.batch(4), validation_data=(x, y), validation_steps=1),
    "weights of classes": lambda: classes({0: 1.0, 1: 3.0, 2: 1.0}),
    "tested": lambda: model().evaluate_generator(rows.batch(3)),
    "tested in two": lambda: model().evaluate_generator(rows.batch(3), 2),
    "tested without end": lambda: model().evaluate_generator(rows.batch(3).repeat()),
    "predicted": lambda: model().predict_generator(rows.batch(3)),
    "predicted once": lambda: model().predict_generator(rows.batch(3), steps=1),
    "one batch is an array": lambda: type(model().predict_generator(halves(3), 1)).__name__,
    "inputs not known": lambda: model().fit(INPUTS, verbose=0).history,
    "targets not known": lambda: model().fit(TARGETS, verbose=0).history,
    "tested not known": lambda: model().evaluate(INPUTS, verbose=0),
    "predicted not known": lambda: model().predict(INPUTS),
    "not known one by one": lambda: model(run_eagerly=True).evaluate(INPUTS, verbose=0),
    "windows": lambda: model().predict(tf.data.Dataset.from_tensor_slices(x).window(4)),
    "an empty list validates": lambda: model().fit(x, y, verbose=0, shuffle=False, validation_data=[]).history,
    "weights as variables": plain_weights,
}
for name, case in CASES.items():
    try:
        results[name] = case()
    except Exception as error:
        results[name] = type(error).__name__
