"""Texts and types where an attribute is a number: refused by their kind, though Python makes numbers of some."""

import numpy as np
import tensorflow as tf

results = {}
image = tf.zeros([1, 2, 2, 3])
CASES = {
    "text as int": lambda: tf.string_to_hash_bucket_fast(["a"], "5"),
    "bytes as int": lambda: tf.string_to_hash_bucket_fast(["a"], b"5"),
    "type as int": lambda: tf.string_to_hash_bucket_fast(["a"], tf.string),
    "text in a list of ints": lambda: tf.nn.max_pool(image, [1, "2", 2, 1], [1, 1, 1, 1], "SAME"),
    "type in a list of ints": lambda: tf.nn.max_pool(image, [1, 2, 2, 1], [1, tf.int32, 1, 1], "SAME"),
    "type as size": lambda: tf.nn.lrn(image, tf.int32),
    "text as capacity": lambda: tf.FIFOQueue("3", [tf.float32]),
    "text as float": lambda: tf.nn.lrn(image, 5, "1.0"),
    "type as float": lambda: tf.nn.lrn(image, 5, tf.float32),
    "complex as float": lambda: tf.nn.lrn(image, 5, 1 + 0j),
    "fraction as int": lambda: tf.string_to_hash_bucket_fast(["a"], 5.7),
    "truth as float": lambda: tf.nn.lrn(image, 5, True),
    "array as int": lambda: tf.nn.lrn(image, np.int64(5)),
    "type as dimension": lambda: tf.Dimension(tf.string),
    "type in a shape": lambda: tf.TensorShape([tf.float32, 2]),
    "type in a variable's shape": lambda: tf.get_variable("a", [tf.float32]),
    "type as Python's int": lambda: int(tf.float32),
    "filters that are a type": lambda: tf.layers.conv1d(tf.zeros([2, 5, 3]), tf.string, 2),
    "units in digits": lambda: tf.layers.dense(tf.zeros([2, 3]), "4"),
    "dimension as int": lambda: tf.nn.lrn(image, tf.Dimension(5)),
}
for name, make in CASES.items():
    try:
        make()
        results[name] = "taken"
    except Exception as error:
        results[name] = type(error).__name__
