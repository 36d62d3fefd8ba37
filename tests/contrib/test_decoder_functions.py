"""Decoders and attention of TensorFlow 1.0 and 1.1, against the same sums in NumPy."""

import numpy as np
import pytest

import headrace as tf
from headrace.contrib import seq2seq

UNITS, DEPTH, SYMBOLS = 3, 2, 5
RANDOM = np.random.RandomState(0)
MEMORY = RANDOM.randn(2, 4, UNITS).astype(np.float32)
EMBEDDINGS = RANDOM.randn(SYMBOLS, DEPTH).astype(np.float32)
OUTPUT = RANDOM.randn(UNITS, SYMBOLS).astype(np.float32)
INPUTS = RANDOM.randn(2, 3, DEPTH).astype(np.float32)


class Sums(tf.nn.rnn_cell.RNNCell):
    """A cell whose output and state are tanh of its state and of what its input adds up to."""

    state_size = output_size = UNITS

    def __call__(self, inputs, state, scope=None):
        following = tf.tanh(state + tf.reduce_sum(inputs, 1, keepdims=True))
        return following, following


def softmax(values):
    powers = np.exp(values - values.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def attention_in_numpy(option, weights):
    def attend(query):
        keys = MEMORY @ weights["attention_keys/weights"]
        if option == "luong":
            scores = np.einsum("btu,bu->bt", keys, query)
        else:
            turned = (query @ weights["attention_score/attnW"])[:, None]
            scores = np.tanh(keys + turned) @ weights["attention_score/attnV"]
        seen = np.einsum("bt,btu->bu", softmax(scores), MEMORY)
        return np.concatenate([query, seen], 1) @ weights["attention_construct/weights"]

    return attend


def values_of_variables(sess):
    sess.run(tf.global_variables_initializer())
    return {variable.op.name: sess.run(variable) for variable in tf.trainable_variables()}


@pytest.mark.parametrize("lengths", [[3, 3], [1, 3], [2, 1]])
def test_inputs_are_read_until_a_sequence_ends(lengths):
    train = seq2seq.simple_decoder_fn_train(tf.zeros([2, UNITS]))
    outputs, state, context = seq2seq.dynamic_rnn_decoder(Sums(), train, INPUTS, lengths)
    with tf.Session() as sess:
        emitted, last = sess.run([outputs, state])
    wanted, now = np.zeros([2, max(lengths), UNITS]), np.zeros([2, UNITS])
    for step in range(max(lengths)):
        for row in range(2):
            if step < lengths[row]:
                wanted[row, step] = now[row] = np.tanh(now[row] + INPUTS[row, step].sum())
    np.testing.assert_allclose(emitted, wanted, rtol=1e-5)
    np.testing.assert_allclose(last, now, rtol=1e-5)
    assert context is None


def test_time_comes_first_where_that_is_asked_for():
    train = seq2seq.simple_decoder_fn_train(tf.zeros([2, UNITS]))
    batches, _, _ = seq2seq.dynamic_rnn_decoder(Sums(), train, INPUTS, [3, 2])
    steps, _, _ = seq2seq.dynamic_rnn_decoder(Sums(), train, INPUTS.transpose(1, 0, 2), [3, 2], time_major=True)
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(tf.transpose(steps, [1, 0, 2])), sess.run(batches))


