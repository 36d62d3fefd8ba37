"""Static and dynamic shapes: what is known while building, what only while running, and how the two meet."""

import numpy as np
import tensorflow as tf

results = {}
shapes = results.setdefault("shapes", {})


def dimensions(tensor):
    """A list with a number where the extent is known, and a scalar tensor where it is not."""
    dynamic = tf.unstack(tf.shape(tensor))
    static = tensor.get_shape().as_list()
    return [known if known is not None else dynamic[i] for i, known in enumerate(static)]


def merged(tensor, groups):
    """Reshape so that every group of axes becomes one."""
    extents = dimensions(tensor)
    new = []
    for group in groups:
        chosen = [extents[axis] for axis in (group if isinstance(group, list) else [group])]
        if all(isinstance(extent, int) for extent in chosen):
            new.append(int(np.prod(chosen)))
        else:
            new.append(tf.reduce_prod(tf.stack(chosen)))
    return tf.reshape(tensor, new)


a = tf.placeholder(tf.float32, [None, 128])
b = tf.placeholder(tf.float32, [None, 10, 32])
anything = tf.placeholder(tf.float32)
shapes["placeholder"] = [
    str(a.shape),
    repr(a.shape),
    a.shape.as_list(),
    str(anything.shape),
    anything.shape.ndims,
]
shapes["merged"] = [str(merged(b, g).shape) for g in ([0, [1, 2]], [[0, 1], 2], [[0, 1, 2]])]
shapes["flattened rows"] = str(tf.reshape(b, [tf.shape(b)[0], 10 * 32]).shape)
shapes["guessed"] = str(tf.reshape(b, [-1, 320]).shape)
shapes["product of a shape"] = str(tf.reshape(b, [tf.shape(b)[0] * tf.shape(b)[1], 32]).shape)
shapes["from a slice"] = str(tf.zeros(tf.concat([tf.shape(b)[:1], [7]], 0)).shape)
shapes["transposed"] = str(tf.transpose(b, [2, 0, 1]).shape)
shapes["stack"] = str(tf.stack([a, a], 1).shape)
shapes["concat"] = str(tf.concat([a, tf.zeros([3, 128])], 0).shape)
shapes["matmul"] = str(tf.matmul(a, tf.zeros([128, 4])).shape)
shapes["expand and squeeze"] = [
    str(tf.expand_dims(b, -1).shape),
    str(tf.squeeze(tf.zeros([1, 3, 1]), [0]).shape),
]
shapes["tile"] = str(tf.tile(a, [2, 3]).shape)
shapes["range"] = [str(tf.range(10).shape), str(tf.range(tf.shape(a)[0]).shape)]
shapes["of the shape"] = [str(tf.shape(v).shape) for v in (a, b, anything)]
shapes["size and rank"] = [str(tf.size(a).shape), str(tf.rank(anything).shape), tf.rank(a).op.type]
shapes["add unknown"] = str((anything + a).shape)

narrowed = tf.placeholder(tf.float32, [None, None])
narrowed.set_shape([32, None])
narrowed.set_shape([None, 128])
shapes["set_shape"] = str(narrowed.shape)

left, right = tf.TensorShape([None, 3]), tf.TensorShape([2, None])
results["TensorShape"] = [
    str(left.merge_with(right)), str(left.concatenate(right)), str(left.is_compatible_with(right)),
    str(left.is_fully_defined()), str(left[1]), str(left[:1]), repr(tf.TensorShape(None)), str(left.ndims),
    repr(tf.Dimension(3) * tf.Dimension(None)), repr(tf.Dimension(7) // 2), str(tf.Dimension(2) + 3),
    str(tf.Dimension(None) == 3), str(tf.Dimension(3) == 3), str(left == tf.TensorShape([None, 3])),
    str(left.num_elements()), str(tf.TensorShape([2, 3]).num_elements()), str(len(left)),
]  # fmt: skip


def refused(action):
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "nothing"


results["refused"] = {
    "set_shape": refused(lambda: narrowed.set_shape([31, 128])),
    "merge": refused(lambda: tf.TensorShape([1]).merge_with([2])),
    "matmul": refused(lambda: tf.matmul(a, tf.zeros([64, 4]))),
    "reshape": refused(lambda: tf.reshape(tf.zeros([6]), [4, 2])),
    "concat": refused(lambda: tf.concat([tf.zeros([2, 3]), tf.zeros([2, 4])], 0)),
    "as_list of unknown rank": refused(lambda: anything.shape.as_list()),
    "len of unknown rank": refused(lambda: len(anything.shape)),
    "unstack of unknown length": refused(lambda: tf.unstack(a)),
    "dimension as an index": refused(lambda: [0] * tf.Dimension(None)),
}
with tf.Session() as sess:
    fed = np.arange(2 * 10 * 32, dtype=np.float32).reshape(2, 10, 32)
    results["values"] = [list(sess.run(merged(b, g), {b: fed}).shape) for g in ([0, [1, 2]], [[0, 1], 2])]
    results["dynamic"] = sess.run([tf.shape(b), tf.size(b), tf.rank(anything)], {b: fed, anything: fed})
    results["wrong when running"] = refused(lambda: sess.run(tf.reshape(a, [32, 128]), {a: np.zeros([31, 128])}))
