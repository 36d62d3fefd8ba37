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


def test_sizes_of_states_of_generators():
    from headrace.python.ops import stateful_random_ops

    assert (stateful_random_ops.PHILOX_STATE_SIZE, stateful_random_ops.THREEFRY_STATE_SIZE) == (3, 2)
    assert (stateful_random_ops.SEED_MIN, stateful_random_ops.SEED_MAX) == (-(2**63), 2**63 - 1)
    assert stateful_random_ops.SEED_UINT_SPAN == 2**64
    assert tf.as_dtype(stateful_random_ops.STATE_TYPE) is tf.int64


def test_summaries_are_collected_by_default_where_they_are_told_to():
    from headrace.python.ops import summary_op_util

    with tf.Graph().as_default() as graph:
        made = tf.constant("")
        assert summary_op_util.collect(made, None, ["by default"]) is made
        summary_op_util.collect(val=made, collections=["asked for"], default_collections=["by default"])
        assert [graph.get_collection(name) for name in ("by default", "asked for")] == [[made], [made]]


def test_helpers_of_heads_take_arguments_by_the_names_of_1_15():
    from headrace.python.estimator.head import base_head

    with tf.Graph().as_default(), tf.Session() as sess:
        logits = base_head.check_logits_final_dim(tf.constant([[1.0, 2.0]]), expected_logits_dimension=2)
        labels = base_head.check_dense_labels_match_logits_and_reshape(
            labels=tf.constant([[3.0, 4.0]]), logits=logits, expected_labels_dimension=2
        )
        weights = base_head.get_weights_and_check_match_logits(
            features={"w": tf.constant([[0.5, 2.0]])}, weight_column="w", logits=logits, allow_per_logit_weights=True
        )
        losses = base_head.call_loss_fn(
            loss_fn=lambda labels, logits: labels - logits,
            labels=labels,
            logits=logits,
            features={},
            expected_loss_dim=2,
        )
        assert sess.run(losses * weights).tolist() == [[1.0, 4.0]]
    base_head.validate_loss_reduction(loss_reduction="sum")
    with pytest.raises(ValueError, match="Prediction key"):
        base_head.check_prediction_keys(pred_keys=["a"], valid_keys=["b"])
