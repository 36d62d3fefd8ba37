"""Bodies traced on their own and moved between graphs, as TensorFlow 1.15.5 does it."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.core.func_graph import FuncGraph
from headrace.core.identity import ObjectIdentityDictionary
from headrace.state import function_bodies as bodies
from headrace.state.lifted_initial_values import UnliftableError


def test_arguments_and_results():
    v = tf.get_variable("v", [], use_resource=True)

    def body(a, b=3, k=None):
        v.assign_add(a)
        return {"r": v.read_value(), "b": b, "n": None, "k": k}

    graph = bodies.func_graph_from_py_func(
        "f", body, (tf.TensorSpec([], tf.float32),), {"k": tf.TensorSpec([], tf.int32, "kk")}
    )
    assert graph.name == "f"
    assert [t.op.name for t in graph.inputs][1] == "kk"
    assert [outer for outer, _ in graph.captures] == [v.handle]
    assert graph.structured_outputs["n"] is None
    assert [t.dtype for t in graph.outputs] == [tf.int32, tf.int32, tf.float32]
    assert graph.structured_input_signature[0] == (tf.TensorSpec([], tf.float32, "0"),)
    assert {op.type for op in graph.control_outputs} == {"AssignAddVariableOp", "ReadVariableOp"}


def test_given_shapes_and_signatures():
    spec = tf.TensorSpec([None, 2], tf.float32)
    graph = bodies.func_graph_from_py_func(
        "f", lambda x: x, (spec,), {}, override_flat_arg_shapes=[tf.TensorShape([3, 2])]
    )
    assert graph.inputs[0].shape.as_list() == [3, 2]
    graph = bodies.func_graph_from_py_func("f", lambda x, y: x, (), {}, signature=(spec, [spec]))
    assert len(graph.inputs) == 2
    with pytest.raises(ValueError, match="Passed both"):
        bodies.func_graph_from_py_func("f", lambda x: x, (), {}, signature=(spec,), override_flat_arg_shapes=[None])


def test_what_cannot_be_traced():
    with pytest.raises(TypeError, match="must return zero or more Tensors"):
        bodies.func_graph_from_py_func("f", object, (), {})

    def appends(items):
        items.append(1)
        return tf.constant(1.0)

    with pytest.raises(ValueError, match="should not modify structure"):
        bodies.func_graph_from_py_func("f", appends, ([tf.TensorSpec([], tf.float32)],), {})


def test_signatures_of_structures():
    made = bodies.convert_structure_to_signature(
        (tf.constant(1.0), [np.ones(2), None], tf.SparseTensor([[0]], [1], [2])), ["a", "b", "c"]
    )
    assert made[0] == tf.TensorSpec([], tf.float32, "a")
    assert isinstance(made[1][0], bodies.UnknownArgument)
    assert made[1][1] is None
    assert made[2] == tf.SparseTensorSpec([2], tf.int32)


def test_structures_with_arrays_of_tensors():
    array = tf.TensorArray(tf.float32, 1).write(0, 1.0)
    structure = [tf.constant(1.0), array]
    flat = bodies.flatten(structure)
    assert flat[1] is array.flow
    again = bodies.pack_sequence_as(structure, flat)
    assert again[0] is flat[0]
    assert again[1].flow is array.flow


def _chain():
    with tf.Graph().as_default():
        p = tf.placeholder(tf.float32, [], name="p")
        y = tf.multiply(p, tf.constant(2.0, name="c"), name="y")
        return p, y, tf.add(y, 1.0, name="z")


def test_lifting_stops_at_sources():
    p, y, z = _chain()
    target = tf.Graph()
    copied = bodies.lift_to_graph([z], target, sources=[y])
    with tf.Session(graph=target) as sess:
        assert sess.run(copied[z], {copied[y]: 4.0}) == 5.0
    assert copied[z].op is copied[z.op]
    assert copied[y].op.type == "Placeholder"
    whole = bodies.lift_to_graph([z.op], FuncGraph("g"), sources=[p], add_sources=True)
    assert whole[z].graph.inputs == [whole[p]]


def test_lifting_goes_on_from_what_is_copied():
    _, y, z = _chain()
    with tf.Graph().as_default() as target:
        w = tf.constant(7.0, name="w")
    known = ObjectIdentityDictionary()
    known[y] = w
    copied = bodies.lift_to_graph([z], target, op_map=known)
    with tf.Session(graph=target) as sess:
        assert sess.run(copied[z]) == 8.0


def test_what_cannot_be_lifted():
    p, _, z = _chain()
    with pytest.raises(UnliftableError, match=r"z \(Add\w*\) <- y \(Mul\) <- p \(Placeholder\)"):
        bodies.lift_to_graph([z], tf.Graph())
    with pytest.raises(UnliftableError, match="depends transitively on placeholder"):
        bodies.lift_to_graph([z], tf.Graph(), disallowed_placeholders={p.op})


def test_lifting_loops_and_what_is_captured():
    with tf.Graph().as_default():
        total = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), [0, 0])[1]
    target = tf.Graph()
    copied = bodies.lift_to_graph([total], target)
    with tf.Session(graph=target) as sess:
        assert sess.run(copied[total]) == 6
    v = tf.get_variable("v", [], use_resource=True)
    body = bodies.func_graph_from_py_func("f", lambda: v + 1.0, (), {})
    into = FuncGraph("g")
    lifted = bodies.lift_to_graph(body.outputs, into, add_sources=True, handle_captures=True)
    assert lifted[body.outputs[0]].graph is into
    assert into.external_captures == [v.handle]
