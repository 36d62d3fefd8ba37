"""Sparse tensors made of other things, fed and fetched; indicators, merging, masks, crosses and sets."""

import numpy as np
import tensorflow as tf

results = {}
IDS = tf.SparseTensorValue(
    np.array([[0, 0], [0, 1], [2, 0]], np.int64), np.array([4, 1, 3], np.int64), np.array([3, 2], np.int64)
)


def plain(item):
    if isinstance(item, (list, tuple)):
        return [plain(part) for part in item]
    return np.array(item.tolist()) if np.asarray(item).dtype.kind == "O" else item


def static(item):
    if isinstance(item, tf.SparseTensor):
        parts = (item.indices, item.values, item.dense_shape)
        return [str(part.get_shape()) for part in parts]
    if isinstance(item, (list, tuple)):
        return [static(part) for part in item]
    return str(item.get_shape())


def record(name, make, feed=None):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        try:
            y = make()
            results[name] = [plain(sess.run(y)), static(y)]
        except (ValueError, TypeError, IndexError, tf.errors.OpError) as error:
            results[name] = type(error).__name__
        results[name + " operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]


def ids():
    return tf.SparseTensor.from_value(IDS)


def scores():
    return tf.SparseTensor(IDS.indices, tf.constant([0.5, 0.25, 2.0]), IDS.dense_shape)


unknown = lambda x: tf.placeholder_with_default(x, None)
record("from dense", lambda: tf.sparse.from_dense([[0, 2], [3, 0]]))
record("from dense floats", lambda: tf.sparse.from_dense(unknown(np.float32([[0, 2], [3, 0]])), name="made"))
record("eye", lambda: tf.sparse.eye(3))
record("eye wide", lambda: tf.sparse.eye(2, 4, tf.int32, name="wide"))
record("eye dynamic", lambda: tf.sparse.eye(tf.placeholder_with_default(3, []), 2))
record("eye bad", lambda: tf.sparse.eye(2.5))
record("to dense", lambda: tf.sparse_tensor_to_dense(ids()))
record("to dense default", lambda: tf.sparse.to_dense(scores(), default_value=-1.0, name="dense"))
record("to dense text", lambda: tf.sparse.to_dense(tf.SparseTensor([[1]], ["a"], [3]), default_value="?"))
record("to dense unordered", lambda: tf.sparse.to_dense(tf.SparseTensor([[1], [0]], [1, 2], [3])))
record(
    "to dense unchecked", lambda: tf.sparse.to_dense(tf.SparseTensor([[1], [0]], [1, 2], [3]), validate_indices=False)
)
record("to indicator", lambda: tf.sparse_to_indicator(ids(), 6))
record("to indicator int32", lambda: tf.sparse.to_indicator(tf.cast(ids(), tf.int32), tf.constant(5), name="ind"))
record("to indicator bad", lambda: tf.sparse.to_indicator(ids(), 2))
record("merge", lambda: tf.sparse_merge(ids(), scores(), 6))
record("merge sorted", lambda: tf.sparse.merge(ids(), scores(), 6, name="m", already_sorted=True))
record("merge two", lambda: tf.sparse.merge([ids(), tf.cast(ids(), tf.int32)], scores(), [6, tf.constant(5)]))
record("merge kinds", lambda: tf.sparse.merge(ids(), scores(), [6]))
record("merge lengths", lambda: tf.sparse.merge([ids(), ids()], scores(), [6]))
record(
    "mask",
    lambda: tf.convert_to_tensor(
        tf.sparse_mask(
            tf.IndexedSlices(tf.constant([[1.0], [2.0], [3.0]]), tf.constant([3, 5, 6]), tf.constant([8, 1])), [5]
        )
    ),
)


def fed(make, value, dtype=tf.float32):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x = make()
        try:
            got = [plain(sess.run([x, tf.sparse_tensor_to_dense(x)], {x: value})), static(x)]
        except (ValueError, TypeError, IndexError, tf.errors.OpError) as error:
            got = type(error).__name__
        return [got, ["%s %s" % (op.name, op.type) for op in graph.get_operations()]]


value = tf.SparseTensorValue(np.array([[0, 1], [2, 0]]), np.float32([5, 6]), np.array([3, 2]))
results["fed"] = {
    "rank unknown": fed(lambda: tf.sparse_placeholder(tf.float32), value),
    "named": fed(lambda: tf.sparse.placeholder(tf.float32, name="x"), value),
    "shape": fed(lambda: tf.sparse_placeholder(tf.float32, [3, 2], name="x"), value),
    "partial": fed(lambda: tf.sparse_placeholder(tf.float32, [None, 2]), value),
    "tuple": fed(lambda: tf.sparse_placeholder(tf.float32, [None, None]), tuple(value)),
    "rank": fed(lambda: tf.sparse_placeholder(tf.float32, [None, None, None]), value),
    "text": fed(
        lambda: tf.sparse_placeholder(tf.string), tf.SparseTensorValue([[0, 1]], np.array([b"a"], object), [1, 2])
    ),
    "lists": fed(lambda: tf.sparse_placeholder(tf.float32), ([[0, 1]], [3.0], [1, 2])),
}
with tf.Graph().as_default(), tf.Session() as sess:
    x = ids()
    results["fetched"] = {
        "type": type(sess.run(x)).__name__,
        "eval": plain(x.eval()),
        "nested": plain(sess.run({"a": [x, (x, x.values)]})["a"]),
        "constant fed": plain(sess.run(tf.sparse_tensor_to_dense(x), {x: IDS._replace(values=IDS.values * 2)})),
        "texts": [str(x), str(x.dtype), str(x.op.name), str(x.shape)],
    }

# Crosses.
words = lambda: tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ["b", "a", "b"], [2, 3])
more = lambda: tf.SparseTensor([[0, 0], [0, 1], [1, 1]], ["b", "a" * 40, "c"], [2, 3])
numbers = lambda: tf.SparseTensor([[0, 0], [0, 1], [1, 1]], tf.constant([5, -6, 7], tf.int64), [2, 3])
record("cross", lambda: tf.sparse.cross([words(), more()]))
record("cross mixed", lambda: tf.sparse.cross([words(), numbers(), tf.constant([["d"], ["e"]])], name="x"))
record("cross hashed", lambda: tf.sparse.cross_hashed([words(), more()]))
record("cross buckets", lambda: tf.sparse.cross_hashed([words(), numbers()], num_buckets=100, hash_key=7, name="h"))
record("cross numbers", lambda: tf.sparse.cross_hashed([numbers(), tf.constant([[1, 2], [3, 4]])], 1000))
record("cross dense", lambda: tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([["c"]])]))
record("cross kinds", lambda: tf.sparse.cross([[1]]))

