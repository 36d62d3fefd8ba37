"""Fitting three coefficients to a parabola with Adam: tiny arrays, so the interpreter's own cost."""

BARS = {"step": 0.8}


def workload(tf, np):
    x = tf.placeholder(tf.float32)
    y = tf.placeholder(tf.float32)
    w = tf.get_variable("w", shape=[3, 1])
    features = tf.stack([tf.square(x), x, tf.ones_like(x)], 1)
    fitted = tf.squeeze(tf.matmul(features, w), 1)
    loss = tf.nn.l2_loss(fitted - y) + 0.1 * tf.nn.l2_loss(w)
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    xs = np.random.RandomState(0).uniform(-10.0, 10.0, size=100)
    ys = 5 * np.square(xs) + 3
    return {"step": lambda: sess.run([train, loss], {x: xs, y: ys})}
