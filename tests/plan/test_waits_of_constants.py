"""Constants made under control dependencies: who uses them runs after what they wait for, as in 1.15.5."""

from __future__ import annotations

import pytest

import headrace as tf


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("way", ["input", "control", "fetched", "predicate", "chain"])
def test_who_uses_a_constant_waits_for_what_that_waited_for(resource, way):
    with tf.Graph().as_default(), tf.Session() as session:
        state = tf.get_variable("state", initializer=1.0, use_resource=resource)
        with tf.control_dependencies([tf.assign_add(state, 10.0)]):
            told = tf.constant(2.0)
            if way == "input":
                # An operation waits by what it takes, if that waits.
                seen = told * state
            elif way == "chain":
                seen = tf.constant(1.0) * told * state
            elif way == "predicate":
                seen = tf.cond(tf.constant(True), lambda: 2.0 * state.read_value(), lambda: 0.0)
            else:
                seen = told
        if way == "control":
            with tf.control_dependencies([told]):
                seen = 2.0 * state.read_value()
        session.run(state.initializer)
        for after in (11.0, 21.0):
            value = session.run(seen)
            assert value == (2.0 if way == "fetched" else 2.0 * after)
            assert session.run(state) == after


_NOTHING_TO_DO = {
    "Reshape": lambda x: tf.reshape(x, [2]),
    "Transpose": lambda x: tf.transpose(x, [0]),
    "Tile": lambda x: tf.tile(x, [1]),
    "AddV2": lambda x: x + 0.0,
    "Sub": lambda x: x - 0.0,
    "Mul": lambda x: x * 1.0,
    "StridedSlice": lambda x: x[:],
    "Sum": lambda x: tf.reduce_sum(x, []),
}


@pytest.mark.parametrize("op", _NOTHING_TO_DO)
@pytest.mark.parametrize("fed", [True, False])
def test_what_changes_nothing_waits_as_its_constants_do(op, fed):
    """The second input alone waits: 1.15 gives no control edge to an op of which an input has it."""
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        state = tf.get_variable("state", initializer=[1.0, 2.0], use_resource=False)
        with tf.control_dependencies([tf.assign(state, x)]):
            given = _NOTHING_TO_DO[op](x if fed else state)
        twice = 2.0 * given
        session.run(state.initializer)
        assert session.run(given, {x: [3.0, 4.0]}).tolist() == [3.0, 4.0]
        assert session.run(state).tolist() == [3.0, 4.0]
        assert session.run(twice, {x: [5.0, 6.0]}).tolist() == [10.0, 12.0]
        assert session.run(state).tolist() == [5.0, 6.0]
