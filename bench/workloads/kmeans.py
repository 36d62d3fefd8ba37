"""K-means of 100,000 points of 64 numbers into 32 clusters: steps over all points, and over batches of them."""

BARS = {"full step": 0.8, "full step, cosine": 0.8, "20 mini-batches of 1,000": 1.0}


def _has_clusters(tf):
    """TensorFlow 2.21 has no contrib."""
    try:
        return tf.contrib.factorization is not None
    except (AttributeError, ImportError):
        return False


def workload(tf, np):
    if not _has_clusters(tf):
        raise NotImplementedError("there is no tf.contrib.factorization here")
    points = np.random.RandomState(0).rand(100000, 64).astype(np.float32)
    starts = points[:32].copy()

    def stepper(inputs, times=1, **settings):
        graph = tf.Graph()
        with graph.as_default():
            held = tf.Variable(inputs, trainable=False)
            # A batch is another part of the points each time.
            if times > 1:
                place = tf.random_uniform([], 0, len(inputs) - 1000, tf.int32, seed=1)
                batch = held[place : place + 1000]
            else:
                batch = held
            model = tf.contrib.factorization.KMeans(
                inputs=batch, num_clusters=32, initial_clusters=starts, random_seed=1, **settings
            )
            _, _, losses, _, init_op, train_op = model.training_graph()
            loss = tf.add_n([tf.reduce_sum(part) for part in losses])
            initializer = tf.global_variables_initializer()
        session = tf.Session(graph=graph)
        session.run(initializer)
        session.run(init_op)

        def run():
            for _ in range(times):
                session.run([train_op, loss])

        return run

    return {
        "full step": stepper(points, use_mini_batch=False),
        "full step, cosine": stepper(points, use_mini_batch=False, distance_metric="cosine"),
        "20 mini-batches of 1,000": stepper(points, times=20, use_mini_batch=True),
    }
