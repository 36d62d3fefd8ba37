"""Batches that are None, copies of models, variables of loops, handles of partial runs, devices and columns named twice."""

import numpy as np
import tensorflow as tf

results = {}
keras = tf.keras


def ones(*shape):
    return np.ones(shape, np.float32)


def model(loss="mse"):
    made = keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])
    made.compile("sgd", loss)
    return made


def functional():
    x = keras.Input([3])
    return keras.Model(x, keras.layers.Dense(2)(x))


def counted(variables):
    return tf.while_loop(lambda i: i < 3, lambda i: i + 1, variables)


CASES = {
    "train on nothing": lambda: model().train_on_batch(None, ones(4, 1)),
    "test on nothing": lambda: model().test_on_batch(None, ones(4, 1)),
    "predict nothing": lambda: model().predict_on_batch(None),
    "copy with numbers": lambda: keras.models.clone_model(functional(), input_tensors=[1]),
    "loop over a number": lambda: counted(3),
    "loop over a fraction": lambda: counted(2.5),
    "loop over a tensor": lambda: counted(tf.constant(3)),
    "loop over a variable": lambda: counted(tf.Variable(3)),
    "loop over nothing": lambda: counted(None),
    "loop over an array": lambda: counted(np.array([0])),
    "handle that is a number": lambda: tf.Session().partial_run(3, tf.constant(1)),
    "handle that is bytes": lambda: tf.Session().partial_run(b"a", tf.constant(1)),
    "handle of nothing": lambda: tf.Session().partial_run("a", tf.constant(1)),
    "device twice": lambda: tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:0"]),
    "column twice": lambda: tf.lookup.TextFileInitializer("words", tf.string, 1, tf.string, 1),
    "lines as texts": lambda: tf.lookup.TextFileInitializer("words", tf.string, -1, tf.int64, -1),
}


def outcome(make):
    """The class of the error, or that something is made."""
    try:
        with tf.Graph().as_default():
            make()
    except Exception as error:
        return type(error).__name__
    return "made"


for name in sorted(CASES):
    results[name] = outcome(CASES[name])
