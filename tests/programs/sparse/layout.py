"""Sparse tensors rearranged: reshaped, ordered, sliced, split, joined, filled up, transposed; names, shapes, errors."""

import numpy as np
import tensorflow as tf

results = {}
INDICES = np.array([[0, 0, 1], [0, 2, 1], [1, 0, 0], [3, 1, 2]], np.int64)
SHUFFLED = INDICES[[3, 0, 2, 1]]
VALUES = np.array([1.0, 2.0, -3.0, 4.0], np.float32)
SIZES = [4, 3, 3]


def plain(item):
    """A result as dicts, lists and arrays."""
    if isinstance(item, tf.SparseTensorValue):
        return [plain(part) for part in item]
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


def sample(values=VALUES, indices=INDICES, sizes=SIZES):
    return tf.SparseTensor(indices, tf.constant(values), sizes)


def fed(rank=3, dtype=tf.float32):
    """A sparse tensor of which nothing but the rank is known, with its value."""
    return tf.sparse_placeholder(dtype, [None] * rank if rank is not None else None, name="fed")


FED = tf.SparseTensorValue(INDICES, VALUES, SIZES)


def record(name, make):
    """Values, static shapes and created operations of `make` on a constant and on a fed sparse tensor."""
    found = {}
    for kind in ("constant", "fed", "fed rank"):
        with tf.Graph().as_default() as graph, tf.Session() as sess:
            x = sample() if kind == "constant" else fed(3 if kind == "fed" else None)
            try:
                y = make(x)
                feed = {} if kind == "constant" else {x: FED}
                found[kind] = [plain(sess.run(y, feed)), static(y)]
            except (ValueError, TypeError, IndexError, tf.errors.OpError) as error:
                found[kind] = type(error).__name__
            found[kind + " operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
    results[name] = found


record("reshape", lambda x: tf.sparse_reshape(x, [9, -1]))
record("reshape whole", lambda x: tf.sparse.reshape(x, [2, 2, 9], name="named"))
record("reshape same", lambda x: tf.sparse.reshape(x, [4, 3, 3]))
record("reshape dynamic", lambda x: tf.sparse.reshape(x, tf.placeholder_with_default([-1, 6], [2])))
record("reshape bad", lambda x: tf.sparse.reshape(x, [7, -1]))
record("reshape bad whole", lambda x: tf.sparse.reshape(x, [7, 3]))
record("reshape two unknown", lambda x: tf.sparse.reshape(x, [-1, -1]))
record("reorder", tf.sparse_reorder)
record("slice", lambda x: tf.sparse_slice(x, [0, 0, 1], [2, 9, 1]))
record("slice dynamic", lambda x: tf.sparse.slice(x, tf.placeholder_with_default(np.int64([1, 0, 0]), None), [9, 3, 2]))
record("slice bad", lambda x: tf.sparse.slice(x, [0, 0], [1, 1]))
record("split", lambda x: tf.sparse_split(sp_input=x, num_split=3, axis=0))
record("split named", lambda x: tf.sparse.split(sp_input=x, num_split=2, axis=2, name="parts"))
record("split many", lambda x: tf.sparse.split(sp_input=x, num_split=9, axis=1))
record("concat", lambda x: tf.sparse_concat(1, [x, sample(VALUES + 1)]))
record("concat last", lambda x: tf.sparse.concat(-1, [x, x, x], name="joined"))
record("concat grown", lambda x: tf.sparse.concat(0, [x, sample(sizes=[5, 4, 3])], expand_nonconcat_dim=True))
record("concat grown last", lambda x: tf.sparse.concat(-1, [x, sample(sizes=[5, 4, 3])], expand_nonconcat_dim=True))
record("concat one", lambda x: tf.sparse.concat(0, [x]))
record("concat bad", lambda x: tf.sparse.concat(0, [x, sample(sizes=[4, 3, 4])]))
record("concat axis", lambda x: tf.sparse.concat(3, [x, x]))
record("fill", lambda x: tf.sparse_fill_empty_rows(x, 9))
record("fill bad", lambda x: tf.sparse.fill_empty_rows(tf.SparseTensor(INDICES, x.values, [2, 3, 3]), 0.0))
record("retain", lambda x: tf.sparse_retain(x, [True, False, False, True]))
record("retain none", lambda x: tf.sparse.retain(x, [False] * 4))
record("retain unknown", lambda x: tf.sparse_retain(x, tf.placeholder_with_default([True, False, False, True], None)))
record("retain bad", lambda x: tf.sparse.retain(x, [False] * 5))
record("reset", tf.sparse_reset_shape)
record("reset larger", lambda x: tf.sparse.reset_shape(x, [5, 3, 4]))
record("reset smaller", lambda x: tf.sparse.reset_shape(x, [5, 2, 4]))
record("reset rank", lambda x: tf.sparse.reset_shape(x, [5, 2]))
record("transpose some", lambda x: tf.sparse.transpose(x, [1, 2, 0], name="turned"))
record("expand first", lambda x: tf.sparse.expand_dims(x, 0))
record("expand last", lambda x: tf.sparse.expand_dims(x))
record("expand inside", lambda x: tf.sparse.expand_dims(x, -2, name="wider"))
record("softmax", tf.sparse_softmax)
record("cast", lambda x: tf.cast(x, tf.int32))
record("parts", lambda x: [x.indices, x.values, x.dense_shape, tf.size(x), tf.rank(x)])

moved = {}
for dtype in ("float64", "float16", "int8", "uint8", "int16", "uint16", "int32", "int64", "bool", "complex64"):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = sample(VALUES.astype(dtype) if dtype != "uint16" else np.array([1, 2, 3, 65535], "uint16"), SHUFFLED)
        y = tf.sparse_reorder(x)
        z = [y, tf.sparse_slice(x, [0, 0, 0], [2, 3, 3]), tf.sparse_concat(0, [x, y])]
        z += [tf.sparse_split(sp_input=y, num_split=2, axis=1), tf.sparse_fill_empty_rows(x, tf.cast(1, dtype))]
        moved[dtype] = plain(sess.run(z))
with tf.Graph().as_default(), tf.Session() as sess:
    x = tf.SparseTensor(SHUFFLED, tf.constant(["a", "b", "c", "d"]), SIZES)
    z = [tf.sparse_reorder(x), tf.sparse_slice(x, [0, 0, 0], [2, 3, 3]), tf.sparse_concat(0, [x, x])]
    z += [tf.sparse_split(sp_input=x, num_split=2, axis=1), tf.sparse_fill_empty_rows(x, "none")]
    moved["string"] = plain(sess.run(z))
    empty = tf.SparseTensor(np.zeros([0, 2], np.int64), np.zeros([0], np.float32), [3, 4])
    z = [tf.sparse_reorder(empty), tf.sparse_reshape(empty, [2, -1]), tf.sparse_fill_empty_rows(empty, 1.0)]
    z += [tf.sparse_concat(1, [empty, empty]), tf.sparse_slice(empty, [0, 0], [1, 1]), tf.sparse_softmax(empty)]
    z += [tf.sparse_split(sp_input=empty, num_split=2, axis=1), tf.sparse_transpose(empty), tf.sparse_add(empty, empty)]
    z += [tf.sparse_reset_shape(empty), tf.sparse_tensor_to_dense(empty), tf.sparse_reduce_sum(empty, 1)]
    z += [tf.sparse_tensor_dense_matmul(empty, tf.ones([4, 2])), tf.sparse_add(empty, tf.ones([3, 4]))]
    moved["empty"] = plain(sess.run(z))
    huge = tf.SparseTensor([[2**40, 5, 7], [7, 2**10, 3]], [1.0, 2.0], [2**41, 2**11, 2**10])
    huge = tf.sparse_reorder(huge)
    moved["turned"] = plain(sess.run(tf.sparse_transpose(sample())))
    moved["shape"] = sess.run(tf.shape(sample()))
    moved["huge"] = plain(sess.run([huge, tf.sparse_add(huge, huge), tf.sparse_softmax(huge)]))
results["moved"] = moved

slopes = {}
with tf.Graph().as_default() as graph, tf.Session() as sess:
    v = tf.constant(VALUES)
    x = tf.SparseTensor(SHUFFLED, v, SIZES)
    ordered = tf.SparseTensor(INDICES, v, SIZES)
    filled, _ = tf.sparse_fill_empty_rows(x, tf.constant(5.0))
    made = {
        "reorder": tf.sparse_reorder(x).values * VALUES,
        "slice": tf.sparse_slice(ordered, [0, 0, 0], [2, 3, 3]).values ** 2,
        "fill": filled.values * np.arange(1.0, 6.0, dtype=np.float32),
        "retain": tf.sparse_retain(x, [True, False, True, True]).values ** 2,
        "reshape": tf.sparse_reshape(x, [-1]).values ** 2,
        "softmax": tf.sparse_softmax(tf.sparse_reshape(ordered, [2, -1])).values * VALUES,
    }
    for name in sorted(made):
        slopes[name] = sess.run(tf.gradients(made[name], v)[0])
    default = tf.constant(5.0)
    filled, _ = tf.sparse_fill_empty_rows(sample(sizes=[6, 3, 3]), default)
    slopes["default"] = sess.run(tf.gradients(filled.values * np.arange(1.0, 8.0, dtype=np.float32), default)[0])
    slopes["operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
results["gradients"] = slopes

with tf.Graph().as_default():
    refused = []
    for make in (
        lambda: tf.sparse_reorder(tf.ones([2])),
        lambda: tf.sparse_concat(0, sample()),
        lambda: tf.sparse_split(3, sample(), 2),
        lambda: tf.sparse_split(sp_input=sample(), axis=1),
        lambda: tf.sparse.expand_dims(sample(), 1.5),
        lambda: tf.SparseTensor([[1, 2]], [1.0, 2.0], [3, 3]),
    ):
        try:
            make()
            refused.append("accepted")
        except (ValueError, TypeError) as error:
            refused.append(type(error).__name__)
results["refused"] = refused
