"""Convolutions by filters of 1x1 through panels of filters: beside products in double precision."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace import native
from headrace.kernels.nn import pointwise
from headrace.native import direct as native_direct

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")


@pytest.fixture
def used(monkeypatch):
    """The numbers of outputs of the convolutions that it computed."""
    found = []
    method = pointwise.PointwiseConvolution.convolve

    def run(*args):
        made = method(*args)
        if made is not None:
            found.append(made.shape[-1])
        return made

    monkeypatch.setattr(pointwise.PointwiseConvolution, "convolve", run)
    return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    shape=st.tuples(st.integers(1, 3), st.integers(1, 7), st.integers(1, 7), st.integers(1, 40)),
    outputs=st.integers(1, 70),
    activation=st.sampled_from(["", "relu", "relu6"]),
    biased=st.booleans(),
    odd=st.sampled_from([0.0, np.nan, np.inf, -np.inf]),
    seed=st.integers(0, 2**16),
)
@pytest.mark.usefixtures("legal_graphs")
def test_products(used, shape, outputs, activation, biased, odd, seed):
    state = np.random.RandomState(seed)
    x, w = state.randn(*shape).astype(np.float32), state.randn(1, 1, shape[3], outputs).astype(np.float32)
    x[0, 0, 0, 0] += np.float32(odd)
    bias = np.linspace(-1, 1, outputs).astype(np.float32)
    del used[:]
    with tf.Graph().as_default(), tf.Session() as session:
        images = tf.placeholder(tf.float32, [None, None, None, shape[3]])
        y = tf.nn.conv2d(images, tf.Variable(w), strides=1, padding="SAME")
        y = tf.nn.bias_add(y, tf.Variable(bias)) if biased else y
        y = getattr(tf.nn, activation)(y) if activation else y
        session.run(tf.global_variables_initializer())
        made = session.run(y, {images: x})
    assert used == [outputs]
    with np.errstate(invalid="ignore"):
        expected = x.astype(np.float64) @ w[0, 0].astype(np.float64) + (bias if biased else 0)
    bounds = {"": (-np.inf, np.inf), "relu": (0, np.inf), "relu6": (0, 6)}[activation]
    np.testing.assert_allclose(made, expected.clip(*bounds), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("outputs", range(1, 41))
def test_every_number_of_outputs(used, outputs):
    """Whole vectors, parts of them, and both: how wide they are the processor decides."""
    state = np.random.RandomState(outputs)
    x, w = state.randn(1, 2, 3, 5).astype(np.float32), state.randn(1, 1, 5, outputs).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        images = tf.placeholder(tf.float32, [None, None, None, 5])
        y = tf.nn.conv2d(images, tf.Variable(w), strides=1, padding="SAME")
        session.run(tf.global_variables_initializer())
        made = session.run(y, {images: x})
    assert used == [outputs]
    np.testing.assert_allclose(made, x @ w[0, 0], rtol=1e-4, atol=1e-5)


def test_threads_change_nothing(used):
    state = np.random.RandomState(0)
    x, w = state.randn(1, 29, 31, 60).astype(np.float32), state.randn(1, 1, 60, 90).astype(np.float32)
    before = torch.get_num_threads()
    made = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            with tf.Graph().as_default(), tf.Session() as session:
                image = tf.placeholder(tf.float32, x.shape)
                made.append(session.run(tf.nn.conv2d(image, w, 1, "VALID"), {image: x}))
    finally:
        torch.set_num_threads(before)
    assert used == [90] * 3
    for other in made[1:]:
        np.testing.assert_array_equal(made[0], other)


def test_branches_of_one_image_are_computed_by_themselves(used):
    state = np.random.RandomState(0)
    x = state.randn(1, 7, 7, 24).astype(np.float32)
    filters = [state.randn(1, 1, 24, outputs).astype(np.float32) for outputs in (5, 33)]
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.placeholder(tf.float32, x.shape)
        made = session.run([tf.nn.relu(tf.nn.conv2d(image, w, 1, "SAME")) for w in filters], {image: x})
    assert sorted(used) == [5, 33]
    for one, w in zip(made, filters, strict=True):
        np.testing.assert_allclose(one, np.maximum(x @ w[0, 0], 0), rtol=1e-4, atol=1e-5)


def test_new_values_of_variables_are_seen():
    x = np.random.RandomState(0).randn(1, 5, 5, 8).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        filters = tf.Variable(tf.ones([1, 1, 8, 3]))
        y, doubled = tf.nn.conv2d(tf.constant(x), filters, 1, "SAME"), filters.assign(tf.fill([1, 1, 8, 3], 2.0))
        session.run(filters.initializer)
        before = session.run(y)
        session.run(doubled)
        np.testing.assert_allclose(session.run(y), 2 * before, rtol=1e-5)


def test_others_are_left_to_torch(used):
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.placeholder(tf.float32, [None, 30, 30, 4])
        w = np.ones([1, 1, 4, 3], np.float32)
        fetches = [tf.nn.conv2d(image, w, 2, "SAME"), tf.nn.conv2d(image, w, 1, [[0, 0], [1, 0], [0, 1], [0, 0]])]
        fetches.append(tf.nn.conv2d(image, np.ones([1, 1, 2, 4], np.float32), 1, "SAME"))
        strided, padded, grouped = session.run(fetches, {image: np.ones([1, 30, 30, 4], np.float32)})
    assert not used
    np.testing.assert_array_equal(strided, np.full([1, 15, 15, 3], 4))
    np.testing.assert_array_equal(padded[:, 1:, :-1], np.full([1, 30, 30, 3], 4))
    np.testing.assert_array_equal(grouped, np.full([1, 30, 30, 4], 2))


def test_only_what_fits_is_written():
    arrange, multiply = (native_direct.direct_call(name) for name in ("panels_of", "multiply_by_panels"))
    rows, matrix, out = torch.zeros(4, 3), torch.zeros(3, 5), torch.ones(4, 5)
    assert arrange(matrix.double()) is None
    assert arrange(torch.zeros(3, 0)) is None
    panels = arrange(matrix)
    for wrong in (torch.ones(3, 5), out.double(), out.t(), torch.ones(4, 500)):
        assert multiply(rows, panels, None, wrong, 0, 1) is None
    assert multiply(torch.zeros(4, 4), panels, None, out, 0, 1) is None
    assert multiply(torch.zeros(0, 3), panels, None, torch.ones(0, 5), 0, 1) is None
    assert multiply(rows, panels, torch.zeros(4), out, 0, 1) is None
    assert multiply(rows, matrix, None, out, 0, 1) is None
    with pytest.raises(ValueError, match="no such activation"):
        multiply(rows, panels, None, out, 3, 1)
    assert out.eq(1).all()
