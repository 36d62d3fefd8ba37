"""Loops and branches in the body of a `tf.function`, where they are functions themselves: recurrences and their gradients."""

BARS = {
    "recurrence of 50 steps and its gradient": 0.4,
    "recurrence with branches and its gradient": 0.4,
    "map of 100 rows and its gradient": 0.4,
    "loop as long as is asked for": 0.4,
}


def workload(tf, np):
    rng = np.random.RandomState(0)
    times, batch, depth, units = 50, 16, 8, 32
    weights = tf.get_variable(
        "weights", initializer=(rng.rand(depth + units, units) - 0.5).astype(np.float32), use_resource=True
    )
    square = tf.get_variable("square", initializer=rng.rand(16, 16).astype(np.float32) * 0.1, use_resource=True)

    def recurrence(rows, branches):
        given = tf.TensorArray(tf.float32, times).unstack(tf.transpose(rows, [1, 0, 2]))

        def step(i, h, out):
            z = tf.matmul(tf.concat([given.read(i), h], 1), weights)
            if branches:
                h = tf.cond(tf.reduce_sum(z) > 0.0, lambda: tf.tanh(z), lambda: tf.tanh(z) * 0.5)
            else:
                h = tf.tanh(z)
            return i + 1, h, out.write(i, h)

        first = [0, tf.zeros([batch, units]), tf.TensorArray(tf.float32, times)]
        total = tf.reduce_sum(tf.square(tf.while_loop(lambda i, *_: i < times, step, first)[2].stack()))
        return [total] + tf.gradients(total, [weights])

    @tf.function
    def plain(rows):
        return recurrence(rows, False)

    @tf.function
    def branched(rows):
        return recurrence(rows, True)

    @tf.function
    def mapped(rows):
        total = tf.reduce_sum(tf.map_fn(lambda row: tf.reduce_sum(row * row) * tf.sin(row), rows))
        return [total] + tf.gradients(total, [rows])

    @tf.function
    def counted(rows, count):
        return tf.while_loop(
            lambda i, _: i < count, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, square))), [tf.constant(0), rows]
        )[1]

    sequences = tf.placeholder(tf.float32, [batch, times, depth])
    rows = tf.placeholder(tf.float32, [100, 8])
    state, count = tf.placeholder(tf.float32, [4, 16]), tf.placeholder(tf.int32, [])
    fetches = [plain(sequences), branched(sequences), mapped(rows), counted(state, count)]
    sess = tf.Session()
    sess.run(tf.global_variables_initializer())
    values = rng.rand(batch, times, depth).astype(np.float32)
    table, start = rng.rand(100, 8).astype(np.float32), rng.rand(4, 16).astype(np.float32)
    return {
        "recurrence of 50 steps and its gradient": lambda: sess.run(fetches[0], {sequences: values}),
        "recurrence with branches and its gradient": lambda: sess.run(fetches[1], {sequences: values}),
        "map of 100 rows and its gradient": lambda: sess.run(fetches[2], {rows: table}),
        "loop as long as is asked for": lambda: sess.run(fetches[3], {state: start, count: 40}),
    }
