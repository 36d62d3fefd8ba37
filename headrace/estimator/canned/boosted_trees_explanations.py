"""Why trees predict what they do: contributions of features to a prediction, and their importance in an ensemble.

Contributions are those of Palczewska et al., Interpreting random forest models using a feature contribution method (2013):
on an example's way through a tree, each split changes the prediction, and the change is its feature's.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.messages import protos

if TYPE_CHECKING:
    from headrace.messages.protos import Tree, TreeEnsemble

DEBUG_PROTO_KEY = "_serialized_debug_outputs_proto"


def sigmoid(logits: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-logits))."""
    return 1.0 / (1.0 + np.exp(-np.asarray(logits)))


def identity(logits: np.ndarray) -> np.ndarray:
    """The logits."""
    return logits


def parse_debug_proto_string(example_proto_serialized: bytes) -> tuple[Sequence[int], Sequence[float]]:
    """The features asked on an example's way, and the logits after each answer, of a serialized `DebugOutput`."""
    message = protos.DebugOutput.FromString(example_proto_serialized)
    return message.feature_ids, message.logits_path


def sum_by_feature_col_name_and_sort(names: Iterable[str], vals: Iterable[float]) -> OrderedDict[str, float]:
    """The sums of values by name, the largest in size first; equal ones in the order in which they came."""
    sums: dict[str, float] = {}
    for name, value in zip(names, vals, strict=True):
        sums[name] = sums.get(name, 0) + value
    return OrderedDict(sorted(sums.items(), key=lambda item: abs(item[1]), reverse=True))


def directional_feature_contributions(
    example_feature_ids: Sequence[int],
    example_logits_paths: Sequence[float],
    activation: Callable[[np.ndarray], np.ndarray],
    feature_col_names: Sequence[str],
) -> tuple[float, OrderedDict[str, float]]:
    """What the prediction would be without features, and by how much each column changes it.

    Args:
        example_feature_ids: the features that were asked.
        example_logits_paths: the logits before the first answer and after each.
        activation: makes predictions of logits.
        feature_col_names: the columns' names of all features.
    """
    predictions = activation(np.array(list(example_logits_paths), np.float64))
    # As in 1.15, whole numbers where nothing has been asked.
    changes = np.zeros(len(feature_col_names), np.float64 if len(example_feature_ids) else np.int64)
    np.add.at(changes, np.asarray(example_feature_ids, np.int64), np.diff(predictions))
    return predictions[0], sum_by_feature_col_name_and_sort(feature_col_names, changes)


def parse_explanations_from_prediction(
    serialized_debug_proto: bytes, feature_col_names: Sequence[str], classification: bool = False
) -> tuple[float, OrderedDict[str, float]]:
    """The bias and the contributions of columns to one prediction.

    Args:
        serialized_debug_proto: what the ensemble says of the example.
        feature_col_names: the columns' names of all features.
        classification: whether predictions are probabilities.
    """
    features, path = parse_debug_proto_string(serialized_debug_proto)
    return directional_feature_contributions(features, path, sigmoid if classification else identity, feature_col_names)


def feature_importances_of_tree(tree: Tree, num_features: int) -> np.ndarray:
    """What the splits of each feature gain in a tree."""
    gains = np.zeros(num_features)
    for node in tree.nodes:
        kind = node.WhichOneof("node")
        if kind not in ("leaf", None):
            gains[getattr(node, kind).feature_id] += node.metadata.gain
    return gains


def compute_feature_importances(tree_ensemble: TreeEnsemble, num_features: int, normalize: bool) -> np.ndarray:
    """What the splits of each feature gain in all trees, in the order of the features.

    Args:
        tree_ensemble: the ensemble's message.
        num_features: how many features there are.
        normalize: whether the sum is to be 1.

    Raises:
        AssertionError: if there is nothing to normalize by, or a gain is negative.
    """
    gains = np.zeros(num_features)
    for tree, weight in zip(tree_ensemble.trees, tree_ensemble.tree_weights, strict=True):
        gains += feature_importances_of_tree(tree, num_features) * weight
    if not normalize:
        return gains
    if (gains < 0).any():
        raise AssertionError(f"feature_importances must be non-negative, got {gains.tolist()}")
    total = gains.sum()
    if total == 0.0:
        raise AssertionError("Trees are all empty or contain only a root node.")
    return np.asarray(gains / total)


def explained(prediction: dict[str, Any], feature_col_names: Sequence[str], classification: bool) -> dict[str, Any]:
    """A prediction with its bias and contributions ("bias", "dfc") in place of the serialized path."""
    serialized = prediction.pop(DEBUG_PROTO_KEY)
    bias, contributions = parse_explanations_from_prediction(serialized, feature_col_names, classification)
    return {**prediction, "bias": bias, "dfc": contributions}