@pytest.mark.parametrize("option", ["luong", "bahdanau"])
def test_attention_is_fed_to_the_next_step(option):
    prepared = seq2seq.prepare_attention(tf.constant(MEMORY), option, UNITS)
    train = seq2seq.attention_decoder_fn_train(tf.zeros([2, UNITS]), *prepared)
    outputs, _, _ = seq2seq.dynamic_rnn_decoder(Sums(), train, INPUTS, [3, 3])
    with tf.Session() as sess:
        weights = {name.replace("rnn/", ""): value for name, value in values_of_variables(sess).items()}
        emitted = sess.run(outputs)
    attend, state, attention = attention_in_numpy(option, weights), np.zeros([2, UNITS]), np.zeros([2, UNITS])
    for step in range(3):
        state = np.tanh(state + (INPUTS[:, step].sum(1) + attention.sum(1))[:, None])
        attention = attend(state)
        np.testing.assert_allclose(emitted[:, step], attention, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("option", [None, "luong", "bahdanau"])
def test_the_likeliest_symbol_is_read_next(option):
    start, end, most = 1, 4, 6
    begin, arguments = tf.zeros([2, UNITS]), (tf.constant(EMBEDDINGS), start, end, most, SYMBOLS)

    def output_fn(output):
        return tf.matmul(output, OUTPUT)

    if option is None:
        infer = seq2seq.simple_decoder_fn_inference(output_fn, begin, *arguments)
    else:
        prepared = seq2seq.prepare_attention(tf.constant(MEMORY), option, UNITS)
        infer = seq2seq.attention_decoder_fn_inference(output_fn, begin, *prepared, *arguments)
    outputs, _, _ = seq2seq.dynamic_rnn_decoder(Sums(), infer)
    with tf.Session() as sess:
        weights = {name.replace("rnn/", ""): value for name, value in values_of_variables(sess).items()}
        emitted = sess.run(outputs)
    attend = (lambda query: query) if option is None else attention_in_numpy(option, weights)
    for row in range(2):
        symbol, state, attention = start, np.zeros([2, UNITS]), np.zeros([2, UNITS])
        for step in range(emitted.shape[1]):
            added = EMBEDDINGS[symbol].sum() + (0 if option is None else attention[row].sum())
            state[row] = np.tanh(state[row] + added)
            attention = attend(state)
            logits = attention[row] @ OUTPUT
            np.testing.assert_allclose(emitted[row, step], logits, rtol=1e-4, atol=1e-5)
            symbol = logits.argmax()
            if symbol == end:
                assert not emitted[row, step + 1 :].any()
                break
    assert emitted.shape[1] <= most + 1


def test_a_context_is_carried_from_step_to_step():
    def counting(time, state, given, output, context):
        count = tf.constant(0) if context is None else context + 1
        return None, tf.zeros([2, UNITS]) if state is None else state, given, output, count

    _, _, context = seq2seq.dynamic_rnn_decoder(Sums(), counting, INPUTS, [3, 2])
    with tf.Session() as sess:
        assert sess.run(context) == 3


@pytest.mark.parametrize("mechanism", ["LuongAttention", "BahdanauAttention"])
@pytest.mark.parametrize(("attends", "sharpness"), [(True, 1), (False, 1), (True, 3)])
def test_the_attending_cell_of_1_1(mechanism, attends, sharpness):
    attention = getattr(seq2seq, mechanism)(UNITS, tf.constant(MEMORY))
    probabilities = None if sharpness == 1 else lambda score: tf.nn.softmax(sharpness * score)
    cell = seq2seq.DynamicAttentionWrapper(Sums(), attention, 4, probability_fn=probabilities, output_attention=attends)
    assert cell.output_size == (4 if attends else UNITS)
    before = seq2seq.DynamicAttentionWrapperState(tf.constant([[0.1] * UNITS] * 2), tf.constant([[0.2] * 4] * 2))
    output, after = cell(tf.constant(INPUTS[:, 0]), before)
    with tf.Session() as sess:
        weights = {name.split("/", 1)[-1]: value for name, value in values_of_variables(sess).items()}
        found, state, attended = sess.run([output, after.cell_state, after.attention])
    wanted = np.tanh(0.1 + INPUTS[:, :1].sum(2) + 0.8).repeat(UNITS, 1)
    np.testing.assert_allclose(state, wanted, rtol=1e-5)
    keys = MEMORY @ next(value for name, value in weights.items() if name.endswith("kernel") and value.shape == (3, 3))
    if mechanism == "LuongAttention":
        seen = np.einsum("bt,btu->bu", softmax(sharpness * np.einsum("btu,bu->bt", keys, wanted)), MEMORY)
        both = np.concatenate([wanted, seen], 1)
        np.testing.assert_allclose(attended, both @ weights["dense/kernel"] + weights["dense/bias"], rtol=1e-4)
    np.testing.assert_array_equal(found, attended if attends else state)


def test_zeros_are_the_state_to_begin_with():
    cell = seq2seq.DynamicAttentionWrapper(Sums(), seq2seq.LuongAttention(UNITS, tf.constant(MEMORY)), 4)
    with tf.Session() as sess:
        state = sess.run(cell.zero_state(2, tf.float32))
    assert [part.shape for part in state] == [(2, UNITS), (2, 4)]


def test_mistakes_are_told():
    begin = tf.zeros([2, UNITS])
    with pytest.raises(ValueError, match=r"attention_option.*'additive'"):
        seq2seq.prepare_attention(tf.constant(MEMORY), "additive", UNITS)
    with pytest.raises(ValueError, match="`inputs` must be"):
        seq2seq.dynamic_rnn_decoder(Sums(), seq2seq.simple_decoder_fn_train(begin), tf.zeros([2, 3]), [1, 1])
    with pytest.raises(ValueError, match="`sequence_length` is needed"):
        seq2seq.dynamic_rnn_decoder(Sums(), seq2seq.simple_decoder_fn_train(begin), INPUTS)
    infer = seq2seq.simple_decoder_fn_inference(None, begin, EMBEDDINGS, 1, 4, 6, SYMBOLS)
    with pytest.raises(ValueError, match="takes no `inputs`"):
        seq2seq.dynamic_rnn_decoder(Sums(), infer, INPUTS, [3, 3])
    mechanism = seq2seq.LuongAttention(UNITS, tf.constant(MEMORY))
    with pytest.raises(TypeError, match="BahdanauAttention, got int"):
        seq2seq.DynamicAttentionWrapper(Sums(), 3, 4)
    with pytest.raises(TypeError, match="`cell_input_fn` must be callable"):
        seq2seq.DynamicAttentionWrapper(Sums(), mechanism, 4, cell_input_fn=3)
    with pytest.raises(TypeError, match="`probability_fn` must be callable"):
        seq2seq.DynamicAttentionWrapper(Sums(), mechanism, 4, probability_fn=3)
