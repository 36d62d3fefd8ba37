"""The declarations of ops by family, with the thin public functions over them."""

from __future__ import annotations

import importlib
import pkgutil

from headrace.ops.array import slice as _slice
from headrace.ops.math import operators as _operators

# Whichever family is used first, tensors have their Python operators; importing `slice` gives them `x[...]`.
_operators.install()
assert _slice


_done = False
_failure: Exception | None = None


def declare_all() -> None:
    """Imports every op family, so that all op types are declared.

    Raises:
        Exception: what a family raised. A second attempt raises the same: half-imported, the family would only complain
            that its ops are declared twice.
    """
    global _done, _failure
    if _done:
        return
    if _failure is not None:
        raise _failure
    try:
        for module in pkgutil.walk_packages(__path__, __name__ + "."):
            importlib.import_module(module.name)
    except Exception as error:
        _failure = error
        raise
    _done = True
