"""The functions of 1.x's generated modules, and `tf.raw_ops`."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import headrace as tf
from headrace.api import gen_ops


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("conv2d", "input filter strides padding use_cudnn_on_gpu explicit_paddings data_format dilations name"),
        ("var_handle_op", "dtype shape container shared_name name"),
        ("random_uniform", "shape dtype seed seed2 name"),
        ("_sum", "input axis keep_dims name"),
        ("split", "axis value num_split name"),
        ("Any", "input axis keep_dims name"),
        ("select", "condition x y name"),
        ("hash_table_v2", "key_dtype value_dtype container shared_name use_node_name_sharing name"),
    ],
)
def test_arguments_are_those_of_tensorflow_in_its_order(name, parameters):
    assert list(inspect.signature(getattr(gen_ops, name)).parameters) == parameters.split()


def test_positional_arguments_go_where_tensorflow_puts_them(graph_session):
    x = np.ones([1, 4, 4, 1], np.float32)
    convolved = gen_ops.conv2d(x, np.ones([2, 2, 1, 1], np.float32), [1, 2, 2, 1], "VALID", True, [], "NHWC")
    summed = gen_ops._sum(x, [1, 2], True, "total")
    assert summed.op.name == "total"
    first, second = graph_session.run([convolved, summed])
    assert first.tolist() == [[[[4.0], [4.0]], [[4.0], [4.0]]]]
    assert second.tolist() == [[[[16.0]]]]


def test_raw_ops_take_keywords_by_tensorflow_names(graph_session):
    found = tf.raw_ops.Max(input=[[1, 3], [2, 0]], axis=1, name="largest")
    assert found.op.name == "largest"
    assert graph_session.run(found).tolist() == [3, 2]
    with pytest.raises(TypeError, match="only takes keyword args"):
        tf.raw_ops.Max([1, 3], 0)
    with pytest.raises(AttributeError, match="no attribute 'NoSuchOp'"):
        tf.raw_ops.NoSuchOp  # noqa: B018


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        (([1, 2], 0, False, "x", 1), {}, "takes 4 arguments"),
        (([1, 2], 0), {"axis": 0}, "two values for its argument 'axis'"),
        (([1, 2], 0), {"window": 0}, "no argument 'window'"),
        (([1, 2],), {}, "misses its input"),
    ],
)
def test_wrong_arguments_are_type_errors(arguments, keywords, message):
    with tf.Graph().as_default(), pytest.raises(TypeError, match=message):
        gen_ops.sum(*arguments, **keywords)


@pytest.fixture
def graph_session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session
