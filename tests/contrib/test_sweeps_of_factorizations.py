"""The sweeps of `WALSMatrixFactorization`: over rows and columns in turns, and what they tell."""

import numpy as np
import pytest

import headrace as tf
from headrace.contrib.factorization import wals_estimator

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


def _note(log, text):
    return tf.assign(log, tf.strings.join([log, text]))


def test_hooks_run_what_they_are_given():
    log = tf.Variable("", name="log")
    rows, done, swept = tf.Variable(True), tf.Variable(False), tf.Variable(0, name="completed_sweeps")
    ended = tf.assign(done, True)
    hook = wals_estimator._SweepHook(
        is_row_sweep_var=rows,
        is_sweep_done_var=done,
        init_op=_note(log, "i"),
        row_prep_ops=[_note(log, "1"), _note(log, "2")],
        col_prep_ops=[_note(log, "3")],
        row_train_op=tf.group(_note(log, "R"), ended),
        col_train_op=tf.group(_note(log, "C"), ended),
        switch_op=tf.group(_note(log, "s"), tf.assign(rows, tf.logical_not(rows)), tf.assign(done, False)),
    )
    stop = wals_estimator._StopAtSweepHook(last_sweep=3)
    step = tf.assign_add(swept, 1)
    count = 0
    with tf.train.MonitoredSession(hooks=[hook, stop]) as session:
        while not session.should_stop():
            told = session.run([step, log])[1]
            count += 1
    assert count == 3
    assert told.decode().startswith("i12Rs3Cs12")


def test_sweeps_must_be_counted_to_stop_after_some():
    with pytest.raises(RuntimeError, match="completed_sweeps counter should be created"):
        wals_estimator._StopAtSweepHook(3).begin()
