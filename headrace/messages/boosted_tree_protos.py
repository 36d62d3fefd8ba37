"""The messages of `tf.contrib.boosted_trees`: learners, ensembles of trees, splits that were found, quantiles.

from headrace.messages import boosted_tree_protos
boosted_tree_protos.LearnerConfig(num_classes=2)
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from headrace.messages.message_tables import build_file, class_of

if TYPE_CHECKING:
    from google.protobuf.descriptor import FileDescriptor

_LEARNER = {
    "TreeRegularizationConfig": "l1=1:float l2=2:float tree_complexity=3:float",
    "TreeConstraintsConfig": (
        "max_tree_depth=1:uint32 min_node_weight=2:float max_number_of_unique_feature_columns=3:int64"
    ),
    "LearningRateConfig": (
        "fixed=1:?tuner:LearningRateFixedConfig dropout=2:?tuner:LearningRateDropoutDrivenConfig "
        "line_search=3:?tuner:LearningRateLineSearchConfig"
    ),
    "LearningRateFixedConfig": "learning_rate=1:float",
    "LearningRateLineSearchConfig": "max_learning_rate=1:float num_steps=2:int32",
    "AveragingConfig": "average_last_n_trees=1:?config:float average_last_percent_trees=2:?config:float",
    "LearningRateDropoutDrivenConfig": (
        "dropout_probability=1:float probability_of_skipping_dropout=2:float learning_rate=3:float"
    ),
    "LearnerConfig": (
        "num_classes=1:uint32 feature_fraction_per_tree=2:?feature_fraction:float "
        "feature_fraction_per_level=3:?feature_fraction:float regularization=4:TreeRegularizationConfig "
        "constraints=5:TreeConstraintsConfig pruning_mode=8:PruningMode! growing_mode=9:GrowingMode! "
        "learning_rate_tuner=6:LearningRateConfig multi_class_strategy=10:MultiClassStrategy! "
        "averaging_config=11:AveragingConfig weak_learner_type=12:WeakLearnerType! each_tree_start=13:DecisionTreeConfig "
        "each_tree_start_num_layers=14:int32"
    ),
    "LearnerConfig.PruningMode!": "PRUNING_MODE_UNSPECIFIED=0 PRE_PRUNE=1 POST_PRUNE=2",
    "LearnerConfig.GrowingMode!": "GROWING_MODE_UNSPECIFIED=0 WHOLE_TREE=1 LAYER_BY_LAYER=2",
    "LearnerConfig.MultiClassStrategy!": (
        "MULTI_CLASS_STRATEGY_UNSPECIFIED=0 TREE_PER_CLASS=1 FULL_HESSIAN=2 DIAGONAL_HESSIAN=3"
    ),
    "LearnerConfig.WeakLearnerType!": "NORMAL_DECISION_TREE=0 OBLIVIOUS_DECISION_TREE=1",
}
_TREES = {
    "TreeNode": (
        "leaf=1:?node:Leaf dense_float_binary_split=2:?node:DenseFloatBinarySplit "
        "sparse_float_binary_split_default_left=3:?node:SparseFloatBinarySplitDefaultLeft "
        "sparse_float_binary_split_default_right=4:?node:SparseFloatBinarySplitDefaultRight "
        "categorical_id_binary_split=5:?node:CategoricalIdBinarySplit "
        "categorical_id_set_membership_binary_split=6:?node:CategoricalIdSetMembershipBinarySplit "
        "oblivious_dense_float_binary_split=7:?node:ObliviousDenseFloatBinarySplit "
        "oblivious_categorical_id_binary_split=8:?node:ObliviousCategoricalIdBinarySplit "
        "node_metadata=777:TreeNodeMetadata"
    ),
    "TreeNodeMetadata": "gain=1:float original_leaf=2:Leaf original_oblivious_leaves=3:*Leaf",
    "Leaf": "vector=1:?leaf:Vector sparse_vector=2:?leaf:SparseVector",
    "Vector": "value=1:*float",
    "SparseVector": "index=1:*int32 value=2:*float",
    "DenseFloatBinarySplit": "feature_column=1:int32 dimension_id=5:int32 threshold=2:float left_id=3:int32 right_id=4:int32",
    "SparseFloatBinarySplitDefaultLeft": "split=1:DenseFloatBinarySplit",
    "SparseFloatBinarySplitDefaultRight": "split=1:DenseFloatBinarySplit",
    "CategoricalIdBinarySplit": "feature_column=1:int32 feature_id=2:int64 left_id=3:int32 right_id=4:int32",
    "CategoricalIdSetMembershipBinarySplit": (
        "feature_column=1:int32 feature_ids=2:*int64 left_id=3:int32 right_id=4:int32"
    ),
    "ObliviousDenseFloatBinarySplit": "feature_column=1:int32 threshold=2:float",
    "ObliviousCategoricalIdBinarySplit": "feature_column=1:int32 feature_id=2:int64",
    "DecisionTreeConfig": "nodes=1:*TreeNode",
    "DecisionTreeMetadata": "num_tree_weight_updates=1:int32 num_layers_grown=2:int32 is_finalized=3:bool",
    "GrowingMetadata": "num_trees_attempted=1:int64 num_layers_attempted=2:int64 used_handler_ids=3:*int64",
    "DecisionTreeEnsembleConfig": (
        "trees=1:*DecisionTreeConfig tree_weights=2:*float tree_metadata=3:*DecisionTreeMetadata "
        "growing_metadata=4:GrowingMetadata"
    ),
}
_SPLITS = {
    "SplitInfo": "split_node=1:TreeNode left_child=2:Leaf right_child=3:Leaf",
    "ObliviousSplitInfo": "split_node=1:TreeNode children=2:*Leaf children_parent_id=3:*int32",
}
_QUANTILES = {
    "QuantileConfig": "eps=1:double num_quantiles=2:int64",
    "QuantileEntry": "value=1:float weight=2:float min_rank=3:float max_rank=4:float",
    "QuantileSummaryState": "entries=1:*QuantileEntry",
    "QuantileStreamState": "summaries=1:*QuantileSummaryState",
}
_MESSAGES = {**_LEARNER, **_TREES, **_SPLITS, **_QUANTILES}


@functools.cache
def _file() -> FileDescriptor:
    package = "headrace.contrib_boosted_trees"
    return build_file("headrace/contrib_boosted_trees.proto", package, _MESSAGES, {})


def __getattr__(name: str) -> Any:
    if name not in _MESSAGES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = class_of(_file(), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in _MESSAGES if "." not in name)})
