"""Traces of steps: valid JSON in the Trace Event Format, with every node, the edges between rows, and the memory."""

from __future__ import annotations

import json

import numpy as np
import pytest

import headrace as tf
from headrace.messages import protos
from headrace.profiler.timeline import Timeline


@pytest.fixture
def stats():
    x = tf.placeholder(tf.float32, [64, 32], name="x")
    w = tf.Variable(np.ones([32, 16], np.float32), name="w")
    first, second = tf.split(tf.matmul(x, w, name="product"), 2, axis=1, name="halves")
    y = tf.reduce_sum(tf.tanh(first) + second, name="total")
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(w.initializer)
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(y, {x: np.ones([64, 32])}, options=options, run_metadata=metadata)
    return metadata.step_stats


def test_every_node_is_a_region(stats):
    events = json.loads(Timeline(stats).generate_chrome_trace_format())["traceEvents"]
    regions = {event["args"]["name"]: event for event in events if event["ph"] == "X"}
    assert {"product", "halves", "total"} <= set(regions)
    product = regions["product"]
    assert (product["name"], product["args"]["op"], product["cat"]) == ("MatMul", "MatMul", "Op")
    assert product["args"]["input0"] == "x"
    assert product["dur"] > 0
    titles = [event["args"]["name"] for event in events if event["ph"] == "M"]
    assert titles[0] == "Allocators"
    assert any(title.endswith("CPU:0 Compute") for title in titles)


def test_memory_is_told_when_asked(stats):
    quiet = json.loads(Timeline(stats).generate_chrome_trace_format())["traceEvents"]
    assert not {"N", "O", "D", "C"} & {event["ph"] for event in quiet}
    analysis = Timeline(stats).analyze_step_stats(show_memory=True)
    events = json.loads(analysis.chrome_trace.format_to_string())["traceEvents"]
    assert {"N", "O", "D", "C"} <= {event["ph"] for event in events}
    assert analysis.allocator_maximums["cpu"].num_bytes >= 64 * 16 * 4
    assert "product" in analysis.allocator_maximums["cpu"].tensors


def test_arrows_lead_between_rows_only():
    stats = protos.StepStats()
    device = stats.dev_stats.add(device="/device:CPU:0")
    for name, label, start in (("a", "a = A()", 10), ("b", "b = B()", 15), ("c", "c = C(a, b, gone)", 40)):
        node = device.node_stats.add(
            node_name=name, timeline_label=label, all_start_micros=start, all_end_rel_micros=20
        )
        node.output.add(slot=0)
    events = json.loads(Timeline(stats).generate_chrome_trace_format())["traceEvents"]
    lanes = {event["args"]["name"]: event["tid"] for event in events if event["ph"] == "X"}
    # b begins while a is running, so it lies below; c begins when both are over.
    assert lanes == {"a": 0, "b": 1, "c": 0}
    arrows = [(event["ph"], event["name"], event["tid"]) for event in events if event["ph"] in "st"]
    assert arrows == [("s", "b", 1), ("t", "b", 0)]
    without = json.loads(Timeline(stats).generate_chrome_trace_format(show_dataflow=False))["traceEvents"]
    assert not [event for event in without if event["ph"] in "st"]
