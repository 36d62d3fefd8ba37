"""Static shapes and values in other shapes, with the errors of shapes that do not fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dims import Dims, element_count
from headrace.core.operation import Operation
from headrace.kernels.array.arguments import invalid, shape_text

if TYPE_CHECKING:
    import torch


def reshaped_dims(op: Operation) -> Dims:
    """The static shape of the first input of an op that has the shape its second input says.

    Raises:
        ValueError: if it does not fit.
    """
    shape = op.inputs[1].dims
    if shape is not None and len(shape) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(shape)}")
    dims = _reshaped_dims(op.inputs[0].dims, op.constant_dims(1), op.constant(1))
    if dims is None or None not in dims:
        return dims
    # Nothing is refused because of what is known outside of the function only.
    outside = op.constant_dims(1, captured=True) or dims
    return tuple(other if size is None else size for size, other in zip(dims, outside))


def _reshaped_dims(dims: Dims, new_dims: Dims, given: np.ndarray | None) -> Dims:
    if given is not None:
        if (given < -1).any():
            raise ValueError(f"Invalid value in tensor used for shape: {int(given[given < -1][0])}")
        if (given == -1).sum() > 1:
            # Refused when it runs, as in 1.15.
            return new_dims
    if new_dims is None or dims is None:
        return new_dims
    have = element_count(dims)
    need = element_count(new_dims)
    if have is not None and need is not None:
        if have != need:
            raise ValueError(
                f"Cannot reshape a tensor with {have} elements to shape {shape_text(new_dims)} ({need} elements)"
            )
        return new_dims
    if have is not None and new_dims.count(None) == 1:
        left = _left_over(have, new_dims, have, new_dims)
        return tuple(left if size is None else size for size in new_dims)
    if need is not None and dims.count(None) == 1:
        _left_over(need, dims, 0, new_dims)
    return new_dims


def _left_over(count: int, dims: Sequence[int | None], have: int, new_dims: Sequence[int | None]) -> int | None:
    """What the one unknown dim of `dims` must be for `count` elements; None if it may be anything.

    Args:
        have: the number of elements of the input, for messages.
        new_dims: the shape asked for, for messages.

    Raises:
        ValueError: if no size fits.
    """
    known = math.prod(size for size in dims if size is not None)
    if known == 0:
        if count == 0:
            return None
        need = element_count(tuple(new_dims)) or 0
        raise ValueError(
            f"Cannot reshape a tensor with {have} elements to shape {shape_text(new_dims)} ({need} elements)"
        )
    if count % known:
        raise ValueError(f"Dimension size must be evenly divisible by {known} but is {count}")
    return count // known


def reshaped(x: np.ndarray | torch.Tensor, shape: Sequence[int]) -> Any:
    """A tensor or array in another shape.

    Raises:
        InvalidArgumentError: if the shape does not fit.
    """
    try:
        return x.reshape(shape)
    except (RuntimeError, ValueError):
        return _reshaped_empty(x, shape)


def _reshaped_empty(x: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    """What torch and NumPy leave open: the size -1 beside a 0 is what the sizes that are not 0 leave of the input's.

    Raises:
        InvalidArgumentError: for any other shape that does not fit.
    """
    sizes = list(shape)
    if sizes.count(-1) != 1 or 0 not in sizes or 0 not in x.shape or min(sizes) < -1:
        raise _reshape_failed(x, shape) from None
    left = math.prod(size for size in x.shape if size) // math.prod(size for size in sizes if size > 0)
    return x.reshape([left if size == -1 else size for size in sizes])


def _reshape_failed(x: torch.Tensor, shape: Sequence[int]) -> Exception:
    count = int(np.prod(tuple(x.shape)))
    sizes = list(shape)
    if sizes.count(-1) > 1:
        first = sizes.index(-1)
        return invalid(f"Only one input size may be -1, not both {first} and {sizes.index(-1, first + 1)}")
    if min(sizes, default=0) < -1:
        at = next(i for i, size in enumerate(sizes) if size < -1)
        return invalid(f"Size {at} must be non-negative, not {sizes[at]}")
    if -1 in shape:
        rest = int(np.prod([size for size in shape if size != -1]))
        if rest == 0:
            return invalid(
                "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are "
                "non-zero"
            )
        return invalid(
            f"Input to reshape is a tensor with {count} values, but the requested shape requires a multiple of {rest}"
        )
    return invalid(
        f"Input to reshape is a tensor with {count} values, but the requested shape has {int(np.prod(shape))}"
    )
