"""Recurrent networks of earlier releases: where their names were, and what their variables were called."""

import numpy as np
import pytest

import headrace as tf
from headrace.contrib.rnn import checkpoint_convert


def test_names_of_networks_before_1():
    assert tf.nn.rnn is tf.nn.static_rnn
    assert tf.nn.bidirectional_rnn is tf.nn.static_bidirectional_rnn
    assert tf.nn.state_saving_rnn is tf.nn.static_state_saving_rnn
    assert tf.nn.rnn_cell.InputProjectionWrapper is tf.contrib.rnn.InputProjectionWrapper


def test_linear_makes_variables_of_the_scope():
    with tf.Graph().as_default():
        with tf.variable_scope("a"):
            made = tf.nn.rnn_cell._linear([tf.zeros([2, 3]), tf.zeros([2, 4])], 5, True)
        assert made.shape.as_list() == [2, 5]
        assert [(v.name, v.shape.as_list()) for v in tf.global_variables()] == [
            ("a/kernel:0", [7, 5]),
            ("a/bias:0", [5]),
        ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("RNN/MultiRNNCell/Cell0/BasicLSTMCell/Linear/Matrix", "rnn/multi_rnn_cell/cell_0/basic_lstm_cell/kernel"),
        ("RNN/MultiRNNCell/Cell11/BasicLSTMCell/Linear/Bias", "rnn/multi_rnn_cell/cell_11/basic_lstm_cell/bias"),
        ("model/RNN/GRUCell/Gates/Linear/Matrix", "model/rnn/gru_cell/gates/kernel"),
        ("RNN/GRUCell/Candidate/Linear/Bias", "rnn/gru_cell/candidate/bias"),
        ("RNN/LSTMCell/W_0", "rnn/lstm_cell/kernel"),
        ("RNN/LSTMCell/B", "rnn/lstm_cell/bias"),
        ("RNN/LSTMCell/W_F_diag", "rnn/lstm_cell/w_f_diag"),
        ("RNN/LSTMCell/W_P_0", "rnn/lstm_cell/projection/kernel"),
        ("BiRNN/FW/BasicRNNCell/Linear/Matrix", "bidirectional_rnn/fw/basic_rnn_cell/kernel"),
        ("rnn/basic_lstm_cell/weights", "rnn/basic_lstm_cell/kernel"),
        ("rnn/multi_rnn_cell/cell_0/gru_cell/gates/biases", "rnn/multi_rnn_cell/cell_0/gru_cell/gates/bias"),
        ("attention_decoder/Attention_0/Linear/Matrix", "attention_decoder/Attention_0/kernel"),
        ("rnn/basic_lstm_cell/kernel", "rnn/basic_lstm_cell/kernel"),
        ("layer/weights", "layer/weights"),
    ],
)
def test_new_names_of_variables(old, new):
    assert checkpoint_convert.new_name(old) == new


@pytest.mark.parametrize("v1", [False, True])
def test_an_old_checkpoint_restores_a_network_of_today(tmp_path, v1):
    kernel = np.arange(5 * 8, dtype=np.float32).reshape(5, 8) / 100
    bias = np.linspace(-1, 1, 8, dtype=np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(kernel, name="RNN/BasicLSTMCell/Linear/Matrix")
        tf.Variable(bias, name="RNN/BasicLSTMCell/Linear/Bias")
        tf.Variable(3, name="global_step")
        session.run(tf.global_variables_initializer())
        old = tf.train.Saver().save(session, str(tmp_path / "old"))
    checkpoint_convert.convert_names(old, str(tmp_path / "new"), write_v1_checkpoint=v1)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.nn.static_rnn(tf.nn.rnn_cell.BasicLSTMCell(2), [tf.zeros([1, 3])], dtype=tf.float32)
        saver = tf.train.Saver()
        saver.restore(session, str(tmp_path / "new"))
        values = session.run(tf.trainable_variables())
    np.testing.assert_array_equal(values[0], kernel)
    np.testing.assert_array_equal(values[1], bias)
