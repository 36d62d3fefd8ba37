"""How ops that slice, join and reshape become native instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from headrace.core.native import Lowering, NativeBuilder, applied
from headrace.kernels.array.arguments import constants
from headrace.kernels.array.strides import index_tuple
from headrace.kernels.native import Rule, integers, is_sized, known, pieces

if TYPE_CHECKING:
    from headrace.core.typing import NodeView

_WHOLE = slice(None, None, 1)


def slice_rule(node: NodeView) -> Lowering | None:
    begin, size, dims = integers(node, 1), integers(node, 2), node.inputs[0].dims
    if dims is not None and (begin is None or size is None) and is_sized(node, 1, 2):
        return _sized_slice(len(dims))
    if begin is None or size is None or dims is None or not len(begin) == len(size) == len(dims):
        return None
    for start, count, have in zip(begin, size, dims, strict=True):
        # What may not fit is said by the kernel.
        if start < 0 or count < -1 or (have is None and start and count == -1):
            return None
        if have is not None and start + max(count, 0) > have:
            return None
    return applied("slice", [*begin, *size, *[1] * len(dims)], take=[0])


def _sized_slice(rank: int) -> Lowering:
    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        value, begin, size = inputs
        b.apply("not_negative", [begin])
        return b.apply("slice", [value], [b.contents(begin), b.contents(size), *[1] * rank])

    return lower


class _Ranges(NamedTuple):
    """What a strided slice takes.

    Attributes:
        axes: of each axis the begin, size and stride, and whether the axis vanishes.
        added: the axes of the result that are new.
        open: of axes whose sizes are not known, the number of the axis and its slice; they are whole in `axes`.
    """

    axes: list[tuple[int, int, int, bool]]
    added: list[int]
    open: list[tuple[int, slice]]


def _ranges(node: NodeView, first: int, dims: Sequence[int | None]) -> _Ranges | None:
    """The ranges of a strided slice; None where it may fail."""
    begin, end, strides = (constants(node, i) for i in range(first, first + 3))
    if begin is None or end is None or strides is None:
        return None
    index = index_tuple(begin, end, strides, node.attrs)
    taken = sum(item is not None and item is not Ellipsis for item in index)
    if taken > len(dims):
        return None
    at = index.index(Ellipsis) if Ellipsis in index else len(index)
    index = index[:at] + (_WHOLE,) * (len(dims) - taken) + index[at + 1 :]
    left = [item for item in index if not isinstance(item, int)]
    added = [axis for axis, item in enumerate(left) if item is None]
    index = tuple(item for item in index if item is not None)
    ranges, open_ranges = [], []
    for axis, (item, size) in enumerate(zip(index, dims, strict=True)):
        if item == _WHOLE:
            ranges.append((0, -1, 1, False))
        elif isinstance(item, int):
            if size is not None and not -size <= item < size:
                return None
            ranges.append((item if size is None else item % size, 1, 1, True))
        elif size is None:
            ranges.append((0, -1, 1, False))
            open_ranges.append((axis, item))
        else:
            part = range(size)[item]
            ranges.append((part.start if len(part) else 0, len(part), part.step, False))
    return _Ranges(ranges, added, open_ranges)


def strided_slice_rule(node: NodeView) -> Lowering | None:
    dims = node.inputs[0].dims
    ranges = None if dims is None else _ranges(node, 1, dims)
    if ranges is None:
        return None
    begin, size, stride, gone = zip(*ranges.axes, strict=True) if ranges.axes else ((), (), (), ())
    axes = [axis for axis, vanishes in enumerate(gone) if vanishes]

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        (part,) = b.apply("slice", [inputs[0]], [*begin, *size, *stride])
        for axis, item in ranges.open:
            ends = [item.start or 0, item.stop or 0, item.step or 1, item.start is None, item.stop is None]
            (part,) = b.apply("slice_range", [part], [axis, *map(int, ends)])
        if axes:
            (part,) = b.apply("squeeze", [part], axes)
        for axis in ranges.added:
            (part,) = b.apply("expand_dims", [part], [axis])
        return [part]

    return lower


def strided_slice_grad_rule(node: NodeView) -> Lowering | None:
    dims = integers(node, 0)
    ranges = None if dims is None else _ranges(node, 1, dims)
    if dims is None or ranges is None or any(stride != 1 for _, _, stride, _ in ranges.axes):
        return None
    padding, sizes = [], []
    for (begin, size, _, _), whole in zip(ranges.axes, dims, strict=True):
        size = whole if size == -1 else size
        padding += [begin, whole - begin - size]
        sizes.append(size)
    zero = np.zeros((), node.outputs[0].dtype.as_numpy_dtype)
    kept = [size for size, (_, _, _, vanishes) in zip(sizes, ranges.axes, strict=True) if not vanishes]
    for axis in ranges.added:
        kept.insert(axis, 1)
    if node.inputs[4].dims != tuple(kept):
        return None

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        (value,) = b.apply("reshape", [inputs[4]], sizes)
        return b.apply("pad", [value, b.constant(zero)], padding)

    return lower


def joined_rule(position: int) -> Rule:
    def rule(node: NodeView) -> Lowering | None:
        count = len(node.inputs)
        axis, parts = integers(node, position % count), [i for i in range(count) if i != position % count]
        if axis is None or any(not node.inputs[i].dims for i in parts):
            return None
        return applied("concat", axis, take=parts)

    return rule


def pack_rule(node: NodeView) -> Lowering | None:
    # Parts of different shapes are refused by the instruction.
    return applied("stack", [node.attrs["axis"]])


def unpack_rule(node: NodeView) -> Lowering | None:
    dims, count = node.inputs[0].dims, node.attrs["num"]
    if not dims or not -len(dims) <= node.attrs["axis"] < len(dims):
        return None
    axis = node.attrs["axis"] % len(dims)
    return pieces(axis, len(dims), [1] * count, 0, squeezed=True) if dims[axis] == count else None


def reshape_rule(node: NodeView) -> Lowering | None:
    sizes, out = integers(node, 1), node.outputs[0].dims
    if sizes is not None and (sizes.count(-1) > 1 or any(size < -1 for size in sizes)):
        return None
    if sizes is None:
        # A size that is not known may be one that does not fit: it does not simply follow from the others.
        if out is None or None in out:
            return _sized("reshape") if is_sized(node, 1) else None
        sizes = [size for size in out if size is not None]
    return applied("reshape", sizes, take=[0])


def _sized(name: str) -> Lowering:
    """The lowering to an instruction that is told what is in the second input."""
    return lambda b, inputs: b.apply(name, [inputs[0]], [b.contents(inputs[1])])


def expand_dims_rule(node: NodeView) -> Lowering | None:
    axis = integers(node, 1)
    return None if axis is None or len(axis) != 1 else applied("expand_dims", axis, take=[0])


def squeeze_rule(node: NodeView) -> Lowering | None:
    dims, axes = node.inputs[0].dims, list(node.attrs["squeeze_dims"] or ())
    if dims is None:
        # Counted from both ends they may be the same.
        return (
            applied("squeeze", axes) if len(set(axes)) == len(axes) and len({axis < 0 for axis in axes}) < 2 else None
        )
    if len({axis % len(dims) for axis in axes} if dims else ()) != len(axes):
        return None
    return applied("squeeze", axes)


def broadcast_to_rule(node: NodeView) -> Lowering | None:
    sizes = known(node.outputs[0].dims)
    if sizes is None or node.constant(1) is None:
        return _sized("broadcast_to") if is_sized(node, 1) else None
    return applied("broadcast_to", sizes, take=[0])
