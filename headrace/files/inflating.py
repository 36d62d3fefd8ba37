"""How much memory a compressed file or text may take: zlib's streams hold up to a thousand times their size."""

from __future__ import annotations

import functools
import os
import zlib

from headrace.core.errors import ResourceExhaustedError


@functools.cache
def most_held() -> int:
    """How many bytes one record or text may have: a quarter of the machine's memory, so that a copy of it fits too."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4
    except (AttributeError, OSError, ValueError):
        return 1 << 31  # where the system does not say, as on Windows


def check_held(size: int, what: str) -> None:
    """Raises ResourceExhaustedError if `size` bytes of `what` are more than may be held."""
    if size > most_held():
        raise ResourceExhaustedError(
            None, None, f"{what} has more than {most_held()} bytes, a quarter of this machine's memory"
        )


def inflated(data: bytes, window_bits: int, what: str, whole: bool = False) -> bytes:
    """What was compressed.

    Args:
        data: a stream of zlib's.
        window_bits: the size of its window, by zlib's rules.
        what: what it is, for messages.
        whole: whether a stream that ends early is an error.

    Raises:
        zlib.error: for other bytes.
        ResourceExhaustedError: if it is more than may be held.
    """
    stream = zlib.decompressobj(window_bits)
    found = stream.decompress(data, most_held() + 1)
    check_held(len(found), what)
    if whole and not stream.eof:
        raise zlib.error("Error -5 while decompressing data: incomplete or truncated stream")
    return found
