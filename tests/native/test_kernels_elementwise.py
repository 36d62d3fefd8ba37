"""The element-wise native kernels beside torch's: types, shapes, strides, and the ends of what numbers are."""

import native_values
import numpy as np
import pytest
import torch
from native_values import FLOATS, INTEGERS, SHAPES, WAYS, by_torch, run_one, special, strided, values

from headrace import native
from headrace.native import loading
from headrace.native.instructions import DTYPE_CODES, DTYPES, VOCABULARY

pytestmark = pytest.mark.skipif(not native.available(), reason="the native runner is not built")

aten = torch.ops.aten

# Rounded as torch rounds, to the last bit.
EXACT_UNARY = {
    "neg": torch.neg,
    "abs": torch.abs,
    "sign": torch.sign,
    "square": torch.square,
    "relu": torch.relu,
    "relu6": lambda x: torch.clamp(x, 0, 6),
}
EXACT_FLOAT_UNARY = {
    "reciprocal": torch.reciprocal,
    "floor": torch.floor,
    "ceil": torch.ceil,
    "rint": torch.round,
    "softsign": torch.nn.functional.softsign,
    "is_nan": torch.isnan,
    "is_inf": torch.isinf,
    "is_finite": torch.isfinite,
    "copy": torch.clone,
}
# Within so many units in the last place of what doubles say, in single precision.
NEAR_UNARY = {
    "sqrt": (torch.sqrt, 0.5),
    "rsqrt": (torch.rsqrt, 2),
    "exp": (torch.exp, 2),
    "expm1": (torch.expm1, 2),
    "log": (torch.log, 2),
    "log1p": (torch.log1p, 3),
    "sin": (torch.sin, 2),
    "cos": (torch.cos, 2),
    "tan": (torch.tan, 2),
    "asin": (torch.asin, 2),
    "acos": (torch.acos, 2),
    "atan": (torch.atan, 2),
    "sinh": (torch.sinh, 3),
    "cosh": (torch.cosh, 3),
    "tanh": (torch.tanh, 3),
    "asinh": (torch.asinh, 3),
    "acosh": (torch.acosh, 3),
    "atanh": (torch.atanh, 3),
    "lgamma": (torch.lgamma, 6),
    "erf": (torch.erf, 2),
    "erfc": (torch.erfc, 4),
    "sigmoid": (torch.sigmoid, 3),
    "softplus": (lambda x: torch.nn.functional.softplus(x, 1.0, 37.0), 3),
    "elu": (torch.nn.functional.elu, 2),
    "selu": (torch.selu, 3),
}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("name", EXACT_UNARY)
def test_simple_functions_are_those_of_torch(name, dtype, shape):
    x = values(dtype, shape)
    (got,) = run_one(name, [x])
    native_values.assert_same(got, by_torch(EXACT_UNARY[name], x))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", EXACT_FLOAT_UNARY)
def test_simple_functions_of_floats_are_those_of_torch(name, dtype, shape):
    x = values(dtype, shape)
    (got,) = run_one(name, [x])
    native_values.assert_same(got, by_torch(EXACT_FLOAT_UNARY[name], x))


@pytest.mark.parametrize("name", NEAR_UNARY)
def test_functions_of_floats_over_their_whole_range(name):
    function, ulps = NEAR_UNARY[name]
    bits = np.random.default_rng(1).integers(0, 2**32, 20000, dtype=np.uint64).astype(np.uint32)
    usual = np.random.default_rng(2).uniform(-20, 20, 20000).astype(np.float32)
    small = (np.random.default_rng(3).standard_normal(2000) * 1e-3).astype(np.float32)
    x = np.concatenate([bits.view(np.float32), usual, small, special("float32")])
    if name in ("sin", "cos", "tan"):
        x = x[~(np.abs(x) > 1e5)]
    if name == "lgamma":
        # Between its poles the function is as steep as one likes.
        x = x[~(x < 0)]
    if name == "sigmoid":
        # Below, exp(-x) is infinite and the result 0, as torch's is.
        x = x[~(x < -88)]
    (got,) = run_one(name, [x])
    native_values.assert_within(got, by_torch(function, x.astype(np.float64)), ulps)


