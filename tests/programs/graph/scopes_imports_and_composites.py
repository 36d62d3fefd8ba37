"""Scopes of attributes, imports that do not fit, devices that are not there, and composite values in branches and loops."""

from functools import partial

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, graph_pb2
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.framework import tensor_util
from tensorflow.python.ops import control_flow_ops

results = {}


def caught(call):
    """The class of the error that a call ends with, and the beginning of what it says."""
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "none"


def said(call, part):
    try:
        call()
    except Exception as error:
        return part in str(error)
    return False


# ---- scopes ----
with tf.Graph().as_default() as graph:
    with graph._attr_scope({"_word": attr_value_pb2.AttrValue(s=b"outer")}):
        first = tf.no_op(name="first")
        with graph._attr_scope({"_word": None, "_name": lambda op: attr_value_pb2.AttrValue(s=op.name.encode())}):
            second = tf.no_op(name="second")
    with graph._kernel_label_map({"NoOp": "special"}):
        third = tf.no_op(name="third")
    with graph.container("apart"):
        queue = tf.FIFOQueue(2, [tf.int32])
    results["scopes"] = [
        first.get_attr("_word").decode(),
        caught(lambda: second.get_attr("_word")),
        second.get_attr("_name").decode(),
        third.get_attr("_kernel").decode(),
        queue.queue_ref.op.get_attr("container").decode(),
        caught(lambda: graph._attr_scope({"_word": 3}).__enter__()),
        caught(lambda: graph._kernel_label_map({"NoOp": 3}).__enter__()),
    ]
    results["node names"] = [said(lambda: graph.create_op("NoOp", [], [], name="a b"), "not a valid node name")]

# ---- imports ----
number = graph_pb2.GraphDef()
number.versions.producer = 24
node = number.node.add(name="A", op="Const")
node.attr["dtype"].type = 3
node.attr["value"].tensor.CopyFrom(tensor_util.make_tensor_proto(3))


def with_identity(dtype, inputs, shape=None, device=""):
    made = graph_pb2.GraphDef()
    made.CopyFrom(number)
    added = made.node.add(name="B", op="Identity", input=inputs, device=device)
    if dtype is not None:
        added.attr["T"].type = dtype
    if shape is not None:
        added.attr["_output_shapes"].list.shape.add().dim.add(size=shape)
    return made


def imported(message, **keywords):
    with tf.Graph().as_default():
        return tf.import_graph_def(message, **keywords)


for label, message, keywords, part in [
    ("type", with_identity(1, ["A"]), {}, "Input 0 of node import/B was passed int32 from import/A:0 incompatible"),
    ("count", with_identity(3, []), {}, "NodeDef expected inputs 'int32' do not match 0 inputs specified"),
    ("surplus", with_identity(3, ["A", "A"]), {}, "NodeDef expected inputs 'int32' do not match 2 inputs specified"),
    ("attribute", with_identity(None, ["A"]), {}, "NodeDef missing attr 'T' from Op<name=Identity"),
    ("output", number, {"return_elements": ["A:1"]}, "Invalid return output 1 of node 'A', which has 1 output(s)"),
    ("name", number, {"return_elements": ["A:x"]}, "Cannot convert 'A:x' to a tensor name"),
]:  # fmt: skip
    results["import " + label] = [
        caught(partial(imported, message, **keywords)),
        said(partial(imported, message, **keywords), part),
    ]
with tf.Graph().as_default() as other, tf.device("/job:outer/task:2"):
    tf.import_graph_def(with_identity(3, ["A"], device="/job:inner/device:CPU:0"), name="")
    results["import devices"] = [op.device for op in other.get_operations()]

# ---- protos, shapes ----
results["tensor protos"] = [
    str(tensor_util.make_tensor_proto(value)) for value in ([1.0, 1.0, 1.0], np.zeros((1, 2)), [5, 5], 7, ["a", "a"])
]
partly = tensor_util.constant_value(tf.stack([[1, 2], tf.placeholder(tf.int32, [2])]), partial=True)
results["partial"] = [partly.dtype.name, partly[0].tolist(), partly[1] is None]
results["large sizes"] = caught(lambda: tf.convert_to_tensor(tf.TensorShape([2**33]), tf.int32))

# ---- sessions ----
words = tf.placeholder(tf.string, name="words")
copied = tf.identity(words)


