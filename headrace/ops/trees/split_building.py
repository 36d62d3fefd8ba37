"""The ops that find the best splits of a feature: Build...Splits of `tf.contrib.boosted_trees`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.host_values import to_array, to_tensor
from headrace.kernels.ranks import check_rank
from headrace.kernels.trees import split_building
from headrace.kernels.trees.node_values import LeafObjective, Sums
from headrace.kernels.trees.split_building import FoundSplits, Statistics

_ROWS = "num_minibatches: int64, partition_ids: int32, {ids}: int64, gradients: float, hessians: float, "
_CLASS = "class_id: int32, feature_column_group_id: int32, "
_PENALTIES = (
    "l1_regularization: float, l2_regularization: float, tree_complexity_regularization: float, "
    "min_node_weight: float, multiclass_strategy: int32"
)
_OUTPUTS = "output_partition_ids: int32, gains: float, split_infos: string"
_BUCKETS = f"{_ROWS.format(ids='bucket_ids')}bucket_boundaries: float, {_CLASS}"
_LEARNER = "weak_learner_type: int32"
dense_op = op("BuildDenseInequalitySplits", f"{_BUCKETS}{_PENALTIES}, {_LEARNER} -> {_OUTPUTS}")
sparse_op = op("BuildSparseInequalitySplits", f"{_BUCKETS}bias_feature_id: int64, {_PENALTIES} -> {_OUTPUTS}")
categorical_op = op(
    "BuildCategoricalEqualitySplits",
    f"{_ROWS.format(ids='feature_ids')}{_CLASS}bias_feature_id: int64, {_PENALTIES}, {_LEARNER} -> {_OUTPUTS}",
)
_NORMAL, _OBLIVIOUS = 0, 1


def _shapes(op):
    for place, rank in ((0, 0), (1, 1), (2, 2)):
        check_rank(op.inputs[place].dims, rank)
    for value in op.inputs[6 if op.type != "BuildCategoricalEqualitySplits" else 5 :]:
        check_rank(value.dims, 0)
    return [(None,), (None,), (None,)]


for _decl in (dense_op, sparse_op, categorical_op):
    _decl.on_host(*(arg.name for arg in _decl.signature.inputs), outputs=True)
    _decl.shape(_shapes)


def _statistics(inputs: Sequence[torch.Tensor]) -> Statistics:
    """The first five inputs: the sums over batches become means of them."""
    batches, partitions, buckets, gradients, hessians = (to_array(value) for value in inputs)
    if not buckets.size:
        # No rows may come without columns too.
        buckets = buckets.reshape(0, 2)
    with np.errstate(divide="ignore"):
        return Statistics(partitions, buckets, Sums(gradients, hessians), np.float32(1) / np.float32(batches))


def _objective(class_id: torch.Tensor, penalties: Sequence[torch.Tensor]) -> LeafObjective:
    l1, l2, complexity, weight, strategy = (value.item() for value in penalties)
    return LeafObjective(
        np.float32(l1), np.float32(l2), np.float32(complexity), np.float32(weight), int(strategy), int(class_id)
    )


def _chosen(
    learner: torch.Tensor, normal: Callable[[], FoundSplits], oblivious: Callable[[], FoundSplits]
) -> FoundSplits:
    if int(learner) == _NORMAL:
        return normal()
    if int(learner) == _OBLIVIOUS:
        return oblivious()
    raise InvalidArgumentError(None, None, f"weak_learner_type must be 0 or 1, got {int(learner)}")


def _outputs(found: FoundSplits) -> tuple[torch.Tensor, torch.Tensor, np.ndarray]:
    infos = np.empty(len(found.splits), object)
    infos[:] = found.splits
    return to_tensor(np.array(found.partitions, np.int32)), to_tensor(np.array(found.gains, np.float32)), infos


@dense_op.kernel
def dense_kernel(node):
    def build(*inputs):
        rows, boundaries, objective = _statistics(inputs[:5]), to_array(inputs[5]), _objective(inputs[6], inputs[8:13])
        column = int(inputs[7])
        return _outputs(
            _chosen(
                inputs[13],
                lambda: split_building.dense_splits(rows, boundaries, column, objective),
                lambda: split_building.oblivious_dense_splits(rows, boundaries, column, objective),
            )
        )

    return build


@sparse_op.kernel
def sparse_kernel(node):
    def build(*inputs):
        rows, boundaries, objective = _statistics(inputs[:5]), to_array(inputs[5]), _objective(inputs[6], inputs[9:14])
        found = split_building.sparse_splits(rows, boundaries, int(inputs[7]), int(inputs[8]), objective)
        return _outputs(found)

    return build


@categorical_op.kernel
def categorical_kernel(node):
    def build(*inputs):
        rows, objective = _statistics(inputs[:5]), _objective(inputs[5], inputs[8:13])
        column, bias = int(inputs[6]), int(inputs[7])
        return _outputs(
            _chosen(
                inputs[13],
                lambda: split_building.categorical_splits(rows, column, bias, objective),
                lambda: split_building.oblivious_categorical_splits(rows, column, bias, objective),
            )
        )

    return build


# ---- examples ----

_PARTITIONS = np.array([0, 0, 0, 1, 1], np.int32)
_IDS = np.array([[-1, 0], [1, 0], [3, 0], [-1, 0], [2, 0]])
_NUMBERS = np.array([2, 0.5, 1.25, -3, -0.5], np.float32), np.array([2, 0.25, 0.5, 1.5, 0.75], np.float32)
_VECTORS = np.stack([_NUMBERS[0], -_NUMBERS[0][::-1]], 1), np.stack([_NUMBERS[1], _NUMBERS[1]], 1)
_BOUNDARIES = np.array([0.1, 0.25, 0.5, 0.75], np.float32)
_BIAS, _GROUP = np.int64(-1), np.int32(2)
# Full Hessians are left out: what solves their equations differs in the last bits.
_KINDS = [(_NUMBERS, 1, -1), (_NUMBERS, 1, 1), (_VECTORS, 3, -1)]
for _sums, _strategy, _class in _KINDS:
    _how = *(np.float32(value) for value in (0.1, 0.5, 0.25, 0)), np.int32(_strategy)
    _first = np.int64(2), _PARTITIONS
    for _learner in (np.int32(0), np.int32(1)):
        dense_op.accepts(*_first, np.maximum(_IDS, 0), *_sums, _BOUNDARIES, np.int32(_class), _GROUP, *_how, _learner)
        categorical_op.accepts(*_first, _IDS, *_sums, np.int32(_class), _GROUP, _BIAS, *_how, _learner)
    sparse_op.accepts(*_first, _IDS, *_sums, _BOUNDARIES, np.int32(_class), _GROUP, _BIAS, *_how)
_HOW = *(np.float32(value) for value in (0.1, 0.5, 0.25, 0)), np.int32(1)
for _batches, _no_ids in ((1, np.zeros((0, 0), np.int64)), (0, np.zeros((1, 0), np.int64))):
    _no_rows = np.int64(_batches), np.zeros(0, np.int32), _no_ids, *(np.zeros(0, np.float32),) * 2
    dense_op.accepts(*_no_rows, _BOUNDARIES, np.int32(-1), _GROUP, *_HOW, np.int32(0))
    sparse_op.accepts(*_no_rows, _BOUNDARIES, np.int32(-1), _GROUP, _BIAS, *_HOW)
    categorical_op.accepts(*_no_rows, np.int32(-1), _GROUP, _BIAS, *_HOW, np.int32(0))
# Many partitions that are small, and a large one.
_COUNTS = np.array([1] * 30 + [3, 40] + [2] * 10)
_MANY = np.repeat(np.arange(len(_COUNTS), dtype=np.int32), _COUNTS)
_PLACES = np.arange(len(_MANY)) - np.repeat(np.cumsum(_COUNTS) - _COUNTS, _COUNTS)
_WAVES = np.sin(np.arange(len(_MANY), dtype=np.float32)), np.cos(np.arange(len(_MANY), dtype=np.float32)) ** 2
for _batches in (np.int64(1), np.int64(3)):
    dense_op.accepts(
        _batches,
        _MANY,
        np.stack([_PLACES, np.zeros_like(_PLACES)], 1),
        *_WAVES,
        np.linspace(0, 1, 40, dtype=np.float32),
        np.int32(-1),
        _GROUP,
        *_HOW,
        np.int32(0),
    )
dense_op.rejects(
    np.int64(1),
    _PARTITIONS,
    _IDS[:, 0],
    *_NUMBERS,
    _BOUNDARIES,
    np.int32(0),
    _GROUP,
    *_how,
    np.int32(0),
    error=ValueError,
)
