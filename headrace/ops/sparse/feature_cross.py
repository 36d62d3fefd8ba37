"""The crosses of `tf.contrib.layers`: SparseFeatureCross and SparseFeatureCrossV2."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.registry import op
from headrace.kernels.sparse.crosses import cross_kernel, cross_shape, crossing
from headrace.kernels.sparse.indices import wholly_on_host

if TYPE_CHECKING:
    from headrace.core.typing import OpView


_FORM = (
    "indices: N * int64, values: *sparse_types, shapes: N * int64, dense: *dense_types, *, hashed_output: bool, "
    "num_buckets: int >= 0, {key}N: int >= 0, sparse_types: list({{int64, string}}), dense_types: list({{int64, string}}), "
    "out_type: {{int64, string}}, internal_type: {{int64, string}} -> output_indices: int64, output_values: out_type, "
    "output_shape: int64"
)


def _most_elements(op: OpView, values: Sequence[np.ndarray]) -> int:
    """In each row as many as the product of what the features have in theirs."""
    count = op.attrs["N"]
    features = [_most_in_a_row(indices) for indices in values[:count]]
    dense = values[2 * count + len(op.attrs["sparse_types"]) :]
    features += [array.shape[-1] if array.ndim else 1 for array in dense]
    rows = max([len(array) for array in (*values[:count], *dense) if array.ndim], default=0)
    return rows * math.prod(features)


def _most_in_a_row(indices: np.ndarray) -> int:
    rows = indices[:, 0] if indices.ndim == 2 and indices.shape[1] else indices.reshape(-1)
    return int(np.unique(rows, return_counts=True)[1].max(initial=0))


feature_cross_op = wholly_on_host(op("SparseFeatureCross", _FORM.format(key="")))
feature_cross_op.not_differentiable().shape(cross_shape)

feature_cross_v2_op = wholly_on_host(op("SparseFeatureCrossV2", _FORM.format(key="hash_key: int, ")))
feature_cross_v2_op.not_differentiable().shape(cross_shape)
feature_cross_v2_op.kernel(cross_kernel)

for _decl in (feature_cross_op, feature_cross_v2_op):
    _decl.most_elements(_most_elements)

_SEED = 0xDECAFCAFFE
_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7800)


def _combined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """64-bit hashes of pairs, the older way: as Boost's `hash_combine`, with the golden ratio in 64 bits."""
    signed = (first.view(np.int64) >> 4).view(np.uint64)
    return first ^ (second + _GOLDEN_RATIO + (first << np.uint64(10)) + signed)


@feature_cross_op.kernel
def feature_cross_kernel(node):
    return crossing(node, _SEED, _combined)


_places = (np.array([[0, 0], [0, 1], [1, 0]], np.int64), np.array([2, 2], np.int64))
_words, _numbers = np.array([b"a", b"b", b"c"], object), np.array([5, 6, 7], np.int64)
for _decl, _key in ((feature_cross_op, {}), (feature_cross_v2_op, {"hash_key": 7})):
    for _kind, _second, _third in (("string", _words[::-1], _words[:2, None]), ("int64", _numbers, _numbers[:2, None])):
        _decl.accepts(
            *([_places[0]] * 2, [_words, _second], [_places[1]] * 2, [_third]),
            sparse_types=["string", _kind],
            dense_types=[_kind],
            internal_type=_kind,
            out_type=_kind,
            **{"hashed_output": _kind == "int64", "num_buckets": 100 if _kind == "int64" else 0, **_key},
        )
