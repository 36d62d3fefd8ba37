"""Graphs whose functions, datasets and loops say one type and hold another: refused, before anything takes them for it."""

from __future__ import annotations

import pathlib
import sys

import numpy as np
import pytest

import headrace as tf
from headrace.api.op_index import declare_all
from headrace.messages import protos

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from hostile_graphs import FLOAT, calling

declare_all()
DOUBLE, INT, LONG, VARIANT = 2, 3, 9, 21


def written(build):
    """The GraphDef that a program makes, with functions for its branches and loops."""
    tf.enable_control_flow_v2()
    try:
        with tf.Graph().as_default() as graph:
            build()
            return graph.as_graph_def()
    finally:
        tf.disable_control_flow_v2()


def run(graph_def, fetch="y:0"):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(tf.import_graph_def(graph_def, return_elements=[fetch], name=""))[0]


def functions_of(graph_def, **calls):
    """The functions that a node of some type calls, by attribute."""
    (op_type, attrs), *_ = calls.items()
    (node,) = [node for node in graph_def.node if node.op == op_type]
    library = {made.signature.name: made for made in graph_def.library.function}
    return [library[node.attr[name].func.name] for name in attrs.split()]


def exchange(one, other):
    one.signature.name, other.signature.name = other.signature.name, one.signature.name


def test_functions_return_what_their_signatures_say():
    graph_def = calling("F")
    graph_def.library.function[0].signature.output_arg[0].type = DOUBLE
    with tf.Graph().as_default(), pytest.raises(ValueError, match="of type float32; its signature says float64"):
        tf.import_graph_def(graph_def)


# ---- branches and loops ----


def branches(other):
    graph_def = written(lambda: tf.identity(tf.cond(tf.constant(1.0) > 0, lambda: 1.0, lambda: 2.0), "y"))
    (then,) = functions_of(graph_def, **{kind(graph_def, "If"): "then_branch"})
    made = graph_def.library.function.add()
    made.signature.name = "other"
    for i, each in enumerate(other):
        node = made.node_def.add(name=f"n{i}", op="Const")
        node.attr["dtype"].type = each
        node.attr["value"].tensor.dtype = each
        node.attr["value"].tensor.tensor_shape.SetInParent()
        made.signature.output_arg.add(name=f"o{i}", type=each)
        made.ret[f"o{i}"] = f"n{i}:output:0"
    for node in graph_def.node:
        if node.op == kind(graph_def, "If"):
            node.attr["then_branch"].func.name = "other"
    assert then is not made
    return graph_def


def kind(graph_def, op_type):
    return next(node.op for node in graph_def.node if node.op in (op_type, f"Stateless{op_type}"))


@pytest.mark.parametrize("other", [[DOUBLE], [VARIANT], [7], [FLOAT, FLOAT], []])
def test_branches_give_what_is_declared(other):
    graph_def = branches(other)
    with pytest.raises((tf.errors.InternalError, tf.errors.InvalidArgumentError, ValueError)):
        run(graph_def)


def counted():
    x = tf.constant(1.5)
    tf.identity(tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * x), [0, x])[1], "y")


def test_loops_with_condition_and_body_exchanged():
    graph_def = written(counted)
    exchange(*functions_of(graph_def, **{kind(graph_def, "While"): "cond body"}))
    with pytest.raises((tf.errors.InternalError, tf.errors.InvalidArgumentError)):
        run(graph_def)


def test_loops_of_other_types_than_their_bodies():
    graph_def = written(counted)
    (body,) = functions_of(graph_def, **{kind(graph_def, "While"): "body"})
    for message in (*body.signature.input_arg, *body.signature.output_arg):
        message.type = {FLOAT: DOUBLE}.get(message.type, message.type)
    for node in body.node_def:
        for value in node.attr.values():
            if value.type == FLOAT:
                value.type = DOUBLE
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        run(graph_def)


def test_the_gradient_of_a_loop_whose_body_is_another():
    graph_def = written(counted)
    loop = next(node for node in graph_def.node if node.op in ("While", "StatelessWhile"))
    with tf.Graph().as_default() as graph:
        made = graph_def.library.function.add()
        made.signature.name = "other"
        made.signature.input_arg.add(name="x", type=FLOAT)
        made.signature.output_arg.add(name="o", type=FLOAT)
        made.ret["o"] = "x"
        loop.attr["body"].func.name = "other"
        loop.attr["_num_original_outputs"].i = len(loop.attr["T"].list.type)
        tf.import_graph_def(graph_def, name="")
        op = graph.get_operation_by_name(loop.name)
        place = [tensor.dtype for tensor in op.inputs].index(tf.float32)
        with pytest.raises(ValueError, match="its body, function other, does not take or give what goes round"):
            tf.gradients(op.outputs[place], op.inputs[place])


