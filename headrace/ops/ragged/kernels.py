"""The ops of ragged tensors: ranges by row, rows gathered, and the sparse form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.composite import IndexedSlices
from headrace.core.dims import Dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.kernels import composing
from headrace.kernels.ranks import check_rank

# ---- RaggedRange ----

ragged_range = op(
    "RaggedRange",
    "starts: T, limits: T, deltas: T, *, T: {bfloat16, float, double, int32, int64} = int32, Tsplits: index = int64 -> "
    "rt_nested_splits: Tsplits, rt_dense_values: T",
)


@ragged_range.shape
def ragged_range_shape(op):
    rows = None
    for tensor in op.inputs:
        if tensor.dims is None:
            continue
        if len(tensor.dims) > 1:
            raise ValueError(f"Shape must be at most rank 1 but is rank {len(tensor.dims)}")
        if tensor.dims and tensor.dims[0] is not None:
            if rows not in (None, tensor.dims[0]):
                raise ValueError(f"Dimensions must be equal, but are {rows} and {tensor.dims[0]}")
            rows = tensor.dims[0]
    if rows is None and all(tensor.dims == () for tensor in op.inputs):
        rows = 1
    return [(None if rows is None else rows + 1,), (None,)]


@ragged_range.kernel
def ragged_range_kernel(node):
    splits_type = node.attrs["Tsplits"].torch

    def ranges(starts, limits, deltas):
        counts = {len(t) for t in (starts, limits, deltas) if t.dim()}
        if len(counts) > 1:
            raise InvalidArgumentError(None, None, "starts, limits, and deltas must have the same shape")
        rows = counts.pop() if counts else 1
        starts, limits, deltas = (t.reshape(-1).expand(rows) for t in (starts, limits, deltas))
        if bool((deltas == 0).any()):
            raise InvalidArgumentError(None, None, "Requires delta != 0")
        if starts.is_floating_point():
            lengths = torch.ceil((limits - starts).abs() / deltas.abs()).to(torch.int64)
        else:
            lengths = (torch.abs(limits - starts) + torch.abs(deltas) - 1) // torch.abs(deltas)
            lengths = lengths.to(torch.int64)
        backwards = ((deltas > 0) & (starts > limits)) | ((deltas < 0) & (starts < limits))
        lengths = lengths.masked_fill(backwards, 0)
        splits = _splits_of(lengths)
        rows_of = torch.repeat_interleave(lengths)
        steps = torch.arange(len(rows_of), device=rows_of.device) - splits[:-1][rows_of]
        values = starts[rows_of] + steps.to(starts.dtype) * deltas[rows_of]
        return splits.to(splits_type), values

    return ranges


ragged_range.not_differentiable()
ragged_range.accepts(np.array([0, 3], np.int32), np.array([2, 3], np.int32), np.array(1, np.int32))
ragged_range.rejects(
    np.array(0, np.int32), np.array(3, np.int32), np.array(0, np.int32), error=InvalidArgumentError, match="delta"
)


def _splits_of(lengths: torch.Tensor) -> torch.Tensor:
    splits = torch.zeros(len(lengths) + 1, dtype=torch.int64, device=lengths.device)
    torch.cumsum(lengths, 0, out=splits[1:])
    return splits


def _places(starts: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """The places `starts[i], …, starts[i] + lengths[i] - 1` for each i, one after another."""
    rows = torch.repeat_interleave(lengths)
    return torch.arange(len(rows), device=rows.device) - (_splits_of(lengths)[:-1] - starts)[rows]


# ---- RaggedGather ----


def _check_parts(splits: Sequence[Dims], values: Dims) -> None:
    """Raises ValueError where the parts of a ragged tensor are known to have other ranks than such parts have."""
    for split in splits:
        check_rank(split, 1)
    check_rank(values, (1, None))


ragged_gather = op(
    "RaggedGather",
    "params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, params_dense_values: Tvalues, indices: Tindices, *, "
    "Tindices: index, Tsplits: index = int64, OUTPUT_RAGGED_RANK: int >= 0 -> "
    "output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, output_dense_values: Tvalues",
)


@ragged_gather.shape
def ragged_gather_shape(op):
    *splits, values, indices = (tensor.dims for tensor in op.inputs)
    _check_parts(splits, values)
    count = op.attrs["OUTPUT_RAGGED_RANK"]
    if indices is not None and len(indices) + len(splits) - 1 != count:
        raise ValueError(f"OUTPUT_RAGGED_RANK must be indices.rank + {len(splits)} - 1, got {count}")
    return [*[(None,)] * count, None if values is None else (None, *values[1:])]


@ragged_gather.kernel
def ragged_gather_kernel(node):
    splits_type = node.attrs["Tsplits"].torch

    def gather(*inputs):
        *splits, values, indices = inputs
        if not len(splits[0]):
            raise InvalidArgumentError(None, None, "Split tensors must not be empty")
        rows = len(splits[0]) - 1
        places = indices.reshape(-1).to(torch.int64)
        wrong = (places < 0) | (places >= rows)
        if bool(wrong.any()):
            at = np.unravel_index(int(wrong.nonzero()[0]), tuple(indices.shape))
            where = ",".join(map(str, at))
            raise InvalidArgumentError(
                None, None, f"indices{f'[{where}]' if where else ''} = {int(places[wrong][0])} is not in [0, {rows})"
            )
        # The outer dimensions of `indices` are rows of equal lengths.
        made = []
        for axis in range(indices.dim() - 1):
            count = int(np.prod(indices.shape[: axis + 1]))
            made.append(torch.arange(count + 1, device=places.device) * indices.shape[axis + 1])
        for level in splits:
            level = level.to(torch.int64)
            begins = level[places]
            lengths = level[places + 1] - begins
            made.append(_splits_of(lengths))
            places = _places(begins, lengths)
        if not indices.dim():
            # One row: it is not a row among others.
            made = made[1:]
        picked = values[places.numpy()] if isinstance(values, np.ndarray) else values.index_select(0, places)
        return (*(level.to(splits_type) for level in made), picked)

    return gather


@ragged_gather.gradient
def ragged_gather_gradient(op, *grads):
    """The rows' gradients go back to where the rows were taken from."""
    *splits, values, indices = op.inputs
    size = composing.shape(values)
    places = raw.RaggedGather(
        splits,
        composing.cast(raw.Range(0, size[0], 1), splits[0].dtype),
        indices,
        OUTPUT_RAGGED_RANK=op.get_attr("OUTPUT_RAGGED_RANK"),
    )[-1]
    return [*[None] * len(splits), IndexedSlices(grads[-1], places, size), None]


