"""Reading many Examples that are laid out alike without looking into each.

Records of one file mostly differ in their values only: keys, types and lengths stand at the same places. Records of
equal length are laid side by side as the rows of a matrix; where the bytes that are no values equal those of one record
that was read properly, so do the places of the values, which are then columns of the matrix.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import numpy as np

from headrace.kernels.parsing.wire import decode_int_rows, varint

_PACKED = 0x0A
_KEY, _VALUE = 0x0A, 0x12
# The tag of a Feature's list, and the name of the member.
_MEMBERS = {0x0A: "bytes_list", 0x12: "float_list", 0x1A: "int64_list"}
# Fewer records than this are not worth a matrix.
_MIN_RECORDS = 6
# Records of so many bytes are looked at together.
_BLOCK = 1 << 19
# So many lengths, and layouts a length, are remembered.
_MAX_LENGTHS, _MAX_LAYOUTS = 256, 4


class Layout:
    """Where the values of a record stand.

    Attributes:
        lists: from key to member of the Feature and the places (start, end) of its values: of each string, or of
            all numbers.
        fixed: the places of all bytes that are no values.
        bytes: what stands there.
    """

    def __init__(self, lists: dict[str, tuple[str, list[tuple[int, int]]]], record: bytes) -> None:
        self.lists = lists
        is_fixed = np.ones(len(record), bool)
        for _, places in lists.values():
            for start, end in places:
                is_fixed[start:end] = False
        self.fixed = np.flatnonzero(is_fixed)
        self.bytes = np.frombuffer(record, np.uint8)[self.fixed]


def layout_of(record: bytes) -> Layout | None:
    """The layout of an Example as TensorFlow and protobuf write it; None for one written in another way."""
    try:
        end, at = _field(record, 0, len(record), _PACKED)
        if end != len(record):
            return None
        lists = {}
        while at < end:
            entry_end, at = _field(record, at, end, _PACKED)
            key_end, at = _field(record, at, entry_end, _KEY)
            key = record[at:key_end].decode()
            if key in lists:
                return None
            value_end, at = _field(record, key_end, entry_end, _VALUE)
            if value_end != entry_end:
                return None
            lists[key] = _list_layout(record, at, value_end)
            at = entry_end
        return Layout(lists, record)
    except (_OtherForm, UnicodeDecodeError):
        return None


class _OtherForm(ValueError):
    """The record is written in a form that is not described here."""


def _field(record: bytes, at: int, limit: int, tag: int) -> tuple[int, int]:
    """Where the contents of the field at `at` end and begin."""
    if at >= limit or record[at] != tag:
        raise _OtherForm
    length, start = varint(record, at + 1)
    if length < 0 or start + length > limit:
        raise _OtherForm
    return start + length, start


def _list_layout(record: bytes, at: int, limit: int) -> tuple[str, list[tuple[int, int]]]:
    """The member of the Feature between `at` and `limit` and the places of its values."""
    if at == limit:
        return "", []
    tag = record[at]
    if tag not in _MEMBERS:
        raise _OtherForm
    end, at = _field(record, at, limit, tag)
    if end != limit:
        raise _OtherForm
    places = []
    while at < end:
        value_end, at = _field(record, at, end, _PACKED)
        places.append((at, value_end))
        at = value_end
    member = _MEMBERS[tag]
    if member != "bytes_list" and len(places) > 1:
        raise _OtherForm
    if member == "float_list" and places and (places[0][1] - places[0][0]) % 4:
        raise _OtherForm
    return member, places


class Group:
    """Records of one layout: which of the batch they are, and their bytes as rows."""

    def __init__(self, layout: Layout, places: np.ndarray, records: Sequence[bytes], rows: np.ndarray) -> None:
        self.layout = layout
        self.places = places
        self.records = records
        self.rows = rows

    def values(self, key: str) -> tuple[np.ndarray, np.ndarray]:
        """The values of a feature that the layout has, record by record, and how many each record has.

        Raises:
            MalformedList: for numbers that do not end where their list does.
        """
        member, places = self.layout.lists[key]
        count = len(self.records)
        if member == "bytes_list":
            values = np.empty((count, len(places)), object)
            for i, (start, end) in enumerate(places):
                part = slice(start, end)
                values[:, i] = [record[part] for record in self.records]
            return values.reshape(-1), np.full(count, len(places), np.int64)
        start, end = places[0] if places else (0, 0)
        numbers = self.rows[:, start:end]
        if member == "float_list":
            flat = np.ascontiguousarray(numbers).reshape(-1).view("<f4")
            return flat, np.full(count, (end - start) // 4, np.int64)
        return decode_int_rows(numbers)


class Layouts:
    """The layouts that the records of one parsing op have had so far."""

    def __init__(self) -> None:
        self._known: dict[int, list[Layout]] = {}

    def group(self, records: Sequence[bytes], others: list[int]) -> Iterator[Group]:
        """The records in groups of one layout each, one after the other; those that belong to none go to `others`."""
        lengths = np.fromiter(map(len, records), np.int64, len(records))
        order = np.argsort(lengths, kind="stable")
        starts = np.flatnonzero(np.diff(lengths[order], prepend=-1))
        ends = np.append(starts[1:], len(records))
        often = ends - starts >= _MIN_RECORDS
        others += order[~np.repeat(often, ends - starts)].tolist()
        for start, end in zip(starts[often].tolist(), ends[often].tolist()):
            length = int(lengths[order[start]])
            # What is looked at together fits into the processor's caches, and memory for it comes from what is there.
            most = max(_MIN_RECORDS, _BLOCK // max(length, 1))
            while end - start >= _MIN_RECORDS:
                members = order[start : min(start + most, end)]
                start += len(members)
                others += yield from self._match(length, members, records)
            others += order[start:end].tolist()
        others.sort()

    def _match(self, length: int, members: np.ndarray, records: Sequence[bytes]) -> Generator[Group, None, list[int]]:
        """Groups of records of one length; returns those that belong to none."""
        known = self._known.setdefault(length, []) if len(self._known) < _MAX_LENGTHS else []
        for attempt in range(_MAX_LAYOUTS):
            if attempt == len(known):
                layout = layout_of(records[members[0]])
                if layout is None:
                    break
                known.append(layout)
            chosen = [records[i] for i in members.tolist()]
            rows = np.frombuffer(b"".join(chosen), np.uint8).reshape(len(members), length)
            layout = known[attempt]
            equal = rows.take(layout.fixed, 1) == layout.bytes
            if equal.all():
                yield Group(layout, members, chosen, rows)
                return []
            same = equal.all(1)
            if same.any():
                kept = np.flatnonzero(same)
                yield Group(layout, members[kept], [chosen[i] for i in kept.tolist()], rows[kept])
                members = members[~same]
            if len(members) < _MIN_RECORDS:
                break
        return members.tolist()
