"""Steps of descent along products of matrices, taken off the variable as they are computed."""

import numpy as np
import pytest

import headrace as tf

INPUTS, UNITS, BATCH, RATE = 256, 160, 20, 0.125


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


def calls(session, fetches, feeds):
    return [node.type for node in session.plan_for(fetches, feeds).lines.values()]


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("decay", [0.0, 0.5])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("fetched", [False, True])
def test_steps_are_those_of_the_formula(session, resource, decay, turned, fetched):
    state = np.random.RandomState(0)
    shape = [UNITS, INPUTS] if turned else [INPUTS, UNITS]
    start, x, weights = state.normal(size=shape), state.normal(size=[BATCH, INPUTS]), state.normal(size=[BATCH, UNITS])
    variable = tf.get_variable("w", initializer=start, use_resource=resource)
    feed = tf.placeholder(tf.float64, [BATCH, INPUTS])
    loss = tf.reduce_sum(tf.matmul(feed, variable, transpose_b=turned) * weights)
    if decay:
        loss += decay * tf.nn.l2_loss(variable)
    optimizer = tf.train.GradientDescentOptimizer(RATE)
    pairs = optimizer.compute_gradients(loss)
    train = optimizer.apply_gradients(pairs)
    session.run(tf.global_variables_initializer())
    expected = start
    product = weights.T @ x if turned else x.T @ weights
    fetches = [train, pairs[0][0]] if fetched else [train]
    for _ in range(2):
        gradient = product + decay * expected
        got = session.run(fetches, {feed: x})
        if fetched:
            np.testing.assert_allclose(got[1], gradient, rtol=1e-9)
        expected = expected - RATE * gradient
    np.testing.assert_allclose(session.run(variable), expected, rtol=1e-9)
    assert ("_ApplyGradientDescentProduct" in calls(session, fetches, [feed])) != fetched


def test_a_variable_that_is_a_factor_of_its_own_gradient(session):
    start = np.random.RandomState(0).normal(size=[200, 200])
    variable = tf.get_variable("w", initializer=start)
    weights = np.random.RandomState(1).normal(size=[200, 200])
    train = tf.train.GradientDescentOptimizer(RATE).minimize(tf.reduce_sum(tf.matmul(variable, variable) * weights))
    session.run(tf.global_variables_initializer())
    session.run(train)
    expected = start - RATE * (weights @ start.T + start.T @ weights)
    np.testing.assert_allclose(session.run(variable), expected, rtol=1e-9)


def test_variables_that_are_factors_of_each_other_s_gradients(session):
    state = np.random.RandomState(0)
    one, other, weights = (state.normal(size=[200, 200]) for _ in range(3))
    first, second = tf.get_variable("a", initializer=one), tf.get_variable("b", initializer=other)
    train = tf.train.GradientDescentOptimizer(RATE).minimize(tf.reduce_sum(tf.matmul(first, second) * weights))
    session.run(tf.global_variables_initializer())
    session.run(train)
    np.testing.assert_allclose(session.run(first), one - RATE * weights @ other.T, rtol=1e-9)
    np.testing.assert_allclose(session.run(second), other - RATE * one.T @ weights, rtol=1e-9)
