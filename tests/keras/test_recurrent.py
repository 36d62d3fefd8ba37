"""Recurrent layers: those of cuDNN on every device, cells of programs' own, wrapped cells, and what plans are made."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.keras.backend.learning import eager_learning_phase_scope
from headrace.keras.layers import recurrent_v2
from headrace.keras.layers.rnn_cell_wrapper_v2 import DropoutWrapper, ResidualWrapper

layers = tf.keras.layers


def of_cudnn(matrix, gates):
    """The kernel of a plain layer that is the same as cuDNN's, which keeps each gate's matrix the other way round."""
    return np.hstack([np.ascontiguousarray(gate).reshape(gate.shape[::-1]).T for gate in np.hsplit(matrix, gates)])


@pytest.mark.parametrize("kwargs", [{}, {"return_sequences": True}, {"go_backwards": True}])
def test_layers_of_cudnn_compute_what_the_plain_ones_do(kwargs):
    r = np.random.RandomState(0)
    x = tf.constant(r.randn(2, 5, 4).astype(np.float32))
    pairs = [
        (layers.CuDNNLSTM(3, **kwargs), layers.LSTM(3, recurrent_activation="sigmoid", **kwargs), 4),
        (layers.CuDNNGRU(3, **kwargs), layers.GRU(3, recurrent_activation="sigmoid", reset_after=True, **kwargs), 3),
    ]
    for cudnn, plain, gates in pairs:
        outputs = cudnn(x), plain(x)
        kernel, inner, bias = (r.randn(*w.shape.as_list()).astype(np.float32) for w in cudnn.weights)
        both = bias.reshape(2, -1)
        cudnn.set_weights([kernel, inner, bias])
        plain.set_weights([of_cudnn(kernel, gates), of_cudnn(inner, gates), both if gates == 3 else both.sum(0)])
        one, other = tf.keras.backend.get_session().run(outputs)
        np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_layers_of_version_2_are_those_of_version_1_with_other_defaults(kind):
    layer = getattr(recurrent_v2, kind)(3)
    assert layer.recurrent_activation.__name__ == "sigmoid"
    assert layer.implementation == 2
    assert isinstance(layer, getattr(layers, kind))
    assert not layer.could_use_cudnn


def test_a_residual_cell_adds_its_inputs():
    x = tf.constant(np.random.RandomState(0).randn(2, 3, 4), tf.float32)
    cell = layers.GRUCell(4, kernel_initializer="ones")
    wrapped, plain = layers.RNN(ResidualWrapper(cell)), layers.RNN(cell)
    sess = tf.keras.backend.get_session()
    outputs = wrapped(x), plain(x)
    sess.run([w.initializer for w in plain.weights])
    one, other = sess.run(outputs)
    np.testing.assert_allclose(one, other + sess.run(x)[:, -1], rtol=1e-6)
    assert [w.name for w in wrapped.weights] == ["rnn/kernel:0", "rnn/recurrent_kernel:0", "rnn/bias:0"]


def test_a_wrapped_cell_is_made_again_from_its_settings():
    cell = DropoutWrapper(layers.LSTMCell(3), output_keep_prob=0.5)
    again = DropoutWrapper.from_config(cell.get_config())
    assert again.get_config() == cell.get_config()
    assert again.state_size == [3, 3]


def test_inputs_and_states_of_a_cell_may_be_nested():
    class Pair(layers.AbstractRNNCell):
        state_size = output_size = (tf.TensorShape([4]), tf.TensorShape([4]))

        def call(self, inputs, states):
            sums = tuple(one + other for one, other in zip(inputs, states))
            return sums, sums

    r = np.random.RandomState(0)
    values = [r.randn(2, 3, 4).astype(np.float32) for _ in range(2)]
    outputs = layers.RNN(Pair(), return_sequences=True)(tuple(map(tf.constant, values)))
    found = tf.Session().run(outputs)
    for got, value in zip(found, values):
        np.testing.assert_allclose(got, value.cumsum(1), rtol=1e-5)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
@pytest.mark.parametrize("masked", [False, True])
def test_a_training_step_reads_its_weights_before_the_loop(kind, masked, plain_calls):
    x = tf.placeholder(tf.float32, [None, 5, 8])
    layer = getattr(layers, kind)(8)
    outputs = layer(x, mask=tf.ones([2, 5], tf.bool) if masked else None)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(outputs))
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    source = sess.plan_for(step, [x]).source
    loops = source.split("while True")[1]
    assert "while/ReadVariableOp" not in loops
    if kind == "LSTM":
        # Two products forward, of the inputs and of the state; each is one of all gates.
        assert loops.count("= _MatMulBias") + loops.count("= MatMul") == 2
        assert "_WithinBound" in source


@pytest.mark.parametrize("stacked", [False, True], ids=["wrapped", "stacked"])
@pytest.mark.parametrize("run_eagerly", [False, True], ids=["traced", "eager"])
def test_each_call_draws_what_cells_drop(stacked, run_eagerly):
    """What was drawn while the model was made is of another graph."""
    with eager_mode():
        cell = layers.GRUCell(3, dropout=0.5, recurrent_dropout=0.5)
        layer = layers.RNN([layers.LSTMCell(4, dropout=0.5), cell] if stacked else ResidualWrapper(cell))
        inputs = tf.keras.Input((5, 3))
        model = tf.keras.Model(inputs, layer(inputs))
        model.compile("sgd", "mse", run_eagerly=run_eagerly)
        x = np.ones((4, 5, 3), np.float32)
        losses = [model.test_on_batch(x, np.zeros((4, 3))) for _ in range(2)]
        np.testing.assert_array_equal(*losses)
        with eager_learning_phase_scope(1):
            drawn = {layer(tf.constant(x)).numpy().tobytes() for _ in range(4)}
        assert len(drawn) > 1
        assert np.isfinite(model.train_on_batch(x, np.zeros((4, 3))))


@pytest.mark.parametrize("kind", ["LSTM", "Bidirectional"])
def test_a_function_of_a_recurrent_layer_in_eager_execution(kind):
    with eager_mode():
        layer = layers.LSTM(3, return_sequences=True)
        if kind == "Bidirectional":
            layer = layers.Bidirectional(layer, merge_mode="sum")
        inputs = tf.keras.Input((4, 2))
        x = np.random.RandomState(0).rand(2, 4, 2).astype(np.float32)
        (found,) = tf.keras.backend.function([inputs], [layer(inputs)])([x])
        np.testing.assert_allclose(found, layer(tf.constant(x)).numpy(), rtol=1e-5, atol=1e-6)
