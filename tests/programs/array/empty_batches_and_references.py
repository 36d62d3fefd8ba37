"""Array and math ops at their limits: empty batches, vectors where scalars belong, reference types, modules of 1.x's tree."""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import common_shapes, dtypes
from tensorflow.python.ops import (
    array_ops,
    confusion_matrix,
    gradient_checker_v2,
    math_ops,
    nn_ops,
    sparse_ops,
    string_ops,
    weights_broadcast_ops,
)

results = {}
session = tf.Session()

# A batch of nothing, flattened with its own size and -1.
for sizes, wanted in [
    ([0, 3], [0, -1]),
    ([2, 0], [0, -1]),
    ([0], [0, -1]),
    ([0, 3], [-1, 0]),
    ([0, 3, 4], [0, 2, -1]),
    ([0, 5], [-1, 5]),
    ([0], [0, -1, 2]),
]:
    told = tf.reshape(tf.zeros(sizes), wanted)
    untold = tf.reshape(
        tf.placeholder_with_default(tf.zeros(sizes), [None] * len(sizes)), tf.placeholder_with_default(wanted, [None])
    )
    results["reshape %s %s" % (sizes, wanted)] = [
        str(told.shape),
        np.shape(session.run(told)),
        np.shape(session.run(untold)),
    ]


def error_of(build):
    try:
        session.run(build())
    except (TypeError, ValueError, tf.errors.OpError) as error:
        return type(error).__name__
    return "none"


rows = np.ones([2, 3], np.float32)
results["errors"] = {
    "no room": error_of(lambda: tf.reshape(tf.placeholder_with_default(rows, None), [0, -1])),
    "axis": error_of(lambda: tf.cumsum(rows, [0])),
    "unsorted": error_of(lambda: tf.unsorted_segment_sum(rows, [0, 1], [2])),
    "ids": error_of(lambda: tf.sparse_segment_sum(rows, [0, 1], [0, 0, 1])),
    "number": error_of(lambda: tf.sparse_segment_sum(rows, [0, 1], [0, 1], num_segments=[2])),
    "multiples": error_of(lambda: tf.tile([1, 2], 3)),
    "nth": error_of(lambda: nn_ops.nth_element([1, 2], [0])),
    "gather axis": error_of(lambda: tf.gather(rows, [0], axis=[0])),
    "bias": error_of(lambda: tf.nn.bias_add([[1.0, 2.0]], [1.0, 2.0], "NCHW")),
    "dense shape": error_of(lambda: tf.sparse_to_dense([1], [[3]], 1, 0)),
    "default": error_of(lambda: tf.sparse_to_dense([1], [3], 1, [0])),
    "indices": error_of(lambda: tf.sparse_to_dense([[[1]]], [3], 1, 0)),
    "shifts": error_of(lambda: tf.roll([1], [1, 2], [0])),
    "shift": error_of(lambda: tf.roll([1], [[1]], [0])),
    "samples": error_of(lambda: tf.multinomial([[0.0, 0.0]], -1)),
    "rank 9": error_of(lambda: tf.reverse(tf.zeros([1] * 9), [0])),
}
results["no channels"] = np.shape(session.run(tf.nn.lrn(np.zeros([1, 2, 2, 0], np.float32))))
results["sparse shape"] = tf.shape(tf.SparseTensor([[0, 0]], [1], [2, 3]), name="sizes").name
results["references"] = [str(dtypes.float32_ref), str(dtypes.double_ref), str(dtypes.resource_ref)]
results["shapes"] = [
    str(common_shapes.broadcast_shape(tf.TensorShape([1, 2]), tf.TensorShape([3, 1]))),
    common_shapes.is_broadcast_compatible(tf.TensorShape([2]), tf.TensorShape([3])),
    common_shapes.has_fully_defined_shape(tf.zeros([1])),
]
results["internals"] = session.run(
    [
        math_ops._bucketize([1.0, 5.0, 10.0, -3.0], [0.0, 5.0, 10.0]),
        math_ops.reduced_shape([2, 3], [0]),
        math_ops.matvec([[1.0, 2.0]], [1.0, 2.0]),
        array_ops.size_internal(rows, optimize=False),
        array_ops.rank_internal(rows, optimize=False),
        weights_broadcast_ops.broadcast_weights([[1.0]], rows),
        string_ops.string_length(["abc"]),
        string_ops.regex_full_match("ab", "a."),
        confusion_matrix.confusion_matrix([0], [0]),
        sparse_ops.sparse_tensor_to_dense(sparse_ops.sparse_eye(2)),
    ]
)
with session.as_default():
    by_gradient, by_steps = gradient_checker_v2.compute_gradient(
        lambda x, y: x * tf.square(y), [tf.constant([1.0, 2.0]), tf.constant([[3.0], [4.0]])]
    )
    results["jacobians"] = list(by_gradient)
    results["gradient error"] = bool(gradient_checker_v2.max_error(by_gradient, by_steps) < 1e-2)
