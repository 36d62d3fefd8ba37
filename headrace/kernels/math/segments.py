"""Rows reduced by their ids."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64, torch.uint64: torch.int64}
_HIGHEST_BIT = -(2**63)
# From so many numbers on, in rows so long, sorting the ids pays: 100,000 rows of 64 in 1.7 ms, where index_add_ takes 5.
_MANY, _WIDE = 4_000_000, 32
# Sums that stay in a core's caches are added to in place; from so many numbers on in parts of so many each, which threads
# share. Parts of all columns: every fourth line of memory costs as much as all of them.
_CACHED, _FOR_THREADS = 2**18, 2**20
_OF_BAGS = (torch.float32, torch.float64)
REDUCTIONS = {"Prod": "prod", "Min": "amin", "Max": "amax"}


def _lowest(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).min if dtype.is_floating_point else torch.iinfo(dtype).min


def _highest(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).max if dtype.is_floating_point else torch.iinfo(dtype).max


EMPTY: dict[str, Callable[[torch.dtype], float]] = {
    "Sum": lambda _: 0,
    "Prod": lambda _: 1,
    "Min": _highest,
    "Max": _lowest,
}


def combined(kind: str, data: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    """Rows of `data` (n, ...) reduced into `count` rows by `ids` (n,), which are in range; ids without rows get the
    reduction's neutral element."""
    rows = (count, *data.shape[1:])
    if kind == "Sum":
        added = _sums_in_cache(data, ids, count)
        if added is not None:
            return added
        if data.dim() == 2 and data.numel() >= _MANY and data.shape[1] >= _WIDE and data.dtype in _OF_BAGS:
            return _sums_in_order(data, ids, count)
        return data.new_zeros(rows).index_add_(0, ids, data)
    result = torch.full(rows, EMPTY[kind](data.dtype), dtype=data.dtype, device=data.device)
    if data.dtype.is_complex:
        # torch has no index_reduce of complex numbers.
        array = result.cpu().numpy()
        np.multiply.at(array, ids.cpu().numpy(), data.cpu().numpy())
        return torch.from_numpy(array).to(data.device)
    return result.index_reduce_(0, ids, data, REDUCTIONS[kind])


def _sums_in_cache(data: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor | None:
    """The sums by the runner, in the same order with any number of threads; None where it does not compute them."""
    asked = direct_call("add_to_segments")
    if asked is None or data.dim() != 2 or data.device.type != "cpu" or count * data.shape[1] > _CACHED:
        return None
    length, width = data.shape
    # What begins at zero and is added up in the end has to be little beside what is added.
    rows = max(length, 1) if data.numel() < _FOR_THREADS else max(_FOR_THREADS // width, 8 * count)
    parts = data.new_zeros((max(1, -(-length // rows)), count, width))
    if asked(data, ids, parts, rows, torch.get_num_threads()) is None:
        return None
    return parts.sum(0) if len(parts) > 1 else parts[0]


def _sums_in_order(data: torch.Tensor, ids: torch.Tensor, count: int) -> torch.Tensor:
    """The sums of rows, an id after the other: each sum stays in a register, where index_add_ goes to memory."""
    # Numbers of a byte are sorted in a fifth of the time.
    order = (ids.to(torch.uint8) if count <= 256 else ids).argsort(stable=True)
    counts = torch.bincount(ids, minlength=count)
    return torch.nn.functional.embedding_bag(order, data, counts.cumsum(0) - counts, mode="sum")


@functools.cache
def _know_beta() -> None:
    """Takes torch's one warning that index_reduce_ may change, which is for us and not for users."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.zeros(1).index_reduce_(0, torch.zeros(1, dtype=torch.int64), torch.zeros(1), "amax")


def in_wider(node: NodeView, run: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """`run`, with its first input in a type that torch reduces."""
    _know_beta()
    dtype = node.inputs[0].dtype.torch
    wider = _WIDER.get(dtype)
    if wider is None:
        return run
    if dtype is torch.uint64 and node.type in ("UnsortedSegmentMax", "UnsortedSegmentMin"):
        # No type is wider: with the highest bit the other way round, they are in order as signed numbers.
        return lambda data, *rest: (run(data.view(wider) ^ _HIGHEST_BIT, *rest) ^ _HIGHEST_BIT).view(dtype)
    return lambda data, *rest: run(data.to(wider), *rest).to(dtype)


def check_segments(ids: torch.Tensor, count: int | None = None, sorted_too: bool = True) -> None:
    """Checks the ids of rows that lie segment by segment.

    Args:
        ids: the ids.
        count: how many segments there are, by default one more than the last id says.
        sorted_too: whether they must be ascending.

    Raises:
        InvalidArgumentError: in the words for the first segment that is amiss.
    """
    if not ids.shape[0]:
        return
    last = int(ids[-1])
    if last < 0 and count is None:
        raise InvalidArgumentError(None, None, "segment ids must be >= 0")
    count = last + 1 if count is None else count
    if int(ids[0]) >= 0 and last < count and not bool((ids[1:] < ids[:-1]).any()):
        return
    found = torch.unique_consecutive(ids).tolist()
    for i, one in enumerate(found):
        if sorted_too and i + 1 < len(found) and found[i + 1] < one:
            raise InvalidArgumentError(None, None, "segment ids are not increasing")
        if not 0 <= one < count:
            because = ", possibly because 'segment_ids' input is not sorted" if sorted_too else ""
            raise InvalidArgumentError(None, None, f"Segment id {one} out of range [0, {count}){because}.")
