"""Products of sparse matrices, fed in each step, and dense ones: the training step of a graph network."""

BARS = {"graph network, fed": 0.8}

NODES, FEATURES, UNITS, CLASSES = 500, 100, 16, 7


def workload(tf, np):
    rng = np.random.RandomState(0)
    features = tf.sparse_placeholder(tf.float32)
    graph = tf.sparse_placeholder(tf.float32)
    labels = tf.placeholder(tf.float32, [NODES, CLASSES])
    first = tf.get_variable("first", [FEATURES, UNITS])
    second = tf.get_variable("second", [UNITS, CLASSES])
    hidden = tf.nn.relu(tf.sparse_tensor_dense_matmul(graph, tf.sparse_tensor_dense_matmul(features, first)))
    logits = tf.sparse_tensor_dense_matmul(graph, tf.matmul(hidden, second))
    losses = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_mean(losses) + 5e-4 * tf.nn.l2_loss(first)
    step = tf.train.AdamOptimizer(0.01).minimize(loss)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())

    def drawn(rows, columns, count):
        places = np.stack([rng.randint(0, rows, count), rng.randint(0, columns, count)], 1)
        places = np.unique(places, axis=0).astype(np.int64)
        return places, rng.rand(len(places)).astype(np.float32), [rows, columns]

    feed = {
        features: drawn(NODES, FEATURES, 3000),
        graph: drawn(NODES, NODES, 2500),
        labels: np.eye(CLASSES)[rng.randint(0, CLASSES, NODES)],
    }
    return {"graph network, fed": lambda: sess.run([step, loss], feed)}
