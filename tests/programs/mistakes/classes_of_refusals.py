"""Which class refuses a mistake: lists of several types, sizes and files that are not there, Keras data."""

import os
import tempfile

import numpy as np
import tensorflow as tf

results = {}
tf.logging.set_verbosity(tf.logging.ERROR)
rows = np.ones([2, 3], np.float32)
C = tf.constant
FOLDER = tempfile.mkdtemp()
open(os.path.join(FOLDER, "file"), "w").close()


def known(value):
    """A tensor whose shape and value are known."""
    return tf.constant(np.asarray(value, np.float32))


CASES = {
    "no logits": lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=rows),
    "concat array and list": lambda: tf.concat([np.ones(2, np.float32), [1]], 0),
    "concat list and array": lambda: tf.concat([[1.5], np.array([1])], 0),
    "concat tensor and array": lambda: tf.concat([known([1.0]), np.array([1])], 0),
    "stack": lambda: tf.stack([np.ones(2, np.float32), np.array([1, 2])]),
    "stitch": lambda: tf.dynamic_stitch([[0], [1]], [[1.0], [2]]),
    "add_n": lambda: tf.add_n([[1.0], np.array([1])]),
    "range of text": lambda: tf.range("a"),
    "range of complex": lambda: tf.range(1j),
    "range of int16": lambda: tf.range(C(3, tf.int16)),
    "one_hot axis": lambda: tf.one_hot([1], 3, axis=5),
    "one_hot axis -2": lambda: tf.one_hot([1], 3, axis=-2),
    "broadcast": lambda: tf.broadcast_to(rows, [-1, 3]),
    "normal -1": lambda: tf.random_normal([-1]),
    "normal -2": lambda: tf.random_normal([-2]),
    "uniform": lambda: tf.random_uniform([2, -1], 0, 5, tf.int32),
    "truncated": lambda: tf.truncated_normal([-1]),
    "gamma": lambda: tf.random_gamma([-1], 1.0),
    "poisson": lambda: tf.random_poisson(1.0, [-1]),
    "stateless": lambda: tf.random.stateless_normal([-1], [1, 2]),
    "dilation of batches": lambda: tf.nn.conv2d(
        np.ones([1, 5, 5, 2]), np.ones([3, 3, 2, 4]), 1, "SAME", dilations=[0, 1, 1, 1]
    ),
    "dilation of rows": lambda: tf.nn.conv2d(
        np.ones([1, 5, 5, 2]), np.ones([3, 3, 2, 4]), 1, "SAME", dilations=[1, 0, 1, 1]
    ),
    "dilation of channels": lambda: tf.nn.conv3d(
        np.ones([1, 5, 5, 5, 2]), np.ones([3, 3, 3, 2, 4]), [1] * 5, "SAME", dilations=[1, 1, 1, 1, 0]
    ),
    "no tensors": lambda: tf.get_default_graph().create_op("Add", [1, 2], [tf.int32]),
    "None as input": lambda: tf.get_default_graph().create_op("Add", [None], [tf.int32]),
    "reset": lambda: tf.Session.reset(3),
    "partial run of nothing": lambda: tf.Session().partial_run_setup([]),
    "words of a folder": lambda: words_of(FOLDER),
    "words below a file": lambda: words_of(os.path.join(FOLDER, "file", "words")),
    "words of nothing": lambda: words_of(os.path.join(FOLDER, "nowhere")),
    "words of a long name": lambda: words_of(os.path.join(FOLDER, "n" * 300)),
    "array, dynamic by text": lambda: tf.TensorArray(tf.float32, 3, dynamic_size="a").flow,
    "array, dynamic by number": lambda: tf.TensorArray(tf.float32, 3, dynamic_size=1).flow,
    "array, dynamic by nothing": lambda: tf.TensorArray(tf.float32, 3, dynamic_size=[]).flow,
    "shared axis that is not there": lambda: tf.keras.layers.PReLU(shared_axes=[9])(rows),
    "shared axis from the end": lambda: alpha_shape([-1]),
    "shared axes": lambda: alpha_shape([1, 2]),
}


def words_of(path):
    """What fills a table with the lines of a file."""
    read = tf.lookup.TextFileInitializer(path, tf.string, -2, tf.int64, -1)
    return tf.lookup.StaticHashTable(read, -1).initializer


def alpha_shape(shared_axes):
    """A tensor in the shape of alpha."""
    layer = tf.keras.layers.PReLU(shared_axes=shared_axes)
    layer(tf.ones([2, 3, 4]))
    return tf.zeros(layer.alpha.shape)


def outcome(make):
    """The class of the error, or what is made and computed."""
    try:
        made = make()
        if made is None:
            return "nothing"
        with tf.Session() as sess:
            return list(np.shape(sess.run(made)))
    except Exception as error:
        return type(error).__name__


for name in sorted(CASES):
    with tf.Graph().as_default():
        results[name] = outcome(CASES[name])

x, other = np.arange(12, dtype=np.float32).reshape(4, 3) / 10, np.ones([4, 3], np.float32)
y = np.ones([4, 2], np.float32)


def model():
    tf.keras.backend.clear_session()
    made = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,), kernel_initializer="ones")])
    made.compile("sgd", "mse")
    return made


KERAS = {
    "evaluate without targets": lambda m: m.evaluate(x, verbose=0),
    "test without targets": lambda m: m.test_on_batch(x),
    "one array too many": lambda m: m.evaluate([x, other], y, verbose=0),
    "two arrays too many": lambda m: m.evaluate((x, other, other), y, verbose=0),
    "trained with one too many": lambda m: m.fit([x, other], y, verbose=0, shuffle=False).history["loss"],
    "predicted of two": lambda m: m.predict([x, other]),
    "of another length": lambda m: m.predict([x, other[:2]]),
    "the wrong one first": lambda m: m.predict([y, x]),
    "two targets": lambda m: m.evaluate(x, [y, y], verbose=0),
    "validated with one too many": lambda m: m.fit(x, y, verbose=0, validation_data=([x, other], y)).history[
        "val_loss"
    ],
}
for name in sorted(KERAS):
    try:
        results[f"keras {name}"] = np.asarray(KERAS[name](model()))
    except Exception as error:
        results[f"keras {name}"] = type(error).__name__
