"""`tf.recompute_grad` while executing eagerly: gradients as of the function itself, which is called once more for them."""

import pytest

import headrace as tf
from headrace.core.eager import eager_mode


@pytest.fixture(autouse=True)
def _eager():
    with eager_mode():
        yield


def test_a_function_is_called_again_for_its_gradient():
    calls = []

    @tf.recompute_grad
    def squared(x):
        calls.append(1)
        return x * x

    x = tf.constant(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = squared(x)
        assert len(calls) == 1
        first = tape.gradient(y, x)
    assert len(calls) == 2
    assert first.numpy() == 6.0
    assert outer.gradient(first, x).numpy() == 2.0


def test_gradients_of_variables_and_several_arguments_and_results():
    scale = tf.Variable(2.0)

    @tf.recompute_grad
    def products(x, y):
        return [x * scale, x * y]

    x, y = tf.constant(3.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        first, second = products(x, y)
        total = first + 10.0 * second
    assert [float(g) for g in tape.gradient(total, [x, y, scale])] == [52.0, 30.0, 3.0]


def test_keyword_arguments():
    @tf.recompute_grad
    def power(x, times=1):
        return x**times

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, times=3)
    assert tape.gradient(y, x).numpy() == 27.0
