"""Generators and datasets that end with an epoch, steps that are no whole number, arrays to validate with, odd epochs."""

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.FATAL)
tf.enable_eager_execution()
K, D = tf.keras, tf.data.Dataset
X = np.linspace(-1, 1, 24).reshape(8, 3).astype(np.float32)
Y = np.linspace(0, 1, 8).reshape(8, 1).astype(np.float32)


def batches(count=None, form=lambda x, y: (x, y)):
    """So many batches of four, or without end."""
    index = 0
    while count is None or index < count:
        start = index * 4 % 8
        yield form(X[start : start + 4], Y[start : start + 4])
        index += 1


class Rows(K.utils.Sequence):
    """A sequence of batches."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        start = index * 4 % 8
        return X[start : start + 4], Y[start : start + 4]


def model(loss="mse", **layer):
    """A compiled model of three numbers."""
    made = K.Sequential([K.layers.Dense(1, input_shape=(3,), kernel_initializer="ones", **layer)])
    made.compile("sgd", loss)
    return made


def from_generator(data, steps, **more):
    return model().fit_generator(data, steps, verbose=0, **more).history


def trained(data, targets=None, **more):
    return model().fit(data, targets, verbose=0, shuffle=False, **more).history


def of_loss(loss="mse", **layer):
    made = model(loss, **layer)
    history = made.fit(X, Y, verbose=0, shuffle=False, epochs=2).history
    return [history, made.evaluate(X, Y, verbose=0), made.train_on_batch(X, Y)]


def in_scope(act, inside=None):
    """What a model does in the scope of a strategy, made before it or by `inside`."""
    made = model() if inside is None else None
    with tf.distribute.MirroredStrategy(["/cpu:0"]).scope():
        return act(inside() if made is None else made)


def with_metric():
    made = model()
    made.add_metric(tf.reduce_sum(made.output), name="sum", aggregation="mean")
    made.compile("sgd", "mse")
    return made


CASES = {
    "ends with an epoch": lambda: from_generator(batches(2), 2, epochs=3, workers=0),
    "ends in an epoch": lambda: from_generator(batches(3), 2, epochs=3, workers=0),
    "ends before validation": lambda: from_generator(batches(1), 1, epochs=2, workers=0, validation_data=(X, Y)),
    "read with no workers": lambda: trained(batches(2), steps_per_epoch=2, epochs=3, workers=0),
    "ends in an epoch, with no workers": lambda: trained(batches(3), steps_per_epoch=2, epochs=3, workers=0),
    "dataset ends with an epoch": lambda: trained(D.from_tensor_slices((X, Y)).batch(4), steps_per_epoch=2, epochs=3),
    "dataset ends after two": lambda: trained(D.from_tensor_slices((X, Y)).batch(4), steps_per_epoch=1, epochs=4),
    "one and a half steps": lambda: from_generator(batches(), 1.5),
    "parts that are numbers": lambda: from_generator(batches(form=lambda x, y: (x.tolist(), y.tolist())), 2),
    "validated by a list": lambda: from_generator(batches(), 2, validation_data=[X, Y]),
    "validated by inputs": lambda: from_generator(batches(), 2, validation_data=X),
    "validated in more steps": lambda: from_generator(batches(), 2, validation_data=(X, Y), validation_steps=3),
    "validated in fewer steps": lambda: from_generator(batches(), 2, validation_data=(X, Y), validation_steps=1),
    "validated by weighted": lambda: from_generator(batches(), 2, validation_data=(X, Y, np.arange(8.0))),
    "no epochs": lambda: trained(X, Y, epochs=0),
    "fewer than no epochs": lambda: trained(X, Y, epochs=-2, initial_epoch=-1),
    "epochs before the first": lambda: trained(X, Y, initial_epoch=-1),
    "epochs of a dataset before the first": lambda: trained(D.from_tensor_slices((X, Y)).batch(4), initial_epoch=-1),
    "predicted in fewer steps": lambda: model().predict(Rows(3), steps=2),
    "predicted in more steps": lambda: model().predict(Rows(2), steps=3),
    "predicted in all steps": lambda: model().predict(Rows(2), steps=2),
    "tested in fewer steps": lambda: model().evaluate(Rows(4), steps=1, verbose=0),
    "tested in more steps": lambda: model().evaluate(Rows(2), steps=3, verbose=0),
    "loss of each weight": lambda: of_loss(kernel_regularizer=lambda weight: weight),
    "loss of each output": lambda: of_loss(activity_regularizer=lambda output: output),
    "loss that is one number": lambda: of_loss(lambda targets, outputs: tf.square(targets - outputs)[0, 0]),
}


def ended(case):
    tf.set_random_seed(1)
    try:
        return case()
    except Exception as error:
        return type(error).__name__


results = {}
for name, case in CASES.items():
    results[name] = ended(case)
results["made outside, trained"] = ended(lambda: in_scope(lambda made: made.fit(X, Y, verbose=0)))
results["made outside, tested"] = ended(lambda: in_scope(lambda made: made.evaluate(X, Y, verbose=0)))
results["made outside, predicting"] = ended(lambda: in_scope(lambda made: made.predict(X)))
results["a metric of two replicas"] = ended(
    lambda: in_scope(lambda made: made.fit(X, Y, batch_size=4, verbose=0, shuffle=False).history, with_metric)
)
