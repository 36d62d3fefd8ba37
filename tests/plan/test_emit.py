"""What the functions of plans are given beside their kernels."""

from __future__ import annotations

import builtins

from headrace.plan.emit import emit


def test_modules_can_be_imported_below_a_plan() -> None:
    """What C code imports goes through the globals of its caller, as torch's kernels do when first called."""
    emitted = emit([], [], [], set())
    assert emitted.function.__globals__["__builtins__"] is builtins
    assert emitted.function() == ()
