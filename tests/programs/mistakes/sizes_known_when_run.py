"""What kernels refuse when sizes are known only as they run: classes of errors, and the phrases programs look for."""

import numpy as np
import tensorflow as tf

results = {}


def refusal(function, *values):
    inputs = [tf.placeholder(tf.as_dtype(np.asarray(value).dtype)) for value in values]
    made = function(*inputs)
    try:
        with tf.Session() as sess:
            sess.run(made, dict(zip(inputs, values)))
    except tf.errors.OpError as error:
        return [type(error).__name__, error.message]
    return "none"


def phrase(name, text, function, *values):
    found = refusal(function, *values)
    results[name] = found if found == "none" else [found[0], text in found[1]]


ones = np.ones([2, 3, 4], np.float32)
phrase(
    "segment",
    "segment_ids[1,1] = 9 is out of range [0, 2)",
    lambda ids: tf.unsorted_segment_sum([[1, 2], [3, 4]], ids, 2),
    np.int32([[0, 1], [0, 9]]),
)
phrase(
    "segment of a vector",
    "segment_ids[1] = 7 is out of range [0, 2)",
    lambda ids: tf.unsorted_segment_sum([1, 2], ids, 2),
    np.int32([0, 7]),
)
phrase("split", "There can only be one -1 in the input.", lambda x: tf.split(x, [-1, -1]), np.int32([1, 2, 3]))
phrase("fill", "dims must be a vector, got shape [1,1]", lambda dims: tf.fill(dims, 1), np.int32([[1]]))
phrase("fill of a scalar", "dims must be a vector, got shape []", lambda dims: tf.fill(dims, 1), np.int32(3))
phrase(
    "products",
    "In[0] mismatch In[1] shape: 4 vs. 3: [2,5,4] [2,3,4] 0 0",
    lambda x: tf.matmul(x, ones),
    np.ones([2, 5, 4], np.float32),
)
phrase(
    "turned products",
    "3 vs. 4: [2,5,3] [2,3,4] 0 1",
    lambda x: tf.matmul(x, ones, transpose_b=True),
    np.ones([2, 5, 3], np.float32),
)
phrase("stitch", "indices[1] is out of range", lambda places: tf.dynamic_stitch([places], [[1, 2]]), np.int32([0, -1]))
phrase(
    "scatter outer",
    "Outer dimensions of indices and update must match",
    lambda x: tf.scatter_nd([[0]], x, [4]),
    np.int32([1, 2]),
)
phrase(
    "scatter inner",
    "The inner 1 dimensions of output.shape=[4,2] must match the inner 1 dimensions of",
    lambda x: tf.scatter_nd([[0]], x, [4, 2]),
    np.int32([[1, 2, 3]]),
)
phrase(
    "scatter to less than nothing",
    "Dimension -1 must be >= 0",
    lambda shape: tf.scatter_nd([[0]], [1], shape),
    np.int32([-1]),
)
phrase(
    "scatter to a matrix of sizes",
    "Shape must be a vector",
    lambda shape: tf.scatter_nd([[0]], [1], shape),
    np.int32([[1]]),
)
phrase(
    "scatter at a scalar",
    "Indices shape must have rank at least one",
    lambda places: tf.scatter_nd(places, [1], [4]),
    np.int32(0),
)
phrase(
    "update",
    "Outer dimensions of indices and update must match",
    lambda x: tf.tensor_scatter_update([1, 2], [[0]], x),
    np.int32([1, 2]),
)
phrase("reshape", "Only one input size may be -1, not both 0 and 1", lambda: tf.reshape([1, 2], [-1, -1]))
results["shape of a reshape"] = tf.reshape(tf.placeholder(tf.int32), [-1, -1, 2]).shape.as_list()
