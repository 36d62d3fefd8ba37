"""A checkpoint of a model that has no weights yet, which gets them when they are made."""

import os
import tempfile

import numpy as np
import tensorflow as tf

results = {}
tf.enable_eager_execution()
path = os.path.join(tempfile.mkdtemp(), "model")


def model():
    return tf.keras.Sequential([tf.keras.layers.Dense(2, kernel_initializer="ones"), tf.keras.layers.Dense(1)])


empty = model()
checkpoint = tf.train.Checkpoint(model=empty, step=tf.Variable(3))
results["of an empty model"] = [name for name, _ in tf.train.list_variables(checkpoint.save(path))]
try:
    results["weights"] = len(empty.trainable_weights)
except ValueError:
    results["weights"] = "none yet"
empty(tf.ones([1, 3]))
empty.layers[0].kernel.assign(np.full([3, 2], 5.0))
saved = checkpoint.save(path)
results["of a built one"] = [name for name, _ in tf.train.list_variables(saved)]

other = model()
restored = tf.train.Checkpoint(model=other, step=tf.Variable(0))
restored.restore(saved)
other(tf.ones([1, 3]))
results["restored"] = other.layers[0].kernel.numpy()
results["step"] = restored.step.numpy()
