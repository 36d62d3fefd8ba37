"""Derivatives along directions; values are those of TensorFlow 1.15.5."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.autodiff.forward_accumulator import ForwardGradientAccumulator
from headrace.core.eager import eager_mode


@pytest.fixture(autouse=True)
def _eager():
    with eager_mode():
        yield


def test_along_a_direction():
    with ForwardGradientAccumulator() as along:
        x = tf.constant(2.0)
        along.watch(x, tf.constant(3.0))
        y = x * x
        z = tf.sin(y)
    assert along.jvp(y).numpy() == 12.0
    assert along.jvp(z).numpy() == pytest.approx(-7.8437233)
    assert along.jvp(x).numpy() == 3.0
    assert along.jvp(tf.constant(1.0)) is None
    # What is computed afterwards is not recorded.
    assert along.jvp(y * 2.0) is None


def test_directions_add_up():
    x = tf.constant(1.0)
    with ForwardGradientAccumulator() as along:
        along.watch(x, tf.constant(1.0))
        along.watch(x, tf.constant(10.0))
        doubled = x * 2.0
        assert [t.numpy() for t in along.jvp([doubled, x])] == [22.0, 11.0]


def test_of_higher_order():
    x = tf.constant(1.0)
    with ForwardGradientAccumulator() as outer:
        outer.watch(x, tf.constant(1.0))
        with ForwardGradientAccumulator() as inner:
            inner.watch(x, tf.constant(1.0))
            first = inner.jvp(x * x * x)
        assert (first.numpy(), outer.jvp(first).numpy()) == (3.0, 6.0)
    y = tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch(y)
        with ForwardGradientAccumulator() as along:
            along.watch(y, tf.constant(1.0))
            cube = y * y * y
        product = along.jvp(cube)
    assert (product.numpy(), tape.gradient(product, y).numpy()) == (6.75, 9.0)


def test_through_a_function():
    x = tf.constant(1.5)
    with ForwardGradientAccumulator() as along:
        along.watch(x, tf.constant(1.0))
        y = tf.function(lambda value: value * value)(x)
    assert along.jvp(y).numpy() == 3.0


def test_what_it_refuses():
    along = ForwardGradientAccumulator()
    with along, pytest.raises(ValueError, match="already recording"), along:
        pass
    with pytest.raises(NotImplementedError, match="only tensors can be watched"):
        along.watch(tf.Variable(2.0), tf.constant(5.0))
