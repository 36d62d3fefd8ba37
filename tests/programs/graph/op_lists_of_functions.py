"""Every op that functions and their gradients make, in order: where only the graph's seed is set, later streams follow."""

import hashlib

import tensorflow as tf

results = {}
R = tf.contrib.rnn
S = tf.contrib.seq2seq
made = []


def given(*shape, **options):
    made.append(tf.placeholder(options.get("dtype", tf.float32), list(shape) if shape else None))
    return made[-1]


def ints(*shape):
    return tf.placeholder(tf.int32, list(shape))


def step(cell, inputs):
    return cell(inputs, cell.zero_state(2, tf.float32))


def decoded(cell, helper, **options):
    decoder = S.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
    return S.dynamic_decode(decoder, **options)[0].rnn_output


def attending():
    mechanism = S.LuongAttention(4, given(2, 7, 4), ints(2))
    return S.AttentionWrapper(R.LSTMCell(4), mechanism, attention_layer_size=3)


def rows():
    return tf.RaggedTensor.from_row_splits(given(4), [0, 1, 4], validate=False)


def repeated():
    mask = tf.boolean_mask(given(2, 3), [True, False])
    return [tf.nn.embedding_lookup([given(4, 3), given(4, 3)], [0, 1]), mask]


def attention_decoder(**options):
    inputs, states = [given(2, 3)] * 2, given(2, 5, 4)
    decoder = tf.contrib.legacy_seq2seq.attention_decoder
    return decoder(inputs, given(2, 4), states, R.GRUCell(4), **options)[0]


cases = {
    "frames": lambda: tf.signal.frame(given(2, 100), 16, 6),
    "frames of unknown shape": lambda: tf.signal.frame(given(), ints(), ints(), pad_end=True),
    "frames of an inner axis": lambda: tf.signal.frame(given(2, None, 3), 16, 8, axis=1, pad_end=True),
    "overlapping sums": lambda: tf.signal.overlap_and_add(given(2, None, 16), 6),
    "sums side by side": lambda: tf.signal.overlap_and_add(given(None, 10, 16), 16),
    "spectra": lambda: tf.signal.stft(given(2, None), 16, 8, pad_end=True),
    "spectra of unknown size": lambda: tf.signal.stft(given(2, None), ints(), ints()),
    "signals": lambda: tf.signal.inverse_stft(given(2, None, 9, dtype=tf.complex64), 12, 8, 16),
    "signals by a window": lambda: tf.signal.inverse_stft(
        given(2, 4, 9, dtype=tf.complex64), 16, 8, window_fn=tf.signal.inverse_stft_window_fn(8)
    ),
    "cosines": lambda: [tf.signal.dct(given(2, 8), norm="ortho"), tf.signal.dct(given(), type=3)],
    "cosines of n": lambda: [tf.signal.dct(given(2, 8), n=12), tf.signal.idct(given(2, 8), type=3, n=4)],
    "windows": lambda: [tf.signal.hann_window(ints()), tf.signal.hamming_window(1), tf.signal.hann_window(5)],
    "pitches": lambda: tf.signal.linear_to_mel_weight_matrix(5, 9),
    "cepstra": lambda: tf.signal.mfccs_from_log_mel_spectrograms(given(2, None, 20)),
    "PhasedLSTMCell": lambda: step(R.PhasedLSTMCell(4), (given(2, 1), given(2, 3))),
    "TimeFreqLSTMCell": lambda: step(R.TimeFreqLSTMCell(4, feature_size=2), given(2, 3)),
    "NASCell": lambda: step(R.NASCell(4), given(2, 3)),
    "UGRNNCell": lambda: step(R.UGRNNCell(4), given(2, 3)),
    "GLSTMCell": lambda: step(R.GLSTMCell(4), given(2, 3)),
    "IndyLSTMCell": lambda: step(R.IndyLSTMCell(4), given(2, 3)),
    "IndyGRUCell": lambda: step(R.IndyGRUCell(4), given(2, 3)),
    "GRUBlockCellV2": lambda: step(R.GRUBlockCellV2(4), given(2, 3)),
    "LSTMBlockFusedCell": lambda: R.LSTMBlockFusedCell(4)(given(5, 2, 3), dtype=tf.float32, sequence_length=ints(2)),
    "attention decoder": attention_decoder,
    "attention decoder that begins with attention": lambda: attention_decoder(initial_state_attention=True),
    "attention": lambda: decoded(attending(), S.TrainingHelper(given(2, 5, 3), ints(2))),
    "scheduled outputs": lambda: decoded(
        R.GRUCell(3), S.ScheduledOutputTrainingHelper(given(2, 5, 3), ints(2), 0.5, seed=1)
    ),
    "warped by a flow": lambda: tf.contrib.image.dense_image_warp(given(2, 8, 8, 3), given(2, 8, 8, 2)),
    "spline": lambda: tf.contrib.image.interpolate_spline(given(2, 5, 2), given(2, 5, 1), given(2, 3, 2), 3, 0.1),
    "warped by points": lambda: tf.contrib.image.sparse_image_warp(
        given(2, 8, 8, 3), given(2, 4, 2), given(2, 4, 2), num_boundary_points=2
    )[0],
    "size kept": lambda: tf.image.resize_images(given(8, 8, 3), [8, 8], preserve_aspect_ratio=True),
    "shapes of choices": repeated,
    "elements of a variable": lambda: tf.gather_nd(
        tf.get_variable("v", [4, 6], use_resource=True), tf.placeholder(tf.int64, [None, 2])
    ),
    "dense rows": lambda: [rows().to_tensor(), rows().bounding_shape()],
    "dense rows filled up": lambda: rows().to_tensor(-1.0),
    "sums of rows": lambda: [tf.reduce_sum(rows(), axis=1), tf.reduce_sum(rows(), axis=0)],
}

for case in sorted(cases):
    tf.reset_default_graph()
    del made[:]
    outputs = [each for each in tf.contrib.framework.nest.flatten(cases[case]()) if each.dtype.base_dtype.is_floating]
    tf.gradients(outputs, made + tf.trainable_variables())
    operations = tf.get_default_graph().get_operations()
    whole = ["%s %s %s" % (op.type, op.name, " ".join(each.name for each in op.inputs)) for op in operations]
    # The last parts of the names show where something differs, the digest that nothing does.
    results[case] = " ".join(op.name.rpartition("/")[2] for op in operations)
    results[case + ", digest"] = hashlib.md5("\n".join(whole).encode()).hexdigest()
