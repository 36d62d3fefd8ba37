"""The slice language of StridedSlice: bounds and masks as Python index tuples, their static shapes, their views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dims import Dims
from headrace.kernels.array.arguments import invalid
from headrace.kernels.host_values import taken

if TYPE_CHECKING:
    import torch


MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def index_tuple(
    begin: Sequence[int], end: Sequence[int], strides: Sequence[int], attrs: dict[str, Any]
) -> tuple[Any, ...]:
    """What the bounds and masks say, as NumPy would be told: ints, slices, None for a new axis, one Ellipsis at most.

    Raises:
        ValueError: for a stride of zero, a negative one with a single index, or several ellipses.
    """
    index: list[Any] = []
    for i in range(len(begin)):
        bit = 1 << i
        if attrs["ellipsis_mask"] & bit:
            if Ellipsis in index:
                raise ValueError("Multiple ellipses in slice spec not allowed")
            index.append(Ellipsis)
        elif attrs["new_axis_mask"] & bit:
            index.append(None)
        elif strides[i] == 0:
            raise ValueError(f"strides[{i}] must be non-zero")
        elif attrs["shrink_axis_mask"] & bit:
            if strides[i] < 0:
                raise ValueError("only stride 1 allowed on non-range indexing.")
            index.append(int(begin[i]))
        else:
            first = None if attrs["begin_mask"] & bit else int(begin[i])
            last = None if attrs["end_mask"] & bit else int(end[i])
            index.append(slice(first, last, int(strides[i])))
    return tuple(index)


def used_axes(index: Sequence[Any]) -> int:
    """How many axes an index tuple takes up, not counting those its ellipsis stands for."""
    return sum(item is not None and item is not Ellipsis for item in index)


def sliced_dims(dims: tuple[int | None, ...], index: Sequence[Any], known: bool) -> Dims:
    """The static shape of `x[index]`.

    Args:
        dims: the shape of x.
        index: from `index_tuple`.
        known: whether the bounds in it are real; if not, only masks, strides and which axes vanish are.

    Raises:
        ValueError: for too many indices or an index out of bounds.
    """
    unindexed = len(dims) - used_axes(index)
    if unindexed < 0:
        raise ValueError(f"Index out of range using input dim {len(dims)}; input has only {len(dims)} dims")
    result: list[int | None] = []
    axis = 0
    for item in index if Ellipsis in index else (*index, Ellipsis):
        if item is None:
            result.append(1)
        elif item is Ellipsis:
            result.extend(dims[axis : axis + unindexed])
            axis += unindexed
        else:
            size = dims[axis]
            if isinstance(item, slice):
                whole = item.start is None and item.stop is None
                result.append(len(range(size)[item]) if size is not None and (known or whole) else None)
            elif known and size is not None and not -size <= item < size:
                raise ValueError(f"slice index {item if item >= 0 else item + size} of dimension {axis} out of bounds.")
            axis += 1
    return tuple(result)


def forward_view(x: torch.Tensor, index: Sequence[Any]) -> tuple[Any, list[int]]:
    """A view of a tensor for an index in which strides may be negative, which torch does not have.

    Returns:
        the view with every stride positive, and the axes of it to be flipped.
    """
    forward: list[Any] = []
    flips: list[int] = []
    axis = out = 0
    unindexed = x.ndim - used_axes(index)
    for item in index:
        if item is None:
            out += 1
        elif item is Ellipsis:
            axis += unindexed
            out += unindexed
        elif isinstance(item, int):
            axis += 1
        else:
            if item.step < 0:
                taken = range(x.shape[axis])[item]
                item = slice(taken[-1], taken[0] + 1, -item.step) if len(taken) else slice(0, 0)
                flips.append(out)
            axis += 1
            out += 1
        forward.append(item)
    return x[tuple(forward)], flips


def sliced(x: np.ndarray | torch.Tensor, index: tuple[Any, ...]) -> Any:
    """`x[index]` for a tensor or an array of strings.

    Raises:
        InvalidArgumentError: for an index out of bounds.
    """
    try:
        if isinstance(x, np.ndarray):
            return taken(x[index])
        if any(isinstance(item, slice) and item.step < 0 for item in index):
            view, flips = forward_view(x, index)
            return view.flip(flips) if flips else view
        return x[index]
    except IndexError:
        raise out_of_bounds(x, index) from None


def out_of_bounds(x: torch.Tensor, index: Sequence[Any]) -> Exception:
    """The error that says which index is out of bounds."""
    try:
        sliced_dims(tuple(x.shape), index, True)
    except ValueError as error:
        return invalid(str(error))
    return invalid(f"Cannot slice a tensor of shape {list(x.shape)} with {index}")


def window_of(shape: Any, begin: list[int], size: list[int]) -> tuple[Any, ...]:
    """The index of what Slice takes of a tensor of that shape.

    Raises:
        InvalidArgumentError: if it does not lie in the tensor.
    """
    if len(begin) != len(shape) or len(size) != len(shape):
        raise invalid(
            "Expected begin and size arguments to be 1-D tensors of size "
            f"{len(shape)}, but got shapes [{len(begin)}] and [{len(size)}] instead."
        )
    window = []
    for i, (have, start, count) in enumerate(zip(shape, begin, size)):
        if not 0 <= start <= have:
            raise invalid(f"Expected begin[{i}] in [0, {have}], but got {start}")
        if count == -1:
            count = have - start
        if not 0 <= count <= have - start:
            raise invalid(f"Expected size[{i}] in [0, {have - start}], but got {count}")
        window.append(slice(start, start + count))
    return tuple(window)
