"""The ops that grow an ensemble of `tf.contrib.boosted_trees`: a layer of splits, or the bias of all examples."""

from __future__ import annotations

import numpy as np
import torch

from headrace.core.cases import made
from headrace.core.errors import InvalidArgumentError, NotFoundError
from headrace.core.registry import op
from headrace.kernels.host_values import to_array
from headrace.kernels.ranks import check_rank, ranked
from headrace.kernels.trees.gradient_ensemble import GradientEnsemble, leaf_values, parsed_learner
from headrace.kernels.trees.gradient_growing import (
    OBLIVIOUS,
    best_of_layer,
    best_of_partitions,
    growable_tree,
    prune,
    split_layer,
    split_leaf,
)
from headrace.kernels.trees.gradient_stump import serialized_gradient_stump
from headrace.kernels.trees.tree_dropout import dropped_trees, weights_after
from headrace.messages import boosted_tree_protos

_STAMPS = "tree_ensemble_handle: resource, stamp_token: int64, next_stamp_token: int64"
grow_op = op(
    "GrowTreeEnsemble",
    f"{_STAMPS}, learning_rate: float, dropout_seed: int64, max_tree_depth: int32, weak_learner_type: int32, "
    "partition_ids: num_handlers * int32, gains: num_handlers * float, splits: num_handlers * string, *, "
    "learner_config: string, num_handlers: int >= 0, center_bias: bool ->",
    stateful=True,
)
center_op = op(
    "CenterTreeEnsembleBias",
    f"{_STAMPS}, delta_updates: float, *, learner_config: string, centering_epsilon=0.01 -> continue_centering: bool",
    stateful=True,
)
for _decl in (grow_op, center_op):
    _decl.writes("tree_ensemble_handle")
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs[1:]), outputs=True)
center_op.shape(ranked(0, 0, 0, 1)(lambda op: [()]))


@grow_op.shape
def grow_shape(op):
    for value in op.inputs[:7]:
        check_rank(value.dims, 0)
    for value in op.inputs[7:]:
        check_rank(value.dims, 1)
    return []


def _update_dropped_weights(ensemble: GradientEnsemble, learner, seed: int, center_bias: bool) -> None:
    """Once a tree is finished, those that were left out while it grew share their weight with it."""
    message = ensemble.message
    last = len(message.trees) - 1
    rates = learner.learning_rate_tuner.dropout
    kept = {last} | ({0} if center_bias else set())
    dropped = dropped_trees(
        seed, rates.dropout_probability, rates.probability_of_skipping_dropout, kept, message.tree_weights
    )
    for number, weight in enumerate(weights_after(dropped, last, list(message.tree_weights))):
        if weight != message.tree_weights[number]:
            message.tree_weights[number] = weight
            message.tree_metadata[number].num_tree_weight_updates += 1


@grow_op.kernel
def grow_kernel(node):
    learner, count = parsed_learner(node.attrs["learner_config"]), node.attrs["num_handlers"]
    center_bias = node.attrs["center_bias"]

    def grow(ensemble, stamp, following, rate, seed, depth, learner_type, *lists):
        arrays = [to_array(value) for value in lists]
        partitions, gains, splits = (arrays[part * count : (part + 1) * count] for part in range(3))
        with ensemble.checked().lock:
            ensemble.advance(int(stamp), int(following))
            ensemble.count_attempt()
            if int(learner_type) == OBLIVIOUS:
                found = best_of_layer(gains, splits, learner)
                best = {} if found is None else {0: found}
            else:
                best = best_of_partitions(partitions, gains, splits, learner)
            if not best:
                return ()
            tree = growable_tree(ensemble, learner, float(rate), int(depth))
            for place, candidate in best.items():
                if int(learner_type) == OBLIVIOUS:
                    split_layer(tree, candidate, learner)
                else:
                    split_leaf(tree, place, candidate, learner)
            if learner.constraints.max_number_of_unique_feature_columns:
                ensemble.note_handlers(candidate.handler for candidate in best.values())
            if not ensemble.is_last_finalized:
                return ()
            if learner.learning_rate_tuner.HasField("dropout"):
                _update_dropped_weights(ensemble, learner, int(seed), center_bias)
            if learner.pruning_mode == learner.POST_PRUNE:
                prune(tree)
                if not tree.nodes:
                    ensemble.remove_last_tree()
        return ()

    return grow


