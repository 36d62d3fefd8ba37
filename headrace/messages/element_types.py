"""`tensorflow.core.framework.types_pb2`: the types of elements that 1.15 knows.

The messages come from a later version, whose enumeration has numbers for types that are not types here.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
from tensorboard.compat.proto import types_pb2

DESCRIPTOR = types_pb2.DESCRIPTOR
# The numbers of 1.15's types; those of references are greater by 100.
_KNOWN = frozenset([*range(24), *range(101, 124)])


class _DataTypes(EnumTypeWrapper):
    """The enumeration of 1.15."""

    def items(self) -> list[tuple[str, int]]:
        return [(name, number) for name, number in super().items() if number in _KNOWN]

    def keys(self) -> list[str]:
        return [name for name, _ in self.items()]

    def values(self) -> list[int]:
        return [number for _, number in self.items()]


DataType: Any = _DataTypes(types_pb2.DataType.DESCRIPTOR)
globals().update(DataType.items())
