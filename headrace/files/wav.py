"""WAV files, written and read."""

from __future__ import annotations

import struct

import numpy as np


def encode_wav(samples: np.ndarray, sample_rate: int) -> bytes:
    """Sound as a WAV file of 16-bit samples.

    Args:
        samples: [frames, channels], floating numbers; what is not in [-1, 1] is cut off.
        sample_rate: frames a second.
    """
    channels = samples.shape[1]
    scaled = np.rint(np.nan_to_num(samples.astype(np.float64), nan=0.0) * 32768.0)
    data = np.clip(scaled, -32768, 32767).astype("<i2").tobytes()
    rate = sample_rate * channels * 2
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, channels, sample_rate, rate, channels * 2, 16)
    body = b"WAVE" + form + struct.pack("<4sI", b"data", len(data)) + data
    return struct.pack("<4sI", b"RIFF", len(body)) + body


def decode_wav(data: bytes) -> tuple[np.ndarray, int]:
    """The samples of a WAV file, int16 [frames, channels], and the frames a second.

    Args:
        data: the file, of 16-bit samples that are not compressed.

    Raises:
        ValueError: for other files, and for those that end early.
    """
    at = 0

    def read_bytes(count: int, what: str) -> bytes:
        nonlocal at
        if at + count > len(data):
            raise ValueError(f"Data too short when trying to read {what}: {count} bytes at {at} of {len(data)}")
        at += count
        return data[at - count : at]

    def expect(tag: bytes) -> None:
        found = read_bytes(len(tag), "string")
        if found != tag:
            raise ValueError(f"Header mismatch: Expected {tag.decode()} but found {found.decode('latin-1')}")

    expect(b"RIFF")
    read_bytes(4, "value")
    expect(b"WAVE")
    expect(b"fmt ")
    (size,) = struct.unpack("<I", read_bytes(4, "value"))
    if size not in (16, 18):
        raise ValueError(f"Bad format chunk size for WAV: Expected 16 or 18, but got {size}")
    kind, channels, rate, bytes_a_second, bytes_a_frame, bits = struct.unpack("<HHIIHH", read_bytes(16, "value"))
    read_bytes(size - 16, "value")
    if kind != 1:
        raise ValueError(f"Bad audio format for WAV: Expected 1 (PCM), but got {kind}")
    if bits != 16:
        raise ValueError(f"Can only read 16-bit WAV files, but received {bits}")
    if bytes_a_frame != 2 * channels or not channels:
        raise ValueError(f"Bad bytes per sample in WAV header: Expected {2 * channels} but got {bytes_a_frame}")
    if bytes_a_second != bytes_a_frame * rate:
        raise ValueError(
            f"Bad bytes per second in WAV header: Expected {bytes_a_frame * rate} but got {bytes_a_second}"
        )
    samples: np.ndarray | None = None
    while at < len(data):
        name = read_bytes(4, "string")
        (size,) = struct.unpack("<I", read_bytes(4, "value"))
        chunk = read_bytes(size, "chunk " + name.decode("latin-1"))
        if name == b"data":
            if samples is not None:
                raise ValueError("More than one data chunk found in WAV")
            frames = size // bytes_a_frame
            samples = np.frombuffer(chunk, "<i2", frames * channels).reshape(frames, channels)
    if samples is None:
        raise ValueError("No data chunk found in WAV")
    return samples, rate
