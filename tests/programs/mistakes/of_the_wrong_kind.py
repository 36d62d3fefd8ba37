"""The classes of errors where a function, a model or a folder is of the wrong kind."""

import os
import tempfile

import tensorflow as tf

results = {}
folder = tempfile.mkdtemp()
with open(os.path.join(folder, "there"), "w") as file:
    file.write("already")
numbers = tf.data.Dataset.range(3)
x = tf.keras.Input((2,))


def kind_of(act):
    try:
        act()
    except Exception as error:
        return type(error).__name__
    return "made"


with tf.Session() as sess:
    CASES = {
        "map": lambda: numbers.map(1),
        "map of None": lambda: numbers.map(None),
        "filter": lambda: numbers.filter(1),
        "flat_map": lambda: numbers.flat_map("f"),
        "interleave": lambda: numbers.interleave(1, 2),
        "reduce": lambda: numbers.reduce(0, 1),
        "generator": lambda: tf.data.Dataset.from_generator(1, tf.int32),
        "apply": lambda: numbers.apply(1),
        "model of numbers": lambda: tf.keras.Model(1, 2),
        "model of lists": lambda: tf.keras.Model([1], [2]),
        "model without outputs": lambda: tf.keras.Model(x, None),
        "model with a number": lambda: tf.keras.Model(x, 3),
        "model of tensors": lambda: tf.keras.Model(tf.ones([2]), tf.ones([2])),
        "save nothing": lambda: tf.saved_model.simple_save(sess, folder, {}, {}),
        "save into a full folder": lambda: tf.saved_model.simple_save(sess, folder, {"x": x}, {"x": x}),
        "mean of a number": lambda: tf.losses.mean_squared_error(None, 1.0),
        "gradients of a number": lambda: tf.gradients(1, [tf.constant(1.0)]),
        "scan of a number": lambda: tf.scan(lambda total, each: total, 3),
        "a cell that is none": lambda: tf.nn.dynamic_rnn("cell", tf.ones([2, 3, 4]), dtype=tf.float32),
        "a loop that returns too much": lambda: tf.while_loop(lambda i: i < 3, lambda i: [i, i], [0]),
        "a branch that is none": lambda: tf.cond(tf.constant(True), 1, 2),
        "a Saver of numbers": lambda: tf.train.Saver([1]),
        "a column of a column": lambda: tf.feature_column.embedding_column(tf.feature_column.numeric_column("a"), 3),
        "an empty step": lambda: tf.train.exponential_decay(0.1, None, 1, 1),
        "an Estimator of too little": lambda: tf.estimator.Estimator(lambda a: 1),
    }
    for name in sorted(CASES):
        results[name] = kind_of(CASES[name])
