"""The ops that sum gradients and Hessians by node and bucket."""

from __future__ import annotations

import numpy as np
import torch

from headrace.core.registry import op
from headrace.kernels.ranks import check_rank, ranked
from headrace.kernels.trees.traversal import MISSING

_GRADIENTS = "node_ids: int32, gradients: float, hessians: float"
_SIZES = "max_splits: int >= 1, num_buckets: int >= 1"
summary_op = op(
    "BoostedTreesMakeStatsSummary",
    f"{_GRADIENTS}, bucketized_features_list: num_features * int32, *, {_SIZES}, num_features: int >= 1 -> "
    "stats_summary: float",
)
aggregate_op = op("BoostedTreesAggregateStats", f"{_GRADIENTS}, feature: int32, *, {_SIZES} -> stats_summary: float")
sparse_op = op(
    "BoostedTreesSparseAggregateStats",
    f"{_GRADIENTS}, feature_indices: int32, feature_values: int32, feature_shape: int32, *, {_SIZES} -> "
    "stats_summary_indices: int32, stats_summary_values: float, stats_summary_shape: int32",
)


def _summed(cells: torch.Tensor, values: torch.Tensor, count: int) -> torch.Tensor:
    """The rows of `values` added up by cell, in their own precision and the order they come in."""
    width = values.shape[1]
    places = (cells[:, None] * width + torch.arange(width)).reshape(-1)
    sums = torch.zeros(count * width, dtype=values.dtype).index_add_(0, places, values.reshape(-1))
    return sums.float().reshape(count, width)


@summary_op.shape
def summary_shape(op):
    nodes, gradients, hessians, *features = op.inputs
    for value, rank in ((nodes, 1), (gradients, 2), (hessians, 2), *((feature, 1) for feature in features)):
        check_rank(value.dims, rank)
    attrs = op.attrs
    return [(attrs["num_features"], attrs["max_splits"], attrs["num_buckets"], 2)]


@summary_op.kernel
def summary_kernel(node):
    count, splits, buckets = (node.attrs[name] for name in ("num_features", "max_splits", "num_buckets"))

    def summarize(nodes, gradients, hessians, *features):
        # A gradient and its Hessian are added in one go as the two parts of a complex number, in half the time; in double
        # precision, as in 1.15.
        pairs = torch.view_as_complex(torch.cat([gradients, hessians], 1).double())
        first = nodes.to(torch.int64) * buckets
        # There may be one boundary more than buckets. As in 1.15, what lies behind the last bucket counts for the next node.
        cells = count * splits * buckets
        beyond = max(int(feature.max()) for feature in features) + 1 if len(nodes) else 0
        table = torch.zeros(cells + beyond, dtype=pairs.dtype)
        # The gradients stay in the cache from one feature to the next.
        for number, feature in enumerate(features):
            table.index_add_(0, first + feature + number * splits * buckets, pairs)
        return torch.view_as_real(table[:cells]).float().reshape(count, splits, buckets, 2)

    return summarize


@aggregate_op.shape
@ranked(1, 2, 2, 2)
def aggregate_shape(op):
    _, gradients, hessians, feature = (value.dims for value in op.inputs)
    logits, rest = (None if dims is None else dims[1] for dims in (gradients, hessians))
    columns = None if feature is None else feature[1]
    width = None if logits is None or rest is None else logits + rest
    return [(op.attrs["max_splits"], columns, op.attrs["num_buckets"] + 1, width)]


@aggregate_op.kernel
def aggregate_kernel(node):
    splits, buckets = node.attrs["max_splits"], node.attrs["num_buckets"]

    def aggregate(nodes, gradients, hessians, feature):
        # As in 1.15, in double precision; the statistics of sparse features are not.
        values = torch.cat([gradients, hessians], 1).double()
        columns = feature.shape[1]
        # What is missing has a bucket of its own, behind the others.
        filled = torch.where(feature == MISSING, buckets, feature)
        cells = (nodes.to(torch.int64)[:, None] * columns + torch.arange(columns)) * (buckets + 1) + filled
        repeated = values.repeat_interleave(columns, 0)
        table = _summed(cells.reshape(-1), repeated, splits * columns * (buckets + 1))
        return table.reshape(splits, columns, buckets + 1, values.shape[1])

    return aggregate


@sparse_op.shape
@ranked(1, 2, 2, 2, 1, 1)
def sparse_shape(op):
    return [(None, 4), (None,), (4,)]


@sparse_op.kernel
def sparse_kernel(node):
    splits, buckets = node.attrs["max_splits"], node.attrs["num_buckets"]

    def aggregate(nodes, gradients, hessians, indices, values, shape):
        rows, columns = (int(size) for size in shape)
        feature = torch.full((rows, columns), buckets, dtype=torch.int32)
        at = indices.to(torch.int64)
        feature[at[:, 0], at[:, 1]] = values
        stats = torch.cat([gradients, hessians], 1)
        cells = (nodes.to(torch.int64)[:, None] * columns + torch.arange(columns)) * (buckets + 1) + feature
        dims = splits, columns, buckets + 1, stats.shape[1]
        there, numbers = torch.unique(cells, return_inverse=True)
        table = _summed(numbers.reshape(-1), stats.repeat_interleave(columns, 0), len(there))
        keys = torch.stack([there // (columns * dims[2]), there // dims[2] % columns, there % dims[2]], 1)
        keys = keys.repeat_interleave(dims[3], 0)
        places = torch.arange(dims[3]).repeat(len(there))[:, None]
        return torch.cat([keys, places], 1).to(torch.int32), table.reshape(-1), torch.tensor(dims, dtype=torch.int32)

    return aggregate


# ---- examples ----

_NODES = np.array([0, 0, 1, 2, 1], np.int32)
_OF_EACH = [np.array([[0.1], [0.2], [-0.3], [0.4], [0.5]], np.float32), np.array([[1], [2], [3], [4], [5]], np.float32)]
_BUCKETS = np.array([0, 1, 1, 2, 0], np.int32)
summary_op.accepts(_NODES, *_OF_EACH, [_BUCKETS, _BUCKETS[::-1].copy()], max_splits=3, num_buckets=3)
summary_op.rejects(_NODES[:, None], *_OF_EACH, [_BUCKETS], max_splits=3, num_buckets=3, error=ValueError)
_PAIRS = np.array([[0, 1], [1, -1], [1, 2], [2, 0], [0, 0]], np.int32)
aggregate_op.accepts(_NODES, *_OF_EACH, _PAIRS, max_splits=3, num_buckets=3)
aggregate_op.accepts(
    _NODES, np.repeat(_OF_EACH[0], 2, 1), np.repeat(_OF_EACH[1], 4, 1), _PAIRS, max_splits=3, num_buckets=3
)
aggregate_op.rejects(_NODES, *_OF_EACH, _BUCKETS, max_splits=3, num_buckets=3, error=ValueError)
_PLACES = np.array([[0, 0], [1, 1], [4, 0]], np.int32)
_FOUND = [_PLACES, np.array([1, 0, 2], np.int32), np.array([5, 2], np.int32)]
sparse_op.accepts(_NODES, *_OF_EACH, *_FOUND, max_splits=3, num_buckets=3)
sparse_op.rejects(_NODES, *_OF_EACH, _FOUND[1], *_FOUND[1:], max_splits=3, num_buckets=3, error=ValueError)
