"""Convolutions of few windows as products of matrices: beside sums in double precision as they are written."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace import native
from headrace.kernels.nn import window_products
from headrace.native.direct import direct_call
from headrace.plan.pipeline import without

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")


@pytest.fixture
def used(monkeypatch):
    """The names of the methods that computed something."""
    names = []
    for name in ("convolve", "correlate", "scatter"):
        method = getattr(window_products.WindowProducts, name)

        def run(*args, name=name, method=method):
            made = method(*args)
            if made is not None:
                names.append(name)
            return made

        monkeypatch.setattr(window_products.WindowProducts, name, run)
    return names


def pads_of(padding, sizes, windows, strides):
    """The zeros before and after height and width."""
    if padding == "VALID":
        return [(0, 0), (0, 0)]
    if padding != "SAME":
        return padding[1:3]
    spare = [
        max((-(-size // step) - 1) * step + span - size, 0)
        for size, span, step in zip(sizes, windows, strides, strict=True)
    ]
    return [(total // 2, total - total // 2) for total in spare]


def plainly(x, w, pads, strides, above=None):
    """The sums in double precision; the gradients of their products with `above` where it is given."""
    x, w = x.astype(np.float64), w.astype(np.float64)
    padded = np.pad(x, [(0, 0), *pads, (0, 0)])
    rows, columns = w.shape[:2]
    down, across = (
        (size - span) // step + 1 for size, span, step in zip(padded.shape[1:3], w.shape[:2], strides, strict=True)
    )
    result = np.zeros((x.shape[0], down, across, w.shape[3]))
    of_image, of_filters = np.zeros_like(padded), np.zeros_like(w)
    for i in range(rows):
        for j in range(columns):
            reach = (
                slice(None),
                slice(i, i + (down - 1) * strides[0] + 1, strides[0]),
                slice(j, j + (across - 1) * strides[1] + 1, strides[1]),
            )
            result += np.einsum("bhwc,co->bhwo", padded[reach], w[i, j])
            if above is not None:
                of_image[reach] += np.einsum("bhwo,co->bhwc", above, w[i, j])
                of_filters[i, j] = np.einsum("bhwc,bhwo->co", padded[reach], above)
    (top, _), (left, _) = pads
    return result, of_image[:, top : top + x.shape[1], left : left + x.shape[2]], of_filters


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    shape=st.tuples(st.integers(1, 3), st.integers(1, 9), st.integers(1, 9), st.integers(1, 5)),
    window=st.tuples(st.integers(1, 5), st.integers(1, 5), st.integers(1, 6)),
    strides=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    padding=st.sampled_from(["SAME", "VALID", [[0, 0], [0, 2], [3, 0], [0, 0]]]),
    known=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_convolutions_and_their_gradients(shape, window, strides, padding, known, seed):
    pads = pads_of(padding, shape[1:3], window[:2], strides)
    assume(all(size + sum(pair) >= span for size, pair, span in zip(shape[1:3], pads, window[:2], strict=True)))
    state = np.random.RandomState(seed)
    x = state.randn(*shape).astype(np.float32)
    w = state.randn(*window[:2], shape[3], window[2]).astype(np.float32)
    with without("native regions"), tf.Graph().as_default(), tf.Session() as session:
        images = tf.placeholder(tf.float32, shape if known else [None, None, None, shape[3]])
        filters = tf.placeholder(tf.float32, w.shape)
        y = tf.nn.conv2d(images, filters, [1, *strides, 1], padding)
        result, _, _ = plainly(x, w, pads, strides)
        given_above = state.randn(*result.shape).astype(np.float32)
        fetches = [y, *tf.gradients(y, [images, filters], tf.constant(given_above))]
        made = session.run(fetches, {images: x, filters: w})
    expected = plainly(x, w, pads, strides, given_above)
    for one, other in zip(made, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("activation", ["", "relu", "relu6"])
@pytest.mark.parametrize("biased", [False, True])
def test_filters_that_stay(activation, biased, used):
    state = np.random.RandomState(0)
    x, w = state.randn(1, 20, 20, 16).astype(np.float32), state.randn(4, 4, 16, 32).astype(np.float32)
    bias = np.linspace(-9, 9, 32).astype(np.float32)
    with without("native regions"), tf.Graph().as_default(), tf.Session() as session:
        filters = tf.Variable(w)
        y = tf.nn.conv2d(tf.constant(x), filters, strides=2, padding="SAME")
        y = tf.nn.bias_add(y, tf.Variable(bias)) if biased else y
        y = getattr(tf.nn, activation)(y) if activation else y
        session.run(tf.global_variables_initializer())
        expected = plainly(x, w, [(1, 1), (1, 1)], (2, 2))[0]
        bounds = {"": (-np.inf, np.inf), "relu": (0, np.inf), "relu6": (0, 6)}[activation]
        for factor in (1.0, -2.0):
            session.run(filters.assign(factor * w))
            of_these = (factor * expected + (bias if biased else 0)).clip(*bounds)
            np.testing.assert_allclose(session.run(y), of_these, rtol=1e-4, atol=1e-3)
    assert used == ["convolve"] * 2


def test_it_is_used_where_it_pays(used):
    def take(shape, window, strides):
        del used[:]
        with tf.Graph().as_default(), tf.Session() as session:
            images, filters = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, window)
            y = tf.nn.conv2d(images, filters, strides=strides, padding="SAME")
            fetches = [y, *tf.gradients(y, [images, filters])]
            session.run(fetches, {images: np.ones(shape), filters: np.ones(window)})
        return sorted(used)

    assert take((5, 7, 7, 64), (3, 3, 64, 64), 2) == ["convolve", "correlate", "scatter"]
    # Short runs are copied one by one; images of one channel are made faster all the same.
    assert take((32, 28, 28, 1), (5, 5, 1, 32), 1) == ["scatter"]
    assert take((32, 28, 28, 32), (5, 5, 32, 32), 1) == []


def test_threads_change_nothing():
    state = np.random.RandomState(0)
    images, out = torch.tensor(state.randn(5, 9, 9, 8), dtype=torch.float32), torch.empty(5 * 25, 72)
    numbers = (5, 5, 3, 3, 2, 2, 1, 1)
    made = []
    for threads in (1, 3, 8):
        assert direct_call("lay_out_windows")(images, out, *numbers, threads)
        total = torch.full_like(images, 7.0)
        assert direct_call("add_windows_up")(total, out, *numbers, threads)
        made.append((out.clone(), total))
    for one in made[1:]:
        for tensor, first in zip(one, made[0], strict=True):
            assert torch.equal(tensor, first)
    padded = torch.constant_pad_nd(images, (0, 0, 1, 1, 1, 1)).unfold(1, 3, 2).unfold(2, 3, 2)
    assert torch.equal(made[0][0], padded.permute(0, 1, 2, 4, 5, 3).reshape(125, 72))


@pytest.mark.parametrize("name", ["lay_out_windows", "add_windows_up"])
def test_only_what_fits_is_written(name):
    call, images, windows = direct_call(name), torch.ones(2, 4, 4, 3), torch.ones(2 * 16, 27)
    numbers = (4, 4, 3, 3, 1, 1, 1, 1, 1)
    for wrong in (torch.ones(32, 26), torch.ones(31, 27), windows.double(), torch.ones(27, 32).t(), torch.ones(864)):
        assert call(images, wrong, *numbers) is None
    assert call(images.double(), windows, *numbers) is None
    assert call(images[0], windows, *numbers) is None
    assert call(images, windows, 0, *numbers[1:]) is None
    assert call(images, windows, *numbers[:4], -1, *numbers[5:]) is None
    with pytest.raises(TypeError, match="takes 11 arguments"):
        call(images, windows)
    with pytest.raises(TypeError):
        call(images, windows, *numbers[:-1], "1")
    assert torch.equal(images, torch.ones(2, 4, 4, 3))
    assert torch.equal(windows, torch.ones(32, 27))


@pytest.mark.parametrize("name", ["_lay_out", "_add_up"])
def test_what_the_runner_declines_is_convolved_by_pytorch(name, monkeypatch):
    made = window_products.WindowProducts.__init__

    def declining(self, *arguments):
        made(self, *arguments)
        setattr(self, name, lambda *_: None)

    monkeypatch.setattr(window_products.WindowProducts, "__init__", declining)
    state = np.random.RandomState(0)
    x, w = state.randn(2, 7, 7, 16).astype(np.float32), state.randn(3, 3, 16, 24).astype(np.float32)
    above = state.randn(2, 4, 4, 24).astype(np.float32)
    with without("native regions"), tf.Graph().as_default(), tf.Session() as session:
        images, filters = tf.placeholder(tf.float32, x.shape), tf.placeholder(tf.float32, w.shape)
        y = tf.nn.conv2d(images, filters, strides=2, padding="SAME")
        fetches = [y, *tf.gradients(y, [images, filters], tf.constant(above))]
        found = session.run(fetches, {images: x, filters: w})
    expected = plainly(x, w, [(1, 1), (1, 1)], (2, 2), above)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-3)
