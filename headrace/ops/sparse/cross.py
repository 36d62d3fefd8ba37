"""Crosses of features, of sparse and dense batches: SparseCross."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.dtypes import int64, string
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.sparse.crosses import cross_kernel, cross_shape
from headrace.kernels.sparse.indices import wholly_on_host

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


sparse_cross_op = wholly_on_host(
    op(
        "SparseCross",
        "indices: N * int64, values: *sparse_types, shapes: N * int64, dense_inputs: *dense_types, *, N: int >= 0, "
        "hashed_output: bool, num_buckets: int >= 0, hash_key: int, sparse_types: list({int64, string}), dense_types: "
        "list({int64, string}), out_type: {int64, string}, internal_type: {int64, string} -> output_indices: int64, "
        "output_values: out_type, output_shape: int64",
    )
)


_DEFAULT_HASH_KEY = 0xDECAFCAFFE


sparse_cross_op.shape(cross_shape)
sparse_cross_op.kernel(cross_kernel)


_COLUMN = ([np.array([[0, 0]])], [np.array([3])], [np.array([1, 1])])
_HASHED: dict[str, Any] = {
    "hashed_output": True,
    "num_buckets": 9,
    "hash_key": 1,
    "out_type": int64,
    "internal_type": int64,
}
sparse_cross_op.accepts(*_COLUMN, [np.array([[1, 2]])], **_HASHED).rejects(
    *_COLUMN, [np.array([[1], [2]])], **_HASHED, error=InvalidArgumentError
)


def sparse_cross(inputs: list[Any], name: str | None = None) -> SparseTensor:
    """All combinations of the features of each example, as strings joined by "_X_".

    Args:
        inputs: a list of SparseTensors and dense matrices [batch, n] of ints or strings.
        name: a name for the operation.

    Returns:
        a SparseTensor of strings [batch, most combinations of an example].

    Raises:
        TypeError: if `inputs` is no list of such.

    Example:
        >>> x = tf.SparseTensor([[0, 0]], ["a"], [1, 1])
        >>> tf.Session().run(tf.sparse.cross([x, tf.constant([["b", "c"]])])).values
        array([b'a_X_b', b'a_X_c'], dtype=object)
    """
    return _cross(inputs, False, 0, None, name)


def sparse_cross_hashed(
    inputs: list[Any], num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """All combinations of the features of each example, as hashes.

    Args:
        inputs: a list of SparseTensors and dense matrices [batch, n] of ints or strings.
        num_buckets: the hashes are less than this; 0 for all 63 bits.
        hash_key: where hashing starts.
        name: a name for the operation.

    Returns:
        a SparseTensor of int64 [batch, most combinations of an example].

    Raises:
        TypeError: if `inputs` is no list of such.

    Example:
        >>> x = tf.SparseTensor([[0, 0]], ["a"], [1, 1])
        >>> tf.sparse.cross_hashed([x, tf.constant([["b", "c"]])], num_buckets=100).dtype
        tf.int64
    """
    return _cross(inputs, True, num_buckets, hash_key, name)


def _cross(inputs: TensorLike, hashed: bool, num_buckets: int, hash_key: int | None, name: str | None) -> SparseTensor:
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(item, (SparseTensor, Tensor)) for item in inputs):
        raise TypeError("All inputs must be SparseTensors")
    sparse = [item for item in inputs if isinstance(item, SparseTensor)]
    values: list[Any] = [item.values for item in sparse]
    dense: list[Any] = [item for item in inputs if not isinstance(item, SparseTensor)]
    internal = string
    for group in (values, dense):
        for i, item in enumerate(group):
            if item.dtype != string:
                group[i], internal = composing.cast(item, int64), int64
    crossed = raw.SparseCross(
        [item.indices for item in sparse],
        values,
        [item.dense_shape for item in sparse],
        dense,
        hashed_output=hashed,
        num_buckets=num_buckets,
        hash_key=hash_key or _DEFAULT_HASH_KEY,
        out_type=int64 if hashed else string,
        internal_type=internal,
        name=name,
    )
    return SparseTensor(*crossed)
