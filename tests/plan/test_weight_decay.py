"""Weight decay taken over by the updates: the variables end where the formulas say, however the plan is made."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf

pytestmark = pytest.mark.usefixtures("plain_calls")

OPTIMIZERS = {
    "descent": lambda: tf.train.GradientDescentOptimizer(0.125),
    "momentum": lambda: tf.train.MomentumOptimizer(0.125, 0.9),
    "nesterov": lambda: tf.train.MomentumOptimizer(0.125, 0.9, use_nesterov=True),
    "no momentum": lambda: tf.train.MomentumOptimizer(0.125, 0.0),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.125),
    "rms": lambda: tf.train.RMSPropOptimizer(0.125, momentum=0.5),
    "adam": lambda: tf.train.AdamOptimizer(0.125),
    "adam without first moment": lambda: tf.train.AdamOptimizer(0.125, beta1=0.0),
}
START = [np.array([1.0, -2.0, 3.0]), np.array([[0.5, 4.0]]), np.array([2.0, 2.5])]
FACTORS = (0.5, 0.5, 0.0)


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


def calls(session, fetches, feeds=()):
    """The op types a plan calls."""
    return [node.type for node in session.plan_for(fetches, feeds).lines.values()]


def model(resource, dtype, factors=FACTORS):
    """Variables, and a loss with a decay of some of them."""
    variables = [
        tf.get_variable(f"v{i}", initializer=start.astype(dtype), use_resource=resource)
        for i, start in enumerate(START)
    ]
    x = tf.placeholder(dtype, [])
    loss = tf.add_n([tf.reduce_sum(tf.sin(v * x)) for v in variables])
    for v, factor in zip(variables, factors, strict=True):
        if factor:
            loss += factor * tf.nn.l2_loss(v)
    return variables, x, loss


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_updates_with_decay(session, kind, dtype, resource):
    variables, x, loss = model(resource, dtype)
    optimizer = OPTIMIZERS[kind]()
    pairs = optimizer.compute_gradients(loss)
    train = optimizer.apply_gradients(pairs)
    gradients = [gradient for gradient, _ in pairs]
    results = []
    for fetched in (False, True):
        session.run(tf.global_variables_initializer())
        for step in range(4):
            # Gradients that are fetched are computed with their decay, and given to the update so.
            session.run([train, *gradients] if fetched else train, {x: 1.0 + step})
        results.append(session.run(variables))
    for got, plain in zip(*results, strict=True):
        # Adam alone and Adam over several variables take the powers of its betas differently, to float32.
        exact = dtype is np.float64 and not kind.startswith("adam")
        np.testing.assert_allclose(got, plain, rtol=1e-12 if exact else 1e-5, atol=0 if exact else 1e-5)
    assert "AddN" not in calls(session, train, [x])
    assert calls(session, [train, *gradients], [x]).count("AddN") == 2


@pytest.mark.parametrize("resource", [False, True])
def test_descent_with_decay_follows_the_formula(session, resource):
    variables, x, loss = model(resource, np.float64, (0.5, 0.25, 0.0))
    train = tf.train.GradientDescentOptimizer(0.125).minimize(loss)
    session.run(tf.global_variables_initializer())
    session.run(train, {x: 2.0})
    for got, start, factor in zip(session.run(variables), START, (0.5, 0.25, 0.0), strict=True):
        np.testing.assert_allclose(got, start - 0.125 * (2 * np.cos(2 * start) + factor * start), rtol=1e-12)


@pytest.mark.parametrize("resource", [False, True])
def test_a_variable_that_is_written_besides_keeps_its_decay_apart(session, resource):
    variables, x, loss = model(resource, np.float64)
    optimizer = tf.train.GradientDescentOptimizer(0.125)
    pairs = optimizer.compute_gradients(loss)
    with tf.control_dependencies([gradient for gradient, _ in pairs]):
        doubled = variables[0].assign(variables[0] * 2.0)
    with tf.control_dependencies([doubled]):
        train = optimizer.apply_gradients(pairs)
    session.run(tf.global_variables_initializer())
    session.run(train, {x: 2.0})
    start = START[0]
    np.testing.assert_allclose(
        session.run(variables[0]), 2 * start - 0.125 * (2 * np.cos(2 * start) + 0.5 * start), rtol=1e-12
    )


def test_a_factor_that_is_fed_and_the_decay_of_another_variable(session):
    v = tf.get_variable("v", initializer=np.array([1.0, 2.0]))
    other = tf.get_variable("other", initializer=np.array([10.0, 20.0]), trainable=False)
    factor = tf.placeholder(tf.float64, [])
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    fed = optimizer.apply_gradients([(tf.sin(v) + factor * v, v)])
    session.run(tf.global_variables_initializer())
    session.run(fed, {factor: 0.1})
    start = np.array([1.0, 2.0])
    after = start - 0.5 * (np.sin(start) + 0.1 * start)
    np.testing.assert_allclose(session.run(v), after, rtol=1e-12)
    strange = optimizer.apply_gradients([(tf.sin(v) + 0.1 * other, v)])
    session.run(strange)
    np.testing.assert_allclose(session.run(v), after - 0.5 * (np.sin(after) + 0.1 * np.array([10.0, 20.0])), rtol=1e-12)


def test_gradients_that_are_clipped_are_clipped_with_their_decay(session):
    variables, x, loss = model(False, np.float64)
    optimizer = tf.train.MomentumOptimizer(0.125, 0.9)
    gradients, pairs = zip(*optimizer.compute_gradients(loss), strict=True)
    clipped, _ = tf.clip_by_global_norm(gradients, 0.5)
    train = optimizer.apply_gradients(zip(clipped, pairs, strict=True))
    session.run(tf.global_variables_initializer())
    session.run(train, {x: 2.0})
    whole = [2 * np.cos(2 * start) + factor * start for start, factor in zip(START, FACTORS, strict=True)]
    scale = 0.5 / np.sqrt(sum((g * g).sum() for g in whole))
    for got, start, gradient in zip(session.run(variables), START, whole, strict=True):
        np.testing.assert_allclose(got, start - 0.125 * scale * gradient, rtol=1e-10)


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_all_variables_are_updated_in_one_call(session, kind, dtype, resource):
    _, x, loss = model(resource, dtype, (0.0, 0.0, 0.0))
    train = OPTIMIZERS[kind]().minimize(loss)
    assert len([call for call in calls(session, train, [x]) if "Apply" in call]) == 1


def test_updates_of_many_variables_see_memory_that_was_replaced(session):
    """The tensors of many small variables are kept between steps, until a variable gets others."""
    variables = [tf.Variable(np.full([2], float(i)), name=f"v{i}", validate_shape=False) for i in range(3)]
    train = tf.train.GradientDescentOptimizer(1.0).apply_gradients([(tf.ones([2], tf.float64), v) for v in variables])
    session.run(tf.global_variables_initializer())
    session.run(train)
    session.run(tf.global_variables_initializer())
    session.run(train)
    session.run(tf.assign(variables[0], np.full([4], 9.0), validate_shape=False))
    session.run(tf.assign(variables[0], np.full([2], 5.0), validate_shape=False))
    session.run(train)
    np.testing.assert_array_equal(session.run(variables), [[4.0, 4.0], [-1.0, -1.0], [0.0, 0.0]])
