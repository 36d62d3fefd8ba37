"""The rewrites of recurrent networks: they find their patterns, and finite differences agree with what they compute."""

import numpy as np
import pytest

import headrace as tf


def types(plan):
    return [node.type for node in plan.nodes]


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("forget_bias", [0.0, 1.0])
def test_lstm_steps_are_one_node_each_way(static, forget_bias):
    x = tf.placeholder(tf.float64, [3, 4, 2])
    cell = tf.nn.rnn_cell.BasicLSTMCell(5, forget_bias=forget_bias)
    if static:
        outputs, _ = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float64)
    else:
        outputs = [tf.nn.dynamic_rnn(cell, x, dtype=tf.float64)[0]]
    loss = tf.add_n([tf.reduce_sum(tf.sin(output)) for output in outputs])
    variables = tf.trainable_variables()
    gradients = tf.gradients(loss, variables)
    rng = np.random.RandomState(0)
    feed = {x: rng.randn(3, 4, 2)}
    with tf.Session() as session:
        plan = session.plan_for(gradients, [x])
        steps = 4 if static else 1
        assert types(plan).count("_LSTMTail") == steps
        assert types(plan).count("_LSTMTailGrad") == steps
        assert "TanhGrad" not in types(plan)
        session.run(tf.global_variables_initializer())
        found = session.run(gradients, feed)
        for variable, gradient in zip(variables, found):
            value = session.run(variable)
            direction = rng.randn(*value.shape)
            ends = []
            for step in (1e-5, -1e-5):
                variable.load(value + step * direction, session)
                ends.append(session.run(loss, feed))
            variable.load(value, session)
            np.testing.assert_allclose((ends[0] - ends[1]) / 2e-5, np.sum(gradient * direction), rtol=1e-6)


def test_gradients_of_a_shared_weight_are_one_product():
    x = [tf.placeholder(tf.float32, [4, 6]) for _ in range(5)]
    w = tf.get_variable("w", [6, 3])
    b = tf.get_variable("b", [3])
    y = tf.add_n([tf.reduce_sum(tf.tanh(tf.nn.bias_add(tf.matmul(item, w), b))) for item in x])
    gradients = tf.gradients(y, [w, b])
    values = [np.random.RandomState(i).randn(4, 6).astype(np.float32) for i in range(5)]
    with tf.Session() as session:
        plan = session.plan_for(gradients, x)
        assert types(plan).count("MatMul") == 1
        assert types(plan).count("BiasAddGrad") == 1
        session.run(tf.global_variables_initializer())
        weight, bias, dw, db = session.run([w, b, *gradients], dict(zip(x, values)))
    slopes = [1 - np.tanh(value @ weight + bias) ** 2 for value in values]
    np.testing.assert_allclose(dw, sum(value.T @ slope for value, slope in zip(values, slopes)), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(db, sum(slope.sum(0) for slope in slopes), rtol=1e-4, atol=1e-5)
