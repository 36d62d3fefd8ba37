"""Checkpoints that wait for objects to be made: while executing eagerly, what is restored before it exists gets its values
as soon as it does."""

from __future__ import annotations

import threading
import weakref
from typing import Any

# What has been asked for and not been found yet: objects with `take()`, which restores what is there now, and `number`.
_waiting: weakref.WeakSet[Any] = weakref.WeakSet()


class _State(threading.local):
    taking = False


_state = _State()


def wait(restoration: Any) -> None:
    """Lets `restoration.take()` be called whenever objects have changed."""
    _waiting.add(restoration)


def done(restoration: Any) -> None:
    """Ends what `wait` began."""
    _waiting.discard(restoration)


def changed() -> None:
    """To be called when a layer has been built, a variable been made part of an object, an optimizer made its slots."""
    if not _waiting or _state.taking:
        return
    _state.taking = True
    try:
        # What was asked for last has the last word.
        for restoration in sorted(_waiting, key=lambda waiting: waiting.number):
            restoration.take()
    finally:
        _state.taking = False
