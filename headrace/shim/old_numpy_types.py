"""Names for types, and what tells of them, that NumPy 2 dropped: `np.int0`, `np.cast`, `np.sctypes`, `np.math` and others."""

from __future__ import annotations

import math
from typing import Any


def former_types(np: Any) -> dict[str, Any]:
    """The names and what they stood for.

    Args:
        np: NumPy.

    Example:
        >>> former_types(np)["int0"](3.7)
        np.int64(3)
    """
    kinds = {
        "int": [np.int8, np.int16, np.int32, np.int64],
        "uint": [np.uint8, np.uint16, np.uint32, np.uint64],
        "float": [np.float16, np.float32, np.float64, np.longdouble],
        "complex": [np.complex64, np.complex128, np.clongdouble],
        "others": [bool, object, bytes, str, np.void],
    }
    types = {np.dtype(code).type for code in np.typecodes["All"]}
    return {
        "bool8": np.bool_,
        "bytes0": np.bytes_,
        "cast": {kind: _caster(np, kind) for kind in types}
        | {np.dtype(kind).name: _caster(np, kind) for kind in types},
        "cfloat": np.complex128,
        "clongfloat": np.clongdouble,
        "fastCopyAndTranspose": lambda a: np.array(a.T),
        "find_common_type": lambda array_types, scalar_types: _common_type(np, array_types, scalar_types),
        "int0": np.intp,
        "issctype": lambda rep: isinstance(rep, (type, np.dtype)) and _scalar_type(np, rep) is not np.object_,
        "issubsctype": lambda arg1, arg2: issubclass(_scalar_type(np, arg1), _scalar_type(np, arg2)),
        "longcomplex": np.clongdouble,
        "longfloat": np.longdouble,
        "math": math,
        "nbytes": {kind: np.dtype(kind).itemsize for kind in types},
        "obj2sctype": lambda rep, default=None: _scalar_type(np, rep, default),
        "object0": np.object_,
        "sctype2char": lambda sctype: np.dtype(sctype).char,
        "sctypes": kinds,
        "singlecomplex": np.complex64,
        "str0": np.str_,
        "typeDict": np.sctypeDict,
        "uint0": np.uintp,
        "void0": np.void,
    }


def _caster(np: Any, kind: Any) -> Any:
    return lambda value: np.asarray(value).astype(kind)


def _scalar_type(np: Any, rep: Any, default: Any = None) -> Any:
    if isinstance(rep, type) and issubclass(rep, np.generic):
        return rep
    try:
        return np.dtype(rep).type
    except TypeError:
        return default


def _common_type(np: Any, array_types: Any, scalar_types: Any) -> Any:
    """The type of arrays, unless a scalar is of a greater kind."""
    arrays, scalars = (np.result_type(*kinds) if kinds else None for kinds in (list(array_types), list(scalar_types)))
    if arrays is None or scalars is None:
        return scalars if arrays is None else arrays
    order = "buifcmMOSUV"
    greater = order.index(scalars.kind) > order.index(arrays.kind) and not {arrays.kind, scalars.kind} <= set("ui")
    return scalars if greater else arrays


def former_methods(np: Any) -> dict[str, Any]:
    """The methods of arrays and what they did."""

    def ptp(self: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return np.ptp(self, axis, out, keepdims)

    def itemset(self: Any, *args: Any) -> None:
        *index, value = args
        if len(index) == 1 and not isinstance(index[0], tuple):
            self.flat[index[0]] = value
        else:
            self[index[0] if index and isinstance(index[0], tuple) else tuple(index)] = value

    def newbyteorder(self: Any, new_order: str = "S") -> Any:
        return self.view(self.dtype.newbyteorder(new_order))

    return {"itemset": itemset, "newbyteorder": newbyteorder, "ptp": ptp}
