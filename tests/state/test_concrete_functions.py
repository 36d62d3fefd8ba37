"""Functions traced for arguments, as they are called eagerly."""

from __future__ import annotations

import gc

import headrace as tf
from headrace.core.eager import eager_mode


def _traced():
    @tf.function
    def body(value):
        return tf.square(value) + 1.0

    return body.get_concrete_function(tf.TensorSpec([2]))


def test_a_function_outlives_one_that_is_equal():
    """Equal bodies have equal names, and the library of eager calls keeps neither alive."""
    with eager_mode():
        first = _traced()
        first(tf.zeros([2]))
        second = _traced()
        assert second.name == first.name
        second.add_to_graph()
        del first
        gc.collect()
        assert tf.get_default_graph()._functions[second.name] is second.function
        assert second(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 5.0]
