"""What 1.15 refuses, when and as what: exception types and the words of the messages that tests look for."""

import collections

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops, tensor_shape
from tensorflow.python.ops import array_ops, control_flow_ops, math_ops

results = {}


def refusal(name, function, words):
    """The exception `function` ends with, and which of `words` its message has."""
    try:
        value = function()
    except Exception as error:
        text = str(getattr(error, "message", None) or error)
        results[name] = [type(error).__name__] + [word for word in words if word in text]
    else:
        results[name] = ["none", str(value)]


sess = tf.Session()
a = tf.constant(1.0, name="a")
m = tf.zeros([2, 3], name="m")
p = tf.placeholder(tf.float32, [2], name="p")
text = tf.placeholder(tf.string, name="text")
flag = tf.placeholder(tf.bool, name="flag")
graph = tf.get_default_graph()
Pair = collections.namedtuple("Pair", "x y")

# ---- building ----
refusal("add", lambda: m + tf.zeros([2, 2]), ["Dimensions must be equal, but are 3 and 2", "'add'", "[2,3], [2,2]"])
refusal("matmul", lambda: tf.matmul(m, m), ["Dimensions must be equal", "'MatMul'"])
refusal("types", lambda: a + tf.constant(1), ["has type int32 that does not match type float32 of argument 'x'"])
refusal(
    "float for int", lambda: tf.where([True], [1], [2.5]), ["Expected int32 passed to parameter 'e' of op 'Select'"]
)
refusal("list types", lambda: tf.concat([[1], ["a"]], 0), ["Tensors in list passed to 'values'", "[int32, string]"])
refusal("pack", lambda: tf.stack([tf.constant(1), tf.constant([1])]), ["Shapes must be equal rank, but are"])
refusal("concat rank", lambda: tf.concat([[1], [2]], 1), ["Shape must be at least rank 2 but is rank 1"])
refusal("concat axis", lambda: tf.concat([[1], [2]], [0]), ["Shape must be rank 0 but is rank 1"])
refusal("split axis", lambda: tf.split(m, 2, axis=2), ["must be in range [-2, 2)"])
refusal("squeeze", lambda: tf.squeeze(m, 2), ["not in [-2,2)"])
refusal("reduce axis", lambda: tf.reduce_sum(m, [[0]]), ["Shape must be at most rank 1 but is rank 2"])
refusal("both axes", lambda: tf.reduce_sum(m, 0, reduction_indices=1), ["both 'reduction_indices' and 'axis'"])
refusal("one_hot", lambda: tf.one_hot([0], -1), ["must be non-negative but is -1"])
refusal("set_shape", lambda: p.set_shape([3]), ["Dimension 0 in both shapes must be equal, but are 2 and 3"])
refusal("set_shape rank", lambda: p.set_shape([2, 1]), ["Shapes must be equal rank, but are 1 and 2"])
refusal("merge_with", lambda: p.shape.merge_with([3]), ["Shapes (2,) and (3,) are not compatible"])
refusal("dimension", lambda: tensor_shape.Dimension(2).merge_with(3), ["Dimensions 2 and 3 are not compatible"])
refusal("bool", lambda: bool(a), ["using a `tf.Tensor` as a Python `bool` is not allowed"])
refusal("iteration", lambda: list(m), ["iterating over `tf.Tensor` is not allowed"])
refusal("eval", lambda: a.eval(), ["No default session is registered"])
refusal("assert", lambda: tf.Assert(True, []), ["less than minimum 1"])
refusal("cond", lambda: tf.cond(flag, lambda: [a, a], lambda: a), ["same nested structure"])
refusal("cond rank", lambda: tf.cond(tf.constant([True]), lambda: a, lambda: a), ["Shape must be rank 0 but is rank 1"])
refusal("gradient", lambda: tf.gradients(tf.random_shuffle(m), m), ["No gradient defined for operation"])
refusal("element", lambda: graph.as_graph_element("nowhere"), ["refers to an Operation not in the graph"])
refusal("import", lambda: tf.import_graph_def(graph.as_graph_def(), {"p": tf.constant(1)}), ["incompatible"])


