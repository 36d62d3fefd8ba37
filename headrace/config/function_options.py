"""How functions in graphs are run, as far as 1.x let programs choose."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

_EXECUTORS = (None, "", "DEFAULT", "SINGLE_THREADED_EXECUTOR")


@contextlib.contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """A context manager in which functions run by an executor of the given name.

    A function is one piece of straight code here, which each of 1.x's executors would run to the same results: what
    is chosen is checked, and makes no difference.

    Args:
        executor_type: "DEFAULT" or "SINGLE_THREADED_EXECUTOR"; None or "" for the default.

    Raises:
        ValueError: for another name.

    Example:
        >>> double = tf.function(lambda v: 2.0 * v)
        >>> with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
        ...     doubled = double(tf.constant(3.0))
        >>> sess.run(doubled)
        6.0
    """
    if executor_type not in _EXECUTORS:
        raise ValueError(f"executor_type must be one of {_EXECUTORS}, got {executor_type!r}.")
    yield


def output_all_intermediates(state: bool | None) -> None:
    """Whether functional conditions and loops always output what their gradients need.

    Gradients find what they need here in either case, so all that is done is to check the argument.

    Args:
        state: True, False, or None for the default.

    Raises:
        TypeError: for anything else.
    """
    if state not in (True, False, None):
        raise TypeError(f"state must be True, False or None, got {state!r}.")
