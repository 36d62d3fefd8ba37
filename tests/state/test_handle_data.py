"""What is known of a handle that stands outside of a function's body."""

from __future__ import annotations

import headrace as tf
from headrace.core.func_graph import FuncGraph
from headrace.state.handles import copy_handle_data, get_resource_handle_data


def test_a_placeholder_may_be_told_what_it_leads_to():
    handle = tf.get_variable("v", [2, 3], tf.float64, use_resource=True).handle
    with FuncGraph("body").as_default():
        inner, number = tf.placeholder(tf.resource, []), tf.placeholder(tf.float32, [])
        assert not get_resource_handle_data(inner).is_set
        copy_handle_data(handle, inner)
        copy_handle_data(handle, number)
        assert tf.raw_ops.ReadVariableOp(resource=inner, dtype=tf.float64).shape.as_list() == [2, 3]
    assert get_resource_handle_data(inner) == get_resource_handle_data(handle)