@pytest.mark.parametrize("name", NEAR_UNARY)
def test_functions_of_doubles(name):
    function, _ = NEAR_UNARY[name]
    x = values("float64", (500,))
    # At the end of the range torch is infinite too early.
    x = x[~(np.abs(x) == 710)]
    (got,) = run_one(name, [x])
    np.testing.assert_allclose(got, by_torch(function, x), rtol=2e-14, atol=1e-300)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["exp", "tanh", "log", "sigmoid"])
def test_a_value_is_the_same_wherever_it_stands(name, shape):
    x = values("float32", shape)
    (got,) = run_one(name, [x])
    alone = [run_one(name, [np.asarray(each)])[0] for each in x.reshape(-1)]
    native_values.assert_same(got, np.array(alone, np.float32).reshape(shape))


@pytest.mark.parametrize("name", ["tanh", "expm1", "sin", "sinh", "asinh", "atan", "erf"])
def test_odd_functions_are_odd_to_the_last_bit(name):
    x = values("float32", (500,))
    (there,), (back,) = run_one(name, [x]), run_one(name, [-x])
    if name == "expm1":
        # The one that is not odd: the test sees such a thing.
        assert not np.array_equal(back, -there, equal_nan=True)
    else:
        np.testing.assert_array_equal(back, -there)


def test_the_vocabulary_is_what_the_runner_has():
    assert set(VOCABULARY) == loading.runner().INSTRUCTIONS


BINARY = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "maximum": lambda x, y: torch.where(x < y, y, x),
    "minimum": lambda x, y: torch.where(x > y, y, x),
    "squared_difference": lambda x, y: (x - y) * (x - y),
    "less": torch.lt,
    "less_equal": torch.le,
    "greater": torch.gt,
    "greater_equal": torch.ge,
    "equal": torch.eq,
    "not_equal": torch.ne,
}
FLOAT_BINARY = {
    "div": torch.div,
    "truncatediv": torch.div,
    "div_no_nan": lambda x, y: torch.where(y == 0, torch.zeros_like(x / y), x / y),
    "floordiv": lambda x, y: torch.floor(x / y),
    "xdivy": lambda x, y: torch.where(x == 0, torch.zeros_like(x / y), x / y),
    "relu_grad": lambda x, y: aten.leaky_relu_backward(x, y, 0.0, False),
    "relu6_grad": lambda x, y: torch.where((y > 0) & (y < 6), x, torch.zeros_like(x)),
    "softsign_grad": lambda x, y: x / (y.abs() + 1).square(),
}
INTEGER_BINARY = {
    "floordiv": lambda x, y: torch.floor_divide(x, y),
    "floormod": torch.remainder,
    "truncatediv": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "truncatemod": torch.fmod,
}
BROADCASTS = [
    ((), ()),
    ((5,), ()),
    ((), (5,)),
    ((17,), (17,)),
    ((3, 1), (1, 4)),
    ((2, 40), (40,)),
    ((40, 1), (40, 33)),
    ((0, 3), (3,)),
]
BROADCASTS += [((2, 1, 5), (3, 1)), ((4, 3, 2, 3), (3, 1, 3))]


@pytest.mark.parametrize("shapes", BROADCASTS, ids=str)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_are_those_of_torch(name, dtype, shapes):
    x, y = values(dtype, shapes[0], 1), values(dtype, shapes[1], 2)
    (got,) = run_one(name, [x, y])
    native_values.assert_same(got, by_torch(BINARY[name], x, y))


@pytest.mark.parametrize("shapes", BROADCASTS, ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FLOAT_BINARY)
def test_functions_of_two_floats_are_those_of_torch(name, dtype, shapes):
    if name.endswith("_grad"):
        shapes = (shapes[0], shapes[0])
    x, y = values(dtype, shapes[0], 1), values(dtype, shapes[1], 2)
    (got,) = run_one(name, [x, y])
    native_values.assert_same(got, by_torch(FLOAT_BINARY[name], x, y))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["floormod", "truncatemod"])
