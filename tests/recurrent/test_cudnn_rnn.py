"""Networks in one op against torch's own modules and against the cells they are saved as."""

import numpy as np
import pytest
import torch

import headrace as tf
from headrace.core.registry import raw

C = tf.contrib.cudnn_rnn
KINDS = {"lstm": C.CudnnLSTM, "gru": C.CudnnGRU, "rnn_tanh": C.CudnnRNNTanh, "rnn_relu": C.CudnnRNNRelu}
X = np.random.RandomState(0).randn(6, 3, 4).astype(np.float32)
START = tf.random_uniform_initializer(-0.5, 0.5, seed=1)


def layer_of(kind, **options):
    return KINDS[kind](2, 5, kernel_initializer=START, bias_initializer=START, **options)


def torch_network(kind, bidirectional, weights, biases):
    """torch's module with the canonical weights of a network of two layers."""
    names = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}
    if kind in names:
        network = names[kind](4, 5, 2, bidirectional=bidirectional)
    else:
        network = torch.nn.RNN(4, 5, 2, nonlinearity=kind[4:], bidirectional=bidirectional)
    gates = {"lstm": 4, "gru": 3}.get(kind, 1)
    weights, biases = iter(weights), iter(biases)
    state = {}
    for layer in range(2):
        for suffix in ("", "_reverse")[: 2 if bidirectional else 1]:
            for which in ("ih", "hh"):
                parts = [next(weights) for _ in range(gates)]
                state[f"weight_{which}_l{layer}{suffix}"] = torch.tensor(np.concatenate(parts))
                parts = [next(biases) for _ in range(gates)]
                state[f"bias_{which}_l{layer}{suffix}"] = torch.tensor(np.concatenate(parts))
    network.load_state_dict(state)
    return network


@pytest.mark.parametrize("lengths", [None, [6, 2, 4]])
@pytest.mark.parametrize("direction", ["unidirectional", "bidirectional"])
@pytest.mark.parametrize("kind", KINDS)
def test_values_and_gradients_are_those_of_torch(kind, direction, lengths):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(X)
        layer = layer_of(kind, direction=direction)
        outputs, states = layer(x, sequence_lengths=lengths)
        sizes = (kind, 2, 5, 4)
        from headrace.contrib.cudnn_rnn import cudnn_rnn_ops

        canonical = cudnn_rnn_ops.cudnn_rnn_opaque_params_to_canonical(*sizes, layer.kernel, direction=direction)
        size = cudnn_rnn_ops.cudnn_rnn_opaque_params_size(*sizes, direction=direction)
        loss = tf.add_n([tf.reduce_sum(part * part) for part in (outputs, *states)])
        x_grad, kernel_grad = tf.gradients(loss, [x, layer.kernel])
        back = cudnn_rnn_ops.cudnn_rnn_opaque_params_to_canonical(*sizes, kernel_grad, direction=direction)
        session.run(tf.global_variables_initializer())
        values, (weights, biases), grads, total, kernel = session.run(
            [[outputs, *states], canonical, [x_grad, *back[0], *back[1]], size, layer.kernel]
        )
    assert outputs.shape.as_list() == [6, 3, 10 if direction == "bidirectional" else 5]
    assert total == kernel.size
    network = torch_network(kind, direction == "bidirectional", weights, biases)
    given = torch.tensor(X, requires_grad=True)
    data = given
    if lengths is not None:
        data = torch.nn.utils.rnn.pack_padded_sequence(given, torch.tensor(lengths), enforce_sorted=False)
    out, state = network(data)
    if lengths is not None:
        out, _ = torch.nn.utils.rnn.pad_packed_sequence(out)
    expected = [out, *(state if kind == "lstm" else [state])]
    sum((part * part).sum() for part in expected).backward()
    for value, wanted in zip(values, expected, strict=True):
        np.testing.assert_allclose(value, wanted.detach().numpy(), atol=1e-5)
    np.testing.assert_allclose(grads[0], given.grad.numpy(), atol=1e-4)
    by_name = {name: parameter.grad.numpy() for name, parameter in network.named_parameters()}
    gates = {"lstm": 4, "gru": 3}.get(kind, 1)
    np.testing.assert_allclose(np.concatenate(grads[1 : 1 + gates]), by_name["weight_ih_l0"], atol=1e-4)
    first_bias = 1 + len(weights)
    np.testing.assert_allclose(np.concatenate(grads[first_bias : first_bias + gates]), by_name["bias_ih_l0"], atol=1e-4)


