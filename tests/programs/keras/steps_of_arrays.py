"""Eager training, testing and predicting in a number of steps: which of them arrays of ten rows allow."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
x, y = np.ones([10, 2], np.float32), np.ones([10, 1], np.float32)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
model.compile("sgd", "mse")


def tried(name, function):
    try:
        results[name] = function()
    except ValueError as error:
        results[name] = type(error).__name__


def fit(**settings):
    return lambda: sorted(model.fit(x, y, verbose=0, **settings).history)


for steps in (1, 3, 5, 20):
    tried("fit in %d" % steps, fit(steps_per_epoch=steps))
    tried("evaluate in %d" % steps, lambda steps=steps: model.evaluate(x, y, steps=steps, verbose=0) >= 0)
    tried("predict in %d" % steps, lambda steps=steps: list(model.predict(x, steps=steps).shape))
    # Whatever the steps of a validation, they are no error.
    tried("validate in %d" % steps, fit(validation_data=(x, y), validation_steps=steps))
    tried("validate in %d of 2" % steps, fit(batch_size=2, validation_data=(x, y), validation_steps=steps))
    tried("split, fit in %d" % steps, fit(validation_split=0.5, steps_per_epoch=steps))
    tried("split, validate in %d" % steps, fit(validation_split=0.5, validation_steps=steps))
for size in (2, 3, 4):
    for steps in (1, 3, 4, 5, 6):
        name = "%d of %d" % (steps, size)
        tried("fit in " + name, fit(batch_size=size, steps_per_epoch=steps))
        tried("evaluate in " + name, lambda: model.evaluate(x, y, size, steps=steps, verbose=0) >= 0)
        tried("predict in " + name, lambda: list(model.predict(x, size, steps=steps).shape))
