"""The native loss of connectionist temporal classification against that of Python, and against sums over all paths."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import headrace as tf
from headrace import native
from headrace.kernels.nn.ctc_paths import losses
from headrace.native.program import Builder, RegionFailure
from headrace.plan.native_regions import regions_from
from headrace.plan.pipeline import without

pytestmark = pytest.mark.skipif(not native.available(), reason="there is no native runner")

COLLAPSE, MERGE, IGNORE = 1, 2, 4


def computed(logits, labels, lengths, options=MERGE):
    """Loss and gradient by the runner; None where it leaves them to others."""
    where = [(row, k) for row, found in enumerate(labels) for k in range(len(found))]
    given = (
        np.asarray(logits),
        np.array(where, np.int64).reshape(-1, 2),
        np.array(list(itertools.chain(*labels)), np.int32),
        np.array(lengths, np.int32),
    )
    b = Builder()
    inputs = [b.input(value.dtype.name, (None,) * value.ndim) for value in given]
    return b.build(b.apply("ctc_loss", inputs, [options])).run(given, ())


def likelihood(logits, labels, merges):
    """The sum over all paths: Graves et al., ICML 2006, equation 3."""
    times, classes = logits.shape
    probabilities = np.exp(logits - logits.max(1, keepdims=True))
    probabilities /= probabilities.sum(1, keepdims=True)
    total = 0.0
    for path in itertools.product(range(classes), repeat=times):
        kept = [label for label, _ in itertools.groupby(path)] if merges else path
        if [label for label in kept if label < classes - 1] == list(labels):
            total += np.prod([probabilities[t, label] for t, label in enumerate(path)])
    return total


@pytest.mark.parametrize("merges", [True, False])
@pytest.mark.parametrize("labels", [[0], [1, 1], [0, 1, 0], [2, 2, 2], [0, 1, 2, 0, 1]])
def test_sums_over_all_paths(labels, merges):
    logits = np.random.default_rng(len(labels)).normal(size=(5, 1, 4))
    loss, _ = computed(logits, [labels], [5], MERGE * merges)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(loss[0], -np.log(likelihood(logits[:, 0], labels, merges)), rtol=1e-12)


@pytest.mark.parametrize("merges", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients_and_lengths(dtype, merges):
    random = np.random.default_rng(3)
    logits = (random.normal(size=(17, 4, 6)) * 4).astype(dtype)
    labels = [[0, 0, 1], [4, 3, 2, 1, 0, 0], [2], [1, 1, 1, 1, 1]]
    lengths = [17, 12, 1, 9]
    loss, gradient = computed(logits, labels, lengths, MERGE * merges)
    scores = torch.log_softmax(torch.from_numpy(logits), 2)
    expected, slopes = losses(scores, labels, lengths, merges)
    tolerance = 2e-4 if dtype == "float32" else 1e-9
    np.testing.assert_allclose(loss, expected, rtol=tolerance)
    np.testing.assert_allclose(gradient, slopes, rtol=tolerance, atol=tolerance)
    assert not gradient[12:, 1].any()


def test_unlikely_sequences_are_not_impossible():
    logits = np.zeros((400, 1, 3), np.float32)
    logits[:, 0, 2] = 60.0
    loss, gradient = computed(logits, [[0, 1] * 60], [400])
    expected, slopes = losses(torch.log_softmax(torch.from_numpy(logits).double(), 2), [[0, 1] * 60], [400], True)
    assert loss[0] > 6000
    np.testing.assert_allclose(loss, expected, rtol=1e-6)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-4, atol=1e-5)


def test_no_path_fits():
    logits = np.random.default_rng(0).normal(size=(3, 2, 4))
    loss, gradient = computed(logits, [[1, 1, 1], [0]], [3, 2])
    assert loss[0] == np.inf
    assert np.isfinite(loss[1])
    np.testing.assert_allclose(gradient[:, 0], np.exp(logits[:, 0]) / np.exp(logits[:, 0]).sum(1, keepdims=True))


def test_what_does_not_count_gives_nothing():
    logits = np.ones((3, 3, 4), np.float32)
    loss, gradient = computed(logits, [[1, 2, 1, 2], [0], [1, 1, 1, 1]], [3, 0, 3], IGNORE | MERGE)
    assert not loss.any()
    assert not gradient.any()
    assert computed(logits, [[1, 2, 1, 2], [0], [1, 1, 1, 1]], [3, 1, 3], IGNORE | MERGE | COLLAPSE)[0][2] > 0


@pytest.mark.parametrize(
    ("labels", "lengths"),
    [([[1, 2]], [1]), ([[1]], [5]), ([[1]], [-1]), ([[-1]], [3]), ([[3, 1]], [3]), ([[]], [3])],
)
def test_what_is_refused(labels, lengths):
    with pytest.raises(RegionFailure):
        computed(np.zeros((4, 1, 4), np.float32), labels, lengths)


def test_a_recognizer_is_one_region():
    def make():
        frames, ends = tf.placeholder(tf.float32, [2, 9, 3]), tf.placeholder(tf.int32, [2])
        heard, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(5), frames, ends, dtype=tf.float32)
        scores = tf.transpose(tf.layers.dense(heard, 4), [1, 0, 2])
        labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 1, 2]), [2, 2])
        cost = tf.reduce_mean(tf.nn.ctc_loss(labels, scores, ends))
        return [tf.train.GradientDescentOptimizer(0.1).minimize(cost), cost], [frames, ends]

    feed = [np.random.default_rng(5).normal(size=(2, 9, 3)), [9, 6]]
    found = []
    for plain in (False, True):
        with tf.Graph().as_default(), tf.Session() as session, regions_from(1):
            tf.set_random_seed(3)
            fetches, inputs = make()
            session.run(tf.global_variables_initializer())
            given = dict(zip(inputs, feed, strict=True))
            if plain:
                with without("native regions"):
                    found.append([session.run(fetches, given)[1] for _ in range(3)])
            else:
                found.append([session.run(fetches, given)[1] for _ in range(3)])
                assert "while True" not in session.plan_for(fetches, inputs).source
                with pytest.raises(tf.errors.InvalidArgumentError, match="Not enough time"):
                    session.run(fetches, {inputs[0]: feed[0], inputs[1]: [1, 1]})
    np.testing.assert_allclose(*found, rtol=1e-5)
    assert found[0][2] < found[0][0]
