"""Where in a file a message stops being one. Protocol buffers tell only that it does.

The bytes are walked once more, as their descriptors say; that is done only when parsing has failed.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

from headrace.files.checkpoint.wire import BYTES, FIXED32, FIXED64, VARINT, Damaged, read_varint, unpack_varints

_GROUP, _END_GROUP = 3, 4
_MAX_DEPTH = 100  # as deep as protocol buffers read
_FIXED = {FIXED64: 8, FIXED32: 4}


class Fault(NamedTuple):
    """The first thing in the bytes of a message that is wrong."""

    offset: int
    field: str
    problem: str

    def __str__(self) -> str:
        where = f" in {self.field}" if self.field else ""
        return f"{self.problem} at byte {self.offset}{where}"


class _Found(Exception):
    def __init__(self, offset: int, problem: str, path: list[str]) -> None:
        super().__init__(problem)
        self.fault = Fault(offset, ".".join(path), problem)


class _Field(NamedTuple):
    number: int
    kind: int
    start: int
    value: int  # of a number; else where the contents begin
    end: int


@functools.cache
def _wire_types() -> tuple[dict[int, int], int, int]:
    from google.protobuf.descriptor import FieldDescriptor as Kind

    sizes = dict.fromkeys((Kind.TYPE_DOUBLE, Kind.TYPE_FIXED64, Kind.TYPE_SFIXED64), 8)
    sizes |= dict.fromkeys((Kind.TYPE_FLOAT, Kind.TYPE_FIXED32, Kind.TYPE_SFIXED32), 4)
    return sizes, Kind.TYPE_STRING, Kind.TYPE_BYTES


def _fields(data: memoryview, start: int, end: int, path: list[str]) -> Iterator[_Field]:
    """The fields between two places.

    Raises:
        _Found: at the first that does not fit.
    """
    at = start
    while at < end:
        first = at
        try:
            key, at = read_varint(data[:end], at)
            number, kind = key >> 3, key & 7
            if number == 0 or key >> 32:
                raise Damaged(f"a field with the number {number}")
            if kind == VARINT:
                value, at = read_varint(data[:end], at)
                yield _Field(number, kind, first, value, at)
                continue
            if kind == BYTES:
                size, at = read_varint(data[:end], at)
            elif kind in _FIXED:
                size = _FIXED[kind]
            elif kind == _GROUP:
                size = _group_end(data, at, end, number, path) - at
            else:
                raise Damaged(f"a field of the wire type {kind}, which begins none")
            if size > end - at:
                raise Damaged(f"a field of {size} bytes where {end - at} are left")
        except Damaged as damage:
            raise _Found(first, str(damage), path) from None
        yield _Field(number, kind, first, at, at + size)
        at += size


def _group_end(data: memoryview, start: int, end: int, number: int, path: list[str]) -> int:
    """Where the group with this number, which began before `start`, ends. Groups are fields that no one knows."""
    open_groups, at = [number], start
    while open_groups:
        key, at = read_varint(data[:end], at)
        kind = key & 7
        if kind == _END_GROUP:
            if open_groups.pop() != key >> 3:
                raise Damaged("a group that ends as another")
        elif kind == _GROUP:
            open_groups.append(key >> 3)
            if len(open_groups) > _MAX_DEPTH:
                raise Damaged("fields nested too deeply")
        elif kind == VARINT:
            _, at = read_varint(data[:end], at)
        elif kind == BYTES:
            size, at = read_varint(data[:end], at)
            at += size
        elif kind in _FIXED:
            at += _FIXED[kind]
        else:
            raise Damaged(f"a field of the unknown wire type {kind}")
        if at > end:
            raise Damaged("a group that does not end")
    return at


def first_fault(data: bytes, descriptor: Any) -> Fault | None:
    """The first field of a message that does not parse, or None if all do.

    Args:
        data: the message.
        descriptor: of its class.

    Example:
        >>> data = tf.GraphDef(node=[tf.NodeDef(name="scale")]).SerializeToString()
        >>> first_fault(data[:-1], tf.GraphDef.DESCRIPTOR)
        Fault(offset=0, field='', problem='a field of 7 bytes where 6 are left')
    """
    try:
        _check(memoryview(data), 0, len(data), descriptor, [])
    except _Found as found:
        return found.fault
    return None


def _check(data: memoryview, start: int, end: int, descriptor: Any, path: list[str]) -> None:
    if len(path) > _MAX_DEPTH:
        raise _Found(start, "fields nested too deeply", path[:8])
    sizes, text, plain = _wire_types()
    counts: dict[int, int] = {}
    known = descriptor.fields_by_number
    for field in _fields(data, start, end, path):
        described = known.get(field.number)
        if described is None or field.kind != BYTES:
            continue  # read as a field that no one knows, or as a number, which is always one
        place = counts[field.number] = counts.get(field.number, -1) + 1
        name = described.name if described.type in (text, plain) or not place else f"{described.name}[{place}]"
        inside = [*path, name]
        if described.message_type is not None:
            _check(data, field.value, field.end, described.message_type, inside)
        elif described.type == text:
            try:
                str(data[field.value : field.end], "utf-8")
            except UnicodeDecodeError as error:
                raise _Found(field.value + error.start, "text that is not UTF-8", inside) from None
        elif described.type in sizes:
            if (field.end - field.value) % sizes[described.type]:
                raise _Found(field.start, "packed numbers of which the last is cut", inside)
        elif described.type != plain:
            try:
                unpack_varints(data[field.value : field.end])
            except Damaged as damage:
                raise _Found(field.value + damage.position, str(damage), inside) from None


def offset_of_node(data: bytes, descriptor: Any, name: str) -> int | None:
    """Where the node of a name begins in a message that holds graphs; None if it is not there.

    Args:
        data: the message.
        descriptor: of its class.
        name: of the node.
    """
    try:
        return _node(memoryview(data), 0, len(data), descriptor, name.encode())
    except _Found:
        return None


def _node(data: memoryview, start: int, end: int, descriptor: Any, name: bytes) -> int | None:
    for field in _fields(data, start, end, []):
        described = descriptor.fields_by_number.get(field.number)
        inner = None if described is None or field.kind != BYTES else described.message_type
        if inner is None:
            continue
        if inner.name == "NodeDef":
            for part in _fields(data, field.value, field.end, []):
                if part.number == 1 and data[part.value : part.end] == name:
                    return field.start
        elif inner.name in ("GraphDef", "MetaGraphDef", "FunctionDefLibrary", "FunctionDef"):
            found = _node(data, field.value, field.end, inner, name)
            if found is not None:
                return found
    return None
