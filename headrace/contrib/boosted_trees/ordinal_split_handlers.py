"""What finds the thresholds of features of numbers: quantiles of one round are the buckets of the next one's sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.boosted_trees.quantile_accumulator import QuantileAccumulator
from headrace.contrib.boosted_trees.scheduled_ops import ScheduledOp
from headrace.contrib.boosted_trees.split_handler import BIAS_ID, BaseSplitHandler, Splits, after
from headrace.core.composite import SparseTensor
from headrace.core.dtypes import float32, int32, int64
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.kernels.composing.filling import zeros
from headrace.messages.boosted_tree_protos import LearnerConfig
from headrace.ops.array.constant import constant
from headrace.ops.array.gather import gather
from headrace.ops.array.join import concat

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import TensorLike

NORMAL = LearnerConfig.NORMAL_DECISION_TREE


class InequalitySplitHandler(BaseSplitHandler):
    """What finds the thresholds of a feature column of numbers.

    Args:
        l1_regularization, l2_regularization: penalties on the size of leaves.
        tree_complexity_regularization: the penalty on each split.
        min_node_weight: the least Hessian of a leaf.
        feature_column_group_id: the number of the column among those of its kind.
        epsilon: by how much the ranks of quantiles may be wrong, as a share of the weight.
        num_quantiles: how many buckets.
        gradient_shape: the shape of one gradient.
        hessian_shape: the shape of one Hessian.
        multiclass_strategy: a number of `LearnerConfig.MultiClassStrategy`.
        init_stamp_token: the stamp of the first round.
        loss_uses_sum_reduction: whether the loss is a sum over the batch.
        weak_learner_type: a number of `LearnerConfig.WeakLearnerType`.
        name: a name for its operations.
    """

    def __init__(
        self,
        l1_regularization: TensorLike,
        l2_regularization: TensorLike,
        tree_complexity_regularization: TensorLike,
        min_node_weight: TensorLike,
        feature_column_group_id: TensorLike,
        epsilon: float,
        num_quantiles: int,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: TensorLike,
        init_stamp_token: TensorLike = 0,
        loss_uses_sum_reduction: TensorLike = False,
        weak_learner_type: int = NORMAL,
        name: str | None = None,
    ) -> None:
        super().__init__(
            l1_regularization,
            l2_regularization,
            tree_complexity_regularization,
            min_node_weight,
            feature_column_group_id,
            gradient_shape,
            hessian_shape,
            multiclass_strategy,
            loss_uses_sum_reduction,
            name,
        )
        self._weak_learner_type = weak_learner_type
        self._quantile_accumulator = QuantileAccumulator(
            init_stamp_token, epsilon, num_quantiles, name=f"QuantileAccumulator/{self._name}"
        )

    def scheduled_reads(self) -> list[ScheduledOp]:
        return [self._quantile_accumulator.schedule_get_buckets()]

    def reset(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> list[Any]:
        flushed = super().reset(stamp_token, next_stamp_token)
        emptied = raw.QuantileAccumulatorDeserialize(
            self._quantile_accumulator.resource_handle, next_stamp_token, b"", False, zeros([0], float32)
        )
        return [*flushed, emptied]

    def _scheduled(
        self, column: Tensor | SparseTensor, rows: Sequence[Tensor], weights: Tensor, is_active: Tensor
    ) -> list[ScheduledOp]:
        """The ops that add a batch's sums, and its quantiles if the column is active in the next round."""
        if isinstance(column, SparseTensor):
            indices, values = cond(
                is_active[1], lambda: [column.indices, column.values], lambda: [column.indices[:0], column.values[:0]]
            )
            kept: Any = SparseTensor(indices, values, column.dense_shape)
        else:
            kept = cond(is_active[1], lambda: raw.Identity(column), lambda: column[:0])
            weights = cond(is_active[1], lambda: raw.Identity(weights), lambda: weights[:0])
        return [
            self._quantile_accumulator.schedule_add_summary(None, kept, weights),
            self._stats_accumulator.schedule_add(*rows),
        ]

    def _candidates(self, stamp_token: TensorLike, next_stamp_token: TensorLike, make: Any) -> Splits:
        """What `make` finds in the sums of the round, if there were boundaries of buckets in it."""
        ready, buckets = self._quantile_accumulator.get_buckets(stamp_token)
        flush = self._quantile_accumulator.flush(after([ready], stamp_token), next_stamp_token)
        batches, *sums = self._flushed_sums(stamp_token, next_stamp_token)
        found = cond(ready, lambda: list(make(batches, buckets, *sums)), self._no_splits)
        return Splits(after([flush], ready), *found)

    def _penalties(self) -> dict[str, TensorLike]:
        return {
            "l1_regularization": self._l1_regularization,
            "l2_regularization": self._l2_regularization,
            "tree_complexity_regularization": self._tree_complexity_regularization,
            "min_node_weight": self._min_node_weight,
            "multiclass_strategy": self._multiclass_strategy,
        }


