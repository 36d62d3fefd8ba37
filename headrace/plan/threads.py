"""Switching between one thread and all of them in the middle of a step; a switch costs a tenth of a microsecond."""

from __future__ import annotations

import torch

_set = torch.set_num_threads
_all = torch.get_num_threads()


def use_threads(count: int) -> int:
    """Sets how many threads `all_threads` means; 0 means the machine's own number. Returns what it meant before."""
    global _all
    before, _all = _all, count or torch.get_num_threads()
    return before


def all_threads() -> None:
    """From here on, kernels use all threads."""
    _set(_all)


def one_thread() -> None:
    """From here on, kernels use the calling thread only."""
    _set(1)


def thread_count() -> int:
    """How many threads `all_threads` means."""
    return _all
