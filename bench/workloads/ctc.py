"""Connectionist temporal classification: decoding by prefix beams, the loss, and a step of a recognizer that uses both."""

BARS = {"beam search, width 10": 0.7, "beam search, width 100": 0.7, "loss and gradient": 0.7, "recognizer step": 0.5}


def workload(tf, np):
    time, batch, classes = 60, 8, 28
    random = np.random.RandomState(0)
    logits = random.randn(time, batch, classes).astype(np.float32) * 3
    lengths = random.randint(time // 2, time + 1, batch).astype(np.int32)
    sizes = random.randint(5, 12, batch)
    where = np.array([(row, k) for row in range(batch) for k in range(sizes[row])], np.int64)
    labels = (where, random.randint(0, classes - 1, len(where)).astype(np.int32), [batch, 12])

    given, ends = tf.placeholder(tf.float32, [None, None, classes]), tf.placeholder(tf.int32, [None])
    truth = tf.sparse_placeholder(tf.int32)
    beams = {width: tf.nn.ctc_beam_search_decoder(given, ends, width, 1) for width in (10, 100)}
    loss = tf.nn.ctc_loss(labels=truth, inputs=given, sequence_length=ends)
    slope = tf.gradients(loss, given)[0]

    frames = tf.placeholder(tf.float32, [batch, time, 13])
    heard = dynamic_rnn(tf, frames, ends, 32)
    scores = tf.layers.dense(tf.transpose(heard, [1, 0, 2]), classes, name="scores")
    cost = tf.reduce_mean(tf.nn.ctc_loss(labels=truth, inputs=scores, sequence_length=ends))
    step = tf.train.MomentumOptimizer(1e-3, 0.9).minimize(cost)
    found = tf.nn.ctc_greedy_decoder(scores, ends)[0][0]
    errors = tf.reduce_mean(tf.edit_distance(tf.cast(found, tf.int32), truth))

    session = tf.Session()
    session.run(tf.global_variables_initializer())
    feed = {given: logits, ends: lengths}
    losing = {given: logits, ends: lengths, truth: labels}
    learning = {frames: random.randn(batch, time, 13), ends: lengths, truth: labels}
    return {
        "beam search, width 10": lambda: session.run(beams[10], feed),
        "beam search, width 100": lambda: session.run(beams[100], feed),
        "loss and gradient": lambda: session.run([loss, slope], losing),
        "recognizer step": lambda: session.run([step, cost, errors], learning),
    }


def dynamic_rnn(tf, inputs, lengths, units):
    """A GRU; TensorFlow 2.21 has it as a layer only."""
    try:
        cell = tf.nn.rnn_cell.GRUCell(units)
    except AttributeError:
        return tf.keras.layers.GRU(units, return_sequences=True)(
            inputs, mask=tf.sequence_mask(lengths, inputs.shape[1])
        )
    return tf.nn.dynamic_rnn(cell, inputs, lengths, dtype=tf.float32)[0]
