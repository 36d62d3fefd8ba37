"""Sparse tensors kept in the session and passed on by number, so that queues of dense values can carry them."""

from __future__ import annotations

import itertools
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.buffers import StateKey
from headrace.core.cases import made
from headrace.core.composite import SparseTensor
from headrace.core.defaults import colocate_with
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid
from headrace.kernels.ranks import ranked
from headrace.kernels.sparse.indices import sparse_input

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView, TensorLike


_ADD = "sparse_indices: int64, sparse_values: T, sparse_shape: int64, *, container='', shared_name='' -> "
_INPUTS = ("sparse_indices", "sparse_values", "sparse_shape")
add_op = op("AddSparseToTensorsMap", f"{_ADD}sparse_handle: int64", stateful=True).on_host(*_INPUTS, outputs=True)
add_many_op = op("AddManySparseToTensorsMap", f"{_ADD}sparse_handles: int64", stateful=True)
add_many_op.on_host(*_INPUTS, outputs=True)
take_many_op = op(
    "TakeManySparseFromTensorsMap",
    "sparse_handles: int64, *, dtype: type, container='', shared_name='' -> sparse_indices: int64, "
    "sparse_values: dtype, sparse_shape: int64",
    stateful=True,
)
take_many_op.on_host("sparse_handles", outputs=True)

_Parts = tuple[torch.Tensor, Any, list[int]]


