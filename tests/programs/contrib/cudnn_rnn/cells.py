"""The cells that compute what networks in one op do, and the converters' arithmetic."""

import numpy as np
import tensorflow as tf

results = {}
X = np.random.RandomState(0).randn(3, 5, 4).astype(np.float32)
C = tf.contrib.cudnn_rnn


def init(shape, dtype=tf.float32, partition_info=None):
    size = int(np.prod(shape))
    return tf.constant(np.sin(np.arange(size) * 0.7 + len(shape)).reshape(shape) * 0.4, dtype)


def run(make):
    with tf.Graph().as_default():
        tf.get_variable_scope().set_initializer(init)
        x = tf.constant(X)
        outputs, state = tf.nn.dynamic_rnn(make(), x, dtype=tf.float32)
        variables = tf.trainable_variables()
        grads = tf.gradients(tf.reduce_sum(outputs * outputs), [x] + variables)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return {
                "values": sess.run([outputs, state, grads]),
                "variables": [[v.name, v.shape.as_list()] for v in variables],
            }


results["lstm"] = run(lambda: C.CudnnCompatibleLSTMCell(3))
results["gru"] = run(lambda: C.CudnnCompatibleGRUCell(3))
results["gru with initializer"] = run(lambda: C.CudnnCompatibleGRUCell(3, kernel_initializer=tf.ones_initializer()))
results["layers"] = run(lambda: tf.nn.rnn_cell.MultiRNNCell([C.CudnnCompatibleLSTMCell(3) for _ in range(2)]))


def built(make, **call):
    """What a network in one op is made of, which needs no kernel."""
    with tf.Graph().as_default() as graph:
        layer = make()
        with tf.variable_scope("model"):
            outputs, states = layer(tf.zeros([7, 2, 4]), **call)
        kinds = [op.type for op in graph.get_operations() if op.type.startswith("CudnnRNN")]
        return {
            "specs": [spec.name for spec in layer.saveable.specs],
            "saveable": layer.saveable.name,
            "variables": [v.name for v in tf.global_variables()],
            "trainable": [v.name for v in layer.trainable_variables],
            "saveables": len(tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)),
            "weights": [list(shape) for shape in layer.canonical_weight_shapes],
            "biases": [list(shape) for shape in layer.canonical_bias_shapes],
            "states": len(states),
            "state shapes": [list(shape) for shape in layer.state_shape(2)],
            "ops": sorted(kinds),
            "layer": [layer.num_layers, layer.num_units, layer.num_dirs, layer.input_size, layer.rnn_mode],
            "shapes": [str(outputs.shape.as_list()), [str(state.shape.as_list()) for state in states]],
        }


for direction in ("unidirectional", "bidirectional"):
    for kind in (C.CudnnLSTM, C.CudnnGRU, C.CudnnRNNTanh, C.CudnnRNNRelu):
        results["%s %s" % (kind.__name__, direction)] = built(
            lambda kind=kind, direction=direction: kind(2, 5, direction=direction)
        )
results["of lengths"] = built(lambda: C.CudnnLSTM(1, 3), sequence_lengths=[3, 7])
results["named"] = built(lambda: C.CudnnGRU(1, 3, name="encoder"))
