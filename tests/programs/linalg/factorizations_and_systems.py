"""Diagonals, factorizations, inverses, determinants, linear systems, Fourier transforms; gradients, names, errors."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(8)
results = {}
sess = tf.Session()


def names(make):
    with tf.Graph().as_default() as graph:
        make()
        return [[o.name, o.type] for o in graph.get_operations()]


def fails(make, feed=None):
    try:
        sess.run(make(), feed)
    except Exception as error:
        return type(error).__name__
    return None


def array(*shape):
    return random.normal(size=shape)


def slope(make, *inputs):
    tensors = [tf.constant(x) for x in inputs]
    y = make(*tensors)
    ys = y if isinstance(y, (list, tuple)) else [y]
    weighted = [part * random.normal(size=part.shape.as_list()) for part in ys]
    return [sess.run(g) for g in tf.gradients(weighted, tensors)]


fed = tf.placeholder(tf.float64)
m = array(2, 3, 4)
diagonals = {
    "diag": tf.diag([1, 2]),
    "diag of a matrix": tf.diag([[1.0, 2.0]]),
    "diag_part": tf.diag_part(np.arange(16).reshape([2, 2, 2, 2])),
    "matrix_diag": tf.matrix_diag([[1.0, 2.0], [3.0, 4.0]]),
    "matrix_diag_part": tf.matrix_diag_part(m),
    "matrix_set_diag": tf.matrix_set_diag(m, np.zeros([2, 3])),
    "bool": tf.matrix_diag([True, False]),
    "trace": tf.trace(m),
    "eye": tf.eye(3),
    "eye wide": tf.eye(2, 4, dtype=tf.int32),
    "eye batch": tf.eye(2, batch_shape=[2, 1]),
    "eye dynamic": tf.eye(tf.placeholder_with_default(3, []), batch_shape=tf.constant([2])),
    "eye dynamic wide": tf.eye(tf.placeholder_with_default(3, []), 2),
}
for lower in (-1, 0, 1):
    for upper in (-1, 0, 2):
        diagonals["band %d %d" % (lower, upper)] = tf.matrix_band_part(m, lower, upper)
results["diagonals"] = {key: [sess.run(t), str(t.get_shape())] for key, t in diagonals.items()}
raw = tf.raw_ops
bands = {
    "one above": raw.MatrixDiagV2(diagonal=[1, 2], k=1, num_rows=-1, num_cols=-1, padding_value=0),
    "rows": raw.MatrixDiagV2(diagonal=[1, 2], k=-1, num_rows=3, num_cols=4, padding_value=9),
    "three": raw.MatrixDiagV2(
        diagonal=[[1, 2, 0], [3, 4, 5], [6, 7, 0]], k=[-1, 1], num_rows=-1, num_cols=-1, padding_value=0
    ),
    "part": raw.MatrixDiagPartV2(input=m, k=[-1, 2], padding_value=np.float64(7)),
    "part above": raw.MatrixDiagPartV2(input=m, k=1, padding_value=np.float64(0)),
    "set": raw.MatrixSetDiagV2(input=m, diagonal=np.ones([2, 3]), k=1),
    "set two": raw.MatrixSetDiagV2(input=m, diagonal=np.ones([2, 2, 3]), k=[0, 1]),
}
results["bands"] = {key: [sess.run(t), str(t.get_shape())] for key, t in bands.items()}

a = array(2, 3, 3)
spd = np.matmul(a, a.transpose([0, 2, 1])) + 2 * np.eye(3)
upper = np.triu(a) + 2 * np.eye(3)
b = array(2, 3, 2)
tall, wide = array(2, 4, 3), array(2, 3, 4)
complex_a = a + 1j * array(2, 3, 3)
hermitian = np.matmul(complex_a, np.conj(complex_a.transpose([0, 2, 1]))) + 2 * np.eye(3)
values = {
    "cholesky": tf.cholesky(spd),
    "cholesky complex": tf.cholesky(hermitian),
    "cholesky_solve": tf.cholesky_solve(tf.cholesky(spd), b),
    "inverse": tf.matrix_inverse(a),
    "inverse adjoint": tf.matrix_inverse(complex_a, adjoint=True),
    "determinant": tf.matrix_determinant(a),
    "slogdet": tf.linalg.slogdet(a),
    "logdet": tf.linalg.logdet(spd),
    "solve": tf.matrix_solve(a, b),
    "solve adjoint": tf.matrix_solve(complex_a, b.astype(np.complex128), adjoint=True),
    "triangular": tf.matrix_triangular_solve(spd, b),
    "triangular upper adjoint": tf.matrix_triangular_solve(upper, b, lower=False, adjoint=True),
    "least squares": tf.matrix_solve_ls(tall, array(2, 4, 2)),
    "least squares wide": tf.matrix_solve_ls(wide, b, l2_regularizer=0.5),
    "least squares slow": tf.matrix_solve_ls(tall, array(2, 4, 2), fast=False),
    "eigenvalues": tf.self_adjoint_eigvals(spd),
    "eigenvalues with vectors": tf.self_adjoint_eig(spd)[0],
    "singular values": tf.svd(wide, compute_uv=False),
    "sqrtm": tf.matrix_square_root(spd),
    "expm": tf.linalg.expm(a),
    "logm": tf.linalg.logm(hermitian),
    "adjoint": tf.linalg.adjoint(complex_a),
    "rank": tf.linalg.matrix_rank(np.ones([2, 3, 3])),
    "pinv": tf.linalg.pinv(tall),
    "float32": tf.matrix_inverse(a.astype(np.float32)),
    "lu": tf.linalg.lu(a),
}
results["linalg"] = {key: sess.run(t) if not isinstance(t, tuple) else list(sess.run(t)) for key, t in values.items()}


def rebuilt(full):
    out = {}
    for name, x in (("tall", tall), ("wide", wide), ("square", a)):
        s, u, v = sess.run(tf.svd(x, full_matrices=full))
        k = s.shape[-1]
        again = np.matmul(u[..., :k] * s[:, None], v[..., :k].transpose([0, 2, 1]))
        q, r = sess.run(tf.qr(x, full_matrices=full))
        good = [bool(np.allclose(again, x)), bool(np.allclose(np.matmul(q, r), x))]
        out[name] = [s, list(u.shape), list(v.shape), list(q.shape), good]
    return out


results["decompositions"] = [rebuilt(False), rebuilt(True)]
e, v = sess.run(tf.self_adjoint_eig(spd))
results["eigenvectors"] = bool(np.allclose(np.matmul(v * e[:, None], v.transpose([0, 2, 1])), spd))
partly = tf.placeholder(tf.float32, [None, 3, 3])
results["shapes"] = [
    str(t.get_shape())
    for t in (
        tf.cholesky(partly),
        tf.matrix_determinant(partly),
        tf.matrix_solve(partly, tf.placeholder(tf.float32, [2, 3, None])),
        tf.svd(tf.placeholder(tf.float32, [None, 2, 3]))[1],
        tf.svd(tf.placeholder(tf.float32, [None, 2, 3]), full_matrices=True)[2],
        tf.qr(tf.placeholder(tf.float32, [5, None, 3]))[1],
        tf.self_adjoint_eig(partly)[0],
        tf.matrix_diag_part(tf.placeholder(tf.float32, [None, 2, None])),
        tf.matrix_band_part(partly, 0, 0),
    )
]
w = array(2, 3, 3)
results["gradients"] = {
    "diag": slope(tf.diag, array(3)),
    "diag_part": slope(tf.diag_part, array(3, 3)),
    "matrix_diag": slope(tf.matrix_diag, array(2, 3)),
    "matrix_diag_part": slope(tf.matrix_diag_part, a),
    "matrix_diag_part wide": slope(tf.matrix_diag_part, wide),
    "matrix_set_diag": slope(tf.matrix_set_diag, wide, array(2, 3)),
    "band": slope(lambda x: tf.matrix_band_part(x, 1, 0), a),
    "inverse": slope(tf.matrix_inverse, a),
    "determinant": slope(tf.matrix_determinant, a),
    "slogdet": slope(lambda x: tf.linalg.slogdet(x)[1], a),
    "cholesky": slope(tf.cholesky, spd),
    "solve": slope(tf.matrix_solve, a, b),
    "solve adjoint": slope(lambda x, y: tf.matrix_solve(x, y, adjoint=True), a, b),
    "triangular": slope(tf.matrix_triangular_solve, spd, b),
    "triangular upper": slope(lambda x, y: tf.matrix_triangular_solve(x, y, lower=False, adjoint=True), upper, b),
    "least squares": slope(tf.matrix_solve_ls, tall, array(2, 4, 2)),
    "least squares wide": slope(lambda x, y: tf.matrix_solve_ls(x, y, l2_regularizer=0.5), wide, b),
    "eigenvalues": slope(tf.self_adjoint_eigvals, spd),
    "singular values": slope(lambda x: tf.svd(x, compute_uv=False), tall),
    "singular vectors": slope(lambda x: [p * p for p in tf.svd(x)], wide),
    "singular vectors tall": slope(lambda x: [p * p for p in tf.svd(x)], tall),
    "qr": slope(lambda x: [p * p for p in tf.qr(x)], tall),
    "eigenvectors": slope(lambda x: [p * p for p in tf.self_adjoint_eig(x)], spd),
    "sqrtm": slope(tf.matrix_square_root, spd),
    "expm": slope(tf.linalg.expm, a),
}


def gradient_of(make, *shapes):
    def build():
        inputs = [tf.placeholder(tf.float32, shape) for shape in shapes]
        tf.gradients(make(*inputs), inputs)

    return build


results["created"] = {
    "eye": names(lambda: tf.eye(3)),
    "eye wide": names(lambda: tf.eye(3, 2, name="i")),
    "eye dynamic": names(lambda: tf.eye(tf.placeholder(tf.int32, []), batch_shape=[2])),
    "diag": names(gradient_of(tf.matrix_diag, [3])),
    "diag_part": names(gradient_of(tf.matrix_diag_part, [None, 3, 4])),
    "set_diag": names(gradient_of(tf.matrix_set_diag, [3, 4], [3])),
    "set_diag open": names(gradient_of(tf.matrix_set_diag, [None, 4], [None])),
    "band": names(gradient_of(lambda x: tf.matrix_band_part(x, -1, 0), [3, 4])),
    "inverse": names(gradient_of(tf.matrix_inverse, [3, 3])),
    "determinant": names(gradient_of(tf.matrix_determinant, [3, 3])),
    "cholesky": names(gradient_of(tf.cholesky, [3, 3])),
    "solve": names(gradient_of(tf.matrix_solve, [3, 3], [3, 1])),
    "triangular": names(gradient_of(tf.matrix_triangular_solve, [3, 3], [3, 1])),
    "logdet": names(lambda: tf.linalg.logdet(tf.eye(2))),
    "lstsq": names(lambda: tf.matrix_solve_ls(tf.ones([3, 2]), tf.ones([3, 1]), 0.1)),
    "svd": names(lambda: tf.svd(tf.ones([3, 2]))),
    "eig": names(gradient_of(lambda x: tf.self_adjoint_eig(x)[0], [3, 3])),
    "pinv": names(lambda: tf.linalg.pinv(tf.ones([3, 2]))),
    "rank": names(lambda: tf.linalg.matrix_rank(tf.ones([3, 2]))),
    "adjoint": names(lambda: tf.linalg.adjoint(tf.ones([3, 2]))),
}
results["errors"] = [
    fails(lambda: tf.cholesky(np.ones([2, 3]))),
    fails(lambda: tf.cholesky(-np.eye(3))),
    fails(lambda: tf.matrix_inverse(np.ones([3, 3]))),
    fails(lambda: tf.matrix_solve(np.zeros([3, 3]), np.ones([3, 1]))),
    fails(lambda: tf.matrix_solve(np.eye(3), np.ones([2, 1]))),
    fails(lambda: tf.matrix_triangular_solve(np.zeros([3, 3]), np.ones([3, 1]))),
    fails(lambda: tf.matrix_inverse(fed), {fed: np.ones([2, 3])}),
    fails(lambda: tf.diag_part(np.ones([3]))),
    fails(lambda: tf.matrix_diag_part(np.ones([3]))),
    fails(lambda: tf.matrix_band_part(np.ones([3, 3]), 4, 0)),
    fails(lambda: tf.matrix_set_diag(np.ones([3, 3]), np.ones([2]))),
    fails(lambda: tf.eye(2.5)),
]