@center_op.kernel
def center_kernel(node):
    epsilon = np.float32(node.attrs["centering_epsilon"])

    def center(ensemble, stamp, following, updates):
        change = to_array(updates)
        with ensemble.checked().lock:
            ensemble.advance(int(stamp), int(following))
            message = ensemble.message
            if not message.trees:
                ensemble.count_attempt()
                message.trees.add().nodes.add().leaf.vector.value.extend(change.tolist())
                message.tree_weights.append(1.0)
                message.tree_metadata.add(num_layers_grown=1)
                old = np.zeros_like(change)
            else:
                nodes = message.trees[0].nodes
                if len(message.trees) != 1 or len(nodes) != 1:
                    raise InvalidArgumentError(
                        None, None, "The bias is centred before trees are grown: there are some."
                    )
                old = leaf_values(nodes[0].leaf, len(change))
                del nodes[0].leaf.vector.value[:]
                nodes[0].leaf.vector.value.extend((old + change).tolist())
                ensemble.packed.pop(0, None)
            goes_on = bool((np.abs(change) > epsilon).any())
            message.tree_metadata[0].is_finalized = not goes_on
            return torch.tensor(goes_on)

    return center


# ---- examples ----

_MADE = made("DecisionTreeEnsembleResourceHandleOp")
_EMPTY = made("CreateTreeEnsembleVariable", _MADE, np.int64(0), b"")
_STUMP = made("CreateTreeEnsembleVariable", _MADE, np.int64(0), serialized_gradient_stump())
_AFTER = [made("TreeEnsembleSerialize", _MADE)]


def _split(threshold: float) -> bytes:
    info = boosted_tree_protos.SplitInfo()
    info.split_node.dense_float_binary_split.threshold = threshold
    info.left_child.vector.value.append(-threshold)
    info.right_child.vector.value.append(threshold)
    serialized: bytes = info.SerializeToString()
    return serialized


def _learner(pruning: int, growing: int) -> bytes:
    config = boosted_tree_protos.LearnerConfig(num_classes=2, pruning_mode=pruning, growing_mode=growing)
    serialized: bytes = config.SerializeToString()
    return serialized


_FOUND = (
    [np.array([0], np.int32), np.array([0], np.int32)],
    [np.array([0.5], np.float32), np.array([1.5], np.float32)],
    [np.array([_split(0.25)]), np.array([_split(0.75)])],
)
_LOST = _FOUND[0], [-gains for gains in _FOUND[1]], _FOUND[2]
_FIRST = _MADE, np.int64(0), np.int64(1), np.float32(0.5), np.int64(3)
_NORMAL = np.int32(0)
for _mode in (1, 2):
    for _depth in (np.int32(1), np.int32(3)):
        grow_op.accepts(
            *_FIRST,
            _depth,
            _NORMAL,
            *_FOUND,
            learner_config=_learner(1, _mode),
            center_bias=False,
            before=[_EMPTY],
            after=_AFTER,
        )
grow_op.accepts(
    *_FIRST,
    np.int32(1),
    _NORMAL,
    *_LOST,
    learner_config=_learner(1, 1),
    center_bias=False,
    before=[_EMPTY],
    after=_AFTER,
)
grow_op.accepts(
    *_FIRST,
    np.int32(1),
    _NORMAL,
    *_LOST,
    learner_config=_learner(2, 1),
    center_bias=False,
    before=[_EMPTY],
    after=_AFTER,
)
grow_op.rejects(
    *_FIRST, np.int32(1), _NORMAL, *_FOUND, learner_config=_learner(1, 1), center_bias=False, error=NotFoundError
)
_DELTA = np.array([0.5], np.float32)
_CENTER = _MADE, np.int64(0), np.int64(1)
_CENTERED = made(center_op.type, *_CENTER, _DELTA, learner_config=_learner(1, 1))
center_op.accepts(*_CENTER, _DELTA, learner_config=_learner(1, 1), before=[_EMPTY], after=_AFTER)
center_op.accepts(
    _MADE, np.int64(1), np.int64(2), _DELTA, learner_config=_learner(1, 1), before=[_EMPTY, _CENTERED], after=_AFTER
)
center_op.rejects(*_CENTER, _DELTA, learner_config=_learner(1, 1), error=NotFoundError)
