"""The parts that descriptions of values are made of: whether they are equal, agree, and what they have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.shapes import TensorShape


def comparable(value: Any) -> Any:
    """A part of a description as something hashable that is equal where the part says the same."""
    if isinstance(value, TensorShape):
        return (TensorShape, value.dims and tuple(value.as_list()))
    if isinstance(value, np.ndarray):
        return (np.ndarray, value.shape, value.tobytes())
    if isinstance(value, dict):
        return (dict, *((key, comparable(value[key])) for key in sorted(value)))
    if isinstance(value, (list, tuple)):
        return (type(value), *map(comparable, value))
    return value


def agree(one: Any, other: Any) -> bool:
    """Whether parts of two descriptions may describe one value."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(agree, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(agree(one[key], other[key]) for key in one)
    if hasattr(one, "is_compatible_with"):
        return bool(one.is_compatible_with(other))
    return bool(comparable(one) == comparable(other))


def merged(one: Any, other: Any) -> Any:
    """The part that says what two parts both say.

    Raises:
        ValueError: if they say different things.
    """
    if type(one) is type(other):
        if isinstance(one, (list, tuple)) and len(one) == len(other):
            return tuple(map(merged, one, other))
        if isinstance(one, dict) and one.keys() == other.keys():
            return {key: merged(one[key], other[key]) for key in one}
        if isinstance(one, TensorShape):
            return one.most_specific_compatible_shape(other)
        if hasattr(one, "most_specific_compatible_type"):
            return one.most_specific_compatible_type(other)
        if comparable(one) == comparable(other):
            return one
    raise ValueError(f"Types are not compatible: {one!r} vs {other!r}")
