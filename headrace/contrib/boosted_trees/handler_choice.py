"""A handler for each feature, and which of them are active in a layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.contrib.boosted_trees.batch_features import BatchFeatures
from headrace.contrib.boosted_trees.categorical_split_handler import EqualitySplitHandler
from headrace.contrib.boosted_trees.gradient_statistics import GradientShapes
from headrace.contrib.boosted_trees.ordinal_split_handlers import DenseSplitHandler, SparseSplitHandler
from headrace.contrib.boosted_trees.split_handler import BaseSplitHandler
from headrace.contrib.boosted_trees.training_state import (
    NUM_LAYERS_ATTEMPTED,
    NUM_TREES_ATTEMPTED,
    NUM_USED_HANDLERS,
    USED_HANDLERS_MASK,
)
from headrace.core.composite import SparseTensor
from headrace.core.dtypes import float32, int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.kernels.composing.arranging import stack
from headrace.messages.boosted_tree_protos import LearnerConfig
from headrace.ops.array.constant import constant
from headrace.ops.array.join import unstack
from headrace.ops.math.cast import cast

_QUANTILE_ERROR = 0.01
# The second word of the seeds, which tells draws for layers from those for trees.
_BY_LAYER, _BY_TREE = 1, 2


def make_handlers(
    features: BatchFeatures, config: LearnerConfig, shapes: GradientShapes, num_quantiles: int, is_sum: bool
) -> list[BaseSplitHandler]:
    """The handlers of all features.

    Args:
        features: the features.
        config: how trees are learned.
        shapes: the shapes of gradients and Hessians.
        num_quantiles: how many buckets features of numbers get.
        is_sum: whether the loss is a sum over the batch.
    """
    penalties = config.regularization
    shared: dict[str, Any] = {
        "l1_regularization": constant(penalties.l1, dtype=float32),
        "l2_regularization": constant(penalties.l2, dtype=float32),
        "tree_complexity_regularization": constant(penalties.tree_complexity, dtype=float32),
        "min_node_weight": constant(config.constraints.min_node_weight, dtype=float32),
        "gradient_shape": shapes.gradient,
        "hessian_shape": shapes.hessian,
        "multiclass_strategy": config.multi_class_strategy,
        "init_stamp_token": 0,
        "loss_uses_sum_reduction": is_sum,
        "weak_learner_type": config.weak_learner_type,
    }
    handlers: list[BaseSplitHandler] = []
    buckets: dict[str, Any] = {"epsilon": _QUANTILE_ERROR, "num_quantiles": num_quantiles}

    def name() -> str:
        return features.names[len(handlers)]

    for number, column in enumerate(features.dense_floats):
        handlers.append(
            DenseSplitHandler(
                dense_float_column=column, feature_column_group_id=number, name=name(), **buckets, **shared
            )
        )
    floats = zip(features.sparse_float_indices, features.sparse_float_values, features.sparse_float_shapes, strict=True)
    for number, parts in enumerate(floats):
        handlers.append(
            SparseSplitHandler(
                sparse_float_column=SparseTensor(*parts),
                feature_column_group_id=number,
                name=name(),
                **buckets,
                **shared,
            )
        )
    ints = zip(features.sparse_int_indices, features.sparse_int_values, features.sparse_int_shapes, strict=True)
    for number, parts in enumerate(ints):
        handlers.append(
            EqualitySplitHandler(
                sparse_int_column=SparseTensor(*parts), feature_column_group_id=number, name=name(), **shared
            )
        )
    return handlers


def active_handlers(config: LearnerConfig, count: int, predictions_dict: Mapping[str, Any]) -> list[Tensor]:
    """Which handlers are active, in the layer that grows and in the next one: two bools for each."""
    kind = config.WhichOneof("feature_fraction")
    if kind == "feature_fraction_per_level":
        layer = cast(predictions_dict[NUM_LAYERS_ATTEMPTED], int64)
        following = raw.AddV2(layer, constant(1, dtype=int64))
        active = _drawn(count, [layer, following], _BY_LAYER, config.feature_fraction_per_level)
    elif kind == "feature_fraction_per_tree":
        tree = cast(predictions_dict[NUM_TREES_ATTEMPTED], int64)
        active = _drawn(count, [tree, tree], _BY_TREE, config.feature_fraction_per_tree)
    else:
        active = raw.Fill([count, 2], True)
    most = config.constraints.max_number_of_unique_feature_columns
    if most > 0:
        # Once there are as many features as there may be, only those go on.
        used = cast(predictions_dict[NUM_USED_HANDLERS], int64)
        mask = stack([predictions_dict[USED_HANDLERS_MASK]] * 2, axis=1)
        both = active
        active = cond(
            raw.GreaterEqual(used, constant(most, dtype=int64)),
            lambda: raw.LogicalAnd(mask, both),
            lambda: raw.Identity(both),
        )
    return unstack(active, num=count, axis=0)


def _drawn(count: int, numbers: list[Tensor], kind: int, fraction: float) -> Tensor:
    draws = [
        raw.StatelessRandomUniform([count], stack([number, constant(kind, dtype=int64)]), dtype=float32)
        for number in numbers
    ]
    return raw.Less(stack(draws, axis=1), fraction)
