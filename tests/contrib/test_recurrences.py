"""`Recurrent` and the networks it computes: against numbers worked out step by step, and against `tf.nn.dynamic_rnn`."""

import numpy as np
import pytest

import headrace as tf
from headrace.contrib import recurrent

INPUTS = np.random.RandomState(5).randn(2, 4, 3).astype(np.float32)


def _values(*tensors):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for variable in tf.trainable_variables():
            shape = variable.shape.as_list()
            variable.load(np.linspace(-0.5, 0.6, int(np.prod(shape))).reshape(shape), session)
        return session.run(list(tensors))


def _decay(theta, state, inputs):
    return {"s": theta["rate"] * state["s"] + inputs}, {"before": state["s"]}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, [1.0, 2.5, 4.25]),
        ({"max_input_length": 2}, [1.0, 2.5, 0.0]),
        ({"max_input_length": 2, "aligned_end": True}, [0.0, 2.0, 4.0]),
    ],
)
def test_states_of_steps_that_are_not_made_are_zero(arguments, expected):
    states, last = recurrent.Recurrent(
        {"rate": tf.constant(0.5)}, {"s": tf.constant(0.0)}, tf.constant([1.0, 2.0, 3.0]), _decay, **arguments
    )
    found, final = _values(states["s"], last["s"])
    np.testing.assert_allclose(found, expected)
    assert final == [each for each in expected if each][-1]


def test_the_gradient_goes_through_all_steps_and_dense_inputs():
    theta, start, inputs = {"rate": tf.constant(0.5)}, {"s": tf.constant(2.0)}, tf.constant([1.0, 2.0, 3.0])
    _, last = recurrent.Recurrent(theta, start, inputs, _decay)
    # last = r^3 s + r^2 x0 + r x1 + x2
    of_rate, of_start, of_inputs = _values(*tf.gradients(last["s"], [theta["rate"], start["s"], inputs]))
    assert of_rate == pytest.approx(3 * 0.25 * 2 + 2 * 0.5 * 1 + 2)
    assert of_start == pytest.approx(0.125)
    np.testing.assert_allclose(of_inputs, [0.25, 0.5, 1.0])


def test_a_given_gradient_gets_the_extras_of_its_step():
    def cell_grad(theta, state0, inputs, extras, dstate1):
        return {"rate": tf.reduce_sum(dstate1["s"] * extras["before"])}, {"s": 10.0 * dstate1["s"]}, None

    theta, start, inputs = {"rate": tf.constant(0.5)}, {"s": tf.constant(2.0)}, tf.constant([1.0, 2.0])
    _, last = recurrent.Recurrent(theta, start, inputs, _decay, cell_grad)
    of_rate, of_start, of_inputs = _values(*tf.gradients(last["s"], [theta["rate"], start["s"], inputs]))
    # The states before the steps are 2 and 2; the gradient that comes to the first step is 10.
    assert of_rate == pytest.approx(2 + 10 * 2)
    assert of_start == pytest.approx(100)
    np.testing.assert_allclose(of_inputs, [0.0, 0.0])


def test_one_step_needs_no_loop():
    recurrent.Recurrent(
        {"rate": tf.constant(0.5)}, {"s": tf.constant(0.0)}, tf.constant([1.0]), _decay, max_input_length=1
    )
    assert not [op for op in tf.get_default_graph().get_operations() if op.type in ("Enter", "While")]


@pytest.mark.parametrize("time_major", [False, True])
def test_a_functional_network_is_a_dynamic_one(time_major):
    inputs = tf.constant(INPUTS.transpose(1, 0, 2) if time_major else INPUTS)
    arguments = {"sequence_length": tf.constant([2, 4]), "dtype": tf.float32, "time_major": time_major}
    cell = tf.nn.rnn_cell.LSTMCell(3, num_proj=2)
    outputs, state = recurrent.functional_rnn(cell, inputs, **arguments)
    assert [v.op.name for v in tf.trainable_variables()] == [
        f"rnn/lstm_cell/{name}" for name in ("kernel", "bias", "projection/kernel")
    ]
    tf.get_variable_scope().reuse_variables()
    expected, last = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(3, num_proj=2), inputs, **arguments)
    gradients = [tf.gradients(each, [inputs, *tf.trainable_variables()]) for each in (outputs, expected)]
    found, wanted = _values([outputs, state, gradients[0]], [expected, last, gradients[1]])
    for each, want in zip(tf.contrib.framework.nest.flatten(found), tf.contrib.framework.nest.flatten(wanted)):
        np.testing.assert_allclose(each, want, rtol=1e-5, atol=1e-6)


def test_a_sequence_of_no_steps_ends_with_zeros():
    arguments = {"sequence_length": tf.constant([0, 3]), "initial_state": tf.ones([2, 3])}
    outputs, state = recurrent.functional_rnn(tf.nn.rnn_cell.GRUCell(3), tf.constant(INPUTS), **arguments)
    found, last = _values(outputs, state)
    assert not found[0].any()
    assert not last[0].any()
    assert last[1].any()


@pytest.mark.parametrize("lengths", [None, [3, 1]])
@pytest.mark.parametrize("fast", [False, True])
def test_ways_forth_and_back(lengths, fast):
    cells = tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.GRUCell(2)
    lengths = None if lengths is None else tf.constant(lengths)
    arguments = {"sequence_length": lengths, "dtype": tf.float32}
    outputs, states = recurrent.bidirectional_functional_rnn(
        *cells, tf.constant(INPUTS), fast_reverse=fast, **arguments
    )
    tf.get_variable_scope().reuse_variables()
    expected, last = tf.nn.bidirectional_dynamic_rnn(*cells, tf.constant(INPUTS), **arguments)
    found, wanted = _values([outputs, states], [expected, last])
    np.testing.assert_allclose(found[0][0], wanted[0][0], rtol=1e-5)
    if lengths is None or not fast:  # the fast way back begins with what lies behind the end
        np.testing.assert_allclose(found[0][1], wanted[0][1], rtol=1e-5)
        np.testing.assert_allclose(found[1][1], wanted[1][1], rtol=1e-5)


def test_tpus_need_lengths_for_the_way_back():
    cells = tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.GRUCell(2)
    with pytest.raises(AssertionError, match="variable sequence lengths"):
        recurrent.bidirectional_functional_rnn(*cells, tf.constant(INPUTS), dtype=tf.float32, use_tpu=True)
