"""Functions that are made of several ops, against NumPy over drawn shapes and values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

import headrace as tf

drawn = settings(max_examples=25, deadline=None)
FLOATS = st.floats(-5, 5, allow_subnormal=False)
MATRICES = st_numpy.arrays(np.float64, st_numpy.array_shapes(min_dims=2, max_dims=2, max_side=5), elements=FLOATS)


def run(build):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


@drawn
@given(x=MATRICES)
def test_moments_and_norms(x):
    mean, variance = run(lambda: tf.nn.moments(tf.constant(x), [0]))
    np.testing.assert_allclose(mean, x.mean(0), atol=1e-12)
    np.testing.assert_allclose(variance, x.var(0), atol=1e-10)
    for order in (1, 2, np.inf, "fro"):
        got = run(lambda order=order: tf.norm(tf.constant(x), order, axis=(0, 1)))
        np.testing.assert_allclose(got, np.linalg.norm(x, 2 if order == 2 else order), atol=1e-8)


@drawn
@given(x=MATRICES, limit=st.floats(0.1, 4.0))
def test_clipping_by_a_common_norm_keeps_directions_and_bounds_lengths(x, limit):
    y = x[:1] * 2 + 1
    (one, other), norm = run(lambda: tf.clip_by_global_norm([tf.constant(x), tf.constant(y)], limit))
    length = np.sqrt((x**2).sum() + (y**2).sum())
    np.testing.assert_allclose(norm, length)
    factor = min(1, limit / length)
    np.testing.assert_allclose(one, x * factor, atol=1e-12)
    np.testing.assert_allclose(other, y * factor, atol=1e-12)


@drawn
@given(lengths=st.lists(st.integers(0, 6), min_size=1, max_size=5), maxlen=st.none() | st.integers(6, 8))
def test_sequence_masks_count(lengths, maxlen):
    mask = run(lambda: tf.sequence_mask(lengths, maxlen))
    assert mask.shape == (len(lengths), max(lengths) if maxlen is None else maxlen)
    assert mask.sum(1).tolist() == lengths
    assert (np.sort(mask, 1)[:, ::-1] == mask).all()


@drawn
@given(x=MATRICES, data=st.data())
def test_masks_and_selections_are_numpys(x, data):
    mask = data.draw(st_numpy.arrays(bool, x.shape[0]))
    np.testing.assert_array_equal(run(lambda: tf.boolean_mask(x, mask)), x[mask])
    rows = data.draw(st.lists(st.integers(0, x.shape[0] - 1), min_size=1, max_size=5))
    np.testing.assert_array_equal(run(lambda: tf.gather(x, rows)), x[rows])
    condition = x > 0
    np.testing.assert_array_equal(run(lambda: tf.where(condition, x, -x)), np.abs(x))


@drawn
@given(labels=st.lists(st.integers(0, 3), min_size=1, max_size=12), seed=st.integers(0, 99))
def test_confusions_are_counted(labels, seed):
    guesses = np.random.RandomState(seed).randint(0, 4, len(labels))
    expected = np.zeros((4, 4), int)
    np.add.at(expected, (labels, guesses), 1)
    np.testing.assert_array_equal(run(lambda: tf.confusion_matrix(labels, guesses, 4)), expected)


@drawn
@given(x=MATRICES, axis=st.sampled_from([0, 1, -1]))
def test_logarithms_of_sums_of_exponentials_neither_overflow_nor_lose(x, axis):
    shifted = x + 700
    got = run(lambda: tf.reduce_logsumexp(tf.constant(shifted), axis))
    np.testing.assert_allclose(got, 700 + np.log(np.exp(x).sum(axis)), rtol=1e-12)


@drawn
@given(x=MATRICES, direction=st.sampled_from(["ASCENDING", "DESCENDING"]))
def test_sorting_is_numpys_and_arranges_by_its_own_places(x, direction):
    order = run(lambda: [tf.sort(x, direction=direction), tf.argsort(x, direction=direction, stable=True)])
    expected = np.sort(x, -1)
    np.testing.assert_array_equal(order[0], expected if direction == "ASCENDING" else expected[:, ::-1])
    np.testing.assert_array_equal(np.take_along_axis(x, order[1], -1), order[0])


@drawn
@given(frames=st.integers(1, 5), step=st.integers(1, 6), overlap=st.integers(1, 3), seed=st.integers(0, 99))
def test_frames_that_are_added_again_hold_each_sample_as_often_as_they_cover_it(frames, step, overlap, seed):
    length = step * overlap
    signal = np.random.RandomState(seed).normal(size=(frames - 1) * step + length)
    cover = np.zeros_like(signal)
    for i in range(frames):
        cover[i * step : i * step + length] += 1
    got = run(lambda: tf.signal.overlap_and_add(tf.signal.frame(tf.constant(signal), length, step), step))
    np.testing.assert_allclose(got, signal * cover)


@pytest.mark.parametrize("equation", ["ij,jk->ik", "bij,bjk->bik", "ij,ij->", "i,j->ij"])
def test_einsum_is_numpys(equation):
    sizes = dict(zip("bijk", (2, 3, 4, 5), strict=True))
    operands = [
        np.random.RandomState(i).normal(size=[sizes[letter] for letter in part])
        for i, part in enumerate(equation.split("->")[0].split(","))
    ]
    got = run(lambda: tf.einsum(equation, *map(tf.constant, operands)))
    np.testing.assert_allclose(got, np.einsum(equation, *operands), atol=1e-12)
