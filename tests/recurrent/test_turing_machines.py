"""Neural Turing machines: as many operations as in TensorFlow, for they tell what is drawn at random afterwards."""

from __future__ import annotations

import numpy as np

import headrace as tf


def test_seeds_of_operations_are_those_of_tensorflow():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.set_random_seed(1234)
        with tf.variable_scope("root"):
            x = tf.random_uniform([4, 4], seed=1235)
            controller = tf.nn.rnn_cell.LSTMCell(num_units=4)
            cell = tf.contrib.rnn.NTMCell(controller, 5, 4, read_head_num=1, write_head_num=1)
            output, _ = cell(x, cell.zero_state(4, tf.float32))
        drawn = tf.random_uniform([2])
        assert len(graph.get_operations()) == 474
        session.run(tf.global_variables_initializer())
        got, after = session.run([output[0], drawn])
        # Values of 1.15.5.
        np.testing.assert_allclose(got, [-0.04973561, -0.00020032, -0.09586011, -0.0504951], rtol=1e-5, atol=1e-8)
        np.testing.assert_allclose(after, [0.73362446, 0.03659916], rtol=1e-6)