class DenseSplitHandler(InequalitySplitHandler):
    """What finds the thresholds of a feature that all examples have; see `InequalitySplitHandler`.

    Args:
        l1_regularization, l2_regularization, tree_complexity_regularization, min_node_weight, feature_column_group_id,
            epsilon, num_quantiles: as there.
        dense_float_column: the values, of shape [examples, 1].
        init_stamp_token, gradient_shape, hessian_shape, multiclass_strategy, weak_learner_type, loss_uses_sum_reduction,
            name: as there.
    """

    def __init__(
        self,
        l1_regularization: TensorLike,
        l2_regularization: TensorLike,
        tree_complexity_regularization: TensorLike,
        min_node_weight: TensorLike,
        feature_column_group_id: TensorLike,
        epsilon: float,
        num_quantiles: int,
        dense_float_column: Tensor,
        init_stamp_token: TensorLike,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: TensorLike,
        weak_learner_type: int = NORMAL,
        loss_uses_sum_reduction: TensorLike = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            l1_regularization,
            l2_regularization,
            tree_complexity_regularization,
            min_node_weight,
            feature_column_group_id,
            epsilon,
            num_quantiles,
            gradient_shape,
            hessian_shape,
            multiclass_strategy,
            init_stamp_token,
            loss_uses_sum_reduction,
            weak_learner_type,
            name,
        )
        self._dense_float_column = dense_float_column

    def update_stats(
        self,
        stamp_token: TensorLike,
        example_partition_ids: Tensor,
        gradients: Tensor,
        hessians: Tensor,
        empty_gradients: Tensor,
        empty_hessians: Tensor,
        weights: Tensor,
        is_active: Tensor,
        scheduled_reads: Sequence[Any],
    ) -> tuple[Sequence[Tensor | Operation], list[ScheduledOp]]:
        ready, buckets = scheduled_reads[0]

        def rows() -> list[Tensor]:
            numbered, _ = raw.Quantiles([self._dense_float_column], [], [buckets], [], [])
            places = raw.Cast(_only(numbered), DstT=int64)
            return [raw.Identity(example_partition_ids), places, raw.Identity(gradients), raw.Identity(hessians)]

        found = cond(raw.LogicalAnd(ready, is_active[0]), rows, lambda: self._no_rows(empty_gradients, empty_hessians))
        return [], self._scheduled(self._dense_float_column, found, weights, is_active)

    def make_splits(self, stamp_token: TensorLike, next_stamp_token: TensorLike, class_id: TensorLike) -> Splits:
        return self._candidates(
            stamp_token,
            next_stamp_token,
            lambda batches, buckets, partitions, places, gradients, hessians: raw.BuildDenseInequalitySplits(
                num_minibatches=batches,
                bucket_boundaries=buckets,
                partition_ids=partitions,
                bucket_ids=places,
                gradients=gradients,
                hessians=hessians,
                class_id=class_id,
                feature_column_group_id=self._feature_column_group_id,
                weak_learner_type=self._weak_learner_type,
                **self._penalties(),
            ),
        )


