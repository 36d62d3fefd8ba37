"""What TensorLists refuse when a step runs: types, shapes, places; and names that tables are refused by."""

import tensorflow as tf
from tensorflow.python.ops import list_ops

results = {}
sess = tf.Session()


def said(function):
    try:
        return sess.run(function())
    except Exception as e:
        return type(e).__name__ + ": " + str(e).split("\n")[0]


floats = list_ops.tensor_list_from_tensor([1.0, 2.0, 3.0], [])
most_one = list_ops.tensor_list_push_back(list_ops.empty_tensor_list([], tf.int32, max_num_elements=1), 5)
# What is known only in the step.
hidden = tf.placeholder_with_default(floats, [])


def never_set(shape):
    return list_ops.tensor_list_stack(list_ops.tensor_list_reserve(shape, 3, tf.float32), tf.float32)


results["stack"] = [said(lambda: never_set([2])), said(lambda: never_set(None)), said(lambda: never_set([None]))]
results["types"] = [
    said(lambda: list_ops.tensor_list_get_item(hidden, 1, tf.int32)),
    said(lambda: list_ops.tensor_list_stack(hidden, tf.int32)),
]
results["places"] = [
    said(lambda: list_ops.tensor_list_get_item(floats, 7, tf.float32)),
    said(lambda: list_ops.tensor_list_gather(floats, [5], tf.float32)),
    said(lambda: list_ops.tensor_list_scatter([1.0, 2.0], [0], [])),
    said(lambda: list_ops.tensor_list_stack(floats, tf.float32, num_elements=4)),
]
results["shapes"] = [
    said(lambda: list_ops.tensor_list_push_back(most_one, [1, 2])),
    said(lambda: list_ops.tensor_list_push_back(most_one, 6)),
    said(lambda: list_ops.tensor_list_concat(floats, tf.float32)),
]
results["ends"] = said(lambda: list_ops.tensor_list_pop_back(list_ops.empty_tensor_list([], tf.int32), tf.int32)[1])
results["file"] = said(lambda: tf.lookup.TextFileInitializer("", tf.string, 0, tf.int64, 1))
