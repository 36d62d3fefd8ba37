"""Loops of scalars and the gradient through one; loops that draw random numbers, and that train a model."""

BARS = {
    "10,000 iterations": 1.0,
    "gradient of 1,000 iterations": 1.0,
    "scan of 1,000 rows": None,
    "random walk": 0.4,
    "50 steps of training": 0.4,
}


def workload(tf, np):
    n = tf.placeholder(tf.int32, [])
    count = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [tf.constant(0), tf.constant(0)])[1]

    x = tf.placeholder(tf.float32, [])
    m = tf.placeholder(tf.int32, [])
    y = tf.while_loop(lambda i, y: i < m, lambda i, y: (i + 1, y * x + 0.1), [tf.constant(0), x])[1]
    slope = tf.gradients(y, x)[0]

    rows = tf.placeholder(tf.float32, [None, 8])
    scanned = tf.scan(lambda a, row: 0.9 * a + row, rows)

    walked = tf.while_loop(
        lambda i, _: i < 100,
        lambda i, at: (i + 1, 0.99 * at + 0.1 * tf.random_normal([20], seed=1)),
        [tf.constant(0), tf.zeros([20])],
    )[1]

    weights = tf.get_variable("weights", initializer=np.ones([10, 1], np.float32))
    inputs = tf.constant(np.random.RandomState(0).rand(32, 10).astype(np.float32))
    optimizer = tf.train.GradientDescentOptimizer(0.01)

    def train(i, _):
        loss = tf.reduce_mean(tf.square(tf.matmul(inputs, weights) - 1.0))
        with tf.control_dependencies([optimizer.minimize(loss)]):
            return i + 1, tf.identity(loss)

    trained = tf.while_loop(lambda i, _: i < 50, train, [tf.constant(0), tf.constant(0.0)])[1]
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    values = np.ones([1000, 8], np.float32)
    return {
        "10,000 iterations": lambda: sess.run(count, {n: 10000}),
        "gradient of 1,000 iterations": lambda: sess.run([y, slope], {x: 0.99, m: 1000}),
        "scan of 1,000 rows": lambda: sess.run(scanned, {rows: values}),
        "random walk": lambda: sess.run(walked),
        "50 steps of training": lambda: sess.run(trained),
    }
