"""The extension module `_runner`, where it is built and wanted. HEADRACE_NATIVE=0 turns it off."""

from __future__ import annotations

import os
import sys
import types
from typing import TYPE_CHECKING, Any

from headrace.native.instructions import VOCABULARY

_module: types.ModuleType | None = None
_reason = ""
if os.environ.get("HEADRACE_NATIVE") == "0":
    _reason = "HEADRACE_NATIVE=0"
else:
    try:
        # Not `as _runner`: that would ask the package for `native` before it is there, and it looks everywhere.
        import headrace.native._runner  # noqa: F401  it is looked up in the next line

        _runner = sys.modules["headrace.native._runner"]
        if VOCABULARY.keys() <= _runner.INSTRUCTIONS:
            _module = _runner
        else:
            _reason = "the extension module is of another version: make native"
    except ModuleNotFoundError:
        _reason = "the extension module is not built"
    except ImportError as error:
        _reason = f"the extension module cannot be loaded: {error}"


def runner() -> types.ModuleType:
    """The extension module.

    Raises:
        RuntimeError: if there is none.
    """
    if _module is None:
        raise RuntimeError(f"There is no native runner: {_reason}")
    return _module


def why_not() -> str:
    """Why there is no native runner, or nothing where there is one."""
    return _reason


class _NoProgram:
    """What programs would be made from."""

    def __init__(self, *parts: object) -> None:
        runner()


if TYPE_CHECKING:
    from headrace.native._runner import Program as ProgramBase
else:
    ProgramBase: Any = _NoProgram if _module is None else _module.Program
