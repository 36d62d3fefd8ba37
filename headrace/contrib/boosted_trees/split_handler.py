"""What finds the splits of one feature: it keeps statistics of each batch, and makes candidates of them after a round."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.boosted_trees.scheduled_ops import ScheduledOp, run_handler_scheduled_ops
from headrace.contrib.boosted_trees.stats_accumulator import StatsAccumulator
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import float32, int32, int64, string
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.kernels.composing.filling import zeros
from headrace.ops.array.constant import constant
from headrace.ops.flow.grouping import group

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import TensorLike

# The category, or bucket, under which the sums of all examples of a partition are kept.
BIAS_ID = -(2**63)


class Splits(NamedTuple):
    """Whether there are candidates; the partitions they are for, their gains, and themselves, serialized."""

    are_splits_ready: Tensor
    partition_ids: Tensor
    gains: Tensor
    split_infos: Tensor


class BaseSplitHandler(abc.ABC):
    """What finds the splits of one feature column.

    Args:
        l1_regularization, l2_regularization: penalties on the size of leaves.
        tree_complexity_regularization: the penalty on each split.
        min_node_weight: the least Hessian of a leaf.
        feature_column_group_id: the number of the column among those of its kind.
        gradient_shape: the shape of one gradient.
        hessian_shape: the shape of one Hessian.
        multiclass_strategy: a number of `LearnerConfig.MultiClassStrategy`.
        loss_uses_sum_reduction: whether the loss is a sum over the batch, whose statistics are not divided by the number
            of batches.
        name: a name for its operations.
    """

    def __init__(
        self,
        l1_regularization: TensorLike,
        l2_regularization: TensorLike,
        tree_complexity_regularization: TensorLike,
        min_node_weight: TensorLike,
        feature_column_group_id: TensorLike,
        gradient_shape: TensorShape,
        hessian_shape: TensorShape,
        multiclass_strategy: TensorLike,
        loss_uses_sum_reduction: TensorLike = False,
        name: str | None = None,
    ) -> None:
        self._l1_regularization, self._l2_regularization = l1_regularization, l2_regularization
        self._tree_complexity_regularization = tree_complexity_regularization
        self._min_node_weight = min_node_weight
        self._feature_column_group_id = feature_column_group_id
        self._gradient_shape, self._hessian_shape = gradient_shape, hessian_shape
        self._multiclass_strategy = multiclass_strategy
        self._loss_uses_sum_reduction = loss_uses_sum_reduction
        self._name = name or ""
        self._stats_accumulator = StatsAccumulator(
            0, gradient_shape, hessian_shape, name=f"StatsAccumulator/{self._name}"
        )

    def scheduled_reads(self) -> list[ScheduledOp]:
        """What `update_stats` needs to know of resources, as ops to run with those of other handlers."""
        return []

    @abc.abstractmethod
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
        """Takes a batch into account.

        Args:
            stamp_token: the stamp of the round.
            example_partition_ids: the leaf each example is in.
            gradients, hessians: a row for each example.
            empty_gradients, empty_hessians: the same without rows.
            weights: of shape [examples, 1].
            is_active: two bools, for the round and for the next one.
            scheduled_reads: the results of the ops of `scheduled_reads`.

        Returns:
            operations, and ops to run with those of other handlers.
        """

    @abc.abstractmethod
    def make_splits(self, stamp_token: TensorLike, next_stamp_token: TensorLike, class_id: TensorLike) -> Splits:
        """Ends a round: the best split of each partition.

        Args:
            stamp_token: the stamp of the round.
            next_stamp_token: that of the next one.
            class_id: the class that the tree is of, -1 for all.
        """

    def update_stats_sync(
        self,
        stamp_token: TensorLike,
        example_partition_ids: Tensor,
        gradients: Tensor,
        hessians: Tensor,
        empty_gradients: Tensor,
        empty_hessians: Tensor,
        weights: Tensor,
        is_active: Tensor,
    ) -> Operation:
        """As `update_stats`, as one operation."""
        reads = run_handler_scheduled_ops({0: self.scheduled_reads()}, stamp_token, None)
        done, scheduled = self.update_stats(
            stamp_token,
            example_partition_ids,
            gradients,
            hessians,
            empty_gradients,
            empty_hessians,
            weights,
            is_active,
            reads.get(0, []),
        )
        updates = run_handler_scheduled_ops({0: scheduled}, stamp_token, None)
        return group(*done, *updates.get(0, []))

    def reset(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> list[Any]:
        """Forgets the round: operations that begin the next one."""
        return list(self._stats_accumulator.flush(stamp_token, next_stamp_token))

    def _flushed_sums(self, stamp_token: TensorLike, next_stamp_token: TensorLike) -> tuple[Tensor, ...]:
        """The number of batches that gradients are divided by, and the sums of the round."""
        updates, *sums = self._stats_accumulator.flush(stamp_token, next_stamp_token)
        divisor = cond(
            raw.Identity(constant(self._loss_uses_sum_reduction))
            if isinstance(self._loss_uses_sum_reduction, bool)
            else self._loss_uses_sum_reduction,
            lambda: constant(1, dtype=int64),
            lambda: updates,
        )
        return divisor, *sums

    def _no_splits(self) -> list[Tensor]:
        return [zeros([0], int32), zeros([0], float32), constant([], dtype=string)]

    def _no_rows(self, empty_gradients: Tensor, empty_hessians: Tensor) -> list[Tensor]:
        return [constant([], dtype=int32), zeros([0, 2], int64), empty_gradients, empty_hessians]


def after(operations: Sequence[Any], tensor: TensorLike) -> Tensor:
    """A tensor that is there after some operations."""
    with control_dependencies(list(operations)):
        return raw.Identity(tensor)
