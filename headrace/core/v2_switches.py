"""Which of TensorFlow 2's ways, of those that 1.15 can be switched to, a program has asked for.

They are for the program: Headrace's own code goes by 1.x's ways always, in which tensors are keys of dictionaries and the
items of a shape are `Dimension` objects. So what is switched asks who asks.
"""

from __future__ import annotations

import os
import sys

all_of_them = os.environ.get("TF2_BEHAVIOR", "0") != "0"
# None: as `all_of_them`.
tensor_shapes: bool | None = None

# Modules of Python's own whose containers Headrace keeps tensors in.
_OURS_TOO = frozenset(("weakref", "_weakrefset", "functools", "collections", "copy"))


def asked_by_program(depth: int = 2) -> bool:
    """Whether a caller of the function that asks, `depth` frames up, is the program and not Headrace."""
    module = sys._getframe(depth).f_globals.get("__name__", "")
    return not (module.startswith("headrace.") or module in _OURS_TOO)


def integers_in_shapes() -> bool:
    """Whether the items of a `TensorShape` are numbers or None rather than `Dimension` objects."""
    return all_of_them if tensor_shapes is None else tensor_shapes
