"""Updates that are done together: none is lost, and none runs before what it waits for."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.plan.pipeline import without


def _types(session, fetches):
    return [node.type for node in session.plan_for(fetches).nodes]


@pytest.mark.parametrize("fused", [True, False])
def test_updates_whose_references_are_fetched_run(fused):
    with tf.Graph().as_default(), without(*[] if fused else ["updates"]), tf.Session() as session:
        variables = [tf.get_variable(f"v{i}", initializer=np.full(3, 1.0 + i, np.float32)) for i in range(2)]
        updates = [tf.raw_ops.ApplyGradientDescent(var=v._ref(), alpha=0.25, delta=tf.ones([3])) for v in variables]
        session.run(tf.global_variables_initializer())
        assert ("_ApplyGradientDescentMany" in _types(session, updates)) is fused
        for found in (session.run(updates), session.run(variables)):
            np.testing.assert_array_equal(found, [[0.75] * 3, [1.75] * 3])


@pytest.mark.parametrize("fused", [True, False])
def test_two_optimizers_that_wait_for_each_other(fused):
    """One variable of each waits for one of the other, so that neither group can be done in one call before the other."""
    with tf.Graph().as_default(), without(*[] if fused else ["updates"]), tf.Session() as session:
        a = [tf.get_variable(f"a{i}", initializer=np.float32(1 + i)) for i in range(2)]
        b = [tf.get_variable(f"b{i}", initializer=np.float32(1 + i)) for i in range(2)]
        momentum, descent = tf.train.MomentumOptimizer(0.125, 0.9), tf.train.GradientDescentOptimizer(0.5)
        first = momentum.apply_gradients([(tf.constant(1.0), a[0])])
        with tf.control_dependencies([first]):
            step_b = descent.apply_gradients([(a[0].read_value() * 1.0, b[0])])
        second = descent.apply_gradients([(tf.constant(1.0), b[1])])
        with tf.control_dependencies([second]):
            step_a = momentum.apply_gradients([(b[1].read_value() * 1.0, a[1])])
        step = tf.group(step_a, step_b)
        session.run(tf.global_variables_initializer())
        session.run(step)
        # a0 = 1 - 1/8, then b0 = 1 - a0/2; b1 = 2 - 1/2, then a1 = 2 - b1/8.
        assert session.run(a + b) == [0.875, 1.8125, 0.5625, 1.5]


def test_a_group_that_waits_for_another_runs_after_it():
    with tf.Graph().as_default(), tf.Session() as session:
        a = [tf.get_variable(f"a{i}", initializer=np.float32(1 + i)) for i in range(2)]
        b = [tf.get_variable(f"b{i}", initializer=np.float32(1 + i)) for i in range(2)]
        first = tf.train.MomentumOptimizer(0.125, 0.9).apply_gradients([(tf.constant(1.0), v) for v in a])
        with tf.control_dependencies([first]):
            pairs = [(v.read_value() * 1.0, w) for v, w in zip(a, b)]
            step = tf.train.GradientDescentOptimizer(0.5).apply_gradients(pairs)
        session.run(tf.global_variables_initializer())
        types = _types(session, step)
        assert types.index("_ApplyMomentumMany") < types.index("_ApplyGradientDescentMany")
        session.run(step)
        assert session.run(a + b) == [0.875, 1.875, 0.5625, 1.0625]
