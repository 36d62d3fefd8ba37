"""Rows of unequal lengths as one dense tensor: RaggedTensorToTensor."""

from __future__ import annotations

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.ranks import ranked

_SPLITS, _FIRST, _IDS = "ROW_SPLITS", "FIRST_DIM_SIZE", "VALUE_ROWIDS"
# What the attribute may name; 1.15 has no kernel for the last three either.
_KINDS = frozenset({_SPLITS, _FIRST, _IDS, "ROW_LENGTHS", "ROW_LIMITS", "ROW_STARTS"})

ragged_to_tensor_op = op(
    "RaggedTensorToTensor",
    "shape: Tshape, values: T, default_value: T, row_partition_tensors: num_row_partition_tensors * Tindex, *, "
    "Tindex: index, Tshape: index, num_row_partition_tensors: int >= 1, row_partition_types: list(string) -> result: T",
).on_host("shape")


def _invalid(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, text)


@ragged_to_tensor_op.shape
@ranked((0, 1))
def ragged_to_tensor_shape(op):
    kinds = op.attrs["row_partition_types"]
    for kind in kinds:
        if _text(kind) not in _KINDS:
            raise ValueError(f"Unknown string for partition info type: {_text(kind)}")
    new_shape, values = op.constant(0), op.inputs[1].dims
    if values is None:
        return [None]
    depth = len(kinds) - (1 if kinds and _text(kinds[0]) == _FIRST else 0)
    rank = depth + len(values)
    if new_shape is None or new_shape.ndim == 0:
        return [(*[None] * (depth + 1), *values[1:])]
    if new_shape.size != rank:
        raise ValueError(f"shape must have {rank} elements, as many as the result has dimensions, got {new_shape.size}")
    sizes = [None if size < 0 else int(size) for size in new_shape.tolist()]
    sizes[depth + 1 :] = [a if a is not None else b for a, b in zip(sizes[depth + 1 :], values[1:], strict=True)]
    return [tuple(sizes)]


def _text(kind: str) -> str:
    return kind.decode() if isinstance(kind, bytes) else str(kind)


@ragged_to_tensor_op.kernel
def ragged_to_tensor_kernel(node):
    kinds = [_text(kind) for kind in node.attrs["row_partition_types"]]
    if len(kinds) != node.attrs["num_row_partition_tensors"] or not set(kinds) <= {_SPLITS, _FIRST, _IDS}:
        raise _invalid(f"Unsupported row partition types: {kinds}")

    def dense(shape, values, default, *partitions):
        rows = int(partitions[0]) if kinds[0] == _FIRST else len(partitions[0]) - 1
        if kinds[0] == _IDS:
            raise _invalid("The number of rows has to come before the rows of the values.")
        levels = list(zip(kinds, partitions, strict=True))[1 if kinds[0] == _FIRST else 0 :]
        sizes = [rows]
        # Where in the result each item of a level stands, one column of indices for each dimension; -1 is outside.
        where = torch.arange(rows)[:, None]
        for kind, partition in levels:
            part = partition.to(torch.int64)
            if kind == _SPLITS:
                lengths = part.diff()
                if len(part) != len(where) + 1 or bool((lengths < 0).any()) or (len(part) and int(part[0])):
                    raise _invalid("Row splits must begin with 0, not decrease, and be one more than the rows.")
                owner = torch.repeat_interleave(lengths)
                starts = part[:-1]
            else:
                owner = part
                if len(part) and (int(part[0]) < 0 or bool((part.diff() < 0).any()) or int(part[-1]) >= len(where)):
                    raise _invalid("The rows of values must not decrease, and be among the rows there are.")
                lengths = torch.bincount(part, minlength=len(where))
                starts = torch.cumsum(lengths, 0) - lengths
            sizes.append(int(lengths.max()) if len(lengths) else 0)
            place = torch.arange(len(owner)) - starts[owner]
            where = torch.cat([where[owner], place[:, None]], 1)
        if len(values) != len(where):
            raise _invalid(f"There are {len(values)} values, where the rows have {len(where)}")
        sizes += list(values.shape[1:])
        new_shape = shape.tolist()
        if shape.ndim and len(new_shape) != len(sizes):
            raise _invalid(f"shape must have {len(sizes)} elements, got {len(new_shape)}")
        if shape.ndim:
            sizes = [own if size < 0 else size for size, own in zip(new_shape, sizes, strict=True)]
        depth = where.shape[1]
        kept = (where < torch.tensor(sizes[:depth])).all(1)
        inner = tuple(slice(min(a, b)) for a, b in zip(sizes[depth:], values.shape[1:], strict=True))
        whole_rows = (slice(None), *inner)
        if isinstance(values, np.ndarray):
            made: np.ndarray | torch.Tensor = np.empty(sizes, object)
            made[...] = np.broadcast_to(default, sizes[len(sizes) - np.ndim(default) :])
            mask = kept.numpy()
            made[tuple(where.numpy()[mask].T) + inner] = values[mask][whole_rows]
            return made
        made = default.expand(sizes).clone() if default.dim() <= len(sizes) else None
        if made is None:
            raise _invalid("default_value has more dimensions than the result")
        made[tuple(where[kept].unbind(1)) + inner] = values[kept][whole_rows]
        return made

    return dense


ragged_to_tensor_op.accepts(np.array([-1, -1]), [5], 0.0, [np.array([0, 2, 2, 5])], row_partition_types=["ROW_SPLITS"])
