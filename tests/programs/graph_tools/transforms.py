"""Graph transforms: what they leave of a graph, and that it gives the same."""

import numpy as np
import tensorflow as tf
from tensorflow.tools.graph_transforms import TransformGraph

results = {}
random = np.random.RandomState(0)


def model():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2, 6, 6, 2], name="x")
        given = tf.identity(x, name="given")
        filters = tf.constant(random.randn(3, 3, 2, 4).astype(np.float32), name="filters")
        with tf.device("/gpu:0"):
            convolved = tf.nn.conv2d(given, filters, [1, 1, 1, 1], "SAME", name="convolved")
        scaled = tf.multiply(convolved, tf.constant([1.0, 2.0, -3.0, 0.5], name="scale"), name="scaled")
        shift = tf.multiply(tf.constant(2.0, name="two"), tf.constant(3.0, name="three"), name="six")
        shifted = tf.add(tf.check_numerics(scaled, "bad", name="checked"), shift, name="shifted")
        first, second = tf.constant(5.0, name="first"), tf.constant(5.0, name="second")
        tf.add(tf.add(shifted, first, name="more"), second, name="out")
        tf.add(x, 1.0, name="unused")
        with tf.control_dependencies([given]):
            tf.no_op(name="waiting")
    return graph.as_graph_def()


def value(graph_def, output="out:0"):
    with tf.Graph().as_default():
        tf.import_graph_def(graph_def, name="")
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            fed = np.linspace(-1, 1, 144).reshape(2, 6, 6, 2)
            return sess.run(output, {"x:0": fed})[0, ::3, 1]


def listing(graph_def):
    return sorted(
        "{} {} {} {}".format(node.name, node.op, ",".join(i.replace(":0", "") for i in node.input), node.device)
        for node in graph_def.node
    )


graph_def = model()
results["before"] = value(graph_def)
for transforms in [
    "strip_unused_nodes",
    "remove_nodes(op=Identity, op=CheckNumerics)",
    "remove_control_dependencies",
    "remove_device",
    'set_device(device="/cpu:0", if_default=true)',
    "fold_batch_norms",
    "remove_nodes(op=CheckNumerics) fold_batch_norms strip_unused_nodes",
    "insert_logging(op=Conv2D, show_name=1, message=seen)",
    "obfuscate_names",
]:
    made = TransformGraph(graph_def, ["x"], ["out"], [transforms])
    results[transforms] = listing(made)
    if "logging" not in transforms:
        results[transforms + " gives"] = value(made)

stripped = TransformGraph(graph_def, ["given"], ["out"], ['strip_unused_nodes(type=int32, shape="1,6,6,2")'])
placeholder = next(node for node in stripped.node if node.name == "given")
results["new input"] = [placeholder.op, placeholder.attr["dtype"].type]
results["its shape"] = [dim.size for dim in placeholder.attr["shape"].shape.dim]

# Names of what is folded or merged are each TensorFlow's own.
for transforms in ["fold_constants(ignore_errors=true)", "merge_duplicate_nodes"]:
    made = TransformGraph(graph_def, ["x"], ["out"], [transforms])
    results[transforms] = sorted(node.op for node in made.node)
    results[transforms + " gives"] = value(made)

order = [node.name for node in TransformGraph(graph_def, ["x"], ["out"], ["sort_by_execution_order"]).node]
results["sorted"] = [
    order.index(a) < order.index(b) for a, b in [("x", "given"), ("given", "waiting"), ("more", "out")]
]

renamed = TransformGraph(graph_def, ["x"], ["out"], ["rename_op(old_op_name=Conv2D, new_op_name=Other)"])
results["renamed"] = sorted(node.op for node in renamed.node)
renamed = TransformGraph(
    graph_def, ["x"], ["out"], ["rename_attribute(old_attribute_name=T, new_attribute_name=U, op_name=Mul)"]
)
results["attributes"] = [sorted(node.attr) for node in renamed.node if node.op in ("Mul", "Conv2D")]
removed = TransformGraph(graph_def, ["x"], ["out"], ["remove_attribute(attribute_name=T)"])
results["fewer attributes"] = [sorted(node.attr) for node in removed.node if node.op in ("Mul", "Conv2D")]

with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [1, 1200], name="x")
    weights = tf.constant(np.linspace(-1, 3, 1200).reshape(1200, 1).astype(np.float32), name="weights")
    tf.matmul(x, weights, name="out")
for transforms in [
    "round_weights(num_steps=7)",
    "round_weights",
    "quantize_weights",
    "quantize_weights(minimum_size=5000)",
]:
    made = TransformGraph(graph.as_graph_def(), ["x"], ["out"], [transforms])
    results[transforms + " nodes"] = listing(made)
    with tf.Graph().as_default():
        found = tf.import_graph_def(made, return_elements=["weights:0"], name="")[0]
        results[transforms + " weights"] = tf.Session().run(found)[::97, 0]

with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [2, 6, 6, 2], name="x")
    filters = tf.constant(random.randn(3, 3, 2, 4).astype(np.float32), name="filters")
    spaced = tf.space_to_batch_nd(x, [2, 2], [[2, 2], [2, 2]])
    convolved = tf.nn.conv2d(spaced, filters, [1, 1, 1, 1], "VALID")
    tf.batch_to_space_nd(convolved, [2, 2], [[0, 0], [0, 0]], name="out")
made = TransformGraph(graph.as_graph_def(), ["x"], ["out"], ["flatten_atrous_conv"])
results["flattened"] = sorted(node.op for node in made.node)
results["flattened gives"] = value(made)

with tf.Graph().as_default() as graph:
    tf.strings.join([tf.placeholder(tf.string, name="x"), "b"], name="out")
made = TransformGraph(graph.as_graph_def(), ["x"], ["out"], ["remove_attribute(attribute_name=separator)"])
made = TransformGraph(made, ["x"], ["out"], ["add_default_attributes"])
results["defaults"] = [sorted(node.attr) for node in made.node if node.name == "out"]

for wrong in ["nonsense", "remove_nodes", "rename_op(old_op_name=Mul)", "remove_attribute"]:
    try:
        TransformGraph(graph_def, ["x"], ["out"], [wrong])
    except Exception as error:
        results["wrong " + wrong] = type(error).__name__
try:
    TransformGraph(graph_def, ["x"], ["nowhere"], ["strip_unused_nodes"])
except Exception as error:
    results["lost output"] = type(error).__name__

ignored = TransformGraph(graph_def, ["x"], ["out"], ["rename_op(ignore_errors=true) remove_device"])
results["ignored"] = listing(ignored)
