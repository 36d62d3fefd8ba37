"""Lists of values in the wire format of protocol buffers, many at once as one NumPy array.

A list of strings is a field (tag 0x0A, length, bytes) for each. A list of numbers is the bytes of a FloatList or
Int64List: usually one packed field (tag 0x0A, length, numbers one after the other), in old files a field for each
number (tag 0x0D or 0x08).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from headrace.files.checkpoint.wire import Damaged, numbers_ending, read_varint

_PACKED = 0x0A
_SINGLE_FLOAT = 0x0D
_SINGLE_INT = 0x08


class MalformedList(ValueError):
    """Bytes that are no list of such values; `index` says which of the lists."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


def decode_floats(lists: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of all lists, float32, one after the other; and how many each has, int64.

    Raises:
        MalformedList: naming the list that is none.
    """
    same = _same_header(lists)
    if same is not None:
        rows, header = same
        if (rows.shape[1] - header) % 4 == 0:
            values = np.ascontiguousarray(rows[:, header:]).reshape(-1).view("<f4")
            return values, np.full(len(lists), (rows.shape[1] - header) // 4, np.int64)
    payloads = _contents(lists)
    if len(payloads) < len(lists):
        payloads = [_payload(item, i, _SINGLE_FLOAT) for i, item in enumerate(lists)]
    sizes = np.array([len(payload) for payload in payloads], np.int64)
    if (sizes % 4).any():
        raise MalformedList(int(np.flatnonzero(sizes % 4)[0]))
    return np.frombuffer(bytearray().join(payloads), "<f4"), sizes // 4


def decode_ints(lists: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of all lists, int64, one after the other; and how many each has, int64.

    Raises:
        MalformedList: naming the list that is none.
    """
    same = _same_header(lists)
    if same is not None:
        rows, header = same
        numbers = rows[:, header:]
        if numbers.size == 0 or int(numbers.max()) < 128:
            return numbers.astype(np.int64).reshape(-1), np.full(len(lists), numbers.shape[1], np.int64)
    payloads = _contents(lists)
    if len(payloads) < len(lists):
        payloads = [_payload(item, i, _SINGLE_INT) for i, item in enumerate(lists)]
    sizes = np.array([len(payload) for payload in payloads], np.int64)
    return _numbers(np.frombuffer(b"".join(payloads), np.uint8), sizes)


def decode_int_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers that the rows of a matrix of bytes write, one after the other; and how many each has, int64.

    Raises:
        MalformedList: naming the row that does not end with a number.
    """
    if rows.size == 0 or int(rows.max()) < 128:
        return rows.astype(np.int64).reshape(-1), np.full(len(rows), rows.shape[1], np.int64)
    return _numbers(np.ascontiguousarray(rows).reshape(-1), np.full(len(rows), rows.shape[1], np.int64))


def _numbers(stream: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers in a stream of bytes, of which each list has `sizes`; and how many each list has."""
    last = stream < 128
    ends = np.cumsum(sizes)
    # A number must not run on into the next list.
    used = sizes > 0
    if not last[ends[used] - 1].all():
        raise MalformedList(int(np.flatnonzero(used)[np.flatnonzero(~last[ends[used] - 1])[0]]))
    seen = np.concatenate([[0], np.cumsum(last)])
    return numbers_ending(stream, np.flatnonzero(last)), seen[ends] - seen[ends - sizes]


def decode_strings(lists: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """The strings of all lists, an object array, one after the other; and how many each has, int64.

    Raises:
        MalformedList: naming the list that is none.
    """
    items = _contents(lists)
    if len(items) == len(lists):
        counts = np.ones(len(lists), np.int64)
    else:
        parts = [_strings(item, i) for i, item in enumerate(lists)]
        counts = np.array([len(part) for part in parts], np.int64)
        items = [item for part in parts for item in part]
    values = np.empty(len(items), object)
    values[:] = items
    return values, counts


def _contents(lists: Sequence[bytes]) -> list[bytes]:
    """What stands in those lists that are one field of up to 16 KB; of the others nothing."""
    return [
        item[2:] if item[1] < 128 else item[3:]
        for item in lists
        if len(item) > 1
        and item[0] == _PACKED
        and (
            item[1] == len(item) - 2
            if item[1] < 128
            else len(item) > 130 and item[2] < 128 and (item[1] & 127 | item[2] << 7) == len(item) - 3
        )
    ]


def _strings(data: bytes, index: int) -> list[bytes]:
    found = []
    at = 0
    while at < len(data):
        length, start = varint(data, at + 1)
        at = start + length
        if length < 0 or at > len(data):
            raise MalformedList(index)
        found.append(data[start:at])
    return found


def _same_header(lists: Sequence[bytes]) -> tuple[np.ndarray, int] | None:
    """The lists as rows and how many bytes stand before the numbers, if all are of one length and packed."""
    size = len(lists[0]) if lists else 0
    if size < 2:
        return None
    joined = b"".join(lists)
    if len(joined) != size * len(lists):
        return None
    rows = np.frombuffer(joined, np.uint8).reshape(len(lists), size)
    length, header = varint(lists[0], 1)
    if lists[0][0] != _PACKED or header + length != size:
        return None
    if len(lists) > 1 and (set(map(len, lists)) != {size} or not (rows[:, :header] == rows[0, :header]).all()):
        return None
    return rows, header


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A base-128 number and where it ends; (-1, at) if the data end before it does."""
    try:
        return read_varint(data, at)
    except Damaged:
        return -1, min(len(data), at + 10)


def _payload(data: bytes, index: int, single: int) -> bytes:
    """The numbers of a list one after the other, however the list was written."""
    if not data:
        return b""
    length, at = varint(data, 1)
    if data[0] == _PACKED and at + length == len(data):
        return data[at:]
    parts = []
    at = 0
    width: Callable[[int], int] = (
        (lambda start: start + 4) if single == _SINGLE_FLOAT else (lambda start: varint(data, start)[1])
    )
    while at < len(data):
        tag, at = data[at], at + 1
        if tag == _PACKED:
            length, at = varint(data, at)
            end = at + length if length >= 0 else len(data) + 1
        elif tag == single:
            end = width(at)
        else:
            raise MalformedList(index)
        if end > len(data):
            raise MalformedList(index)
        parts.append(data[at:end])
        at = end
    return b"".join(parts)
