"""What becomes of messages: defaults filled in, shapes that contradict, loops exported from scopes, constants of protos."""

import warnings

import tensorflow as tf
from tensorflow.core.protobuf import control_flow_pb2
from tensorflow.python.framework import errors_impl, meta_graph

results = {}


def node(graph_def, op, name, inputs=(), **types):
    made = graph_def.node.add(op=op, name=name, input=inputs)
    for key, value in types.items():
        made.attr[key].type = value
    return made


def said(make):
    try:
        return make()
    except (TypeError, ValueError) as error:
        return type(error).__name__


# Attributes that a node leaves to their defaults are in the message afterwards; those of functions are not.
graph_def = tf.GraphDef()
node(graph_def, "Placeholder", "x", dtype=1)
node(graph_def, "MatMul", "y", ["x", "x"], T=1).attr["transpose_a"].b = True
function = graph_def.library.function.add()
function.signature.name = "F"
function.node_def.add(name="inner", op="Placeholder").attr["dtype"].type = 1
with tf.Graph().as_default():
    tf.import_graph_def(graph_def, name="")
results["defaults"] = [[made.name, sorted(made.attr)] for made in graph_def.node]
results["transposed"] = [graph_def.node[1].attr[key].b for key in ("transpose_a", "transpose_b")]
results["inner defaults"] = sorted(graph_def.library.function[0].node_def[0].attr)


# Shapes that the file tells may add to what is known, not contradict it, but for some kinds of old.
def noted(op, dims, source=True, **types):
    graph_def = tf.GraphDef()
    node(graph_def, "Placeholder", "x", dtype=1)
    made = node(graph_def, op, "y", ["x"] if source else [], **types)
    made.attr["_output_shapes"].list.shape.add().CopyFrom(tf.TensorShape(dims).as_proto())
    with tf.Graph().as_default():
        return str(tf.import_graph_def(graph_def, return_elements=["y"])[0].outputs[0].shape)


results["noted shapes"] = [
    said(lambda: noted("L2Loss", [], T=1)),
    said(lambda: noted("L2Loss", [43], T=1)),
    said(lambda: noted("L2Loss", None, T=1)),
    said(lambda: noted("Relu", [None, 3], T=1)),
    said(lambda: noted("Placeholder", [2], source=False, dtype=1)),
    said(lambda: noted("Rank", [1], T=1)),
    said(lambda: noted("TextLineReader", [5], source=False)),
]

# A loop exported from a scope is named without it.
with tf.Graph().as_default():
    with tf.name_scope("outer"):
        start = tf.constant(3.0, name="start")
        _, result = tf.while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x * x), [0, start])
        with tf.name_scope("inner"):
            tf.while_loop(lambda i: i < 4, lambda i: i + 1, [0])
    exported, _ = meta_graph.export_scoped_meta_graph(export_scope="outer")
results["frames"] = [made.attr["frame_name"].s.decode() for made in exported.graph_def.node if made.op == "Enter"]
loop = control_flow_pb2.WhileContextDef.FromString(exported.collection_def["while_context"].bytes_list.value[0])
results["loop"] = [loop.context_name, sorted(loop.loop_exit_names), sorted(loop.values_def.values)]
with tf.Graph().as_default() as graph:
    meta_graph.import_scoped_meta_graph(exported, import_scope="new")
    results["contexts"] = sorted(context.name for context in graph.get_collection("while_context"))
    result, start = (graph.get_tensor_by_name(name) for name in ("new/while/Exit_1:0", "new/start:0"))
    again, _ = meta_graph.export_scoped_meta_graph(export_scope="new")
    kept = control_flow_pb2.WhileContextDef.FromString(again.collection_def["while_context"].bytes_list.value[0])
    results["exported again"] = [kept.context_name, sorted(kept.values_def.values) == sorted(loop.values_def.values)]
    with tf.Session() as sess:
        results["gradient of the imported loop"] = sess.run(tf.gradients(result, start), {start: 1.25})

# A constant of a TensorProto is what stands in it, whatever else is asked for.
proto = tf.make_tensor_proto([1.5, 2.5])
with tf.Graph().as_default(), tf.Session() as sess:
    for label, made in (
        ("constant", tf.constant(proto)),
        ("converted", tf.convert_to_tensor(proto)),
        ("of another type", tf.constant(proto, tf.int32)),
        ("of another shape", tf.constant(proto, shape=[3])),
        ("of texts", tf.constant(tf.make_tensor_proto([b"a", b"bc"]))),
    ):
        results[f"proto, {label}"] = [made.dtype.name, made.shape.as_list(), sess.run(made).tolist()]

# Each error derives from OpError itself, and a code that is not known is kept.
results["bases"] = [
    errors_impl.OpError in type(errors_impl._make_specific_exception(None, None, None, code)).__bases__
    for code in range(1, 17)
]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    error = errors_impl._make_specific_exception(None, None, "what", 37)
results["unknown code"] = [type(error).__name__, error.error_code, error.message, [str(w.message) for w in caught]]
