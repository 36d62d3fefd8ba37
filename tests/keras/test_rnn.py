"""`K.rnn` against the recurrence written out in NumPy, over drawn sizes, masks and arguments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf

K = tf.keras.backend


def reference(x, start, mask, go_backwards, zero_output):
    """Outputs and last state of `h = tanh(x + 0.5 h)`, output `2 h`, a step at a time."""
    times = x.shape[1]
    order = range(times - 1, -1, -1) if go_backwards else range(times)
    state, output, outputs = start, np.zeros_like(start), []
    for time in order:
        new = np.tanh(x[:, time] + 0.5 * state)
        kept = np.ones([len(x), 1], bool) if mask is None else mask[:, time, None]
        output = np.where(kept, 2 * new, np.zeros_like(new) if zero_output else output)
        state = np.where(kept, new, state)
        outputs.append(output)
    return outputs[-1], np.stack(outputs, 1), state


def step(x, states):
    new = tf.tanh(x + 0.5 * states[0])
    return 2.0 * new, [new]


@st.composite
def sequences(draw):
    batch, times, size = (draw(st.integers(1, 4)) for _ in range(3))
    numbers = np.random.RandomState(draw(st.integers(0, 2**31 - 1)))
    x = numbers.randn(batch, times, size).astype(np.float32)
    mask = numbers.rand(batch, times) > 0.4 if draw(st.booleans()) else None
    return x, numbers.randn(batch, size).astype(np.float32), mask


@settings(max_examples=40, deadline=None)
@given(sequences(), st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_as_the_recurrence(given_sequences, go_backwards, zero_output, time_major, unroll):
    x, start, mask = given_sequences
    if unroll and go_backwards and zero_output:
        # 1.15 lays the mask over these outputs in the order of the inputs; the programs hold that.
        zero_output = False
    with tf.Graph().as_default(), tf.Session() as sess:
        fed = tf.constant(x.swapaxes(0, 1) if time_major else x)
        fed_mask = None if mask is None else tf.constant(mask.T if time_major else mask)
        last, outputs, states = K.rnn(
            step,
            fed,
            [tf.constant(start)],
            go_backwards=go_backwards,
            mask=fed_mask,
            unroll=unroll,
            time_major=time_major,
            zero_output_for_mask=zero_output,
        )
        found_last, found, state = sess.run([last, outputs, states[0]])
    expected_last, expected, expected_state = reference(x, start, mask, go_backwards, zero_output)
    np.testing.assert_allclose(found.swapaxes(0, 1) if time_major else found, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found_last, expected_last, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(state, expected_state, rtol=1e-5, atol=1e-6)


def test_unrolling_needs_the_number_of_times():
    with tf.Graph().as_default():
        x, zeros = tf.placeholder(tf.float32, [2, None, 3]), tf.zeros([2, 3])
        with pytest.raises(ValueError, match="fixed number of timesteps"):
            K.rnn(step, x, [zeros], unroll=True)


def test_sequences_have_three_axes():
    with tf.Graph().as_default(), pytest.raises(ValueError, match="rank"):
        K.rnn(step, tf.zeros([2, 3]), [tf.zeros([2, 3])])
