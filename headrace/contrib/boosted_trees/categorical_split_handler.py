"""What finds the categories to split by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.boosted_trees.ordinal_split_handlers import NORMAL, with_bias
from headrace.contrib.boosted_trees.scheduled_ops import ScheduledOp
from headrace.contrib.boosted_trees.split_handler import BIAS_ID, BaseSplitHandler, Splits
from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import bool as bool_type
from headrace.core.dtypes import int64
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.kernels.composing.arranging import stack
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import TensorLike


class EqualitySplitHandler(BaseSplitHandler):
    """What finds the category that goes to the left; see `BaseSplitHandler`.

    Args:
        l1_regularization, l2_regularization, tree_complexity_regularization, min_node_weight, feature_column_group_id,
            gradient_shape, hessian_shape, multiclass_strategy: as there.
        sparse_int_column: a SparseTensor of categories, of shape [examples, most categories of an example].
        init_stamp_token: the stamp of the first round.
        weak_learner_type: a number of `LearnerConfig.WeakLearnerType`.
        loss_uses_sum_reduction, name: as there.
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
        sparse_int_column: SparseTensor,
        init_stamp_token: TensorLike = 0,
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
            gradient_shape,
            hessian_shape,
            multiclass_strategy,
            loss_uses_sum_reduction,
            name,
        )
        self._init_stamp_token, self._sparse_int_column = init_stamp_token, sparse_int_column
        self._weak_learner_type = weak_learner_type

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
        column = self._sparse_int_column

        def rows() -> list[Tensor]:
            places = stack([column.values, raw.ZerosLike(column.values)], 1)
            return with_bias(example_partition_ids, gradients, hessians, column.indices[:, 0], places)

        found = cond(is_active[0], rows, lambda: self._no_rows(empty_gradients, empty_hessians))
        return [], [self._stats_accumulator.schedule_add(*found)]

    def make_splits(self, stamp_token: TensorLike, next_stamp_token: TensorLike, class_id: TensorLike) -> Splits:
        batches, partitions, categories, gradients, hessians = self._flushed_sums(stamp_token, next_stamp_token)
        found = raw.BuildCategoricalEqualitySplits(
            num_minibatches=batches,
            partition_ids=partitions,
            feature_ids=categories,
            gradients=gradients,
            hessians=hessians,
            class_id=class_id,
            feature_column_group_id=self._feature_column_group_id,
            bias_feature_id=constant(BIAS_ID, dtype=int64),
            l1_regularization=self._l1_regularization,
            l2_regularization=self._l2_regularization,
            tree_complexity_regularization=self._tree_complexity_regularization,
            min_node_weight=self._min_node_weight,
            multiclass_strategy=self._multiclass_strategy,
            weak_learner_type=self._weak_learner_type,
        )
        return Splits(convert_to_tensor(True, dtype=bool_type), *found)
