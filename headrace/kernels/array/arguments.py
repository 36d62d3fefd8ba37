"""What the array ops share: values of strings beside tensors of numbers, shapes read on the host, static arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.constant_value import is_repeated
from headrace.core.dims import Dims
from headrace.core.dtypes import string, variant
from headrace.core.errors import InvalidArgumentError
from headrace.core.shapes import TensorShape
from headrace.kernels.host_values import boxed as boxed

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView


# Moving elements needs no arithmetic, so types for which torch has few kernels travel as others of their width.
_VIEW_DTYPES = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}

# As in TensorFlow.
MAX_DIMENSIONS = 254
_MAX_NUMBERS = 1 << 24
_MAX_REPEATED = 1 << 16


def is_text(value: Any) -> bool:
    """Whether a tensor or planned value holds strings or variants, which kernels see as NumPy arrays of objects."""
    return value.dtype.base_dtype is string or value.dtype.base_dtype is variant


def filled_text(shape: Sequence[int], value: Any = b"") -> np.ndarray:
    """An array in which every string is `value`."""
    array = np.empty(tuple(shape), object)
    array.fill(value)
    return array


def numbers(value: torch.Tensor) -> list[int]:
    """The elements of an integer tensor of any rank, as Python ints in a flat list.

    Raises:
        InvalidArgumentError: if there are more than anything is described by.
    """
    if math.prod(value.shape) > _MAX_NUMBERS:
        raise invalid(f"Expected at most {_MAX_NUMBERS} numbers, got a tensor of shape {shape_text(value.shape)}")
    return value.reshape(-1).tolist()


def not_negative(sizes: list[int]) -> list[int]:
    """The sizes themselves.

    Raises:
        InvalidArgumentError: if one is negative.
    """
    for size in sizes:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return sizes


def sizes_of(value: Any, name: str) -> list[int]:
    """The sizes in an input of a step, which the error calls `name`.

    Raises:
        InvalidArgumentError: if it is no vector, has negative elements, or more than any tensor has dimensions.
    """
    if value.ndim != 1:
        raise invalid(f"{name} must be a vector, got shape {shape_text(value.shape)}")
    return not_too_many(not_negative(numbers(value)))


def not_too_many(sizes: list[int]) -> list[int]:
    """The sizes themselves.

    Raises:
        InvalidArgumentError: if they are more than a tensor may have dimensions.
    """
    if len(sizes) > MAX_DIMENSIONS:
        raise invalid(f"Too many dimensions: a tensor has at most {MAX_DIMENSIONS}, got {len(sizes)}")
    return sizes


def constants(node: NodeView, index: int) -> list[int] | None:
    """The elements of integer input `index` where they are known, as a flat list.

    Raises:
        InvalidArgumentError: if one element is given in more places than anything is described by.
    """
    value = node.constant(index)
    if value is None:
        return None
    if value.size > _MAX_REPEATED and is_repeated(value):
        raise invalid(f"Expected at most {_MAX_REPEATED} numbers, got one in shape {shape_text(value.shape)}")
    return [int(v) for v in value.reshape(-1)]


def moving(node: NodeView, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """`kernel`, which only moves elements of its first input, made to work for the wide unsigned types as well."""
    dtype = node.inputs[0].dtype.base_dtype.torch
    view_dtype = _VIEW_DTYPES.get(dtype)
    if view_dtype is None:
        return kernel

    def through_view(x: torch.Tensor, *rest: Any) -> torch.Tensor:
        return kernel(x.view(view_dtype), *rest).view(dtype)

    return through_view


def view_dtype_of(dtype: torch.dtype) -> torch.dtype:
    """The torch type under which elements of `dtype` can be moved: itself but for the wide unsigned ones."""
    return _VIEW_DTYPES.get(dtype, dtype)


def shape_text(shape: Sequence[Any]) -> str:
    """A shape as TensorFlow's run-time messages write it: `[2,3]`."""
    return "[" + ",".join("?" if size is None else str(size) for size in shape) + "]"


def require_scalar(op: OpView, index: int) -> None:
    """Raises ValueError where input `index` of an operation is known not to be a scalar."""
    dims = op.inputs[index].dims
    if dims:
        raise ValueError(f"Shape must be rank 0 but is rank {len(dims)}")


def axis_in(axis: int, rank: int, what: str = "axis", verdict: str = "is out of") -> int:
    """`axis` counted from the front.

    Raises:
        ValueError: if it is not in [-rank, rank).
    """
    if not -rank <= axis < rank:
        raise ValueError(f"{what} {axis} {verdict} range [{-rank}, {rank})")
    return axis + rank if axis < 0 else axis


def rank_is(dims: Dims, rank: int, what: str = "Shape") -> Dims:
    """`dims`, known to be of `rank`; ValueError if it is of another."""
    if dims is None:
        return (None,) * rank
    if len(dims) != rank:
        raise ValueError(f"{what} must be rank {rank} but is rank {len(dims)}")
    return dims


def rank_at_least(dims: Dims, rank: int) -> Dims:
    """`dims`, known to have `rank` dimensions or more; ValueError if it has fewer."""
    if dims is not None and len(dims) < rank:
        raise ValueError(f"Shape must be at least rank {rank} but is rank {len(dims)}")
    return dims


def scalar_constant(op: Any, index: int) -> int | None:
    """The value of an integer input that must be a scalar, where it is known; ValueError if it is none."""
    if op.inputs[index].dims:
        raise ValueError(f"Input must be scalar but has rank {len(op.inputs[index].dims)}")
    value = op.constant(index)
    return None if value is None else int(value)


def invalid(message: str) -> InvalidArgumentError:
    """The run-time error of a bad value."""
    return InvalidArgumentError(None, None, message)


def tensor_shape(dims: Dims) -> TensorShape:
    """The public object for plain dims."""
    return TensorShape.from_dims(dims)
