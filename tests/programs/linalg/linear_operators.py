"""Linear operators: products, solutions, determinants, dense forms, other operators from them, hints, refusals."""

import numpy as np
import tensorflow as tf

la = tf.linalg
random = np.random.RandomState(9)
results = {}
sess = tf.Session()


def array(*shape):
    return random.normal(size=shape)


def definite(n):
    x = array(n, n)
    return x.dot(x.T) + n * np.eye(n)


def fails(make):
    try:
        y = make()
        sess.run(y)
    except Exception as error:
        return type(error).__name__
    return None


def run(y):
    return sess.run(y.to_dense() if isinstance(y, la.LinearOperator) else tf.convert_to_tensor(y))


full = la.LinearOperatorFullMatrix(array(2, 3, 3) + 3 * np.eye(3))
positive = la.LinearOperatorFullMatrix(definite(3), is_self_adjoint=True, is_positive_definite=True)
diag = la.LinearOperatorDiag(array(3) + 3.0, is_positive_definite=True)
lower = la.LinearOperatorLowerTriangular(array(3, 3) + 3 * np.eye(3), is_non_singular=True)
scaled = la.LinearOperatorScaledIdentity(3, np.float64(2.5), is_positive_definite=True)
identity = la.LinearOperatorIdentity(3, dtype=tf.float64)
operators = {
    "full": full,
    "positive": positive,
    "diag": diag,
    "lower": lower,
    "scaled": scaled,
    "scaled batch": la.LinearOperatorScaledIdentity(3, np.float64([1.0, -2.0])),
    "identity": identity,
    "identity batch": la.LinearOperatorIdentity(3, batch_shape=[2], dtype=tf.float64),
    "zeros": la.LinearOperatorZeros(3, dtype=tf.float64),
    "householder": la.LinearOperatorHouseholder(array(3)),
    "composition": la.LinearOperatorComposition([full, diag, lower]),
    "adjoint": la.LinearOperatorAdjoint(full),
    "inversion": la.LinearOperatorInversion(positive),
    "blocks": la.LinearOperatorBlockDiag([diag, lower, full]),
    "kronecker": la.LinearOperatorKronecker([lower, diag, positive]),
    "low rank": la.LinearOperatorLowRankUpdate(
        la.LinearOperatorDiag(np.abs(array(3)) + 2, is_positive_definite=True), array(3, 2)
    ),
    "low rank full": la.LinearOperatorLowRankUpdate(lower, array(3, 2), array(2), array(3, 2)),
    "circulant": la.LinearOperatorCirculant([3.0, 1.0, 1.0], input_output_dtype=tf.float32),
    "circulant complex": la.LinearOperatorCirculant(np.complex64([3 + 1j, 1.0, 2 - 1j])),
    "circulant 2d": la.LinearOperatorCirculant2D(np.abs(array(2, 3)).astype(np.float32) + 1),
    "circulant 3d": la.LinearOperatorCirculant3D(np.abs(array(2, 2, 2)).astype(np.float32) + 1),
    "toeplitz": la.LinearOperatorToeplitz([5.0, 2.0, 0.5], [5.0, -1.0, 1.5]),
    "complex diag": la.LinearOperatorDiag(np.complex128([1 + 2j, 3.0, -1j])),
}


def calls_of(o, x, y):
    ones = np.ones([len(y), len(x)], o.dtype.as_numpy_dtype)
    return {
        "dense": o.to_dense,
        "diag": o.diag_part,
        "trace": o.trace,
        "matmul": lambda: o.matmul(x),
        "matmul adjoint": lambda: o.matmul(y, adjoint=True),
        "matmul arg": lambda: o.matmul(x.T, adjoint_arg=True),
        "matvec": lambda: o.matvec(x[:, 0]),
        "solve": lambda: o.solve(y),
        "solve adjoint": lambda: o.solve(x, adjoint=True),
        "solvevec": lambda: o.solvevec(y[:, 0]),
        "det": o.determinant,
        "log det": o.log_abs_determinant,
        "add": lambda: o.add_to_tensor(ones),
        "adjoint": o.adjoint,
        "inverse": lambda: o.inverse().matmul(y),
        "cholesky": o.cholesky,
    }