def cells(kind):
    if kind == "lstm":
        return C.CudnnCompatibleLSTMCell(5)
    if kind == "gru":
        return C.CudnnCompatibleGRUCell(5)
    return tf.nn.rnn_cell.BasicRNNCell(5, activation=kind[4:])


@pytest.mark.parametrize("direction", ["unidirectional", "bidirectional"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_checkpoint_restores_the_cells_and_the_network(kind, direction, tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        outputs, states = layer_of(kind, direction=direction)(tf.constant(X))
        session.run(tf.global_variables_initializer())
        values = session.run([outputs, *states])
        path = tf.train.Saver().save(session, str(tmp_path / "network"))
    names = {name for name, _ in tf.train.list_variables(path)}
    first = "rnn/multi_rnn_cell/cell_0" if direction == "unidirectional" else FIRST_OF_BOTH
    assert any(name.startswith(f"{KIND_SCOPES[kind]}/{first}/") for name in names)
    with tf.Graph().as_default(), tf.Session() as session, tf.variable_scope(KIND_SCOPES[kind]):
        x = tf.constant(X)
        if direction == "unidirectional":
            network = tf.nn.rnn_cell.MultiRNNCell([cells(kind) for _ in range(2)])
            outputs, _ = tf.nn.dynamic_rnn(network, x, dtype=tf.float32, time_major=True)
        else:
            both = [[cells(kind) for _ in range(2)] for _ in range(2)]
            outputs, _, _ = tf.contrib.rnn.stack_bidirectional_dynamic_rnn(*both, x, dtype=tf.float32, time_major=True)
        tf.train.Saver().restore(session, path)
        np.testing.assert_allclose(session.run(outputs), values[0], atol=1e-5)
    with tf.Graph().as_default(), tf.Session() as session:
        outputs, _ = layer_of(kind, direction=direction)(tf.constant(X))
        tf.train.Saver().restore(session, path)
        np.testing.assert_allclose(session.run(outputs), values[0], atol=1e-5)


FIRST_OF_BOTH = "stack_bidirectional_rnn/cell_0/bidirectional_rnn/bw"
KIND_SCOPES = {"lstm": "cudnn_lstm", "gru": "cudnn_gru", "rnn_tanh": "cudnn_rnn_tanh", "rnn_relu": "cudnn_rnn_relu"}


@pytest.mark.parametrize("kind", KINDS)
def test_batch_major_is_time_major_turned(kind):
    with tf.Graph().as_default(), tf.Session() as session:
        layer = layer_of(kind)
        first, first_states = layer(tf.constant(X))
        second, second_states = layer(tf.constant(X.transpose(1, 0, 2)), time_major=False)
        session.run(tf.global_variables_initializer())
        a, b, c, d = session.run([first, second, first_states, second_states])
    np.testing.assert_allclose(a, b.transpose(1, 0, 2), atol=1e-6)
    for one, other in zip(c, d, strict=True):
        np.testing.assert_allclose(one, other.transpose(1, 0, 2), atol=1e-6)


def test_projections_and_skipped_inputs():
    from headrace.contrib.cudnn_rnn import cudnn_rnn_ops

    with tf.Graph().as_default(), tf.Session() as session:
        lstm = cudnn_rnn_ops.CudnnLSTM(2, 5, 4, num_proj=3)
        params = tf.random_uniform([session.run(lstm.params_size())], -0.5, 0.5, seed=2)
        outputs, h, c = lstm(tf.constant(X), tf.zeros([2, 3, 3]), tf.zeros([2, 3, 5]), params)
        weights, biases = lstm.params_to_canonical(params)
        again = lstm.canonical_to_params(weights, biases)
        converter = C.CudnnParamsFormatConverterLSTM(2, 5, 4, num_proj=3)
        kernels, own_biases, projections = converter.opaque_to_tf_canonical(params)
        back = converter.tf_canonical_to_opaque(kernels + own_biases, projections)
        restored, _, _ = lstm(tf.constant(X), tf.zeros([2, 3, 3]), tf.zeros([2, 3, 5]), back)
        one, two, out, out_again, shapes = session.run(
            [params, again, outputs, restored, [tf.shape(part) for part in (h, c, *weights)]]
        )
        np.testing.assert_array_equal(one, two)
        np.testing.assert_allclose(out, out_again, atol=1e-6)
        assert out.shape == (6, 3, 3)
        assert [list(part) for part in shapes[:2]] == [[2, 3, 3], [2, 3, 5]]
        assert [list(part) for part in shapes[2:]] == [[5, 4]] * 4 + [[5, 3]] * 4 + [[3, 5]] + [[5, 3]] * 8 + [[3, 5]]
        skipping = C.CudnnRNNTanh(1, 4, input_mode="skip_input", kernel_initializer=START)
        outputs, _ = skipping(tf.constant(X))
        session.run(tf.global_variables_initializer())
        kernel, values = session.run([skipping.kernel, outputs])
    state = np.zeros([3, 4])
    assert kernel.size == 4 * 4 + 8
    for step, value in zip(X, values, strict=True):
        state = np.tanh(step + state @ kernel[:16].reshape(4, 4).T)
        np.testing.assert_allclose(value, state, atol=1e-5)


def test_dropout_is_the_same_in_both_directions_of_a_step():
    """The derivative along the weights is the difference quotient of outputs with the same mask."""
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        layer = layer_of("rnn_tanh", dropout=0.5, seed=4)
        scale = tf.placeholder_with_default(1.0, [])
        outputs, _ = layer(tf.constant(X) * scale)
        quiet, _ = layer(tf.constant(X), training=False)
        grad = tf.gradients(tf.reduce_sum(outputs), scale)[0]

        def first(value, fetch):
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                return session.run(fetch, {scale: value})

        dropped, kept = first(1.0, [outputs, quiet])
        assert not np.allclose(dropped, kept)
        slope = (first(1.01, outputs).sum(dtype=float) - first(0.99, outputs).sum(dtype=float)) / 0.02
        assert first(1.0, [outputs, grad])[1] == pytest.approx(slope, rel=1e-2)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda x: C.CudnnLSTM(1, 5, direction="backwards"), ValueError),
        (lambda x: C.CudnnLSTM(1, 5, input_mode="none"), ValueError),
        (lambda x: C.CudnnLSTM(1, 5, dtype=tf.int32), ValueError),
        (lambda x: C.CudnnLSTM(1, 5)(x[0]), ValueError),
        (lambda x: C.CudnnLSTM(1, 5)(x, initial_state=[x, x]), TypeError),
        (lambda x: C.CudnnLSTM(1, 5).input_size, ValueError),
        (lambda x: C.CudnnLSTM(1, 5).canonical_weight_shapes, RuntimeError),
        (lambda x: tf.gradients(C.CudnnGRU(1, 5)(x, training=False)[0], x), ValueError),
    ],
)
def test_refusals(make, error):
    with tf.Graph().as_default(), pytest.raises(error):
        make(tf.constant(X))


def test_memories_of_another_shape():
    with tf.Graph().as_default(), tf.Session() as session:
        x, h, c = np.zeros([3, 2, 2]), np.zeros([1, 2, 2]), np.zeros([1, 1, 2])
        made = raw.CudnnRNNV2(*[np.float32(value) for value in (x, h, c, np.zeros(48))], rnn_mode="lstm")
        with pytest.raises(tf.errors.InvalidArgumentError, match="input_c"):
            session.run(made[0])