def test_remainders_of_floats(name, dtype):
    # NumPy's: torch loses them where the quotient is large.
    x, y = values(dtype, (40, 33), 1), values(dtype, (33,), 2)
    (got,) = run_one(name, [x, y])
    with np.errstate(all="ignore"):
        expected = np.mod(x, y) if name == "floormod" else np.fmod(x, y)
    ordinary = np.isfinite(x) & np.isfinite(np.broadcast_to(y, x.shape))
    native_values.assert_same(got[ordinary], expected[ordinary])
    native_values.assert_same(np.isnan(got[np.isinf(x)]), np.ones(np.isinf(x).sum(), bool))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", INTEGER_BINARY)
def test_whole_quotients(name, dtype):
    x, y = np.meshgrid(special(dtype), special(dtype))
    x, y = x[y != 0], y[y != 0]
    # The processor of torch traps on the smallest integer by -1, whose quotient wraps.
    plain = ~((x == np.iinfo(dtype).min) & (y == -1))
    (got,) = run_one(name, [x, y])
    native_values.assert_same(got[plain], by_torch(INTEGER_BINARY[name], x[plain], y[plain]))
    assert (got[~plain] == (np.iinfo(dtype).min if name.endswith("div") else 0)).all()


@pytest.mark.parametrize("way_of_y", WAYS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["add", "mul", "less", "div"])
def test_memory_in_any_order(name, way, way_of_y):
    x, y = values("float32", (7, 19), 1), values("float32", (7, 19), 2)
    expected = by_torch({**BINARY, **FLOAT_BINARY}[name], x, y)
    for known in (True, False):
        (got,) = run_one(name, [strided(x, way), strided(y, way_of_y)], known=known)
        native_values.assert_same(got, expected)


NEAR_BINARY = {
    "pow": (torch.pow, 2),
    "atan2": (torch.atan2, 2),
    "xlogy": (lambda x, y: torch.where(x == 0, torch.zeros_like(x * y.log()), x * y.log()), 3),
    "sigmoid_grad": (lambda y, dy: dy * y * (1 - y), 3),
    "tanh_grad": (lambda y, dy: dy * (1 - y * y), 3),
    "sqrt_grad": (lambda y, dy: dy * 0.5 / y, 2),
    "rsqrt_grad": (lambda y, dy: dy * -0.5 * (y * y * y), 4),
    "reciprocal_grad": (lambda y, dy: -dy * y * y, 3),
    "softplus_grad": (lambda dy, x: dy * torch.sigmoid(x), 4),
    "elu_grad": (lambda dy, y: torch.where(y <= 0, dy * (y + 1), dy), 3),
}


@pytest.mark.parametrize("name", NEAR_BINARY)
def test_functions_of_two_within_some_units(name):
    function, ulps = NEAR_BINARY[name]
    rng = np.random.default_rng(5)
    low = 0.0 if name in ("sigmoid_grad", "sqrt_grad", "rsqrt_grad", "xlogy", "pow") else -1.0
    x, y = rng.uniform(low, 1, 3000).astype(np.float32), rng.uniform(low, 1, 3000).astype(np.float32)
    (got,) = run_one(name, [x, y])
    expected = by_torch(function, x.astype(np.float64), y.astype(np.float64))
    # 1 - y * y is rounded where it is near 0.
    near = np.abs(got - expected) <= 4e-7
    native_values.assert_within(got[~near], expected[~near], ulps)
    for dtype in FLOATS:
        x, y = values(dtype, (400,), 1), values(dtype, (400,), 2)
        (got,) = run_one(name, [x, y])
        with np.errstate(all="ignore"):
            expected = by_torch(function, x, y)
        both = np.isfinite(got) & np.isfinite(expected)
        np.testing.assert_allclose(got[both], expected[both], rtol=3e-6, atol=1e-6)


