"""Conditions that are known while the graph is built."""

import numpy as np
import pytest

import headrace as tf


@pytest.mark.parametrize("true", [True, 1, 1.0, np.bool_(True), np.int64(1), np.float32(1)])
def test_numbers_of_numpy_are_bools_too(true):
    framework = tf.contrib.framework
    assert framework.smart_constant_value(true) is True
    assert framework.smart_cond(true, lambda: "yes", lambda: "no") == "yes"
    assert framework.smart_cond(type(true)(0), lambda: "yes", lambda: "no") == "no"
    assert tf.get_default_graph().get_operations() == []


@pytest.mark.parametrize("other", [2, "a", None, np.array(True)])
def test_other_values_are_no_conditions(other):
    with pytest.raises(TypeError):
        tf.contrib.framework.smart_cond(other, lambda: 1, lambda: 2)


def test_layers_take_them():
    rows = tf.ones([2, 3])
    assert tf.layers.dropout(rows, 0.5, training=np.bool_(False)).op.type == "Identity"
    with tf.Session() as sess:
        assert set(sess.run(tf.layers.dropout(rows, 0.5, training=np.bool_(True))).ravel()) <= {0.0, 2.0}


def test_phases_of_keras_are_known_by_them():
    backend = tf.keras.backend
    yes, no = tf.ones([]), tf.zeros([])
    assert backend.in_train_phase(yes, no, training=np.bool_(True)) is yes
    assert backend.in_train_phase(yes, no, training=np.int64(0)) is no
    assert backend.in_test_phase(yes, no, training=np.bool_(False)) is yes
    with pytest.raises(AttributeError):
        backend.in_train_phase(yes, no, training=2)
