"""What a value depends on, as `op_selector` finds it."""

from __future__ import annotations

from collections import defaultdict

import pytest

import headrace as tf
from headrace.contrib.graph_editor.lifting import UnliftableError, graph_inputs, is_differentiable, map_subgraph
from headrace.contrib.graph_editor.select import get_backward_walk_ops


def _made() -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    one = tf.constant(1.0, name="one")
    fed = tf.placeholder(tf.float32, [], name="fed")
    return one, fed, tf.add(tf.negative(one, name="minus"), fed, name="sum")


def test_consumers_and_placeholders_are_noted() -> None:
    with tf.Graph().as_default():
        one, fed, total = _made()
        visited, outputs = set(), defaultdict(set)
        assert map_subgraph(total, set(), None, visited, outputs, add_sources=True) == {fed}
        assert {op.name for op in visited} == {"one", "fed", "minus", "sum"}
        assert {op.name: {user.name for user in users} for op, users in outputs.items()} == {
            "one": {"minus"}, "minus": {"sum"}, "fed": {"sum"},
        }  # fmt: skip
        visited = set()
        assert map_subgraph(total, {fed.op, one.op}, None, visited, outputs, add_sources=False) == set()
        assert {op.name for op in visited} == {"minus", "sum"}


def test_a_refused_placeholder_is_told_with_a_way_to_it() -> None:
    with tf.Graph().as_default():
        one, fed, total = _made()
        with pytest.raises(UnliftableError, match=r"placeholder .*'fed'.* sum \(Add\) <- fed \(Placeholder\)"):
            map_subgraph(total, set(), None, set(), defaultdict(set), add_sources=False)
        with pytest.raises(UnliftableError, match=r"sum \(Add\) <- minus \(Neg\) <- one \(Const\)"):
            map_subgraph(total, set(), {one.op}, set(), defaultdict(set), add_sources=True)
        # Those that are named are the only ones refused.
        assert map_subgraph(total, set(), set(), set(), defaultdict(set), add_sources=False) == {fed}


def test_walks_end_where_no_gradient_goes_on() -> None:
    with tf.Graph().as_default():
        one, _, _ = _made()
        shape = tf.shape(one, name="shape")
        with tf.control_dependencies([one.op]):
            end = tf.cast(shape, tf.float32, name="end")
        assert [op.name for op in graph_inputs(end.op)] == ["shape", "one"]
        assert (is_differentiable(end.op), is_differentiable(shape.op)) == (True, False)
        walked = get_backward_walk_ops(end.op, only_differentiable=True)
        assert {op.name for op in walked} == {"end", "shape"}