@tf.RegisterGradient("RandomShuffle")
def unshuffled(op, grad):
    return 3.0 * grad


results["own gradient"] = sess.run(tf.gradients(tf.random_shuffle(m), m)[0])

# ---- running ----
refusal("closed branch", lambda: sess.run(tf.cond(flag, lambda: a * 2.0, lambda: a).op.inputs[0]), ["not fetchable"])
refusal("empty graph", lambda: tf.Session(graph=tf.Graph()).run([]), ["The Session graph is empty"])
refusal("text", lambda: sess.run(text, {text: 3}), [])
results["text"] = sess.run(tf.identity(text), {text: [b"\xff", "\u00e9", "z"]}).tolist()[1:]
results["fetches"] = [
    type(sess.run(fetch)).__name__ for fetch in ([a, a], (a, a), Pair(a, a), (a, a), [(a, a)], {"a": a})
]
results["nested"] = [type(sess.run([kind(a, a) for kind in kinds])[0]).__name__ for kinds in ([Pair], [lambda *x: x])]
groups = collections.defaultdict(list)
groups["a"] = a
results["defaultdict"] = sess.run(groups)["a"]
refusal("callable", lambda: sess.make_callable("nowhere:0"), ["cannot be interpreted as a Tensor"])
graph.prevent_feeding(a)
refusal("feeding", lambda: sess.run(a, {a: 2.0}), ["may not be fed"])
results["devices"] = [sess.list_devices()[0].name, sess.list_devices()[0].device_type]

# ---- comparing, reducing ----
results["absolute"] = sess.run(tf.abs(tf.constant([-3, 4], tf.int8)))
results["argmax axis"] = [str(tf.argmax([1, 2], 5).get_shape())]
refusal("argmax", lambda: sess.run(tf.argmax([1, 2], 5)), ["Expected dimension in the range [-1, 1), but got 5"])
results["equal"] = sorted(tf.equal(1, 2).op.node_def.attr)

# ---- devices, colocation, collections ----
with tf.Graph().as_default(), tf.device("/job:worker/replica:2/cpu:3"):
    with tf.device("/job:ps"):
        inner = tf.no_op()
    with tf.device("/gpu:0"):
        other = tf.no_op()
    with tf.device(lambda op: "/task:7"):
        chosen = tf.no_op()
results["places"] = [inner.device, other.device, chosen.device]
kept = tf.get_variable("kept", initializer=[1.0, 2.0], use_resource=True)
plain = tf.Variable([1.0], name="plain")
with ops.colocate_with(kept):
    beside = tf.no_op()
slots = tf.train.AdamOptimizer(0.1)
slots.apply_gradients([(tf.constant([1.0]), plain)])
results["together"] = [
    op.colocation_groups() for op in (beside, slots.get_slot(plain, "m").op, slots.get_slot(plain, "v").initializer)
]
with tf.control_dependencies([tf.IndexedSlices(m, tf.constant([0, 1]))]):
    results["after slices"] = [op.name for op in tf.no_op().control_inputs]
with tf.name_scope("zero"):
    z = tf.gradients(a * 2.0, tf.constant(1.0), unconnected_gradients="zero")[0]
results["unconnected"] = z.name
results["dependent"] = [
    control_flow_ops.with_dependencies([plain.initializer], a).op.type,
    control_flow_ops.merge([a, a])[0].op.type,
    [t.name for t in control_flow_ops.switch(a, flag)],
]
results["same functions"] = [array_ops.reshape(m, [-1]).name, math_ops.add(a, a).name]
results["splat"] = len(tf.zeros([100, 100]).op.node_def.SerializeToString()) < 200
with tf.Graph().as_default() as again:
    part = tf.GraphDef()
    part.node.extend(n for n in graph.as_graph_def().node if n.name == "a")
    names = [tf.import_graph_def(part, name="", return_elements=["a"])[0].name for _ in range(2)]
results["imported twice"] = names
results["number"] = np.float32(sess.run(a))
