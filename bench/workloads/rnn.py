"""Recurrent networks: an LSTM trained in a loop, unrolled, and over batches of many lengths."""

import collections

State = collections.namedtuple("State", "c h")

BARS = {
    "dynamic_rnn training step": 0.9,
    "dynamic_rnn of 64 units": 0.4,
    "dynamic_rnn of 64 units, sequence_length": 0.4,
    "static_rnn training step": 1.0,
    "building static_rnn": 1.0,
    "40 lengths in rotation": 1.0,
}


def has_cells(tf):
    """TensorFlow 2.21 has `dynamic_rnn` still, but no cells that go with it."""
    try:
        return tf.nn.rnn_cell.BasicLSTMCell is not None
    except AttributeError:
        return False


class Cell(object):
    """The same LSTM, for where there are no cells."""

    def __init__(self, tf, units):
        self.tf, self.units = tf, units
        self.output_size = units
        self.state_size = State(units, units)

    def zero_state(self, batch, dtype):
        zeros = self.tf.zeros([batch, self.units], dtype)
        return State(zeros, zeros)

    def __call__(self, inputs, state):
        tf, units = self.tf, self.units
        with tf.variable_scope("basic_lstm_cell", reuse=tf.AUTO_REUSE):
            kernel = tf.get_variable("kernel", [inputs.shape[-1] + units, 4 * units])
            bias = tf.get_variable("bias", [4 * units], initializer=tf.zeros_initializer())
        i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([inputs, state.h], 1), kernel), bias), 4, axis=1)
        c = state.c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
        return h, State(c, h)


def workload(tf, np):
    rng = np.random.RandomState(0)

    def network(batch, time, depth, units, static, lengths=False):
        x = tf.placeholder(tf.float32, [batch, time, depth])
        ends = tf.placeholder(tf.int32, [batch])
        y = tf.placeholder(tf.int64, [batch])
        cell = tf.nn.rnn_cell.BasicLSTMCell(units) if has_cells(tf) else Cell(tf, units)
        if static:
            outputs, _ = tf.nn.static_rnn(cell, tf.unstack(x, axis=1) if time else x, dtype=tf.float32)
            last = outputs[-1]
        else:
            outputs, state = tf.nn.dynamic_rnn(cell, x, ends if lengths else None, dtype=tf.float32)
            last = state.h
        logits = tf.matmul(last, tf.get_variable("out", [units, 10]))
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        return x, y, ends, loss, step

    graphs = {}
    for name, arguments in {
        "dynamic": (32, 50, 256, 256, False),
        "small": (16, 20, 32, 64, False),
        "small, lengths": (16, 20, 32, 64, False, True),
        "static": (32, 20, 64, 128, True),
        "lengths": (16, None, 32, 64, False),
    }.items():
        with tf.Graph().as_default() as graph:
            made = network(*arguments)
            sess = tf.Session(graph=graph)
            sess.run(tf.global_variables_initializer())
            graphs[name] = (sess,) + made

    def trainer(name, time, depth):
        sess, x, y, ends, loss, step = graphs[name]
        batch = x.shape.as_list()[0]
        feed = {x: rng.randn(batch, time, depth).astype(np.float32), y: rng.randint(0, 10, batch)}
        if name == "small, lengths":
            feed[ends] = rng.randint(1, time + 1, batch)
        return lambda: sess.run([loss, step], feed)

    rotation = [trainer("lengths", time, 32) for time in range(10, 50)]

    def rotate():
        for run in rotation:
            run()

    def build():
        with tf.Graph().as_default():
            network(32, 20, 64, 128, True)

    return {
        "dynamic_rnn training step": trainer("dynamic", 50, 256),
        "dynamic_rnn of 64 units": trainer("small", 20, 32),
        "dynamic_rnn of 64 units, sequence_length": trainer("small, lengths", 20, 32),
        "static_rnn training step": trainer("static", 20, 64),
        "building static_rnn": build,
        "40 lengths in rotation": rotate,
    }
