"""Sparse tensors and dense ones, element by element: what is not there in the sparse one is not there in the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.composite import SparseTensor
from headrace.core.registry import raw

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def sparse_dense_cwise_add(sp_t: SparseTensor, dense_t: TensorLike) -> SparseTensor:
    """The elements of a sparse tensor, with those of a dense one in the same places added.

    Args:
        sp_t: the sparse tensor.
        dense_t: the dense one, of a shape that broadcasts to that of `sp_t`.

    Returns:
        a sparse tensor with the indices of `sp_t`.
    """
    values = raw.SparseDenseCwiseAdd(sp_t.indices, sp_t.values, sp_t.dense_shape, dense_t)
    return SparseTensor(sp_t.indices, values, sp_t.dense_shape)
