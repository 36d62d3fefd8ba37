"""Reading snappy-compressed blocks. None are written: the tables this is for hold names and places, which are small.

The format: github.com/google/snappy, format_description.txt.
"""

from __future__ import annotations

from typing import Any

from headrace.files.checkpoint.wire import Damaged, read_varint

# An element of three bytes can stand for 64: no block decompresses to more than this many times its size.
_MAX_EXPANSION = 64


def decompress(data: Any) -> bytes:
    """The bytes a snappy block stands for.

    Raises:
        Damaged: with the position in `data`, if it is no such block; before any memory is taken for what it claims.
    """
    size, at = read_varint(data, 0)
    end = len(data)
    if size > _MAX_EXPANSION * end:
        raise Damaged(f"{end} compressed bytes that claim to be {size}")
    out = bytearray()
    while at < end:
        start = at
        tag = data[at]
        at += 1
        kind = tag & 3
        if kind == 0:
            length = tag >> 2
            if length >= 60:
                extra = length - 59
                length = int.from_bytes(data[at : at + extra], "little")
                at += extra
            length += 1
            if length > end - at:
                raise Damaged("a literal that is cut off", start)
            out += data[at : at + length]
            at += length
        else:
            if kind == 1:
                length, width = 4 + (tag >> 2 & 7), 1
            else:
                length, width = 1 + (tag >> 2), 2 if kind == 2 else 4
            if width > end - at:
                raise Damaged("a copy that is cut off", start)
            offset = int.from_bytes(data[at : at + width], "little")
            at += width
            if kind == 1:
                offset |= tag >> 5 << 8
            if not 0 < offset <= len(out):
                raise Damaged("a copy from before the start", start)
            first = len(out) - offset
            if offset >= length:
                out += out[first : first + length]
            else:
                # It overlaps itself: the bytes between repeat.
                unit = bytes(out[first:])
                out += (unit * (length // offset + 1))[:length]
        if len(out) > size:
            raise Damaged(f"more than the {size} bytes announced", start)
    if len(out) != size:
        raise Damaged(f"{len(out)} bytes where {size} were announced", end)
    return bytes(out)
