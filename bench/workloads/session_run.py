"""What Session.run itself costs: a trivial fetch, one feed, a new Session and its first run."""

BARS = {
    "trivial run": 0.5,
    "one feed": None,
    "new session, first run": 0.5,
    "new session, first run of a new graph": 0.5,
}


def workload(tf, np):
    constant = tf.constant(1.0)
    fed = tf.placeholder(tf.float32, [8])
    doubled = fed * 2.0
    sess = tf.Session()
    values = np.arange(8, dtype=np.float32)
    batch = np.ones([16, 8], np.float32)

    def small_graph():
        graph = tf.Graph()
        with graph.as_default():
            x = tf.placeholder(tf.float32, [None, 8])
            w = tf.Variable(tf.ones([8, 4]), name="w")
            b = tf.Variable(tf.zeros([4]), name="b")
            y = tf.reduce_mean(tf.nn.relu(tf.matmul(x, w) + b))
            return graph, tf.global_variables_initializer(), x, y

    def first_run(parts):
        graph, init, x, y = parts
        with tf.Session(graph=graph) as new:
            new.run(init)
            return new.run(y, {x: batch})

    kept = small_graph()
    return {
        "trivial run": lambda: sess.run(constant),
        "one feed": lambda: sess.run(doubled, {fed: values}),
        "new session, first run": lambda: first_run(kept),
        "new session, first run of a new graph": (small_graph, first_run),
    }
