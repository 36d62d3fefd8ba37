"""A training step of word2vec: 50,000 words of 128 numbers, batches of 128, 64 sampled classes."""

BARS = {"step": 1.0}


def workload(tf, np):
    words, width, batch, sampled = 50000, 128, 128, 64
    state = np.random.RandomState(0)
    graph = tf.Graph()
    with graph.as_default():
        inputs = tf.placeholder(tf.int32, [batch])
        labels = tf.placeholder(tf.int32, [batch, 1])
        embeddings = tf.Variable(tf.random_uniform([words, width], -1.0, 1.0))
        embed = tf.nn.embedding_lookup(embeddings, inputs)
        weights = tf.Variable(tf.truncated_normal([words, width], stddev=1.0 / width**0.5))
        biases = tf.Variable(tf.zeros([words]))
        loss = tf.reduce_mean(
            tf.nn.nce_loss(
                weights=weights, biases=biases, labels=labels, inputs=embed, num_sampled=sampled, num_classes=words
            )
        )
        train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
        sess = tf.Session(graph=graph)
        sess.run(tf.global_variables_initializer())
    # Words as in a text: the frequent ones have small indices.
    draws = [np.minimum(state.zipf(1.3, size=[2, batch]) - 1, words - 1).astype(np.int32) for _ in range(8)]
    count = [0]

    def run():
        centre, context = draws[count[0] % len(draws)]
        count[0] += 1
        sess.run([train, loss], {inputs: centre, labels: context[:, None]})

    return {"step": run}
