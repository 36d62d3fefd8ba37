"""The parameters of forests."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any

from headrace.messages import forest_protos

# The leaves, the statistics and the collection of splits, by the name of a model.
CLASSIFICATION_LEAF_MODEL_TYPES = {
    "all_dense": (forest_protos.MODEL_DENSE_CLASSIFICATION, forest_protos.STATS_DENSE_GINI),
    "all_sparse": (forest_protos.MODEL_SPARSE_CLASSIFICATION, forest_protos.STATS_SPARSE_GINI),
    "sparse_then_dense": (
        forest_protos.MODEL_SPARSE_OR_DENSE_CLASSIFICATION,
        forest_protos.STATS_SPARSE_THEN_DENSE_GINI,
    ),
}
REGRESSION_MODEL_TYPE = (
    forest_protos.MODEL_REGRESSION,
    forest_protos.STATS_LEAST_SQUARES_REGRESSION,
    forest_protos.COLLECTION_BASIC,
)
FINISH_TYPES = {
    "basic": forest_protos.SPLIT_FINISH_BASIC,
    "hoeffding": forest_protos.SPLIT_FINISH_DOMINATE_HOEFFDING,
    "bootstrap": forest_protos.SPLIT_FINISH_DOMINATE_BOOTSTRAP,
}
PRUNING_TYPES = {
    "none": forest_protos.SPLIT_PRUNE_NONE,
    "half": forest_protos.SPLIT_PRUNE_HALF,
    "quarter": forest_protos.SPLIT_PRUNE_QUARTER,
    "10_percent": forest_protos.SPLIT_PRUNE_10_PERCENT,
    "hoeffding": forest_protos.SPLIT_PRUNE_HOEFFDING,
}
SPLIT_TYPES = {
    "less_or_equal": forest_protos.InequalityTest.LESS_OR_EQUAL,
    "less": forest_protos.InequalityTest.LESS_THAN,
}


class ForestHParams:
    """The parameters of a forest.

    Args:
        num_trees: how many trees there are.
        max_nodes: how many nodes a tree may have.
        bagging_fraction: the share of the examples that each tree sees.
        num_splits_to_consider: how many candidates for a split a leaf gets; chosen by the number of features if 0.
        feature_bagging_fraction: the share of the features that each tree sees.
        max_fertile_nodes: has no effect, as in 1.15.
        split_after_samples: after how many examples a leaf is split.
        valid_leaf_threshold: how many examples make a leaf's prediction.
        dominate_method, dominate_fraction: how sure a split has to be to finish early.
        model_name: how the counts of classes are kept in leaves: of all classes ("all_dense"), or of those that have come
            ("all_sparse"). With "sparse_then_dense", which ends the process of 1.15 when training begins, all are counted.
        split_finish_name: when splits finish: "basic", "hoeffding" or "bootstrap".
        split_pruning_name: which candidates for splits of classes are dropped before the leaf is split: "none", the worst
            "half", "quarter" or "10_percent", or with "hoeffding" those that are not the best one with the probability
            `dominate_fraction`.
        prune_every_samples: after how many examples of a leaf they are, again and again. This, `split_after_samples`,
            `num_splits_to_consider` and `dominate_fraction` may be texts of `DepthDependentParam` messages.
        early_finish_check_every_samples: how often it is looked whether a split may finish.
        collate_examples: whether the examples of a leaf are taken together.
        checkpoint_stats: whether checkpoints keep the candidates.
        use_running_stats_method: whether the sums of squares of classes are kept as they change; with weights that are no
            whole numbers it rounds in another way.
        initialize_average_splits: whether thresholds of splits of classes lie in the middle between an example and the first
            one of another class that comes to the leaf. Examples are counted when each candidate has one.
        inference_tree_paths: whether predictions tell the ways through the trees.
        param_file: a file with a `TensorForestParams` as text; what it says goes before the parameters.
        split_name: which examples go to the left: "less_or_equal" or "less".
        **kwargs: "num_classes", "num_features" and, for numbers, "regression" and "num_outputs"; others are kept too.

    Example:
        >>> from headrace.contrib.tensor_forest.python import tensor_forest
        >>> params = tensor_forest.ForestHParams(num_classes=3, num_features=4, num_trees=10).fill()
        >>> params.num_splits_to_consider
        10
    """

    def __init__(
        self,
        num_trees: int = 100,
        max_nodes: int = 10000,
        bagging_fraction: float = 1.0,
        num_splits_to_consider: int = 0,
        feature_bagging_fraction: float = 1.0,
        max_fertile_nodes: int = 0,
        split_after_samples: int = 250,
        valid_leaf_threshold: int = 1,
        dominate_method: str = "bootstrap",
        dominate_fraction: float = 0.99,
        model_name: str = "all_dense",
        split_finish_name: str = "basic",
        split_pruning_name: str = "none",
        prune_every_samples: int = 0,
        early_finish_check_every_samples: int = 0,
        collate_examples: bool = False,
        checkpoint_stats: bool = False,
        use_running_stats_method: bool = False,
        initialize_average_splits: bool = False,
        inference_tree_paths: bool = False,
        param_file: str | None = None,
        split_name: str = "less_or_equal",
        **kwargs: Any,
    ) -> None:
        given = dict(locals())
        for name in ("self", "kwargs", "__class__"):
            given.pop(name, None)
        vars(self).update(given)
        vars(self).update(kwargs)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__} has no parameter {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        vars(self)[name] = value

    def values(self) -> dict[str, Any]:
        """The parameters by name."""
        return vars(self)

    def fill(self) -> ForestHParams:
        """Computes what follows from the parameters; returns itself.

        Raises:
            AttributeError: if "num_classes" or "num_features" is missing.
            KeyError: if a name is unknown.
            TypeError: if candidates are to be dropped, or splits to finish early, and it is not said after how many examples.
        """
        settings = vars(self)
        for name in ("num_classes", "num_features"):
            if settings.get(name) is None:
                raise AttributeError(f"{type(self).__name__} needs {name}: pass it as an argument")
        self.bagged_num_features = int(self.feature_bagging_fraction * self.num_features)
        self.bagged_features: list[list[int]] | None = None
        if self.feature_bagging_fraction < 1.0:
            columns = range(self.num_features)
            self.bagged_features = [random.sample(columns, self.bagged_num_features) for _ in range(self.num_trees)]
        self.regression = settings.get("regression", False)
        # Classes have a column for their sum, too.
        self.num_outputs = self.num_classes if self.regression else 1
        self.num_output_columns = self.num_classes + 1
        if not settings["num_splits_to_consider"]:
            self.num_splits_to_consider = min(max(10, math.floor(math.sqrt(self.num_features))), 1000)
        self.base_random_seed = settings.get("base_random_seed", 0)
        if self.regression:
            self.leaf_model_type, self.stats_model_type = REGRESSION_MODEL_TYPE[:2]
        else:
            self.leaf_model_type, self.stats_model_type = _known(
                CLASSIFICATION_LEAF_MODEL_TYPES, self.model_name, "model_name"
            )
        self.finish_type = (
            FINISH_TYPES["basic"]
            if self.regression
            else _known(FINISH_TYPES, self.split_finish_name, "split_finish_name")
        )
        self.pruning_type = _known(PRUNING_TYPES, self.split_pruning_name, "split_pruning_name")
        self._check_every("prune_every_samples", self.split_pruning_name, self.pruning_type == PRUNING_TYPES["none"])
        self._check_every(
            "early_finish_check_every_samples", self.split_finish_name, self.finish_type == FINISH_TYPES["basic"]
        )
        self.split_type = _known(SPLIT_TYPES, self.split_name, "split_name")
        return self

    def _check_every(self, name: str, strategy: str, is_unused: bool) -> None:
        """Makes what says after how many examples a strategy acts 0 where there is none.

        Raises:
            TypeError: if there is one, and it is not said.
        """
        if is_unused:
            setattr(self, name, 0)
        elif not getattr(self, name):
            raise TypeError(f"{name} must be > 0 with the strategy {strategy!r}, got {getattr(self, name)!r}")


def _known(names: Mapping[str, Any], name: str, parameter: str) -> Any:
    if name not in names:
        raise KeyError(f"{parameter} must be one of {', '.join(sorted(names))}, got {name!r}")
    return names[name]


def parse_number_or_string_to_proto(proto: forest_protos.DepthDependentParam, param: float | str) -> None:
    """Fills a parameter from a number, or from a message in text form.

    Args:
        proto: a `DepthDependentParam`.
        param: the number, or the text.
    """
    if isinstance(param, str) and param.isdigit():
        proto.constant_value = int(param)
    elif isinstance(param, str):
        from google.protobuf import text_format

        text_format.Merge(param, proto)
    else:
        proto.constant_value = param


def build_params_proto(params: ForestHParams) -> forest_protos.TensorForestParams:
    """The parameters as a `TensorForestParams`.

    Args:
        params: filled parameters.
    """
    found = forest_protos.TensorForestParams()
    found.num_trees, found.max_nodes = params.num_trees, params.max_nodes
    found.is_regression, found.num_outputs = params.regression, params.num_classes
    found.num_features = params.num_features
    found.leaf_type, found.stats_type = params.leaf_model_type, params.stats_model_type
    found.collection_type = forest_protos.COLLECTION_BASIC
    found.pruning_type.type, found.finish_type.type = params.pruning_type, params.finish_type
    found.inequality_test_type = params.split_type
    found.drop_final_class = False
    found.collate_examples, found.checkpoint_stats = params.collate_examples, params.checkpoint_stats
    found.use_running_stats_method = params.use_running_stats_method
    found.initialize_average_splits = params.initialize_average_splits
    found.inference_tree_paths = params.inference_tree_paths
    parse_number_or_string_to_proto(found.pruning_type.prune_every_samples, params.prune_every_samples)
    parse_number_or_string_to_proto(found.finish_type.check_every_steps, params.early_finish_check_every_samples)
    parse_number_or_string_to_proto(found.split_after_samples, params.split_after_samples)
    parse_number_or_string_to_proto(found.num_splits_to_consider, params.num_splits_to_consider)
    parse_number_or_string_to_proto(found.dominate_fraction, params.dominate_fraction)
    if "num_classes_to_track" in vars(params):
        found.num_classes_to_track = params.num_classes_to_track
    if params.param_file:
        from google.protobuf import text_format

        # What the file says goes before what the parameters say.
        with open(params.param_file, encoding="utf-8") as file:
            text_format.Merge(file.read(), found)
    return found
