"""Training steps of small translators: an encoder over sentences of many lengths, a decoder that attends to it."""

BARS = {"NMT, 32 units": 0.6, "NMT, 64 units": 0.6, "GRU encoder and decoder": 0.6}

START = 1


def has_seq2seq(tf):
    """TensorFlow 2.21 has no contrib."""
    try:
        return tf.contrib.seq2seq is not None
    except AttributeError:
        return False


def workload(tf, np):
    if not has_seq2seq(tf):
        raise NotImplementedError("there is no tf.contrib.seq2seq here")
    return {
        "NMT, 32 units": Step(tf, np, units=32, words=200, batch=8, time=12),
        "NMT, 64 units": Step(tf, np, units=64, words=500, batch=16, time=15),
        "GRU encoder and decoder": Step(tf, np, units=48, words=200, batch=8, time=12, attends=False),
    }


class Step(object):
    """One translator, built when its first step is asked for."""

    def __init__(self, tf, np, **sizes):
        self.parts, self.sizes, self.run = (tf, np), sizes, None

    def __call__(self):
        if self.run is None:
            self.run = translator(*self.parts, **self.sizes)
        return self.run()


def translator(tf, np, units, words, batch, time, attends=True):
    """After Luong et al. (2015); without attention after Cho et al. (2014)."""
    seq2seq, cells = tf.contrib.seq2seq, tf.nn.rnn_cell
    make_cell = cells.BasicLSTMCell if attends else cells.GRUCell
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(1)
        source = tf.placeholder(tf.int32, [None, None])
        lengths = tf.placeholder(tf.int32, [None])
        target = tf.placeholder(tf.int32, [None, None])
        target_lengths = tf.placeholder(tf.int32, [None])
        rows = tf.shape(source)[0]
        embedding = tf.get_variable("embedding", [words, units])
        encoded, state = tf.nn.dynamic_rnn(
            make_cell(units), tf.nn.embedding_lookup(embedding, source), lengths, dtype=tf.float32
        )
        with tf.variable_scope("decoder"):
            cell = make_cell(units)
            if attends:
                attention = seq2seq.LuongAttention(units, encoded, lengths)
                cell = seq2seq.AttentionWrapper(cell, attention, attention_layer_size=units)
                state = cell.zero_state(rows, tf.float32).clone(cell_state=state)
            inputs = tf.concat([tf.fill([rows, 1], START), target[:, :-1]], 1)
            helper = seq2seq.TrainingHelper(tf.nn.embedding_lookup(embedding, inputs), target_lengths)
            output_layer = tf.layers.Dense(words, use_bias=False, name="words")
            decoder = seq2seq.BasicDecoder(cell, helper, state, output_layer)
            decoded = seq2seq.dynamic_decode(decoder)[0]
        weights = tf.sequence_mask(target_lengths, dtype=tf.float32)
        loss = seq2seq.sequence_loss(decoded.rnn_output, target, weights)
        variables = tf.trainable_variables()
        gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 5.0)
        step = tf.train.AdamOptimizer(1e-3).apply_gradients(list(zip(gradients, variables)))
        session = tf.Session(graph=graph)
        session.run(tf.global_variables_initializer())
    random = np.random.RandomState(0)
    ends = random.randint(time // 2, time + 1, batch)
    ends[0] = time
    feed = {
        source: random.randint(2, words, [batch, time]),
        lengths: ends,
        target: random.randint(2, words, [batch, time]),
        target_lengths: ends,
    }
    return lambda: session.run([step, loss], feed)
