"""The configurations of cells, and cells made from them."""

import tensorflow as tf

results = {}
rnn_cell = tf.nn.rnn_cell


class Own(rnn_cell.RNNCell):
    def __init__(self, first, second):
        super(Own, self).__init__()
        self.sizes = first + second


def plain(config):
    return {key: value for key, value in config.items() if not callable(value)}


wrappers = {
    "residual": rnn_cell.ResidualWrapper(rnn_cell.GRUCell(2)),
    "dropout": rnn_cell.DropoutWrapper(rnn_cell.GRUCell(2), 0.5, seed=3),
    "device": rnn_cell.DeviceWrapper(rnn_cell.GRUCell(2), "/cpu:0"),
}
for name in sorted(wrappers):
    wrapper = wrappers[name]
    config = wrapper.get_config()
    results[name] = plain(config)
    config["cell"] = rnn_cell.LSTMCell(3)
    again = type(wrapper).from_config(config)
    results[name + " again"] = [type(again).__name__, again.output_size, again.name]
    try:
        type(wrapper).from_config(wrapper.get_config())
    except ValueError as error:
        results[name + " without a cell"] = "cannot reconstruct the wrapped cell" in str(error)

doubled = rnn_cell.ResidualWrapper(rnn_cell.GRUCell(2), residual_fn=lambda inputs, outputs: inputs + 2.0 * outputs)
config = doubled.get_config()
config["cell"] = rnn_cell.GRUCell(2, kernel_initializer=tf.ones_initializer(), dtype=tf.float32)
output, _ = type(doubled).from_config(config)(tf.ones([1, 2]), tf.zeros([1, 2]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["another residual"] = sess.run(output)

results["several"] = rnn_cell.MultiRNNCell([rnn_cell.GRUCell(2), rnn_cell.LSTMCell(3)]).get_config()
results["own"] = Own(1, 2).get_config()
