"""Messages changed at random where they remain messages: what bit flips rarely reach."""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor
from hypothesis import strategies as st

NUMBERS = (0, -1, 1, 7, 2**20, 2**31 - 1, 2**62, -(2**63))
TYPES = (0, 1, 3, 7, 10, 20, 21, 101, 999)
TEXTS = ("", "^a", "a:99", "../x", "a b", "MatMul", "While", "Const", "Merge", "Switch", "Enter", "NextIteration")


@st.composite
def changed(draw, message):
    """A copy of a message in which up to four fields, anywhere in it, have other values."""
    copy = type(message)()
    copy.CopyFrom(message)
    for _ in range(draw(st.integers(1, 4))):
        _change(draw, copy)
    return copy


def _change(draw, message):
    fields = message.ListFields()
    while fields:
        field, value = draw(st.sampled_from(fields))
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            key = draw(st.sampled_from(sorted(value)))
            kind = draw(st.sampled_from(["inside", "inside", "inside", "drop", "move"]))
            if kind == "inside" and field.message_type.fields_by_name["value"].message_type is not None:
                message, fields = value[key], value[key].ListFields()
                continue
            if kind == "move" and isinstance(key, str) and hasattr(value[key], "CopyFrom"):
                value[draw(st.sampled_from(["T", "dtype", "shape", "value", "_class", "strange"]))].CopyFrom(value[key])
            else:
                del value[key]
            return
        if isinstance(value, (bool, int, float, str, bytes)):
            setattr(message, field.name, _other(draw, field, value))
            return
        if hasattr(value, "ListFields"):
            message, fields = value, value.ListFields()
            continue
        place = draw(st.integers(0, len(value) - 1))
        if draw(st.integers(0, 9)) == 0:
            del value[place]
            return
        if field.message_type is None:
            value[place] = _other(draw, field, value[place])
            return
        message, fields = value[place], value[place].ListFields()


def _other(draw, field, value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return draw(st.sampled_from([*TEXTS, f"^{value}", f"{value}:1", value[:-1]]))
    if isinstance(value, bytes):
        return draw(st.sampled_from([b"", b"\xff\xfe", value[:-1], value + b"x"]))
    if isinstance(value, float):
        return draw(st.sampled_from([0.0, -1.0, float("inf")]))
    if field.enum_type is not None:
        return draw(st.sampled_from(TYPES))
    short = field.type in (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_FIXED32)
    unsigned = field.type in (
        FieldDescriptor.TYPE_UINT32,
        FieldDescriptor.TYPE_UINT64,
        FieldDescriptor.TYPE_FIXED32,
        FieldDescriptor.TYPE_FIXED64,
    )
    number = draw(st.sampled_from(NUMBERS))
    number = max(-(2**31), min(2**31 - 1, number)) if short else number
    return abs(number) if unsigned else number
