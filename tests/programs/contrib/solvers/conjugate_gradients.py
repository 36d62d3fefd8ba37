"""tf.contrib.solvers: conjugate gradients, least squares and bidiagonalisation."""

import numpy as np
import tensorflow as tf

solvers = tf.contrib.solvers
results = {}
rng = np.random.RandomState(1)
matrix = rng.randn(6, 4)
square = matrix.T.dot(matrix) + np.eye(4)
rhs = rng.randn(4)

with tf.Session() as sess:
    operator = solvers.util.create_operator(tf.constant(square))
    state = solvers.linear_equations.conjugate_gradient(operator, tf.constant(rhs))
    results["cg"] = sess.run(list(state))
    results["cg_names"] = [t.name for t in state] + list(state._fields)
    state = solvers.linear_equations.conjugate_gradient(
        operator, tf.constant(rhs), x=tf.ones([4], tf.float64), max_iter=2
    )
    results["cg_few"] = sess.run(list(state))
    inverse = solvers.util.create_operator(tf.constant(np.diag(1 / np.diag(square))))
    state = solvers.linear_equations.conjugate_gradient(operator, tf.constant(rhs), preconditioner=inverse, tol=1e-8)
    results["cg_preconditioned"] = sess.run([state.i, state.x])
    tall = solvers.util.create_operator(tf.constant(matrix))
    state = solvers.least_squares.cgls(tall, tf.constant(rng.randn(6)), tol=1e-9)
    results["cgls"] = sess.run([state.x, state.r])
    results["cgls_fields"] = list(state._fields)
    start = tf.constant(rng.randn(6, 1))
    for again in (True, False):
        state = solvers.lanczos.lanczos_bidiag(tall, 3, orthogonalize=again, starting_vector=start)
        results["lanczos_%s" % again] = sess.run(list(state))
    u, v, alpha, beta = state
    results["bidiag"] = sess.run(
        [solvers.lanczos.bidiag_matmul(u, alpha, beta), solvers.lanczos.bidiag_matmul(v, alpha, beta, adjoint_b=True)]
    )
    vector = tf.constant([[3.0], [4.0]])
    results["norms"] = sess.run(
        [
            solvers.util.l2norm(vector),
            solvers.util.l2norm_squared(vector),
            solvers.util.l2normalize(vector),
            solvers.util.dot(vector, vector),
            solvers.util.dot(tf.constant([1 + 2j]), tf.constant([3 - 1j])),
            solvers.util.identity_operator(vector).apply(vector),
        ]
    )
    results["operator"] = [list(operator._fields), operator.shape, operator.dtype.name]
