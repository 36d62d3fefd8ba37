"""What the sparse ops share: checking the three parts of a sparse tensor, ordering index vectors, moving values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.composite import SparseTensor, SparseTensorValue
from headrace.core.dims import Dims, merge_dim
from headrace.core.registry import OpDecl
from headrace.kernels.array.arguments import invalid, rank_is, shape_text, view_dtype_of

# torch computes with few of the unsigned types; these hold their sums modulo their own width.
COMPUTED_AS = {torch.uint16: torch.int32, torch.uint32: torch.int64, torch.uint64: torch.int64}


def sparse_input(value: Any) -> SparseTensor:
    """`value` as a SparseTensor.

    Raises:
        TypeError: if it is neither a SparseTensor nor a SparseTensorValue.
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def wholly_on_host(decl: OpDecl) -> OpDecl:
    """Declares that an op works on the host: what it does is bookkeeping whose results have sizes known only then."""
    return decl.on_host(*(arg.name for arg in decl.signature.inputs), outputs=True)


def matrix_columns(dims: Dims, shape_dims: Dims) -> int | None:
    """The static rank of a sparse tensor, from the static shapes of its indices and its dense shape."""
    return merge_dim(rank_is(dims, 2)[1], rank_is(shape_dims, 1)[0])  # type: ignore[index]  # `rank_is` gives dims of that rank


def count_of(dims: Dims) -> int | None:
    """The number of elements of a vector, if known."""
    return None if dims is None or len(dims) != 1 else dims[0]


def check_parts(indices: torch.Tensor, values: np.ndarray | torch.Tensor, shape: torch.Tensor) -> None:
    """Checks that run-time values are the three parts of a sparse tensor.

    Raises:
        InvalidArgumentError: if their shapes do not fit each other.
    """
    if indices.ndim != 2:
        raise invalid(f"Input indices should be a matrix but received shape {shape_text(indices.shape)}")
    if values.ndim != 1:
        raise invalid(f"Input values should be a vector but received shape {shape_text(values.shape)}")
    if shape.ndim != 1:
        raise invalid(f"Input shape should be a vector but received shape {shape_text(shape.shape)}")
    if indices.shape[0] != values.shape[0]:
        raise invalid(
            f"Number of rows of indices ({indices.shape[0]}) does not match number of entries in values ({values.shape[0]})"
        )
    if indices.shape[1] != shape.shape[0]:
        raise invalid(
            f"Number of columns of indices ({indices.shape[1]}) does not match the rank of the shape ({shape.shape[0]})"
        )


def steps_of(sizes: Sequence[int]) -> list[int]:
    """How far apart neighbours along each axis are in the flattened, row-major order."""
    steps = [1] * len(sizes)
    for i in range(len(sizes) - 2, -1, -1):
        steps[i] = steps[i + 1] * sizes[i + 1]
    return steps


def vector(numbers: Sequence[int], device: torch.device | None = None) -> torch.Tensor:
    """Python ints as an int64 vector."""
    return torch.tensor(list(numbers), dtype=torch.int64, device=device)


def flattened(indices: torch.Tensor, sizes: Sequence[int]) -> torch.Tensor:
    """Index vectors as positions in the flattened axes."""
    if len(sizes) == 1:
        return indices[:, 0]
    return (indices * vector(steps_of(sizes), indices.device)).sum(1)


def row_keys(*matrices: torch.Tensor) -> list[torch.Tensor]:
    """Numbers that order the rows of int64 matrices of one width as the rows themselves are ordered, column by column.

    Rows are equal exactly where their numbers are, across the matrices too. Nothing is assumed of the sizes of the axes,
    whose product need not fit 64 bits, nor that the indices lie within them.
    """
    rows = matrices[0] if len(matrices) == 1 else torch.cat(matrices)
    if rows.shape[1] == 1:
        keys = rows[:, 0]
    elif rows.numel() == 0:
        keys = rows.new_zeros(rows.shape[0])
    else:
        columns = np.ascontiguousarray(rows.cpu().numpy().T)
        low = columns.min(1)
        extents = [int(high) - int(least) + 1 for high, least in zip(columns.max(1), low)]
        if math.prod(extents) < 2**63:
            flat = columns[0] - low[0]
            for column, least, extent in zip(columns[1:], low[1:], extents[1:]):
                flat = flat * extent + (column - least)
            keys = torch.from_numpy(flat).to(rows.device)
        else:
            keys = torch.unique(rows, dim=0, return_inverse=True)[1]
    return list(keys.split([matrix.shape[0] for matrix in matrices])) if len(matrices) > 1 else [keys]


def sorting(keys: torch.Tensor) -> torch.Tensor | None:
    """The stable permutation that sorts `keys`; None if they are sorted."""
    if keys.shape[0] < 2 or bool((keys[1:] >= keys[:-1]).all()):
        return None
    if keys.is_cpu:
        # Its stable sort merges runs that are in order, which is what there mostly are.
        return torch.from_numpy(np.argsort(keys.numpy(), kind="stable"))
    return torch.argsort(keys, stable=True)


def numbered(keys: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Places of the different keys, in order of the keys, and for each key which of them it is; on the host."""
    array = keys.cpu().numpy()
    fresh = np.ones(array.shape, bool)
    # The stable sort merges runs that are in order, which is what there mostly are.
    order = None if (array[1:] >= array[:-1]).all() else np.argsort(array, kind="stable")
    ordered = array if order is None else array.take(order)
    np.not_equal(ordered[1:], ordered[:-1], out=fresh[1:])
    first, number = fresh.nonzero()[0], fresh.cumsum()
    number -= 1
    if order is not None:
        first, ranked = order.take(first), number
        number = np.empty_like(ranked)
        number[order] = ranked
    return torch.from_numpy(first).to(keys.device), torch.from_numpy(number).to(keys.device)


def pick(values: torch.Tensor, where: torch.Tensor) -> torch.Tensor:
    """The elements of a vector of numbers or strings at the positions `where`."""
    if isinstance(values, np.ndarray):
        return values[where.cpu().numpy()]
    view_dtype = view_dtype_of(values.dtype)
    if view_dtype is values.dtype:
        return values.index_select(0, where)
    return values.view(view_dtype).index_select(0, where).view(values.dtype)


def joined(parts: Sequence[Any]) -> torch.Tensor:
    """Vectors of numbers or strings one after another."""
    return np.concatenate(parts) if isinstance(parts[0], np.ndarray) else torch.cat(list(parts))


def check_within(indices: torch.Tensor, sizes: Sequence[int]) -> None:
    """Checks that index vectors lie within axes of `sizes`.

    Raises:
        InvalidArgumentError: naming the first that does not.
    """
    if not indices.numel():
        return
    bad = ((indices < 0) | (indices >= vector(sizes, indices.device))).any(1)
    if bool(bad.any()):
        first = int(bad.nonzero()[0, 0])
        raise invalid(
            f"indices[{first}] = [{','.join(map(str, indices[first].tolist()))}] is out of bounds: need 0 <= index < "
            f"[{','.join(map(str, sizes))}]"
        )
