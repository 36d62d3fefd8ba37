"""Optimizers against the formulas of the papers they come from, over drawn gradients; decays and averages likewise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

import headrace as tf

drawn = settings(max_examples=12, deadline=None)
STEPS = st.integers(1, 5).flatmap(
    lambda n: st_numpy.arrays(np.float64, (n, 3), elements=st.floats(-2, 2, allow_subnormal=False))
)
START = np.array([0.5, -1.0, 2.0])


def descent(grads):
    w = START.copy()
    for g in grads:
        w -= 0.1 * g
    return w


def momentum(grads, nesterov=False):
    """B. T. Polyak 1964; I. Sutskever et al., ICML 2013 for Nesterov's."""
    w, v = START.copy(), np.zeros(3)
    for g in grads:
        v = 0.9 * v + g
        w -= 0.1 * (g + 0.9 * v if nesterov else v)
    return w


def adagrad(grads):
    """J. Duchi, E. Hazan, Y. Singer, JMLR 12, 2011; the sum of squares begins with 0.1."""
    w, total = START.copy(), np.full(3, 0.1)
    for g in grads:
        total += g * g
        w -= 0.1 * g / np.sqrt(total)
    return w


def rmsprop(grads):
    """T. Hinton, lecture 6e of Neural Networks for Machine Learning, 2012; the mean of squares begins with 1."""
    w, mean, v = START.copy(), np.ones(3), np.zeros(3)
    for g in grads:
        mean = 0.9 * mean + 0.1 * g * g
        v = 0.0 * v + 0.1 * g / np.sqrt(mean + 1e-10)
        w -= v
    return w


def adam(grads):
    """D. P. Kingma, J. Ba, ICLR 2015, in the form at the end of its section 2."""
    w, m, v = START.copy(), np.zeros(3), np.zeros(3)
    for t, g in enumerate(grads, 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w -= 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8)
    return w


def adadelta(grads):
    """M. D. Zeiler, arXiv:1212.5701."""
    w, mean, moved = START.copy(), np.zeros(3), np.zeros(3)
    for g in grads:
        mean = 0.95 * mean + 0.05 * g * g
        step = np.sqrt(moved + 1e-8) / np.sqrt(mean + 1e-8) * g
        moved = 0.95 * moved + 0.05 * step * step
        w -= 0.1 * step
    return w


OPTIMIZERS = {
    "descent": (lambda: tf.train.GradientDescentOptimizer(0.1), descent),
    "momentum": (lambda: tf.train.MomentumOptimizer(0.1, 0.9), momentum),
    "nesterov": (lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True), lambda g: momentum(g, nesterov=True)),
    "adagrad": (lambda: tf.train.AdagradOptimizer(0.1), adagrad),
    "rmsprop": (lambda: tf.train.RMSPropOptimizer(0.1), rmsprop),
    "adam": (lambda: tf.train.AdamOptimizer(0.1), adam),
    "adadelta": (lambda: tf.train.AdadeltaOptimizer(0.1, 0.95, 1e-8), adadelta),
}


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
@drawn
@given(grads=STEPS)
def test_steps_are_those_of_the_paper(name, resource, grads):
    make, formula = OPTIMIZERS[name]
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("w", initializer=START, use_resource=resource)
        gradient = tf.placeholder(tf.float64, [3])
        step = make().apply_gradients([(gradient, w)])
        session.run(tf.global_variables_initializer())
        for g in grads:
            session.run(step, {gradient: g})
        # Rates are float32, whatever the variables are.
        np.testing.assert_allclose(session.run(w), formula(grads), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["descent", "adagrad"])
@drawn
@given(rows=st.lists(st.integers(0, 3), min_size=1, max_size=5), seed=st.integers(0, 99))
def test_slices_with_rows_that_come_again_are_summed(name, rows, seed):
    values = np.random.RandomState(seed).normal(size=(len(rows), 2))
    dense = np.zeros((4, 2))
    np.add.at(dense, rows, values)
    with tf.Graph().as_default(), tf.Session() as session:
        one, other = (tf.get_variable(x, initializer=np.ones((4, 2))) for x in ("one", "other"))
        slices = tf.IndexedSlices(tf.constant(values), tf.constant(rows), tf.constant([4, 2]))
        step = OPTIMIZERS[name][0]().apply_gradients([(slices, one), (tf.constant(dense), other)])
        session.run(tf.global_variables_initializer())
        session.run(step)
        np.testing.assert_allclose(*session.run([one, other]), rtol=1e-9)


@drawn
@given(step=st.integers(0, 50), rate=st.floats(0.01, 1.0))
def test_decays(step, rate):
    decays = {
        "exponential": (lambda s: tf.train.exponential_decay(rate, s, 10, 0.5), rate * 0.5 ** (step / 10)),
        "staircase": (lambda s: tf.train.exponential_decay(rate, s, 10, 0.5, True), rate * 0.5 ** (step // 10)),
        "inverse time": (lambda s: tf.train.inverse_time_decay(rate, s, 10, 0.5), rate / (1 + 0.5 * step / 10)),
        "polynomial": (
            lambda s: tf.train.polynomial_decay(rate, s, 20, 0.001, 2.0),
            (rate - 0.001) * (1 - min(step, 20) / 20) ** 2 + 0.001,
        ),
        "cosine": (lambda s: tf.train.cosine_decay(rate, s, 20), rate * (1 + np.cos(np.pi * min(step, 20) / 20)) / 2),
        "pieces": (
            lambda s: tf.train.piecewise_constant(s, [10, 30], [3.0, 2.0, 1.0]),
            3.0 - (step > 10) - (step > 30),
        ),
    }
    with tf.Graph().as_default(), tf.Session() as session:
        got = session.run([make(tf.constant(step)) for make, _ in decays.values()])
    np.testing.assert_allclose(got, [expected for _, expected in decays.values()], rtol=1e-5, atol=1e-7)


@drawn
@given(values=st.lists(st.floats(-3, 3), min_size=1, max_size=6), decay=st.floats(0.5, 0.99))
def test_moving_averages_weigh_the_past_geometrically(values, decay):
    with tf.Graph().as_default(), tf.Session() as session:
        w, fed = tf.Variable(np.float64(1.0)), tf.placeholder(tf.float64, [])
        averages = tf.train.ExponentialMovingAverage(decay)
        with tf.control_dependencies([tf.assign(w, fed)]):
            update = averages.apply([w])
        session.run(tf.global_variables_initializer())
        expected = 1.0
        for value in values:
            session.run(update, {fed: value})
            expected = decay * expected + (1 - decay) * value
        # `1 - decay` is a float32, as in TensorFlow, and the terms may nearly cancel.
        np.testing.assert_allclose(session.run(averages.average(w)), expected, rtol=1e-6, atol=2e-6)
