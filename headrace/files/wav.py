"""WAV files, written."""

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
