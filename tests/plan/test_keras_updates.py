"""The updates of Keras' optimizers, in one call for all variables: what they give is what each operation gives."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.plan.pipeline import without

_SHAPES = {1: [(3, 2)], 3: [(3, 2), (4,), ()], 20: [(5, i + 1) for i in range(20)]}
_OPTIMIZERS = {
    "rms_prop": (lambda: tf.keras.optimizers.RMSprop(0.1), "_ApplyRMSPropByRootMany"),
    "rms_prop_that_decays": (lambda: tf.keras.optimizers.RMSprop(0.1, rho=0.5, decay=0.1), "_ApplyRMSPropByRootMany"),
    "rms_prop_of_all_time": (lambda: tf.keras.optimizers.RMSprop(0.1, rho=1.0, epsilon=0.1), "_ApplyRMSPropByRootMany"),
    "rms_prop_with_momentum": (lambda: tf.keras.optimizers.RMSprop(0.1, momentum=0.5), "_ApplyRMSPropMany"),
    "nadam": (lambda: tf.keras.optimizers.Nadam(0.1), "_ApplyNadamMany"),
    "nadam_without_moment": (lambda: tf.keras.optimizers.Nadam(0.1, beta_1=0.0), "_ApplyNadamMany"),
    "ada_max": (lambda: tf.keras.optimizers.Adamax(0.1), "_ApplyAdaMaxMany"),
    "adadelta": (lambda: tf.keras.optimizers.Adadelta(0.5, rho=0.7, epsilon=1e-3), "_ApplyAdadeltaMany"),
    "rms_prop_of_keras_alone": (
        lambda: tf.python.keras.optimizers.RMSprop(0.1),
        "_ApplyRMSPropByRootMany",
    ),
}
_FUSIONS = ("keras updates", "updates")


def _variables(shapes):
    random = np.random.RandomState(7)
    return [
        tf.get_variable(f"v{i}", initializer=np.asarray(random.randn(*shape), "f"), use_resource=True)
        for i, shape in enumerate(shapes)
    ]


def _trained(make, shapes, fused, steps=4):
    """The variables after some steps, and the types of the ops that a step has."""
    with tf.Graph().as_default(), without(*[] if fused else _FUSIONS), tf.Session() as session:
        variables = _variables(shapes)
        loss = tf.add_n([tf.reduce_sum(tf.sin(v) + 0.1 * v * v) for v in variables])
        optimizer = make()
        step = tf.group(*optimizer.get_updates(loss, variables))
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            session.run(step)
        types = [node.type for node in session.plan_for(step).nodes]
        return session.run([*variables, *optimizer.weights]), types


@pytest.mark.parametrize("count", _SHAPES)
@pytest.mark.parametrize("name", _OPTIMIZERS)
def test_steps_are_those_of_single_operations(name, count):
    make, op_type = _OPTIMIZERS[name]
    together, types = _trained(make, _SHAPES[count], fused=True)
    apart, _ = _trained(make, _SHAPES[count], fused=False)
    for found, expected in zip(together, apart, strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)
    # A single operation of a single small variable stays as it is.
    assert types.count(op_type) == (0 if count == 1 and "ByRoot" not in op_type and "Nadam" not in op_type else 1)


@pytest.mark.parametrize("name", ["rms_prop_with_momentum", "adadelta"])
def test_large_variables(name):
    make, _ = _OPTIMIZERS[name]
    shapes = [(150_000,), (150_000,)]
    together, apart = (_trained(make, shapes, fused, steps=2)[0] for fused in (True, False))
    for found, expected in zip(together, apart, strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


def test_what_somebody_else_takes_stays():
    """The root of an average is fetched beside the step, so it has to be computed."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        (variable,) = _variables([(2,)])
        optimizer = tf.keras.optimizers.RMSprop(0.5, rho=0.75)
        step = tf.group(*optimizer.get_updates(tf.reduce_sum(variable * [1.0, 2.0]), [variable]))
        (root,) = (op for op in graph.get_operations() if op.type == "Sqrt")
        session.run(tf.global_variables_initializer())
        found, _ = session.run([root.outputs[0], step])
        np.testing.assert_allclose(found, [0.5, 1.0], rtol=1e-6)


@pytest.mark.parametrize("fused", [True, False])
def test_a_step_waits_for_what_it_is_told_to_wait_for(fused):
    with tf.Graph().as_default(), without(*[] if fused else _FUSIONS), tf.Session() as session:
        variables = _variables([(2,), (3,)])
        seen = tf.get_variable("seen", initializer=np.float32(0), use_resource=True)
        before = seen.assign(tf.reduce_sum(variables[0]))
        with tf.control_dependencies([before]):
            updates = tf.keras.optimizers.Nadam(0.1).get_updates(
                tf.add_n([tf.reduce_sum(v) for v in variables]), variables
            )
        with tf.control_dependencies(updates):
            after = tf.reduce_sum(variables[0].read_value())
        session.run(tf.global_variables_initializer())
        start = session.run(variables[0]).sum()
        end = session.run(after)
        np.testing.assert_allclose(session.run(seen), start, rtol=1e-6)
        np.testing.assert_allclose(session.run(variables[0]).sum(), end, rtol=1e-6)
        assert end < start


def test_shapes_that_are_not_known_are_left_alone():
    with tf.Graph().as_default(), tf.Session() as session:
        variables = _variables([(3, 2)])
        gradient = tf.placeholder(tf.float32)
        optimizer = tf.keras.optimizers.RMSprop(0.1, rho=0.0, epsilon=1e-7)
        step = optimizer.apply_gradients([(gradient, variables[0])])
        session.run(tf.global_variables_initializer())
        start = session.run(variables[0])
        session.run(step, {gradient: np.full((3, 2), 4.0)})
        np.testing.assert_allclose(session.run(variables[0]), start - 0.1, rtol=1e-5, atol=1e-6)


def test_infinite_gradients_spoil_one_number_only():
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", initializer=np.zeros(3, "f"), use_resource=True)
        optimizer = tf.keras.optimizers.RMSprop(0.1, rho=0.0, epsilon=1e-7)
        step = optimizer.apply_gradients([(tf.constant([np.inf, 1.0, 0.0]), v)])
        session.run(tf.global_variables_initializer())
        session.run(step)
        found = session.run(v)
    assert np.isnan(found[0])
    np.testing.assert_allclose(found[1:], [-0.1, 0.0], atol=1e-6)
