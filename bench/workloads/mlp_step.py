"""A training step of a 784-128-32-10 perceptron on batches of 100."""

BARS = {"SGD": 0.8, "Adam": 0.8}


def workload(tf, np):
    state = np.random.RandomState(0)
    batches = [
        (state.uniform(size=[100, 784]).astype(np.float32), state.randint(10, size=[100]).astype(np.int32))
        for _ in range(8)
    ]

    def trainer(optimizer):
        graph = tf.Graph()
        with graph.as_default():
            images = tf.placeholder(tf.float32, [100, 784])
            labels = tf.placeholder(tf.int32, [100])
            h, width = images, 784
            for i, units in enumerate([128, 32, 10]):
                with tf.name_scope("layer%d" % i):
                    weights = tf.Variable(tf.truncated_normal([width, units], stddev=width**-0.5), name="weights")
                    biases = tf.Variable(tf.zeros([units]), name="biases")
                    h = tf.matmul(h, weights) + biases
                    if units != 10:
                        h = tf.nn.relu(h)
                    width = units
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=h))
            step = tf.Variable(0, name="global_step", trainable=False)
            train = optimizer.minimize(loss, global_step=step)
            sess = tf.Session(graph=graph)
            sess.run(tf.global_variables_initializer())
        count = [0]

        def run():
            x, y = batches[count[0] % len(batches)]
            count[0] += 1
            sess.run([train, loss], {images: x, labels: y})

        return run

    return {
        "SGD": trainer(tf.train.GradientDescentOptimizer(0.01)),
        "Adam": trainer(tf.train.AdamOptimizer(0.001)),
    }
