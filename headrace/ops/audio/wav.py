"""WAV files to samples and back."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.files import wav
from headrace.kernels.array.arguments import rank_is
from headrace.kernels.host_values import boxed, to_array
from headrace.kernels.state.handles import invalid

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


decode_wav_op = op(
    "DecodeWav",
    "contents: string, *, desired_channels=-1, desired_samples=-1 -> audio: float, sample_rate: int32",
)
decode_wav_op.on_host(outputs=True)
encode_wav_op = op("EncodeWav", "audio: float, sample_rate: int32 -> contents: string")
encode_wav_op.on_host("audio", "sample_rate", outputs=True)


@decode_wav_op.shape
def decode_wav_shape(op):
    rank_is(op.inputs[0].dims, 0)
    channels, samples = op.attrs["desired_channels"], op.attrs["desired_samples"]
    for what, value in (("channels", channels), ("samples", samples)):
        if value < -1:
            raise ValueError(f"{what} must be non-negative, got {value}")
    return [(None if samples == -1 else samples, None if channels == -1 else channels), ()]


@decode_wav_op.kernel
def decode_wav_kernel(node):
    channels, samples = node.attrs["desired_channels"], node.attrs["desired_samples"]

    def decode(contents):
        data = boxed(contents)
        if data.ndim:
            raise invalid(f"contents must be scalar, got shape {list(data.shape)}")
        try:
            found, rate = wav.decode_wav(data[()])
        except ValueError as error:
            raise invalid(str(error)) from None
        if samples != -1:
            found = found[:samples]
            found = np.pad(found, ((0, samples - len(found)), (0, 0)))
        if channels != -1:
            # The last channel stands for those the file lacks.
            found = found[:, np.minimum(np.arange(channels), found.shape[1] - 1)]
        audio = torch.from_numpy(found.astype(np.float32)) / 32768
        return audio, torch.tensor(rate, dtype=torch.int64).to(torch.int32)

    return decode


@encode_wav_op.shape
def encode_wav_shape(op):
    rank_is(op.inputs[0].dims, 2)
    rank_is(op.inputs[1].dims, 0)
    return [()]


@encode_wav_op.kernel
def encode_wav_kernel(node):
    def encode(audio, sample_rate):
        if audio.dim() != 2:
            raise invalid(f"audio must be 2-dimensional, got shape {list(audio.shape)}")
        if sample_rate.dim():
            raise invalid(f"sample_rate must be scalar, got shape {list(sample_rate.shape)}")
        rate = int(sample_rate)
        if rate <= 0:
            raise invalid(f"sample_rate must be in (0, 2^32), got: {rate}")
        if not audio.numel():
            raise invalid(f"audio must hold samples, got shape {list(audio.shape)}")
        return boxed(wav.encode_wav(to_array(audio), rate))

    return encode


def decode_wav(
    contents: TensorLike, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> Any:
    """The samples of a WAV file of 16-bit samples.

    Args:
        contents: string scalar tensor, the file.
        desired_channels: how many channels to give: further ones are left out, the last one stands for missing ones.
            As many as the file has by default.
        desired_samples: how many frames to give, filled up with zeros. As many as the file has by default.
        name: a name for the operation.

    Returns:
        a tuple of `audio`, float32 of shape (frames, channels) between -1 and 1, and `sample_rate`, an int32 scalar.

    Raises:
        InvalidArgumentError: at run time, for another sort of file or one that ends early.

    Example:
        >>> audio, rate = tf.audio.decode_wav(tf.read_file("speech.wav"), desired_channels=1)
    """
    return raw.DecodeWav(
        contents,
        desired_channels=-1 if desired_channels is None else desired_channels,
        desired_samples=-1 if desired_samples is None else desired_samples,
        name=name,
    )


def encode_wav(audio: TensorLike, sample_rate: Any, name: str | None = None) -> Tensor:
    """Sound as a WAV file of 16-bit samples.

    Args:
        audio: float32 tensor of shape (frames, channels); what is not in [-1, 1] is cut off.
        sample_rate: int32 scalar tensor, frames a second.
        name: a name for the operation.

    Returns:
        a string scalar tensor.

    Example:
        >>> tf.write_file("beep.wav", tf.audio.encode_wav(tf.sin(tf.range(8000.0))[:, None], 8000))
    """
    return raw.EncodeWav(audio, sample_rate, name=name)


_FRAMES = np.array([[0, 1], [-32768, 32767], [5, -5]], "<i2")
_WAV = (
    b"RIFF"
    + struct.pack("<I", 36 + _FRAMES.nbytes)
    + b"WAVEfmt "
    + struct.pack("<IHHIIHH", 16, 1, 2, 8000, 32000, 4, 16)
    + b"data"
    + struct.pack("<I", _FRAMES.nbytes)
    + _FRAMES.tobytes()
)
decode_wav_op.accepts(_WAV)
decode_wav_op.accepts(_WAV, desired_channels=1, desired_samples=5)
decode_wav_op.rejects(b"no sound", error=errors.InvalidArgumentError)
encode_wav_op.accepts(np.array([[0.0, 0.5], [-1.5, 1.0]], np.float32), np.int32(8000))
encode_wav_op.rejects([2, 1], np.int32(0), error=errors.InvalidArgumentError)
