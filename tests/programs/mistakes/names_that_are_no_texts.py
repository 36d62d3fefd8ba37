"""Names, sizes, devices and losses of other kinds than they should be: what is taken and the classes of what is refused."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}
OTHERS = {"number": 3, "list": [], "dict": {}, "filled list": [1.0], "object": object(), "truth": True}


def kind_of(act):
    try:
        act()
    except Exception as error:
        return type(error).__name__
    return "made"


def in_scope(name):
    with tf.name_scope(name) as scope:
        return scope


def after(inputs):
    with tf.control_dependencies(inputs):
        return tf.identity(1.0)


def array(**settings):
    return tf.TensorArray(tf.float32, **settings).write(0, 1.0).write(1, 2.0).stack()


ACTS = {
    "add": lambda name: tf.add(1, 2, name=name),
    "concat": lambda name: tf.concat([[1], [2]], 0, name=name),
    "zeros": lambda name: tf.zeros([1], name=name),
    "scope": in_scope,
    "variable scope": lambda name: tf.variable_scope(None, name).__enter__(),
    "array": lambda value: array(size=value),
    "array that grows": lambda value: array(size=2, dynamic_size=value),
    "array of one shape": lambda value: array(size=2, infer_shape=value),
    "array with a name": lambda value: array(size=2, tensor_array_name=value),
    "array that is cleared": lambda value: array(size=2, clear_after_read=value),
    "array with a flow": lambda value: array(size=2, flow=value),
}
for act in sorted(ACTS):
    for other in sorted(OTHERS):
        results[act + ", eagerly: " + other] = kind_of(lambda: ACTS[act](OTHERS[other]))
        if act == "array" and other == "list":
            # TensorFlow ends the process.
            continue
        if act not in ("zeros", "array that is cleared", "array with a name"):
            results[act + ", in a function: " + other] = kind_of(tf.function(lambda: ACTS[act](OTHERS[other])))
        if act != "zeros":
            with tf.Graph().as_default():
                results[act + ", in a graph: " + other] = kind_of(lambda: ACTS[act](OTHERS[other]))

for device in ["", "CPU:0", "/device:CPU:0", "/cpu:0", "/job:localhost", "bogus:0", 3]:
    results["copy to %r" % (device,)] = kind_of(lambda: tf.constant(1)._copy(device_name=device))
for inputs in ["x", [1.0], 3]:
    results["after %r, in a function" % (inputs,)] = kind_of(tf.function(lambda: after(inputs)))
for size in [-1, 2.0, "x", [2]]:
    results["state of %r" % (size,)] = kind_of(lambda: tf.nn.rnn_cell.BasicRNNCell(2).zero_state(size, tf.float32))
for axis in ["x", 2.5, -1]:
    results["frames along %r" % (axis,)] = kind_of(
        tf.function(lambda: tf.signal.frame(tf.ones([2, 6]), 3, 2, axis=axis))
    )
results["spectrum of no samples"] = tf.signal.stft(tf.ones([2, 6]), 0, 2).shape.as_list()

with tf.Graph().as_default():
    variable = tf.get_variable("v", [1])
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    for loss in [None, 3.0, "x", [variable * 2.0]]:
        results["loss %s" % type(loss).__name__] = kind_of(lambda: optimizer.minimize(lambda: loss))
    for values in [None, [], 3, "x", {"v": [1.0]}, {"v": None}, [("v", 1.0)]]:
        results["assign %r" % (values,)] = kind_of(lambda: tf.contrib.framework.assign_from_values(values))
    graph_def = tf.Graph().as_graph_def()
    for ops in [3, [], "x"]:
        results["imported with %r" % (ops,)] = kind_of(lambda: tf.import_graph_def(graph_def, producer_op_list=ops))
    for config in [3, [], "x", {}, tf.GPUOptions()]:
        results["config %s" % type(config).__name__] = kind_of(lambda: tf.InteractiveSession(config=config).close())
