"""Validation by some steps of a dataset, one that ends and one that does not: it begins anew after each epoch."""

import numpy as np
import tensorflow as tf

K = tf.keras.backend
layers = tf.keras.layers
results = {}

x = np.zeros((8, 1), "float32")
y = np.sqrt(np.arange(8.0)).astype("float32")[:, None]


def dataset(repeated):
    batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(2)
    return batches.repeat() if repeated else batches


for repeated, steps in [(True, 2), (True, 3), (False, None), (False, 2), (False, 4)]:
    for of_arrays in (True, False):
        K.clear_session()
        model = tf.keras.Sequential([layers.Dense(1, input_shape=(1,))])
        model.compile(tf.keras.optimizers.SGD(0.0), "mse")
        options = {"validation_data": dataset(repeated), "validation_steps": steps, "epochs": 3, "verbose": 0}
        if of_arrays:
            history = model.fit(x, y, **options)
        else:
            history = model.fit(dataset(True), steps_per_epoch=2, **options)
        results["%s %s %s" % (repeated, steps, of_arrays)] = {
            key: [float(v) for v in values] for key, values in history.history.items()
        }
