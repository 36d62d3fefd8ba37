"""Messages compared in tests, with a difference one can read: 1.x's `util.protobuf.compare`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

_INTEGERS = {FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_ENUM}
_INTEGERS |= {FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_UINT64}


def _rounded(field: Any, value: Any) -> Any:
    if field.cpp_type == FieldDescriptor.CPPTYPE_FLOAT:
        return round(value, 6)
    if field.cpp_type == FieldDescriptor.CPPTYPE_DOUBLE:
        return round(float(value), 7)
    return int(value) if field.cpp_type in _INTEGERS else value


def _messages_in(field: Any, value: Any) -> Iterable[Message]:
    if field.cpp_type != FieldDescriptor.CPPTYPE_MESSAGE:
        return ()
    if isinstance(value, Mapping):
        return [item for item in value.values() if isinstance(item, Message)]
    return [value] if isinstance(value, Message) else value


def NormalizeNumberFields(pb: Message) -> Message:
    """Rounds the numbers of a message, and of those in it, so that equal ones print alike.

    Args:
        pb: the message, which is changed.

    Returns:
        `pb`.
    """
    for field, value in pb.ListFields():
        inner = _messages_in(field, value)
        for message in inner:
            NormalizeNumberFields(message)
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            continue
        if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
            setattr(pb, field.name, _rounded(field, value))
        else:
            getattr(pb, field.name)[:] = [_rounded(field, item) for item in value]
    return pb


def assertProtoEqual(
    self: Any,
    a: Any,
    b: Message,
    check_initialized: bool = True,
    normalize_numbers: bool = False,
    msg: str | None = None,
) -> None:
    """Fails a test where two messages differ, showing where.

    Args:
        self: the test case.
        a: a message, or the text of one.
        b: a message.
        check_initialized: whether required fields must be set.
        normalize_numbers: whether numbers are rounded before.
        msg: what the failure says first.
    """
    if isinstance(a, str):
        a = text_format.Merge(a, type(b)())
    for message in (a, b):
        if check_initialized and (missing := message.FindInitializationErrors()):
            self.fail(f"Initialization errors: {missing}\n{message}")
        if normalize_numbers:
            NormalizeNumberFields(message)
    compare = self.assertMultiLineEqual
    compare(text_format.MessageToString(a), text_format.MessageToString(b), msg=msg)


def _parts(value: Any) -> Any:
    """The parts of a message, a mapping or a list by what tells them apart; anything else as it is."""
    if isinstance(value, Message):
        return {field.number: item for field, item in value.ListFields()}
    if isinstance(value, Mapping):
        return dict(value.items())
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        return dict(enumerate(value))
    return value


def ProtoEq(a: Any, b: Any) -> bool:
    """Whether two messages, or parts of them, are equal."""
    mine, other = _parts(a), _parts(b)
    if not isinstance(mine, dict) or not isinstance(other, dict):
        return bool(mine == other)
    return mine.keys() == other.keys() and all(ProtoEq(mine[key], other[key]) for key in mine)


class ProtoAssertions:
    """Adds `assertProtoEqual` to a test case."""

    assertProtoEqual = assertProtoEqual
