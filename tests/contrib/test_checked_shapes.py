"""Shapes that are checked when the graph runs: the operations are called as in 1.15.5."""

import headrace as tf


def test_names_of_the_check_of_a_rank():
    with tf.Graph().as_default() as graph:
        tensor = tf.placeholder(tf.float32, [None, 2], name="x")
        tf.contrib.framework.with_shape(tf.placeholder(tf.int32, [2], name="expected"), tensor)
        names = [op.name for op in graph.get_operations() if "is_shape" in op.name]
    assert "x/assert_shape/is_shape/Size" in names
    assert "x/assert_shape/is_shape/is_rank/actual" in names
