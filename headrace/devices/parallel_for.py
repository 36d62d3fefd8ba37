"""Kernels that torch runs on one thread only, run in chunks on all threads."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable

import torch

from headrace.devices.pool import submit


class _Chunk:
    """One chunk that runs on another thread."""

    __slots__ = ("_compute", "_done", "_failure", "_first", "_last")

    def __init__(self, compute: Callable[[int, int], None], first: int, last: int) -> None:
        self._compute, self._first, self._last = compute, first, last
        self._done = threading.Event()
        self._failure: BaseException | None = None

    def run(self) -> None:
        try:
            self._compute(self._first, self._last)
        except BaseException as error:  # noqa: BLE001 (raised again by whoever waits)
            self._failure = error
        finally:
            self._done.set()

    def wait(self) -> None:
        self._done.wait()

    def raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure


def parallel_for(compute: Callable[[int, int], None], count: int) -> None:
    """Calls `compute` with chunks that make up range(count), on as many threads as torch may use here.

    Args:
        compute: does what there is to do from its first argument up to its second, with one thread, writing where no
            other chunk does.
        count: how much there is.
    """
    threads = min(torch.get_num_threads(), count)
    if threads < 2:
        compute(0, count)
        return
    ends = [count * i // threads for i in range(threads + 1)]
    chunks = [_Chunk(compute, first, last) for first, last in itertools.pairwise(ends[:-1])]
    for chunk in chunks:
        submit(chunk.run)
    all_of_them = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        compute(ends[-2], ends[-1])
    finally:
        for chunk in chunks:
            chunk.wait()  # those that fail as well: the others still write
        torch.set_num_threads(all_of_them)
    for chunk in chunks:
        chunk.raise_failure()


def parallel_blocks(compute: Callable[[int, int], None], count: int, size: int) -> None:
    """Calls `compute` with blocks of `size` that make up range(count); a thread that is done takes the next one.

    For work whose blocks stay in a cache, on machines that are busy with other things as well.

    Args:
        compute: as for `parallel_for`.
        count: how much there is.
        size: how much of it makes a block.
    """
    starts = iter(range(0, count, size))

    def take(_first: int, _last: int) -> None:
        for start in starts:
            compute(start, min(start + size, count))

    parallel_for(take, -(-count // size))
