"""Convolutions by filters of 3x3 that multiply less: beside sums in double precision as they are written."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace import native
from headrace.kernels.nn import minimal_filtering
from headrace.native import direct as native_direct
from headrace.native import loading
from headrace.native.team import team_of_threads

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")


@pytest.fixture
def everywhere(monkeypatch):
    """It is used however small the images are and however few the channels."""
    monkeypatch.setattr(minimal_filtering, "_TILES", 1)
    monkeypatch.setattr(minimal_filtering, "_TILES_FOR_TURNING", 1)
    monkeypatch.setattr(minimal_filtering, "_CHANNELS", 1)
    monkeypatch.setattr(minimal_filtering, "_WASTE", 100.0)


@pytest.fixture
def used(monkeypatch):
    """The names of the methods that computed something."""
    names = []
    for name in ("convolve", "correlate"):
        method = getattr(minimal_filtering.MinimalFiltering, name)

        def run(*args, name=name, method=method):
            made = method(*args)
            if made is not None:
                names.append(name)
            return made

        monkeypatch.setattr(minimal_filtering.MinimalFiltering, name, run)
    return names


def plainly(x, w, pads):
    """The sums in double precision."""
    (above, below), (before, after) = pads
    x = np.pad(x.astype(np.float64), [(0, 0), (above, below), (before, after), (0, 0)])
    height, width = x.shape[1] - 2, x.shape[2] - 2
    return sum(
        np.einsum("bhwc,co->bhwo", x[:, i : i + height, j : j + width], w[i, j].astype(np.float64))
        for i in range(3)
        for j in range(3)
    )


def gradients_plainly(x, w, above, pads):
    """Of the sums of what comes from above times the convolution."""
    (top, bottom), (left, right) = pads
    padded = np.pad(x.astype(np.float64), [(0, 0), (top, bottom), (left, right), (0, 0)])
    height, width = above.shape[1:3]
    of_image, of_filters = np.zeros_like(padded), np.zeros(w.shape)
    for i in range(3):
        for j in range(3):
            of_image[:, i : i + height, j : j + width] += np.einsum("bhwo,co->bhwc", above, w[i, j])
            of_filters[i, j] = np.einsum("bhwc,bhwo->co", padded[:, i : i + height, j : j + width], above)
    return of_image[:, top : top + x.shape[1], left : left + x.shape[2]], of_filters


PADDINGS = {"SAME": ((1, 1), (1, 1)), "VALID": ((0, 0), (0, 0)), "EXPLICIT": ((0, 2), (1, 0))}


def draws(shape, outputs, seed):
    state = np.random.RandomState(seed)
    return state.randn(*shape).astype(np.float32), state.randn(3, 3, shape[3], outputs).astype(np.float32)


def given_padding(padding):
    return padding if padding != "EXPLICIT" else [[0, 0], *map(list, PADDINGS[padding]), [0, 0]]


SHAPES = st.tuples(st.integers(1, 3), st.integers(3, 9), st.integers(3, 9), st.integers(1, 40))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    shape=SHAPES,
    outputs=st.integers(1, 70),
    padding=st.sampled_from(sorted(PADDINGS)),
    activation=st.sampled_from(["", "relu", "relu6"]),
    biased=st.booleans(),
    seed=st.integers(0, 2**16),
)
@pytest.mark.usefixtures("everywhere", "legal_graphs")
def test_convolutions_by_filters_that_stay(shape, outputs, padding, activation, biased, seed):
    x, w = draws(shape, outputs, seed)
    bias = np.linspace(-1, 1, outputs).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        images = tf.placeholder(tf.float32, [None, None, None, shape[3]])
        y = tf.nn.conv2d(images, tf.Variable(w), strides=1, padding=given_padding(padding))
        y = tf.nn.bias_add(y, tf.Variable(bias)) if biased else y
        y = getattr(tf.nn, activation)(y) if activation else y
        session.run(tf.global_variables_initializer())
        made = session.run(y, {images: x})
    expected = plainly(x, w, PADDINGS[padding]) + (bias if biased else 0)
    bounds = {"": (-np.inf, np.inf), "relu": (0, np.inf), "relu6": (0, 6)}[activation]
    np.testing.assert_allclose(made, expected.clip(*bounds), rtol=1e-4, atol=1e-4)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shape=SHAPES, outputs=st.integers(1, 70), padding=st.sampled_from(sorted(PADDINGS)), seed=st.integers(0, 2**16))
@pytest.mark.usefixtures("everywhere", "legal_graphs")
def test_convolutions_and_their_gradients(shape, outputs, padding, seed):
    x, w = draws(shape, outputs, seed)
    with tf.Graph().as_default(), tf.Session() as session:
        images, filters = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, w.shape)
        y = tf.nn.conv2d(images, filters, strides=1, padding=given_padding(padding))
        above = tf.placeholder(tf.float32, y.shape)
        given_above = np.random.RandomState(seed + 1).randn(*y.shape.as_list()).astype(np.float32)
        fetches = [y, *tf.gradients(y, [images, filters], above)]
        made = session.run(fetches, {images: x, filters: w, above: given_above})
    expected = [plainly(x, w, PADDINGS[padding]), *gradients_plainly(x, w, given_above, PADDINGS[padding])]
    for one, other in zip(made, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=2e-4)


def test_it_is_used_where_it_pays(used):
    x, w = draws((2, 24, 24, 32), 64, 0)
    with tf.Graph().as_default(), tf.Session() as session:
        images, filters = tf.placeholder(tf.float32, x.shape), tf.placeholder(tf.float32, w.shape)
        y = tf.nn.conv2d(images, filters, strides=1, padding="SAME")
        session.run([y, *tf.gradients(y, [images, filters])], {images: x, filters: w})
        assert sorted(used) == ["convolve", "convolve", "correlate"]
        del used[:]
        stays = tf.nn.relu(tf.nn.conv2d(images, tf.constant(w), strides=1, padding="SAME"))
        session.run(stays, {images: x})
        assert used == ["convolve"]
        del used[:]
        wide = tf.nn.conv2d(images, filters, strides=2, padding="SAME")
        session.run(wide, {images: x, filters: w})
        session.run(tf.nn.conv2d(images, filters[:, :, :, :3], strides=1, padding="SAME"), {images: x, filters: w})
        assert used == []


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
@pytest.mark.usefixtures("everywhere")
def test_only_results_that_see_what_is_not_finite_are_not(odd, used):
    x, w = draws((1, 8, 8, 3), 5, 0)
    clean = np.ones([1, 8, 8, 5], bool)
    clean[:, 2:5, 3:6] = False
    x[0, 3, 4, 1] = odd
    w = np.abs(w)
    for filters in (tf.constant, tf.identity):  # those that stay, and those that might not
        with tf.Graph().as_default(), tf.Session() as session:
            fed = tf.placeholder_with_default(w, w.shape)
            y = tf.nn.conv2d(tf.constant(x), filters(w) if filters is tf.constant else fed, strides=1, padding="SAME")
            made = session.run(tf.nn.relu(y))
        np.testing.assert_array_equal(np.isfinite(made)[clean], True)
        expected = {True: odd, False: np.nan}[bool(np.isinf(odd))]
        np.testing.assert_array_equal(made[~clean], max(expected, 0) if np.isinf(odd) else np.nan)
    assert used == []


@pytest.mark.usefixtures("everywhere")
def test_sums_that_overflow_on_the_way_are_computed_as_they_are_written(used):
    x = np.full([1, 4, 4, 1], 2e38, np.float32)
    w = np.zeros([3, 3, 1, 1], np.float32)
    w[1, 1] = 1.0
    with tf.Graph().as_default(), tf.Session() as session:
        made = session.run(tf.nn.conv2d(tf.constant(x), tf.placeholder_with_default(w, w.shape), 1, "SAME"))
    np.testing.assert_array_equal(made, x)
    assert used == []


def test_new_values_of_variables_are_seen():
    x, w = draws((4, 16, 16, 16), 32, 0)
    with tf.Graph().as_default(), tf.Session() as session:
        filters = tf.Variable(w)
        y = tf.nn.conv2d(tf.constant(x), filters, strides=1, padding="SAME")
        doubled = filters.assign(2 * w)
        session.run(filters.initializer)
        before = session.run(y)
        session.run(doubled)
        np.testing.assert_allclose(session.run(y), 2 * before, rtol=1e-5, atol=1e-5)


def test_threads_change_nothing():
    x, w = draws((8, 28, 28, 40), 70, 0)
    made = []
    before, team = torch.get_num_threads(), team_of_threads()
    try:
        # On one thread, on torch's, and on those of the runner's own that there are where torch has no team it can use.
        for threads, used in ((1, team), (3, team), (3, 0)):
            torch.set_num_threads(threads)
            loading.runner().use_team(used)
            with tf.Graph().as_default(), tf.Session() as session:
                images, filters = tf.placeholder(tf.float32, x.shape), tf.placeholder(tf.float32, w.shape)
                y = tf.nn.conv2d(images, filters, strides=1, padding="SAME")
                fetches = [y, *tf.gradients(y, [images, filters])]
                made.append(session.run(fetches, {images: x, filters: w}))
    finally:
        torch.set_num_threads(before)
        loading.runner().use_team(team)
    for one, *others in zip(*made, strict=True):
        for other in others:
            np.testing.assert_array_equal(one, other)


def test_images_whose_sizes_are_open_are_convolved_by_it(used):
    x, w = draws((2, 24, 23, 32), 64, 0)
    with tf.Graph().as_default(), tf.Session() as session:
        images, filters = tf.placeholder(tf.float32, [None, None, None, 32]), tf.placeholder(tf.float32, w.shape)
        y = tf.nn.conv2d(images, filters, strides=1, padding="SAME")
        above = np.random.RandomState(1).randn(2, 24, 23, 64).astype(np.float32)
        made = session.run([y, *tf.gradients(y, [images, filters], above)], {images: x, filters: w})
    assert sorted(used) == ["convolve", "convolve", "correlate"]
    expected = [plainly(x, w, PADDINGS["SAME"]), *gradients_plainly(x, w, above, PADDINGS["SAME"])]
    for one, other in zip(made, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-3)


def test_only_what_fits_is_written():
    turn, fill, total = (native_direct.direct_call(name) for name in ("turn_filters", "filter_tiles", "filter_sums"))
    images, filters, out = torch.zeros(2, 4, 4, 3), torch.zeros(3, 3, 3, 5), torch.ones(2, 4, 4, 5)
    assert turn(filters.double()) is None
    assert turn(torch.zeros(3, 2, 3, 5)) is None
    turned = turn(filters)
    for wrong in (torch.ones(3, 4, 4, 5), out.double(), out.permute(0, 3, 1, 2), torch.ones(2, 4, 4, 500)):
        assert fill(images, turned, None, wrong, 1, 1, 0, 1) is None
    assert fill(torch.zeros(2, 4, 4, 4), turned, None, out, 1, 1, 0, 1) is None
    assert fill(images, turned, torch.zeros(4), out, 1, 1, 0, 1) is None
    with pytest.raises(ValueError, match="no such activation"):
        fill(images, turned, None, out, 1, 1, 3, 1)
    assert out.eq(1).all()
    gradient = torch.ones(3, 3, 3, 5)
    for wrong in (torch.ones(3, 3, 4, 5), torch.ones(2, 3, 3, 5), gradient.double()):
        assert total(images, out, 1, 1, wrong, 1) is None
    assert gradient.eq(1).all()
    assert turn(torch.zeros(3, 3, 0, 5)) is None
    assert (
        fill(torch.zeros(2, 4, 4, 0), torch.zeros(*turned.shape[:2], 0, turned.shape[3]), None, out, 1, 1, 0, 1) is None
    )
    assert total(torch.zeros(2, 4, 4, 0), out[..., :0], 1, 1, torch.zeros(3, 3, 0, 0), 1) is None
    assert fill(images, turned, None, out, 1, 1, 0, 1) is True
    assert out.eq(0).all()
