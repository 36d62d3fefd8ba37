"""Element types of tensors: `DType`, its constants, and `as_dtype`.

Owns the mapping between TensorFlow's type numbers and names, NumPy's types and torch's. torch is imported
only when somebody asks for a torch type, so that building a graph costs nothing of it.
"""

from __future__ import annotations

import builtins
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torch import dtype as TorchDType

    from headrace.core.typing import DTypeLike

# Names in the order of the type numbers of TensorFlow's types.proto, from 1.
_NAMES = (
    *("float32", "float64", "int32", "uint8", "int16", "int8", "string", "complex64", "int64", "bool"),
    *("qint8", "quint8", "qint32", "bfloat16", "qint16", "quint16", "uint16", "complex128", "float16"),
    *("resource", "variant", "uint32", "uint64"),
)
# A reference type, the type of a variable's buffer in the graph, has its value type's number plus this.
_REF_OFFSET = 100

_FLOATING = frozenset({"float16", "bfloat16", "float32", "float64"})
_INTEGER = frozenset({"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"})
_COMPLEX = {"complex64": "float32", "complex128": "float64"}
_QUANTIZED_STORAGE = {f"q{stored}": stored for stored in ("int8", "uint8", "int16", "uint16", "int32")}
_OPAQUE = frozenset({"resource", "variant"})
_WITHOUT_TORCH_TYPE = _OPAQUE | {"string"}


