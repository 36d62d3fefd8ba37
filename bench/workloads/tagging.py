"""Taggers of words: a bidirectional LSTM below a conditional random field, trained, and the likeliest tags of sentences."""

BARS = {"training step": 0.4, "decoding": 0.4}

BATCH, TIME, WORDS, UNITS, TAGS = 16, 25, 1000, 32, 9


def has_crf(tf):
    """TensorFlow 2.21 has no contrib."""
    try:
        return tf.contrib.crf is not None
    except AttributeError:
        return False


def workload(tf, np):
    if not has_crf(tf):
        raise NotImplementedError("there is no tf.contrib.crf here")
    crf, cells = tf.contrib.crf, tf.nn.rnn_cell
    rng = np.random.RandomState(0)
    words = tf.placeholder(tf.int32, [BATCH, TIME])
    tags = tf.placeholder(tf.int32, [BATCH, TIME])
    lengths = tf.placeholder(tf.int32, [BATCH])
    embedded = tf.nn.embedding_lookup(tf.get_variable("embedding", [WORDS, UNITS]), words)
    both, _ = tf.nn.bidirectional_dynamic_rnn(
        cells.LSTMCell(UNITS), cells.LSTMCell(UNITS), embedded, lengths, dtype=tf.float32
    )
    scores = tf.layers.dense(tf.concat(both, 2), TAGS)
    likelihood, transitions = crf.crf_log_likelihood(scores, tags, lengths)
    loss = tf.reduce_mean(-likelihood)
    step = tf.train.AdamOptimizer().minimize(loss)
    decoded, _ = crf.crf_decode(scores, transitions, lengths)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    feed = {
        words: rng.randint(0, WORDS, (BATCH, TIME)),
        tags: rng.randint(0, TAGS, (BATCH, TIME)),
        lengths: rng.randint(5, TIME + 1, BATCH),
    }
    return {
        "training step": lambda: sess.run([step, loss], feed),
        "decoding": lambda: sess.run(decoded, feed),
    }
