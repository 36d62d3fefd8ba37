"""The crosses of `tf.contrib.layers`: SparseFeatureCross and SparseFeatureCrossV2."""

from __future__ import annotations

import numpy as np

from headrace.core.registry import op
from headrace.ops.sparse.common import wholly_on_host
from headrace.ops.sparse.cross import crossing, sparse_cross_kernel, sparse_cross_shape

_FORM = (
    "indices: N * int64, values: *sparse_types, shapes: N * int64, dense: *dense_types, *, hashed_output: bool, "
    "num_buckets: int >= 0, {key}N: int >= 0, sparse_types: list({{int64, string}}), dense_types: list({{int64, string}}), "
    "out_type: {{int64, string}}, internal_type: {{int64, string}} -> output_indices: int64, output_values: out_type, "
    "output_shape: int64"
)

feature_cross_op = wholly_on_host(op("SparseFeatureCross", _FORM.format(key="")))
feature_cross_op.not_differentiable().shape(sparse_cross_shape)

feature_cross_v2_op = wholly_on_host(op("SparseFeatureCrossV2", _FORM.format(key="hash_key: int, ")))
feature_cross_v2_op.not_differentiable().shape(sparse_cross_shape)
feature_cross_v2_op.kernel(sparse_cross_kernel)

_SEED = 0xDECAFCAFFE
_GOLDEN_RATIO = np.uint64(0x9E3779B97F4A7800)


def _combined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """64-bit hashes of pairs, the older way."""
    signed = (first.view(np.int64) >> 4).view(np.uint64)
    return first ^ (second + _GOLDEN_RATIO + (first << np.uint64(10)) + signed)


@feature_cross_op.kernel
def feature_cross_kernel(node):
    return crossing(node, _SEED, _combined)
