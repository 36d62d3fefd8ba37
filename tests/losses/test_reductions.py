"""Losses against their formulas in NumPy: weights that broadcast, ways of reducing, and the collection of losses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf

PREDICTIONS = np.random.RandomState(5).uniform(0.1, 0.9, (4, 3))
LABELS = np.random.RandomState(6).randint(0, 2, (4, 3)).astype(float)

# Each element's loss before weights, as the literature writes it.
ELEMENTWISE = {
    "absolute_difference": lambda y, p: np.abs(p - y),
    "mean_squared_error": lambda y, p: (p - y) ** 2,
    "log_loss": lambda y, p: -y * np.log(p + 1e-7) - (1 - y) * np.log(1 - p + 1e-7),
    "hinge_loss": lambda y, p: np.maximum(0, 1 - (2 * y - 1) * p),
    "huber_loss": lambda y, p: np.where(np.abs(p - y) <= 1, (p - y) ** 2 / 2, np.abs(p - y) - 0.5),
    "sigmoid_cross_entropy": lambda y, p: np.log1p(np.exp(-p)) + (1 - y) * p,
}
WEIGHTS = st.one_of(
    st.floats(0.5, 3.0).map(np.float64),
    st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=4, max_size=4).map(lambda w: np.array(w)[:, None]),
    st.lists(st.sampled_from([0.0, 1.0, 3.0]), min_size=12, max_size=12).map(lambda w: np.reshape(w, (4, 3))),
)
REDUCED = {
    "sum": lambda losses, weights: losses.sum(),
    "weighted_mean": lambda losses, weights: losses.sum() / weights.sum() if weights.sum() else 0.0,
    "weighted_sum_over_batch_size": lambda losses, weights: losses.sum() / losses.size,
    "weighted_sum_by_nonzero_weights": lambda losses, weights: losses.sum() / max((weights != 0).sum(), 1),
}


def value_of(name, weights, reduction):
    loss = getattr(tf.losses, name)(LABELS, PREDICTIONS, weights=weights, reduction=reduction)
    with tf.Session() as session:
        return session.run(loss)


@pytest.mark.parametrize("name", ELEMENTWISE)
@settings(max_examples=12, deadline=None)
@given(weights=WEIGHTS, kind=st.sampled_from(sorted(REDUCED)))
def test_a_loss_is_its_formula_weighted_and_reduced(name, weights, kind):
    spread = np.broadcast_to(weights, LABELS.shape)
    expected = REDUCED[kind](ELEMENTWISE[name](LABELS, PREDICTIONS) * spread, spread)
    with tf.Graph().as_default():
        reduction = {"sum": "weighted_sum", "weighted_mean": "weighted_mean"}.get(kind, kind)
        np.testing.assert_allclose(value_of(name, weights, reduction), expected, rtol=1e-5)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_unreduced_losses_have_an_element_each(name):
    got = value_of(name, 1.0, tf.losses.Reduction.NONE)
    np.testing.assert_allclose(got, ELEMENTWISE[name](LABELS, PREDICTIONS), rtol=1e-5)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), smoothing=st.floats(0.0, 0.5))
def test_softmax_cross_entropy_is_that_of_smoothed_labels(seed, smoothing):
    random = np.random.RandomState(seed)
    logits, labels = random.normal(size=(5, 4)), np.eye(4)[random.randint(0, 4, 5)]
    log_softmax = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    smoothed = labels * (1 - smoothing) + smoothing / 4
    with tf.Graph().as_default(), tf.Session() as session:
        loss = tf.losses.softmax_cross_entropy(labels, logits, label_smoothing=smoothing)
        np.testing.assert_allclose(session.run(loss), -(smoothed * log_softmax).sum(1).mean(), rtol=1e-5)


def test_losses_are_collected_and_added_up_with_those_of_regularizers():
    tf.losses.mean_squared_error([1.0], [3.0])
    tf.losses.absolute_difference([1.0], [3.0], loss_collection="apart")
    tf.losses.add_loss(tf.constant(0.5))
    tf.get_variable("w", [2], initializer=tf.ones_initializer(), regularizer=tf.nn.l2_loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(tf.losses.get_total_loss()) == 4.0 + 0.5 + 1.0
        assert session.run(tf.losses.get_total_loss(add_regularization_losses=False)) == 4.5
        assert session.run(tf.get_collection("apart")) == [2.0]


def test_weights_that_do_not_broadcast_are_refused():
    with pytest.raises(ValueError, match="weights can not be broadcast to values"):
        tf.losses.mean_squared_error(LABELS, PREDICTIONS, weights=np.ones((4, 2)))
