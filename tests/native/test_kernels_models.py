"""Native products, cells, optimizer updates and random numbers beside torch's and our own kernels."""

import numpy as np
import pytest
import torch
from native_values import FLOATS, INTEGERS, WAYS, assert_same, run_one, strided

from headrace import native
from headrace.kernels.random import philox
from headrace.kernels.train import formulas
from headrace.native.instructions import DTYPE_CODES
from headrace.native.program import RegionFailure

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")

SIZES = [
    (1, 1, 1),
    (3, 5, 7),
    (8, 16, 16),
    (9, 33, 17),
    (32, 50, 200),
    (2, 3, 40),
    (40, 1, 3),
    (5, 0, 4),
    (0, 3, 4),
    (3, 4, 0),
]
SIZES += [(1, 70, 5), (7, 70, 1), (13, 8, 31), (64, 64, 10)]


def normal(shape, dtype, seed):
    return np.asarray(np.random.default_rng(seed).standard_normal(shape), dtype)


@pytest.mark.parametrize("turned", [(0, 0), (0, 1), (1, 0), (1, 1)], ids=str)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
def test_products(dtype, sizes, turned):
    m, k, n = sizes
    a, b, bias = normal((m, k), dtype, 0), normal((k, n), dtype, 1), normal((n,), dtype, 2)
    given = [np.ascontiguousarray(v.T) if t else v for v, t in zip((a, b), turned, strict=True)]
    expected = a.astype(np.float64) @ b.astype(np.float64)
    tolerance = (1e-6 if dtype == "float32" else 1e-15) * (np.sqrt(k) + 1) * 4
    (got,) = run_one("matmul", given, turned)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance)
    (got,) = run_one("matmul", [*given, bias], turned)
    np.testing.assert_allclose(got, expected + bias, rtol=0, atol=tolerance)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("way_of_b", WAYS)
def test_products_of_memory_in_any_order(way, way_of_b):
    a, b = normal((9, 21), "float32", 0), normal((21, 35), "float32", 1)
    (got,) = run_one("matmul", [strided(a, way), strided(b, way_of_b)], [0, 0], known=False)
    np.testing.assert_allclose(got, a @ b, rtol=0, atol=2e-5)


def test_products_of_what_is_no_number():
    a, b = normal((4, 9), "float32", 0), normal((9, 18), "float32", 1)
    a[1, 3], b[2, 17], b[0, 0] = np.nan, np.inf, -np.inf
    (got,) = run_one("matmul", [a, b], [0, 0])
    expected = a @ b
    assert_same(np.isfinite(got), np.isfinite(expected))
    assert_same(np.isnan(got), np.isnan(expected))


@pytest.mark.parametrize(
    "shapes", [((4, 3, 5), (4, 5, 6)), ((2, 1, 3, 5), (4, 5, 2)), ((3, 5), (2, 5, 7)), ((0, 3, 5), (0, 5, 6))], ids=str
)
def test_products_of_batches(shapes):
    a, b = normal(shapes[0], "float32", 0), normal(shapes[1], "float32", 1)
    (got,) = run_one("batch_matmul", [a, b], [0, 0])
    np.testing.assert_allclose(got, a @ b, rtol=0, atol=1e-5)
    (got,) = run_one(
        "batch_matmul", [np.ascontiguousarray(a.swapaxes(-1, -2)), np.ascontiguousarray(b.swapaxes(-1, -2))], [1, 1]
    )
    np.testing.assert_allclose(got, a @ b, rtol=0, atol=1e-5)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("units", [1, 5, 16, 50])
def test_steps_of_an_lstm(dtype, units):
    gates, before = torch.from_numpy(normal((3, 4 * units), dtype, 0)), torch.from_numpy(normal((3, units), dtype, 1))
    gates.requires_grad_(True), before.requires_grad_(True)
    i, j, f, o = gates.chunk(4, 1)
    i, j, f, o = i.sigmoid(), j.tanh(), (f + 0.7).sigmoid(), o.sigmoid()
    c = i * j + before * f
    tc = c.tanh()
    h = tc * o
    tolerance = {"rtol": 1e-5, "atol": 1e-6} if dtype == "float32" else {"rtol": 1e-12, "atol": 1e-13}
    made = run_one("lstm_pointwise", [gates.detach().numpy(), before.detach().numpy()], floats=[0.7])
    for got, expected in zip(made, (i, j, f, o, c, tc, h), strict=True):
        np.testing.assert_allclose(got, expected.detach().numpy(), **tolerance)
    dh, dc = normal((3, units), dtype, 2), normal((3, units), dtype, 3)
    for has_after in (0, 1):
        sent = [h * torch.from_numpy(dh)] + ([c * torch.from_numpy(dc)] if has_after else [])
        wanted = torch.autograd.grad(sum(part.sum() for part in sent), [gates, before], retain_graph=True)
        i_, j_, f_, o_, _, tc_, _ = made
        got = run_one("lstm_pointwise_grad", [dh, dc, i_, j_, f_, o_, before.detach().numpy(), tc_], [has_after])
        np.testing.assert_allclose(got[0], wanted[0].numpy(), **tolerance)
        np.testing.assert_allclose(got[2], wanted[1].numpy(), **tolerance)


