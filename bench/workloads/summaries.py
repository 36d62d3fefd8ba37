"""A small training step that writes a summary each time: a number and three histograms."""

BARS = {"step with summaries": 0.8, "histogram of 1,000,000": 0.8}


def workload(tf, np):
    rng = np.random.RandomState(0)
    sess = tf.Session()
    x = tf.placeholder(tf.float32, [32, 8])
    kernel = tf.get_variable("kernel", [8, 8])
    bias = tf.get_variable("bias", [8], initializer=tf.zeros_initializer())
    hidden = tf.matmul(x, kernel) + bias
    loss = tf.reduce_mean(hidden**2)
    step = tf.train.AdamOptimizer().minimize(loss)
    parts = [tf.summary.scalar("loss", loss)]
    parts += [tf.summary.histogram(name, v) for name, v in (("hidden", hidden), ("kernel", kernel), ("bias", bias))]
    merged = tf.summary.merge(parts)
    large = tf.placeholder(tf.float32, [1000000])
    histogram = tf.summary.histogram("large", large)
    sess.run(tf.global_variables_initializer())
    fed, fed_large = {x: rng.randn(32, 8)}, {large: rng.randn(1000000).astype(np.float32)}
    return {
        "step with summaries": lambda: sess.run([step, merged], fed),
        "histogram of 1,000,000": lambda: sess.run(histogram, fed_large),
    }
