"""Which class refuses lists of mixed tensors, types and flags of eager operations, and arguments that layers have not."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
C = tf.constant
ones = np.ones(4, np.float32)
square = np.ones((2, 2), np.float32)


def in_graph(make):
    def inside():
        with tf.Graph().as_default():
            made = make()
        return None if made is None else type(made).__name__

    return inside


def minimized(loss):
    variable = tf.Variable(1.0)
    tf.train.AdamOptimizer().minimize(lambda: loss(variable), var_list=[variable])


def fitted_to_text():
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 3), np.float32), C("a"), verbose=0)


def restored_from_its_index():
    with tf.Graph().as_default(), tf.Session() as sess:
        variable = tf.Variable(1.0, name="a")
        sess.run(variable.initializer)
        saver = tf.train.Saver()
        path = saver.save(sess, os.path.join(tempfile.mkdtemp(), "model"))
        saver.restore(sess, path + ".index")


CASES = {
    "concat of types": lambda: tf.concat([C([1]), C([1.0])], 0),
    "concat of a type and a list": lambda: tf.concat([C([1]), [1.0]], 0),
    "stack of types": lambda: tf.stack([C(1), C(1.0)]),
    "stack of a type and a number": lambda: tf.stack([C(1), 1.5]),
    "sum of types": lambda: tf.add_n([C(1), 1.5]),
    "sum of a number and text": lambda: tf.add_n([C(1.0), "a"]),
    "sum of a number": lambda: tf.add_n(3),
    "sum of text": lambda: tf.add_n("a"),
    "concat at text": lambda: tf.concat([ones, ones], "a"),
    "concat at a fraction": lambda: tf.concat([ones, ones], 0.5),
    "stack at a fraction": lambda: tf.stack([ones, ones], 0.5),
    "gather at text": lambda: tf.gather(ones, [0], axis="a"),
    "transpose by texts": lambda: tf.transpose(square, ["a", "b"]),
    "transpose by fractions": lambda: tf.transpose(square, [0.0, 1.0]),
    "argmax at text": lambda: tf.argmax(ones, "a"),
    "argmax at a fraction": lambda: tf.argmax(ones, 0.5),
    "slice from a fraction": lambda: tf.slice(ones, [0.5], [1]),
    "slice from text": lambda: tf.slice(ones, ["a"], [1]),
    "tile by a fraction": lambda: tf.tile(ones, [1.5]),
    "sum over text": lambda: tf.reduce_sum(ones, "a"),
    "fill of a fraction": lambda: tf.fill([2.5], 1),
    "kept by text": lambda: tf.reduce_sum(ones, keepdims="a"),
    "kept by a number": lambda: tf.reduce_sum(ones, keepdims=2),
    "kept by nothing": lambda: tf.reduce_sum(ones, keepdims=[]),
    "transposed by a number": lambda: tf.matmul(square, square, transpose_a=3),
    "transposed by a tensor": lambda: tf.matmul(square, square, transpose_a=C(True)),
    "transposed by none": lambda: tf.matmul(square, square, transpose_a=None),
    "reversed by a number": lambda: tf.cumsum(ones, reverse=1),
    "minimum of an integer": lambda: minimized(lambda variable: tf.cast(variable, tf.int32)),
    "minimum of a constant": lambda: minimized(lambda variable: tf.stop_gradient(variable)),
    "iterator of a scalar": lambda: iter(C(1)) is not None,
    "first of a scalar": lambda: next(iter(C(1))),
    "iterator in a graph": in_graph(lambda: iter(C([1]))),
    "first in a graph": in_graph(lambda: next(iter(C([1])))),
    "sparse without a shape": in_graph(lambda: tf.SparseTensor([[0]], [1.0])),
    "sparse of the shape none": in_graph(lambda: tf.SparseTensor([[0]], [1.0], None)),
    "fitted to text": fitted_to_text,
    "restored from its index": restored_from_its_index,
    "enabled twice": lambda: tf.enable_eager_execution("a"),
    "enabled twice in a mode": lambda: tf.enable_eager_execution(execution_mode="a"),
    "scaffold": in_graph(lambda: tf.train.Scaffold(saver=3).finalize()),
    "sizes of dense": in_graph(lambda: tf.keras.layers.Dense(3, input_dim=3, input_shape=(3,))),
    "size of dense": in_graph(lambda: tf.keras.layers.Dense(3, input_dim=3)),
    "size of dropout": in_graph(lambda: tf.keras.layers.Dropout(0.5, input_dim=3)),
    "size of a layer": in_graph(lambda: tf.keras.layers.Layer(input_dim=3)),
    "sizes of LSTM": in_graph(lambda: tf.keras.layers.LSTM(3, input_length=3, input_dim=2)),
}


def outcome(make):
    """The class of the error, or what is made."""
    try:
        made = make()
    except Exception as error:
        return type(error).__name__
    return made if made is None or isinstance(made, (bool, int, float, str)) else np.asarray(made)


for name in sorted(CASES):
    results[name] = outcome(CASES[name])
