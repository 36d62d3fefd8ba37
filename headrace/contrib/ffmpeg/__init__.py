"""`tf.contrib.ffmpeg`, as far as WAV files go: no other program is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import int32
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.ops.audio.wav import decode_wav, encode_wav
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.comparison import equal

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.kernels.random.streams import RandomStream


def _only_wav(what: str, file_format: Any) -> None:
    value = constant_value(convert_to_tensor(file_format))
    text = None if value is None else value.item().decode()
    if text != "wav":
        shown = "a tensor that is not constant" if text is None else repr(text)
        raise NotImplementedError(
            f"{what}(file_format={shown}): Headrace reads and writes 'wav' only; convert other sound files before."
        )


def decode_audio(
    contents: TensorLike,
    file_format: TensorLike | None = None,
    samples_per_second: TensorLike | None = None,
    channel_count: TensorLike | None = None,
    stream: RandomStream | None = None,
) -> Tensor:
    """The samples of a WAV file.

    Args:
        contents: string scalar tensor, the file.
        file_format: "wav".
        samples_per_second: the file's frames a second; sound is not resampled.
        channel_count: how many channels to give, a constant.
        stream: the stream of a file that holds several; WAV files hold one.

    Returns:
        a float32 tensor of shape (frames, channels).

    Raises:
        NotImplementedError: for other formats, a `stream`, or a number of channels that is not constant.
        InvalidArgumentError: at run time, for a file of another rate.

    Example:
        >>> audio = tf.contrib.ffmpeg.decode_audio(tf.read_file("a.wav"), "wav", 16000, 1)
    """
    _only_wav("decode_audio", file_format)
    if stream:
        raise NotImplementedError(
            f"decode_audio(stream={stream!r}): a WAV file has one stream; leave the argument out."
        )
    channels = constant_value(convert_to_tensor(channel_count, dtype=int32))
    if channels is None:
        raise NotImplementedError("decode_audio(channel_count=...): the number of channels must be a constant.")
    audio, rate = decode_wav(contents, desired_channels=int(channels))
    expected_rate = convert_to_tensor(samples_per_second, dtype=int32)
    checked = Assert(
        equal(rate, expected_rate), ["The file's samples per second are not those asked for:", rate, expected_rate]
    )
    return with_dependencies([checked], audio)


def encode_audio(
    audio: TensorLike, file_format: TensorLike | None = None, samples_per_second: TensorLike | None = None
) -> Tensor:
    """Sound as a WAV file.

    Args:
        audio: float32 tensor of shape (frames, channels).
        file_format: "wav".
        samples_per_second: int32 scalar tensor, frames a second.

    Returns:
        a string scalar tensor.

    Raises:
        NotImplementedError: for other formats.

    Example:
        >>> audio = tf.sin(tf.reshape(tf.range(16000.0) / 10.0, [16000, 1]))
        >>> contents = tf.contrib.ffmpeg.encode_audio(audio, "wav", 16000)
        >>> sess.run(contents)[:4]
        b'RIFF'
    """
    _only_wav("encode_audio", file_format)
    return encode_wav(audio, samples_per_second)
