"""Static shapes of what functions make of shapes that they have captured. Values: 1.15.5."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import headrace as tf
from headrace.core.tensor_util import constant_value_as_shape

MADE: dict[str, Callable[[Any], Any]] = {
    "zeros": tf.zeros,
    "ones": tf.ones,
    "fill": lambda shape: tf.fill(shape, 2.0),
    "uniform": tf.random.uniform,
    "integers": lambda shape: tf.random.uniform(shape, 0, 5, tf.int32),
    "normal": tf.random.normal,
    "truncated_normal": tf.random.truncated_normal,
    "gamma": lambda shape: tf.random.gamma(shape, 1.0),
    "poisson": lambda shape: tf.random.poisson(1.0, shape),
    "stateless": lambda shape: tf.random.stateless_uniform(shape, [1, 2]),
    "reshape": lambda shape: tf.reshape(tf.zeros([5]), shape),
}


def _inside(make: Callable[[Any], Any]) -> list[Any]:
    """The shapes of `make` of a captured shape (?, 2): in a branch, a loop and a function."""
    found = []

    def note(shape: Any) -> Any:
        found.append(make(shape).shape.as_list())
        return tf.constant(1)

    def body(x: Any) -> Any:
        shape = tf.shape(x)
        tf.cond(x[0, 0] > 0, lambda: note(shape), lambda: tf.constant(2))
        tf.while_loop(lambda i: i < 1, lambda i: i + note(shape), [tf.constant(0)])
        tf.function(lambda: note(shape))()
        return x

    with tf.Graph().as_default():
        function = tf.function(body, input_signature=[tf.TensorSpec([None, 2])], autograph=False)
        function.get_concrete_function()
    return found


@pytest.mark.parametrize("name", sorted(MADE))
def test_the_captured_shape_is_known_inside(name: str) -> None:
    shapes = _inside(MADE[name])
    assert len(shapes) >= 3
    assert all(shape == [None, 2] for shape in shapes)


def test_parts_of_captured_shapes_are_known_too() -> None:
    assert all(shape == [None, 2, 3] for shape in _inside(lambda shape: tf.zeros(tf.concat([shape, [3]], 0))))


def test_others_do_not_look_outside() -> None:
    assert all(shape == [None, None] for shape in _inside(lambda shape: tf.broadcast_to(1.0, shape)))


def test_the_described_shape_of_a_captured_one() -> None:
    seen = []
    with tf.Graph().as_default():
        shape = tf.shape(tf.placeholder(tf.float32, [None, 7]))

        def body() -> Any:
            inner = tf.identity(0.0) + tf.cast(shape[1], tf.float32)
            seen.append(constant_value_as_shape(tf.get_default_graph().capture(shape)).as_list())
            return inner

        tf.function(body, autograph=False).get_concrete_function()
    assert seen[0] == [None, 7]


def test_a_shape_that_cannot_fit_fails_when_it_runs() -> None:
    @tf.function(autograph=False)
    def outer(x: Any) -> Any:
        shape = tf.shape(x)
        return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.reshape(tf.zeros([4]), shape), lambda: tf.zeros([2, 2]))

    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 2])
        value = outer(x)
        assert sess.run(value, {x: [[1.0, 1.0], [1.0, 1.0]]}).tolist() == [[0.0, 0.0], [0.0, 0.0]]
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(value, {x: [[1.0, 1.0]]})


def test_alpha_dropout_knows_its_last_size() -> None:
    from headrace.core.eager import eager_mode

    with eager_mode():
        inputs = tf.keras.Input((2, 2, 1))
        assert tf.keras.layers.AlphaDropout(0.1)(inputs).shape.as_list() == [None, 2, 2, 1]
