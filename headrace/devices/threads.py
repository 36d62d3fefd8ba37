"""Switching between one thread and all of them in the middle of a step; a switch costs a tenth of a microsecond."""

from __future__ import annotations

import torch

from headrace.devices.denormals import flush_denormals

_set = torch.set_num_threads
_all = torch.get_num_threads()
_steps = 1
# From as many elements on torch divides an element-wise operation among its threads.
_DIVIDED = 1 << 17
_started = False


def start_threads() -> None:
    """Starts torch's threads so that numbers too small to be normal count as 0 in all of them, as in TensorFlow.

    A thread keeps the mode of the one that starts it, and torch sets only that of the calling thread later on. Such
    numbers come up in every longer training, in gradients and moments that die out, and arithmetic with them is a
    hundred times slower.
    """
    global _started
    if not _started:
        _started = True
        flush_denormals(True)
        torch.zeros(_DIVIDED).add_(1.0)
        flush_denormals(False)


def use_threads(count: int) -> int:
    """Sets how many threads `all_threads` means; 0 means the machine's own number. Returns what it meant before."""
    global _all
    before, _all = _all, count or torch.get_num_threads()
    return before


def share_threads(steps: int) -> None:
    """Divides what `all_threads` gives among so many steps that run at the same time.

    Threads that wait for one another, more of them than there are processors, take longer than one alone.
    """
    global _steps
    _steps = steps


def all_threads() -> None:
    """From here on, kernels use all threads."""
    _set(_all if _steps <= 1 else max(_all // _steps, 1))


def one_thread() -> None:
    """From here on, kernels use the calling thread only."""
    _set(1)


def thread_count() -> int:
    """How many threads `all_threads` means."""
    return _all
