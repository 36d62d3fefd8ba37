"""Arithmetic of sparse tensors: sums, products, extremes, reductions, with dense ones and with each other."""

import numpy as np
import tensorflow as tf

results = {}
INDICES = np.array([[0, 0], [0, 2], [1, 0], [3, 1]], np.int64)
OTHER = np.array([[0, 1], [0, 2], [2, 2], [3, 1]], np.int64)
VALUES = np.array([1.0, 2.0, -3.0, 4.0], np.float32)
SIZES = [4, 3]
RANDOM = np.random.RandomState(3)
B = RANDOM.normal(size=[3, 5]).astype(np.float32)
C = RANDOM.normal(size=[4, 5]).astype(np.float32)


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


def sample(values=VALUES, indices=INDICES, sizes=SIZES):
    return tf.SparseTensor(indices, tf.constant(values), sizes)


FED = tf.SparseTensorValue(INDICES, VALUES, SIZES)


def record(name, make):
    found = {}
    for kind in ("constant", "fed"):
        with tf.Graph().as_default() as graph, tf.Session() as sess:
            x = sample() if kind == "constant" else tf.sparse_placeholder(tf.float32)
            try:
                y = make(x)
                found[kind] = [plain(sess.run(y, {} if kind == "constant" else {x: FED})), static(y)]
            except (ValueError, TypeError, IndexError, tf.errors.OpError) as error:
                found[kind] = type(error).__name__
            found[kind + " operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
    results[name] = found


record("add", lambda x: tf.sparse_add(x, sample(VALUES * 2, OTHER)))
record("add threshold", lambda x: tf.sparse.add(x, sample(np.float32([1, -2, 3, 4]), OTHER), threshold=1.5))
record("add thresh", lambda x: tf.sparse_add(x, sample(-VALUES), thresh=0.1))
record("add value", lambda x: tf.sparse_add(x, tf.SparseTensorValue(OTHER, VALUES, SIZES)))
record("add dense", lambda x: tf.sparse_add(x, np.ones([4, 3], np.float32)))
record("add to dense", lambda x: tf.sparse_add(tf.ones([4, 3]), x))
record("add shapes", lambda x: tf.sparse_add(x, sample(sizes=[4, 4])))
record("add ranks", lambda x: tf.sparse_add(x, sample(indices=INDICES[:, :1], sizes=[4])))
record("add dense shape", lambda x: tf.sparse_add(x, tf.ones([4, 1])))
record("times", lambda x: x * tf.constant([[1.0], [2.0], [3.0], [4.0]]))
record("times from dense", lambda x: tf.constant([1.0, 2.0, 3.0]) * x)
record("times scalar", lambda x: x * 2.0)
record("over", lambda x: x / tf.constant([[2.0, 4.0, 8.0]]))
record("over scalar", lambda x: x / 4.0)
record("times wide", lambda x: x * tf.ones([2, 3]))
record("times deep", lambda x: x * tf.ones([1, 4, 3]))
record("maximum", lambda x: tf.sparse_maximum(x, sample(VALUES[::-1].copy(), OTHER)))
record("minimum", lambda x: tf.sparse_minimum(x, sample(VALUES[::-1].copy(), OTHER), name="low"))
record("maximum shapes", lambda x: tf.sparse_maximum(x, sample(sizes=[4, 4])))
record("matmul", lambda x: tf.sparse_tensor_dense_matmul(x, B))
record("matmul named", lambda x: tf.sparse_tensor_dense_matmul(x, B.T.copy(), adjoint_b=True, name="product"))
record("matmul adjoint", lambda x: tf.sparse.sparse_dense_matmul(x, C, adjoint_a=True))
record("matmul both", lambda x: tf.sparse.matmul(x, C.T.copy(), True, True))
record("matmul inner", lambda x: tf.sparse.matmul(x, C))
record("matmul outside", lambda x: tf.sparse.matmul(tf.SparseTensor([[0, 7]], x.values[:1], [4, 3]), B))
for axis in (None, 0, 1, -1, [0, 1], [], [1, 1]):
    for keep in (False, True):
        record("sum %s %s" % (axis, keep), lambda x, axis=axis, keep=keep: tf.sparse_reduce_sum(x, axis, keepdims=keep))
    record("sum sparse %s" % axis, lambda x, axis=axis: tf.sparse_reduce_sum_sparse(x, axis))
    record("max sparse %s" % axis, lambda x, axis=axis: tf.sparse_reduce_max_sparse(x, axis, keep_dims=True))
    record("max %s" % axis, lambda x, axis=axis: tf.sparse_reduce_max(x, reduction_axes=axis))
record("sum far", lambda x: tf.sparse_reduce_sum(x, 2))
record("sum dynamic", lambda x: tf.sparse_reduce_sum(x, tf.placeholder_with_default([-1], [None])))

types = {}
for dtype in ("float64", "int8", "int16", "int32", "int64", "complex64", "complex128"):
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = sample(VALUES.astype(dtype)), sample((VALUES * 2).astype(dtype), OTHER)
        z = [tf.sparse_add(x, y), tf.sparse_add(x, tf.ones([4, 3], dtype)), tf.sparse_reduce_sum(x, 0)]
        if dtype in ("float64", "int32", "complex64", "complex128"):
            z += [tf.sparse.matmul(x, B.astype(dtype)), tf.sparse.matmul(x, C.astype(dtype), adjoint_a=True)]
        if dtype.startswith("complex"):
            turned = tf.SparseTensor(INDICES, tf.constant((VALUES * (1 + 2j)).astype(dtype)), SIZES)
            z += [tf.sparse.matmul(turned, (C * (1 - 1j)).astype(dtype), adjoint_a=True)]
            z += [tf.sparse.matmul(turned, (B.T * (1 - 1j)).astype(dtype), adjoint_b=True)]
        else:
            z += [x * tf.constant(3, dtype), tf.sparse_maximum(x, y), tf.sparse_reduce_max(x, 1)]
            z += [
                tf.SparseTensor(
                    INDICES,
                    tf.raw_ops.SparseDenseCwiseDiv(
                        sp_indices=x.indices, sp_values=x.values, sp_shape=x.dense_shape, dense=tf.constant(2, dtype)
                    ),
                    SIZES,
                )
            ]
        types[dtype] = plain(sess.run(z))
with tf.Graph().as_default(), tf.Session() as sess:
    for dtype in ("float16", "uint8", "uint16"):
        x = sample(np.abs(VALUES).astype(dtype))
        z = [tf.sparse_add(x, tf.ones([4, 3], dtype)), tf.sparse_reduce_sum(x, 0), tf.sparse_reduce_max(x, 0)]
        types[dtype] = plain(sess.run(z + [x * tf.constant(3, dtype), tf.sparse_minimum(x, x)]))
    x = sample()
    types["mapped"] = plain(sess.run([tf.abs(x), tf.negative(x), tf.square(x), tf.sign(x)]))
    narrow = tf.raw_ops.SparseTensorDenseMatMul(a_indices=INDICES.astype(np.int32), a_values=VALUES, a_shape=SIZES, b=B)
    repeated = tf.SparseTensor(INDICES[[3, 0, 3, 0]], VALUES, SIZES)
    types["narrow, repeated"] = sess.run(
        [
            narrow,
            tf.sparse.matmul(repeated, B),
            tf.sparse.matmul(repeated, C, adjoint_a=True),
            tf.sparse_add(repeated, C[:, :3]),
        ]
    )
results["types"] = types

slopes = {}


def slope(name, make):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        v, dense = tf.constant(VALUES), tf.placeholder_with_default(B[:, :3] + 5, [None, None])
        x = tf.SparseTensor(INDICES, v, SIZES)
        y = make(x, dense)
        try:
            found = tf.gradients(y, [v, dense])
            slopes[name] = [None if g is None else sess.run(g) for g in found] if found else None
            slopes[name] = ["None" if g is None else g for g in slopes[name]]
        except (NotImplementedError, LookupError) as error:
            slopes[name] = type(error).__name__
        slopes[name + " operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]


W = RANDOM.normal(size=[4, 3]).astype(np.float32)
slope("matmul", lambda x, d: tf.sparse.matmul(x, d) * W)
turned = INDICES[:, ::-1].copy()
slope(
    "matmul adjoint a", lambda x, d: tf.sparse.matmul(tf.SparseTensor(turned, x.values, [3, 4]), d, adjoint_a=True) * W
)
slope("matmul adjoint b", lambda x, d: tf.sparse.matmul(x, d, adjoint_b=True) * W)
slope("sum", lambda x, d: tf.sparse_reduce_sum(x, 1) * W[:, 0])
slope("sum kept", lambda x, d: tf.sparse_reduce_sum(x, [-2], keepdims=True) * W[:1])
slope("sum all", lambda x, d: tf.sparse_reduce_sum(x) ** 2)
slope("times", lambda x, d: (x * d[:1]).values * VALUES)
slope("times dense", lambda x, d: (x * tf.concat([d, d[:1]], 0)).values * VALUES)
slope("over", lambda x, d: (x / d[0]).values * VALUES)
slope("add", lambda x, d: tf.sparse_add(x, sample(indices=OTHER)).values ** 2)
slope("add threshold", lambda x, d: tf.sparse_add(x, sample(indices=OTHER), threshold=2.5).values ** 2)
slope("add itself", lambda x, d: tf.sparse_add(x, x).values ** 2)
slope("add dense", lambda x, d: tf.sparse_add(x, tf.concat([d, d[:1]], 0)) * W)
slope("softmax", lambda x, d: tf.sparse_softmax(x).values * VALUES)
slope("max", lambda x, d: tf.sparse_reduce_max(x, 1))
results["gradients"] = slopes
