"""Linear algebra of matrices without enough eigenvectors, with unknown elements or of unknown shapes."""

import numpy as np
import tensorflow as tf

results = {}


def ran(fetch, feed=None):
    try:
        with tf.Session() as session:
            return session.run(fetch, feed)
    except Exception as error:
        return type(error).__name__


def kinds():
    return [[op.type, op.name] for op in tf.get_default_graph().get_operations()]


jordan = [
    np.array(m) for m in ([[4.0, 1.0], [0.0, 4.0]], [[3.0, 1, 0], [0, 3, 1], [0, 0, 3]], [[2.0, 5.0], [0.0, 2.0]])
]
for number, matrix in enumerate(jordan):
    results["root of a Jordan block %d" % number] = ran(tf.linalg.sqrtm(matrix))
    results["logarithm of a Jordan block %d" % number] = ran(tf.linalg.logm(tf.constant(matrix, tf.complex128)))
results["root in float32"] = ran(tf.linalg.sqrtm(tf.constant([[1.0, 1.0], [0.0, 1.0]])))
x = tf.constant(jordan[0])
results["gradient of such a root"] = ran(tf.gradients(tf.linalg.sqrtm(x), x)[0])
batch = np.stack([jordan[0], np.array([[5.0, 2.0], [2.0, 3.0]])])
results["roots of a batch"] = ran(tf.linalg.sqrtm(batch))
results["no real root"] = [
    np.isnan(ran(tf.linalg.sqrtm(np.array(m)))) for m in ([[1.0, 2.0], [3.0, 4.0]], [[-1.0, 0], [0, -4]])
]
results["real root of a rotation"] = ran(tf.linalg.sqrtm(np.array([[0.0, -1.0], [1.0, 0.0]])))

unknown = np.array([[np.nan, 1.0], [1.0, 1.0]])
mixed = np.stack([unknown, np.diag([1.0, 2.0])])
results["unknown"] = {
    "root": np.isnan(ran(tf.linalg.sqrtm(unknown))),
    "singular values": np.isnan(ran(tf.svd(mixed, compute_uv=False))),
    "singular vectors": [np.isnan(part) for part in ran(tf.svd(unknown))],
    "qr": [np.isnan(part) for part in ran(list(tf.qr(mixed))[:1])],
    "cholesky": np.isnan(ran(tf.cholesky(unknown))),
    "refused": [
        ran(part)
        for part in (
            tf.self_adjoint_eigvals(unknown),
            tf.self_adjoint_eig(unknown)[1],
            tf.matrix_inverse(unknown),
            tf.matrix_solve(unknown, np.ones((2, 1))),
            tf.linalg.lu(unknown)[0],
            tf.linalg.expm(unknown),
            tf.linalg.expm(np.array([[np.inf, 1.0], [1.0, 1.0]])),
        )
    ],
}

tall, wide = np.array([[1.0, 2.0], [3.0, 5.0], [0.5, 7.0]]), np.array([[1.0, 3.0, 0.5], [2.0, 5.0, 7.0]])
for shape in (None, [None, None]):
    with tf.Graph().as_default():
        a, b = tf.placeholder(tf.float64, shape), tf.placeholder(tf.float64, shape)
        solved = tf.linalg.lstsq(a, b, l2_regularizer=0.1)
        results["least squares of %s" % shape] = [
            ran(solved, {a: tall, b: np.ones((3, 1))}),
            ran(solved, {a: wide, b: np.ones((2, 1))}),
            [op.type for op in tf.get_default_graph().get_operations()],
        ]
with tf.Graph().as_default():
    a, b = tf.placeholder(tf.float64, [None, None]), tf.placeholder(tf.float64, [None, None])
    slopes = tf.gradients(tf.linalg.lstsq(a, b, l2_regularizer=0.1), [a, b])
    results["gradients of least squares"] = [
        ran(slopes, {a: tall, b: np.ones((3, 1))}),
        ran(slopes, {a: wide, b: np.ones((2, 1))}),
    ]

with tf.Graph().as_default():
    a = tf.placeholder(tf.float64)
    values = np.arange(24.0).reshape(2, 3, 4)
    norms = [tf.norm(a, 2, [-2, -1]), tf.norm(a, 2, [0, 1], keepdims=True), tf.norm(a, 2, [2, 0])]
    results["spectral norms of an unknown rank"] = ran(norms, {a: values})
    turned = tf.constant([[3 + 4j, 1], [1j, 2]], tf.complex64)
    norms = [tf.norm(turned, order, [0, 1]) for order in ("fro", 1, 2, np.inf)]
    results["norms of complex matrices"] = [ran(norms), [norm.dtype.name for norm in norms]]

for horizon in (None, (2020, 1, 1)):
    with tf.Graph().as_default():
        matrix = tf.constant(tall)
        if horizon is None:
            made = [tf.linalg.diag([1.0, 2.0], k=1), tf.linalg.diag_part(matrix, k=-1)]
            made.append(tf.linalg.set_diag(matrix, np.array([9.0, 8.0]), k=-1))
        else:
            with tf.compat.forward_compatibility_horizon(*horizon):
                made = [tf.linalg.diag([1.0, 2.0], k=1), tf.linalg.diag_part(matrix, k=-1)]
                made.append(tf.linalg.set_diag(matrix, np.array([9.0, 8.0]), k=-1))
        results["diagonals as of %s" % (horizon,)] = [ran(made), [tensor.op.type for tensor in made]]

for function in ("svd", "sqrtm"):
    with tf.Graph().as_default():
        x = tf.constant([[4.0, 1.0], [1.0, 3.0]])
        tf.gradients(getattr(tf.linalg, function)(x), x)
        results["operations of the gradient of %s" % function] = kinds()

refused = []
for matrix in (None, "a", [[1, 2], [3, 4]], [1.0, 2.0]):
    try:
        tf.linalg.LinearOperatorFullMatrix(matrix)
    except Exception as error:
        refused.append(type(error).__name__)
results["refused as operators"] = refused

with tf.Graph().as_default():
    variable = tf.get_variable("v", [2], tf.float64, initializer=tf.ones_initializer(), use_resource=True)
    with tf.GradientTape(persistent=True) as tape:
        square = variable * variable
    slopes = [tape.gradient(variable, variable), tape.gradient([square, variable], variable)]
    with tf.Session() as session:
        session.run(variable.initializer)
        results["gradients of a variable by itself"] = session.run(slopes)

with tf.Graph().as_default():
    turns = tf.placeholder(tf.int32)
    turned = tf.image.rot90(tf.ones([2, 3, 1]), turns)
    results["turned by several numbers"] = ran(turned, {turns: [1, 2]})

for method in ("rk4", "midpoint"):
    with tf.Graph().as_default():
        times = np.linspace(0, 1, 4)
        path = tf.contrib.integrate.odeint_fixed(
            lambda y, t: -y, tf.constant([1.0, 2.0], tf.float64), times, 0.1, method
        )
        results["steps of %s" % method] = [ran(path), path.name, kinds()]
