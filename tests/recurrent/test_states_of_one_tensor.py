"""Programs of before 0.11 give LSTMs memory and output as one tensor, and do not tell the cell so."""

import numpy as np
import pytest

import headrace as tf

UNITS = 3


def cells():
    return {
        "BasicLSTMCell": (lambda **options: tf.nn.rnn_cell.BasicLSTMCell(UNITS, **options), 2 * UNITS),
        "LSTMCell": (lambda **options: tf.nn.rnn_cell.LSTMCell(UNITS, use_peepholes=True, **options), 2 * UNITS),
        "projected": (lambda **options: tf.nn.rnn_cell.LSTMCell(UNITS, num_proj=2, **options), UNITS + 2),
    }


@pytest.mark.parametrize("kind", ["BasicLSTMCell", "LSTMCell", "projected"])
def test_a_state_of_one_tensor_stays_one(kind):
    made, width = cells()[kind]
    random = np.random.RandomState(0)
    inputs = [tf.constant(random.randn(2, 4), tf.float32) for _ in range(3)]
    state = tf.placeholder("float", [None, width])
    with tf.variable_scope("nets", initializer=tf.random_uniform_initializer(-1.0, 1.0, seed=1)):
        outputs, last = tf.nn.rnn(made(), inputs, initial_state=state)
    pair = tf.nn.rnn_cell.LSTMStateTuple(state[:, :UNITS], state[:, UNITS:])
    with tf.variable_scope("nets", reuse=True):
        wanted, (memory, output) = tf.nn.static_rnn(made(), inputs, initial_state=pair)
    assert last.shape.as_list() == [2, width]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        feed = {state: random.randn(2, width)}
        found, expected = sess.run([(outputs, last), (wanted, tf.concat([memory, output], 1))], feed)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-6)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-6)


def test_a_tensor_of_another_width_is_no_state():
    with pytest.raises(TypeError, match="iterating over"):
        tf.nn.static_rnn(tf.nn.rnn_cell.BasicLSTMCell(UNITS), [tf.ones([2, 4])], initial_state=tf.ones([2, 5]))
