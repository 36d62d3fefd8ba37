"""Functions of elements through NumPy's vector loops, where they are faster than torch's.

On the CPU torch computes most of these functions with MKL's vector library, which is slow on processors that are not
Intel's; NumPy brings loops of its own for AVX-512. Microseconds for 4,096 float32 on one core of an AMD EPYC, torch and
NumPy: tanh 11.3 and 1.9, log 26 and 2.6, sin 6.0 and 2.5, asinh 47 and 3.3.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from types import ModuleType

    from headrace.core.typing import NodeView


# How many times faster NumPy's loop is, which is how many threads torch needs to catch up on large tensors.
_GAIN = {
    "Acos": 1.8,
    "Asin": 1.7,
    "Asinh": 20.0,
    "Atan": 6.0,
    "Cos": 2.4,
    "Cosh": 4.0,
    "Exp": 1.7,
    "Expm1": 3.4,
    "IsFinite": 18.0,
    "IsInf": 9.0,
    "IsNan": 9.0,
    "Log": 3.3,
    "Log1p": 1.6,
    "Sin": 2.4,
    "Sinh": 3.8,
    "Sqrt": 6.0,  # Of zeros, as there are many in the moments of sparse updates; 1.3 otherwise.
    "Tan": 4.0,
    "Tanh": 6.5,
}
_UFUNCS: dict[str, Any] = {
    "Acos": np.arccos,
    "Asin": np.arcsin,
    "Asinh": np.arcsinh,
    "Atan": np.arctan,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "Exp": np.exp,
    "Expm1": np.expm1,
    "IsFinite": np.isfinite,
    "IsInf": np.isinf,
    "IsNan": np.isnan,
    "Log": np.log,
    "Log1p": np.log1p,
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Sqrt": np.sqrt,
    "Tan": np.tan,
    "Tanh": np.tanh,
}
# In double precision these loops are not vectorized.
_SLOW_DOUBLES = frozenset({"Sin", "Cos"})


@functools.cache
def _has_loops() -> bool:
    """Whether NumPy has vector loops for this processor."""
    core: ModuleType = importlib.import_module(
        "numpy._core._multiarray_umath" if hasattr(np, "_core") else "numpy.core._multiarray_umath"
    )
    return bool(core.__cpu_features__.get("AVX512_SKX"))


def has_loop(op_type: str) -> bool:
    """Whether an op may compute with NumPy, which warns of overflow where torch does not."""
    return op_type in _UFUNCS


def faster(node: NodeView, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`function`, or what computes the same with NumPy where that is faster.

    Args:
        node: the planned node.
        function: computes the op on a torch tensor.
    """
    ufunc = _loop_for(node)
    if ufunc is None:
        return function
    from_numpy, asarray = torch.from_numpy, np.asarray
    if node.inputs[0].dims:
        return lambda x: from_numpy(ufunc(x.numpy()))
    # Of an array without axes NumPy makes a scalar.
    return lambda x: from_numpy(asarray(ufunc(x.numpy())))


def in_place(node: NodeView) -> Callable[[Any], Any] | None:
    """What computes the op in the memory of its input with NumPy where that is faster, else None."""
    ufunc = _loop_for(node)
    if ufunc is None:
        return None

    def compute(x: torch.Tensor) -> torch.Tensor:
        array = x.numpy()
        ufunc(array, array)
        return x

    return compute


def _loop_for(node: NodeView) -> np.ufunc | None:
    """The NumPy function that is faster than torch's for the node, if there is one."""
    ufunc = _UFUNCS.get(node.type)
    dtype = node.inputs[0].dtype.torch
    if ufunc is None or node.device.type != "cpu" or not _has_loops():
        return None
    if dtype is torch.float64:
        if node.type in _SLOW_DOUBLES:
            return None
    elif dtype is not torch.float32:
        return None
    return None if node.heavy and torch.get_num_threads() > _GAIN[node.type] else ufunc


def tanh_of(node: NodeView) -> Callable[[Any], Any]:
    """The hyperbolic tangent for matrices of the type of the node's outputs, for kernels of several functions."""
    simple = node.device.type == "cpu" and node.outputs[0].dtype.torch in (torch.float32, torch.float64)
    if not simple or not _has_loops():
        return torch.tanh
    from_numpy, tanh = torch.from_numpy, np.tanh
    return lambda x: from_numpy(tanh(x.numpy()))


def tanh_in_place_of(node: NodeView) -> Callable[[Any], Any]:
    """As `tanh_of`, in the memory of the argument."""
    if tanh_of(node) is torch.tanh:
        return torch.tanh_
    tanh = np.tanh

    def compute(x: torch.Tensor) -> torch.Tensor:
        array = x.numpy()
        tanh(array, array)
        return x

    return compute
