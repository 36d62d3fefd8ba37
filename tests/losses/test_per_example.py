"""Losses of examples and their weights."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.losses import per_example


def test_weights_get_the_rank_of_the_losses() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        losses = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        weighted = per_example.scale_losses_by_sample_weight(losses, tf.constant([2, 3]))
        np.testing.assert_array_equal(session.run(weighted), [[2.0, 4.0], [9.0, 12.0]])
        with pytest.raises(ValueError, match="can not be broadcast"):
            per_example.scale_losses_by_sample_weight(tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]))


def test_weights_fit_the_predictions_that_were_given() -> None:
    with tf.Graph().as_default():
        predictions, labels, weights = per_example.squeeze_or_expand_dimensions(
            tf.zeros([2, 1]), tf.zeros([2]), tf.zeros([2, 1])
        )
        assert (predictions.shape.as_list(), labels.shape.as_list(), weights.shape.as_list()) == ([2], [2], [2, 1])
        predictions, labels, weights = per_example.squeeze_or_expand_dimensions(tf.zeros([2, 3]), None, tf.zeros([2]))
        assert labels is None
        assert weights.shape.as_list() == [2, 1]


def test_a_scalar_is_no_loss_of_examples() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(ValueError, match="at least rank 1"):
            per_example.check_per_example_loss_rank(tf.constant(1.0))
        fed = tf.placeholder(tf.float32)
        with per_example.check_per_example_loss_rank(fed):
            doubled = fed * 2.0
        assert session.run(doubled, {fed: [1.0]}) == [2.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="at least rank 1"):
            session.run(doubled, {fed: 1.0})