described = {}
for key in sorted(operators):
    o = operators[key]
    rows, columns = o.range_dimension.value, o.domain_dimension.value
    x = array(columns, 2).astype(o.dtype.as_numpy_dtype)
    y = array(rows, 2).astype(o.dtype.as_numpy_dtype)
    out = {
        "shape": str(o.shape),
        "dynamic": sess.run(
            [o.shape_tensor(), o.batch_shape_tensor(), o.domain_dimension_tensor(), o.tensor_rank_tensor()]
        ),
        "name": o.name,
        "dtype": o.dtype.name,
        "hints": [o.is_square, o.is_non_singular, o.is_self_adjoint, o.is_positive_definite],
        "class": type(o).__name__,
    }
    calls = calls_of(o, x, y)
    if "circulant" in key:
        # There TensorFlow's adjoint and inverse have forgotten the type.
        del calls["inverse"], calls["adjoint"]
    for name in sorted(calls):
        try:
            made = calls[name]()
            value = run(made)
            out[name] = [value, type(made).__name__ if isinstance(made, la.LinearOperator) else None]
        except (NotImplementedError, ValueError, tf.errors.InvalidArgumentError) as error:
            out[name] = type(error).__name__
    described[key] = out
results["described"] = described

products = {}
for a in ("diag", "lower", "scaled", "identity", "full", "zeros"):
    for b in ("diag", "lower", "scaled", "identity", "full", "zeros"):
        product = operators[a].matmul(operators[b])
        products[a + " " + b] = [run(product), product.is_positive_definite]
results["products"] = products
solution = diag.solve(lower)
results["solution"] = run(solution)

v = tf.constant(array(3))
o = la.LinearOperatorDiag(v)
results["slope"] = sess.run(tf.gradients(o.log_abs_determinant() + tf.reduce_sum(o.matvec(v)), v)[0])
fed = tf.placeholder(tf.float64)
dynamic = la.LinearOperatorFullMatrix(fed)
results["fed"] = sess.run([dynamic.matvec(array(2)), dynamic.shape_tensor(), dynamic.determinant()], {fed: array(2, 2)})

results["refused"] = [
    fails(lambda: la.LinearOperatorFullMatrix(array(3))),
    fails(lambda: la.LinearOperatorFullMatrix([[1, 2], [3, 4]])),
    fails(lambda: la.LinearOperatorDiag(array(3), is_self_adjoint=False)),
    fails(lambda: la.LinearOperatorDiag(array(3), is_square=False)),
    fails(lambda: la.LinearOperatorFullMatrix(array(3, 3), is_positive_definite=True, is_non_singular=False)),
    fails(lambda: la.LinearOperatorIdentity(-1)),
    fails(lambda: la.LinearOperatorIdentity(2.0)),
    fails(lambda: diag.matmul(array(4, 2))),
    fails(lambda: diag.matmul(np.float32([[1.0], [2.0], [3.0]]))),
    fails(lambda: operators["zeros"].solve(array(3, 1))),
    fails(lambda: la.LinearOperatorComposition([])),
    fails(lambda: la.LinearOperatorComposition([diag, la.LinearOperatorDiag([1.0, 2.0, 3.0])])),
    fails(lambda: la.LinearOperatorComposition([diag, la.LinearOperatorDiag(array(2))])),
    fails(lambda: full.cholesky()),
    fails(lambda: la.LinearOperatorDiag([0.0, 1.0]).assert_non_singular()),
    fails(lambda: la.LinearOperatorDiag([-1.0, 1.0]).assert_positive_definite()),
    fails(lambda: full.assert_self_adjoint()),
    fails(lambda: positive.assert_self_adjoint()),
    fails(lambda: positive.assert_non_singular()),
]

# Masks of decoders: nothing is made before it is used.
with tf.Graph().as_default() as graph:
    la.LinearOperatorLowerTriangular(tf.placeholder(tf.float32, [None, None])).to_dense()
    la.LinearOperatorDiag([1.0, 2.0]).matmul(tf.ones([2, 2]))
    results["names"] = [(each.name, each.type) for each in graph.get_operations()]
