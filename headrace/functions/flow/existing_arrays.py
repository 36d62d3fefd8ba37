"""What may be said of a TensorArray that is made of a handle or a flow."""

from __future__ import annotations

from typing import Any

from headrace.core.dtypes import variant
from headrace.core.tensor import Tensor


def check_of_function(handle: Any, flow: Any) -> None:
    """Whether the handle or the flow that an array in a function is made of may be one, as in `TensorArray`.

    Raises:
        AssertionError: if the handle is no tensor.
        TypeError: if the flow of a list is not of type variant.
    """
    if handle is not None and not isinstance(handle, Tensor):
        raise AssertionError("An array of a function has no handle.")
    if flow is not None and handle is None and flow.dtype is not variant:
        raise TypeError("flow must be a variant tensor")


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
