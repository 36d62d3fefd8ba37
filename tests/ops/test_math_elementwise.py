"""Element-wise ops: what they promise beyond the recorded answers of TensorFlow in tests/programs/math."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import special

import headrace as tf
from headrace.core.registry import raw
from headrace.kernels.math.elementwise import may_clash, reduction_axes


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


SHAPES = [(), (1,), (3,), (1, 3), (2, 1), (2, 3), (4, 1, 3), (0, 3)]


@pytest.mark.parametrize(("a", "b"), list(itertools.product(SHAPES, SHAPES)), ids=str)
def test_summing_over_the_reduction_axes_gives_back_the_operand_shape(a, b):
    try:
        full = np.broadcast_shapes(a, b)
    except ValueError:
        with pytest.raises(ValueError, match="Incompatible shapes"):
            reduction_axes(a, b)
        return
    for shape, axes in zip((a, b), reduction_axes(a, b), strict=True):
        assert np.ones(full).sum(axis=tuple(axes)).size == math.prod(shape)


@pytest.mark.parametrize(
    ("a", "b", "possible"),
    [
        ((2, 3), (3,), False),
        ((None, 3), (3,), False),
        ((None, 3), (1, 3), False),
        ((None,), (None,), True),
        ((None,), (5,), True),
        (None, (3,), True),
        (None, (), False),
    ],
)
def test_only_shapes_that_can_clash_are_checked_at_run_time(a, b, possible):
    assert may_clash(a, b) is possible


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "less", "pow", "floordiv"])
def test_shapes_that_clash_at_run_time_are_both_named(sess, name):
    x, y = tf.placeholder(tf.float32, None), tf.placeholder(tf.float32, None)
    z = getattr(tf, name)(x, y)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs\. \[1,3\]"):
        sess.run(z, {x: [1.0, 2.0], y: [[1.0, 2.0, 3.0]]})


def test_shapes_that_clash_statically_are_refused_while_building(sess):
    with pytest.raises(ValueError, match=r"Dimensions must be equal, but are 2 and 3 for 'add' \(op: 'AddV2'\)"):
        tf.ones([2]) + tf.ones([3])


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16])
def test_whole_division_agrees_with_python(sess, dtype):
    signed = np.dtype(dtype).kind == "i"
    values = np.array([-7, -6, -1, 0, 1, 6, 7] if signed else [0, 1, 6, 7, 250], dtype)
    divisors = np.array([-3, -2, -1, 1, 2, 3] if signed else [1, 2, 3, 200], dtype)
    x, y = np.meshgrid(values, divisors)
    floor, toward_zero = sess.run([tf.floordiv(x, y), tf.truncatediv(x, y)])
    assert floor.tolist() == (x.astype(int) // y.astype(int)).tolist()
    assert toward_zero.tolist() == np.trunc(x.astype(float) / y).astype(int).tolist()


@pytest.mark.parametrize("name", ["floordiv", "truncatediv", "floormod", "truncatemod"])
def test_the_smallest_integer_by_minus_one(sess, name):
    x, y = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None])
    low = np.iinfo(np.int32).min
    result = sess.run(getattr(tf, name)(x, y), {x: [low] * 20, y: [-1] * 20})
    assert set(result.tolist()) <= {low, 0}


@pytest.mark.parametrize("name", ["floordiv", "truncatediv", "floormod", "truncatemod"])
def test_whole_division_by_zero_is_refused(sess, name):
    x, y = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int64, [None])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        sess.run(getattr(tf, name)(x, y), {x: [1, 2], y: [1, 0]})


@pytest.mark.parametrize(("name", "choose"), [("maximum", max), ("minimum", min)])
def test_the_first_argument_decides_where_one_is_nan(sess, name, choose):
    nan = float("nan")
    x, y = tf.placeholder(tf.float64, None), tf.placeholder(tf.float64, None)
    result = sess.run(getattr(tf, name)(x, y), {x: [nan, 1.0, 3.0], y: [1.0, nan, 2.0]})
    np.testing.assert_array_equal(result, [nan, 1.0, choose(3.0, 2.0)])


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
@pytest.mark.parametrize("sign", ["u", ""])
def test_bits_against_python_integers(sess, bits, sign):
    dtype = np.dtype(f"{sign}int{bits}")
    info = np.iinfo(dtype)
    values = [0, 1, 5, info.max, info.max // 3, info.min, info.min // 3]
    x, shift = np.array(values, dtype), np.array([3], dtype)
    right, left, flipped = sess.run(
        [tf.bitwise.right_shift(x, shift), tf.bitwise.left_shift(x, shift), tf.bitwise.invert(x)]
    )
    assert right.tolist() == [v >> 3 for v in values]
    assert [v % 2**bits for v in left.tolist()] == [(v << 3) % 2**bits for v in values]
    assert [v % 2**bits for v in flipped.tolist()] == [~v % 2**bits for v in values]
    if sign == "u" and bits > 16:
        with pytest.raises(tf.errors.InvalidArgumentError, match="No OpKernel was registered"):
            sess.run(raw.PopulationCount(x))
        return
    counts = sess.run(raw.PopulationCount(x))
    assert counts.tolist() == [bin(v % 2**bits).count("1") for v in values]


@pytest.mark.parametrize("bits", [8, 32, 64])
def test_unsigned_integers_are_ordered_as_such(sess, bits):
    dtype = np.dtype(f"uint{bits}")
    x, y = np.array([2**bits - 1, 1, 2 ** (bits - 1)], dtype), np.array([1, 2**bits - 1, 2 ** (bits - 1)], dtype)
    less, at_least = sess.run([tf.less(x, y), tf.greater_equal(x, y)])
    assert less.tolist() == [False, True, False]
    assert at_least.tolist() == [True, False, True]


@pytest.mark.parametrize("count", [1, 2, 3, 17])
def test_add_n_is_the_sum_and_leaves_its_inputs_alone(sess, count):
    arrays = [np.random.default_rng(i).normal(size=(2, 3)) for i in range(count)]
    inputs = [tf.placeholder(tf.float64, None) for _ in arrays]
    feed = dict(zip(inputs, arrays, strict=True))
    kept = [a.copy() for a in arrays]
    np.testing.assert_allclose(sess.run(tf.add_n(inputs), feed), sum(arrays))
    for array, before in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(array, before)


# Derivatives that TensorFlow takes from closed forms, against differences of the functions themselves.
@pytest.mark.parametrize(
    ("function", "points"),
    [
        (lambda a: raw.Igamma(a, tf.constant([0.2, 1.0, 2.0, 33.0, 8.0], tf.float64)), [0.1, 1.0, 3.5, 30.0, 2.0]),
        (lambda x: tf.igammac(tf.constant([0.4, 6.0], tf.float64), x), [0.7, 4.0]),
        (lambda x: tf.betainc(tf.constant(2.0, tf.float64), tf.constant(3.5, tf.float64), x), [0.2, 0.6, 0.95]),
        (lambda x: tf.zeta(tf.constant(3.0, tf.float64), x), [0.7, 4.0]),
        (lambda x: tf.polygamma(tf.constant(2.0, tf.float64), x), [0.7, 4.0]),
        (lambda x: tf.math.bessel_i1(x), [-0.7, 0.3, 4.0]),
        (lambda x: tf.log_sigmoid(x), [-30.0, 0.3, 4.0]),
        (lambda x: x**x, [0.3, 4.0]),
        (lambda x: tf.clip_by_norm(x, 1.5), [0.3, 4.0]),
    ],
)
def test_gradients_are_limits_of_differences(sess, function, points):
    x = tf.placeholder(tf.float64, [len(points)])
    y = tf.reduce_sum(function(x))
    (gradient,) = tf.gradients(y, x)
    at, step = np.array(points), 1e-6
    differences = [
        (sess.run(y, {x: at + step * unit}) - sess.run(y, {x: at - step * unit})) / (2 * step)
        for unit in np.eye(len(points))
    ]
    np.testing.assert_allclose(sess.run(gradient, {x: at}), differences, rtol=1e-5, atol=1e-8)


def test_betainc_is_symmetric_and_known_at_halves(sess):
    a, b, x = np.array([0.5, 3.0, 40.0, 2.0]), np.array([4.0, 3.0, 0.7, 9.0]), np.array([0.1, 0.5, 0.9, 0.33])
    one, other = sess.run([tf.betainc(a, b, x), tf.betainc(b, a, 1.0 - x)])
    np.testing.assert_allclose(one + other, 1.0, rtol=1e-12)
    assert one[1] == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("other", [np.float64(2.0), np.float32(2.0), np.int32(2), np.full(2, 2.0), [2.0, 2.0], 2])
def test_the_tensor_decides_the_type_whatever_stands_on_the_left(sess, other):
    t = tf.constant([1.0, 4.0])
    results = sess.run([other + t, other - t, other * t, other / t, other**t])
    assert all(r.dtype == np.float32 for r in results)
    np.testing.assert_allclose(results, [[3, 6], [1, -2], [2, 8], [2, 0.5], [2, 16]])


def test_an_object_that_knows_tensors_is_asked(sess):
    class Knows:
        def __radd__(self, other):
            return "asked"

    def refuse(value, dtype=None, name=None, as_ref=False):
        raise TypeError("not a tensor")

    tf.register_tensor_conversion_function(Knows, refuse, 0)
    assert tf.constant(1.0) + Knows() == "asked"


def test_gradients_of_igamma_are_slopes_of_gamma_distributions(sess):
    a, x = (grid.ravel() for grid in np.meshgrid(np.logspace(-2, 5, 12), np.logspace(-3, 5, 13)))
    (gradient,) = sess.run(tf.gradients(tf.igamma(at := tf.constant(a), tf.constant(x)), at))
    step = 1e-4 * np.minimum(a, np.sqrt(a))
    slope = (special.gammainc(a + step, x) - special.gammainc(a - step, x)) / (2 * step)
    np.testing.assert_allclose(gradient, slope, rtol=1e-4, atol=1e-8)


def test_gradients_of_igamma_at_ends(sess):
    a = tf.constant([-1.0, 0.0, 2.0, np.nan, 2.0, 0.0, -1.0])
    x = tf.constant([0.0, 0.0, 0.0, 0.0, np.inf, 3.0, 3.0])
    # What 1.15.5 gives: it does not look at a where x is 0.
    np.testing.assert_array_equal(sess.run(tf.gradients(tf.igamma(a, x), a)[0]), [0, 0, 0, 0, 0, np.nan, np.nan])


def test_betainc_of_large_parameters_is_scipys(sess):
    a, b, x = (
        np.array(values)
        for values in zip(
            *itertools.product(np.logspace(-6, 5, 8), np.logspace(-6, 5, 8), np.linspace(0.01, 0.99, 9)), strict=True
        )
    )
    shape = [8, 8, 9]
    values = sess.run(tf.betainc(*(tf.constant(v.reshape(shape)) for v in (a, b, x))))
    np.testing.assert_allclose(values, special.betainc(a, b, x).reshape(shape), rtol=1e-7, atol=1e-9)
