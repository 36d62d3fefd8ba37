"""Recurrent layers of Keras trained on texts of many lengths, with masks: words, an LSTM or GRU, one unit."""

BARS = {"LSTM with masking": 0.9, "GRU with masking": 0.9, "LSTM predict": 0.9}


def workload(tf, np):
    words, steps, batch, units = 20000, 80, 32, 128
    rng = np.random.RandomState(0)
    texts = rng.randint(1, words, (batch, steps))
    for row in texts:
        row[: rng.randint(0, 50)] = 0
    labels = rng.randint(0, 2, (batch, 1)).astype(np.float32)

    def trainer(layer):
        graph = tf.Graph()
        with graph.as_default():
            sess = tf.compat.v1.Session(graph=graph)
            ids = tf.compat.v1.placeholder(tf.int32, [None, steps])
            wanted = tf.compat.v1.placeholder(tf.float32, [None, 1])
            table = tf.compat.v1.get_variable("table", [words, units], use_resource=True)
            encoded = layer(tf.nn.embedding_lookup(table, ids), mask=tf.not_equal(ids, 0))
            weights = tf.compat.v1.get_variable("weights", [units, 1], use_resource=True)
            logits = tf.matmul(encoded, weights)
            loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=wanted, logits=logits))
            step = tf.compat.v1.train.AdamOptimizer().minimize(loss)
            sess.run(tf.compat.v1.global_variables_initializer())
        feed = {ids: texts, wanted: labels}
        return lambda: sess.run([loss, step], feed), lambda: sess.run(logits, feed)

    layers = tf.compat.v1.keras.layers
    train, predict = trainer(layers.LSTM(units))
    return {
        "LSTM with masking": train,
        "GRU with masking": trainer(layers.GRU(units))[0],
        "LSTM predict": predict,
    }