class DType:
    """The type of a tensor's elements, such as `tf.float32`.

    There is one object for each type: `DType(1)` and `as_dtype("float32")` are `tf.float32` itself. A DType
    compares equal to anything `as_dtype` turns into it. Attributes are for reading only.

    Args:
      type_enum: a number of TensorFlow's `DataType` enumeration; reference types are 100 above their value's.

    Raises:
      TypeError: `type_enum` names no type.

    Example:
      >>> float32 == np.float32, float32 == "float64", float32.is_floating
      (True, False, True)
    """

    __slots__ = (
        "_is_ref_dtype",
        "_numpy",
        "_torch",
        "as_datatype_enum",
        "base_dtype",
        "is_bool",
        "is_complex",
        "is_floating",
        "is_integer",
        "is_numpy_compatible",
        "is_quantized",
        "is_unsigned",
        "name",
        "real_dtype",
    )

    name: str
    as_datatype_enum: int
    base_dtype: DType
    _is_ref_dtype: builtins.bool
    real_dtype: DType
    is_floating: builtins.bool
    is_integer: builtins.bool
    is_complex: builtins.bool
    is_bool: builtins.bool
    is_quantized: builtins.bool
    is_unsigned: builtins.bool
    is_numpy_compatible: builtins.bool
    _numpy: np.dtype[Any] | type | None
    _torch: TorchDType | None

    def __new__(cls, type_enum: int) -> DType:
        found = _BY_ENUM.get(int(type_enum))
        if found is None:
            raise TypeError(f"type_enum is not a valid types_pb2.DataType: {type_enum}")
        return found

    @classmethod
    def _make(cls, enum: int, base_name: str, base: DType | None) -> DType:
        """Builds the one object of a type; `base` is the value type of a reference type."""
        self = object.__new__(cls)
        self.name = base_name if base is None else base_name + "_ref"
        self.as_datatype_enum = enum
        self.base_dtype = self if base is None else base
        self._is_ref_dtype = base is not None
        # Only complex types have another type for their real part; set once all types exist.
        self.real_dtype = self
        self.is_floating = base_name in _FLOATING
        self.is_integer = base_name in _INTEGER
        self.is_complex = base_name in _COMPLEX
        self.is_bool = base_name == "bool"
        self.is_quantized = base_name in _QUANTIZED_STORAGE
        self.is_unsigned = self.is_integer and base_name.startswith("uint")
        self.is_numpy_compatible = base_name not in _OPAQUE
        self._numpy = None
        self._torch = None
        return self

    @property
    def _as_ref(self) -> DType:
        """The reference type whose value type this is."""
        return _BY_ENUM[self.base_dtype.as_datatype_enum + _REF_OFFSET]

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type of the elements; for quantized types a structured `np.dtype`.

        Raises:
          KeyError: resource and variant values have no NumPy form.
        """
        if self._numpy is None:
            self._numpy = _numpy_type(self.base_dtype.name)
        return self._numpy

    @property
    def torch(self) -> TorchDType | None:
        """The torch dtype that holds such elements; None for string, resource and variant.

        Quantized types are held as the integers they are stored in.
        """
        if self._torch is None:
            name = self.base_dtype.name
            if name in _WITHOUT_TORCH_TYPE:
                return None
            import torch

            self._torch = getattr(torch, _QUANTIZED_STORAGE.get(name, name))
        return self._torch

    @property
    def min(self) -> Any:
        """The smallest value of a real number type; TypeError for other types."""
        return self._extreme("min", "minimum")

    @property
    def max(self) -> Any:
        """The largest finite value of a real number type; TypeError for other types."""
        return self._extreme("max", "maximum")

    def _extreme(self, which: str, word: str) -> int | np.generic | np.floating[Any]:
        if self.is_integer:
            return getattr(np.iinfo(self.as_numpy_dtype), which)
        if self.base_dtype.name == "bfloat16":
            import ml_dtypes

            return getattr(ml_dtypes.finfo(ml_dtypes.bfloat16), which)
        if self.is_floating:
            return getattr(np.finfo(self.as_numpy_dtype), which)
        raise TypeError(f"Cannot find {word} value of {self}.")

    @property
    def limits(self) -> tuple[Any, Any]:
        """The intensities an image of this type spans: (0, 1) for float32 and float64, (0, max) for integers.

        Raises:
          KeyError: images have no such type.
        """
        if self.base_dtype.name in ("float32", "float64"):
            return 0, 1
        if self.is_integer:
            return 0, self.max
        raise KeyError(self.as_numpy_dtype)

    @property
    def size(self) -> int:
        """Bytes an element takes in a NumPy array; 1 for resource and variant."""
        return np.dtype(self.as_numpy_dtype).itemsize if self.is_numpy_compatible else 1

    def is_compatible_with(self, other: DTypeLike) -> builtins.bool:
        """Whether a value of type `other` may stand where this type is asked for.

        A reference may stand for its value, never the other way round.
        """
        other = as_dtype(other)
        return self is other or self is other.base_dtype

    def __eq__(self, other: object) -> builtins.bool:
        if self is other:
            return True
        if other is None or type(other) is DType:
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __ne__(self, other: object) -> builtins.bool:
        return not self.__eq__(other)

    def __hash__(self) -> int:
        return self.as_datatype_enum

    def __repr__(self) -> str:
        return "tf." + self.name

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


def _make_types() -> dict[int, DType]:
    types: dict[int, DType] = {}
    for enum, name in enumerate(_NAMES, start=1):
        types[enum] = value = DType._make(enum, name, None)
        types[enum + _REF_OFFSET] = DType._make(enum + _REF_OFFSET, name, value)
    by_name = {t.name: t for t in types.values()}
    for name, part in _COMPLEX.items():
        by_name[name].real_dtype = by_name[name + "_ref"].real_dtype = by_name[part]
    return types


_BY_ENUM = _make_types()


def _numpy_type(name: str) -> np.dtype[Any] | type:
    if name in _OPAQUE:
        raise KeyError(f"{name} has no NumPy type")
    if name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.bfloat16
    if name in _QUANTIZED_STORAGE:
        # A field name keeps a quantized array apart from an array of the integers it is stored in.
        return np.dtype([(name, _QUANTIZED_STORAGE[name])])
    return {"string": np.object_, "bool": np.bool_}.get(name) or getattr(np, name)


def _lookup_table() -> dict[Any, DType]:
    by_name = {t.name: t for t in _BY_ENUM.values()}
    for short, name in (("half", "float16"), ("float", "float32"), ("double", "float64")):
        by_name[short] = by_name[name]
        by_name[short + "_ref"] = by_name[name + "_ref"]
    table: dict[Any, DType] = {**_BY_ENUM, **by_name}
    table |= {float: by_name["float32"], builtins.bool: by_name["bool"], object: by_name["string"]}
    for name in (*_FLOATING - {"bfloat16"}, *_INTEGER, *_COMPLEX):
        table[getattr(np, name)] = table[np.dtype(name)] = by_name[name]
    table[np.bool_] = table[np.dtype("bool")] = by_name["bool"]
    table |= dict.fromkeys((np.object_, np.str_, np.bytes_), by_name["string"])
    # C's integer types are scalar types of their own in NumPy, whichever width they share.
    for c_type in (np.intc, np.uintc, np.int_, np.uint, np.longlong, np.ulonglong):
        table[c_type] = by_name[np.dtype(c_type).name]
    return table


_LOOKUP = _lookup_table()


def dtype_text(dtype: DType) -> str:
    """The name of a dtype as TensorFlow's kernels and declarations write it: `float` and `half`, but `int32`."""
    name: str = dtype.base_dtype.name
    return {"float32": "float", "float64": "double", "float16": "half"}.get(name, name)


def as_dtype(type_value: object) -> DType:
    """The `DType` that a value names.

    Args:
      type_value: a DType; a number or name of one (`1`, `"float32"`, `"half"`, `"float32_ref"`); a NumPy
        dtype or scalar type (no value of one); a torch dtype; Python's `float` (float32), `bool` or `object`
        (string).

    Raises:
      TypeError: the value names no type; Python's `int`, `str`, `bytes` and `complex` do not.

    Example:
      >>> as_dtype("double"), as_dtype(np.dtype("U4"))
      (tf.float64, tf.string)
    """
    if type(type_value) is DType:
        return type_value
    try:
        return _LOOKUP[type_value]
    except (KeyError, TypeError):
        found = _unusual_dtype(type_value)
    if found is None:
        raise TypeError(f"Cannot convert value {type_value!r} to a TensorFlow DType.")
    return found


