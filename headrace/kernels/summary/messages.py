"""Values as Summary messages: numbers, histograms, images, sound, tensors."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.files.png import encode_png
from headrace.files.wav import encode_wav
from headrace.kernels.host_values import to_array

if TYPE_CHECKING:
    import torch

    from headrace.messages import protos


_LARGEST = float(np.finfo(np.float64).max)


def new_summary() -> protos.Summary:
    """An empty Summary."""
    # Imported when a summary is made: most programs of a graph make none.
    from tensorboard.compat.proto.summary_pb2 import Summary

    return Summary()


def invalid(message: str) -> InvalidArgumentError:
    """The error of a value that no summary can be made of."""
    return InvalidArgumentError(None, None, message)


def shape_text(array: np.ndarray) -> str:
    """A shape as TensorFlow writes it: [2,3]."""
    return "[" + ",".join(map(str, array.shape)) + "]"


def text_of(value: bytes) -> str:
    """A string of a tensor as a field of text takes it."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


@functools.cache
def bucket_limits() -> np.ndarray:
    """The upper limits of a histogram's buckets: powers of 1.1 from 1e-12 on, on both sides of zero."""
    limits = []
    limit = 1e-12
    while limit < 1e20:
        limits.append(limit)
        limit *= 1.1
    limits.append(_LARGEST)
    return np.array([-limit for limit in reversed(limits)] + [0.0] + limits)


@functools.cache
def _bins() -> tuple[np.ndarray, np.ndarray]:
    """By the first 16 bits of a finite double: in which bucket such numbers begin, and where the next one does.

    These bits are the sign, the exponent and four digits; numbers that share them are at most 1/16 apart, and have no
    more than one of the limits, 1/10 apart, among them.
    """
    limits = bucket_limits()
    firsts = np.arange(1 << 16, dtype=np.uint64) << np.uint64(48)
    # The same bits and ones are further from zero, so of negative numbers the smallest.
    ends = firsts | np.uint64((1 << 48) - 1)
    smallest = np.where(firsts >> np.uint64(63), ends, firsts).view(np.float64)
    begins = np.searchsorted(limits, smallest, side="right")
    return begins, np.append(limits, np.inf)[begins]


# So many at a time that what is made of them stays in the cache.
_AT_ONCE = 8192


def _bucket_counts(values: np.ndarray) -> np.ndarray:
    """How many of the finite doubles fall below each limit and not below the one before: a table tells where to look."""
    begins, limits = _bins()
    count = len(bucket_limits())
    counts = np.zeros(count + 1, np.int64)
    for start in range(0, values.size, _AT_ONCE):
        some = values[start : start + _AT_ONCE]
        bins = (some.view(np.uint64) >> np.uint64(48)).view(np.int64)
        found = begins[bins]
        found += some >= limits[bins]
        counts += np.bincount(found, minlength=count + 1)
    # The largest double has no limit above it; it belongs to the last bucket.
    counts[count - 1] += counts[count]
    return counts[:count]


def add_histogram(summary: protos.Summary, tag: str, values: np.ndarray) -> None:
    """Adds a histogram of all elements.

    Raises:
        InvalidArgumentError: for values that are no numbers, or infinite.
    """
    flat = values.astype(np.float64).reshape(-1)
    total, squares = flat.sum(), np.einsum("i,i->", flat, flat)
    if not np.isfinite(squares):
        finite = np.isfinite(flat)
        if not finite.all():
            found = "Nan" if np.isnan(flat[~finite][0]) else "Infinity"
            raise invalid(f"{found} in summary histogram for: {tag}")
    histogram = summary.value.add(tag=tag).histo
    limits = bucket_limits()
    counts = _bucket_counts(flat)
    histogram.min = float(flat.min()) if flat.size else _LARGEST
    histogram.max = float(flat.max()) if flat.size else -_LARGEST
    histogram.num = float(flat.size)
    histogram.sum = float(total)
    histogram.sum_squares = float(squares)
    # Of neighbouring empty buckets one is left, with the last one's limit.
    last = np.append((counts[1:] > 0) | (counts[:-1] > 0), True)
    histogram.bucket_limit.extend(limits[last].tolist())
    histogram.bucket.extend(counts[last].astype(np.float64).tolist())