def run_on(where, config=None):
    with tf.Graph().as_default(), tf.Session(config=config) as alone:
        with tf.device(where):
            value = tf.identity(tf.constant(2.0))
        return caught(lambda: alone.run(value))


places = ["/job:ps", "/device:CPU:1", "/task:1", "/job:localhost/replica:0/task:0/cpu:0"]
soft, two = tf.ConfigProto(allow_soft_placement=True), tf.ConfigProto(device_count={"CPU": 2})
results["devices"] = [[where, run_on(where), run_on(where, soft), run_on(where, two)] for where in places]
with tf.Session() as sess:
    results["fed words"] = [w.decode() for w in sess.run(copied, {words: np.array(["a", b"b", "\u20ac"], object)})]
    options = config_pb2.CallableOptions()
    options.feed.append("words:0")
    options.fetch.append(copied.name)
    call = sess._make_callable_from_options(options)
    results["callable"] = [np.asarray(call(np.array(b"x", object))[0]).item().decode(), caught(call)]
with tf.Session(config=two) as sess:
    results["two devices"] = [d.name for d in sess.list_devices() if "XLA" not in d.name]
results["no such target"] = [
    caught(lambda: tf.Session("nowhere")),
    said(lambda: tf.Session("nowhere"), "No session factory"),
]

# ---- composites in branches and loops ----
table = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
chosen = tf.placeholder_with_default(True, [])
sparse = tf.SparseTensor([[0, 0]], [1.0], [3, 3])
slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([0]))
count = tf.constant(0)
_, grown = tf.while_loop(
    lambda i, s: i < 2,
    lambda i, s: (i + 1, tf.SparseTensor(tf.concat([s.indices, s.indices + 1], 0), tf.concat([s.values] * 2, 0), s.dense_shape)),
    [count, sparse],
    shape_invariants=[count.shape, tf.TensorShape([None])],
)  # fmt: skip
_, doubled = tf.while_loop(
    lambda i, s: i < 3, lambda i, s: (i + 1, tf.IndexedSlices(s.values * 2, s.indices)), [count, slices]
)
results["composite loops"] = [
    *(str(part.shape) for part in (grown.indices, grown.values, grown.dense_shape, doubled.values, doubled.indices)),
    caught(lambda: tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s), [count, sparse], [count.shape, table.shape])),
    caught(lambda: tf.cond(chosen, list, list)),
]  # fmt: skip
waiting = control_flow_ops.with_dependencies([count], tf.IndexedSlices(table, tf.constant([0, 1, 2])))
no, yes = control_flow_ops.switch(slices, chosen)
merged, _ = control_flow_ops.merge([no, yes])
loose, index = control_flow_ops.merge(
    [control_flow_ops.switch(sparse, chosen)[0], control_flow_ops.switch(sparse, chosen)[1]]
)
mixed = {
    "slices": tf.cond(chosen, lambda: tf.gather(table, [0, 0]), lambda: tf.gather(table, [1, 2])),
    "slices or all": tf.cond(chosen, lambda: tf.gather(table, tf.constant([0, 0], tf.int64)), lambda: table[:2] * 2.0),
}
gradients = {key: tf.gradients(value, table)[0] for key, value in mixed.items()}
results["gradient kinds"] = {key: type(value).__name__ for key, value in gradients.items()}
with tf.Session() as sess:
    results["grown"] = [part.tolist() for part in sess.run(grown)]
    results["doubled"] = [part.tolist() for part in sess.run(doubled)[:2]]
    results["waiting"] = sess.run(waiting.values)
    for way in (True, False):
        feeds = {chosen: way}
        results["merged {}".format(way)] = [part.tolist() for part in sess.run(merged, feeds)[:2]]
        results["loose {}".format(way)] = [sess.run(loose.values, feeds), int(sess.run(index, feeds))]
        for key, value in gradients.items():
            results["gradient of {} {}".format(key, way)] = sess.run(tf.convert_to_tensor(value), feeds)
    vector = tf.placeholder(tf.float32, [None])
    results["hessian"] = sess.run(tf.hessians(tf.reduce_sum(vector**3) * vector[0], vector), {vector: [1.0, 2.0]})[0]
context = next(
    op for op in tf.get_default_graph().get_operations() if op.type == "LoopCond"
)._get_control_flow_context()
again = type(context).from_proto(context.to_proto())
results["contexts"] = [str(context), again.to_proto() == context.to_proto(), context.to_proto().pivot_name]
