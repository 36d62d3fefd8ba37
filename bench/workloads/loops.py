"""Loops of scalars, and the gradient through one."""

BARS = {"10,000 iterations": 1.0, "gradient of 1,000 iterations": 1.0, "scan of 1,000 rows": None}


def workload(tf, np):
    n = tf.placeholder(tf.int32, [])
    count = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [tf.constant(0), tf.constant(0)])[1]

    x = tf.placeholder(tf.float32, [])
    m = tf.placeholder(tf.int32, [])
    y = tf.while_loop(lambda i, y: i < m, lambda i, y: (i + 1, y * x + 0.1), [tf.constant(0), x])[1]
    slope = tf.gradients(y, x)[0]

    rows = tf.placeholder(tf.float32, [None, 8])
    scanned = tf.scan(lambda a, row: 0.9 * a + row, rows)
    sess = tf.Session()
    values = np.ones([1000, 8], np.float32)
    return {
        "10,000 iterations": lambda: sess.run(count, {n: 10000}),
        "gradient of 1,000 iterations": lambda: sess.run([y, slope], {x: 0.99, m: 1000}),
        "scan of 1,000 rows": lambda: sess.run(scanned, {rows: values}),
    }
