"""Rows and values of ragged tensors, by number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.functions.array import gather as dense
from headrace.functions.array.tile import repeat
from headrace.functions.flow.checks import assert_equal
from headrace.functions.ragged.layout import expand_dims, tile
from headrace.functions.ragged.splits import same_splits_type
from headrace.functions.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor, is_ragged
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def _refuse_others(axis: int, batch_dims: int) -> None:
    if not isinstance(axis, int) or axis != 0:
        raise ValueError("axis != 0 is not supported for ragged gather yet.")
    if not isinstance(batch_dims, int) or batch_dims != 0:
        raise ValueError("batch_dims != 0 is not supported for ragged gather yet.")


def gather(
    params: Any, indices: Any, validate_indices: Any = None, name: str | None = None, axis: int = 0, batch_dims: int = 0
) -> Any:
    """`tf.gather` where `params` or `indices` is ragged: rows by number.

    Raises:
        ValueError: for another axis than 0, batch dimensions, or indices of unknown rank.
    """
    _refuse_others(axis, batch_dims)
    with name_scope(name, "RaggedGather"):
        params = convert_to_tensor_or_ragged_tensor(params, name="params")
        indices = convert_to_tensor_or_ragged_tensor(indices, name="indices")
        same_splits_type(params, indices)
        if isinstance(indices, RaggedTensor):
            return indices.with_values(gather(params, indices.values))
        if not isinstance(params, RaggedTensor):
            return composing.gather(params, indices)
        if indices.dims is None:
            raise ValueError("indices.shape.ndims must be known statically")
        splits = list(params.nested_row_splits)
        levels, values = raw.RaggedGather(
            splits, params.flat_values, indices, OUTPUT_RAGGED_RANK=len(indices.dims) + len(splits) - 1
        )
        return RaggedTensor.from_nested_row_splits(values, levels, validate=False) if levels else values


def gather_nd(params: RaggedTensor, indices: Any, name: str | None = None, batch_dims: int = 0) -> Any:
    """`tf.gather_nd` where `params` or `indices` is ragged: values by the numbers of their rows and columns.

    Raises:
        ValueError: for batch dimensions, or indices of which too little is known.
    """
    _refuse_others(0, batch_dims)
    with name_scope(name, "RaggedGatherNd"):
        params = convert_to_tensor_or_ragged_tensor(params, name="params")
        indices = convert_to_tensor_or_ragged_tensor(indices, name="indices")
        splits_type, _ = same_splits_type(params, indices)
        rank = indices.shape.ndims
        if rank is None:
            raise ValueError("indices.rank be statically known.")
        if rank == 0:
            raise ValueError("indices.rank must be at least 1.")
        if is_ragged(indices) and rank == indices.ragged_rank + 1:
            raise ValueError("The innermost dimension of indices may not be ragged")
        size = indices.shape[-1].value
        if size is None:
            raise ValueError("indices.shape[-1] must be statically known.")
        if rank > 2:
            was_dense = not isinstance(indices, RaggedTensor)
            if was_dense:
                indices = RaggedTensor.from_tensor(indices, ragged_rank=rank - 2, row_splits_dtype=splits_type)
            flat = indices.flat_values
            picked = gather_nd(params, flat) if is_ragged(params) else dense.gather_nd(params, flat)
            result = indices.with_flat_values(picked)
            return result.to_tensor() if was_dense and result.ragged_rank == rank - 2 else result
        return _by_tuples(params, indices, size, rank)


def _by_tuples(params: RaggedTensor, indices: Any, size: int, rank: int) -> Tensor | RaggedTensor:
    if size == 0:
        params_rank = params.ragged_rank + composing.rank(params.flat_values)
        for _ in range(rank - 1):
            params = expand_dims(params, axis=0)
        counts = raw.Fill(raw.ExpandDims(params_rank, 0), 1)
        return tile(params, composing.concat([composing.shape(indices)[:-1], counts], 0))
    if size == 1:
        # A vector of one number gives a row in a first dimension of 1, too.
        return gather(params, raw.Reshape(indices, [-1]) if rank > 1 else indices)
    indices = composing.cast(indices, params.row_splits.dtype)
    places = composing.gather(params.row_splits, indices[..., 0]) + indices[..., 1]
    values = params.values
    for column in range(2, size):
        if not isinstance(values, RaggedTensor):
            tuples = composing.concat([composing.expand_dims(places, -1), indices[..., column:]], -1)
            return dense.gather_nd(values, tuples)
        places = composing.gather(values.row_starts(), places) + indices[..., column]
        values = values.values
    return gather(values, places)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Any:
    """`tf.batch_gather` where `params` or `indices` is ragged: within each row, values by number.

    Raises:
        ValueError: if the rows of `indices` cannot be those of `params`.
    """
    with name_scope(name, "RaggedBatchGather"):
        params = convert_to_tensor_or_ragged_tensor(params, name="params")
        indices = convert_to_tensor_or_ragged_tensor(indices, name="indices")
        splits_type, _ = same_splits_type(params, indices)
        rank = indices.shape.ndims
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        if rank == 0:
            raise ValueError("indices.rank must be at least 1.")
        mismatch = ValueError("batch shape from indices does not match params shape")
        if isinstance(indices, RaggedTensor) and rank > 2:
            if not isinstance(params, RaggedTensor):
                raise mismatch
            with control_dependencies([assert_equal(params.row_splits, indices.row_splits)]):
                picked = _batch(params.values, indices.values)
            return RaggedTensor.from_row_splits(picked, indices.row_splits, validate=False)
        if isinstance(indices, RaggedTensor):
            if not isinstance(params, RaggedTensor):
                if params.dims is not None and len(params.dims) < 2:
                    raise mismatch
                params = RaggedTensor.from_tensor(params, ragged_rank=1, row_splits_dtype=splits_type)
            counts = indices.row_lengths()
            offsets = repeat(params.row_starts(), counts, axis=0)
            places = composing.cast(indices.values, offsets.dtype) + offsets
            return RaggedTensor.from_row_splits(gather(params.values, places), indices.row_splits, validate=False)
        if rank == 1:
            return gather(params, indices)
        if rank == 2 and not isinstance(params, RaggedTensor):
            return dense.batch_gather(params, indices)
        if rank == 2:
            offsets = composing.expand_dims(params.row_starts(), 1)
            return gather(params.values, composing.cast(indices, offsets.dtype) + offsets)
        raise mismatch


def _batch(params: Tensor, indices: Tensor) -> Any:
    if is_ragged(params) or is_ragged(indices):
        return batch_gather(params, indices)
    return dense.batch_gather(params, indices)