def add_images(summary: protos.Summary, tag: str, images: np.ndarray, max_images: int, bad_color: np.ndarray) -> None:
    """Adds the first images of a batch as PNGs, floating ones stretched to the range of bytes.

    Raises:
        InvalidArgumentError: for a batch that is not [batch, height, width, 1, 3 or 4].
    """
    if images.ndim != 4 or images.shape[3] not in (1, 3, 4):
        raise invalid(f"Tensor must be 4-D with last dim 1, 3, or 4, not {shape_text(images)}")
    if 0 in images.shape[1:]:
        raise invalid(f"input tensor must have non-zero dims. Found: [{', '.join(map(str, images.shape))}].")
    channels = images.shape[3]
    if bad_color.ndim != 1 or bad_color.size < channels:
        raise invalid(f"expected bad_color to be a vector of at least {channels} bytes, got {shape_text(bad_color)}")
    for i, image in enumerate(images[:max_images]):
        value = summary.value.add(tag=f"{tag}/image/{i}" if max_images > 1 else f"{tag}/image")
        pixels = image if image.dtype == np.uint8 else _as_bytes(image, bad_color[:channels])
        value.image.height, value.image.width, value.image.colorspace = image.shape
        value.image.encoded_image_string = encode_png(pixels)


def _as_bytes(image: np.ndarray, bad_color: np.ndarray) -> np.ndarray:
    # Half numbers are scaled as such.
    image = image.astype(image.dtype if image.dtype in (np.float16, np.float64) else np.float32)
    good = np.isfinite(image).all(axis=2)
    numbers = image[good]
    low, high = (float(numbers.min()), float(numbers.max())) if numbers.size else (0.0, 0.0)
    if low < 0:
        # Zero becomes the middle.
        high = max(abs(low), abs(high))
        scale, offset = (127.0 / high if high >= 1e-6 else 0.0), 128.0
    else:
        scale, offset = (255.0 / high if high >= 1e-6 else 0.0), 0.0
    out = np.empty(image.shape, np.uint8)
    kind = image.dtype.type
    out[good] = (numbers * kind(scale) + kind(offset)).astype(np.uint8)
    out[~good] = bad_color
    return out


def add_sounds(summary: protos.Summary, tag: str, sounds: np.ndarray, sample_rate: float, max_outputs: int) -> None:
    """Adds the first sounds of a batch as WAVs.

    Raises:
        InvalidArgumentError: for a batch that is not [batch, frames] or [batch, frames, channels].
    """
    if sounds.ndim not in (2, 3):
        raise invalid(f"Tensor must be 3-D or 2-D, got: {shape_text(sounds)}")
    if not sample_rate > 0:
        raise invalid(f"sample_rate must be positive, got {sample_rate}")
    for i, sound in enumerate(sounds[:max_outputs]):
        if sound.ndim == 1:
            sound = sound[:, None]
        value = summary.value.add(tag=f"{tag}/audio/{i}" if max_outputs > 1 else f"{tag}/audio")
        value.audio.sample_rate = sample_rate
        value.audio.length_frames, value.audio.num_channels = sound.shape
        value.audio.content_type = "audio/wav"
        value.audio.encoded_audio_string = encode_wav(sound, int(sample_rate))


def set_tensor(message: protos.TensorProto, array: np.ndarray) -> None:
    """Writes an array into a TensorProto, numbers as their bytes."""
    message.tensor_shape.SetInParent()
    for size in array.shape:
        message.tensor_shape.dim.add(size=size)
    if array.dtype.kind == "O":
        message.dtype = as_dtype("string").as_datatype_enum
        message.string_val.extend(array.reshape(-1).tolist())
    else:
        message.dtype = as_dtype(array.dtype).as_datatype_enum
        message.tensor_content = array.tobytes()


def single(value: np.ndarray | torch.Tensor, what: str) -> Any:
    """The element of a scalar.

    Raises:
        InvalidArgumentError: for anything larger.
    """
    array = to_array(value)
    if array.ndim:
        raise invalid(f"{what} must be scalar, got shape {shape_text(array)}")
    return array[()]


def add_tensor(summary: protos.Summary, tag: str, tensor: np.ndarray, metadata: bytes, always: bool = True) -> None:
    """Adds a tensor as it is, with a SummaryMetadata message that says what it means.

    An empty message stands there too, unless `always` is False.
    """
    from google.protobuf.message import DecodeError

    value = summary.value.add(tag=tag)
    set_tensor(value.tensor, tensor)
    if not metadata and not always:
        return
    try:
        value.metadata.MergeFromString(metadata)
    except DecodeError:
        raise invalid("serialized_summary_metadata could not be parsed") from None
    value.metadata.SetInParent()
