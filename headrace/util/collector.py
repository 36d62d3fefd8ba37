"""Python's cyclic garbage collector while much is imported."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def without_collections(
    action: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> _Result:
    """What `action` gives; until it is done the garbage collector does not run.

    What is imported stays, so a collection in between finds nothing and takes longer each time: a third of the time of
    a program's first use of PyTorch and of layers.

    Args:
        action: what imports.
        *args, **kwargs: its arguments.
    """
    if not gc.isenabled():
        return action(*args, **kwargs)
    gc.disable()
    try:
        return action(*args, **kwargs)
    finally:
        if gc.get_count()[0] > gc.get_threshold()[0] and not gc.get_freeze_count():
            # Both together put all objects among the oldest, as the collections that were left out would have done,
            # without a look at each.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
