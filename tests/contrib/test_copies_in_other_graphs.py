"""Variables and operations of one graph, copied to another with what they are computed from."""

import numpy as np
import pytest

import headrace as tf

copies = tf.contrib.copy_graph


@pytest.fixture
def graphs():
    source = tf.Graph()
    with source.as_default():
        weights = tf.Variable([1.0, 2.0], name="weights")
        hidden = tf.Variable(5.0, trainable=False, name="hidden", collections=["mine", tf.GraphKeys.GLOBAL_VARIABLES])
        ready = tf.group(weights.initializer, name="ready")
        with tf.device("/cpu:0"), tf.control_dependencies([ready]):
            total = tf.reduce_sum(tf.identity(weights * 2.0, name="twice"), name="total")
        tf.add_to_collection("shown", total)
        tf.add_to_collection("shown", weights)
    return source, weights, hidden, total


def test_a_copied_variable_starts_where_the_original_starts(graphs):
    _, weights, hidden, _ = graphs
    there = tf.Graph()
    copied = copies.copy_variable_to_graph(weights, there)
    assert copied.graph is there
    assert copied.name == "weights:0"
    assert copied.shape.ndims is None
    assert [op.name for op in there.get_operations()] == [
        "weights/initial_value",
        "weights",
        "weights/Assign",
        "weights/read",
    ]
    other = copies.copy_variable_to_graph(hidden, there, scope="in")
    assert other.name == "in/hidden:0"
    assert other not in there.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)
    assert there.get_collection("in/mine") == [other]
    assert there.get_collection("shown") == [copied]
    with tf.Session(graph=there) as sess:
        sess.run([copied.initializer, other.initializer])
        values = sess.run([copied, other])
    np.testing.assert_array_equal(values[0], [1.0, 2.0])
    assert values[1] == 5.0


def test_an_operation_comes_with_its_inputs_controls_and_device(graphs):
    _, weights, _, total = graphs
    there = tf.Graph()
    copied = copies.copy_variable_to_graph(weights, there, scope="new")
    with there.as_default(), tf.name_scope("open"), tf.device("/gpu:3"):
        result = copies.copy_op_to_graph(total, there, [copied], scope="new")
    assert result.name == "new/total:0"
    assert result.op.device == "/device:CPU:0"
    assert there.get_collection("new/shown") == [copied, result]
    controls = {op.name: [c.name for c in op.control_inputs] for op in there.get_operations()}
    originals = {op.name: [c.name for c in op.control_inputs] for op in total.graph.get_operations()}
    assert all(controls[f"new/{name}"] == [f"new/{c}" for c in originals[name]] for name in ("ready", "twice", "total"))
    with tf.Session(graph=there) as sess:
        sess.run(copied.initializer)
        assert sess.run(result) == 6.0


def test_what_is_there_already_is_not_copied_again(graphs):
    _, weights, _, total = graphs
    there = tf.Graph()
    copied = copies.copy_variable_to_graph(weights, there)
    result = copies.copy_op_to_graph(total, there, [copied])
    count = len(there.get_operations())
    assert copies.copy_op_to_graph(total, there, [copied]) is result
    assert copies.copy_op_to_graph(total.op, there, [copied]) is result.op
    assert copies.copy_op_to_graph(weights, there, [copied]).name == "weights:0"
    assert copies.get_copied_op(total, there) is result
    assert copies.get_copied_op(total.op, there) is result.op
    assert len(there.get_operations()) == count


def test_a_placeholder_and_one_output_of_several():
    source, there = tf.Graph(), tf.Graph()
    with source.as_default():
        rows = tf.placeholder(tf.float32, [2, 3], name="rows")
        parts = tf.split(rows, 3, axis=1, name="parts")
    last = copies.copy_op_to_graph(parts[2], there, [])
    assert last.name == "parts:2"
    assert last.shape.as_list() == [2, 1]
    with tf.Session(graph=there) as sess:
        fed = copies.get_copied_op(rows, there)
        np.testing.assert_array_equal(sess.run(last, {fed: [[1, 2, 3], [4, 5, 6]]}), [[3], [6]])


def test_what_cannot_be_copied_is_told(graphs):
    _source, weights, _, total = graphs
    there = tf.Graph()
    with pytest.raises(TypeError, match="is not a Variable"):
        copies.copy_variable_to_graph(total, there)
    with pytest.raises(TypeError, match="Could not copy instance"):
        copies.copy_op_to_graph(weights, there, [])
    with pytest.raises(TypeError, match="needs to be a Graph"):
        copies.copy_op_to_graph(total, "there", [])
    with pytest.raises(KeyError, match="absent/total"):
        copies.get_copied_op(total, there, "absent")
    with pytest.raises(AttributeError):
        copies.copy_op_to_graph(3, there, [])
