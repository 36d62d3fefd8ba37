"""The messages of `tf.contrib.tensor_forest` and `tf.contrib.decision_trees`: trees, their parameters, statistics of leaves.

from headrace.messages import forest_protos
forest_protos.TensorForestParams(num_trees=100)
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from headrace.messages.message_tables import build_file, class_of

if TYPE_CHECKING:
    from google.protobuf.descriptor import FileDescriptor

_TREES = {
    "Model": (
        "decision_tree=1:?model:DecisionTree ensemble=2:?model:Ensemble custom_model=3:?model:Any additional_data=4:*Any"
    ),
    "ModelAndFeatures": "features=1:{string,Feature} model=2:Model additional_data=3:*Any",
    "ModelAndFeatures.Feature": "feature_id=1:FeatureId additional_data=2:*Any",
    "Ensemble": (
        "members=100:*Member summation_combination_technique=1:?combination_technique:Summation "
        "averaging_combination_technique=2:?combination_technique:Averaging "
        "custom_combination_technique=3:?combination_technique:Any additional_data=4:*Any"
    ),
    "Ensemble.Member": "submodel=1:Model submodel_id=2:Int32Value additional_data=3:*Any",
    "Summation": "additional_data=1:*Any",
    "Averaging": "additional_data=1:*Any",
    "DecisionTree": "nodes=1:*TreeNode additional_data=2:*Any",
    "TreeNode": (
        "node_id=1:Int32Value depth=2:Int32Value subtree_size=3:Int32Value binary_node=4:?node_type:BinaryNode "
        "leaf=5:?node_type:Leaf custom_node_type=6:?node_type:Any additional_data=7:*Any"
    ),
    "BinaryNode": (
        "left_child_id=1:Int32Value right_child_id=2:Int32Value default_direction=3:Direction! "
        "inequality_left_child_test=4:?left_child_test:InequalityTest custom_left_child_test=5:?left_child_test:Any"
    ),
    "BinaryNode.Direction!": "LEFT=0 RIGHT=1",
    "SparseVector": "sparse_value=1:{int64,Value}",
    "Vector": "value=1:*Value",
    "Leaf": "vector=1:?leaf:Vector sparse_vector=2:?leaf:SparseVector additional_data=3:*Any",
    "FeatureId": "id=1:StringValue additional_data=2:*Any",
    "ObliqueFeatures": "features=1:*FeatureId weights=2:*float",
    "InequalityTest": "feature_id=1:?FeatureSum:FeatureId oblique=4:?FeatureSum:ObliqueFeatures type=2:Type! threshold=3:Value",
    "InequalityTest.Type!": "LESS_OR_EQUAL=0 LESS_THAN=1 GREATER_OR_EQUAL=2 GREATER_THAN=3",
    "Value": (
        "float_value=1:?value:float double_value=2:?value:double int32_value=3:?value:int32 int64_value=4:?value:int64 "
        "custom_value=5:?value:Any"
    ),
    "MatchingValuesTest": "feature_id=1:FeatureId value=2:*Value inverse=3:bool",
    "ConstResultTest": "feature_id=1:FeatureId value_for_dtype=2:Value test_result=3:bool",
}
_STATISTICS = {
    "FertileStats": "node_to_slot=1:*FertileSlot",
    "GiniStats": "square=2:float",
    "LeafStat": (
        "weight_sum=3:float classification=1:?leaf_stat:GiniImpurityClassificationStats "
        "regression=2:?leaf_stat:LeastSquaresRegressionStats"
    ),
    "LeafStat.GiniImpurityClassificationStats": (
        "dense_counts=1:?counts:Vector sparse_counts=2:?counts:SparseVector gini=3:GiniStats"
    ),
    "LeafStat.LeastSquaresRegressionStats": "mean_output=1:Vector mean_output_squares=2:Vector",
    "FertileSlot": (
        "leaf_stats=4:LeafStat candidates=1:*SplitCandidate post_init_leaf_stats=6:LeafStat node_id=5:int32 depth=7:int32"
    ),
    "SplitCandidate": "split=1:BinaryNode left_stats=4:LeafStat right_stats=5:LeafStat unique_id=6:string",
    "TreePath": "nodes_visited=1:*TreeNode",
}
_PARAMETERS = {
    "SplitPruningConfig": "prune_every_samples=1:DepthDependentParam type=2:SplitPruningStrategyType!",
    "SplitFinishConfig": "check_every_steps=1:DepthDependentParam type=2:SplitFinishStrategyType!",
    "LinearParam": "slope=1:float y_intercept=2:float min_val=3:float max_val=4:float",
    "ExponentialParam": "bias=1:float base=2:float multiplier=3:float depth_multiplier=4:float",
    "ThresholdParam": "on_value=1:float off_value=2:float threshold=3:float",
    "DepthDependentParam": (
        "constant_value=1:?ParamType:float linear=2:?ParamType:LinearParam exponential=3:?ParamType:ExponentialParam "
        "threshold=4:?ParamType:ThresholdParam"
    ),
    "TensorForestParams": (
        "leaf_type=1:LeafModelType! stats_type=2:StatsModelType! collection_type=3:SplitCollectionType! "
        "pruning_type=4:SplitPruningConfig finish_type=5:SplitFinishConfig num_trees=6:int32 max_nodes=7:int32 "
        "num_features=21:int32 inequality_test_type=19:Type! is_regression=8:bool drop_final_class=9:bool "
        "collate_examples=10:bool checkpoint_stats=11:bool use_running_stats_method=20:bool "
        "initialize_average_splits=22:bool inference_tree_paths=23:bool num_outputs=12:int32 "
        "num_splits_to_consider=13:DepthDependentParam split_after_samples=14:DepthDependentParam "
        "dominate_fraction=15:DepthDependentParam min_split_samples=18:DepthDependentParam graph_dir=16:string "
        "num_select_features=17:int32 num_classes_to_track=24:int32"
    ),
    "LeafModelType!": (
        "MODEL_DENSE_CLASSIFICATION=0 MODEL_SPARSE_CLASSIFICATION=1 MODEL_REGRESSION=2 "
        "MODEL_SPARSE_OR_DENSE_CLASSIFICATION=3"
    ),
    "StatsModelType!": (
        "STATS_DENSE_GINI=0 STATS_SPARSE_GINI=1 STATS_LEAST_SQUARES_REGRESSION=2 STATS_SPARSE_THEN_DENSE_GINI=3 "
        "STATS_FIXED_SIZE_SPARSE_GINI=4"
    ),
    "SplitCollectionType!": "COLLECTION_BASIC=0 GRAPH_RUNNER_COLLECTION=1",
    "SplitPruningStrategyType!": (
        "SPLIT_PRUNE_NONE=0 SPLIT_PRUNE_HALF=1 SPLIT_PRUNE_QUARTER=2 SPLIT_PRUNE_10_PERCENT=3 SPLIT_PRUNE_HOEFFDING=4"
    ),
    "SplitFinishStrategyType!": (
        "SPLIT_FINISH_BASIC=0 SPLIT_FINISH_DOMINATE_HOEFFDING=2 SPLIT_FINISH_DOMINATE_BOOTSTRAP=3"
    ),
}
_MESSAGES = {**_TREES, **_STATISTICS, **_PARAMETERS}
_NAMES = {
    *(name.strip("!") for name in _MESSAGES if "." not in name),
    *(
        label.partition("=")[0]
        for name, labels in _MESSAGES.items()
        if name.endswith("!") and "." not in name
        for label in labels.split()
    ),
}


@functools.cache
def _file() -> FileDescriptor:
    from google.protobuf import any_pb2, wrappers_pb2

    wrappers = wrappers_pb2.DESCRIPTOR
    uses = {"Any": any_pb2.DESCRIPTOR, "Int32Value": wrappers, "StringValue": wrappers}
    return build_file("headrace/tensor_forest.proto", "headrace.tensor_forest", _MESSAGES, uses)


def __getattr__(name: str) -> Any:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = class_of(_file(), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_NAMES})
