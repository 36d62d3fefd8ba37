"""Loops, branches and calls in GraphDefs: inputs of Merges in another order, gradients of what was imported."""

import tensorflow as tf

results = {}


def loop_that_names_what_comes_back_first():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], "x")
        _, y = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * 2.0 + 1.0), [0, x])
        tf.identity(y, "y")
        graph_def = graph.as_graph_def()
    for node in graph_def.node:
        if node.op == "Merge":
            names = list(node.input)[::-1]
            del node.input[:]
            node.input.extend(names)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        results["loop"] = session.run("y:0", {"x:0": 1.5})


def gradients_of_branches_in_branches():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [], "x")
        p = tf.placeholder(tf.bool, [], "p")
        q = x > 2.0
        r = x > 0.5

        def inner():
            return tf.cond(r, lambda: tf.exp(x) * x, lambda: tf.sin(x))

        y = tf.cond(
            p,
            lambda: tf.cond(q, inner, lambda: x * x + 1.0),
            lambda: tf.cond(q, lambda: 3.0 * x, lambda: tf.cond(r, lambda: -x, lambda: tf.sqrt(x))),
        )
        tf.identity(y, "y")
        graph_def = graph.as_graph_def()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        x, p, y = [graph.get_tensor_by_name(name + ":0") for name in ("x", "p", "y")]
        first = tf.gradients(y, x)[0]
        for taken in (True, False):
            for value in (3.0, 1.0, 0.25):
                feeds = {x: value, p: taken}
                results[f"branches {taken} {value}"] = [session.run(each, feeds) for each in (y, first)]


def gradient_of_a_call_whose_own_gradient_is_not_here():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], "x")
        y = tf.contrib.eager.defun(lambda a: tf.reduce_sum(a * a) * a)(x)
        tf.identity(y, "y")
        graph_def = graph.as_graph_def()
    for node in graph_def.node:
        if node.op == "PartitionedCall":
            node.attr["_gradient_op_type"].s = b"PartitionedCall-of-another-process"
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(graph_def, name="")
        x, y = [graph.get_tensor_by_name(name + ":0") for name in ("x", "y")]
        results["call"] = session.run(tf.gradients(y, x)[0], {x: [1.0, 2.0]})


loop_that_names_what_comes_back_first()
gradients_of_branches_in_branches()
gradient_of_a_call_whose_own_gradient_is_not_here()
