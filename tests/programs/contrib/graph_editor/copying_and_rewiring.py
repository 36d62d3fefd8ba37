"""Copying, rewiring and cutting parts of graphs with tf.contrib.graph_editor."""

import collections

import numpy as np
import tensorflow as tf

ge = tf.contrib.graph_editor
results = {}


def names(items):
    return [item.name for item in items]


def view_of(view):
    return {
        "ops": names(view.ops),
        "inputs": names(view.inputs),
        "outputs": names(view.outputs),
        "passthroughs": names(view.passthroughs),
        "connected": [names(view.connected_inputs), names(view.connected_outputs)],
        "consumers": names(view.consumers()),
        "text": str(view).partition("\n")[2],
    }


def wiring(graph):
    return {
        op.name: [op.type, op.device, names(op.inputs), sorted(names(op.control_inputs))]
        for op in graph.get_operations()
    }


def error_of(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except (KeyError, TypeError, ValueError) as error:
        return type(error).__name__
    return None


def small_graph():
    graph = tf.Graph()
    with graph.as_default():
        a = tf.constant([1.0, 2.0], name="a")
        b = tf.constant([10.0, 20.0], name="b")
        with tf.name_scope("body"):
            c = tf.add(a, b, name="c")
            with tf.control_dependencies([b.op]), tf.device("/cpu:0"):
                d = tf.multiply(c, a, name="d")
            e = tf.add(d, d, name="e")
        with tf.name_scope("head"):
            f = tf.square(e, name="f")
            g = tf.subtract(f, b, name="g")
        tf.add_to_collection("mine", d)
        tf.add_to_collection("body/own", e)
        tf.add_to_collection(tf.GraphKeys.LOSSES, e)
    return graph, a, b, c, d, e, f, g


# Views.
graph, a, b, c, d, e, f, g = small_graph()
view = ge.sgv("^body/", graph=graph)
results["view"] = view_of(view)
results["scope"] = view_of(ge.sgv_scope("body", graph=graph))
results["remapped"] = view_of(view.remap([1, 0], [0, e, 0]))
results["fewer"] = view_of(view.remap_inputs([b]))
results["to_consumers"] = view_of(ge.sgv(c.op, d.op).remap_outputs_to_consumers())
results["unique"] = view_of(view.remap_outputs([0, 0, 0]).remap_outputs_make_unique())
results["default"] = view_of(view.remap([1, 0], [0, 0]).remap_default())
results["default_outputs"] = view_of(view.remap([1, 0], [0, 0]).remap_default(remove_input_map=False))
results["unused"] = view_of(view.remap([], [0]).remove_unused_ops())
results["passing"] = view_of(ge.sgv(c.op, ge.select_ts(f)))
results["passing_only"] = view_of(ge.SubGraphView(passthrough_ts=[f, g]))
results["empty"] = [str(ge.sgv()), bool(ge.sgv()), bool(view)]
results["finding"] = [
    view.find_op_by_name("body/d").name,
    view.op(0).name,
    view.input_index(b),
    view.output_index(e),
    view.is_passthrough(e),
    len(view.inputs),
    names(view.inputs + [e]),
]
other = tf.Graph()
with other.as_default():
    elsewhere = tf.constant(1.0)
results["view_errors"] = [
    error_of(view.find_op_by_name, "body/q"),
    error_of(view.remap_inputs, [0, 0]),
    error_of(view.remap_inputs, [5]),
    error_of(view.remap_outputs, [a]),
    error_of(ge.sgv, "^body/"),
    error_of(ge.sgv, view, graph=other),
    error_of(ge.sgv, 3),
    error_of(ge.sgv, [c.op, elsewhere.op]),
    error_of(ge.util.ListView, (1, 2)),
]

# Copies.
graph, a, b, c, d, e, f, g = small_graph()
view = ge.sgv_scope("body", graph=graph)
copied, info = ge.copy(view, dst_scope="again")
results["copy"] = view_of(copied)
results["copied_wiring"] = wiring(graph)
results["transformed"] = names(info.transformed([c, e])) + names(info.transformed({"d": d.op}).values())
results["originals"] = names(info.original(tuple(info.transformed([c, e]))))
results["missing"] = [info.transformed(a), info.transformed((a, g), lambda t: t.name)]
results["info_text"] = str(info).partition("\n")[2].partition("\n")[2]
results["collections"] = {key: names(graph.get_collection(key)) for key in sorted(graph.get_all_collection_keys())}
results["collection_outside"] = error_of(ge.copy, view, dst_scope="again", src_scope="body")
graph.clear_collection("mine")
graph.clear_collection("again/mine")
copied, info = ge.copy(view, dst_scope="again", src_scope="body")
results["copy_relative"] = names(copied.ops) + names(copied.inputs)
copied, info = ge.copy(view, dst_scope="again", src_scope="body", reuse_dst_scope=True)
results["copy_reused"] = names(copied.ops) + names(copied.inputs)
copied, info = ge.copy_with_input_replacements(view, {a: b}, dst_scope="replaced")
results["copy_replaced"] = names(copied.ops) + names(copied.inputs) + names(copied.outputs)
with tf.Session(graph=graph) as sess:
    results["copy_replaced_value"] = sess.run(list(copied.outputs))
elsewhere = tf.Graph()
copied, info = ge.copy(view, elsewhere, dst_scope="moved", src_scope="body")
results["copy_elsewhere"] = wiring(elsewhere)
with tf.Session(graph=elsewhere) as sess:
    made = [op.outputs[0] for op in elsewhere.get_operations() if op.type == "Placeholder"]
    feeds = {t: np.float32([3, 4]) if "__a_" in t.name else np.float32([1, 1]) for t in made}
    results["copy_elsewhere_value"] = sess.run(list(copied.outputs), feeds)
results["copy_errors"] = [error_of(ge.copy, view, "graph"), error_of(ge.copy, view, src_scope="head")]
with graph.as_default(), tf.name_scope("outer"), tf.control_dependencies([a.op]):
    copied, info = ge.copy(view)
results["copy_in_scopes"] = [names(copied.ops), [names(op.control_inputs) for op in copied.ops]]


# A transformer of one's own.
def halved(info, op, new_inputs):
    def edit(node):
        node.attr["_marked"].s = b"yes"
        if node.op == "Mul":
            node.op = "Sub"
        return node

    return ge.transform.copy_op_handler(info, op, new_inputs, copy_shape=True, nodedef_fn=edit)


graph, a, b, c, d, e, f, g = small_graph()
graph.clear_collection("mine")
transformer = ge.Transformer()
transformer.transform_op_handler = halved
transformer.transform_external_input_handler = ge.keep_t_if_possible_handler
made, info = transformer(ge.sgv_scope("body", graph=graph), graph, "other", "body")
results["own_handler"] = [(op.name, op.type, op.get_attr("_marked")) for op in made.ops]
with tf.Session(graph=graph) as sess:
    results["own_handler_value"] = sess.run(list(made.outputs))

# Replacing.
graph, a, b, c, d, e, f, g = small_graph()
with graph.as_default():
    new_a = tf.constant([100.0, 200.0], name="new_a")
    replaced = ge.graph_replace({"e": e, "more": [g, b]}, {a: new_a}, dst_scope="swapped")
    again = ge.graph_replace(g, {c: new_a})
    Pair = collections.namedtuple("Pair", "first second")
    pair = ge.graph_replace(Pair(d, e), {a: new_a})
results["graph_replace"] = [replaced["e"].name, names(replaced["more"]), again.name, type(pair).__name__, names(pair)]
with tf.Session(graph=graph) as sess:
    results["graph_replace_values"] = sess.run([replaced, again, tuple(pair), g])
results["not_connected"] = error_of(ge.graph_replace, a, {g: b})

loops = tf.Graph()
with loops.as_default():
    start = tf.constant(1.0, name="start")
    limit = tf.constant(50.0, name="limit")
    end = tf.while_loop(lambda x: x < limit, lambda x: x * 2.0, [start])
    replaced = ge.graph_replace(end, {limit: tf.constant(200.0, name="higher")}, dst_scope="longer")
results["loop"] = [replaced.name, {name: [row[0], sorted(row[2]), row[3]] for name, row in wiring(loops).items()}]
with tf.Session(graph=loops) as sess:
    results["loop_values"] = [sess.run(end), sess.run(replaced)]

branches = tf.Graph()
with branches.as_default():
    flag = tf.placeholder_with_default(True, [], name="flag")
    value = tf.constant(3.0, name="value")
    chosen = tf.cond(flag, lambda: value * 2.0, lambda: value - 1.0, name="choice")
    replaced = ge.graph_replace(chosen, {value: tf.constant(7.0)}, dst_scope="more")
with tf.Session(graph=branches) as sess:
    results["cond_values"] = [sess.run([chosen, replaced], {flag: on}) for on in (True, False)]

# Rewiring, while a session is open.
graph, a, b, c, d, e, f, g = small_graph()
with graph.as_default():
    count = [ge.swap_ts([a, b], [b, a]), ge.reroute_ts(c, d), ge.reroute_ts([c], [d], can_modify=[g.op])]
results["rerouted"] = [count, wiring(graph), names(c.consumers()), names(d.consumers())]
with tf.Session(graph=graph) as sess:
    results["rerouted_value"] = sess.run([c, d, e, g])
graph, a, b, c, d, e, f, g = small_graph()
results["cannot"] = [ge.reroute_ts(a, b, cannot_modify=g.op), wiring(graph)]
ge.swap_outputs(ge.sgv(c.op), ge.sgv(f.op))
results["swap_outputs"] = wiring(graph)
graph, a, b, c, d, e, f, g = small_graph()
one, two = ge.swap_inputs(ge.sgv(c.op), ge.sgv(g.op))
results["swap_inputs"] = [wiring(graph), names(one.inputs), names(two.inputs)]
graph, a, b, c, d, e, f, g = small_graph()
one, two = ge.swap_ios(ge.sgv(c.op).remap_inputs([0]), ge.sgv(f.op))
results["swap_ios"] = [wiring(graph), names(one.inputs), names(two.inputs)]
graph, a, b, c, d, e, f, g = small_graph()
one, two = ge.reroute_ios(ge.sgv(c.op).remap_inputs([0]), ge.sgv(f.op))
results["reroute_ios"] = [wiring(graph), names(one.inputs), names(two.inputs)]
graph, a, b, c, d, e, f, g = small_graph()
ge.reroute_inputs([a], ge.sgv(f.op))
ge.reroute_outputs(ge.sgv(c.op), ge.sgv(f.op))
results["reroute_both"] = wiring(graph)
results["reroute_errors"] = [
    error_of(ge.swap_ts, [a], [a, b]),
    error_of(ge.reroute_ts, [a], [tf.constant(1)]),
    error_of(ge.reroute_ts, "a", b),
]
with graph.as_default():
    results["misfits"] = [
        error_of(ge.reroute_ts, [a], [tf.constant([1, 2])]),
        error_of(ge.reroute_ts, [a], [tf.constant([1.0])]),
    ]

# Control edges.
graph, a, b, c, d, e, f, g = small_graph()
ge.add_control_inputs(g.op, [c.op, e.op])
ge.reroute.remove_control_inputs(d.op, b.op)
results["controls"] = wiring(graph)
results["control_errors"] = [
    error_of(ge.add_control_inputs, g.op, c.op),
    error_of(ge.remove_control_inputs, d.op, b.op),
    error_of(ge.add_control_inputs, g, c.op),
]

# Cutting and joining.
graph, a, b, c, d, e, f, g = small_graph()
ge.add_control_inputs(f.op, [d.op])
view = ge.sgv_scope("body", graph=graph)
view, before, after = ge.detach(view, control_ios=ge.util.ControlOutputs(graph))
results["detached"] = [view_of(view), names(before), names(after), wiring(graph)]
with tf.Session(graph=graph) as sess:
    results["detached_values"] = [
        sess.run(list(view.outputs), dict(zip(before, [[1.0, 2.0], [5.0, 6.0]]))),
        sess.run(g, {after[0]: [2.0, 3.0]}),
    ]
graph, a, b, c, d, e, f, g = small_graph()
ge.connect(ge.sgv(a.op), ge.sgv(f.op))
results["connected"] = wiring(graph)
graph, a, b, c, d, e, f, g = small_graph()
ge.connect(ge.sgv(c.op), ge.sgv(f.op), disconnect_first=True)
results["connected_first"] = wiring(graph)
graph, a, b, c, d, e, f, g = small_graph()
view, fed = ge.bypass(ge.sgv(f.op))
results["bypassed"] = [view_of(view), names(fed), wiring(graph)]
with tf.Session(graph=graph) as sess:
    results["bypassed_value"] = sess.run(g)

# Helpers.
results["helpers"] = [
    ge.util.flatten_tree({"a": [1, (2, 3)], "b": 4}),
    ge.util.transform_tree([1, (2, {"x": 3})], lambda x: x * 10),
    ge.util.scope_finalize("a/b"),
    ge.util.scope_dirname("a/b/c"),
    ge.util.scope_basename("a/b/c"),
    ge.placeholder_name(c),
    ge.placeholder_name(c, scope=""),
    ge.placeholder_name(c, scope="deep/er"),
    ge.placeholder_name(scope="deep/"),
    ge.util.find_corresponding([c, g], small_graph()[0])[1].name,
    "losses" in ge.util.get_predefined_collection_names(),
]
public = "bypass copy graph_replace ph sgv SubGraphView swap_ios"
results["names"] = sorted(n for n in public.split() if hasattr(ge, n))
