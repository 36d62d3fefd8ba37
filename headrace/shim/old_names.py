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
    from headrace.shim.old_numpy_types import (
        former_methods,
        former_types,
    )  # programs of Headrace alone have no need of it

    _add(np, {name: getattr(builtins, name) for name in ("bool", "complex", "float", "int", "object", "str")})
    _add(np, {"long": int, "unicode": str, "float_": np.float64, "complex_": np.complex128})
    _add(np, {"string_": np.bytes_, "unicode_": np.str_, "Inf": np.inf, "Infinity": np.inf, "infty": np.inf})
    _add(np, {"PINF": np.inf, "NINF": -np.inf, "NaN": np.nan, "PZERO": 0.0, "NZERO": -0.0})
    _add(np, {"alltrue": np.all, "sometrue": np.any, "product": np.prod, "cumproduct": np.cumprod, "round_": np.round})
    _add(np, {"row_stack": np.vstack, "rank": np.ndim, "alen": len, "in1d": np.isin, "mat": np.asmatrix})
    _add(np, {"asscalar": lambda a: a.item(), "msort": lambda a: np.sort(a, axis=0)})
    _add(np, {"asfarray": lambda a, dtype=np.float64: np.asarray(a, dtype)})
    _add(np, former_types(np))
    for kind in (np.ndarray, np.generic):
        if not hasattr(kind, "tostring"):
            _restore_method(kind, "tostring", kind.tobytes)
    for name, method in former_methods(np).items():
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
