"""Signals cut into overlapping frames, and frames added up to signals."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.while_loop import while_loop
from headrace.kernels import composing
from headrace.ops.array.slice import strided_slice
from headrace.ops.array.split import split

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def scalar(value: TensorLike, name: str) -> Tensor:
    """`value` as a tensor without dimensions.

    Raises:
        ValueError: if it has any.
    """
    tensor = convert_to_tensor(value, name=name)
    tensor.shape.assert_has_rank(0)
    return tensor


def _known(value: Tensor) -> int | None:
    constant = constant_value(value)
    # Other types are refused by the operations; as a place in a list here.
    return None if constant is None else operator.index(constant.item())


def _frame_dims(
    signal: Tensor, length: int | None, step: int | None, pad_end: bool, axis: int | None
) -> list[int | None] | None:
    if signal.dims is None:
        return None
    dims = list(signal.dims)
    if axis is None:
        return [None] * (len(dims) + 1)
    samples, count = dims[axis], None
    if samples is not None and step:
        if pad_end:
            count = -(-samples // step)
        elif length is not None:
            count = max(0, (samples - length + step) // step)
    axis %= len(dims)
    return [*dims[:axis], count, length, *dims[axis + 1 :]]


def frame(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: TensorLike = -1,
    name: str | None = None,
) -> Tensor:
    """Frames of a signal: windows of `frame_length` samples, each beginning `frame_step` after the one before.

    Args:
        signal: a tensor [..., samples, ...].
        frame_length: int scalar: the samples of a frame.
        frame_step: int scalar: the samples from the beginning of a frame to that of the next.
        pad_end: whether frames that end beyond the signal are there too, filled up with `pad_value`.
        pad_value: a scalar.
        axis: int scalar: the dimension of the samples.
        name: a name for the operations.

    Returns:
        a tensor [..., frames, frame_length, ...].

    Raises:
        ValueError: if an argument that should be a scalar is not one, or the signal has no dimensions.

    Example:
        >>> tf.Session().run(tf.signal.frame([1, 2, 3, 4, 5], 3, 2))
        array([[1, 2, 3],
               [3, 4, 5]], dtype=int32)
    """
    with name_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
        signal = convert_to_tensor(signal, name="signal")
        length, step = scalar(frame_length, "frame_length"), scalar(frame_step, "frame_step")
        axis = scalar(axis, "axis")
        signal.shape.with_rank_at_least(1)
        dims = _frame_dims(signal, _known(length), _known(step), pad_end, _known(axis))
        rank = composing.rank(signal)
        place = composing.range_(rank)[axis]
        signal_shape = composing.shape(signal)
        outer, samples, inner = _around(signal_shape, place, rank)
        if pad_end:
            padding = convert_to_tensor(pad_value, signal.dtype)
            padding.shape.assert_has_rank(0)
            count = -(-samples // step)
            missing = raw.Maximum(0, length + step * (count - 1) - samples)
            rest = [composing.zeros([axes, 2], missing.dtype) for axes in (outer.rank, inner.rank)]
            signal = raw.PadV2(signal, composing.concat([rest[0], [[0, missing]], rest[1]], 0), padding)
            shape = composing.shape(signal)
            samples = shape[place]
        else:
            shape = signal_shape
            count = raw.Maximum(0, 1 + (samples - length) // step)
        # Frames are made of subframes, of whose length both their own and the step are multiples.
        subframe_length = gcd(length, step)
        per_frame, per_step, subframes = length // subframe_length, step // subframe_length, samples // subframe_length
        used = composing.concat([outer.sizes, [subframes * subframe_length], inner.sizes], 0)
        cut = composing.concat([outer.sizes, [subframes, subframe_length], inner.sizes], 0)
        signal = raw.Reshape(strided_slice(signal, composing.zeros_like(shape), used), cut)
        firsts = raw.Reshape(composing.range_(count) * per_step, [count, 1])
        chosen = firsts + raw.Reshape(composing.range_(per_frame), [1, per_frame])
        frames = raw.Reshape(
            composing.gather(signal, chosen, place),
            composing.concat([outer.sizes, [count, length], inner.sizes], 0),
        )
        if dims:
            frames.set_shape(dims)
        return frames


class _Axes(NamedTuple):
    sizes: Tensor
    rank: Tensor


def _around(shape: Tensor, axis: Tensor, rank: Tensor) -> tuple[_Axes, Tensor, _Axes]:
    """The axes before one, its size, and the axes after it."""
    outer, size, inner = split(shape, [axis, 1, rank - 1 - axis])
    size = raw.Reshape(size, [])
    return _Axes(outer, composing.size(outer)), size, _Axes(inner, composing.size(inner))


def gcd(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The greatest common divisor of two scalar integers.

    Args:
        a, b: the integers, not both 0.
        name: a name for the operations.

    Raises:
        ValueError: if one is no scalar or no integer.
    """
    with name_scope(name, "gcd", [a, b]):
        a, b = convert_to_tensor(a), convert_to_tensor(b)
        for name, number in (("a", a), ("b", b)):
            number.shape.assert_has_rank(0)
            if not number.dtype.is_integer:
                raise ValueError(f"{name} must be an integer type. Got: {number.dtype}")
        known_a, known_b = _known(a), _known(b)
        if known_a is not None and known_b is not None:
            return convert_to_tensor(math.gcd(known_a, known_b), dtype=a.dtype)
        return while_loop(
            lambda _, b: raw.Greater(b, composing.zeros_like(b)),
            lambda a, b: [b, raw.FloorMod(a, b)],
            [a, b],
            back_prop=False,
        )[0]


