"""Matrix products: types, transposes, batches, sparse flags, tensordot, einsum; gradients, names, errors."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(6)
results = {}
sess = tf.Session()


def names(make):
    with tf.Graph().as_default() as graph:
        make()
        return [[o.name, o.type] for o in graph.get_operations()]


def array(*shape):
    return random.normal(size=shape).astype(np.float32)


products = {}
for dtype in ("float32", "float64", "float16", "int32", "int64", "complex64", "complex128"):
    for turn in range(4):
        a = np.arange(6).reshape([3, 2] if turn & 1 else [2, 3]).astype(dtype)
        b = np.arange(12).reshape([4, 3] if turn & 2 else [3, 4]).astype(dtype)
        if "complex" in dtype:
            a, b = a + 1j * a[::-1], b - 2j * b
        y = tf.matmul(a, b, transpose_a=bool(turn & 1), transpose_b=bool(turn & 2))
        products["%s %d" % (dtype, turn)] = [sess.run(y), str(y.get_shape())]
        if "complex" in dtype:
            y = tf.matmul(a, b, adjoint_a=bool(turn & 1), adjoint_b=bool(turn & 2))
            products["adjoint %s %d" % (dtype, turn)] = sess.run(y)
            batched = tf.matmul(
                np.stack([a, a]), np.stack([b, b]), adjoint_a=bool(turn & 1), transpose_b=bool(turn & 2)
            )
            products["batched %s %d" % (dtype, turn)] = sess.run(batched)
half = tf.cast([[1.0, 2.0]], tf.bfloat16)
products["bfloat16"] = sess.run(tf.cast(tf.matmul(half, half, transpose_b=True), tf.float32))
products["empty"] = sess.run(
    [tf.matmul(tf.zeros([2, 0]), tf.zeros([0, 3])), tf.matmul(tf.zeros([0, 2]), tf.ones([2, 3]))]
)
results["products"] = products

slopes = {}
for turn in range(4):
    a = tf.constant(array(3, 2) if turn & 1 else array(2, 3))
    b = tf.constant(array(4, 3) if turn & 2 else array(3, 4))
    w = array(2, 4)
    y = tf.matmul(a, b, transpose_a=bool(turn & 1), transpose_b=bool(turn & 2))
    slopes["matmul %d" % turn] = sess.run(tf.gradients(y * w, [a, b]))
    y = tf.matmul(a, b, transpose_a=bool(turn & 1), transpose_b=bool(turn & 2), a_is_sparse=True)
    slopes["sparse %d" % turn] = sess.run([y] + tf.gradients(y * w, [a, b]))
    a, b = tf.stack([a, 2.0 * a]), tf.stack([b, b + 1.0])
    y = tf.matmul(a, b, adjoint_a=bool(turn & 1), transpose_b=bool(turn & 2))
    slopes["batch %d" % turn] = sess.run([y] + tf.gradients(y * w, [a, b]))
    b = b[0]
    y = tf.matmul(a, b, adjoint_a=bool(turn & 1), adjoint_b=bool(turn & 2))
    slopes["broadcast %d" % turn] = sess.run([y] + tf.gradients(y * w, [a, b]))
c = tf.constant(array(2, 2) + 1j * array(2, 2), tf.complex64)
slopes["complex"] = sess.run(tf.gradients(tf.real(tf.matmul(c, c + 1.0, adjoint_a=True)), c)[0])
results["gradients"] = slopes

fed, other = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
partly = tf.placeholder(tf.float32, [None, 3])
wide = tf.placeholder(tf.float32, [None, 2, None])
results["shapes"] = [
    str(t.get_shape())
    for t in (
        tf.matmul(partly, partly, transpose_b=True),
        tf.matmul(fed, partly),
        tf.matmul(wide, tf.ones([3, 4])),
        tf.matmul(tf.ones([5, 1, 2, 3]), tf.ones([4, 3, 2])),
        tf.matmul(wide, wide, transpose_a=True),
        tf.linalg.matvec(tf.ones([2, 3]), [1.0, 1.0, 1.0]),
        tf.tensordot(wide, tf.ones([2, 5]), [[1], [0]]),
        tf.tensordot(fed, tf.ones([2, 5]), 1),
        tf.einsum("bij,jk->bik", wide, tf.ones([3, 4])),
    )
]
a, b = array(2, 3, 4), array(4, 3, 5)
results["fed"] = [
    sess.run(tf.matmul(fed, other), {fed: x, other: y})
    for x, y in ((a[0], b[:, 0]), (a, b[:, 1]), (a, np.stack([b[:, 0], b[:, 1]])))
]
results["matvec"] = sess.run([tf.linalg.matvec(a, array(4)[None]), tf.linalg.matvec(a[0], array(3), transpose_a=True)])
dots = {}
for axes in (1, [[1, 2], [1, 0]], [[2], [0]], [2, 0], [[-1], [0]]):
    for x in (tf.constant(a), fed, tf.placeholder_with_default(a, [None, 3, None])):
        if axes == 1:
            y = tf.tensordot(x, b, axes)
        else:
            y = tf.tensordot(x, b, axes)
        dots["%s %s" % (axes, x.op.type)] = [
            sess.run(y, {fed: a}),
            str(y.get_shape()),
            sess.run(tf.gradients(y, x)[0], {fed: a}),
        ]
dots["outer"] = sess.run(tf.tensordot([1.0, 2.0], [3.0, 4.0], 0))
axes = tf.placeholder(tf.int32, [2, 1])
dots["fed axes"] = sess.run(tf.tensordot(a, b, axes), {axes: [[1], [1]]})
results["tensordot"] = dots

sums = {}
for equation, shapes in (
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("ij,jk", [(2, 3), (3, 4)]),
    ("ij->ji", [(2, 3)]),
    ("ij->", [(2, 3)]),
    ("ii", [(3, 3)]),
    ("i,j->ij", [(2,), (3,)]),
    ("ij,ij->i", [(2, 3), (2, 3)]),
    ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
    ("abc,cd,de->abe", [(2, 3, 4), (4, 2), (2, 3)]),
    ("ijk,jil->kl", [(3, 4, 5), (4, 3, 2)]),
    ("...ij,jk->...ik", [(2, 2, 3), (3, 4)]),
    ("ij,ik,il->jkl", [(2, 3), (2, 4), (2, 5)]),
    ("bhwc,hkc->bwk", [(2, 3, 4, 5), (3, 2, 5)]),
):
    inputs = [tf.constant(array(*shape)) for shape in shapes]
    y = tf.einsum(equation, *inputs)
    sums[equation] = [sess.run(y), str(y.get_shape()), sess.run(tf.gradients(y, inputs))]
open_a, open_b = tf.placeholder(tf.float32, [None, 3, None]), tf.placeholder(tf.float32, [None, 3, 5])
y = tf.einsum("bij,kil->bjkl", open_a, open_b)
sums["open"] = [sess.run(y, {open_a: a, open_b: b}), str(y.get_shape())]
results["einsum"] = sums
results["cross"] = sess.run(tf.cross([[1.0, 0.0, 2.0]], [[0.0, 1.0, 3.0]]))
left, right = tf.constant(array(2, 3)), tf.constant(array(2, 3))
results["cross gradient"] = sess.run(tf.gradients(tf.cross(left, right) * array(2, 3), [left, right]))

x = tf.constant(array(2, 3, 4))
norms = {}
for order in ("euclidean", 1, 2, np.inf, 3, 2.5):
    for axis in (None, 0, -1):
        for keepdims in (False, True):
            norms["%s %s %s" % (order, axis, keepdims)] = sess.run(tf.norm(x, order, axis, keepdims))
for order in ("euclidean", "fro", 1, np.inf):
    for axis in ([0, 1], [-2, -1], [2, 0]):
        norms["%s %s" % (order, axis)] = sess.run(tf.norm(x, order, axis))
for axis in ([-2, -1], [0, 2]):
    norms["spectral %s" % axis] = sess.run(tf.norm(x, 2, axis))
norms["complex"] = sess.run(tf.norm(tf.constant([3.0 + 4.0j, 0.0])))
results["norm"] = norms


def gradient_of(make, *shapes):
    def build():
        inputs = [tf.placeholder(tf.float32, shape) for shape in shapes]
        tf.gradients(make(*inputs), inputs)

    return build


results["created"] = {
    "matmul": names(lambda: tf.matmul([[1.0]], [[2.0]])),
    "matmul gradient": names(gradient_of(tf.matmul, [2, 3], [3, 4])),
    "transposed": names(gradient_of(lambda a, b: tf.matmul(a, b, True, True), [3, 2], [4, 3])),
    "batched": names(gradient_of(tf.matmul, [5, 2, 3], [5, 3, 4])),
    "same": names(gradient_of(tf.matmul, [5, 3, 3], [5, 3, 3])),
    "unknown": names(gradient_of(tf.matmul, None, [3, 4])),
    "sparse": names(gradient_of(lambda a, b: tf.matmul(a, b, b_is_sparse=True), [2, 3], [3, 4])),
    "matvec": names(lambda: tf.linalg.matvec([[1.0]], [2.0])),
    "operator": names(lambda: tf.placeholder(tf.float32, [2, 2]) * 2.0),
    "tensordot": names(lambda: tf.tensordot(tf.ones([2, 3, 4]), tf.ones([4, 2]), 1)),
    "tensordot open": names(lambda: tf.tensordot(tf.placeholder(tf.float32, [None, 3]), tf.ones([3, 2]), 1)),
    "tensordot unknown": names(lambda: tf.tensordot(tf.placeholder(tf.float32), tf.ones([3, 2]), 1)),
    "einsum": names(lambda: tf.einsum("ijk,jil->kl", tf.ones([3, 4, 5]), tf.ones([4, 3, 2]))),
    "einsum open": names(lambda: tf.einsum("bij,jk->bik", tf.placeholder(tf.float32, [None, 2, 3]), tf.ones([3, 2]))),
    "einsum multiply": names(lambda: tf.einsum("i,j->ij", tf.ones([3]), tf.ones([3]))),
    "norm": names(lambda: tf.norm(tf.ones([3]), axis=0)),
    "norm 1": names(lambda: tf.norm(tf.ones([3, 2]), 1, [0, 1], name="n")),
    "norm 3": names(lambda: tf.norm(tf.placeholder(tf.float32), 3)),
    "trace": names(lambda: tf.trace(tf.ones([3, 3]))),
    "cross": names(gradient_of(tf.cross, [3], [3])),
    "bfloat16": names(lambda: tf.matmul(tf.placeholder(tf.bfloat16, [2, 2]), tf.placeholder(tf.bfloat16, [2, 2]))),
}


def fails(make, feed=None):
    try:
        sess.run(make(), feed)
    except Exception as error:
        return type(error).__name__
    return None


results["errors"] = [
    fails(lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))),
    fails(lambda: tf.matmul(tf.ones([2]), tf.ones([2, 3]))),
    fails(lambda: tf.matmul(tf.ones([4, 2, 3]), tf.ones([3, 3, 2]))),
    fails(lambda: tf.matmul(fed, partly), {fed: a[0], partly: a[0][:, :3]}),
    fails(lambda: tf.matmul(partly, other, a_is_sparse=True), {partly: a[0][:, :3], other: a[0][:2]}),
    fails(lambda: tf.matmul(a, a, transpose_a=True, adjoint_a=True)),
    fails(lambda: tf.matmul(tf.ones([2, 2]), tf.ones([2, 2], tf.float64))),
    fails(lambda: tf.matmul(tf.ones([2, 2], tf.uint8), tf.ones([2, 2], tf.uint8))),
    fails(lambda: tf.einsum("ij,jk->ik", tf.ones([2, 3]))),
    fails(lambda: tf.einsum("iij->j", tf.ones([2, 2, 3]))),
    fails(lambda: tf.einsum("i@j", tf.ones([2, 2]))),
    fails(lambda: tf.einsum("ij->ik", tf.ones([2, 2]))),
    fails(lambda: tf.tensordot(a, b, 4)),
    fails(lambda: tf.tensordot(a, b, [[0, 1], [0]])),
    fails(lambda: tf.norm(x, "fro", 1)),
    fails(lambda: tf.norm(x, 2, [0, 0])),
]
try:
    tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]), name="bad")
except ValueError as error:
    results["message"] = str(error)
