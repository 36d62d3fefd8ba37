"""The operations that beam search makes, in order: seeds of what is made after them count on their number."""

import tensorflow as tf

seq2seq, cells = tf.contrib.seq2seq, tf.nn.rnn_cell
results = {}


def decode(name, units=6, width=3, attention=None, history=False, static=False, **options):
    """The operations of a decoder over words, and the seeds of its variables and of one that is made after it."""
    tf.reset_default_graph()
    tf.set_random_seed(7)
    embedding = tf.get_variable("embedding", [10, 4])
    start = tf.fill([2], 2) if static else tf.placeholder(tf.int32, [None])
    batch = 2 if static else tf.shape(start)[0]
    if attention is None:
        cell = cells.MultiRNNCell([cells.LSTMCell(units), cells.GRUCell(units)])
        state = seq2seq.tile_batch(cell.zero_state(batch, tf.float32), width)
    else:
        memory = seq2seq.tile_batch(tf.placeholder(tf.float32, [None, None, 8]), width)
        lengths = seq2seq.tile_batch(tf.placeholder(tf.int32, [None]), width)
        mechanism = attention(units, memory, lengths)
        cell = seq2seq.AttentionWrapper(
            cells.LSTMCell(units), mechanism, attention_layer_size=5, alignment_history=history
        )
        state = cell.zero_state(batch * width, tf.float32)
    decoder = seq2seq.BeamSearchDecoder(
        cell, embedding, start, 1, state, width, output_layer=tf.layers.Dense(10), **options
    )
    seq2seq.dynamic_decode(decoder, maximum_iterations=9)
    tf.get_variable("after", [2])
    operations = tf.get_default_graph().get_operations()
    results[name] = {
        "types": " ".join(op.type for op in operations),
        "names": " ".join(op.name.split("/")[-1] for op in operations),
        "seeds": [[op.name, op.get_attr("seed2")] for op in operations if op.type == "RandomUniform"],
    }


decode("cells")
decode("known batch", static=True, length_penalty_weight=0.6)
decode("attention", attention=seq2seq.LuongAttention, length_penalty_weight=0.6)
decode("coverage", attention=seq2seq.BahdanauAttention, history=True, coverage_penalty_weight=0.2)
