"""What is known while a graph is built of the variable behind a handle that went through other ops, as in 1.15.5."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import headrace as tf
from headrace.core.registry import raw

KEEPS = {
    "Identity": raw.Identity,
    "Switch": lambda handle: raw.Switch(handle, True)[0],
    "Enter": lambda handle: raw.Enter(handle, frame_name="loop"),
    "Exit": lambda handle: raw.Exit(raw.Enter(handle, frame_name="loop")),
    "NextIteration": raw.NextIteration,
}


def variable(name: str, shape: list[int]) -> tf.Variable:
    return tf.get_variable(name, shape, use_resource=True)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize("op_type", KEEPS)
def test_a_handle_that_is_passed_on_leads_to_the_same_variable(op_type: str):
    handle = KEEPS[op_type](variable("v", [2, 3]).handle)
    assert raw.ReadVariableOp(handle, dtype=tf.float32).shape.as_list() == [2, 3]
    with pytest.raises(ValueError, match="Expected float got int32"):
        raw.ReadVariableOp(handle, dtype=tf.int32)


CHOICES: dict[str, Callable[[tf.Tensor, tf.Tensor, tf.Tensor], tf.Tensor]] = {
    "Merge": lambda pred, one, other: raw.Merge([raw.Switch(other, pred)[0], raw.Switch(one, pred)[1]])[0],
    "cond": lambda pred, one, other: tf.cond(pred, lambda: one, lambda: other),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_of_a_handle_that_is_one_of_two_nothing_is_known(choice: str):
    small, large = variable("small", [1, 2]), variable("large", [2, 2])
    pred = tf.placeholder(tf.bool, [])
    value = raw.ReadVariableOp(CHOICES[choice](pred, small.handle, large.handle), dtype=tf.float32)
    assert value.shape.ndims is None
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for taken, shape in ((True, (1, 2)), (False, (2, 2))):
            assert sess.run(value, {pred: taken}).shape == shape


def test_what_either_of_two_variables_can_take_is_assigned_to_one_of_them():
    small, large = variable("small", [1, 2]), variable("large", [2, 2])
    pred = tf.placeholder(tf.bool, [])
    handle = CHOICES["Merge"](pred, small.handle, large.handle)
    write = raw.AssignVariableOp(handle, tf.ones([2, 2]))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(write, {pred: False})
        np.testing.assert_array_equal(sess.run(large), np.ones([2, 2]))


def test_zeros_for_a_handle_that_is_one_of_two_are_floats():
    one, other = variable("one", [2]), variable("other", [2])
    handle = CHOICES["Merge"](tf.placeholder(tf.bool, []), one.handle, other.handle)
    (zeros,) = tf.gradients(tf.constant(1.0), [handle], unconnected_gradients="zero")
    assert zeros.dtype == tf.float32
