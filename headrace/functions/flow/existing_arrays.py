"""What may be said of a TensorArray that is made of a handle or a flow."""

from __future__ import annotations

from typing import Any

from headrace.core.tensor import Tensor


def check_of_function(handle: Any) -> None:
    """Raises AssertionError if what an array in a function is made of is no handle of one."""
    if handle is not None and not isinstance(handle, Tensor):
        raise AssertionError("An array of a function has no handle.")


def check_existing(handle: Any, name: Any, size: Any, element_shape: Any, dynamic_size: Any, clear: Any) -> None:
    """Refuses what is told of an array that exists already; arguments as in `TensorArray`.

    Raises:
        ValueError: if anything is told.
        TypeError: if the handle is no tensor.
    """
    if name:
        raise ValueError("Cannot construct with both handle and tensor_array_name")
    if not isinstance(handle, Tensor):
        raise TypeError("Handle must be a Tensor")
    for value, what in (
        (size, "size"),
        (element_shape, "element_shape"),
        (dynamic_size, "dynamic_size"),
        (clear, "clear_after_read"),
    ):
        if value is not None:
            raise ValueError(f"Cannot provide both a handle and {what} at the same time")
