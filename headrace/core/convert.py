"""Turning Python values into tensors: one function, with a registry of types that know how."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import slots
from headrace.core.dtypes import DType, as_dtype
from headrace.core.operation import Operation
from headrace.core.stacks import default_graphs
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike


ConversionFunction = Callable[..., Any]

_by_priority: dict[int, list[tuple[Any, ConversionFunction]]] = {}
_lookup: dict[type, list[ConversionFunction]] = {}


def register_tensor_conversion_function(
    base_type: type | Sequence[type], conversion_func: ConversionFunction, priority: int = 100
) -> None:
    """Registers how objects of `base_type` become tensors.

    Args:
        base_type: a type or tuple of types.
        conversion_func: called as `f(value, dtype=None, name=None, as_ref=False)`; returns a tensor, or
            NotImplemented to let another function try.
        priority: lower values are tried first.

    Raises:
        TypeError: if the arguments have the wrong types.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(t, type) for t in types):
        raise TypeError("base_type must be a type or a tuple of types.")
    if not callable(conversion_func):
        raise TypeError("conversion_func must be callable.")
    _by_priority.setdefault(priority, []).append((base_type, conversion_func))
    _lookup.clear()


def _functions_for(kind: type) -> list[ConversionFunction]:
    functions = _lookup.get(kind)
    if functions is None:
        # The family of Const says how Python's and NumPy's values become tensors; nothing may have needed it yet.
        slots.register_conversions()
        functions = []
        for priority in sorted(_by_priority):
            functions.extend(f for base, f in _by_priority[priority] if issubclass(kind, base))
        _lookup[kind] = functions
    return functions


def convert_to_tensor(
    value: object,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    preferred_dtype: DTypeLike | None = None,
    dtype_hint: DTypeLike | None = None,
    as_ref: bool = False,
) -> Tensor:
    """Converts `value` to a `Tensor`.

    Args:
        value: a tensor, variable, NumPy array, Python number, string, bool, (nested) list of these, or an object of a
            registered type.
        dtype: the element type; inferred from the value if None.
        name: name of the constant that may be made.
        preferred_dtype, dtype_hint: an element type to try first when `dtype` is None.
        as_ref: whether a variable may give its reference rather than its value.

    Returns:
        a tensor.

    Raises:
        TypeError: if nothing converts values of this type, or not to `dtype`.
        ValueError: if `value` is a tensor of another type, or of another graph.
    """
    if dtype is not None and not isinstance(dtype, DType):
        dtype = as_dtype(dtype)
    if isinstance(value, Tensor):
        if dtype is not None and not dtype.is_compatible_with(value._dtype):
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype {value._dtype.name}: {value!r}"
            )
        if not value._is_graph_tensor and default_graphs.items and default_graphs.items[-1].building_function:
            # What the body of a function uses has its place there from here on.
            return default_graphs.items[-1].capture(value, name)
        return value
    preferred = preferred_dtype if preferred_dtype is not None else dtype_hint
    if preferred is not None:
        preferred = as_dtype(preferred)
    functions = _functions_for(type(value))
    for function in functions:
        result: Any = NotImplemented
        if dtype is None and preferred is not None:
            try:
                result = function(value, dtype=preferred, name=name, as_ref=as_ref)
            except (TypeError, ValueError):
                # The preferred type is only a wish.
                result = NotImplemented
            else:
                if result is not NotImplemented and result.dtype.base_dtype != preferred.base_dtype:
                    raise TypeError(
                        f"convert_to_tensor did not convert to the preferred dtype: {result.dtype.base_dtype.name} vs "
                        f"{preferred.base_dtype.name}"
                    )
        if result is NotImplemented:
            result = function(value, dtype=dtype, name=name, as_ref=as_ref)
        if result is NotImplemented:
            continue
        if not isinstance(result, Tensor):
            raise RuntimeError(f"The conversion function of {type(value)} returned a non-Tensor: {result!r}")
        if dtype is not None and not dtype.is_compatible_with(result.dtype):
            raise RuntimeError(
                f"The conversion function of {type(value)} returned incompatible dtype: requested = {dtype.name}, "
                f"actual = {result.dtype.name}"
            )
        return result
    raise TypeError(
        f"{'' if name is None else name + ': '}Cannot convert {value!r} with type {type(value)} to Tensor: no conversion "
        "function registered."
    )


def _refuse_operation(
    value: Operation, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Any:
    raise TypeError(
        f"Can't convert Operation '{value.name}' to Tensor (target dtype={dtype!r}, name={name!r}, as_ref={as_ref!r})"
    )


register_tensor_conversion_function(Operation, _refuse_operation)


def convert_n_to_tensor(
    values: Iterable[Any], dtype: DTypeLike | None = None, name: str | None = None, preferred_dtype: Any = None
) -> list[Tensor]:
    """Converts each of `values`; the constants are named `name_0`, `name_1`, …

    Raises:
        TypeError: if `values` is no sequence.
    """
    if not isinstance(values, (Sequence, np.ndarray)):
        raise TypeError("values must be a sequence.")
    return [
        convert_to_tensor(value, dtype, None if name is None else f"{name}_{i}", preferred_dtype)
        for i, value in enumerate(values)
    ]
