"""Distributions against SciPy's: densities, distribution functions, moments, entropies; divergences; bijectors' laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import headrace as tf

ds, bijectors = tf.distributions, tf.contrib.distributions.bijectors
ONE, TWO = st.floats(0.3, 3.0), st.floats(0.3, 3.0)

# Ours and SciPy's by the same two positive parameters, and where their densities are compared.
CONTINUOUS = {
    "Normal": (lambda a, b: ds.Normal(a, b), lambda a, b: stats.norm(a, b), [-1.0, 0.5, 4.0]),
    "Gamma": (lambda a, b: ds.Gamma(a, b), lambda a, b: stats.gamma(a, scale=1 / b), [0.1, 1.0, 3.0]),
    "Beta": (lambda a, b: ds.Beta(a, b), lambda a, b: stats.beta(a, b), [0.1, 0.5, 0.9]),
    "Exponential": (lambda a, b: ds.Exponential(a), lambda a, b: stats.expon(scale=1 / a), [0.1, 1.0, 3.0]),
    "Laplace": (lambda a, b: ds.Laplace(a, b), lambda a, b: stats.laplace(a, b), [-1.0, 0.5, 4.0]),
    "Uniform": (lambda a, b: ds.Uniform(a, a + b), lambda a, b: stats.uniform(a, b), [0.35, 0.5, 1.5]),
    "StudentT": (
        lambda a, b: ds.StudentT(a + 2.5, np.float64(0.5), b),
        lambda a, b: stats.t(a + 2.5, 0.5, b),
        [-1.0, 0.5, 4.0],
    ),
}


def run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


@pytest.mark.parametrize("name", CONTINUOUS)
@settings(max_examples=8, deadline=None)
@given(a=ONE, b=TWO)
def test_continuous_distributions_are_those_of_scipy(name, a, b):
    ours, theirs, points = CONTINUOUS[name]
    with tf.Graph().as_default():
        made, known = ours(np.float64(a), np.float64(b)), theirs(a, b)
        got = run([made.prob(points), made.cdf(points), made.mean(), made.variance(), made.entropy()])
    wanted = [known.pdf(points), known.cdf(points), known.mean(), known.var(), known.entropy()]
    for mine, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-6, atol=1e-9)


@settings(max_examples=20, deadline=None)
@given(weights=st.lists(st.floats(0.05, 1.0), min_size=2, max_size=6))
def test_categories_by_probabilities_and_by_logits(weights):
    probs = np.array(weights) / np.sum(weights)
    with tf.Graph().as_default():
        by_probs, by_logits = ds.Categorical(probs=probs), ds.Categorical(logits=np.log(weights))
        places = list(range(len(probs)))
        got = run([by_probs.prob(places), by_logits.prob(places), by_logits.entropy(), by_probs.mode()])
        divergence = run(ds.kl_divergence(by_probs, ds.Categorical(probs=np.full(len(probs), 1 / len(probs)))))
    np.testing.assert_allclose(got[0], probs, rtol=1e-6)
    np.testing.assert_allclose(got[1], probs, rtol=1e-6)
    np.testing.assert_allclose(got[2], stats.entropy(probs), rtol=1e-6)
    # Of float32: weights may be nearly equal.
    np.testing.assert_allclose(probs[got[3]], probs.max(), rtol=1e-6)
    np.testing.assert_allclose(divergence, np.log(len(probs)) - stats.entropy(probs), atol=1e-7)


@settings(max_examples=15, deadline=None)
@given(a=st.floats(-2, 2), b=TWO, c=st.floats(-2, 2), d=TWO)
def test_the_divergence_of_normals_is_positive_and_zero_at_equality(a, b, c, d):
    with tf.Graph().as_default():
        one, other = ds.Normal(np.float64(a), np.float64(b)), ds.Normal(np.float64(c), np.float64(d))
        apart, same = run([ds.kl_divergence(one, other), ds.kl_divergence(one, one)])
    expected = np.log(d / b) + (b**2 + (a - c) ** 2) / (2 * d**2) - 0.5
    np.testing.assert_allclose(apart, expected, atol=1e-9)
    assert apart >= -1e-12
    assert abs(same) < 1e-12


@pytest.mark.parametrize("name", ["Normal", "Gamma", "Beta", "Uniform", "Laplace"])
def test_samples_have_the_distribution(name):
    ours, theirs, _ = CONTINUOUS[name]
    samples = run(ours(1.2, 0.7).sample(2000, seed=5))
    assert stats.kstest(samples, theirs(1.2, 0.7).cdf).pvalue > 1e-3


BIJECTORS = {
    "exp": lambda: bijectors.Exp(),
    "sigmoid": lambda: bijectors.Sigmoid(),
    "softplus": lambda: bijectors.Softplus(),
    "affine": lambda: bijectors.AffineScalar(np.float64(0.5), np.float64(-2.0)),
    "power": lambda: bijectors.PowerTransform(np.float64(0.5)),
    "chain": lambda: bijectors.Chain([bijectors.Exp(), bijectors.AffineScalar(np.float64(0.1), np.float64(0.7))]),
}


@pytest.mark.parametrize("name", BIJECTORS)
def test_a_bijector_inverts_itself_and_knows_its_slope(name):
    x = tf.constant([-0.9, 0.1, 1.3], tf.float64)
    bijector = BIJECTORS[name]()
    y = bijector.forward(x)
    slope = tf.gradients(y, x)[0]
    back, log_slope, by_gradient = run([
        bijector.inverse(tf.identity(y)), bijector.forward_log_det_jacobian(x, 0), tf.log(tf.abs(slope))
    ])  # fmt: skip
    np.testing.assert_allclose(back, [-0.9, 0.1, 1.3], rtol=1e-9)
    np.testing.assert_allclose(log_slope, by_gradient, rtol=1e-7, atol=1e-12)


def test_a_transformed_density_integrates_to_one():
    lognormal = tf.contrib.distributions.TransformedDistribution(
        ds.Normal(np.float64(0.2), np.float64(0.5)), bijectors.Exp()
    )
    points = np.linspace(1e-4, 20, 20001)
    density = run(lognormal.prob(points))
    np.testing.assert_allclose(density, stats.lognorm(0.5, scale=np.exp(0.2)).pdf(points), rtol=1e-6, atol=1e-12)
    assert abs(np.trapezoid(density, points) - 1) < 1e-4
