"""The ops that grow an ensemble: a layer of splits, or the bias of all examples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from headrace.core.cases import made
from headrace.core.errors import NotFoundError
from headrace.core.registry import op
from headrace.kernels.host_values import to_array
from headrace.kernels.ranks import check_rank, ranked
from headrace.kernels.trees.ensemble import Candidate, Ensemble, leaf_values, prune, set_leaf
from headrace.kernels.trees.gains import vector_weights_and_gains, weights_and_gains
from headrace.kernels.trees.stump import serialized_stump

_PREPRUNING, _POSTPRUNING = 1, 2
# The bias is good enough when it changes by less than this share.
_SETTLED = 0.01
_LISTS = (
    "node_ids: num_features * int32, gains: num_features * float, thresholds: num_features * int32, "
    "left_node_contribs: num_features * float, right_node_contribs: num_features * float"
)
update_op = op(
    "BoostedTreesUpdateEnsemble",
    f"tree_ensemble_handle: resource, feature_ids: int32, {_LISTS}, max_depth: int32, learning_rate: float, *, "
    "pruning_mode: int, num_features: int ->",
    stateful=True,
)
update_v2_op = op(
    "BoostedTreesUpdateEnsembleV2",
    f"tree_ensemble_handle: resource, feature_ids: int32, dimension_ids: num_features * int32, {_LISTS}, "
    "split_types: num_features * string, max_depth: int32, learning_rate: float, pruning_mode: int32, *, "
    "num_features: int ->",
    stateful=True,
)
bias_op = op(
    "BoostedTreesCenterBias",
    "tree_ensemble_handle: resource, mean_gradients: float, mean_hessians: float, l1: float, l2: float -> "
    "continue_centering: bool",
    stateful=True,
)
for _decl in (update_op, update_v2_op, bias_op):
    _decl.writes("tree_ensemble_handle")
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs[1:]), outputs=True)


@update_op.shape
def update_shape(op):
    check_rank(op.inputs[1].dims, 1)
    return []


@update_v2_op.shape
def update_v2_shape(op):
    check_rank(op.inputs[1].dims, 1)
    return []


def _best_of_nodes(
    features: np.ndarray, lists: Sequence[Sequence[np.ndarray]], rate: np.float32, prunes: bool
) -> dict[int, Candidate]:
    """The best candidate of each node: the greatest gain, and of equal ones that of the feature of the lowest number.

    Args:
        features: the features' numbers.
        lists: for each feature: nodes, gains, thresholds, values of the left and the right leaf, dimensions, kinds.
        rate: the learning rate, which is applied to the leaves.
        prunes: whether candidates that lose are left out.
    """
    best: dict[int, Candidate] = {}
    for feature, (nodes, gains, thresholds, lefts, rights, dimensions, kinds) in zip(features, lists, strict=True):
        for row, node in enumerate(nodes.tolist()):
            gain = gains[row].item()
            if prunes and gain < 0:
                continue
            there = best.get(node)
            if there is not None and (gain, -int(feature)) <= (there.gain, -there.feature):
                continue
            sides = rate * lefts[row], rate * rights[row]
            best[node] = Candidate(int(feature), int(dimensions[row]), gain, int(thresholds[row]), *sides, kinds[row])
    return dict(sorted(best.items()))


def grow(ensemble: Ensemble, best: dict[int, Candidate], max_depth: int, pruning: int) -> None:
    """Adds a layer to the tree that grows, and finishes the tree when it is deep enough."""
    ensemble.stamp += 1
    tree = ensemble.growable_tree()
    if not best:
        return
    message = ensemble.message
    start = len(message.trees[tree].nodes)
    for node, candidate in best.items():
        ensemble.split(tree, node, candidate)
    metadata = message.tree_metadata[tree]
    metadata.num_layers_grown += 1
    end = len(message.trees[tree].nodes)
    if metadata.num_layers_grown >= max_depth:
        start, end = 0, 1
        metadata.is_finalized = True
        if pruning == _POSTPRUNING:
            for place, change in prune(message.trees[tree]):
                metadata.post_pruned_nodes_meta.add(new_node_id=place, logit_change=change.tolist())
            ensemble.packed.pop(tree, None)
        ensemble.add_tree(1.0)
    ensemble.set_last_layer(start, end)


def _in_lists(inputs: Sequence[torch.Tensor | np.ndarray], count: int) -> list[list[np.ndarray]]:
    """Inputs that are lists of `count`, as one list for each feature."""
    arrays = [to_array(value) for value in inputs]
    return [arrays[feature::count] for feature in range(count)]


@update_op.kernel
def update_kernel(node):
    count, pruning = node.attrs["num_features"], node.attrs["pruning_mode"]

    def update(ensemble, features, *inputs):
        *lists, depth, rate = inputs
        found = []
        for columns in _in_lists(lists, count):
            rows = len(columns[0])
            found.append([*columns, np.zeros(rows, np.int32), [b"INEQUALITY_DEFAULT_LEFT"] * rows])
        with ensemble.checked().lock:
            best = _best_of_nodes(to_array(features), found, np.float32(rate.item()), pruning == _PREPRUNING)
            grow(ensemble, best, int(depth), pruning)
        return ()

    return update


@update_v2_op.kernel
def update_v2_kernel(node):
    count = node.attrs["num_features"]

    def update(ensemble, features, *inputs):
        *lists, depth, rate, mode = inputs
        pruning = int(mode)
        found = [[*columns[1:6], columns[0], columns[6]] for columns in _in_lists(lists, count)]
        with ensemble.checked().lock:
            best = _best_of_nodes(to_array(features), found, np.float32(rate.item()), pruning == _PREPRUNING)
            grow(ensemble, best, int(depth), pruning)
        return ()

    return update


@bias_op.shape
@ranked(0, 2, 2, 0, 0)
def bias_shape(op):
    return [()]


@bias_op.kernel
def bias_kernel(node):
    def center(ensemble, gradients, hessians, l1, l2):
        gradients, hessians = to_array(gradients)[0], to_array(hessians)[0]
        l1, l2 = np.float32(l1.item()), np.float32(l2.item())
        if len(gradients) == len(hessians):
            change, _ = weights_and_gains(gradients, hessians, l1, l2)
        else:
            change, _ = vector_weights_and_gains(gradients, hessians, l2)
        with ensemble.checked().lock:
            ensemble.stamp += 1
            if not ensemble.tree_count:
                ensemble.add_tree(1.0, change.tolist())
                # How small the first step is tells nothing: it is small with much regularization, too.
                return torch.tensor(True)
            leaf = ensemble.message.trees[0].nodes[0].leaf
            old = leaf_values(leaf)
            set_leaf(leaf, (old + change).tolist())
            ensemble.packed.pop(0, None)
            with np.errstate(divide="ignore", invalid="ignore"):
                return torch.tensor(bool((np.abs(change / old) > _SETTLED).any()))

    return center


# ---- examples ----

_MADE = made("BoostedTreesEnsembleResourceHandleOp")
_CREATED = made("BoostedTreesCreateEnsemble", _MADE, np.int64(0), b"")
_WITH_TREE = made("BoostedTreesCreateEnsemble", _MADE, np.int64(3), serialized_stump())
_AFTER = [made("BoostedTreesSerializeEnsemble", _MADE)]
_SIDES = [np.array([[0.2]], np.float32), np.array([[0.6]], np.float32)], [np.array([[-0.4]], np.float32)] * 2
_SPLITS = [np.array([0], np.int32)] * 2, [np.array([1.5], np.float32), np.array([2], np.float32)]
_THRESHOLDS = [np.array([1], np.int32), np.array([2], np.int32)]
_HOW = np.int32(2), np.float32(0.5)
_UPDATE = np.array([4, 1], np.int32), *_SPLITS, _THRESHOLDS, *_SIDES, *_HOW
update_op.accepts(_MADE, *_UPDATE, pruning_mode=0, before=[_CREATED], after=_AFTER)
update_op.accepts(_MADE, *_UPDATE, pruning_mode=1, before=[_WITH_TREE], after=_AFTER)
update_op.rejects(_MADE, *_UPDATE, pruning_mode=0, error=NotFoundError)
_DIMENSIONS = [np.array([0], np.int32), np.array([3], np.int32)]
_KINDS = [np.array([b"EQUALITY_DEFAULT_RIGHT"]), np.array([b"INEQUALITY_DEFAULT_RIGHT"])]
_UPDATE_V2 = _UPDATE[0], _DIMENSIONS, *_UPDATE[1:6], _KINDS, *_HOW
update_v2_op.accepts(_MADE, *_UPDATE_V2, np.int32(0), before=[_CREATED], after=_AFTER)
update_v2_op.accepts(_MADE, *_UPDATE_V2, np.int32(2), before=[_WITH_TREE], after=_AFTER)
update_v2_op.rejects(_MADE, *_UPDATE_V2, np.int32(0), error=NotFoundError)
_MEANS = np.array([[0.4]], np.float32), np.array([[2]], np.float32), np.float32(0), np.float32(0.1)
bias_op.accepts(_MADE, *_MEANS, before=[_CREATED], after=_AFTER)
bias_op.rejects(_MADE, _MEANS[0][0], *_MEANS[1:], before=[_CREATED], error=ValueError)
