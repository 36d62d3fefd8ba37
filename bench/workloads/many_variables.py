"""One Adam update of 200 variables, the gradients being given: tiny ones, where calling costs most, and small ones."""

BARS = {"Adam, 200 of 16x16": 0.5, "Adam, 200 of 64x64": 0.5}


def workload(tf, np):
    def update(size):
        graph = tf.Graph()
        with graph.as_default():
            pairs = []
            for i in range(200):
                variable = tf.get_variable("v%d" % i, [size, size])
                pairs.append((tf.constant(np.full([size, size], 1e-3, np.float32)), variable))
            train = tf.train.AdamOptimizer(1e-3).apply_gradients(pairs)
            sess = tf.Session(graph=graph)
            sess.run(tf.global_variables_initializer())
        return lambda: sess.run(train)

    return {"Adam, 200 of 16x16": update(16), "Adam, 200 of 64x64": update(64)}
