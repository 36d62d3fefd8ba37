"""TensorArrays among loop variables and results of branches: their flow goes around, the object is made anew from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.functions.flow.modes import builds_functions


def to_flow(item: object) -> Any:
    """The flow of a TensorArray, anything else as it is.

    Raises:
        NotImplementedError: if arrays are lists here, and this is none.
    """
    if not (hasattr(item, "flow") and hasattr(item, "handle")):
        return item
    if item.handle is not None and builds_functions():
        raise NotImplementedError(
            "A TensorArray that was made outside of a function is used in a branch or a loop of the function, where "
            "TensorArrays are lists: construct a new TensorArray inside the function."
        )
    return item.flow


def with_tensor_arrays(originals: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """`values`, with a TensorArray of each flow that stands where `originals` has a TensorArray."""
    return [
        item.with_flow(value) if hasattr(item, "with_flow") else value
        for item, value in zip(originals, values, strict=True)
    ]
