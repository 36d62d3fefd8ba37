"""Metrics that a layer adds to itself are no part of its checkpoints; those in its attributes are."""

import logging
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow import keras

results = {}
folder = tempfile.mkdtemp()


class Measured(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.own = keras.metrics.Mean(name="own")

    def build(self, shape):
        self.w = self.add_weight("w", (3,), initializer="ones")
        super().build(shape)

    def call(self, x):
        self.add_metric(tf.reduce_mean(x), aggregation="mean", name="added")
        self.add_metric(self.own(x))
        return x * self.w


class Model(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = Measured()
        self.total = keras.metrics.Sum(name="total")

    def call(self, x):
        y = self.inner(x)
        self.add_metric(tf.reduce_max(y), aggregation="mean", name="largest")
        return y


class Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.shuffles = 0

    def emit(self, record):
        self.shuffles += "is not shuffled" in record.getMessage()


def keys_of(path):
    return sorted(name for name, _ in tf.train.list_variables(path))


x = np.ones((32, 3), np.float32)
inputs = keras.Input((3,))
layer = Measured()
functional = keras.Model(inputs, layer(inputs))
functional.save_weights(os.path.join(folder, "functional"))
results["functional"] = np.array(keys_of(os.path.join(folder, "functional")))

subclassed = Model()
subclassed.compile("sgd", "mse")
subclassed.fit(x, x, verbose=0)
subclassed.save_weights(os.path.join(folder, "subclassed"))
results["subclassed"] = np.array(keys_of(os.path.join(folder, "subclassed")))

saver = tf.train.Checkpoint(layer=layer)
results["checkpoint"] = np.array(
    keys_of(saver.save(os.path.join(folder, "object"), session=keras.backend.get_session()))
)

plain = keras.Sequential([keras.layers.Dense(3, input_shape=(3,))])
plain.compile("sgd", "mse")
data = tf.data.Dataset.from_tensor_slices((x, x))
for name, dataset, settings in (
    ("plain", data.batch(8), {}),
    ("repeated", data.batch(8).repeat(), {"steps_per_epoch": 2}),
    ("shuffled", data.shuffle(4).batch(8), {}),
    ("asked not to", data.batch(8), {"shuffle": False}),
):
    kept = Kept()
    tf.get_logger().addHandler(kept)
    plain.fit(dataset, verbose=0, **settings)
    tf.get_logger().removeHandler(kept)
    results[f"warned of {name}"] = kept.shuffles
