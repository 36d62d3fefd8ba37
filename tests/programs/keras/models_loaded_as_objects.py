"""Keras models written by `tf.saved_model.save` and called after `load_v2`."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
folder = tempfile.mkdtemp()
x = tf.ones([1, 2])


def loaded(saved, name):
    path = os.path.join(folder, name)
    tf.saved_model.save(saved, path)
    return tf.saved_model.load_v2(path)


sequential = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(2,)), tf.keras.layers.Dropout(0.5)])
model = loaded(sequential, "sequential")
results["sequential"] = [
    sorted(model.signatures),
    bool(np.allclose(model(x), sequential(x))),
    bool(np.allclose(model(x, training=False), sequential(x))),
    model(x, training=True).shape.as_list(),
    len(model.variables),
    len(model.trainable_variables),
    len(model.regularization_losses),
]


class Written(tf.keras.Model):
    def __init__(self):
        super(Written, self).__init__()
        self.first = tf.keras.layers.Dense(2)
        self.rest = [tf.keras.layers.Dense(1)]

    def call(self, inputs):
        return self.rest[0](self.first(inputs))


written = Written()
written.compile("sgd", "mse")
written.fit(np.ones([4, 2], np.float32), np.ones([4, 1], np.float32), verbose=0)
model = loaded(written, "written")
results["written"] = [bool(np.allclose(model(x), written(x))), len(model.variables)]


class Holder(tf.Module):
    def __init__(self):
        super(Holder, self).__init__()
        self.model = sequential
        self.unbuilt = tf.keras.Sequential([tf.keras.layers.Dense(1)])


holder = loaded(Holder(), "holder")
results["held"] = [bool(np.allclose(holder.model(x), sequential(x)))]