class SparseSplitHandler(InequalitySplitHandler):
    """What finds the thresholds of a feature that some examples lack; see `InequalitySplitHandler`.

    Args:
        l1_regularization, l2_regularization, tree_complexity_regularization, min_node_weight, feature_column_group_id,
            epsilon, num_quantiles: as there.
        sparse_float_column: a SparseTensor of shape [examples, dimensions].
        init_stamp_token, gradient_shape, hessian_shape, multiclass_strategy, weak_learner_type, loss_uses_sum_reduction,
            name: as there.

    Raises:
        NotImplementedError: for trees of one split a level.
    """

    def __init__(
        self,
        l1_regularization: TensorLike,
        l2_regularization: TensorLike,
        tree_complexity_regularization: TensorLike,
        min_node_weight: TensorLike,
        feature_column_group_id: TensorLike,
        epsilon: float,
        num_quantiles: int,
        sparse_float_column: SparseTensor,
        init_stamp_token: TensorLike,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: TensorLike,
        weak_learner_type: int = NORMAL,
        loss_uses_sum_reduction: TensorLike = False,
        name: str | None = None,
    ) -> None:
        if weak_learner_type != NORMAL:
            raise NotImplementedError(
                "Trees of one split a level take no sparse columns of numbers: give them dense columns."
            )
        super().__init__(
            l1_regularization,
            l2_regularization,
            tree_complexity_regularization,
            min_node_weight,
            feature_column_group_id,
            epsilon,
            num_quantiles,
            gradient_shape,
            hessian_shape,
            multiclass_strategy,
            init_stamp_token,
            loss_uses_sum_reduction,
            weak_learner_type,
            name,
        )
        self._sparse_float_column = sparse_float_column

    def update_stats(
        self,
        stamp_token: TensorLike,
        example_partition_ids: Tensor,
        gradients: Tensor,
        hessians: Tensor,
        empty_gradients: Tensor,
        empty_hessians: Tensor,
        weights: Tensor,
        is_active: Tensor,
        scheduled_reads: Sequence[Any],
    ) -> tuple[Sequence[Tensor | Operation], list[ScheduledOp]]:
        ready, buckets = scheduled_reads[0]
        column = self._sparse_float_column

        def rows() -> list[Tensor]:
            _, numbered = raw.Quantiles([], [column.values], [], [buckets], [column.indices])
            places = raw.Cast(_only(numbered), DstT=int64)
            examples = column.indices[:, 0]
            return with_bias(example_partition_ids, gradients, hessians, examples, places)

        found = cond(raw.LogicalAnd(ready, is_active[0]), rows, lambda: self._no_rows(empty_gradients, empty_hessians))
        return [], self._scheduled(column, found, weights, is_active)

    def make_splits(self, stamp_token: TensorLike, next_stamp_token: TensorLike, class_id: TensorLike) -> Splits:
        return self._candidates(
            stamp_token,
            next_stamp_token,
            lambda batches, buckets, partitions, places, gradients, hessians: raw.BuildSparseInequalitySplits(
                num_minibatches=batches,
                bucket_boundaries=buckets,
                partition_ids=partitions,
                bucket_ids=places,
                gradients=gradients,
                hessians=hessians,
                class_id=class_id,
                feature_column_group_id=self._feature_column_group_id,
                bias_feature_id=constant(BIAS_ID, dtype=int64),
                **self._penalties(),
            ),
        )


def with_bias(
    partitions: Tensor, gradients: Tensor, hessians: Tensor, examples: Tensor, places: Tensor
) -> list[Tensor]:
    """The rows of statistics of a sparse column: those of all examples for the bias, then those of its values.

    Args:
        partitions, gradients, hessians: a row for each example.
        examples: the example of each value.
        places: the bucket or category, and the dimension, of each value.
    """
    count = raw.Shape(partitions)
    bias = raw.Fill(concat([count, constant([1], dtype=int32)], 0), constant(BIAS_ID, dtype=int64))
    bias_places = concat([bias, raw.ZerosLike(bias)], 1)
    return [
        concat([partitions, gather(partitions, examples)], 0),
        concat([bias_places, places], 0),
        concat([gradients, gather(gradients, examples)], 0),
        concat([hessians, gather(hessians, examples)], 0),
    ]


def _only(tensors: Tensor | list[Tensor]) -> Tensor:
    return tensors if isinstance(tensors, Tensor) else tensors[0]
