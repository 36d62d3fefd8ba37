"""The order of a program's text as control inputs; values are those of TensorFlow 1.15.5."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.state.automatic_dependencies import (
    AutomaticControlDependencies,
    automatic_control_dependencies,
    op_is_stateful,
)


def _both_branches(v, order):
    p = tf.constant(False)

    def add_one():
        v.assign(v + 1)
        return 0.0

    def add_four():
        v.assign(v + 4)
        return 1.0

    tf.cond(p, add_one, add_four)
    return order.mark_as_return(v.read_value())


def _around_a_branch(v, order):
    v.assign(v * 2)

    def add_one():
        v.assign(v + 1)
        return 0.0

    tf.cond(tf.constant(True), add_one, lambda: 1.0)
    v.assign(v * 2)
    return order.mark_as_return(v.read_value())


def _branch_in_a_branch(v, order):
    def times(factor):
        v.assign(v * factor)
        return tf.constant(factor)

    def outer():
        v.assign(v * 2)
        return tf.cond(tf.constant(False), lambda: times(3.0), lambda: times(5.0))

    tf.cond(tf.constant(True), outer, lambda: tf.constant(3.0))
    return order.mark_as_return(v.read_value())


def _read_in_a_branch(v, order):
    v.assign(v * 2)
    return order.mark_as_return(tf.cond(tf.constant(True), lambda: v.read_value() * 10.0, lambda: 0.0))


def _slices(v, order):
    v.assign(3.0)
    return order.mark_as_return(tf.IndexedSlices(v.read_value()[None], tf.constant([0]))).values


def _sparse(v, order):
    v.assign(3.0)
    return order.mark_as_return(tf.SparseTensor([[0]], v.read_value()[None], [2])).values


@pytest.mark.parametrize(
    ("body", "returned", "left"),
    [
        (_both_branches, 5.0, 5.0),
        (_around_a_branch, 6.0, 6.0),
        (_branch_in_a_branch, 10.0, 10.0),
        (_read_in_a_branch, 20.0, 2.0),
        (_slices, [3.0], 3.0),
        (_sparse, [3.0], 3.0),
    ],
)
def test_effects_run_as_written(body, returned, left):
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", [], use_resource=True, initializer=tf.ones_initializer())
        with AutomaticControlDependencies() as order:
            result = body(v, order)
        sess.run(v.initializer)
        got = sess.run(result)
        assert (got.tolist(), sess.run(v)) == (returned, left)


def test_of_a_function():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", [], use_resource=True, initializer=tf.ones_initializer())

        @automatic_control_dependencies
        def twice():
            v.assign(v + 1)
            v.assign(2 * v)
            return {"v": v.read_value()}

        result = twice()
        sess.run(v.initializer)
        assert sess.run(result) == {"v": 4.0}
    with eager_mode():
        assert automatic_control_dependencies(lambda: tf.constant(2.0))().numpy() == 2.0


def test_which_operations_keep_their_place():
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [], use_resource=True)
        tf.random.uniform([2])
        v.read_value()
        v.assign(1.0)
        kept = {op.type: op_is_stateful(op) for op in graph.get_operations()}
    assert kept["ReadVariableOp"]
    assert kept["AssignVariableOp"]
    assert not kept["RandomUniform"]
    assert not kept["Const"]
