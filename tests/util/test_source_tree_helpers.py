"""Modules of 1.x's source tree that its tests import: frames, messages, side effects, dispatching, replaced names."""

from __future__ import annotations

import logging
import os
from unittest import mock

import headrace as tf
from headrace.core import error_interpolation
from headrace.core.stack_frames import CurrentModuleFilter, extract_stack
from headrace.graph_tools.subscribing import subscribe
from headrace.util import dispatching, tf_logging


def test_messages_name_the_lines_that_made_nodes() -> None:
    with tf.Graph().as_default() as graph:
        one = tf.constant(1, name="One")
        with tf.device("/cpu:0"), tf.colocate_with(one.op):
            tf.constant(2, name="Two")
        with tf.device("/cpu:0"):
            tf.constant(3, name="Three")
        message = error_interpolation.interpolate("^{{node One}}^{{node None}}", graph)
        placed = error_interpolation.interpolate("{{colocation_node Three}}", graph)
    assert message.startswith("^node One (defined at ")
    assert message.endswith("^{{node None}}")
    assert "with tf.device(/cpu:0): <" in placed
    assert os.path.basename(__file__) in placed
    assert list(graph.get_operation_by_name("Two")._colocation_dict) == ["One"]


def test_frames_of_a_module_can_be_left_out() -> None:
    assert extract_stack()[-1].name == "test_frames_of_a_module_can_be_left_out"
    with CurrentModuleFilter():
        assert all(frame.filename != __file__ for frame in extract_stack())


def test_side_effects_run_with_what_takes_the_tensor() -> None:
    seen = []

    def note(tensor):
        return [tf.py_func(lambda value: seen.append(int(value)) or value, [tensor], tensor.dtype)]

    with tf.Graph().as_default(), tf.Session() as session:
        total = tf.add(1, 2)
        negative = tf.negative(total)
        copy = subscribe(total, note)
        assert subscribe(total, note) is copy
        assert session.run(negative) == -3
    assert seen == [3, 3]


def test_types_take_over() -> None:
    @dispatching.add_dispatch_support
    def double(x, name=None):
        return x * 2

    class Point:
        pass

    @dispatching.dispatch_for_types(double, Point)
    def double_point(x, name=None):
        return "two points"

    assert double(4) == 8
    assert double(Point()) == "two points"


def test_a_replaced_name_reaches_those_who_call_it() -> None:
    from headrace.python.platform import tf_logging as served

    with mock.patch.object(served, "warning") as warning:
        tf_logging.warning("hidden")
    warning.assert_called_once_with("hidden")
    assert tf_logging.warning is not warning
    assert logging.WARNING == served.WARN
