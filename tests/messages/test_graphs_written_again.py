"""A graph that is written a second time says what it says then, whatever has happened to it in between."""

from __future__ import annotations

import threading

import pytest

import headrace as tf


def build():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.identity(x, name="y")
    tf.placeholder(tf.float32, name="given")
    return x, y, tf.add(y, 1.0, name="z")


def add_an_operation(x, y, z):
    tf.negative(z, name="more")


def know_more_of_a_shape(x, y, z):
    y.set_shape([5, 3])


def learn_a_shape_from_a_gradient(x, y, z):
    given = tf.get_default_graph().get_tensor_by_name("given:0")
    (gradient,) = tf.gradients(y, x, grad_ys=[given])
    assert gradient.shape.as_list() == [None, 3]


def set_an_attribute(x, y, z):
    z.op._set_attr("_mark", tf.AttrValue(s=b"here"))


def take_another_input(x, y, z):
    z.op._update_input(0, x)


def wait_for_another(x, y, z):
    z.op._add_control_input(x.op)


def move_to_a_device(x, y, z):
    z.op._set_device("/cpu:1")


def call_a_function(x, y, z):
    tf.map_fn(tf.square, z, name="each")
    tf.data.Dataset.range(3).map(lambda i: i + 1).make_one_shot_iterator().get_next()


CHANGES = [
    add_an_operation,
    know_more_of_a_shape,
    learn_a_shape_from_a_gradient,
    set_an_attribute,
    take_another_input,
    wait_for_another,
    move_to_a_device,
    call_a_function,
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("add_shapes", [False, True])
def test_a_change_is_written(change, add_shapes):
    graph = tf.get_default_graph()
    tensors = build()
    before = graph.as_graph_def(add_shapes=add_shapes)
    change(*tensors)
    graph.as_graph_def(add_shapes=not add_shapes)
    after = graph.as_graph_def(add_shapes=add_shapes)
    assert (after != before) or (not add_shapes and "shape" in change.__name__)
    assert {node.name: node for node in after.node} == {
        op.name: written(op, add_shapes) for op in graph.get_operations()
    }


def written(op, add_shapes):
    node = op.node_def
    controls = sorted(name for name in node.input if name.startswith("^"))
    data = [name for name in node.input if not name.startswith("^")]
    del node.input[:]
    node.input.extend(data + controls)
    if add_shapes and op.outputs:
        node.attr["_output_shapes"].list.shape.extend(tensor.shape.as_proto() for tensor in op.outputs)
    return node


def test_what_is_returned_belongs_to_the_caller():
    graph = tf.get_default_graph()
    build()
    first = graph.as_graph_def()
    first.node[0].name = "another"
    first.versions.producer = 3
    again = graph.as_graph_def()
    assert again.node[0].name == "x"
    assert again.versions.producer == graph.graph_def_versions.producer


def test_threads_that_write_a_growing_graph_find_it_whole():
    graph = tf.get_default_graph()
    x, _, _ = build()
    stop = threading.Event()
    wrong = []

    def write():
        while not stop.is_set():
            names = [node.name for node in graph.as_graph_def().node]
            if len(set(names)) < len(names) or names[:3] != ["x", "y", "given"]:
                wrong.append(names)

    threads = [threading.Thread(target=write) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        tf.identity(x)
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong
    assert len(graph.as_graph_def().node) == len(graph.get_operations())
