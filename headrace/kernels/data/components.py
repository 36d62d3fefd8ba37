"""Of which types the values of elements are: what a graph from elsewhere declares need not be so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from headrace.core import errors
from headrace.core.dtypes import DType, as_dtype, dtype_text


def is_of(component: object, dtype: DType) -> bool:
    """Whether the value of a component is of a type, which is no type of references."""
    if isinstance(component, torch.Tensor):
        return component.dtype is dtype.torch
    if isinstance(component, np.generic):
        return dtype.torch is not None
    if isinstance(component, np.ndarray) and not component.size:
        return dtype.torch is None
    # Handles of resources are objects of many kinds, as variants are.
    name = "variant" if dtype.name == "resource" else dtype.name
    return name == type_text(component)


def type_text(component: object) -> str:
    """The name of the type of a component's value."""
    if isinstance(component, torch.Tensor):
        return dtype_text(as_dtype(component.dtype))
    first = component.item(0) if isinstance(component, np.ndarray) and component.size else component
    return "string" if isinstance(first, (bytes, str)) else "variant"


def check_element(element: Sequence[object], types: Sequence[DType]) -> None:
    """Refuses an element that is of other types than those declared.

    Raises:
        InvalidArgumentError: if it is, or has more or fewer components.
    """
    if len(element) != len(types):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Number of components does not match: expected {len(types)} types but got {len(element)}.",
        )
    for i, (component, dtype) in enumerate(zip(element, types, strict=True)):
        if isinstance(component, torch.Tensor) and component.dtype is dtype.torch:
            continue
        if not is_of(component, dtype.base_dtype):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Data type mismatch at component {i}: expected {dtype_text(dtype)} but got {type_text(component)}.",
            )


def check_arguments(values: Sequence[object], types: Sequence[DType]) -> None:
    """Refuses arguments of a function that are of other types than those it takes.

    Raises:
        InvalidArgumentError: if one is. How many there are, the function's plan looks at.
    """
    for i, (value, dtype) in enumerate(zip(values, types, strict=False)):
        if isinstance(value, torch.Tensor) and value.dtype is dtype.torch:
            continue
        if not is_of(value, dtype):
            raise errors.InvalidArgumentError(
                None, None, f"Expects arg[{i}] to be {dtype.name} but {type_text(value)} is provided"
            )
