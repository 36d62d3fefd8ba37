"""tf.linalg.tridiagonal_matmul and tridiagonal_solve: formats, batches, types, gradients, refusals."""

import numpy as np
import tensorflow as tf

results = {}
rng = np.random.RandomState(2)
sess = tf.Session()


def compact(batch, size, dtype):
    values = np.round(rng.uniform(-2, 2, batch + [3, size]), 2)
    if dtype.startswith("complex"):
        values = values + 1j * np.round(rng.uniform(-1, 1, values.shape), 2)
    values[..., 0, -1] = values[..., 2, 0] = 0
    values[..., 1, :] += 3
    return values.astype(dtype)


for dtype in ("float32", "float64", "complex64", "complex128"):
    for batch in ([], [2]):
        d = compact(batch, 5, dtype)
        x = np.round(rng.uniform(-1, 1, batch + [5, 2]), 2).astype(dtype)
        key = "%s %s" % (dtype, batch)
        diagonals, rhs = tf.constant(d), tf.constant(x)
        product, solution = tf.linalg.tridiagonal_matmul(diagonals, rhs), tf.linalg.tridiagonal_solve(diagonals, rhs)
        results["product " + key] = [sess.run(product), str(product.shape)]
        results["solution " + key] = [sess.run(solution), str(solution.shape)]
        results["vector " + key] = sess.run(tf.linalg.tridiagonal_solve(diagonals, rhs[..., 0], conjugate_rhs=True))
        turned = tf.linalg.matrix_transpose(rhs)
        results["turned " + key] = sess.run(
            tf.linalg.tridiagonal_solve(diagonals, turned, transpose_rhs=True, conjugate_rhs=True)
        )
        results["plain " + key] = sess.run(tf.linalg.tridiagonal_solve(diagonals, rhs, partial_pivoting=False))
        if dtype.startswith("float"):
            for name, y in (("product", product), ("solution", solution)):
                results["gradient %s %s" % (name, key)] = sess.run(tf.gradients(y * y, [diagonals, rhs]))

d = compact([], 4, "float64")
matrix = np.diag(d[1]) + np.diag(d[0, :-1], 1) + np.diag(d[2, 1:], -1)
rhs = rng.uniform(-1, 1, (4, 3))
results["formats"] = sess.run(
    [
        tf.linalg.tridiagonal_matmul([tf.constant(p) for p in d], rhs, diagonals_format="sequence"),
        tf.linalg.tridiagonal_matmul(tf.constant(matrix), rhs, diagonals_format="matrix"),
        tf.linalg.tridiagonal_solve([tf.constant(p) for p in d], tf.constant(rhs), diagonals_format="sequence"),
        tf.linalg.tridiagonal_solve(
            [tf.constant(d[0, :-1]), tf.constant(d[1]), tf.constant(d[2, 1:])], tf.constant(rhs), "sequence"
        ),
        tf.linalg.tridiagonal_solve(tf.constant(matrix), tf.constant(rhs), diagonals_format="matrix"),
    ]
)
pivots = np.array([[2.0, 1.0, 4.0, 0.0], [0.0, 1.0, 0.0, 2.0], [0.0, 3.0, 5.0, 1.0]])
results["pivots"] = sess.run(tf.linalg.tridiagonal_solve(tf.constant(pivots), tf.constant(rhs)))

for name, make in {
    "format": lambda: tf.linalg.tridiagonal_solve(tf.constant(d), tf.constant(rhs), "other"),
    "rank": lambda: tf.linalg.tridiagonal_solve(tf.constant(d[0]), tf.constant(rhs)),
    "count": lambda: tf.linalg.tridiagonal_solve(tf.constant(d[:2]), tf.constant(rhs)),
    "sizes": lambda: tf.linalg.tridiagonal_solve(tf.constant(d), tf.constant(rhs[:3])),
    "singular": lambda: sess.run(tf.linalg.tridiagonal_solve(tf.zeros([3, 4]), tf.ones([4, 1]))),
}.items():
    try:
        make()
        results[name] = "fine"
    except (ValueError, tf.errors.OpError) as error:
        results[name] = type(error).__name__

with tf.Graph().as_default():
    diagonals, right = tf.constant(np.array([[1.0, 1, 7], [2, 3, 4], [9, -1, 1]])), tf.constant(np.ones((3, 2)))
    made = [tf.linalg.tridiagonal_solve(diagonals, right), tf.linalg.tridiagonal_matmul(diagonals, right)]
    square = tf.constant([[2.0, 1, 0], [-1, 3, 1], [0, 1, 4]], tf.float64)
    made += [
        function(square, right, "matrix") for function in (tf.linalg.tridiagonal_solve, tf.linalg.tridiagonal_matmul)
    ]
    tf.gradients(made, [diagonals, right])
    results["operations"] = [[op.type, op.name] for op in tf.get_default_graph().get_operations()]
