"""A fine-tuning step of a BERT of four layers in the base model's width: 8 sequences of 128 tokens, Adam."""

BARS = {"step": 1.0}

LAYERS, WIDTH, HEADS, BATCH, LENGTH, WORDS = 4, 768, 12, 8, 128, 30522


def workload(tf, np):
    tf.logging.set_verbosity(tf.logging.ERROR)
    tf.set_random_seed(0)
    state = np.random.RandomState(0)
    initial = tf.truncated_normal_initializer(stddev=0.02)

    def dense(values, units, name, activation=None):
        return tf.layers.dense(values, units, activation, kernel_initializer=initial, name=name)

    def normed(values, scope):
        with tf.variable_scope(scope):
            scale = tf.get_variable("gamma", [WIDTH], initializer=tf.ones_initializer())
            shift = tf.get_variable("beta", [WIDTH], initializer=tf.zeros_initializer())
        mean, variance = tf.nn.moments(values, [-1], keep_dims=True)
        return tf.nn.batch_normalization(values, mean, variance, shift, scale, 1e-12)

    def gelu(values):
        return values * 0.5 * (1.0 + tf.tanh(np.sqrt(2 / np.pi) * (values + 0.044715 * tf.pow(values, 3))))

    def heads(values):
        return tf.transpose(tf.reshape(values, [BATCH, LENGTH, HEADS, WIDTH // HEADS]), [0, 2, 1, 3])

    def attention(values, mask):
        query, key, value = (heads(dense(values, WIDTH, name)) for name in ("query", "key", "value"))
        scores = tf.matmul(query, key, transpose_b=True) / np.sqrt(WIDTH // HEADS).astype(np.float32)
        shares = tf.nn.dropout(tf.nn.softmax(scores + mask), keep_prob=0.9)
        context = tf.reshape(tf.transpose(tf.matmul(shares, value), [0, 2, 1, 3]), [BATCH * LENGTH, WIDTH])
        return tf.nn.dropout(dense(context, WIDTH, "output"), keep_prob=0.9)

    graph = tf.Graph()
    with graph.as_default():
        tokens = tf.placeholder(tf.int32, [BATCH, LENGTH])
        present = tf.placeholder(tf.float32, [BATCH, LENGTH])
        labels = tf.placeholder(tf.int32, [BATCH])
        words = tf.get_variable("words", [WORDS, WIDTH], initializer=initial)
        places = tf.get_variable("places", [LENGTH, WIDTH], initializer=initial)
        embedded = tf.gather(words, tokens) + places
        values = tf.reshape(normed(embedded, "embedding_norm"), [BATCH * LENGTH, WIDTH])
        mask = (1.0 - present[:, None, None, :]) * -10000.0
        for layer in range(LAYERS):
            with tf.variable_scope("layer_%d" % layer):
                values = normed(values + attention(values, mask), "attention_norm")
                hidden = dense(values, 4 * WIDTH, "intermediate", gelu)
                values = normed(values + tf.nn.dropout(dense(hidden, WIDTH, "back"), keep_prob=0.9), "norm")
        first = tf.reshape(values, [BATCH, LENGTH, WIDTH])[:, 0]
        logits = dense(dense(first, WIDTH, "pooler", tf.tanh), 2, "classifier")
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        variables = tf.trainable_variables()
        gradients, _ = tf.clip_by_global_norm(tf.gradients(loss, variables), 1.0)
        train = tf.train.AdamOptimizer(2e-5).apply_gradients(list(zip(gradients, variables)))
        initialize = tf.global_variables_initializer()
    session = tf.Session(graph=graph)
    session.run(initialize)
    feed = {
        tokens: state.randint(WORDS, size=(BATCH, LENGTH)),
        present: np.ones((BATCH, LENGTH), np.float32),
        labels: state.randint(2, size=BATCH),
    }
    return {"step": lambda: session.run([train, loss], feed)}
