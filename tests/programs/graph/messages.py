"""Static values, GraphDefs taken apart, operations chosen from a graph, default arguments by scope, text and bytes."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import graph_editor as ge
from tensorflow.python.framework import ops, tensor_util
from tensorflow.python.util import compat, tf_inspect

results = {}


def refused(action):
    try:
        return str(action())
    except (ValueError, TypeError, KeyError, LookupError, AssertionError, NotImplementedError) as error:
        return type(error).__name__


def static(tensor, partial=False):
    value = tensor_util.constant_value(tensor, partial)
    return None if value is None else np.asarray(value)


x = tf.placeholder(tf.float32, [2, None], name="x")
known = tf.zeros([2, 3])
one = tf.constant(1)
values = {
    "const": tf.constant([1, 2]),
    "shape": tf.shape(known),
    "shape int64": tf.shape(known, out_type=tf.int64),
    "size": tf.size(known),
    "rank": tf.rank(x),
    "range": tf.range(1, 9, 3),
    "cast": tf.cast(tf.constant([1.7, 2.2]), tf.int64),
    "concat": tf.concat([tf.constant([1]), tf.constant([2, 3])], 0),
    "stack": tf.stack([one, 2]),
    "fill": tf.fill([2, 2], 7.0),
    "big": tf.fill([100, 100], 1),
    "equal": tf.equal(one, 1),
    "not equal": tf.not_equal(one, [1, 2]),
    "string": tf.constant(["a", "b"]),
}
results["known"] = {key: static(tensor) for key, tensor in values.items()}
unknown = [
    tf.shape(x),
    tf.size(x),
    one + 1,
    tf.identity(one),
    tf.stack([one, tf.shape(x)[1]]),
    tf.stack([one, one], axis=-1),
    x,
]
results["unknown"] = [str(tensor_util.constant_value(t)) for t in unknown]
results["partial"] = str(tensor_util.constant_value(tf.stack([one, tf.shape(x)[1]]), partial=True))
results["feedable"] = [
    str(tf.get_default_graph().is_feedable(t)) for t in (values["const"], values["shape"], unknown[0])
]
results["other"] = [str(tensor_util.constant_value(3)), refused(lambda: tf.get_static_value([1]))]
shapes = [
    tf.shape(x),
    tf.stack([4, tf.shape(x)[0]]),
    tf.constant([-1, 3]),
    tf.constant(-1),
    tf.concat([tf.shape(x), [5]], 0),
    tf.placeholder(tf.int32, [2]),
    tf.placeholder(tf.int32, [None]),
    tf.shape(x)[1:],
    tf.constant([], tf.int32),
]
results["as shape"] = [str(tensor_util.constant_value_as_shape(t)) for t in shapes]
results["no shape"] = [
    refused(lambda: tensor_util.constant_value_as_shape(tf.constant(2))),
    refused(lambda: tensor_util.constant_value_as_shape(tf.placeholder(tf.int32, []))),
]
sparse = tf.SparseTensor([[0, 1]], [3.0], [2, 2])
results["is tensor"] = [str(tf.is_tensor(v)) for v in (x, sparse, tf.Variable(1.0, name="v"), 1, [x], x.op, np.ones(2))]

# names of scopes
results["stripped"] = [
    str(ops.strip_name_scope(n, s))
    for n, s in (("a/b", "a"), ("^a/b", "a/"), ("loc:@a/b/c", "a"), ("ab/c", "a"), ("a/b", None))
]
results["prepended"] = [
    str(ops.prepend_name_scope(n, s)) for n, s in (("b", "a"), ("^b", "a/"), ("loc:@b", "a"), ("b", ""))
]
results["from scope"] = [ops.name_from_scope_name("a/b/"), ops.name_from_scope_name("a")]
results["uid"] = str(ops.uid() < ops.uid())
results["gradient functions"] = [
    str(callable(ops.get_gradient_function((known * 2).op))),
    str(ops.get_gradient_function(one.op)),
    str(ops.get_gradient_function(tf.shape(x).op)),
]
results["converted"] = [t.op.name for t in ops.internal_convert_n_to_tensor([1, x, 2.0], name="n")]
results["default graph"] = str(ops._default_graph_stack.get_default() is tf.get_default_graph())
ops.register_proto_function("mine", tf.NodeDef, lambda v, export_scope=None: v)
results["registered"] = [
    str(ops.get_collection_proto_type("mine") is tf.NodeDef),
    str(ops.get_to_proto_function("mine") is None),
    str(ops.get_from_proto_function("mine")),
    str(ops.get_to_proto_function("none")),
    refused(lambda: ops.register_proto_function("mine")),
    refused(lambda: ops.register_proto_function("other", to_proto=1)),
]

# GraphDefs
graph = tf.Graph()
with graph.as_default():
    a = tf.placeholder(tf.float32, [2], name="a")
    v = tf.Variable([1.0, 2.0], name="v")
    r = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="r", use_resource=True)
    h = tf.identity(a * v, name="h")
    with tf.control_dependencies([h]):
        waiting = tf.identity(h, name="waiting")
    y = tf.reduce_sum(waiting + tf.gather(r, 1), name="y")
    other = tf.add(a, 1.0, name="other")
    with tf.name_scope("layer"):
        z = tf.nn.relu(y, name="z")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        graph_def = graph.as_graph_def()
        part = tf.graph_util.extract_sub_graph(graph_def, ["y"])
        frozen = tf.graph_util.convert_variables_to_constants(sess, graph_def, ["layer/z"])
        kept = tf.graph_util.convert_variables_to_constants(sess, graph_def, ["h"], variable_names_blacklist=["v"])
        results["expected"] = sess.run(z, {a: [3.0, 4.0]})
results["part"] = [n.name for n in part.node]
results["frozen"] = [n.name + " " + n.op + " " + ",".join(n.input) for n in frozen.node]
results["kept"] = [n.name + " " + n.op for n in kept.node]
slim = tf.graph_util.remove_training_nodes(frozen)
results["slim"] = [n.name + " " + n.op + " " + ",".join(n.input) for n in slim.node]
results["protected"] = [n.name for n in tf.graph_util.remove_training_nodes(frozen, protected_nodes=["h"]).node]
with tf.Graph().as_default() as imported:
    (again,) = tf.import_graph_def(slim, return_elements=["layer/z:0"], name="")
    with tf.Session() as sess:
        results["again"] = sess.run(again, {"a:0": [3.0, 4.0]})
results["cpu"] = [str(tf.graph_util.must_run_on_cpu(n)) for n in graph_def.node if n.op in ("Const", "Cast", "MatMul")]
results["cpu variables"] = str(tf.graph_util.must_run_on_cpu(v.op, pin_variables_on_cpu=True))
results["shape by name"] = str(tf.graph_util.tensor_shape_from_node_def_name(graph, "h"))
results["used"] = sorted(tf.contrib.util.ops_used_by_graph_def(frozen))
results["op list"] = [op.name for op in tf.contrib.util.stripped_op_list_for_graph(frozen).op]
results["bad graphs"] = [
    refused(lambda: tf.graph_util.extract_sub_graph(graph_def, "y")),
    refused(lambda: tf.graph_util.extract_sub_graph(1, ["y"])),
    refused(lambda: tf.graph_util.extract_sub_graph(graph_def, ["nothing"])),
]

# the graph editor
names = lambda items: [item.name for item in items]
g = tf.Graph()
with g.as_default():
    with tf.name_scope("in"):
        p = tf.constant(1.0, name="p")
        q = tf.constant(2.0, name="q")
    s = tf.add(p, q, name="s")
    t = tf.multiply(s, q, name="t")
    with tf.control_dependencies([t]):
        u = tf.negative(s, name="u")
results["editor"] = {
    "tensors": names(ge.get_tensors(g)),
    "ops": names(ge.make_list_of_op(g)) + names(ge.make_list_of_op([s, t.op], check_graph=True, ignore_ts=True)),
    "forward": sorted(names(ge.get_forward_walk_ops(p.op))),
    "forward of a tensor": sorted(names(ge.get_forward_walk_ops(p))),
    "exclusive": sorted(names(ge.get_forward_walk_ops(s.op, inclusive=False))),
    "controls": sorted(names(ge.get_forward_walk_ops(t.op, control_outputs=ge.ControlOutputs(g)))),
    "within": names(ge.get_forward_walk_ops(p.op, within_ops=[p.op, s.op])),
    "stopped": names(ge.get_forward_walk_ops(p.op, stop_at_ts=[s])),
    "backward": sorted(names(ge.get_backward_walk_ops(t.op))),
    "backward controls": sorted(names(ge.get_backward_walk_ops(u.op, control_inputs=True))),
    "union": sorted(names(ge.get_walks_union_ops(s.op, s.op))),
    "between": names(ge.get_walks_intersection_ops(p.op, t.op)),
    "boundary": names(ge.get_within_boundary_ops(g, s.op, [q.op])),
    "outside boundary": names(ge.get_within_boundary_ops(g, s.op, [q.op], inclusive=False)),
    "consuming": names(ge.get_consuming_ops([q, s])),
    "generating": names(ge.get_generating_ops([q, s])),
    "ios": names(ge.get_ops_ios(t.op)),
    "filtered": names(ge.filter_ops(g, lambda op: op.type == "Const")) + names(ge.filter_ts(s.op, True)),
    "by regex": names(ge.filter_ops_from_regex(g, "^in/")) + names(ge.filter_ts_from_regex(g, "q")),
    "scope": names(ge.get_name_scope_ops(g, "in/")),
    "selected": names(ge.select_ops("^in/", s.op, graph=g)) + names(ge.select_ts("(?#ts)s", q, graph=g)),
    "both": [names(part) for part in ge.select_ops_and_ts("^t$", "(?#ts)^in", graph=g)],
    "positive": names(ge.select_ops(".*", graph=g, positive_filter=lambda op: op.type != "Const")),
    "compute boundary": [names(part) for part in ge.compute_boundary_ts([s.op, t.op])],
    "placeholder": [ge.placeholder_name(p), ge.placeholder_name(p, scope="new"), ge.placeholder_name(scope="new")],
}
results["editor refuses"] = [
    refused(action)
    for action in (
        lambda: ge.get_tensors([s]),
        lambda: ge.select_ops("a"),
        lambda: ge.select_ops("a", graph=1),
        lambda: ge.select_ops(other=1),
        lambda: ge.make_list_of_op([s]),
        lambda: ge.make_list_of_op([s.op, x.op]),
        lambda: ge.get_consuming_ops(g),
        lambda: ge.get_within_boundary_ops(g, s.op, s.op),
        lambda: ge.make_regex(1),
        lambda: ge.ControlOutputs(1),
    )
]

# default arguments
framework = tf.contrib.framework
add_arg_scope, arg_scope = framework.add_arg_scope, framework.arg_scope


@add_arg_scope
def conv(inputs, size, stride=1, act=None):
    """Convolves."""
    return (inputs, size, stride, act)


@add_arg_scope
def pool(inputs, stride=3):
    return (inputs, stride)


def plain(inputs):
    return inputs


calls = [conv(1, 2)]
with arg_scope([conv, pool], stride=7) as outer:
    calls += [conv(1, 2), conv(1, 2, stride=8), pool(1)]
    with arg_scope([conv], act="relu"):
        calls += [conv(1, 2), pool(1)]
        with arg_scope(outer):
            calls += [conv(1, 2)]
    with arg_scope([conv], stride=9):
        calls += [conv(1, 2), pool(1)]
calls += [conv(1, 2)]
results["calls"] = [str(call) for call in calls]
results["scoped"] = [
    str(framework.has_arg_scope(conv)),
    str(framework.has_arg_scope(plain)),
    str(tuple(framework.arg_scoped_arguments(conv))),
    conv.__name__,
    conv.__doc__,
    str(tf_inspect.getfullargspec(conv).args),
    str(framework.current_arg_scope()),
]


def entered(*args, **kwargs):
    with arg_scope(*args, **kwargs):
        return "entered"


results["scope refuses"] = [
    refused(lambda: entered([plain], a=1)),
    refused(lambda: entered(outer, a=1)),
    refused(lambda: entered(1)),
]

# text
results["text"] = [
    str(compat.as_bytes("a")),
    str(compat.as_bytes(b"a")),
    compat.as_text(b"a"),
    compat.as_str("a"),
    compat.as_str_any(3),
    compat.as_str_any(b"x"),
    refused(lambda: compat.as_bytes(1)),
    refused(lambda: compat.as_text(1)),
    str(tf.compat.path_to_str("p")),
    str(isinstance(np.int32(1), tf.compat.integral_types)),
    str(isinstance(1.0, tf.compat.integral_types)),
    str(isinstance(np.float32(1), tf.compat.real_types)),
    str(isinstance(1j, tf.compat.complex_types)),
    str(isinstance(b"", tf.compat.bytes_or_text_types)),
    str(tf.compat.forward_compatible(2017, 1, 1)),
    str(tf.compat.forward_compatible(2030, 1, 1)),
]
with tf.compat.forward_compatibility_horizon(2031, 1, 1):
    results["text"] += [str(tf.compat.forward_compatible(2030, 1, 1))]

# messages
example = tf.train.Example(
    features=tf.train.Features(
        feature={
            "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"xyz"])),
            "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[3, -1])),
            "w": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5])),
        }
    )
)
read = tf.train.Example.FromString(example.SerializeToString())
results["example"] = [
    str(list(read.features.feature["label"].int64_list.value)),
    str(read.features.feature["image"].bytes_list.value[0]),
]
config = tf.ConfigProto(allow_soft_placement=True, gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.3))
config.gpu_options.allow_growth = True
config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
results["config"] = [
    str(config.SerializeToString()),
    str(tf.RunOptions.FULL_TRACE),
    str(tf.RunOptions(trace_level=3).SerializeToString()),
]
proto = tf.make_tensor_proto([[1.0, 2.0]], shape=[1, 2])
results["tensor proto"] = [str(proto.SerializeToString()), tf.make_ndarray(proto)]
summary = tf.Summary(value=[tf.Summary.Value(tag="loss", simple_value=0.5)])
results["summary"] = str(summary.SerializeToString())
results["switches"] = [str(tf.executing_eagerly()), str(tf.control_flow_v2_enabled()), str(tf.get_logger().name)]
