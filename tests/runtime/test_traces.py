"""Traced steps with loops and branches: their statistics, timelines and graphs; printing and asserting inside."""

import collections
import json

import numpy as np
import pytest

import headrace as tf
from headrace.profiler.timeline import Timeline


@pytest.fixture
def program():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None], name="x")

        def body(i, s):
            return i + 1, tf.cond(i > 1, lambda: tf.multiply(s, 2.0, name="late"), lambda: tf.add(s, x, name="early"))

        _, total = tf.while_loop(lambda i, s: i < 5, body, [0, x], name="lp")
        yield sess, x, total, tf.gradients(total, x)[0]


def traced(sess, fetches, feeds, **how):
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, **how)
    return sess.run(fetches, feeds, options=options, run_metadata=metadata), metadata


def test_nodes_of_loops_are_counted_once_an_iteration(program):
    sess, x, total, gradient = program
    feeds = {x: [1.0, 2.0, 3.0]}
    result, metadata = traced(sess, [total, gradient], feeds)
    for got, expected in zip(result, sess.run([total, gradient], feeds), strict=True):
        np.testing.assert_allclose(got, expected)
    nodes = [node for device in metadata.step_stats.dev_stats for node in device.node_stats]
    counts = collections.Counter(node.node_name.rpartition("/")[2] for node in nodes)
    assert counts["early"] == 2
    assert counts["late"] == 3
    sizes = {
        tuple(d.size for d in n.output[0].tensor_description.shape.dim) for n in nodes if n.node_name.endswith("late")
    }
    assert sizes == {(3,)}
    starts = [node.all_start_micros for node in nodes]
    assert starts == sorted(starts)


@pytest.mark.parametrize("memory", [False, True])
def test_timelines_of_loops(program, memory):
    sess, x, total, gradient = program
    _, metadata = traced(sess, [total, gradient], {x: [1.0, 2.0]})
    text = Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=memory)
    events = json.loads(text)["traceEvents"]
    calls = [event for event in events if event["ph"] == "X"]
    assert len(calls) == sum(len(device.node_stats) for device in metadata.step_stats.dev_stats)
    for event in calls:
        assert event["dur"] >= 0
        assert {"name", "op"} <= set(event["args"])


def test_graphs_of_what_ran(program):
    sess, x, total, _ = program
    _, metadata = traced(sess, total, {x: [1.0]}, output_partition_graphs=True)
    (graph,) = metadata.partition_graphs
    types = {node.op for node in graph.node}
    assert {"Enter", "Merge", "Switch", "LoopCond", "NextIteration", "Exit", "Placeholder"} <= types
    assert not any(node.name.startswith("gradients") for node in graph.node)
    with tf.Graph().as_default(), tf.Session() as other:
        (again,) = tf.import_graph_def(graph, return_elements=[total.name], name="")
        np.testing.assert_allclose(other.run(again, {"x:0": [1.0]}), sess.run(total, {x: [1.0]}))


def test_printing_in_loops(capfd):
    with tf.Graph().as_default(), tf.Session() as sess:
        out = tf.while_loop(lambda i: i < 3, lambda i: tf.Print(i + 1, [i, i * 2], "step "), [0])
        assert sess.run(out) == 3
    assert capfd.readouterr().err.splitlines() == ["step [0][0]", "step [1][2]", "step [2][4]"]


def test_assertions_in_loops():
    with tf.Graph().as_default(), tf.Session() as sess:

        def body(i):
            with tf.control_dependencies([tf.Assert(i < 2, ["too large", i])]):
                return i + 1

        out = tf.while_loop(lambda i: i < 3, body, [0])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"too large\] \[2\][\s\S]*test_traces\.py"):
            sess.run(out)


def test_numeric_checks():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.log(x, name="y")
        checks = tf.add_check_numerics_ops()
        sess.run([y, checks], {x: [1.0, 2.0]})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"y:0 : Tensor had Inf"):
            sess.run([y, checks], {x: [0.0, 2.0]})
        tf.while_loop(lambda v: v < 3.0, lambda v: v + 1.0, [0.0])
        with pytest.raises(ValueError, match="not compatible with TensorFlow control flow"):
            tf.add_check_numerics_ops()
