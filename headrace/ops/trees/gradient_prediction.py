"""The ops that ask the ensembles of `tf.contrib.boosted_trees`: predictions, and the leaves that examples come to."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch

from headrace.core.cases import made
from headrace.core.errors import NotFoundError
from headrace.core.registry import op
from headrace.kernels.host_values import to_array, to_tensor
from headrace.kernels.ranks import check_rank
from headrace.kernels.trees import gradient_paths
from headrace.kernels.trees.gradient_ensemble import GradientEnsemble, parsed_learner
from headrace.kernels.trees.gradient_paths import Examples
from headrace.kernels.trees.gradient_stump import serialized_gradient_stump
from headrace.kernels.trees.tree_dropout import dropped_trees
from headrace.messages import boosted_tree_protos

_FEATURES = (
    "dense_float_features: num_dense_float_features * float, "
    "sparse_float_feature_indices: num_sparse_float_features * int64, "
    "sparse_float_feature_values: num_sparse_float_features * float, "
    "sparse_float_feature_shapes: num_sparse_float_features * int64, "
    "sparse_int_feature_indices: num_sparse_int_features * int64, "
    "sparse_int_feature_values: num_sparse_int_features * int64, "
    "sparse_int_feature_shapes: num_sparse_int_features * int64"
)
_COUNTS = (
    "num_dense_float_features: int >= 0, num_sparse_float_features: int >= 0, num_sparse_int_features: int >= 0, "
    "use_locking=False"
)
_HOW = "apply_dropout: bool, apply_averaging: bool, center_bias: bool, reduce_dim: bool"
_PREDICT = (
    f"tree_ensemble_handle: resource, seed: int64, {_FEATURES}, *, learner_config: string, {_COUNTS}, {_HOW} -> "
    "predictions: float, drop_out_tree_indices_weights: float"
)
predict_op = op("GradientTreesPrediction", _PREDICT, stateful=True)
verbose_op = op("GradientTreesPredictionVerbose", f"{_PREDICT}, leaf_index: int32", stateful=True)
partition_op = op(
    "GradientTreesPartitionExamples",
    f"tree_ensemble_handle: resource, {_FEATURES}, *, {_COUNTS} -> partition_ids: int32",
    stateful=True,
)
for _decl in (predict_op, verbose_op, partition_op):
    _decl.reads("tree_ensemble_handle")
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs[1:]), outputs=True)


def _logits(attrs) -> int:
    classes = parsed_learner(attrs["learner_config"]).num_classes
    return max(classes - 1 if attrs["reduce_dim"] else classes, 0)


def _check_features(op, start: int) -> None:
    dense = op.attrs["num_dense_float_features"]
    sparse = op.attrs["num_sparse_float_features"], op.attrs["num_sparse_int_features"]
    ranks = [2] * dense
    for count in sparse:
        ranks += [2] * count + [1] * (2 * count)
    for value, rank in zip(op.inputs[start:], ranks, strict=True):
        check_rank(value.dims, rank)


@predict_op.shape
def predict_shape(op):
    _check_features(op, 2)
    return [(None, _logits(op.attrs)), (2, None)]


@verbose_op.shape
def verbose_shape(op):
    _check_features(op, 2)
    return [(None, _logits(op.attrs)), (2, None), (None, None)]


@partition_op.shape
def partition_shape(op):
    _check_features(op, 1)
    return [(None,)]


def _examples(inputs: Sequence[torch.Tensor], attrs) -> Examples:
    dense, floats, ints = (attrs[f"num_{kind}_features"] for kind in ("dense_float", "sparse_float", "sparse_int"))
    arrays = [to_array(value) for value in inputs]

    def triples(start: int, count: int) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        parts = (arrays[start + part * count : start + (part + 1) * count] for part in range(3))
        return list(zip(*parts, strict=True))

    return Examples(arrays[:dense], triples(dense, floats), triples(dense + 3 * floats, ints))


def _averaged(message, weights: list[np.float32], config) -> list[np.float32]:
    """The weights of trees where the predictions after each of the last trees are averaged."""
    count = len(weights)
    if config.HasField("average_last_n_trees"):
        last = math.ceil(min(float(count), config.average_last_n_trees))
    elif config.HasField("average_last_percent_trees"):
        last = math.ceil(np.float32(count) * np.float32(config.average_last_percent_trees))
    else:
        return weights
    found = list(weights)
    # The last tree is in one of the averaged predictions, the one before it in two, ...
    for place in range(count):
        from_end = count - place
        if from_end < last:
            found[place] = found[place] * np.float32(from_end) / np.float32(last)
    return found


def _trees_to_ask(
    ensemble: GradientEnsemble, seed: int, attrs
) -> tuple[list[tuple[int, np.float32]], list[tuple[int, float]]]:
    """The trees that count, with their weights; and those that are dropped."""
    learner, message = parsed_learner(attrs["learner_config"]), ensemble.message
    count = len(message.trees)
    only_finalized = learner.growing_mode == boosted_tree_protos.LearnerConfig.WHOLE_TREE
    # The bias counts while it is being centred.
    is_bias = count == 1 and attrs["center_bias"]
    # Ensembles from files may come without metadata: then no tree is growing.
    grows = bool(message.tree_metadata) and not is_bias and not message.tree_metadata[-1].is_finalized
    hidden = count - 1 if only_finalized and grows else None
    dropped: list[tuple[int, float]] = []
    if attrs["apply_dropout"] and learner.learning_rate_tuner.HasField("dropout"):
        rates = learner.learning_rate_tuner.dropout
        kept = {0} if attrs["center_bias"] else set()
        # Where trees have been grown in batches, the last one is that which grows.
        if message.growing_metadata.num_trees_attempted:
            kept.add(count - 1)
        dropped = dropped_trees(
            seed, rates.dropout_probability, rates.probability_of_skipping_dropout, kept, message.tree_weights
        )
    weights = [np.float32(weight) for weight in message.tree_weights]
    if attrs["apply_averaging"] and learner.HasField("averaging_config"):
        weights = _averaged(message, weights, learner.averaging_config)
    out = {number for number, _ in dropped} | ({hidden} if hidden is not None else set())
    return [(number, weight) for number, weight in enumerate(weights) if number not in out], dropped


def _predict(ensemble: GradientEnsemble, seed: int, examples: Examples, attrs, size: int):
    with ensemble.checked().lock:
        trees, dropped = _trees_to_ask(ensemble, seed, attrs)
        found, leaves = gradient_paths.predictions(ensemble, trees, examples, size)
    table = np.array(dropped, np.float32).reshape(-1, 2).T
    return to_tensor(found), to_tensor(np.ascontiguousarray(table)), to_tensor(leaves)


@predict_op.kernel
def predict_kernel(node):
    attrs, size = node.attrs, _logits(node.attrs)

    def predict(ensemble, seed, *features):
        return _predict(ensemble, int(seed), _examples(features, attrs), attrs, size)[:2]

    return predict


@verbose_op.kernel
def verbose_kernel(node):
    attrs, size = node.attrs, _logits(node.attrs)

    def predict(ensemble, seed, *features):
        return _predict(ensemble, int(seed), _examples(features, attrs), attrs, size)

    return predict


@partition_op.kernel
def partition_kernel(node):
    attrs = node.attrs

    def partition(ensemble, *features):
        examples = _examples(features, attrs)
        with ensemble.checked().lock:
            return to_tensor(gradient_paths.partition_ids(ensemble, examples))

    return partition


# ---- examples ----

_MADE = made("DecisionTreeEnsembleResourceHandleOp")
_CREATED = made("CreateTreeEnsembleVariable", _MADE, np.int64(3), serialized_gradient_stump())
_LEARNER = boosted_tree_protos.LearnerConfig(num_classes=2).SerializeToString()
_WHOLE = boosted_tree_protos.LearnerConfig(num_classes=2, growing_mode=1).SerializeToString()
_BATCH = (
    [np.array([[0.5], [0.1], [0.25]], np.float32)],
    [np.array([[0, 0], [2, 0]])],
    [np.array([1, 2], np.float32)],
    [np.array([3, 1])],
    [np.array([[1, 0]])],
    [np.array([7])],
    [np.array([3, 1])],
)
_PLAIN = {"apply_dropout": False, "apply_averaging": False, "center_bias": False, "reduce_dim": True}
for _config in (_LEARNER, _WHOLE):
    predict_op.accepts(_MADE, np.int64(1), *_BATCH, learner_config=_config, **_PLAIN, before=[_CREATED])
    verbose_op.accepts(_MADE, np.int64(1), *_BATCH, learner_config=_config, **_PLAIN, before=[_CREATED])
predict_op.rejects(_MADE, np.int64(1), *_BATCH, learner_config=_LEARNER, **_PLAIN, error=NotFoundError)
partition_op.accepts(_MADE, *_BATCH, before=[_CREATED])
