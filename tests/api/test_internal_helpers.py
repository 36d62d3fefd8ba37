"""Helpers inside 1.15's modules of operations, by the names 1.15 has them under; values are those of 1.15.5."""

import pytest

import headrace as tf
from headrace.functions.image.quality import checks_of_pair
from headrace.functions.ragged.factory import default_inner_shape, depths_of


@pytest.mark.parametrize(
    ("pylist", "expected"),
    [(1, (0, 0)), ([], (None, 1)), ([[], [[]]], (None, 3)), ([[[]], [3]], (2, 3)), ([[], [1]], (2, 2)), ((1,), (1, 1))],
)
def test_depths_of_ragged_lists(pylist, expected):
    assert depths_of(pylist) == expected


def test_items_at_several_depths_are_refused():
    with pytest.raises(ValueError, match="all scalar values must have the same nesting depth"):
        depths_of([[1], [[2]]])


@pytest.mark.parametrize(
    ("pylist", "ragged_rank", "expected"),
    [([], 1, ()), ([[]], 0, (0,)), ([[[1], [2]], [[3]]], 1, (1,)), ([[], [[]], []], 1, (0,)), ([[1], [2, 3]], 1, ())],
)
def test_inner_shapes(pylist, ragged_rank, expected):
    assert default_inner_shape(pylist, ragged_rank) == expected


def test_pairs_of_images():
    with tf.Graph().as_default():
        first, second, checks = checks_of_pair(tf.ones([2, 4, 4, 3]), tf.ones([2, 4, 4, 3]))
        assert [first.shape.as_list(), second.shape.as_list()] == [[4], [4]]
        assert [check.type for check in checks] == ["Assert", "Assert"]
        with pytest.raises(ValueError, match="incompatible"):
            checks_of_pair(tf.ones([2, 4, 4, 3]), tf.ones([2, 4, 5, 3]))
        with pytest.raises(ValueError, match="rank at least 3"):
            checks_of_pair(tf.ones([4, 3]), tf.ones([4, 3]))
