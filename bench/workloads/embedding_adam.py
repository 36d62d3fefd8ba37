"""Adam with an embedding of 50,000 words of which a step uses 1,280: by reference, as a resource, and as a layer of Keras."""

# Keras 3 compiles its step, and is no measure for that of 1.15.
BARS = {"reference": 0.8, "resource": 0.8, "layer": None}

WORDS, WIDTH, BATCH, LENGTH = 50000, 128, 64, 20


def workload(tf, np):
    state = np.random.RandomState(0)
    words, wanted = state.randint(WORDS, size=(BATCH, LENGTH)), state.rand(BATCH, 1).astype(np.float32)

    def step(is_resource):
        graph = tf.Graph()
        with graph.as_default():
            ids, labels = tf.placeholder(tf.int32, [BATCH, LENGTH]), tf.placeholder(tf.float32, [BATCH, 1])
            table = tf.get_variable("table", [WORDS, WIDTH], use_resource=is_resource)
            weights = tf.get_variable("weights", [WIDTH, 1], use_resource=is_resource)
            means = tf.reduce_mean(tf.nn.embedding_lookup(table, ids), 1)
            loss = tf.reduce_mean(tf.square(tf.matmul(means, weights) - labels))
            train = tf.train.AdamOptimizer().minimize(loss)
            session = tf.Session(graph=graph)
            session.run(tf.global_variables_initializer())
        return lambda: session.run([train, loss], {ids: words, labels: wanted})

    def layer():
        keras = tf.keras
        graph = tf.Graph()
        session = tf.Session(graph=graph)

        def run():
            with graph.as_default(), session.as_default():
                model.train_on_batch(words, wanted)

        with graph.as_default(), session.as_default():
            layers = [keras.layers.Embedding(WORDS, WIDTH, input_length=LENGTH), keras.layers.GlobalAveragePooling1D()]
            model = keras.Sequential([*layers, keras.layers.Dense(1)])
            model.compile("adam", "mse")
        run()
        return run

    return {"reference": step(False), "resource": step(True), "layer": layer()}
