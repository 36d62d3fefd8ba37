"""Weighted alternating least squares: sweeps, shards, projections, losses; products of which some entries are wanted."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import factorization
from tensorflow.contrib.factorization.python.ops import gen_factorization_ops

results = {}
random = np.random.RandomState(1)
rows, cols, width = 7, 5, 2
dense = random.rand(rows, cols).astype(np.float32) * (random.rand(rows, cols) < 0.6)
places = np.argwhere(dense)
left, right = random.randn(rows, width).astype(np.float32), random.randn(cols, width).astype(np.float32)


def sparse(select=None, transposed=False):
    keep = places if select is None else places[np.isin(places[:, 0], select)]
    values = dense[keep[:, 0], keep[:, 1]]
    if transposed:
        order = np.lexsort((keep[:, 0], keep[:, 1]))
        return tf.SparseTensor(keep[order][:, ::-1], values[order], [cols, rows])
    return tf.SparseTensor(keep, values, [rows, cols])


def run(name, **arguments):
    transposed = arguments.pop("transposed", False)
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        model = factorization.WALSModel(rows, cols, width, row_init=left, col_init=right, **arguments)
        row_update = model.update_row_factors(sp_input=sparse(transposed=transposed), transpose_input=transposed)
        col_update = model.update_col_factors(sp_input=sparse(transposed=transposed), transpose_input=transposed)
        some = model.project_row_factors(sp_input=sparse([1, 4]), projection_weights=[0.5, 0.2])
        others = model.project_col_factors(sp_input=sparse(transposed=True), transpose_input=True)
        sess.run(model.initialize_op)
        sess.run(model.worker_init)
        found = []
        for _ in range(2):
            sess.run(model.row_update_prep_gramian_op)
            sess.run(model.initialize_row_update_op)
            found.append(sess.run([row_update[0]] + list(row_update[2:])))
            sess.run(row_update[1])
            found.append(sess.run(some))
            sess.run(model.col_update_prep_gramian_op)
            sess.run(model.initialize_col_update_op)
            found.append(sess.run([col_update[0]] + list(col_update[2:])))
            found.append(sess.run(others))
            sess.run(col_update[1])
        results[name] = {
            "found": found,
            "factors": sess.run([model.row_factors, model.col_factors]),
            "globals": [[v.op.name, str(v.shape)] for v in tf.global_variables()],
            "locals": [[v.op.name, str(v.shape)] for v in tf.local_variables()],
            "ops": [op.name for op in (row_update[1], col_update[1], model.worker_init)],
            "types": [
                # The square of a sparse tensor takes two names in TensorFlow.
                [op.name if op.type != "Square" else "", op.type]
                for op in graph.get_operations()
            ][-60:],
        }


run("plain")
run("regularized", regularization=0.2, unobserved_weight=0.3, transposed=True)
run("weighted", row_weights=np.linspace(0.5, 2, rows).tolist(), col_weights=0.7, use_scoped_vars=True)
run("unweighted", row_weights=None, col_weights=None, regularization=0.1)
run("uncached", use_factors_weights_cache=False, use_gramian_cache=False)
left = [left[:4], left[4:]]
right = [right[:3], right[3:]]
run("sharded", num_row_shards=2, num_col_shards=2, row_weights=[[1.0] * 4, [0.5] * 3])
left = None
try:
    factorization.WALSModel(rows, cols, width, row_weights=-1)
except ValueError as error:
    results["error_weights"] = type(error).__name__

with tf.Session() as sess:
    a, b = random.randn(4, 3).astype(np.float32), random.randn(3, 5).astype(np.float32)
    mask = [[0, 1], [3, 4], [2, 0], [0, 1]]
    results["masked"] = [
        sess.run(gen_factorization_ops.masked_matmul(x, y, mask, s, t))
        for x, y, s, t in [(a, b, False, False), (a.T, b, True, False), (a, b.T, False, True), (a.T, b.T, True, True)]
    ]
    compute = gen_factorization_ops.wals_compute_partial_lhs_and_rhs
    for name, build in [
        ("matrix", lambda: gen_factorization_ops.masked_matmul(a[0], b, mask, False, False)),
        ("fit", lambda: gen_factorization_ops.masked_matmul(a, b, mask, False, True)),
        ("mask", lambda: gen_factorization_ops.masked_matmul(a, b, [[0], [1]], False, False)),
        ("both", lambda: compute(a, np.ones(4), 0.1, np.ones(2), [[0, 1]], [1.0], [0.5], 2, False)),
    ]:
        try:
            sess.run(build())
        except tf.errors.OpError as error:
            results["error_" + name] = [type(error).__name__, str(error).split("\n")[0].split(" (op")[0]]
    results["sides"] = [
        list(
            sess.run(compute(a, np.ones(4), 0.1, [0.5, 2.0], [[0, 1], [1, 2], [0, 3]], [1.0, 2.0, 3.0], [], 2, False))
        ),
        list(sess.run(compute(a, np.ones(4), 0.1, [0.5, 2.0], [[1, 0], [2, 1], [3, 0]], [1.0, 2.0, 3.0], [], 2, True))),
    ]