def test_a_merge_of_what_only_comes_back():
    with tf.Graph().as_default() as graph:
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)])
        graph_def = graph.as_graph_def()
    merge = next(node for node in graph_def.node if node.op == "Merge")
    back = next(node.name for node in graph_def.node if node.op == "NextIteration")
    merge.input[:] = [back, back]
    with tf.Graph().as_default(), pytest.raises(ValueError, match="none of its inputs comes from outside"):
        tf.import_graph_def(graph_def)


# ---- datasets ----


def dataset(make):
    def build():
        made = make(tf.data.Dataset)
        tf.identity(tf.data.make_one_shot_iterator(made).get_next(), "y")

    return written(build)


def mapped(kind):
    return kind.from_tensor_slices(np.arange(6, dtype=np.float32).reshape(2, 3)).map(lambda x: tf.tanh(x * x + x))


@pytest.mark.parametrize("other", [DOUBLE, 19])
def test_functions_of_datasets_take_elements_of_their_types(other):
    """Compiled code would take the numbers of one type for those of the other."""
    graph_def = dataset(mapped)
    assert run(graph_def).shape == (3,)
    (made,) = [each for each in graph_def.library.function if any(node.op == "Tanh" for node in each.node_def)]
    for message in (*made.signature.input_arg, *made.signature.output_arg):
        message.type = other
    for node in made.node_def:
        node.attr["T"].type = other
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expects arg.0. to be .* but float"):
        run(graph_def)


def test_elements_are_of_the_types_that_iterators_declare():
    graph_def = dataset(mapped)
    for node in graph_def.node:
        if node.op in ("OneShotIterator", "IteratorGetNext"):
            node.attr["output_types"].list.type[:] = [INT]
        elif node.name == "y":
            node.attr["T"].type = INT
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected int32 but got float"):
        run(graph_def)


def test_one_iterator_of_two_types():
    graph_def = dataset(mapped)
    for node in graph_def.node:
        if node.op == "IteratorGetNext":
            node.attr["output_types"].list.type[:] = [INT]
        elif node.name == "y":
            node.attr["T"].type = INT
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected int32 but got float"):
        run(graph_def)


@pytest.mark.parametrize("op", ["SkipDataset", "RepeatDataset", "PrefetchDataset"])
def test_what_is_no_dataset_is_none(op):
    graph_def = protos.GraphDef()
    count = graph_def.node.add(name="count", op="Const")
    count.attr["dtype"].type = count.attr["value"].tensor.dtype = LONG
    count.attr["value"].tensor.tensor_shape.SetInParent()
    graph_def.node.add(name="none", op="OptionalNone")
    node = graph_def.node.add(name="d", op=op, input=["none", "count"])
    last = graph_def.node.add(name="y", op="DatasetToSingleElement", input=["d"])
    for each in (node, last):
        each.attr["output_types"].list.type.append(LONG)
        each.attr["output_shapes"].list.shape.add()
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a Dataset object"):
        run(graph_def)


def test_handles_of_another_kind():
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(2, [tf.float32], [[]])
        table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
        tf.identity(queue.dequeue(), "y")
        graph_def = graph.as_graph_def()
    taking = next(node for node in graph_def.node if node.op == "QueueDequeueV2")
    taking.input[0] = table.resource_handle.op.name
    with pytest.raises(tf.errors.InvalidArgumentError, match="wrong type"):
        run(graph_def)


# ---- shapes of features ----


@pytest.mark.parametrize("sizes", [None, [-1], [2, -1]])
def test_features_of_unknown_sizes(sizes):
    with tf.Graph().as_default() as graph:
        context, _ = tf.io.parse_single_sequence_example(
            tf.constant(b""), {"c": tf.io.FixedLenFeature([2], tf.float32, [0.0, 0.0])}
        )
        tf.identity(context["c"], "y")
        graph_def = graph.as_graph_def()
    node = next(node for node in graph_def.node if "SequenceExample" in node.op)
    (shape,) = node.attr["context_dense_shapes"].list.shape
    shape.Clear()
    shape.unknown_rank = sizes is None
    for size in sizes or []:
        shape.dim.add(size=size)
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown rank or unknown inner dimensions"):
        run(graph_def)


@pytest.mark.parametrize("left", [0, 2])
def test_more_or_fewer_shapes_than_keys(left):
    with tf.Graph().as_default() as graph:
        found = tf.io.parse_example(tf.constant([b""]), {"c": tf.io.FixedLenFeature([], tf.float32, 0.0)})
        tf.identity(found["c"], "y")
        graph_def = graph.as_graph_def()
    node = next(node for node in graph_def.node if node.op == "ParseExample")
    shapes = node.attr["dense_shapes"].list.shape
    del shapes[:]
    for _ in range(left):
        shapes.add()
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        run(graph_def)