def _unusual_dtype(value: object) -> DType | None:
    """What the table does not hold: NumPy dtypes, which carry widths and byte orders; bfloat16; torch."""
    if isinstance(value, np.dtype):
        if value.names is not None and len(value.names) == 1 and value.names[0] in _QUANTIZED_STORAGE:
            return _LOOKUP[value.names[0]]
        if value.kind in "SUOT":
            return string
        value = value.type
        if value in _LOOKUP:
            return _LOOKUP[value]
    if isinstance(value, type):
        return bfloat16 if value.__name__ == "bfloat16" else None
    torch_module = sys.modules.get("torch")
    if torch_module is not None and isinstance(value, torch_module.dtype):
        return _from_torch().get(value)
    return None


_FROM_TORCH: dict[Any, DType] = {}


def _from_torch() -> dict[Any, DType]:
    if not _FROM_TORCH:
        for dtype in _BY_ENUM.values():
            if dtype.torch is not None and not dtype._is_ref_dtype and not dtype.is_quantized:
                _FROM_TORCH[dtype.torch] = dtype
    return _FROM_TORCH


def of_torch(torch_dtype: TorchDType) -> DType:
    """The DType of the elements of a torch tensor of `torch_dtype`; never a quantized type.

    Raises:
      TypeError: TensorFlow 1.x has no such type, as for `torch.float8_e5m2`.
    """
    found = _from_torch().get(torch_dtype)
    if found is None:
        raise TypeError(
            f"TensorFlow has no element type for {torch_dtype}; cast first, as in tensor.to(torch.float32)."
        )
    return found


float16 = half = DType(19)
bfloat16 = DType(14)
float32 = DType(1)
float64 = double = DType(2)
int8 = DType(6)
int16 = DType(5)
int32 = DType(3)
int64 = DType(9)
uint8 = DType(4)
uint16 = DType(17)
uint32 = DType(22)
uint64 = DType(23)
complex64 = DType(8)
complex128 = DType(18)
bool = DType(10)
string = DType(7)
qint8 = DType(11)
quint8 = DType(12)
qint16 = DType(15)
quint16 = DType(16)
qint32 = DType(13)
resource = DType(20)
variant = DType(21)

# The types whose values NumPy can hold.
TF_VALUE_DTYPES = frozenset(t for t in _BY_ENUM.values() if not t._is_ref_dtype and t.name != "variant")

# What stands in arrays for a resource.
np_resource = np.dtype([("resource", np.ubyte)])

QUANTIZED_DTYPES = frozenset(t for t in _BY_ENUM.values() if t.is_quantized)

# Sets that op signatures name, in the order of TensorFlow's op definitions, where it shows in error messages.
DTYPE_SETS: dict[str, tuple[DType, ...]] = {
    "numeric": (
        float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
        uint16, complex128, float16, uint32, uint64,
    ),
    "realnumeric": (
        float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64,
    ),
    "floating": (float16, bfloat16, float32, float64),
    "inexact": (bfloat16, float16, float32, float64, complex64, complex128),
    "integer": (int8, int16, int32, int64, uint8, uint16, uint32, uint64),
    "index": (int32, int64),
    "complex": (complex64, complex128),
    "quantized": (qint8, quint8, qint32, qint16, quint16),
}  # fmt: skip


def _table(name: str) -> Any:
    """A table by the name that 1.x's own sources have for it, or None."""
    if name == "_STRING_TO_TF":
        return {t.name: t for t in _BY_ENUM.values()}
    if name == "_TYPE_TO_STRING":
        return {t.as_datatype_enum: t.name for t in _BY_ENUM.values()}
    if name == "_NP_TO_TF":
        return {t.as_numpy_dtype: t for t in TF_VALUE_DTYPES if not t.is_quantized and t != resource}
    if name == "_TF_TO_NP":
        return {t.as_datatype_enum: t.as_numpy_dtype for t in _BY_ENUM.values() if t.is_numpy_compatible}
    if name == "_INTERN_TABLE":
        return dict(_BY_ENUM)
    if name == "_PYTHON_TO_TF":
        return {builtins.float: float32, builtins.bool: bool, object: string}
    if name == "dtype_range":
        # What the brightness of an image ranges over.
        whole = {t: (t.min, t.max) for t in DTYPE_SETS["integer"]}
        ranges = {**whole, float32: (-1, 1), float64: (-1, 1)}
        return {np.bool_: (False, True), **{t.as_numpy_dtype: limits for t, limits in ranges.items()}}
    return None


def __getattr__(name: str) -> Any:
    if (table := _table(name)) is not None:
        return table
    # The types of references are told apart by name only.
    if name.endswith("_ref") and not name.startswith("_") and name in _LOOKUP:
        return _LOOKUP[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
