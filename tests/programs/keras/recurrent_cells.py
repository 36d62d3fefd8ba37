"""Recurrent layers on one batch: names of operations, values and gradients, with masks, dropout, states and constants."""

import numpy as np
import tensorflow as tf

L = tf.keras.layers
R = np.random.RandomState(7)
results = {}


def flat(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            for inner in flat(value):
                yield inner
        else:
            yield value


class Scaled(L.Layer):
    """A cell with a constant."""

    def __init__(self, units, **kwargs):
        super(Scaled, self).__init__(**kwargs)
        self.units = self.state_size = self.output_size = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), name="kernel")
        self.built = True

    def call(self, inputs, states, constants):
        output = tf.matmul(inputs, self.kernel) * constants[0] + states[0]
        return output, [output]


x, mask = tf.placeholder(tf.float32, [None, 5, 4]), tf.placeholder(tf.bool, [None, 5])
steps_first, scale = tf.placeholder(tf.float32, [5, None, 4]), tf.placeholder(tf.float32, [None, 3])
images = tf.placeholder(tf.float32, [2, 3, 7, 7, 3])
feed = {
    x: R.randn(2, 5, 4),
    mask: R.rand(2, 5) > 0.4,
    steps_first: R.randn(5, 2, 4),
    scale: R.randn(2, 3),
    images: R.randn(2, 3, 7, 7, 3),
}


def ask(name, layer, *args, **kwargs):
    np.random.seed(len(results))
    outputs = list(flat([layer(*args, **kwargs)]))
    wanted[name] = outputs + [g for g in tf.gradients(outputs, layer.trainable_weights) if g is not None]
    results[name + " weights"] = [[w.name, w.shape.as_list()] for w in layer.weights]
    results[name + " outputs"] = [[o.name, str(o.shape)] for o in outputs]


wanted = {}
tf.set_random_seed(1)
both = dict(return_sequences=True, return_state=True)
ask("simple", L.SimpleRNN(3, go_backwards=True), x, mask=mask)
ask("lstm", L.LSTM(3, **both), x, mask=mask)
ask("lstm 2", L.LSTM(3, implementation=2, dropout=0.3, recurrent_dropout=0.4), x, training=True)
ask("lstm 1 dropped", L.LSTM(3, dropout=0.3, recurrent_dropout=0.4), x, training=True)
ask("lstm unrolled", L.LSTM(3, unroll=True, use_bias=False, recurrent_activation="sigmoid"), x)
ask("lstm of states", L.LSTM(3), x, initial_state=[scale, scale])
ask("gru", L.GRU(3, **both), x, mask=mask)
ask("gru 2", L.GRU(3, implementation=2, recurrent_dropout=0.4), x, training=True)
ask("gru after", L.GRU(3, reset_after=True, dropout=0.3), x, training=True)
ask("gru after 2", L.GRU(3, reset_after=True, implementation=2, unroll=True), x, mask=mask)
ask("peepholes", L.RNN(tf.keras.experimental.PeepholeLSTMCell(3)), x)
ask("peepholes 2", L.RNN(tf.keras.experimental.PeepholeLSTMCell(3, implementation=2)), x)
ask("stack", L.RNN([L.LSTMCell(3), L.GRUCell(4)], **both), x, mask=mask)
ask("zeros", L.RNN(L.SimpleRNNCell(3), zero_output_for_mask=True, return_sequences=True), x, mask=mask)
ask("time first", L.RNN(L.GRUCell(3), time_major=True, return_sequences=True), steps_first)
ask("constants", L.RNN(Scaled(3)), x, constants=[scale])
ask("tf cell", L.RNN(tf.nn.rnn_cell.BasicLSTMCell(3), return_state=True), x)
ask("tf cells", L.RNN([tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.LSTMCell(3)], return_state=True), x)
ask("images", L.ConvLSTM2D(2, 3), images)
ask(
    "strides",
    L.ConvLSTM2D(2, (3, 2), strides=2, padding="same", return_sequences=True, dropout=0.3),
    images,
    training=True,
)
ask("dilated", L.ConvLSTM2D(2, 3, dilation_rate=2, go_backwards=True, use_bias=False), images)
results["operations"] = [
    op.type + " " + op.name for op in tf.get_default_graph().get_operations() if "gradients" not in op.name
]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["values"] = sess.run(wanted, feed)
