"""What Python's operators mean on tensors: `x + y`, `x < y`, `~x`, `x @ y` and their reflected forms.

The other operand takes the type of the tensor: it is converted under the name "y" (or "x" when it stands on the left)
inside the scope of the operation, which is named after the operator.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph, name_scope
from headrace.core.dtypes import string
from headrace.core.eager import EagerTensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing import matmul
from headrace.ops.math.binary import pow as power
from headrace.ops.math.comparison import greater, greater_equal, less, less_equal
from headrace.ops.math.division import div, floordiv, floormod, true_division_type, truediv
from headrace.ops.math.logical import logical_and, logical_not, logical_or, logical_xor
from headrace.ops.math.unary import abs as absolute
from headrace.ops.math.unary import negative

Function = Callable[..., Any]


def _sum(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    return (raw.Add if x._dtype.base_dtype is string else raw.AddV2)(x, y, name=name)


def _difference(x: Tensor, y: Tensor, name: str | None = None) -> Tensor:
    return raw.Sub(x, y, name=name)


def _product(x: Tensor, y: SparseTensor | Tensor, name: str | None = None) -> SparseTensor | Tensor:
    if isinstance(y, SparseTensor):
        values = raw.SparseDenseCwiseMul(y.indices, y.values, y.dense_shape, x, name=name)
        return SparseTensor(y.indices, values, y.dense_shape)
    return raw.Mul(x, y, name=name)


_BINARY: dict[str, Function] = {
    "add": _sum,
    "sub": _difference,
    "mul": _product,
    "div": div,
    "truediv": truediv,
    "floordiv": floordiv,
    "mod": floormod,
    "pow": power,
    "and": logical_and,
    "or": logical_or,
    "xor": logical_xor,
    "matmul": matmul,
}


def _forward(name: str, function: Function) -> Function:
    reflected = f"__r{name}__"
    scoped = f"{name}/"

    def operator(x, y):
        if x.__class__ is EagerTensor and y.__class__ is EagerTensor:
            graph = get_default_graph()
            if graph.is_eager and not graph._name_stack:
                # What runs at once is in no scope: its name is only told where it fails.
                return function(x, y, name=scoped)
        with name_scope(None, name, [x, y]) as scope:
            if not isinstance(y, (Tensor, SparseTensor)):
                try:
                    y = convert_to_tensor(y, name="y", preferred_dtype=x.dtype.base_dtype)
                except TypeError:
                    # It may be an object that knows itself how to combine with tensors.
                    if hasattr(type(y), reflected):
                        return NotImplemented
                    raise
            return function(x, y, name=scope)

    operator.__name__ = f"__{name}__"
    operator.__doc__ = function.__doc__
    return operator


def _reflected(name: str, function: Function) -> Function:
    def operator(y, x):
        with name_scope(None, name, [x, y]) as scope:
            x = convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
            return function(x, y, name=scope)

    operator.__name__ = f"__r{name}__"
    operator.__doc__ = function.__doc__
    return operator


def _on_sparse(name: str, function: Function) -> Function:
    """An operator of a SparseTensor and a dense one: the result is stored where the sparse one is."""

    def operator(sparse, y):
        with name_scope(None, name, [sparse.values, y]) as scope:
            y = convert_to_tensor(y, dtype=sparse.dtype.base_dtype, name="y")
            values = function(sparse.indices, sparse.values, sparse.dense_shape, y, scope)
            return SparseTensor(sparse.indices, values, sparse.dense_shape)

    operator.__name__ = f"__{name}__"
    return operator


def _sparse_quotient(indices: Tensor, values: Tensor, shape: Tensor, y: Tensor, name: str) -> Tensor:
    return raw.SparseDenseCwiseDiv(indices, values, shape, y, name=name)


def _sparse_true_quotient(indices: Tensor, values: Tensor, shape: Tensor, y: Tensor, name: str) -> Tensor:
    with name_scope(name, "truediv", [values, y]) as name:
        quotient_type = true_division_type(values.dtype.base_dtype)
        if quotient_type is not None:
            values, y = raw.Cast(values, DstT=quotient_type), raw.Cast(y, DstT=quotient_type)
        return _sparse_quotient(indices, values, shape, y, name)


def _sparse_product(indices: Tensor, values: Tensor, shape: Tensor, y: Tensor, name: str) -> Tensor:
    return raw.SparseDenseCwiseMul(indices, values, shape, y, name=name)


def install() -> None:
    """Gives `Tensor` and `SparseTensor` their operators; calling it again changes nothing."""
    for name, function in _BINARY.items():
        Tensor._override_operator(f"__{name}__", _forward(name, function))
        Tensor._override_operator(f"__r{name}__", _reflected(name, function))
    for name, function in (
        ("__neg__", negative),
        ("__abs__", absolute),
        ("__invert__", logical_not),
        ("__lt__", less),
        ("__le__", less_equal),
        ("__gt__", greater),
        ("__ge__", greater_equal),
    ):
        Tensor._override_operator(name, function)
    for name, function in (("div", _sparse_quotient), ("truediv", _sparse_true_quotient), ("mul", _sparse_product)):
        SparseTensor._override_operator(f"__{name}__", _on_sparse(name, function))
