"""What is known of a handle that stands outside of a function's body."""

from __future__ import annotations

import headrace as tf
from headrace.core.func_graph import FuncGraph
from headrace.kernels.state.handles import copy_handle_data
from headrace.state.handles import get_resource_handle_data


def test_a_placeholder_may_be_told_what_it_leads_to():
    handle = tf.get_variable("v", [2, 3], tf.float64, use_resource=True).handle
    with FuncGraph("body").as_default():
        inner, number = tf.placeholder(tf.resource, []), tf.placeholder(tf.float32, [])
        assert not get_resource_handle_data(inner).is_set
        copy_handle_data(handle, inner)
        copy_handle_data(handle, number)
        assert tf.raw_ops.ReadVariableOp(resource=inner, dtype=tf.float64).shape.as_list() == [2, 3]
    assert get_resource_handle_data(inner) == get_resource_handle_data(handle)


def test_gradients_of_a_handle_have_the_type_of_what_it_leads_to():
    v = tf.get_variable("v", [2, 2], tf.float64, use_resource=True)
    one = tf.constant(1.0)
    passed = tf.identity_n([one, v.handle])
    copy_handle_data(v.handle, passed[1])
    gradient = tf.gradients(passed[0], [one, v.handle])[1]
    assert gradient.dtype == tf.float64
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(gradient).tolist() == [[0, 0], [0, 0]]


def test_a_custom_gradient_passes_on_what_is_known_of_a_handle():
    sizes = []

    @tf.custom_gradient
    def same(handle):
        def gradient(slices):
            sizes.append(tf.contrib.util.constant_value(slices.dense_shape))
            return slices

        return tf.identity(handle), gradient

    v = tf.get_variable("v", [20], tf.float64, use_resource=True)
    rows = tf.raw_ops.ResourceGather(resource=same(v.handle), indices=[3, 1], dtype=tf.float64)
    tf.gradients(rows, v.handle)
    assert [size.tolist() for size in sizes] == [[20]]


def test_what_is_fetched_of_a_handle_names_the_resource():
    v = tf.get_variable("v", [2], tf.int32, use_resource=True)
    with tf.Session() as session:
        fetched = session.run(v.handle)
    assert fetched.dtype.names == ("resource",)
    assert b"localhost" in fetched.tobytes()
