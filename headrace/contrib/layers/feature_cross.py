"""Crosses of features, and buckets of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.composite import SparseTensor
from headrace.core.dtypes import int64, string
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.ops.math.cast import cast

SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY = 0xDECAFCAFFE


def sparse_feature_cross(
    inputs: Any,
    hashed_output: bool = False,
    num_buckets: int = 0,
    name: str | None = None,
    hash_key: int | None = None,
) -> SparseTensor:
    """All combinations of the features of each example, one of each input.

    Args:
        inputs: a list of dense or sparse tensors of strings or ints, [batch, any].
        hashed_output: whether to give numbers of buckets rather than joined strings.
        num_buckets: the number of buckets; 0 for all of int64.
        name: a name for the operation.
        hash_key: the key of the hash `SparseCross` uses; the older way of hashing without one.

    Returns:
        a `SparseTensor` of int64 or strings, [batch, combinations].

    Raises:
        TypeError: if `inputs` is no list of tensors.
    """
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(i, (SparseTensor, Tensor)) for i in inputs):
        raise TypeError("All inputs must be SparseTensors")
    sparse = [i for i in inputs if isinstance(i, SparseTensor)]
    values = [_hashable(i.values) for i in sparse]
    dense = [_hashable(i) for i in inputs if not isinstance(i, SparseTensor)]
    settings: dict[str, Any] = {
        "hashed_output": hashed_output,
        "num_buckets": num_buckets,
        "out_type": int64 if hashed_output else string,
        "internal_type": string if all(v.dtype == string for v in values + dense) else int64,
        "name": name,
    }
    indices, shapes = [i.indices for i in sparse], [i.dense_shape for i in sparse]
    if hash_key:
        found = raw.SparseFeatureCrossV2(indices, values, shapes, dense, hash_key=hash_key, **settings)
    else:
        found = raw.SparseFeatureCross(indices, values, shapes, dense, **settings)
    return SparseTensor(*found)


def _hashable(values: Tensor) -> Tensor:
    return values if values.dtype == string else cast(values, int64)


def bucketize(input_tensor: Any, boundaries: Sequence[float], name: str | None = None) -> Tensor:
    """For each number, between which of `boundaries` it lies: 0 if below all.

    Args:
        input_tensor: numbers.
        boundaries: floats, ascending.
        name: a name for the operation.

    Returns:
        int32s of the same shape.

    Example:
        >>> bucketize([-5.0, 10.0, 150.0], boundaries=[0, 10, 100])  # [0, 2, 3]
    """
    return raw.Bucketize(input_tensor, boundaries=list(boundaries), name=name)
