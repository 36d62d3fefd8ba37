"""Keras' backend where operations run at once: values, functions of symbolic tensors, the learning phase."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_graph
from headrace.keras.backend.execution import EagerExecutionFunction
from headrace.keras.backend.learning import eager_learning_phase_scope, global_learning_phase_is_set
from headrace.layers.context import get_graph

K = tf.keras.backend


@pytest.fixture
def eager(monkeypatch):
    """A test that executes eagerly, as programs that enabled it do."""
    from headrace.core import defaults

    monkeypatch.setattr(defaults, "_eager", eager_graph())
    with eager_graph().as_default():
        yield
    K.clear_session()


def test_variables_have_values(eager):
    v = K.variable([1.0, 2.0])
    np.testing.assert_array_equal(K.get_value(v), [1, 2])
    K.set_value(v, [3, 4])
    K.batch_set_value([(v, [5, 6])])
    np.testing.assert_array_equal(K.batch_get_value([v])[0], [5, 6])
    np.testing.assert_array_equal(K.eval(v * 2), [10, 12])
    np.testing.assert_array_equal(K.get_value(K.update_add(v, [1.0, 1.0])), [6, 7])


def test_functions_of_symbolic_tensors(eager):
    v = K.variable([5.0, 6.0])
    x = K.placeholder((2,))
    assert x.graph is get_graph()
    with get_graph().as_default():
        y, z = x * v, x + 1.0
    both = K.function([x], [y, {"z": z}])
    assert isinstance(both, EagerExecutionFunction)
    first, second = both([[1.0, 2.0]])
    np.testing.assert_array_equal(first, [5, 12])
    np.testing.assert_array_equal(second["z"], [2, 3])
    v.assign([1.0, 1.0])
    np.testing.assert_array_equal(both([np.array([1.0, 2.0])])[0], [1, 2])
    with pytest.raises(ValueError, match="feed a value"):
        both([None])
    with pytest.raises(ValueError, match="keyword"):
        K.function([x], [y], fetches=[z])


def test_updates_run(eager):
    v = K.variable([1.0])
    x = K.placeholder((1,))
    with get_graph().as_default():
        y = x * 2.0
    step = K.function([x], [y], updates=[(v, x)])
    np.testing.assert_array_equal(step([[7.0]])[0], [14])
    np.testing.assert_array_equal(K.get_value(v), [7])


def test_the_learning_phase(eager):
    assert K.learning_phase() == 0
    assert not global_learning_phase_is_set()
    with eager_learning_phase_scope(1):
        assert K.learning_phase() == 1
        assert global_learning_phase_is_set()
        assert float(K.in_train_phase(tf.constant(1.0), tf.constant(2.0))) == 1.0
    assert K.learning_phase() == 0
    with get_graph().as_default():
        phase = K.learning_phase()
    assert phase.op.type == "PlaceholderWithDefault"
    K.set_learning_phase(1)
    assert K.learning_phase() == 1
    with get_graph().as_default():
        assert K.learning_phase() == 1
