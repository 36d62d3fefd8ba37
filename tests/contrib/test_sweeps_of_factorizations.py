"""The sweeps of `WALSMatrixFactorization`: over rows and columns in turns, and what they tell."""

import numpy as np
import pytest

import headrace as tf

Factorization = tf.contrib.factorization.WALSMatrixFactorization
RATINGS = np.float32([[1, 0, 2], [0, 3, 1], [4, 1, 0], [2, 2, 2]])


def _sparse(ratings):
    places = np.argwhere(ratings)
    return tf.SparseTensor(places.astype(np.int64), ratings[ratings != 0], ratings.shape)


def _examples():
    features = {
        Factorization.INPUT_ROWS: _sparse(RATINGS),
        Factorization.INPUT_COLS: _sparse(RATINGS.T),
        Factorization.PROJECT_ROW: tf.constant(True),
    }
    return features, None


@pytest.mark.parametrize("cached", [True, False])
def test_rows_and_columns_are_swept_in_turns(tmp_path, caplog, cached):
    estimator = Factorization(
        *RATINGS.shape,
        2,
        unobserved_weight=0.1,
        regularization_coeff=0.05,
        row_init=[np.ones((4, 2), np.float32)],
        col_init=[np.linspace(0.0, 1.0, 6, dtype=np.float32).reshape(3, 2)],
        max_sweeps=3,
        model_dir=str(tmp_path),
        use_factors_weights_cache_for_training=cached,
        use_gramian_cache_for_training=cached,
    )
    before = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.INFO)
    try:
        estimator.fit(input_fn=_examples, steps=9)
    finally:
        tf.logging.set_verbosity(before)
    told = [record.getMessage() for record in caplog.records]
    sweeps = [text for text in told if text.startswith(("SweepHook", "Next fit"))]
    step, sweep = "Next fit step starting.", "SweepHook starting the next sweep."
    rows, columns = (f"SweepHook running prep ops for the {which} sweep." for which in ("row", "col"))
    expected = ["SweepHook running init op.", rows, step, sweep, columns, step, sweep, rows, step]
    assert sweeps == expected
    # Each sweep solves a least-squares problem for its side: the rows are what the columns make the best.
    (row_factors,), (columns_found,) = estimator.get_row_factors(), estimator.get_col_factors()
    weights = np.where(RATINGS != 0, 1.1, 0.1)
    for row, weight, factors in zip(RATINGS, weights, row_factors):
        gramian = (columns_found.T * weight) @ columns_found + 0.05 * np.eye(2)
        np.testing.assert_allclose(factors, np.linalg.solve(gramian, (columns_found.T * weight) @ row), rtol=1e-3)
