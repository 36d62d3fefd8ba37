"""tf.contrib.graph_editor: detaching, placeholders, views by scope, handlers of a Transformer, controls."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import graph_editor as ge

results = {}


def outcome(function):
    try:
        return function()
    except Exception as error:
        return [type(error).__name__, str(error)]


def network():
    with tf.name_scope("outer"):
        a = tf.constant([1.0, 2.0], name="a")
        with tf.name_scope("inner"):
            b = tf.square(a, name="b")
            with tf.control_dependencies([tf.no_op(name="before")]):
                c = tf.add(b, 1.0, name="c")
        d = tf.multiply(c, 2.0, name="d")
        with tf.control_dependencies([c]):
            tf.identity(a, name="after")
    return a, b, c, d


def wires(graph):
    return [
        [one.name, one.type, [t.name for t in one.inputs], sorted(control.name for control in one.control_inputs)]
        for one in graph.get_operations()
    ]


def described(view):
    return [
        [one.name for one in view.ops],
        [one.name for one in view.inputs],
        [one.name for one in view.outputs],
        [one.name for one in view.connected_inputs],
        [one.name for one in view.connected_outputs],
    ]


with tf.Graph().as_default() as graph:
    a, b, c, d = network()
    results["views"] = [
        described(ge.make_view([b.op, c.op])),
        described(ge.make_view("outer/inner/.*", graph=graph)),
        described(ge.make_view_from_scope("outer/inner", graph)),
        described(ge.make_view(graph)),
        described(ge.sgv_scope("outer/inner", graph)),
    ]
    results["made of text"] = outcome(lambda: ge.make_view_from_scope(3, graph))[0]
    results["regex"] = [ge.can_be_regex(one) for one in ("a", __import__("re").compile("a"), 3, b"a", None)]
    controls = ge.ControlOutputs(graph)
    results["controls"] = [
        outcome(lambda: [type(one).__name__ for one in ge.check_cios()]),
        outcome(lambda: ge.check_cios(True, graph))[0],
        outcome(lambda: ge.check_cios(control_ios=graph))[0],
        outcome(lambda: [type(one).__name__ for one in ge.check_cios(control_ios=controls)]),
        outcome(lambda: ge.check_cios(True, controls, controls))[0],
        outcome(lambda: ge.check_cios(control_outputs=[1]))[0],
    ]
    results["lists"] = [
        outcome(lambda: ge.make_list_of_t([a, [b, (c,)]]))[0],
        [one.name for one in ge.make_list_of_t(graph)][:3],
        [one.name for one in ge.make_list_of_t(a)],
        [one.name for one in ge.make_list_of_t([a, b.op], ignore_ops=True)],
        outcome(lambda: ge.make_list_of_t([a, b.op]))[0],
        outcome(lambda: ge.make_list_of_t(graph, allow_graph=False))[0],
        outcome(lambda: ge.make_list_of_t([a, tf.Graph()]))[0],
        outcome(lambda: ge.make_list_of_t(None))[0],
    ]
    ph = [
        ge.make_placeholder_from_tensor(a),
        ge.make_placeholder_from_tensor(b, scope="put/here"),
        ge.make_placeholder_from_tensor(c, prefix="mine"),
        ge.make_placeholder_from_dtype_and_shape(tf.int32),
        ge.make_placeholder_from_dtype_and_shape(tf.float64, [2, None], "place", "p"),
    ]
    results["placeholders"] = [[one.name, one.dtype.name, str(one.shape)] for one in ph]
    results["names"] = [ge.placeholder_name(a), ge.placeholder_name(scope="s"), ge.placeholder_name(b, "", "q")]

for name, function in (
    ("inputs", lambda view: ge.detach_inputs(view)),
    ("inputs and controls", lambda view: ge.detach_inputs(view, control_inputs=True)),
    ("outputs", lambda view: ge.detach_outputs(view)),
    ("outputs and controls", lambda view: ge.detach_outputs(view, ge.ControlOutputs(view.graph))),
    ("control inputs", lambda view: ge.detach_control_inputs(view)),
    ("control outputs", lambda view: ge.detach_control_outputs(view, ge.ControlOutputs(view.graph))),
    ("all", lambda view: ge.detach(view, control_ios=ge.ControlOutputs(view.graph))),
    ("bypass", lambda view: ge.bypass(ge.make_view(view.ops[1]).remap_inputs([0]))),
):
    with tf.Graph().as_default() as graph:
        a, b, c, d = network()
        done = function(ge.make_view([b.op, c.op]))
        kinds = []
        if done is not None:
            view = done[0]
            kinds = [described(view), [[getattr(one, "name", str(one)) for one in more] for more in done[1:]]]
        results["detached " + name] = [kinds, wires(graph)]

with tf.Graph().as_default() as graph:
    a, b, c, d = network()
    tf.add_to_collection("kept", c)
    tf.add_to_collection("kept", c.op)
    tf.add_to_collection("other", d)
    transformer = ge.Transformer()
    seen = []

    def collections(info, elem, elem_):
        seen.append([elem.name, elem_.name])
        ge.assign_renamed_collections_handler(info, elem, elem_)

    def outside(info, t):
        made = ge.replace_t_with_placeholder_handler(info, t)
        seen.append(["placeholder", t.name, made.name])
        return made

    def inside(info, op, keep_if_possible=True):
        return ge.transform_op_if_inside_handler(info, op, keep_if_possible)

    transformer.assign_collections_handler = collections
    transformer.transform_external_input_handler = outside
    transformer.transform_original_op_handler = inside
    view = ge.make_view([b.op, c.op])
    copied, info = transformer(view, graph, "copy")
    results["info"] = [
        type(info).__name__,
        info.transformed(c).name,
        info.transformed(b.op).name,
        info.original(info.transformed(c)).name,
        info.transformed(d),
        info.original(info.transformed(b.op)).name,
        str(info).split("\n")[0].split("<")[0],
    ]
    results["copied"] = [described(copied), seen, wires(graph)]
    results["collections"] = {
        key: sorted(one.name for one in tf.get_collection(key)) for key in graph.get_all_collection_keys()
    }
    with tf.Session() as session:
        outside_of = [one.outputs[0] for one in graph.get_operations() if one.type == "Placeholder"]
        feed = {
            one: np.float32([2.0, 3.0]) if "a" in one.name.split("__")[1] else np.float32(1.0) for one in outside_of
        }
        results["run"] = session.run(info.transformed(c), feed)
with tf.Graph().as_default() as graph:
    a, b, c, d = network()
    other = tf.Graph()
    copied, info = ge.copy(ge.make_view([a.op, b.op]), other, "there", "outer")
    results["other"] = [described(copied), wires(other)]
    results["twice"] = described(ge.copy(ge.make_view([a.op]), other, "there", "outer", reuse_dst_scope=False)[0])
    results["again"] = described(ge.copy(ge.make_view([a.op]), other, "there", "outer", reuse_dst_scope=True)[0])
    replaced = ge.graph_replace(d, {a: tf.constant([5.0, 6.0], name="new")}, dst_scope="moved")
    with tf.Session() as session:
        results["replaced"] = [replaced.name, session.run(replaced)]
