"""What `tf.autograph` offers beside conversion."""

from __future__ import annotations

from typing import Any

_verbosity: dict[str, Any] = {"level": 0, "alsologtostdout": False}


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Says how much conversion tells of itself; it says nothing at any level.

    Args:
        level: 0 for nothing.
        alsologtostdout: whether it is printed too.
    """
    _verbosity.update(level=level, alsologtostdout=alsologtostdout)


def trace(*args: Any) -> None:
    """Prints its arguments while the graph is built.

    Args:
        *args: what to print.

    Example:
        >>> tf.autograph.trace(x.shape)
    """
    print(*args)