class SparseMap:
    """Sparse tensors by number; each is taken once."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self._kept: dict[int, _Parts] = {}
        self._lock = threading.Lock()

    def add(self, parts: _Parts) -> int:
        """Keeps the parts of a sparse tensor and returns their number."""
        with self._lock:
            number = next(self._numbers)
            self._kept[number] = parts
        return number

    def take(self, number: int) -> _Parts:
        """The parts under a number, which forgets them.

        Raises:
            InvalidArgumentError: if there are none.
        """
        with self._lock:
            parts = self._kept.pop(number, None)
        if parts is None:
            raise invalid(f"Unable to find SparseTensor: {number} in map")
        return parts


def _map_of(node: NodeView) -> SparseMap:
    attrs = node.attrs
    name = attrs["shared_name"] or node.name
    found: SparseMap = node.runtime.object(StateKey("sparse_map", attrs["container"], name), SparseMap)
    return found


def _copied(values: np.ndarray | torch.Tensor) -> np.ndarray | torch.Tensor:
    return values.clone() if isinstance(values, torch.Tensor) else values.copy()


@add_op.shape
@ranked(2, 1, 1)
def add_shape(op):
    return [()]


@add_op.kernel
def add_kernel(node):
    kept = _map_of(node)

    def add(indices, values, shape):
        return torch.tensor(kept.add((indices.clone(), _copied(values), shape.tolist())))

    return add


@add_many_op.shape
@ranked(2, 1, 1)
def add_many_shape(op):
    return [(None,)]


@add_many_op.kernel
def add_many_kernel(node):
    kept = _map_of(node)

    def add(indices, values, shape):
        sizes = shape.tolist()
        if len(sizes) < 2:
            raise invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {len(sizes)}")
        rows = indices[:, 0]
        if rows.numel() > 1 and bool((rows[1:] < rows[:-1]).any()):
            raise invalid("Indices of the input SparseTensor are not ordered by their first column.")
        if rows.numel() and not 0 <= int(rows[0]) <= int(rows[-1]) < sizes[0]:
            raise invalid(f"Indices of the input SparseTensor are out of bounds of its {sizes[0]} rows.")
        ends = torch.searchsorted(rows.contiguous(), torch.arange(sizes[0] + 1)).tolist()
        inner = indices[:, 1:].clone()
        own = _copied(values)
        chunks = itertools.pairwise(ends)
        return torch.tensor([kept.add((inner[a:b], own[a:b], sizes[1:])) for a, b in chunks], dtype=torch.int64)

    return add


@take_many_op.shape
@ranked(1)
def take_many_shape(op):
    return [(None, None), (None,), (None,)]


@take_many_op.kernel
def take_many_kernel(node):
    kept = _map_of(node)
    dtype = node.attrs["dtype"]

    def take(handles):
        if handles.ndim != 1:
            raise invalid(f"sparse_handles should be a vector but received shape {list(handles.shape)}")
        parts = [kept.take(number) for number in handles.tolist()]
        for i, (_, _, shape) in enumerate(parts[1:], 1):
            if len(shape) != len(parts[0][2]):
                # With the axis of the batch.
                raise invalid(
                    f"Inconsistent rank across SparseTensors: rank prior to SparseTensor[{i}] was: "
                    f"{len(parts[0][2]) + 1} but rank of SparseTensor[{i}] is: {len(shape) + 1}"
                )
        if not parts:
            empty = np.empty(0, object) if dtype.torch is None else torch.empty(0, dtype=dtype.torch)
            return torch.empty((0, 1), dtype=torch.int64), empty, torch.zeros(1, dtype=torch.int64)
        rows = torch.repeat_interleave(
            torch.arange(len(parts)), torch.tensor([len(indices) for indices, _, _ in parts])
        )
        indices = torch.cat([rows[:, None], torch.cat([indices for indices, _, _ in parts])], 1)
        chunks = [values for _, values, _ in parts]
        joined = torch.cat(chunks) if isinstance(chunks[0], torch.Tensor) else np.concatenate(chunks)
        largest = [max(sizes) for sizes in zip(*[shape for _, _, shape in parts], strict=True)]
        return indices, joined, torch.tensor([len(parts), *largest])

    return take


_matrix = (np.array([[0, 1], [0, 3], [2, 0]], np.int64), [3], np.array([4, 5], np.int64))
add_op.accepts(*_matrix).rejects(np.array([0, 1, 2], np.int64), *_matrix[1:], error=ValueError)
add_many_op.accepts(*_matrix, varies="1.15 numbers the rows in any order")
add_many_op.rejects(np.array([[0], [1], [2]], np.int64), [3], np.array([3], np.int64), error=InvalidArgumentError)
take_many_op.accepts(made("AddManySparseToTensorsMap", *_matrix, shared_name="map"), dtype="float32", shared_name="map")
take_many_op.rejects(np.array([7], np.int64), dtype="float32", error=InvalidArgumentError)


def add_sparse_to_tensors_map(
    sp_input: SparseTensor, container: str | None = None, shared_name: str | None = None, name: str | None = None
) -> Tensor:
    """Keeps a sparse tensor in the session.

    Args:
        sp_input: a SparseTensor.
        container, shared_name: which map keeps it; the operation's own by default.
        name: a name for the operation.

    Returns:
        its number, an int64 scalar.
    """
    parts = sparse_input(sp_input)
    return raw.AddSparseToTensorsMap(
        parts.indices, parts.values, parts.dense_shape, container=container, shared_name=shared_name, name=name
    )


def add_many_sparse_to_tensors_map(
    sp_input: SparseTensor, container: str | None = None, shared_name: str | None = None, name: str | None = None
) -> Tensor:
    """As `add_sparse_to_tensors_map`, for each row of a sparse tensor of rank above 1; returns an int64 vector."""
    parts = sparse_input(sp_input)
    return raw.AddManySparseToTensorsMap(
        parts.indices, parts.values, parts.dense_shape, container=container, shared_name=shared_name, name=name
    )


def take_many_sparse_from_tensors_map(
    sparse_map_op: Operation, sparse_handles: TensorLike, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Takes sparse tensors out again, as the rows of one.

    Args:
        sparse_map_op: the operation that kept them.
        sparse_handles: their numbers, an int64 vector.
        rank: the result's rank, if known.
        name: a name for the operation.
    """
    with colocate_with(sparse_map_op):
        shared = sparse_map_op.get_attr("shared_name")
        shared = (shared.decode() if isinstance(shared, bytes) else shared) or sparse_map_op.name
        indices, values, shape = raw.TakeManySparseFromTensorsMap(
            sparse_handles, dtype=sparse_map_op.get_attr("T"), shared_name=shared, name=name
        )
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
