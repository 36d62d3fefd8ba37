"""Training in a graph on data that ends with an epoch, or in the middle of one; arrays to validate generators with."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.FATAL)
x = np.linspace(-1, 1, 24).reshape(8, 3).astype(np.float32)
y = np.linspace(0, 1, 8).reshape(8, 1).astype(np.float32)
results = {}


def model(**layer):
    made = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(3,), kernel_initializer="ones", **layer)])
    made.compile("sgd", "mse")
    return made


def halves(count):
    for index in range(count):
        start = index * 4 % 8
        yield x[start : start + 4], y[start : start + 4]


for count in (1, 2, 3, 4):
    for steps in (1, 2):
        trained = model().fit_generator(halves(count), steps, epochs=3, verbose=0).history
        results["%d batches in epochs of %d" % (count, steps)] = trained
        dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(4).take(count)
        trained = model().fit(dataset, steps_per_epoch=steps, epochs=3, verbose=0).history
        results["a dataset of %d in epochs of %d" % (count, steps)] = trained
results["half a step"] = model().fit_generator(halves(9), 1.5, verbose=0).history
for name, data in (("a pair", (x, y)), ("weights", (x, y, np.arange(8.0))), ("a list", [x, y]), ("inputs", x)):
    for steps in (None, 1, 3):
        try:
            found = model().fit_generator(halves(9), 2, verbose=0, validation_data=data, validation_steps=steps).history
        except tf.errors.InvalidArgumentError as error:
            found = type(error).__name__
        results["%s in %s steps" % (name, steps)] = found
for name, layer in (
    ("weight", {"kernel_regularizer": lambda weight: weight}),
    ("output", {"activity_regularizer": lambda output: output}),
):
    made = model(**layer)
    history = made.fit(x, y, verbose=0, shuffle=False, epochs=2).history
    results["a loss of each %s" % name] = [history, made.evaluate(x, y, verbose=0), made.train_on_batch(x, y)]
