"""An update of the streaming area under the curve, and a step that reads it, 200 thresholds, batches of 1,000."""

BARS = {"update, 1000": 1.0, "update, weighted": 1.0, "update, 100": 1.0}


def workload(tf, np):
    state = np.random.RandomState(0)

    def updater(size, weighted):
        graph = tf.Graph()
        with graph.as_default():
            labels = tf.placeholder(tf.int32, [None])
            scores = tf.placeholder(tf.float32, [None])
            weights = tf.placeholder(tf.float32, [None]) if weighted else None
            _, update = tf.metrics.auc(labels, scores, weights=weights)
            sess = tf.Session(graph=graph)
            sess.run(tf.local_variables_initializer())
        feeds = []
        for _ in range(4):
            feed = {labels: state.randint(2, size=size), scores: state.uniform(size=size)}
            if weighted:
                feed[weights] = state.uniform(size=size)
            feeds.append(feed)
        count = [0]

        def run():
            count[0] += 1
            sess.run(update, feeds[count[0] % len(feeds)])

        return run

    return {
        "update, 1000": updater(1000, False),
        "update, weighted": updater(1000, True),
        "update, 100": updater(100, False),
    }
