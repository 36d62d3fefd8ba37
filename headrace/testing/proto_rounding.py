"""Messages with their numbers rounded, so that tests may compare them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.protobuf.message import Message

# Digits behind the point, of single and double floats, as 1.x's tests rounded them.
_SINGLE_DIGITS, _DOUBLE_DIGITS = 6, 7


def round_numbers(message: Message) -> None:
    """Rounds the floats of a message, and of those in it, in place."""
    for field, value in message.ListFields():
        repeated = isinstance(value, (list, tuple)) or hasattr(value, "extend")
        if field.cpp_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
            digits = _SINGLE_DIGITS if field.cpp_type == field.CPPTYPE_FLOAT else _DOUBLE_DIGITS
            if repeated:
                value[:] = [round(number, digits) for number in value]
            else:
                setattr(message, field.name, round(value, digits))
        elif field.cpp_type == field.CPPTYPE_MESSAGE:
            for part in _parts(field, value, repeated):
                round_numbers(part)


def _parts(field: object, value: object, repeated: bool) -> list[Message]:
    """The messages of a field."""
    if hasattr(value, "keys"):
        # A map; of those of numbers, none is compared by its digits.
        return [part for part in value.values() if hasattr(part, "ListFields")]  # type: ignore[attr-defined]  # a map
    return list(value) if repeated else [value]  # type: ignore[call-overload,list-item]  # as the field's kind says
