"""Indices into the rows of a variable: checked before anything is written, and applied in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.kernels.state.handles import SIGNED, invalid, shape_text


def check_rows(indices: torch.Tensor, count: int) -> None:
    """Raises InvalidArgumentError, naming the first index that is not in [0, count)."""
    if indices.numel() == 0:
        return
    low, high = torch.aminmax(indices)
    if low.item() >= 0 and high.item() < count:
        return
    flat = indices.reshape(-1)
    bad = int(torch.nonzero((flat < 0) | (flat >= count))[0])
    where = ",".join(str(i) for i in np.unravel_index(bad, tuple(indices.shape))) if indices.ndim else ""
    raise invalid(f"indices{f'[{where}]' if indices.ndim else ''} = {flat[bad].item()} is not in [0, {count})")


def rows_at(params: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    """The rows of `params` at `indices`, of shape indices.shape + params.shape[1:]."""
    if isinstance(params, np.ndarray):
        return params[indices.numpy(), ...]
    signed = SIGNED.get(params.dtype)
    source = params if signed is None else params.view(signed)
    rows = source.index_select(0, indices.reshape(-1)).reshape((*indices.shape, *params.shape[1:]))
    return rows if signed is None else rows.view(params.dtype)


def flat_rows(params: torch.Tensor, indices: torch.Tensor) -> tuple[Any, torch.Tensor]:
    """What an n-d gather or scatter addresses: `params` as rows, and for each index vector the number of its row.

    Raises:
        InvalidArgumentError: naming the first index vector that is outside.
    """
    depth = indices.shape[-1] if indices.ndim else 0
    shape = tuple(params.shape)
    if depth > len(shape):
        raise invalid(f"Index innermost dimension length must be <= params rank; saw: {depth} vs. {len(shape)}")
    leading = shape[:depth]
    rows = params.reshape(int(np.prod(leading, dtype=np.int64)), *shape[depth:])
    vectors = indices.reshape(-1, depth).to(torch.int64)
    if vectors.shape[0] and depth:
        sizes = torch.tensor(leading, device=indices.device)
        outside = ((vectors < 0) | (vectors >= sizes)).any(1)
        if bool(outside.any()):
            bad = int(torch.nonzero(outside)[0])
            at = ",".join(str(i) for i in np.unravel_index(bad, tuple(indices.shape[:-1]))) if indices.ndim > 1 else ""
            vector = ", ".join(str(v) for v in vectors[bad].tolist())
            raise invalid(
                f"indices{f'[{at}]' if indices.ndim > 1 else ''} = [{vector}] does not index into shape {shape_text(shape)}"
            )
    strides = [1] * depth
    for i in range(depth - 2, -1, -1):
        strides[i] = strides[i + 1] * leading[i + 1]
    flat = (vectors * torch.tensor(strides, dtype=torch.int64, device=indices.device)).sum(1)
    return rows, flat.reshape(indices.shape[:-1])


def occurrence_numbers(indices: torch.Tensor) -> torch.Tensor:
    """For each index, how many equal ones stand before it."""
    order = torch.argsort(indices, stable=True)
    ordered = indices[order]
    fresh = torch.ones_like(ordered, dtype=torch.bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    positions = torch.arange(ordered.numel(), device=indices.device)
    starts = torch.cummax(torch.where(fresh, positions, torch.zeros_like(positions)), 0).values
    occurrences = torch.empty_like(positions)
    occurrences[order] = positions - starts
    return occurrences


def combine_rows(
    target: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    combine: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] | None,
) -> None:
    """`target[i] = combine(target[i], update)` for each index in turn, in place; plain writing when `combine` is None.

    Args:
        target: [n, ...], contiguous.
        indices: a vector [k] of row numbers, already checked.
        updates: [k, ...].
        combine: element-wise.
    """
    indices = indices.to(torch.int64)
    signed = SIGNED.get(target.dtype)
    memory = target if signed is None else target.view(signed)

    def write(at: torch.Tensor, update: torch.Tensor) -> None:
        if combine is not None:
            update = combine(rows_at(target, at), update)
        memory.index_copy_(0, at, update if signed is None else update.view(signed))

    if indices.numel() <= 1:
        write(indices, updates)
        return
    occurrences = occurrence_numbers(indices)
    last = int(occurrences.max())
    if last == 0:
        write(indices, updates)
        return
    if combine is None:
        # Of several writes to one row the last one stays.
        final = torch.zeros_like(occurrences, dtype=torch.bool)
        final[occurrence_numbers(indices.flip(0)).flip(0) == 0] = True
        write(indices[final], rows_at(updates, torch.nonzero(final)[:, 0]))
        return
    for occurrence in range(last + 1):
        chosen = torch.nonzero(occurrences == occurrence)[:, 0]
        write(indices[chosen], rows_at(updates, chosen))