def test_losses_of_logits():
    for dtype, tolerance in (("float32", 2e-6), ("float64", 1e-14)):
        x, z = (
            np.random.default_rng(0).normal(0, 30, 500).astype(dtype),
            np.random.default_rng(1).random(500).astype(dtype),
        )
        (got,) = run_one("sigmoid_cross_entropy", [x, z])
        expected = by_torch(
            lambda a, b: torch.nn.functional.binary_cross_entropy_with_logits(a, b, reduction="none"), x, z
        )
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=3e-6 if dtype == "float32" else 1e-14)


@pytest.mark.parametrize("dtype", FLOATS)
def test_slopes(dtype):
    x, g = values(dtype, (300,), 1), values(dtype, (300,), 2)
    (got,) = run_one("leaky_relu", [x], floats=[0.125])
    native_values.assert_same(got, by_torch(lambda a: torch.nn.functional.leaky_relu(a, 0.125), x))
    (got,) = run_one("leaky_relu_grad", [g, x], floats=[0.125])
    native_values.assert_same(got, by_torch(lambda a, b: aten.leaky_relu_backward(a, b, 0.125, False), g, x))


@pytest.mark.parametrize("to", DTYPES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_casts(dtype, to):
    x = values(dtype, (200,))
    if np.dtype(dtype).kind == "f" and np.dtype(to).kind in "iu":
        # What does not fit is left to the processor.
        x = x[np.abs(x) < 100] if np.dtype(to).kind == "i" else np.abs(x[np.abs(x) < 100])
    (got,) = run_one("cast", [x], [DTYPE_CODES[to]])
    native_values.assert_same(got, by_torch(lambda a: a.to(getattr(torch, to)), x))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_floats_that_do_not_fit_an_integer(dtype):
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30] * 5, np.float32)
    (got,) = run_one("cast", [x], [DTYPE_CODES[dtype]])
    native_values.assert_same(got, by_torch(lambda a: a.to(getattr(torch, dtype)), x))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shapes",
    [((7,), (7,), (7,)), ((), (9,), ()), ((5, 1), (), (5, 40)), ((3, 4), (4,), (3, 1)), ((2,), (), ())],
    ids=str,
)
def test_selections(dtype, shapes):
    c, a, b = values("bool", shapes[0]), values(dtype, shapes[1], 1), values(dtype, shapes[2], 2)
    (got,) = run_one("select", [c, a, b])
    native_values.assert_same(got, np.where(c, a, b))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_clipping(dtype):
    x, low, high = values(dtype, (4, 33)), np.array(-2, dtype), np.array(3, dtype)
    (got,) = run_one("clip", [x, low, high])
    native_values.assert_same(got, by_torch(torch.clamp, x, low, high))
    low = np.zeros((4, 1), dtype)
    (got,) = run_one("clip", [x, low, high])
    native_values.assert_same(got, by_torch(torch.clamp, x, low, high))


@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor", "logical_not"])
def test_logic(name):
    x, y = values("bool", (3, 21), 1), values("bool", (21,), 2)
    given = [x] if name == "logical_not" else [x, y]
    (got,) = run_one(name, given)
    native_values.assert_same(got, getattr(np, name)(*given))


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
def test_sums_of_many(dtype):
    parts = [values(dtype, (3, 18), seed) for seed in range(4)]
    (got,) = run_one("add_n", parts)
    with np.errstate(all="ignore"):
        native_values.assert_same(got, ((parts[0] + parts[1]) + parts[2]) + parts[3])
    (got,) = run_one("add_n", parts[:1])
    native_values.assert_same(got, parts[0])


def test_powers_of_integers():
    x, y = np.array([2, 3, -2, 0, 7, -1], np.int64), np.array([10, 4, 3, 0, 30, 5], np.int64)
    (got,) = run_one("pow", [x, y])
    native_values.assert_same(got, by_torch(torch.pow, x, y))
