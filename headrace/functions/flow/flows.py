"""TensorArrays among loop variables and results of branches: their flow goes around, the object is made anew from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def to_flow(item: object) -> Any:
    """The flow of a TensorArray, anything else as it is."""
    return item.flow if hasattr(item, "flow") and hasattr(item, "handle") else item


def with_tensor_arrays(originals: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """`values`, with a TensorArray of each flow that stands where `originals` has a TensorArray."""
    return [
        item.with_flow(value) if hasattr(item, "with_flow") else value
        for item, value in zip(originals, values, strict=True)
    ]