NUMBERS = {
    "lr": 0.1,
    "alpha": 0.1,
    "momentum": 0.8,
    "beta1_power": 0.81,
    "beta2_power": 0.98,
    "beta1": 0.9,
    "beta2": 0.99,
}
NUMBERS |= {"epsilon": 1e-3, "rho": 0.95}
UPDATES = [
    ("apply_gradient_descent", formulas.gradient_descent, "var", "alpha grad", None),
    ("apply_momentum", formulas.momentum, "var accum", "lr grad momentum", 0),
    ("apply_momentum", formulas.momentum, "var accum", "lr grad momentum", 1),
    ("apply_keras_momentum", formulas.keras_momentum, "var accum", "lr grad momentum", 0),
    ("apply_keras_momentum", formulas.keras_momentum, "var accum", "lr grad momentum", 1),
    ("apply_adam", formulas.adam, "var m v", "beta1_power beta2_power lr beta1 beta2 epsilon grad", 0),
    ("apply_adam", formulas.adam, "var m v", "beta1_power beta2_power lr beta1 beta2 epsilon grad", 1),
    ("apply_adagrad", formulas.adagrad, "var accum", "lr grad", 1),
    ("apply_adagrad", formulas.adagrad, "var accum", "lr grad", 0),
    ("apply_adagrad_v2", formulas.adagrad_v2, "var accum", "lr epsilon grad", 1),
    ("apply_rmsprop", formulas.rms_prop, "var ms mom", "lr rho momentum epsilon grad", None),
]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("name", "formula", "states", "rest", "flag"), UPDATES)
def test_updates(name, formula, states, rest, flag, dtype):
    for shape in [(3,), (7, 9), (), (64,)]:
        start = [np.asarray(np.abs(normal(shape, dtype, k)) + 0.1, dtype) for k in range(len(states.split()))]
        grad = np.asarray(normal(shape, dtype, 9))
        numbers = {key: np.asarray(number, dtype) for key, number in NUMBERS.items()}
        own = [value.copy() for value in start]
        inputs = [grad if key == "grad" else numbers[key] for key in rest.split()]
        run_one(name, [*own, *inputs], [] if flag is None else [flag], buffers=len(own))
        tensors = [torch.from_numpy(np.asarray(value)) for value in start]
        plain = [torch.from_numpy(grad) if key == "grad" else float(numbers[key]) for key in rest.split()]
        formula(*tensors, *plain, *([] if flag is None else [bool(flag)]))
        for got, expected in zip(own, tensors, strict=True):
            np.testing.assert_allclose(got, expected.numpy(), rtol=3e-6 if dtype == "float32" else 1e-13, atol=1e-6)


@pytest.mark.parametrize("index", INTEGERS)
@pytest.mark.parametrize(
    ("name", "formula", "states", "rest", "flag"),
    [
        (f"sparse_{name}", *row)
        for name, *row in UPDATES
        if name in ("apply_gradient_descent", "apply_momentum", "apply_adagrad")
    ],
)
def test_updates_of_rows(name, formula, states, rest, flag, index):
    start = [np.abs(normal((6, 5), "float32", k)) + np.float32(0.1) for k in range(len(states.split()))]
    grad, rows = normal((4, 5), "float32", 9), np.array([3, 0, 3, 5], index)
    own = [value.copy() for value in start]
    numbers = {key: np.asarray(number, np.float32) for key, number in NUMBERS.items()}
    inputs = [*(grad if key == "grad" else numbers[key] for key in rest.split()), rows]
    run_one(name, [*own, *inputs], [] if flag is None else [flag], buffers=len(own))
    tensors = [torch.from_numpy(value.copy()) for value in start]
    # A row that comes twice is updated twice, one after the other.
    for place, row in enumerate(rows.tolist()):
        plain = [torch.from_numpy(grad[place]) if key == "grad" else float(numbers[key]) for key in rest.split()]
        formula(*(tensor[row] for tensor in tensors), *plain, *([] if flag is None else [bool(flag)]))
    for got, expected in zip(own, tensors, strict=True):
        np.testing.assert_allclose(got, expected.numpy(), rtol=3e-6, atol=1e-6)
    untouched = [value.copy() for value in own]
    with pytest.raises(RegionFailure):
        run_one(
            name, [*own, *inputs[:-1], np.array([0, 1, 6, 2], index)], [] if flag is None else [flag], buffers=len(own)
        )
    for got, expected in zip(own, untouched, strict=True):
        assert_same(got, expected)


DRAWS = [
    ("random_uniform", philox.uniform),
    ("random_normal", philox.standard_normal),
    ("truncated_normal", philox.truncated_normal),
]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 61, 1000])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("name", "draw"), DRAWS)
def test_random_numbers_are_those_of_the_stream(name, draw, dtype, count):
    place = philox.Philox(key=87654321, high=2**63 + 5, position=2**32 - 3)
    words = np.array([word % 2**64 for word in (place.key, place.high, place.position)], np.uint64).view(np.int64)
    (got,) = run_one(name, [words], [DTYPE_CODES[dtype], count])
    expected = draw(place, count, dtype)
    if name == "random_uniform":
        assert_same(got, expected)
    else:
        # The C library's sines and NumPy's differ in the last place.
        np.testing.assert_allclose(got, expected, rtol=3e-7 if dtype == "float32" else 1e-14)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_random_integers_are_those_of_the_stream(dtype):
    place = philox.Philox(key=3, high=1, position=0)
    for low, high in ((0, 10), (-5, 7), (np.iinfo(dtype).min, np.iinfo(dtype).max)):
        # What is drawn moves the place on.
        words = np.array([3, 1, 0])
        (got,) = run_one("random_uniform_int", [words, np.array(low, dtype), np.array(high, dtype)], [5, 3])
        assert_same(got, philox.uniform_int(place, 15, low, high, dtype).reshape(5, 3))
    with pytest.raises(RegionFailure):
        run_one("random_uniform_int", [words, np.array(3, dtype), np.array(3, dtype)], [5])
