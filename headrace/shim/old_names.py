"""Names that NumPy and Python have dropped since, which programs of TensorFlow 1's years use, and how NumPy printed.

`install_as_tensorflow` puts them back, and so does the runner; `import headrace` alone leaves both as they are.
"""

from __future__ import annotations

import builtins
import collections
import collections.abc
import ctypes
import fractions
import functools
import gc
import inspect
import math
import sys
import time
import warnings
from typing import TYPE_CHECKING, Any

from headrace.shim.after_import import after_import
from headrace.shim.old_libraries import restore_library_names

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike


@functools.cache
def restore_old_names() -> None:
    """Gives NumPy, once it is imported, and the standard library the names that are missing; others stay. Once a process."""
    abstract = {name: getattr(collections.abc, name) for name in collections.abc.__all__}
    _add(collections, abstract)
    _add(inspect, {"getargspec": _getargspec})
    _add(time, {"clock": time.perf_counter})
    _add(fractions, {"gcd": math.gcd})
    # NumPy's word on `float(array)` of one element, which such programs do with what they fetch.
    warnings.filterwarnings("ignore", "Conversion of an array with ndim > 0 to a scalar", DeprecationWarning)
    after_import("numpy", _restore_numpy)
    restore_library_names()


def _add(owner: Any, names: dict[str, Any]) -> None:
    for name, value in names.items():
        # NumPy warns of some of these when they are asked for.
        if name not in vars(owner):
            setattr(owner, name, value)


def _restore_numpy(np: Any) -> None:
    _add(np, {name: getattr(builtins, name) for name in ("bool", "complex", "float", "int", "object", "str")})
    _add(np, {"long": int, "unicode": str, "float_": np.float64, "complex_": np.complex128})
    _add(np, {"string_": np.bytes_, "unicode_": np.str_, "Inf": np.inf, "Infinity": np.inf, "infty": np.inf})
    _add(np, {"PINF": np.inf, "NINF": -np.inf, "NaN": np.nan, "PZERO": 0.0, "NZERO": -0.0})
    _add(np, {"alltrue": np.all, "sometrue": np.any, "product": np.prod, "cumproduct": np.cumprod, "round_": np.round})
    _add(np, {"row_stack": np.vstack, "rank": np.ndim, "alen": len, "in1d": np.isin, "mat": np.asmatrix})
    _add(np, {"asscalar": lambda a: a.item(), "msort": lambda a: np.sort(a, axis=0)})
    _add(np, {"asfarray": lambda a, dtype=np.float64: np.asarray(a, dtype)})
    _add(np, _former_types(np))
    for kind in (np.ndarray, np.generic):
        if not hasattr(kind, "tostring"):
            _restore_method(kind, "tostring", kind.tobytes)
    for name, method in _former_methods(np).items():
        # Some are there for what they say: that they are gone.
        if not hasattr(np.zeros(1), name):
            _restore_method(np.ndarray, name, method)
    _add_former_conversions(np)
    # `np.lib` passed on what its modules held.
    passed_on = {name: getattr(np, name) for name in np.__all__}
    _add(np.lib, {name: value for name, value in passed_on.items() if callable(value) and not isinstance(value, type)})
    if int(np.__version__.split(".")[0]) >= 2:
        # Its scalars tell their types since: [np.float32(0.5)] instead of [0.5].
        np.set_printoptions(legacy="1.25")


# The arguments that could be given by position.
_BY_POSITION = {"array": ("copy", "order", "subok", "ndmin"), "asarray": ("order",), "asanyarray": ("order",)}


def _add_former_conversions(np: Any) -> None:
    """Lets `copy=False` copy where it must, as before NumPy 2, and rows of unequal length make an array of objects, as
    before 1.24: programs of those years rely on both, in replay buffers and in lists of sentences."""
    for name, by_position in _BY_POSITION.items():
        setattr(np, name, _former_conversion(getattr(np, name), by_position))


def _former_conversion(convert: Any, by_position: tuple[str, ...]) -> Any:
    if hasattr(convert, "__wrapped__"):
        return convert  # restored before

    @functools.wraps(convert)
    def converted(object: Any, dtype: DTypeLike | None = None, *more: Any, **named: Any) -> Any:
        if more:
            named.update(zip(by_position, more, strict=False))
        # Libraries of today pass a mode that is neither true nor false.
        copy = named.get("copy")
        if "copy" in by_position and isinstance(copy, int) and not copy:
            named["copy"] = None
        try:
            return convert(object, dtype, **named)
        except ValueError as error:
            # What is ours reports such rows itself.
            caller = sys._getframe(1).f_globals.get("__name__", "")
            if dtype is not None or "inhomogeneous shape" not in str(error) or caller.startswith("headrace."):
                raise
            return convert(object, builtins.object, **named)

    return converted


ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")


def _getargspec(function: Any) -> ArgSpec:
    """The arguments of a Python function, as `inspect` gave them before 3.11."""
    spec = inspect.getfullargspec(function)
    # Those of 1.x's functions that are ours had no annotations.
    own = (getattr(function, "__module__", None) or "").partition(".")[0] == "headrace"
    if spec.kwonlyargs or (spec.annotations and not own):
        raise ValueError("Function has keyword-only parameters or annotations, use inspect.signature()")
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def _restore_method(kind: type, name: str, method: Any) -> None:
    """Puts a method back on a type of an extension module, which only its own dictionary allows."""
    (members,) = gc.get_referents(kind.__dict__)
    members[name] = method
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def _former_types(np: Any) -> dict[str, Any]:
    """Names for types and what tells of them, and what they stood for."""
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


def _former_methods(np: Any) -> dict[str, Any]:
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
