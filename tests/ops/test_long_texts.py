"""Texts from files, as long as anybody likes: what looks for something in them looks at each byte a few times only.

With a time that grows with the square of the length these tests would take many minutes.
"""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.debug.cli.tensors import format_tensor, locate_tensor_element
from headrace.profiler.timeline import Timeline

LONG = 300_000


def refused(text, dtype):
    with (
        tf.Graph().as_default(),
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="could not correctly convert string"),
    ):
        session.run(tf.string_to_number(text, dtype))


@pytest.mark.parametrize(
    "text",
    ["1" * LONG + "x", "1." + "1" * LONG + "x", " " * LONG + "x", "0x" + "0" * LONG + "x", "1e" + "1" * LONG + "x"],
)
@pytest.mark.parametrize("dtype", [tf.float32, tf.int64])
def test_long_texts_that_are_no_numbers(text, dtype):
    refused(text, dtype)


@pytest.mark.parametrize(
    ("text", "number"),
    [("0" * 5000 + "7", 7), ("-" + "0" * 30 + "7", -7), ("0" * 5000, 0), (" 9223372036854775807 ", 2**63 - 1), ("1" * 5000, None),
     ("9223372036854775808", None), ("--1", None), ("-", None), ("", None)],
)  # fmt: skip
def test_whole_numbers_of_many_digits(text, number):
    if number is None:
        refused(text, tf.int64)
    else:
        with tf.Graph().as_default(), tf.Session() as session:
            assert session.run(tf.string_to_number(text, tf.int64)) == number


def test_hexadecimal_numbers_beyond_all_bounds():
    refused("0x" + "f" * 300, tf.float64)


@pytest.mark.parametrize("label", [" = " * LONG, " = (" * LONG, "(" * LONG, "a = b(" + "c)(" * LONG])
def test_long_labels_of_timelines(label):
    metadata = tf.RunMetadata()
    stats = metadata.step_stats.dev_stats.add(device="/job:localhost/replica:0/task:0/device:CPU:0")
    stats.node_stats.add(
        node_name="n", timeline_label=label, all_start_micros=1, op_end_rel_micros=1, all_end_rel_micros=1
    )
    assert Timeline(metadata.step_stats).generate_chrome_trace_format()


@pytest.mark.parametrize("name", ["gradients/" * (LONG // 10) + "x", "gradients/" + "a_grad/" * (LONG // 7)])
def test_long_names_of_operations_in_profiles(name):
    with tf.Graph().as_default() as graph:
        tf.no_op(name=name.rstrip("/"))
        options = (
            tf.profiler.ProfileOptionBuilder(tf.profiler.ProfileOptionBuilder.time_and_memory())
            .with_empty_output()
            .build()
        )
        assert tf.profiler.profile(graph, cmd="op", options=options) is not None


def test_labels_of_timelines():
    metadata = tf.RunMetadata()
    stats = metadata.step_stats.dev_stats.add(device="/job:localhost/replica:0/task:0/device:CPU:0")
    stats.node_stats.add(node_name="n", timeline_label="n = MatMul(a, b:1)", all_end_rel_micros=1)
    trace = Timeline(metadata.step_stats).generate_chrome_trace_format()
    assert '"op": "MatMul"' in trace
    assert '"input1": "b:1"' in trace


def test_long_texts_in_the_debugger():
    shown = format_tensor(np.array([b"1" * LONG + b"x"], object), "t:0")
    assert locate_tensor_element(shown, [0])[2:] == (None, None)
