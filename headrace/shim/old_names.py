"""Names that NumPy and Python have dropped since, which programs of TensorFlow 1's years use.

The runner puts them back for the program it runs; `import headrace` alone leaves both as they are.
"""

from __future__ import annotations

import builtins
import collections
import collections.abc
import ctypes
import fractions
import gc
import inspect
import math
import time
from typing import Any

import numpy as np


def restore_old_names() -> None:
    """Gives NumPy and the standard library the names that are missing; those that are there stay."""
    for owner, names in _old_names().items():
        for name, value in names.items():
            # NumPy warns of some of these when they are asked for.
            if name not in vars(owner):
                setattr(owner, name, value)
    for kind in (np.ndarray, np.generic):
        _restore_method(kind, "tostring", kind.tobytes)


def _old_names() -> dict[Any, dict[str, Any]]:
    numpy_names: dict[str, Any] = {
        **{name: getattr(builtins, name) for name in ("bool", "complex", "float", "int", "object", "str")},
        "long": int,
        "unicode": str,
        "float_": np.float64,
        "complex_": np.complex128,
        "string_": np.bytes_,
        "unicode_": np.str_,
        "Inf": np.inf,
        "Infinity": np.inf,
        "infty": np.inf,
        "PINF": np.inf,
        "NINF": -np.inf,
        "NaN": np.nan,
        "PZERO": 0.0,
        "NZERO": -0.0,
        "alltrue": np.all,
        "sometrue": np.any,
        "product": np.prod,
        "cumproduct": np.cumprod,
        "round_": np.round,
        "row_stack": np.vstack,
        "asscalar": lambda a: a.item(),
        "rank": np.ndim,
        "alen": len,
        "msort": _msort,
        "in1d": np.isin,
        "asfarray": lambda a, dtype=np.float64: np.asarray(a, dtype),
        "mat": np.asmatrix,
    }
    abstract = {name: getattr(collections.abc, name) for name in collections.abc.__all__}
    return {
        np: numpy_names,
        collections: abstract,
        inspect: {"getargspec": _getargspec},
        time: {"clock": time.perf_counter},
        fractions: {"gcd": math.gcd},
    }


def _msort(a: Any) -> Any:
    return np.sort(a, axis=0)


ArgSpec = collections.namedtuple("ArgSpec", "args varargs keywords defaults")


def _getargspec(function: Any) -> ArgSpec:
    """The arguments of a Python function, as `inspect` gave them before 3.11."""
    spec = inspect.getfullargspec(function)
    if spec.kwonlyargs or spec.annotations:
        raise ValueError("Function has keyword-only parameters or annotations, use inspect.signature()")
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def _restore_method(kind: type, name: str, method: Any) -> None:
    """Puts a method back on a type of an extension module, which only its own dictionary allows."""
    if hasattr(kind, name):
        return
    (members,) = gc.get_referents(kind.__dict__)
    members[name] = method
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
