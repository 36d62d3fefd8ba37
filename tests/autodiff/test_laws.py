"""Gradients obey the laws of calculus, whatever the function: linearity, the chain rule, symmetric second derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf

# Functions whose derivative is known, defined where their arguments are drawn from: between 0.2 and 0.9.
UNARY = {
    "square": (tf.square, lambda x: 2 * x),
    "exp": (tf.exp, np.exp),
    "log": (tf.log, lambda x: 1 / x),
    "sqrt": (tf.sqrt, lambda x: 0.5 / np.sqrt(x)),
    "sin": (tf.sin, np.cos),
    "tanh": (tf.tanh, lambda x: 1 - np.tanh(x) ** 2),
    "sigmoid": (tf.sigmoid, lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2),
    "reciprocal": (tf.reciprocal, lambda x: -1 / x**2),
    "asin": (tf.asin, lambda x: 1 / np.sqrt(1 - x**2)),
    "erf": (tf.erf, lambda x: 2 / np.sqrt(np.pi) * np.exp(-(x**2))),
}
VALUES = np.array([0.2, 0.35, 0.6, 0.9])
drawn = settings(max_examples=25, deadline=None)


def run(fetches, feeds=None):
    with tf.Session() as session:
        return session.run(fetches, feeds)


@pytest.mark.parametrize("name", UNARY)
def test_derivatives_are_those_of_mathematics(name):
    function, derivative = UNARY[name]
    x = tf.constant(VALUES)
    np.testing.assert_allclose(run(tf.gradients(function(x), x)[0]), derivative(VALUES), rtol=1e-12)


@drawn
@given(outer=st.sampled_from(sorted(UNARY)), inner=st.sampled_from(["square", "sigmoid", "sin"]))
def test_chains_multiply(outer, inner):
    (g, dg), (f, df) = UNARY[outer], UNARY[inner]
    with tf.Graph().as_default():
        x = tf.constant(VALUES)
        between, slope = run([f(x), tf.gradients(g(f(x)), x)[0]])
    np.testing.assert_allclose(slope, dg(between) * df(VALUES), rtol=1e-10)


@drawn
@given(a=st.floats(-3, 3), b=st.floats(-3, 3), f=st.sampled_from(sorted(UNARY)), g=st.sampled_from(sorted(UNARY)))
def test_gradients_are_linear_in_the_function_and_in_what_is_given_for_it(a, b, f, g):
    with tf.Graph().as_default():
        x = tf.constant(VALUES)
        y, z = UNARY[f][0](x), UNARY[g][0](x)
        whole = tf.gradients(a * y + b * z, x)[0]
        in_parts = a * tf.gradients(y, x)[0] + b * tf.gradients(z, x)[0]
        given_for = tf.gradients([y, z], x, grad_ys=[np.full(4, a), np.full(4, b)])[0]
        got = run([whole, in_parts, given_for])
    np.testing.assert_allclose(got[0], got[1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(got[0], got[2], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", ["ADD_N", "EXPERIMENTAL_TREE", "EXPERIMENTAL_ACCUMULATE_N"])
def test_every_way_of_adding_up_gives_the_same(method):
    x = tf.constant(VALUES)
    total = tf.add_n([function(x) for function, _ in UNARY.values()])
    got = run(tf.gradients(total, x, aggregation_method=getattr(tf.AggregationMethod, method))[0])
    np.testing.assert_allclose(got, sum(derivative(VALUES) for _, derivative in UNARY.values()), rtol=1e-10)


@drawn
@given(size=st.integers(1, 4), seed=st.integers(0, 1000))
def test_second_derivatives_of_quadratic_forms_are_their_symmetric_matrices(size, seed):
    matrix = np.random.RandomState(seed).normal(size=(size, size))
    with tf.Graph().as_default():
        x = tf.constant(np.arange(size) + 0.5)
        form = tf.reduce_sum(x * tf.linalg.matvec(tf.constant(matrix), x))
        hessian = run(tf.hessians(form, x)[0])
    np.testing.assert_allclose(hessian, matrix + matrix.T, atol=1e-12)


def test_the_order_of_differentiation_makes_no_difference():
    x, y = tf.constant(VALUES), tf.constant(VALUES[::-1].copy())
    z = tf.sin(x * y) + tf.exp(x - y * y)
    by_x, by_y = tf.gradients(z, [x, y])
    one, other = run([tf.gradients(by_x, y)[0], tf.gradients(by_y, x)[0]])
    np.testing.assert_allclose(one, other, rtol=1e-12)


def test_a_tape_and_the_graph_agree():
    with tf.GradientTape(persistent=True) as tape:
        x = tf.constant(VALUES)
        tape.watch(x)
        y = tf.stack([x * x, tf.sin(x)], 1)
        slope, jacobian = tape.gradient(y, x), tape.jacobian(y, x, experimental_use_pfor=False)
        got = run([slope, tf.gradients(y, x)[0], tf.reduce_sum(jacobian, [0, 1])])
    np.testing.assert_allclose(got[0], got[1], rtol=1e-12)
    np.testing.assert_allclose(got[2], got[1], rtol=1e-12)


@pytest.mark.parametrize(("kind", "expected"), [("none", None), ("zero", [0.0, 0.0])])
def test_what_does_not_depend_has_no_gradient_or_zero(kind, expected):
    x, unrelated = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    found = tf.gradients(tf.square(x), unrelated, unconnected_gradients=tf.UnconnectedGradients(kind))[0]
    assert (found if found is None else run(found).tolist()) == expected


def test_gradients_stop_where_they_are_told_to():
    x = tf.constant(3.0)
    square = tf.square(x)
    y = square * x
    assert run(tf.gradients(y, x)[0]) == 27.0
    assert run(tf.gradients(y, x, stop_gradients=[square])[0]) == 9.0
    assert run(tf.gradients(tf.stop_gradient(square) * x, x)[0]) == 9.0
