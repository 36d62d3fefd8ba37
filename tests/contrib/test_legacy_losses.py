"""Loss functions of `contrib.legacy_seq2seq`, as programs before and after 1.0 wrote them."""

import numpy as np
import pytest

import headrace as tf
from headrace.contrib import legacy_seq2seq


def by_name(labels, logits):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def by_position(inputs, targets):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=inputs)


def labels_first(labels, inputs):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=inputs)


def targets_first(target_batch, output_batch):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=target_batch, logits=output_batch)


def by_any_name(**arguments):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(**arguments)


@pytest.mark.parametrize("function", [by_name, by_position, labels_first, targets_first, by_any_name])
def test_losses_are_those_of_the_cross_entropy(function):
    logits = [tf.constant([[1.0, 2.0, 0.5]]), tf.constant([[0.0, 0.0, 3.0]])]
    targets, weights = [tf.constant([1]), tf.constant([0])], [tf.constant([1.0]), tf.constant([0.5])]
    with tf.Session() as sess:
        own = legacy_seq2seq.sequence_loss_by_example(logits, targets, weights, softmax_loss_function=function)
        found = sess.run(own)
    rows = np.array([[1.0, 2.0, 0.5], [0.0, 0.0, 3.0]])
    entropies = np.log(np.exp(rows).sum(1)) - rows[[0, 1], [1, 0]]
    np.testing.assert_allclose(found, [(entropies[0] + 0.5 * entropies[1]) / 1.5], rtol=1e-5)
