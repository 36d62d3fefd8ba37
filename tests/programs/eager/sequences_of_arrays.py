"""Eagerly, lists may hold arrays and numbers of NumPy's: the type is that of the first, or what is asked for."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
KINDS = ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "uint64", "bool", "complex64"]


def outcome(make):
    try:
        made = make()
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return [made.dtype.name, made.numpy()]


for kind in KINDS:
    array = np.array([1, 0]).astype(kind)
    results[kind] = {
        "arrays": outcome(lambda: tf.constant([array, array])),
        "numbers": outcome(lambda: tf.constant([array[0], array[1]])),
        "of no axis": outcome(lambda: tf.constant([np.array(array[0]), np.array(array[1])])),
        "lists of arrays": outcome(lambda: tf.constant([[array], (array,)])),
        "before integers": outcome(lambda: tf.constant([array, [1, 0]])),
        "before floats": outcome(lambda: tf.constant([array, [1.5, 0.0]])),
        "after integers": outcome(lambda: tf.constant([[1, 0], array])),
        "after floats": outcome(lambda: tf.constant([[1.5, 0.0], array])),
        "after bools": outcome(lambda: tf.constant([[True, False], array])),
    }
    for other in KINDS:
        pair = [array, np.array([1, 0]).astype(other)]
        results[kind]["with " + other] = outcome(lambda: tf.constant(pair))
        results[kind]["as " + other] = outcome(lambda: tf.constant([array, array], other))
results["large"] = [
    outcome(lambda: tf.constant([2**63, 1], tf.uint64)),
    outcome(lambda: tf.constant([np.array([2**40]), np.array([1])])),
    outcome(lambda: tf.constant([np.array([2**63], np.uint64)])),
]
results["texts"] = [
    outcome(lambda: tf.constant([np.array(["a", "b"]), np.array(["c", "d"])])),
    outcome(lambda: tf.constant([np.array([b"a"]), np.array([b"c"])])),
    outcome(lambda: tf.constant([np.array(["a", "b"], object)])),
    outcome(lambda: tf.strings.length([np.array("abc"), np.array("d")])),
]
results["shapes"] = [
    outcome(lambda: tf.constant([np.zeros(2), np.zeros(3)])),
    outcome(lambda: tf.constant([1.0, np.zeros(1)])),
    outcome(lambda: tf.constant([np.zeros([0, 2])])),
    outcome(lambda: tf.constant([np.ones(2), np.ones(2)], shape=[4])),
]
results["with tensors"] = [
    outcome(lambda: tf.constant([np.array([1.5]), tf.constant([2.5])])),
    outcome(lambda: tf.constant([np.float64(1.5), tf.constant(2.5)])),
    outcome(lambda: tf.abs([np.array([1.5], np.float32), tf.constant([2.5])])),
]
results["in operations"] = [
    outcome(lambda: tf.matmul([np.ones([2, 2])], [np.ones([2, 2])])),
    outcome(lambda: tf.reduce_mean([np.ones(2, np.float32), np.zeros(2, np.float32)])),
    outcome(lambda: tf.add(tf.constant(1.0), [np.ones(2)])),
    outcome(lambda: tf.convert_to_tensor([np.ones(2)], preferred_dtype=tf.float32)),
    outcome(lambda: tf.Variable([np.ones(2), np.zeros(2)]).read_value()),
]
results["a loop that never runs"] = [
    value.numpy() for value in tf.while_loop(lambda i, x: False, lambda i, x: (i, x), [0, 1.0])
]
