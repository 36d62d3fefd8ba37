"""CRC32C as TensorFlow's files carry it: masked, so that a checksum stored in checked data stays well mixed.

Castagnoli, Bräuer and Herrmann, "Optimization of cyclic redundancy-check codes with 24 and 32 parity bits", IEEE
Transactions on Communications 41 (1993); the mask is LevelDB's (github.com/google/leveldb, util/crc32c.h).
"""

from __future__ import annotations

import google_crc32c
import numpy as np

_DELTA = 0xA282EAD8
_WORD = 0xFFFFFFFF


def crc32c(data: bytes | np.ndarray, crc: int = 0) -> int:
    """The CRC32C of bytes (or of a contiguous array of uint8) that follow data of checksum `crc`."""
    return int(google_crc32c.extend(crc, data))


def mask(crc: int) -> int:
    """A checksum in the form it is stored in."""
    return (((crc >> 15) | (crc << 17)) + _DELTA) & _WORD