def overlap_and_add(signal: Tensor, frame_step: TensorLike, name: str | None = None) -> Tensor:
    """The signal that overlapping frames add up to.

    Args:
        signal: a tensor [..., frames, frame_length] of numbers.
        frame_step: int scalar: the samples from the beginning of a frame to that of the next.
        name: a name for the operations.

    Returns:
        a tensor [..., frame_length + frame_step * (frames - 1)].

    Raises:
        ValueError: if `frame_step` is no integer scalar, or the rank of `signal` is less than 2.

    Example:
        >>> tf.Session().run(tf.signal.overlap_and_add([[1, 1, 1], [2, 2, 2]], 2))
        array([1, 1, 3, 2, 2], dtype=int32)
    """
    with name_scope(name, "overlap_and_add", [signal, frame_step]):
        signal = convert_to_tensor(signal, name="signal")
        signal.shape.with_rank_at_least(2)
        step = scalar(frame_step, "frame_step")
        if not step.dtype.is_integer:
            raise ValueError(f"frame_step must be an integer. Got {step.dtype}")
        shape = composing.shape(signal)
        outer = shape[:-2]
        outer_rank = composing.size(outer)
        length, frames = shape[-1], shape[-2]
        total = length + step * (frames - 1)
        if signal.dims is not None and signal.dims[-1] is not None and signal.dims[-1] == _known(step):
            return raw.Reshape(signal, composing.concat([outer, [total]], 0), name="fast_path")
        # Each frame is cut into segments of a step, and each segment goes to a row of its own, shifted by its index in the
        # frame: segments of one moment then stand above each other. With as many empty frames at the end as a frame has
        # segments, the shift is only another way to cut the same numbers into rows.
        segments = -(-length // step)
        padding = [[0, segments], [0, segments * step - length]]
        none = composing.zeros([outer_rank, 2], "int32")
        signal = raw.Pad(signal, composing.concat([none, padding], 0))
        signal = _inner(signal, outer, [frames + segments, segments, step])
        order = composing.concat([composing.range_(outer_rank), raw.AddV2(outer_rank, [1, 0, 2], name="add")], 0)
        signal = composing.transpose(signal, order)
        signal = _inner(signal, outer, [(frames + segments) * segments, step])
        signal = signal[..., : (frames + segments - 1) * segments, :]
        signal = _inner(signal, outer, [segments, (frames + segments - 1), step])
        signal = raw.Sum(signal, -3)
        signal = _inner(signal, outer, [(frames + segments - 1) * step])
        return signal[..., :total]


def _inner(tensor: Tensor, outer: Tensor, sizes: list[Any]) -> Tensor:
    """`tensor` with the axes `outer` and then others of `sizes`."""
    return raw.Reshape(tensor, composing.concat([outer, sizes], 0))