# Sets.
A, B = [[1, 2, 2], [3, 4, 5]], [[2, 9, 2], [7, 7, 7]]
for name in ("intersection", "difference", "union"):
    operation = getattr(tf.sets, name)
    record("dense " + name, lambda f=operation: f(tf.constant(A), tf.constant(B)))
    record("sparse " + name, lambda f=operation: f(words(), more()))
    record("mixed " + name, lambda f=operation: f(tf.constant([["b", "c"], ["z", "y"]]), words()))
    record("turned " + name, lambda f=operation: f(words(), tf.constant([["b", "c"], ["z", "y"]])))
    record("unknown " + name, lambda f=operation: f(unknown(A), unknown(B)))
    for dtype in ("int8", "int16", "int64", "uint8", "uint16"):
        record("%s %s" % (name, dtype), lambda f=operation, t=dtype: f(tf.constant(A, t), tf.constant(B, t)))
record("difference turned", lambda: tf.sets.set_difference(tf.constant(A), tf.constant(B), aminusb=False))
record("union deep", lambda: tf.sets.set_union(tf.constant([[[1, 2], [3, 4]]]), tf.constant([[[1], [5]]])))
record("intersection empty", lambda: tf.sets.set_intersection(tf.constant([[1]]), tf.constant([[2]])))
record("size", lambda: tf.sets.size(words()))
record("size deep", lambda: tf.sets.set_size(tf.SparseTensor([[0, 1, 0], [0, 1, 2], [1, 0, 0]], [4, 4, 1], [2, 3, 4])))
record("size outside", lambda: tf.sets.size(tf.SparseTensor([[5, 0]], [4], [2, 3])))
record("size dense", lambda: tf.sets.size(tf.constant([[1]])))
record("size floats", lambda: tf.sets.size(scores()))
record("vectors", lambda: tf.sets.union(tf.constant([1]), tf.constant([1])))
record("groups", lambda: tf.sets.union(tf.constant([[1]]), tf.constant([[1], [2]])))
record("sparse groups", lambda: tf.sets.union(words(), tf.SparseTensor([[0, 0]], ["a"], [3, 1])))
record("two types", lambda: tf.sets.union(tf.constant([[1]]), tf.constant([["a"]])))
