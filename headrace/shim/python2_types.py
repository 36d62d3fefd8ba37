"""`types` as Python 2 had it: the built-in types by the names that converted sources use, text being `str`."""

from __future__ import annotations

import io
import types
from typing import Any

StringType = UnicodeType = str
StringTypes = (str,)
IntType = LongType = int
FloatType, ComplexType, BooleanType = float, complex, bool
ListType, TupleType, DictType, DictionaryType, SliceType = list, tuple, dict, dict, slice
ObjectType, TypeType, ClassType, InstanceType = object, type, type, object
NoneType, NotImplementedType, EllipsisType = type(None), type(NotImplemented), type(Ellipsis)
FileType, BufferType, XRangeType = io.IOBase, memoryview, range
UnboundMethodType = types.FunctionType


def __getattr__(name: str) -> Any:
    """What today's module still has."""
    return getattr(types, name)
