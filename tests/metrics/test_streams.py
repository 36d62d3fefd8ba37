"""Streaming metrics: after any division into batches they are what NumPy and scikit-learn say of all values at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

import headrace as tf

RANDOM = np.random.RandomState(11)
LABELS = RANDOM.randint(0, 2, 40)
SCORES = np.clip(LABELS * 0.3 + RANDOM.uniform(0, 0.7, 40), 0.01, 0.99)
GUESSES = (SCORES > 0.5).astype(int)
CUTS = st.lists(st.integers(1, 39), unique=True, max_size=4).map(sorted)

BINARY = {
    "accuracy": sklearn_metrics.accuracy_score,
    "precision": sklearn_metrics.precision_score,
    "recall": sklearn_metrics.recall_score,
    "true_positives": lambda y, p: np.sum((y == 1) & (p == 1)),
    "false_positives": lambda y, p: np.sum((y == 0) & (p == 1)),
    "true_negatives": lambda y, p: np.sum((y == 0) & (p == 0)),
    "false_negatives": lambda y, p: np.sum((y == 1) & (p == 0)),
    "mean_absolute_error": lambda y, p: np.abs(y - p).mean(),
    "root_mean_squared_error": lambda y, p: np.sqrt(((y - p) ** 2).mean()),
}


def streamed(make, *columns, cuts):
    """The metric's value after the batches that `cuts` makes of the columns, and what the last update returned."""
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(column.dtype, [None, *column.shape[1:]]) for column in columns]
        value, update = make(*fed)
        session.run(tf.local_variables_initializer())
        for batch in zip(*(np.split(column, cuts) for column in columns), strict=True):
            last = session.run(update, dict(zip(fed, batch, strict=True)))
        return session.run(value), last


@pytest.mark.parametrize("name", BINARY)
@settings(max_examples=8, deadline=None)
@given(cuts=CUTS)
def test_batches_make_no_difference(name, cuts):
    labels, guesses = (LABELS, GUESSES) if "error" not in name else (LABELS.astype(float), SCORES)
    value, last = streamed(getattr(tf.metrics, name), labels, guesses, cuts=cuts)
    np.testing.assert_allclose(value, BINARY[name](labels, guesses), rtol=1e-5)
    np.testing.assert_allclose(last, value, rtol=1e-6)


@settings(max_examples=15, deadline=None)
@given(cuts=CUTS, seed=st.integers(0, 100))
def test_a_weighted_mean_is_numpys(cuts, seed):
    values, weights = np.random.RandomState(seed).uniform(0, 2, (2, 40))
    value, _ = streamed(tf.metrics.mean, values, weights, cuts=cuts)
    np.testing.assert_allclose(value, np.average(values, weights=weights), rtol=1e-5)


def test_areas_are_those_of_sklearn_as_far_as_thresholds_tell():
    for curve, exact in (
        ("ROC", sklearn_metrics.roc_auc_score(LABELS, SCORES)),
        ("PR", sklearn_metrics.average_precision_score(LABELS, SCORES)),
    ):
        value, _ = streamed(
            lambda y, p, curve=curve: (
                tf.metrics.auc(y, p, 2000, curve=curve, summation_method="careful_interpolation")
                if curve == "PR"
                else tf.metrics.auc(y, p, 2000)
            ),
            LABELS,
            SCORES,
            cuts=[13, 20],
        )
        assert abs(value - exact) < 0.02, curve


@settings(max_examples=10, deadline=None)
@given(cuts=CUTS, classes=st.integers(2, 5))
def test_mean_intersection_over_union_is_that_of_the_confusion_matrix(cuts, classes):
    random = np.random.RandomState(classes)
    labels, guesses = random.randint(0, classes, (2, 40))
    value, confusion = streamed(lambda y, p: tf.metrics.mean_iou(y, p, classes), labels, guesses, cuts=cuts)
    matrix = sklearn_metrics.confusion_matrix(labels, guesses, labels=range(classes))
    np.testing.assert_array_equal(confusion, matrix)
    unions = matrix.sum(0) + matrix.sum(1) - np.diag(matrix)
    np.testing.assert_allclose(value, (np.diag(matrix)[unions > 0] / unions[unions > 0]).mean(), rtol=1e-5)


def test_metrics_start_anew_with_their_local_variables():
    value, update = tf.metrics.mean(tf.constant([1.0, 3.0]))
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert session.run(value) == 0.0
        session.run([update, update])
        assert session.run(value) == 2.0
        session.run(tf.local_variables_initializer())
        assert session.run(value) == 0.0
    assert tf.get_collection(tf.GraphKeys.METRIC_VARIABLES) == tf.local_variables()


@pytest.mark.parametrize(
    ("kind", "counts"),
    [
        ("true_positives", [2, 1]),
        ("false_negatives", [0, 1]),
        ("false_positives", [2, 0]),
        ("true_negatives", [0, 2]),
    ],
)
def test_counts_at_thresholds_take_rows_that_are_no_tensors(kind, counts):
    make = getattr(tf.contrib.metrics, f"streaming_{kind}_at_thresholds")
    with tf.Graph().as_default(), tf.Session() as session:
        _, update = make(predictions=(0.9, 0.3, 0.2, 0.4), labels=(True, True, False, False), thresholds=[0.1, 0.5])
        session.run(tf.local_variables_initializer())
        np.testing.assert_array_equal(session.run(update), counts)
