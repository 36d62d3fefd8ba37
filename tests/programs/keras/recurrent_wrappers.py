"""Bidirectional and TimeDistributed layers: names, values and gradients; settings and shapes; states over batches; mistakes."""

import copy

import numpy as np
import tensorflow as tf

L = tf.keras.layers
R = np.random.RandomState(7)
results = {}


class Twice(L.Layer):
    def call(self, inputs):
        return inputs * 2.0

    def compute_output_shape(self, input_shape):
        return input_shape


x, mask = tf.placeholder(tf.float32, [None, 5, 4]), tf.placeholder(tf.bool, [None, 5])
deep, images = tf.placeholder(tf.float32, [None, 3, 5, 4]), tf.placeholder(tf.float32, [2, 3, 7, 7, 3])
feed = {x: R.randn(2, 5, 4), mask: R.rand(2, 5) > 0.4, deep: R.randn(2, 3, 5, 4), images: R.randn(2, 3, 7, 7, 3)}
wanted = {}


def ask(name, layer, *args, **kwargs):
    outputs = layer(*args, **kwargs)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    wanted[name] = outputs + tf.gradients(outputs, layer.trainable_weights)
    results[name + " weights"] = [[w.name, w.shape.as_list()] for w in layer.weights]
    results[name + " outputs"] = [[o.name, str(o.shape)] for o in outputs]


tf.set_random_seed(1)
for mode in ("concat", "sum", "mul", "ave", None):
    ask("%s" % mode, L.Bidirectional(L.LSTM(3, return_sequences=True), merge_mode=mode), x, mask=mask)
ask("states", L.Bidirectional(L.GRU(3, return_state=True)), x, initial_state=[tf.zeros([2, 3]), tf.ones([2, 3])])
ask("another", L.Bidirectional(L.GRU(3), backward_layer=L.SimpleRNN(2, go_backwards=True)), x)
ask("stacks", L.Bidirectional(L.RNN([L.LSTMCell(2), L.LSTMCell(3)])), x)
ask("dense", L.TimeDistributed(L.Dense(3)), deep)
ask("lstm", L.TimeDistributed(L.LSTM(3)), deep)
ask("convolution", L.TimeDistributed(L.Conv2D(2, 3)), images)
ask("own", L.TimeDistributed(Twice()), images)
ask("nested", L.TimeDistributed(L.TimeDistributed(L.Dense(3))), deep)
results["operations"] = [
    op.type + " " + op.name for op in tf.get_default_graph().get_operations() if "gradients" not in op.name
]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["values"] = sess.run(wanted, feed)

# ---- settings, and layers made of them again

tf.keras.backend.clear_session()
layers = [
    L.SimpleRNN(3, stateful=True),
    L.GRU(3, reset_after=True, recurrent_activation="sigmoid"),
    L.LSTM(3, unit_forget_bias=False, dropout=0.1),
    L.RNN([L.LSTMCell(3), L.GRUCell(2)], zero_output_for_mask=True),
    L.StackedRNNCells([L.SimpleRNNCell(3)]),
    L.ConvLSTM2D(3, 2),
    L.CuDNNLSTM(3, return_state=True),
    L.CuDNNGRU(3),
    L.Bidirectional(L.LSTM(3), merge_mode="ave"),
    L.TimeDistributed(L.Dense(3)),
    tf.keras.experimental.PeepholeLSTMCell(3),
]
for layer in layers:
    config = layer.get_config()
    results[layer.name + " settings"] = config
    results[layer.name + " again"] = type(layer).from_config(copy.deepcopy(config)).get_config() == config
for units, kwargs in ((3, {}), (3, {"return_sequences": True}), (3, {"return_state": True})):
    shape = L.LSTM(units, **kwargs).compute_output_shape((2, 5, 4))
    results["shape %s" % sorted(kwargs)] = str(shape)

# ---- states that are kept from batch to batch

tf.keras.backend.clear_session()
inputs = tf.keras.Input(batch_shape=(2, 3, 4))
layer = L.GRU(3, stateful=True, kernel_initializer="ones", recurrent_initializer="ones")
outputs = layer(inputs)
results["state"] = [[s.name, s.shape.as_list()] for s in layer.states]
results["kept"] = [u.type for u in layer.updates]
sess = tf.keras.backend.get_session()
batch = R.randn(2, 3, 4) * 0.1
for turn in range(3):
    results["batch %d" % turn] = sess.run([outputs, layer.updates], {inputs: batch})[0]
layer.reset_states()
results["after reset"] = sess.run(outputs, {inputs: batch})
layer.reset_states([np.full((2, 3), 0.5)])
results["after setting"] = sess.run(outputs, {inputs: batch})

# ---- mistakes

inputs = tf.keras.Input((3, 4))
state = tf.keras.Input((3,))
mistakes = {
    "no cell": lambda: L.RNN(object()),
    "not stateful": lambda: L.LSTM(3).reset_states(),
    "no batch size": lambda: L.LSTM(3, stateful=True)(inputs),
    "one state": lambda: layer.reset_states([np.zeros((2, 3)), np.zeros((2, 3))]),
    "a wrong state": lambda: layer.reset_states([np.zeros((2, 4))]),
    "too few states": lambda: L.LSTM(3)(inputs, initial_state=[state]),
    "mixed states": lambda: L.LSTM(3)(inputs, initial_state=[state, tf.zeros([2, 3])]),
    "unknown steps": lambda: L.LSTM(3, unroll=True)(tf.keras.Input((None, 4))),
    "no constants": lambda: L.RNN(L.LSTMCell(3))(inputs, constants=[state]),
    "no layer": lambda: L.Bidirectional(3),
    "no mode": lambda: L.Bidirectional(L.LSTM(3), merge_mode="both"),
    "one direction": lambda: L.Bidirectional(L.LSTM(3), backward_layer=L.LSTM(3)),
    "odd states": lambda: L.Bidirectional(L.LSTM(3))(inputs, initial_state=[state]),
    "no time": lambda: L.TimeDistributed(L.Dense(3))(tf.keras.Input((4,))),
    "unrolled images": lambda: L.ConvLSTM2D(2, 3, unroll=True),
    "masked cudnn": lambda: L.CuDNNLSTM(3)(inputs, mask=tf.ones([2, 3])),
}
for name, make in mistakes.items():
    try:
        make()
        results[name] = None
    except Exception as error:
        results[name] = type(error).__name__
