"""Messages and bytes changed at random: messages where they remain messages, which bit flips rarely reach."""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor
from hypothesis import strategies as st

NUMBERS = (0, -1, 1, 7, 2**20, 2**31 - 1, 2**62, -(2**63))
TYPES = (0, 1, 3, 7, 10, 20, 21, 101, 999)
TEXTS = ("", "^a", "a:99", "../x", "a b", "MatMul", "While", "Const", "Merge", "Switch", "Enter", "NextIteration")


def changed(message):
    """A strategy for copies of a message in which up to four fields, anywhere in it, have other values."""
    return st.randoms().map(lambda generator: changed_by(generator, message))


def changed_by(generator, message):
    """A copy of a message in which up to four fields, anywhere in it, have other values."""
    copy = type(message)()
    copy.CopyFrom(message)
    for _ in range(generator.randint(1, 4)):
        _change(generator, copy)
    return copy


def damaged_by(generator, data):
    """Bytes with some flipped, cut out, repeated or left out at the end."""
    made = bytearray(data)
    for _ in range(generator.choice([1, 1, 2, 4])):
        if not made:
            break
        place, kind = generator.randrange(len(made)), generator.choice(["flip", "bit", "cut", "repeat", "end"])
        if kind == "flip":
            made[place] = generator.randrange(256)
        elif kind == "bit":
            made[place] ^= 1 << generator.randrange(8)
        elif kind == "cut":
            del made[place : place + generator.choice([1, 3, 40])]
        elif kind == "repeat":
            made[place:place] = made[place : place + 20]
        else:
            del made[place:]
    return bytes(made)


def _change(generator, message):
    fields = message.ListFields()
    while fields:
        field, value = generator.choice(fields)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            key = generator.choice(sorted(value))
            kind = generator.choice(["inside", "inside", "inside", "drop", "move"])
            if kind == "inside" and field.message_type.fields_by_name["value"].message_type is not None:
                message, fields = value[key], value[key].ListFields()
                continue
            if kind == "move" and isinstance(key, str) and hasattr(value[key], "CopyFrom"):
                value[generator.choice(["T", "dtype", "shape", "value", "_class", "strange"])].CopyFrom(value[key])
            else:
                del value[key]
            return
        if isinstance(value, (bool, int, float, str, bytes)):
            setattr(message, field.name, _other(generator, field, value))
            return
        if hasattr(value, "ListFields"):
            message, fields = value, value.ListFields()
            continue
        place = generator.randint(0, len(value) - 1)
        if generator.randint(0, 9) == 0:
            del value[place]
            return
        if field.message_type is None:
            value[place] = _other(generator, field, value[place])
            return
        message, fields = value[place], value[place].ListFields()


def _other(generator, field, value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return generator.choice([*TEXTS, f"^{value}", f"{value}:1", value[:-1]])
    if isinstance(value, bytes):
        return generator.choice([b"", b"\xff\xfe", value[:-1], value + b"x"])
    if isinstance(value, float):
        return generator.choice([0.0, -1.0, float("inf")])
    if field.enum_type is not None:
        return generator.choice(TYPES)
    short = field.type in (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_FIXED32)
    unsigned = field.type in (
        FieldDescriptor.TYPE_UINT32,
        FieldDescriptor.TYPE_UINT64,
        FieldDescriptor.TYPE_FIXED32,
        FieldDescriptor.TYPE_FIXED64,
    )
    number = generator.choice(NUMBERS)
    number = max(-(2**31), min(2**31 - 1, number)) if short else number
    return abs(number) if unsigned else number
