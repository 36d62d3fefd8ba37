"""Signals cut into overlapping frames, and frames added up to signals."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.ops import composing


def scalar(value: Any, name: str) -> Tensor:
    """`value` as a tensor without dimensions.

    Raises:
        ValueError: if it has any.
    """
    tensor = convert_to_tensor(value, name=name)
    tensor.shape.assert_has_rank(0)
    return tensor


def _known(value: Tensor) -> int | None:
    constant = constant_value(value)
    return None if constant is None else int(constant)


def _frame_dims(
    signal: Tensor, length: int | None, step: int | None, pad_end: bool, axis: int | None
) -> list[int | None] | None:
    if axis is None or signal.dims is None:
        return None
    dims = list(signal.dims)
    samples, count = dims[axis], None
    if samples is not None and step is not None:
        if pad_end:
            count = -(-samples // step)
        elif length is not None:
            count = max(0, (samples - length + step) // step)
    axis %= len(dims)
    return [*dims[:axis], count, length, *dims[axis + 1 :]]


def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Tensor:
    """Frames of a signal: pieces of `frame_length` samples, each beginning `frame_step` after the one before.

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
        known_axis = _known(axis)
        dims = _frame_dims(signal, _known(length), _known(step), pad_end, known_axis)
        # Where the rank is known, so is which axis it is from the front.
        place: Any
        if known_axis is not None and signal.dims is not None:
            place = known_axis % len(signal.dims)
        else:
            place = raw.FloorMod(axis, composing.rank(signal))
        samples = composing.cast(composing.shape(signal)[place], length.dtype)
        if pad_end:
            count = -raw.FloorDiv(-samples, step)
            missing = raw.Maximum(0, length + step * (count - 1) - samples)
            signal = _padded_at_end(signal, place, missing, pad_value)
        else:
            count = raw.Maximum(0, 1 + raw.FloorDiv(samples - length, step))
        starts = composing.expand_dims(composing.range_(count) * step, 1)
        places = starts + composing.expand_dims(composing.range_(length), 0)
        frames = composing.gather(signal, places, place)
        if dims is not None:
            frames.set_shape(dims)
        return frames


def _padded_at_end(signal: Tensor, axis: Any, amount: Tensor, value: Any) -> Tensor:
    value = convert_to_tensor(value, signal.dtype)
    value.shape.assert_has_rank(0)
    here = raw.OneHot(axis, composing.rank(signal), composing.cast(amount, "int32"), 0)
    paddings = raw.Pack([raw.ZerosLike(here), here], axis=1)
    return raw.PadV2(signal, paddings, value)


def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
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
        known = _known(step)
        shape = composing.shape(signal)
        outer, frames, length = shape[:-2], shape[-2], shape[-1]
        step = composing.cast(step, "int32")
        total = length + step * (frames - 1)
        if known is not None and signal.dims is not None and signal.dims[-1] == known:
            return raw.Reshape(signal, composing.concat([outer, [total]], 0), name="fast_path")
        # A row for each sample of each frame; the rows of one moment are added.
        columns = raw.Transpose(raw.Reshape(signal, raw.Pack([-1, frames * length])), [1, 0])
        starts = composing.expand_dims(composing.range_(frames) * step, 1)
        moments = raw.Reshape(starts + composing.expand_dims(composing.range_(length), 0), [-1])
        # A step longer than a frame leaves silence, which no frame reaches.
        sums = raw.UnsortedSegmentSum(columns, moments, raw.Maximum(total, 0))
        result = raw.Reshape(raw.Transpose(sums, [1, 0]), composing.concat([outer, [total]], 0))
        if signal.dims is not None:
            result.set_shape([*signal.dims[:-2], _total(signal.dims[-2], signal.dims[-1], known)])
        return result


def _total(frames: int | None, length: int | None, step: int | None) -> int | None:
    if frames is None or length is None or step is None:
        return None
    return int(np.int64(length + step * (frames - 1)))
