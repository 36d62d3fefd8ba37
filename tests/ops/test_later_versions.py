"""Ops of TensorFlow 2, of rewritten graphs and of graphs before 1.0 that graphs in files hold."""

from __future__ import annotations

import json
import pathlib
import sys

import numpy as np
import pytest

import headrace as tf
from headrace.messages import protos

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from later_versions import GOLDEN, calls, plain


def test_answers_are_those_of_tensorflow_2():
    expected = json.loads(GOLDEN.read_text())["results"]
    with tf.Graph().as_default(), tf.Session() as session:
        found = {name: session.run(value) for name, value in calls(tf)}
    assert set(found) == set(expected)
    for name, wanted in expected.items():
        compare(name, plain(found[name] if not isinstance(found[name], tuple) else list(found[name])), wanted)


def compare(name, found, expected):
    if (
        isinstance(expected[0], list)
        and len(expected) == 2
        and not isinstance(expected[1][:1], str)
        and flat(expected[0])
    ):
        assert list(found[1]) == expected[1], name
        if expected[0] and isinstance(expected[0][0], float):
            np.testing.assert_allclose(found[0], expected[0], rtol=2e-6, atol=1e-6, err_msg=name)
        else:
            assert found[0] == expected[0], name
        return
    assert len(found) == len(expected), name
    for one, other in zip(found, expected, strict=True):
        compare(name, one, other)


def flat(values):
    return not any(isinstance(value, list) for value in values)


@pytest.mark.parametrize(
    ("old", "today", "inputs"),
    [
        ("BatchMatrixBandPart", "MatrixBandPart", [np.ones((2, 3, 3), np.float32), 1, 0]),
        ("BatchMatrixDiag", "MatrixDiag", [np.ones((2, 3), np.float32)]),
        ("BatchMatrixInverse", "MatrixInverse", [np.eye(3)[None] * 2]),
        ("BatchMatrixSolve", "MatrixSolve", [np.eye(3)[None] * 2, np.ones((1, 3, 2))]),
        ("BatchCholesky", "Cholesky", [np.eye(3)[None] * 4]),
        ("BatchFFT2D", "FFT2D", [np.ones((2, 4, 4), np.complex64)]),
    ],
)
def test_op_types_of_before_1_0_are_those_of_today(old, today, inputs):
    with tf.Graph().as_default(), tf.Session() as session:
        values = [tf.constant(x, tf.int64) if isinstance(x, int) else tf.constant(x) for x in inputs]
        found, wanted = session.run([_applied(old, values), _applied(today, values)])
        np.testing.assert_array_equal(found, wanted)


def _applied(op_type, values):
    from headrace.core.registry import raw

    return getattr(raw, op_type)(*values)


def test_eigenvalues_and_vectors_in_one_matrix():
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(_applied("BatchSelfAdjointEig", [tf.constant(np.diag([1.0, 2.0, 3.0])[None])]))
        assert found.shape == (1, 4, 3)
        np.testing.assert_allclose(found[0, 0], [1, 2, 3])


def test_what_stands_for_a_value_of_the_other_branch():
    graph_def = tf.GraphDef()
    node = graph_def.node.add(name="none", op="FakeParam")
    node.attr["dtype"].type = 1
    node.attr["shape"].shape.unknown_rank = True
    old = graph_def.node.add(name="fed", op="PlaceholderV2")
    old.attr["dtype"].type = 1
    old.attr["shape"].shape.dim.add(size=2)
    host = graph_def.node.add(name="host", op="HostConst")
    host.attr["dtype"].type = 3
    host.attr["value"].tensor.CopyFrom(tf.make_tensor_proto([4, 5], tf.int32))
    with tf.Graph().as_default(), tf.Session() as session:
        none, fed, value = tf.import_graph_def(graph_def, return_elements=["none:0", "fed:0", "host:0"])
        session.run(none)
        assert session.run([fed, value], {fed: [1.0, 2.0]})[1].tolist() == [4, 5]
        with pytest.raises(tf.errors.InvalidArgumentError, match="must feed"):
            session.run(fed)
    assert protos.GraphDef is tf.GraphDef


def test_the_state_of_a_generator_is_read_and_moved_on():
    with tf.Graph().as_default(), tf.Session() as session:
        from headrace.core.registry import raw

        state = tf.get_variable("state", initializer=tf.constant([7, 0, 9], tf.int64), use_resource=True)
        session.run(state.initializer)
        skip = raw.RngReadAndSkip(state.handle, 1, tf.constant(2, tf.uint64))
        assert session.run(skip).tolist() == [7, 0, 9]
        assert session.run(state).tolist() == [7 + 512, 0, 9]
