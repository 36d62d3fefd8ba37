"""Native reductions, searches, running sums, softmax and cross entropies beside torch's and NumPy's."""

import itertools

import numpy as np
import pytest
import torch
from native_values import FLOATS, INTEGERS, WAYS, assert_same, by_torch, run_one, strided, values

from headrace import native
from headrace.native.instructions import DTYPE_CODES

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")

SHAPES = [(), (1,), (5,), (64,), (300,), (3, 4), (40, 1), (1, 40), (33, 65), (2, 3, 5), (4, 1, 17), (2, 3, 4, 5)]


def plain(dtype, shape, seed=0):
    """Numbers whose sums say something."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.random(shape) < 0.7
    return np.asarray(rng.normal(0, 3, shape) if dtype in FLOATS else rng.integers(-9, 9, shape)).astype(dtype)


def axes_of(rank):
    return [axes for count in range(rank + 1) for axes in itertools.combinations(range(rank), count)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("name", ["sum", "mean", "prod", "max", "min"])
def test_reductions(name, dtype, shape):
    x = plain(dtype, shape)
    if name == "prod" and dtype in FLOATS:
        x = np.asarray(np.exp(x / 40), dtype)
    wide = x.astype(np.float64) if dtype in FLOATS else x
    for axes, keep in itertools.product(axes_of(len(shape)), (0, 1)):
        (got,) = run_one(name, [x], [keep, *axes])
        expected = np.asarray(getattr(np, name)(wide, axis=axes, keepdims=bool(keep)))
        if name == "mean" and dtype in INTEGERS:
            expected = np.trunc(expected)
        if name == "prod" and dtype == "int32":
            expected = np.asarray(np.prod(x, axis=axes, keepdims=bool(keep), dtype=np.int32))
        if dtype in FLOATS:
            scale = (
                np.abs(wide).sum(axis=axes, keepdims=bool(keep))
                if name in ("sum", "mean")
                else np.abs(expected) * (x.size if name == "prod" else 1)
            )
            assert got.shape == expected.shape
            assert (np.abs(got - expected) <= (2e-6 if dtype == "float32" else 1e-14) * scale).all()
        else:
            assert_same(got, expected.astype(dtype))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["sum", "max", "argmax"])
def test_memory_in_any_order(name, way):
    x = strided(plain("float32", (6, 5, 40)), way)
    for axes in [(0,), (1,), (2,), *([] if name == "argmax" else [(0, 1), (0, 2), (1, 2), (0, 1, 2)])]:
        (got,) = run_one(name, [x], [axes[0], DTYPE_CODES["int64"]] if name == "argmax" else [0, *axes], known=False)
        np.testing.assert_allclose(
            got, getattr(np, name)(x, axis=axes[0] if name == "argmax" else axes), rtol=1e-5, atol=1e-4
        )


@pytest.mark.parametrize("shape", [(5,), (64,), (131,), (40, 7)], ids=str)
def test_what_is_no_number_wins_sums(shape):
    for place in range(0, int(np.prod(shape)), 7):
        x = plain("float32", shape)
        x.reshape(-1)[place] = np.nan
        for axis in range(len(shape)):
            (got,) = run_one("sum", [x], [0, axis])
            assert_same(np.isnan(got), np.isnan(x.sum(axis=axis)))


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(1,), (2,), (5,), (64,), (131,), (40, 7), (7, 40), (3, 1, 40), (9, 1)], ids=str)
def test_what_is_no_number_loses_to_numbers(name, dtype, shape):
    generator = np.random.default_rng(3)
    for share in (0.1, 0.5, 0.9, 1.0):
        x = plain(dtype, shape)
        x[generator.random(shape) < share] = np.nan
        for axis in range(len(shape)):
            (got,) = run_one(name, [x], [0, axis])
            instead = -np.inf if name == "max" else np.inf
            wanted = getattr(np.where(np.isnan(x), instead, x), name)(axis=axis)
            # As TensorFlow has it, a number by itself stays.
            assert_same(got, x.squeeze(axis) if shape[axis] == 1 else wanted.astype(dtype))
            (place,) = run_one(f"arg{name}", [x], [axis, DTYPE_CODES["int64"]])
            assert_same(place, getattr(np.where(np.isnan(x), instead, x), f"arg{name}")(axis=axis))


@pytest.mark.parametrize("name", ["all", "any"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_logic(name, shape):
    x = plain("bool", shape)
    for axes in axes_of(len(shape)):
        (got,) = run_one(name, [x], [0, *axes])
        assert_same(got, np.asarray(getattr(np, name)(x, axis=axes)))


def test_reductions_of_nothing():
    for name, expected in (("sum", 0), ("prod", 1)):
        (got,) = run_one(name, [np.zeros((3, 0), np.float32)], [0, 1])
        assert_same(got, np.full(3, expected, np.float32))
    assert run_one("max", [np.zeros((3, 0), np.float32)], [0, 1]) is None
    (got,) = run_one("sum", [np.zeros((0, 3), np.float32)], [0, 1])
    assert got.shape == (0,)


@pytest.mark.parametrize("to", INTEGERS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_searches(name, dtype, to):
    for shape in [(7,), (3, 50), (4, 5, 6)]:
        x = values(dtype, shape, 3)
        for axis in range(len(shape)):
            (got,) = run_one(name, [x], [axis, DTYPE_CODES[to]])
            assert_same(got, np.asarray(getattr(np, name)(x, axis=axis)).astype(to))


@pytest.mark.parametrize(
    "shapes",
    [((3, 4), (4,)), ((3, 4), (3, 1)), ((3, 4), ()), ((3, 4), (3, 4)), ((2, 3, 4), (3, 1)), ((2, 3, 4), (1, 1))],
    ids=str,
)
def test_sums_back_to_what_was_broadcast(shapes):
    x, like = plain("float32", shapes[0]), plain("float32", shapes[1])
    (got,) = run_one("sum_like", [x, like])
    expected = by_torch(lambda a: a.sum_to_size(shapes[1]), x)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)
    assert got.shape == shapes[1]


@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("backwards", [0, 1])
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_running_sums(dtype, exclusive, backwards):
    x = plain(dtype, (3, 7, 2))
    for axis in range(3):
        turned = np.flip(x, axis) if backwards else x
        expected = np.cumsum(turned, axis, dtype=dtype)
        if exclusive:
            expected = expected - turned
        (got,) = run_one("cumsum", [x], [axis, exclusive, backwards])
        np.testing.assert_allclose(got, np.flip(expected, axis) if backwards else expected, rtol=1e-5, atol=1e-5)


def test_half_the_sum_of_squares():
    x = plain("float32", (17, 3))
    (got,) = run_one("l2_loss", [x])
    np.testing.assert_allclose(got, (x.astype(np.float64) ** 2).sum() / 2, rtol=1e-6)


LOGITS = [(1, 1), (3, 2), (4, 10), (2, 16), (5, 17), (2, 3, 40), (1, 500)]


@pytest.mark.parametrize("shape", LOGITS, ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
def test_softmax(dtype, shape):
    x = plain(dtype, shape) * 10
    tolerance = 3e-6 if dtype == "float32" else 1e-14
    for name, function in (("softmax", torch.softmax), ("log_softmax", torch.log_softmax)):
        (got,) = run_one(name, [x])
        np.testing.assert_allclose(got, by_torch(lambda a, f=function: f(a, -1), x), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shape", [(3, 2), (4, 10), (5, 17), (1, 500)], ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
def test_cross_entropies(dtype, shape):
    x, rng = plain(dtype, shape) * 5, np.random.default_rng(0)
    tolerance = 5e-6 if dtype == "float32" else 1e-13
    labels = rng.random(shape).astype(dtype)
    logs = by_torch(lambda a: torch.log_softmax(a, -1), x.astype(np.float64))
    loss, back = run_one("softmax_cross_entropy", [x, labels])
    np.testing.assert_allclose(loss, -(labels * logs).sum(-1), rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(back, np.exp(logs) - labels, rtol=tolerance, atol=tolerance)
    for kind in INTEGERS:
        places = rng.integers(0, shape[1], shape[0]).astype(kind)
        loss, back = run_one("sparse_softmax_cross_entropy", [x, places])
        rows = np.arange(shape[0])
        np.testing.assert_allclose(loss, -logs[rows, places], rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(back, np.exp(logs) - np.eye(shape[1])[places], rtol=tolerance, atol=tolerance)


def test_a_class_that_is_impossible():
    x = np.array([[1.0, -np.inf, 2.0]], np.float32)
    (got,) = run_one("softmax", [x])
    np.testing.assert_allclose(got, by_torch(lambda a: torch.softmax(a, -1), x), rtol=1e-6)
    loss, _ = run_one("softmax_cross_entropy", [x, np.array([[0.5, 0.0, 0.5]], np.float32)])
    np.testing.assert_allclose(loss, [np.log(1 + np.e) - 0.5], rtol=1e-6)
