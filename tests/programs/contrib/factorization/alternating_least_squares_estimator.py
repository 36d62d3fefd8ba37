"""Sweeps of an estimator over rows and columns, its losses, and projections of other rows."""

import numpy as np
import tensorflow as tf

names = tf.contrib.factorization.WALSMatrixFactorization
random = np.random.RandomState(3)
matrix = random.rand(5, 2).dot(random.rand(2, 7)).astype(np.float32)
places = np.array([(i, j) for i in range(5) for j in range(7) if (i + j) % 3])
entries = matrix[places[:, 0], places[:, 1]]
row_start = np.cos(np.arange(10.0)).reshape(5, 2).astype(np.float32)
col_start = np.sin(np.arange(14.0)).reshape(7, 2).astype(np.float32)


def input_fn(project_row=True):
    rows = tf.SparseTensor(tf.constant(places, tf.int64), tf.constant(entries), [5, 7])
    features = {
        names.INPUT_ROWS: rows,
        names.INPUT_COLS: tf.sparse_transpose(rows),
        names.PROJECT_ROW: tf.constant(project_row),
    }
    return features, None


results = {}
for case, settings in {
    "plain": {},
    "three sweeps": {"max_sweeps": 3},
    "no copies": {"use_factors_weights_cache_for_training": False, "use_gramian_cache_for_training": False},
    "no weights": {"row_weights": None, "col_weights": None},
    "shards": {
        "num_row_shards": 2,
        "num_col_shards": 3,
        "row_init": [row_start[:3], row_start[3:]],
        "col_init": [col_start[:3], col_start[3:5], col_start[5:]],
    },
}.items():
    given = {"row_init": row_start, "col_init": col_start, **settings}
    model = names(5, 7, 2, unobserved_weight=0.1, regularization_coeff=0.01, **given)
    model.fit(input_fn=input_fn, steps=5)
    results[case] = {
        "variables": {name: model.get_variable_value(name) for name in sorted(model.get_variable_names())},
        "rows": model.get_row_factors(),
        "columns": model.get_col_factors(),
        "by rows": model.evaluate(input_fn=input_fn, steps=1),
        "projected": list(model.get_projections(input_fn=input_fn)),
        "projected columns": list(model.get_projections(input_fn=lambda: input_fn(False))),
    }