_example_splits = np.array([0, 2, 2, 3], np.int64)
ragged_gather.accepts([_example_splits], [3, 2], np.array([2, 0], np.int32), OUTPUT_RAGGED_RANK=1)
ragged_gather.rejects(
    [_example_splits],
    [3],
    np.array([3], np.int32),
    OUTPUT_RAGGED_RANK=1,
    error=InvalidArgumentError,
    match="is not in",
)

# ---- RaggedTensorToSparse ----

ragged_to_sparse = op(
    "RaggedTensorToSparse",
    "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T, *, Tsplits: index = int64 -> sparse_indices: int64, "
    "sparse_values: T, sparse_dense_shape: int64",
)


@ragged_to_sparse.shape
def ragged_to_sparse_shape(op):
    *splits, values = (tensor.dims for tensor in op.inputs)
    _check_parts(splits, values)
    if values is None:
        return [(None, None), (None,), (None,)]
    rank = len(op.inputs) - 1 + len(values)
    count = None if None in values else int(np.prod(values))
    return [(count, rank), (count,), (rank,)]


@ragged_to_sparse.kernel
def ragged_to_sparse_kernel(node):
    def convert(*inputs):
        *splits, values = inputs
        for level, inner in zip(splits, [*(len(below) - 1 for below in splits[1:]), len(values)], strict=True):
            if not len(level) or int(level[0]) != 0:
                raise InvalidArgumentError(None, None, "First value of ragged splits must be 0.")
            if int(level[-1]) != inner:
                raise InvalidArgumentError(
                    None, None, "Final value of ragged splits must match the length the corresponding ragged array."
                )
        columns: list[Any] = []
        shape = [len(splits[0]) - 1]
        for level in splits:
            level = level.to(torch.int64)
            lengths = level[1:] - level[:-1]
            rows = torch.repeat_interleave(lengths)
            within = torch.arange(len(rows)) - level[:-1][rows]
            columns = [column[rows] for column in columns] + ([rows] if not columns else []) + [within]
            shape.append(int(lengths.max()) if len(lengths) else 0)
        inner_dims = tuple(values.shape[1:])
        inner = int(np.prod(inner_dims))
        indices = torch.stack(columns, 1)
        if inner_dims:
            places = np.stack(np.unravel_index(np.arange(inner), inner_dims), 1).reshape(inner, len(inner_dims))
            below = torch.from_numpy(places).repeat(len(indices), 1)
            indices = torch.cat([indices.repeat_interleave(inner, 0), below], 1)
        return indices, values.reshape(-1), torch.tensor([*shape, *inner_dims], dtype=torch.int64)

    return convert


@ragged_to_sparse.gradient
def ragged_to_sparse_gradient(op, indices_grad, values_grad, shape_grad):
    return [*[None] * (len(op.inputs) - 1), raw.Reshape(values_grad, composing.shape(op.inputs[-1]))]


ragged_to_sparse.aliases()
ragged_to_sparse.on_host("rt_nested_splits")
ragged_to_sparse.accepts([_example_splits], [3])
ragged_to_sparse.accepts([np.array([0, 2], np.int64), np.array([0, 0, 3], np.int64)], [3, 2])
ragged_to_sparse.rejects([_example_splits], [4], error=InvalidArgumentError, match="Final value")
