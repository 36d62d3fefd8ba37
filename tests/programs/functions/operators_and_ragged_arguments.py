"""Functions of tensors that are given linear operators or ragged tensors, and layers made from their settings."""

import numpy as np
import tensorflow as tf

results = {}
linalg = tf.linalg
matrix = linalg.LinearOperatorFullMatrix(
    tf.constant([[4.0, 1.0], [1.0, 3.0]]), is_self_adjoint=True, is_positive_definite=True
)
column = tf.constant([[1.0], [2.0]])
spectrum = linalg.LinearOperatorCirculant(tf.constant([2.0 + 0j, 1.0, 1j]))
ragged = tf.ragged.constant([[1, 2, 3], [], [4, 5]])
yes = tf.placeholder_with_default(True, [])
chosen = tf.cond(yes, lambda: ragged * 2, lambda: ragged)
_, repeated = tf.while_loop(lambda i, _: i < 3, lambda i, rows: (i + 1, rows * 2), [0, ragged])
deep = tf.ragged.constant([[[1, 2], []], [[3]]])

tensors = {
    "matmul": tf.matmul(matrix, column),
    "matmul from the left": tf.matmul(column, matrix, adjoint_a=True),
    "matvec": linalg.matvec(matrix, column[:, 0]),
    "logdet": linalg.logdet(matrix),
    "det": linalg.det(matrix),
    "solve": linalg.solve(matrix, column),
    "diagonal": linalg.diag_part(matrix),
    "trace": tf.trace(matrix),
    "inverse": linalg.inv(matrix, adjoint=True).to_dense(),
    "factor": linalg.cholesky(matrix).to_dense(),
    "adjoint": linalg.adjoint(matrix).to_dense(),
    "both": tf.matmul(matrix, matrix).to_dense(),
    "wide spectrum": spectrum.to_dense(),
    "cond": chosen.to_tensor(),
    "loop": repeated.to_tensor(),
    "row": tf.gather(ragged, 0),
    "rows": tf.gather(deep, 0).to_tensor(),
    "no row": tf.gather(ragged, 1),
    "quotient of floats": tf.truncatediv(tf.constant([5.0, -5.0, 1.0]), 2.0),
    "quotient of integers": tf.truncatediv(tf.constant([5, -5, 1]), 2),
    "computed again": tf.contrib.layers.recompute_grad(lambda x: x * 2.0)(tf.constant([1.0, 2.0])),
}
results["names"] = [type(o).__name__ for o in (linalg.inv(matrix), linalg.cholesky(matrix), tf.matmul(matrix, matrix))]

refused = {
    "transpose": lambda: tf.matmul(matrix, column, transpose_a=True),
    "sparse": lambda: tf.matmul(matrix, column, a_is_sparse=True),
    "solve for an operator": lambda: linalg.solve(column, matrix),
    "logdet of any": lambda: linalg.logdet(linalg.LinearOperatorDiag([1.0, 2.0])),
    "relu": lambda: tf.nn.relu(matrix),
    "zeros": lambda: linalg.LinearOperatorZeros(2).assert_non_singular(),
    "householder": lambda: linalg.LinearOperatorHouseholder([1.0, 0.0]).assert_positive_definite(),
}
for name, function in refused.items():
    try:
        function()
    except (TypeError, ValueError, tf.errors.OpError) as error:
        results["refused: " + name] = type(error).__name__

# A layer and its copy, and the first frame of what may be a GIF file.
layer = tf.layers.Dense(3, tf.nn.relu, kernel_initializer=tf.constant_initializer(0.5), name="wide")
copy = tf.layers.Dense.from_config(layer.get_config())
tensors["layer"] = copy(tf.ones([1, 2]))
results["variables"] = [variable.name for variable in tf.global_variables()]
pixels = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
still = tf.image.decode_image(tf.image.encode_png(pixels), expand_animations=False)
results["still"] = still.shape.as_list()
tensors["still"] = still

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for name, tensor in tensors.items():
        value = sess.run(tensor)
        if np.iscomplexobj(value):
            value = np.stack([value.real, value.imag])
        results[name] = value
    results["cond, the other"] = sess.run(chosen.to_tensor(), {yes: False})
