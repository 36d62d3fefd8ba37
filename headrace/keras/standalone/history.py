"""Logs of training with the names that metrics had before Keras 2.3: `acc` for `accuracy`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class _Logs(dict[str, Any]):
    """Values by metric, found by their other names too."""

    def __missing__(self, key: str) -> Any:
        other = _other(key)
        if other is None or other not in self:
            raise KeyError(key)
        return self[other]


def _other(key: str) -> str | None:
    for one, other in (("acc", "accuracy"), ("accuracy", "acc")):
        if key == one or key.endswith(f"_{one}"):
            return key[: len(key) - len(one)] + other
    return None


def with_old_names(history: Any) -> Any:
    """A `History` whose values are found by either name."""
    if isinstance(getattr(history, "history", None), dict):
        history.history = _Logs(history.history)
    return history


def with_both_names(logs: Mapping[str, Any] | None) -> dict[str, Any]:
    """Logs that have each value under either name."""
    both = dict(logs or {})
    for key, value in list(both.items()):
        other = _other(key)
        if other is not None and not any(kind in key for kind in ("binary_", "categorical_")):
            both.setdefault(other, value)
    return both
