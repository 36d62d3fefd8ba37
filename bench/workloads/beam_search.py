"""Translation: an encoder, a decoder that attends to it, decoded greedily and by beam search, and trained."""

BARS = {
    "beam search decode": 1.0,
    "greedy decode": None,
    "training step": 1.0,
}

BATCH, SOURCE, WORDS, UNITS, WIDTH, STEPS, START, END = 8, 20, 2000, 128, 5, 25, 1, 2


def has_seq2seq(tf):
    """TensorFlow 2.21 has no contrib."""
    try:
        return tf.contrib.seq2seq is not None
    except AttributeError:
        return False


def workload(tf, np):
    if not has_seq2seq(tf):
        raise NotImplementedError("there is no tf.contrib.seq2seq here")
    seq2seq, cells = tf.contrib.seq2seq, tf.nn.rnn_cell
    rng = np.random.RandomState(0)

    source = tf.placeholder(tf.int32, [None, None])
    lengths = tf.placeholder(tf.int32, [None])
    target = tf.placeholder(tf.int32, [None, None])
    target_lengths = tf.placeholder(tf.int32, [None])
    batch = tf.shape(source)[0]
    embedding = tf.get_variable("embedding", [WORDS, UNITS])
    encoded, state = tf.nn.dynamic_rnn(
        cells.BasicLSTMCell(UNITS), tf.nn.embedding_lookup(embedding, source), lengths, dtype=tf.float32
    )
    words = tf.layers.Dense(WORDS, use_bias=False, name="words")

    def decoder_cell(width, reuse):
        memory, ends, first = encoded, lengths, state
        if width > 1:
            memory, ends, first = (seq2seq.tile_batch(part, width) for part in (encoded, lengths, state))
        attention = seq2seq.LuongAttention(UNITS, memory, ends)
        cell = seq2seq.AttentionWrapper(cells.BasicLSTMCell(UNITS), attention, attention_layer_size=UNITS)
        return cell, cell.zero_state(batch * width, tf.float32).clone(cell_state=first)

    def decode(make, width, reuse, **options):
        with tf.variable_scope("translate", reuse=reuse):
            cell, first = decoder_cell(width, reuse)
            return seq2seq.dynamic_decode(make(cell, first), **options)[0]

    inputs = tf.concat([tf.fill([batch, 1], START), target[:, :-1]], 1)
    trained = decode(
        lambda cell, first: seq2seq.BasicDecoder(
            cell,
            seq2seq.TrainingHelper(tf.nn.embedding_lookup(embedding, inputs), target_lengths),
            first,
            words,
        ),
        1,
        None,
    )
    weights = tf.sequence_mask(target_lengths, dtype=tf.float32)
    loss = seq2seq.sequence_loss(trained.rnn_output, target, weights)
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    starts = tf.fill([batch], START)
    greedy = decode(
        lambda cell, first: seq2seq.BasicDecoder(
            cell, seq2seq.GreedyEmbeddingHelper(embedding, starts, END), first, words
        ),
        1,
        True,
        maximum_iterations=STEPS,
    ).sample_id
    beams = decode(
        lambda cell, first: seq2seq.BeamSearchDecoder(
            cell, embedding, starts, END, first, WIDTH, words, length_penalty_weight=0.6
        ),
        WIDTH,
        True,
        maximum_iterations=STEPS,
    ).predicted_ids

    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    feed = {
        source: rng.randint(3, WORDS, [BATCH, SOURCE]),
        lengths: rng.randint(SOURCE // 2, SOURCE + 1, BATCH),
        target: rng.randint(3, WORDS, [BATCH, STEPS]),
        target_lengths: np.full(BATCH, STEPS),
    }
    reading = {key: feed[key] for key in (source, lengths)}
    return {
        "beam search decode": lambda: sess.run(beams, reading),
        "greedy decode": lambda: sess.run(greedy, reading),
        "training step": lambda: sess.run([loss, step], feed),
    }
