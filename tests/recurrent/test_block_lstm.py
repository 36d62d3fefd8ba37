"""LSTMs in one op: the two orders of gates, gradients by difference quotients, sequences cut short."""

import numpy as np
import pytest

import headrace as tf
from headrace.contrib.rnn import block_ops
from headrace.core.registry import raw

RNG = np.random.RandomState(0)
STEPS, BATCH, DEPTH, UNITS = 4, 2, 3, 2
X = RNG.randn(STEPS, BATCH, DEPTH).astype(np.float32)
C, H = RNG.randn(2, BATCH, UNITS).astype(np.float32)
W = RNG.randn(DEPTH + UNITS, 4 * UNITS).astype(np.float32) * 0.5
B = RNG.randn(4 * UNITS).astype(np.float32)
HOLES = RNG.randn(3, UNITS).astype(np.float32)


def turned(weights):
    """Weights in the other order of gates."""
    i, j, f, o = np.split(weights, 4, -1)
    return np.concatenate([i, f, j, o], -1)


def run(make, weights, bias, **options):
    with tf.Graph().as_default(), tf.Session() as session:
        given = [tf.constant(value) for value in (X, C, H, weights, *HOLES, bias)]
        outputs = make(np.int64(STEPS), *given, **options)
        loss = tf.reduce_sum(outputs[1] ** 2) + tf.reduce_sum(tf.sin(outputs[6]))
        return session.run([outputs[1], outputs[6], tf.gradients(loss, given)])


def raw_gradients(make, back, weights, bias, use_peephole, **options):
    with tf.Graph().as_default(), tf.Session() as session:
        given = [tf.constant(value) for value in (np.int64(STEPS), X, C, H, weights, *HOLES, bias)]
        outputs = make(*given, use_peephole=use_peephole, **options)
        grads = [tf.zeros_like(outputs[1]), tf.cos(outputs[6])]
        return session.run(back(*given, *outputs, *grads, use_peephole=use_peephole))


@pytest.mark.parametrize("peepholes", [False, True])
def test_both_orders_of_gates_compute_the_same(peepholes):
    first = run(raw.BlockLSTM, W, B, use_peephole=peepholes, forget_bias=0.0, cell_clip=-1.0)
    second = run(raw.BlockLSTMV2, turned(W), turned(B), use_peephole=peepholes)
    np.testing.assert_allclose(first[0], second[0], atol=1e-6)
    np.testing.assert_allclose(first[1], second[1], atol=1e-6)


@pytest.mark.parametrize("peepholes", [False, True])
def test_gradients_of_both_orders_of_gates_agree(peepholes):
    first = raw_gradients(
        raw.BlockLSTM, raw.BlockLSTMGrad, W, B, use_peephole=peepholes, forget_bias=0.0, cell_clip=-1.0
    )
    second = raw_gradients(raw.BlockLSTMV2, raw.BlockLSTMGradV2, turned(W), turned(B), use_peephole=peepholes)
    for i, (one, other) in enumerate(zip(first, second, strict=True)):
        np.testing.assert_allclose(turned(one) if i in (3, 7) else one, other, atol=1e-5)


def test_the_second_version_is_differentiated_by_the_gradient_of_the_first():
    # As in 1.15.5, whose gates then lie in another order than its weights.
    with tf.Graph().as_default():
        given = [tf.constant(value) for value in (X, C, H, W, *HOLES, B)]
        found = tf.gradients(raw.BlockLSTMV2(np.int64(STEPS), *given)[6], given[3])[0]
        assert found.op.type == "BlockLSTMGrad"


@pytest.mark.parametrize("peepholes", [False, True])
def test_gradients_are_difference_quotients(peepholes):
    with tf.Graph().as_default(), tf.Session():
        given = [tf.constant(value) for value in (X, C, H, W, *HOLES, B)]
        outputs = raw.BlockLSTM(np.int64(STEPS), *given, use_peephole=peepholes, cell_clip=-1.0)
        for tensor in given:
            error = tf.test.compute_gradient_error(tensor, tensor.shape.as_list(), outputs[6], [STEPS, BATCH, UNITS])
            assert error < 2e-3


def test_what_lies_past_the_longest_sequence_is_zero():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(X)
        outputs = raw.BlockLSTM(np.int64(2), x, C, H, W, *HOLES, B)
        whole = raw.BlockLSTM(np.int64(STEPS), x, C, H, W, *HOLES, B)
        cut, full, grad = session.run([outputs, whole, tf.gradients(outputs[6], x)[0]])
    for short, long in zip(cut, full, strict=True):
        np.testing.assert_allclose(short[:2], long[:2], atol=1e-6)
        assert not short[2:].any()
    assert grad[:2].any()
    assert not grad[2:].any()


def test_function_over_a_list_of_inputs():
    rng = np.random.RandomState(5)
    values = [rng.randn(2, 3).astype(np.float32) for _ in range(4)]
    weights, biases = rng.randn(7, 16).astype(np.float32), rng.randn(16).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        inputs = [tf.constant(value) for value in values]
        found = block_ops.block_lstm(4, inputs, tf.constant(weights), tf.constant(biases))
        memory = output = tf.zeros([2, 4])
        outputs = []
        for each in inputs:
            step = block_ops.lstm_block_cell(each, memory, output, tf.constant(weights), tf.constant(biases))
            memory, output = step[1], step[6]
            outputs.append(output)
        assert [len(part) for part in found] == [4] * 7
        np.testing.assert_allclose(session.run(found[6]), session.run(outputs), rtol=1e-5, atol=1e-6)


def test_function_needs_the_number_of_units():
    with tf.Graph().as_default():
        inputs = [tf.placeholder(tf.float32, [2, 3])]
        with pytest.raises(ValueError, match="static shape"):
            block_ops.block_lstm(1, inputs, tf.placeholder(tf.float32), tf.placeholder(tf.float32))
        unknown, known = tf.placeholder(tf.float32), tf.placeholder(tf.float32, [2, 4])
        with pytest.raises(ValueError, match="number of units"):
            block_ops.lstm_block_cell(inputs[0], unknown, known, unknown, unknown)
