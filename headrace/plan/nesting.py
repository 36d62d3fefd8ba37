"""How far planning goes into functions that call functions: a small graph may ask for more calls than time has room for."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from headrace.core.errors import ResourceExhaustedError

# Each call of a function is planned by itself. Twenty functions that call the one before them twice are a million calls.
MAX_CALLS = 20_000
# A level takes some ten frames of Python's stack.
MAX_LEVELS = 64


class _Planning(threading.local):
    levels = 0
    calls = 0


_planning = _Planning()


@contextlib.contextmanager
def counted() -> Iterator[None]:
    """A context in which one plan is made, perhaps for a kernel of another that is being made.

    Raises:
        ResourceExhaustedError: if it lies too deep in others, or too many have been made for the outermost one.
    """
    state = _planning
    if state.levels == 0:
        state.calls = 0
    if state.levels >= MAX_LEVELS:
        raise ResourceExhaustedError(
            None, None, f"Functions call functions more than {MAX_LEVELS} levels deep, or without end."
        )
    if state.calls >= MAX_CALLS:
        raise ResourceExhaustedError(
            None, None, f"Functions that call functions would be planned for more than {MAX_CALLS} calls in one step."
        )
    state.levels += 1
    state.calls += 1
    try:
        yield
    except RecursionError as error:
        raise ResourceExhaustedError(None, None, f"The graph is too deeply nested to be planned: {error}") from None
    finally:
        state.levels -= 1
