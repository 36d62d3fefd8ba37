"""Pieces of tf.contrib against what they abbreviate: sums over all sequences, known solutions, structures taken apart."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf

drawn = settings(max_examples=15, deadline=None)


def run(fetches):
    with tf.Session() as session:
        return session.run(fetches)


@drawn
@given(length=st.integers(1, 4), tags=st.integers(2, 3), seed=st.integers(0, 999))
def test_conditional_random_fields_sum_over_all_sequences(length, tags, seed):
    random = np.random.RandomState(seed)
    unary = random.normal(size=(1, length, tags)).astype(np.float32)
    pairs = random.normal(size=(tags, tags)).astype(np.float32)

    def score(sequence):
        return sum(unary[0, i, tag] for i, tag in enumerate(sequence)) + sum(
            pairs[a, b] for a, b in itertools.pairwise(sequence)
        )

    scores = {sequence: score(sequence) for sequence in itertools.product(range(tags), repeat=length)}
    best = max(scores, key=scores.__getitem__)
    with tf.Graph().as_default():
        log_norm = tf.contrib.crf.crf_log_norm(unary, [length], tf.constant(pairs))
        likelihood, _ = tf.contrib.crf.crf_log_likelihood(unary, tf.constant([best]), [length], tf.constant(pairs))
        decoded = tf.contrib.crf.crf_decode(unary, tf.constant(pairs), tf.constant([length]))
        total, chance, (sequence, top) = run([log_norm, likelihood, decoded])
    expected = np.log(np.sum(np.exp(list(scores.values()))))
    np.testing.assert_allclose(total, [expected], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(chance, [scores[best] - expected], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(top, [scores[best]], rtol=1e-4)
    assert tuple(sequence[0]) == best
    assert tuple(tf.contrib.crf.viterbi_decode(unary[0], pairs)[0]) == best


NESTED = st.recursive(
    st.integers(0, 9),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.sampled_from("abc"), inner, min_size=1, max_size=3)
    ),
    max_leaves=8,
)


@drawn
@given(structure=NESTED)
def test_structures_are_put_together_from_what_they_are_taken_apart_into(structure):
    nest = tf.contrib.framework.nest
    flat = nest.flatten(structure)
    assert nest.pack_sequence_as(structure, flat) == structure
    doubled = nest.map_structure(lambda leaf: leaf * 2, structure)
    assert nest.flatten(doubled) == [leaf * 2 for leaf in flat]
    nest.assert_same_structure(structure, doubled)


@drawn
@given(rate=st.floats(-1.5, 1.0), start=st.floats(0.2, 3.0))
def test_differential_equations_with_known_solutions(rate, start):
    times = np.linspace(0, 1, 5)
    with tf.Graph().as_default():
        y = tf.contrib.integrate.odeint(lambda y, t: rate * y, tf.constant([start], tf.float64), times)
        got = run(y)
    np.testing.assert_allclose(got[:, 0], start * np.exp(rate * times), rtol=1e-5)


@drawn
@given(seed=st.integers(0, 999), size=st.integers(2, 6))
def test_sparsemax_is_the_nearest_point_of_the_simplex(seed, size):
    """A. F. T. Martins, R. F. Astudillo, ICML 2016: no other point of the simplex is nearer."""
    random = np.random.RandomState(seed)
    z = random.normal(size=(1, size)) * 2
    with tf.Graph().as_default():
        p = run(tf.contrib.sparsemax.sparsemax(tf.constant(z)))[0]
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(), 1)
    others = random.dirichlet(np.ones(size), 200)
    assert ((others - z) ** 2).sum(1).min() >= ((p - z[0]) ** 2).sum() - 1e-12


def test_what_graduated_is_the_same_object_under_both_names():
    contrib = tf.contrib
    assert contrib.rnn.BasicLSTMCell is tf.nn.rnn_cell.BasicLSTMCell
    assert contrib.distributions.Normal is tf.distributions.Normal
    assert contrib.framework.get_or_create_global_step is not None
    assert contrib.layers.xavier_initializer_conv2d is contrib.layers.xavier_initializer
