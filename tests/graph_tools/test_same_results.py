"""What the tools make of a graph computes the same: frozen, stripped, with batch normalization folded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.graph_tools.optimizing import fold_batch_norms, optimize_for_inference
from headrace.graph_tools.stripping import strip_unused

drawn = settings(max_examples=10, deadline=None)


def evaluated(graph_def, image):
    """What the node `out` of a GraphDef says of an image fed to `image`."""
    with tf.Graph().as_default(), tf.Session() as session:
        (out,) = tf.import_graph_def(graph_def, return_elements=["out:0"], name="")
        return session.run(out, {"image:0": image})


def network(widths, normalized):
    """A convolutional network with weights drawn by numbers of its own: its frozen GraphDef."""
    random = np.random.RandomState(sum(widths))
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 6, 6, 2], "image")
        for width in widths:
            filters = tf.Variable(random.normal(size=(3, 3, x.shape[-1].value, width)).astype(np.float32))
            x = tf.nn.conv2d(x, filters, [1, 1, 1, 1], "SAME")
            if normalized:
                mean, variance, scale, offset = random.uniform(0.5, 1.5, (4, width)).astype(np.float32)
                x = tf.nn.batch_norm_with_global_normalization(x, mean, variance, offset, scale, 1e-3, True)
            x = tf.nn.relu(x)
        tf.identity(x, "out")
        session.run(tf.global_variables_initializer())
        return tf.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["out"]), graph


IMAGE = np.random.RandomState(1).normal(size=(2, 6, 6, 2)).astype(np.float32)
WIDTHS = st.lists(st.integers(1, 4), min_size=1, max_size=3)


@drawn
@given(widths=WIDTHS)
def test_folded_normalization_changes_no_result_and_leaves_no_normalization(widths):
    frozen, _ = network(widths, normalized=True)
    folded = fold_batch_norms(optimize_for_inference(frozen, ["image"], ["out"], tf.float32.as_datatype_enum))
    assert "BatchNormWithGlobalNormalization" not in {node.op for node in folded.node}
    np.testing.assert_allclose(evaluated(folded, IMAGE), evaluated(frozen, IMAGE), rtol=1e-4, atol=1e-5)


@drawn
@given(widths=WIDTHS)
def test_a_frozen_graph_has_no_variables(widths):
    frozen, graph = network(widths, normalized=False)
    assert {"VariableV2", "VarHandleOp", "Assign"} & {node.op for node in graph.as_graph_def().node}
    assert not {"VariableV2", "VarHandleOp", "Assign"} & {node.op for node in frozen.node}
    assert np.isfinite(evaluated(frozen, IMAGE)).all()


def test_what_outputs_do_not_need_is_stripped():
    frozen, _ = network([2], normalized=False)
    names = {node.name for node in frozen.node}
    with tf.Graph().as_default() as larger:
        tf.import_graph_def(frozen, name="")
        tf.square(larger.get_tensor_by_name("out:0"), name="unused")
    stripped = strip_unused(larger.as_graph_def(), ["image"], ["out"], tf.float32.as_datatype_enum)
    assert {node.name for node in stripped.node} == names
    np.testing.assert_array_equal(evaluated(stripped, IMAGE), evaluated(frozen, IMAGE))


def test_nodes_for_training_are_removed():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], "image")
        tf.identity(tf.identity(tf.identity(x * 2, "between")) + 1, "out")
    slim = tf.graph_util.remove_training_nodes(graph.as_graph_def(), protected_nodes=["out"])
    assert [node.name for node in slim.node if node.op == "Identity"] == ["out"]
    np.testing.assert_array_equal(evaluated(slim, np.float32([1, 2])), [3, 5])


def test_names_that_are_not_there_are_refused():
    frozen, _ = network([1], normalized=False)
    with pytest.raises(AssertionError, match="nowhere is not in graph"):
        tf.graph_util.extract_sub_graph(frozen, ["nowhere"])
