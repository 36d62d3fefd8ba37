"""The ops that choose the best split of each node from the sums of gradients and Hessians."""

from __future__ import annotations

import numpy as np
import torch

from headrace.core.registry import op
from headrace.kernels.host_values import to_array, to_tensor
from headrace.kernels.ranks import check_rank, ranked
from headrace.kernels.trees.gains import Regularization
from headrace.kernels.trees.split_search import SplitTable, best_buckets, best_splits

_PENALTIES = "l1: float, l2: float, tree_complexity: float, min_node_weight: float"
_RESULTS = (
    "node_ids: int32, gains: float, feature_dimensions: int32, thresholds: int32, left_node_contribs: float, "
    "right_node_contribs: float, split_with_default_directions: string"
)
gains_op = op(
    "BoostedTreesCalculateBestGainsPerFeature",
    f"node_id_range: int32, stats_summary_list: num_features * float, {_PENALTIES}, *, max_splits: int >= 1, "
    "num_features: int >= 1 -> node_ids_list: num_features * int32, gains_list: num_features * float, "
    "thresholds_list: num_features * int32, left_node_contribs_list: num_features * float, "
    "right_node_contribs_list: num_features * float",
)
split_op = op(
    "BoostedTreesCalculateBestFeatureSplit",
    f"node_id_range: int32, stats_summary: float, {_PENALTIES}, *, logits_dimension: int >= 1, "
    f"split_type: {{'inequality', 'equality'}} = 'inequality' -> {_RESULTS}",
)
_SCALARS = ("l1", "l2", "tree_complexity", "min_node_weight")
gains_op.on_host("node_id_range", "stats_summary_list", *_SCALARS, outputs=True)
split_op.on_host("node_id_range", "stats_summary", *_SCALARS, outputs=True)


def _penalties(values: tuple[torch.Tensor, ...]) -> Regularization:
    return Regularization(*(np.float32(value.item()) for value in values))


def _results(found: SplitTable) -> tuple[torch.Tensor | np.ndarray, ...]:
    numbers = found[:-1]
    return (*(to_tensor(column) for column in numbers), found.kinds)


@gains_op.shape
def gains_shape(op):
    count = op.attrs["num_features"]
    check_rank(op.inputs[0].dims, 1)
    for summary in op.inputs[1 : count + 1]:
        check_rank(summary.dims, 3)
    for scalar in op.inputs[count + 1 :]:
        check_rank(scalar.dims, 0)
    return [*[(None,)] * (3 * count), *[(None, 1)] * (2 * count)]


@gains_op.kernel
def gains_kernel(node):
    count = node.attrs["num_features"]

    def choose(nodes, *inputs):
        first, last = nodes.tolist()
        penalties = _penalties(inputs[count:])
        features: list[list[torch.Tensor]] = []
        summaries = [to_array(summary)[first:last] for summary in inputs[:count]]
        # Features of as many buckets are looked at together.
        if len({summary.shape for summary in summaries}) == 1:
            tables = best_buckets(np.stack(summaries), first, penalties)
        else:
            tables = [best_buckets(summary[None], first, penalties)[0] for summary in summaries]
        features = [[to_tensor(column) for column in table] for table in tables]
        return tuple(feature[column] for column in range(5) for feature in features)

    return choose


def _result_shapes(op):
    logits = op.attrs["logits_dimension"]
    return [(None,), (None,), (None,), (None,), (None, logits), (None, logits), (None,)]


@split_op.shape
@ranked(1, 4, 0, 0, 0, 0)
def split_shape(op):
    return _result_shapes(op)


@split_op.kernel
def split_kernel(node):
    logits, kind = node.attrs["logits_dimension"], node.attrs["split_type"]

    def choose(nodes, summary, *penalties):
        first, last = nodes.tolist()
        return _results(best_splits(to_array(summary), range(first, last), _penalties(penalties), logits, kind))

    return choose


# ---- examples ----

_RANGE = np.array([0, 3], np.int32)
_SUMMARIES = [
    np.array([[[0.1, 1], [-0.4, 2], [0.3, 1]], [[0.6, 2], [0.1, 1], [-0.9, 1]], [[0, 0], [0, 0], [0, 0]]], np.float32),
    np.array([[[0.5, 2], [-0.2, 1], [-0.3, 1]], [[-0.6, 1], [0.2, 2], [0.2, 1]], [[0, 0], [0, 0], [0, 0]]], np.float32),
]
_NONE = [np.float32(0)] * 4
_SOME = [np.float32(0.1), np.float32(0.5), np.float32(0.01), np.float32(0.2)]
gains_op.accepts(_RANGE, _SUMMARIES, *_NONE, max_splits=3).accepts(_RANGE, _SUMMARIES, *_SOME, max_splits=3)
gains_op.rejects(_RANGE, [_SUMMARIES[0][0]], *_NONE, max_splits=3, error=ValueError)
_TABLE = np.stack([np.pad(summary, ((0, 0), (0, 1), (0, 0))) for summary in _SUMMARIES], 1)
_TABLE[:, :, 3] = np.array([0.2, 0.5], np.float32)
split_op.accepts(_RANGE, _TABLE, *_NONE, logits_dimension=1).accepts(_RANGE, _TABLE, *_SOME, logits_dimension=1)
split_op.accepts(_RANGE, _TABLE, *_SOME, logits_dimension=1, split_type="equality")
split_op.rejects(_RANGE, _TABLE[0], *_NONE, logits_dimension=1, error=ValueError)
