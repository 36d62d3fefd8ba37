"""Reductions, arg-extremes and matrix products against NumPy over drawn shapes; errors by their text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.core.errors import InvalidArgumentError

REDUCTIONS = {"sum": np.sum, "mean": np.mean, "prod": np.prod, "max": np.max, "min": np.min}


def run(build):
    with tf.Graph().as_default(), tf.Session() as sess:
        fetch, feeds = build()
        return sess.run(fetch, feeds)


@pytest.mark.parametrize("name", REDUCTIONS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_reduction_is_numpys_however_shape_and_axes_are_given(name, data):
    shape = data.draw(st.lists(st.integers(1, 4), max_size=4))
    axes = data.draw(st.lists(st.sampled_from(range(len(shape))), unique=True)) if shape else []
    signed = [axis - len(shape) if data.draw(st.booleans()) else axis for axis in axes]
    keep = data.draw(st.booleans())
    values = np.random.RandomState(0).uniform(0.5, 2.0, size=shape)
    expected = REDUCTIONS[name](values, axis=tuple(axes), keepdims=keep)

    def build():
        known = tf.constant(values)
        unknown = tf.placeholder(tf.float64)
        fed_axes = tf.placeholder(tf.int32, [None])
        reduce = getattr(tf, f"reduce_{name}")
        fetches = [
            reduce(known, signed, keepdims=keep),
            reduce(unknown, signed, keepdims=keep),
            reduce(unknown, fed_axes, keepdims=keep),
        ]
        assert fetches[0].get_shape().as_list() == list(expected.shape)
        return fetches, {unknown: values, fed_axes: signed}

    for result in run(build):
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64", "int8", "uint8", "int16"])
def test_sums_of_narrow_and_unsigned_integers_wrap(dtype):
    limit = np.iinfo(dtype).max
    values = np.array([limit, 3], dtype)
    assert run(lambda: (tf.reduce_sum(tf.constant(values)), None)) == np.array([limit, 3], dtype).sum(dtype=dtype)


@pytest.mark.parametrize(("find", "sign"), [("argmax", 1), ("argmin", -1)])
def test_the_first_of_equal_elements_is_found(find, sign):
    table = sign * np.tile(np.array([0, 1], np.int32), (3, 500))
    result = run(lambda: (getattr(tf, find)(tf.constant(table), 1), None))
    assert result.tolist() == [1, 1, 1]


def test_logsumexp_of_large_numbers_is_finite():
    assert run(lambda: (tf.reduce_logsumexp([1000.0, 1000.0]), None)) == pytest.approx(1000.0 + np.log(2.0))


def test_shapes_that_do_not_fit_are_named_when_built():
    with pytest.raises(ValueError) as caught:
        tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))
    assert str(caught.value) == (
        "Dimensions must be equal, but are 3 and 2 for 'MatMul' (op: 'MatMul') with input shapes: [2,3], [2,3]."
    )


def test_shapes_that_do_not_fit_are_named_when_run():
    def build():
        a, b = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.float32, [None, None])
        return tf.matmul(a, b), {a: np.ones([2, 3]), b: np.ones([2, 3])}

    with pytest.raises(InvalidArgumentError, match=r"Matrix size-incompatible: In\[0\]: \[2,3\], In\[1\]: \[2,3\]"):
        run(build)


def test_an_argument_under_both_names_is_refused():
    with pytest.raises(ValueError, match="Cannot specify both 'reduction_indices' and 'axis'"):
        tf.reduce_sum(tf.zeros([2]), axis=0, reduction_indices=0)
    with pytest.raises(ValueError, match="Cannot specify both 'keep_dims' and 'keepdims'"):
        tf.reduce_sum(tf.zeros([2]), keepdims=True, keep_dims=True)


@pytest.mark.parametrize(
    "make", [lambda x: tf.reduce_prod(x, 1), lambda x: tf.reduce_max(x), lambda x: tf.cumsum(x, 1)]
)
def test_gradients_are_finite_differences(make):
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant(np.random.RandomState(1).normal(size=[3, 4]))
        y = make(x)
        assert tf.test.compute_gradient_error(x, [3, 4], y, y.get_shape().as_list()) < 1e-6
