"""Cast and Bitcast: values in another element type, and their bits read as one."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import torch

from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, bfloat16, complex64, complex128, float32, float64, int32, int64
from headrace.core.errors import InvalidArgumentError, UnimplementedError
from headrace.core.native import TYPE_CODES, applied
from headrace.core.registry import op, raw
from headrace.core.size_elements import Element, KnownElements, Term, has_items, term
from headrace.core.tensor import Tensor
from headrace.kernels.math.elementwise import bracketed, same_shape

if TYPE_CHECKING:
    from headrace.core.building_facts import PythonValues
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.typing import DTypeLike, NodeView, TensorLike


cast_op = (
    op("Cast", "x: SrcT, *, SrcT: type, DstT: type, Truncate=False -> y: DstT")
    .aliases()
    .keeps_shape()
    .never_fails()
    .forwards_memory()
    .gives_no_more()
)
cast_op.shape(same_shape)
cast_op.accepts([2, 3], DstT=float64).accepts(np.array([1.5, -2.5]), DstT=int32)


@cast_op.python_value
def cast_in_python(op: Operation, known: PythonValues) -> np.ndarray | None:
    values = known.all(op.inputs)
    return None if values is None else values[0].astype(op.outputs[0].dtype.as_numpy_dtype)


@cast_op.scalar_expression
def cast_scalar(node: NodeView) -> str | None:
    return None if node.attrs.get("Truncate") else f"{{0}}.astype(np.{node.outputs[0].dtype.name})"


@cast_op.size_elements
def cast_elements(node: NodeView, known: KnownElements) -> list[Element] | None:
    elements = known.elements(node.inputs[0])
    if elements is None:
        return None
    before, after = node.inputs[0].dtype.name, node.outputs[0].dtype.name
    if (before, after) == ("int64", "int32"):
        # A sum is brought into the range of its type, as the items of a longer one must be.
        return [term("+", element, 0) if has_items(element) else element for element in elements]
    if (before, after) == ("int32", "int64") and any(isinstance(element, Term) for element in elements):
        return None
    return elements


@cast_op.kernel
def cast_kernel(node):
    source, target = node.inputs[0].dtype, node.outputs[0].dtype
    if source == target:
        return lambda x: x
    if source.torch is None or target.torch is None:
        raise UnimplementedError(None, None, f"Cast {source.name} to {target.name} is not supported")
    dtype = target.torch
    if source.is_complex and not target.is_complex:
        # torch warns of the imaginary part that is lost; TensorFlow drops it silently here.
        return lambda x: x.real.to(dtype)
    if node.attrs["Truncate"] and source.is_floating and target.is_floating and target.size < source.size:
        return _truncating(source.torch, dtype)
    if (source.is_floating and target.is_unsigned) or (source.is_floating and target.size < 4 and target.is_integer):
        # Out of range, C leaves the result open; x86 goes by way of int32 for small types, by int64 for others.
        between = torch.int32 if target.size < 4 else torch.int64
        if target.size < 8:
            return lambda x: x.to(between).to(dtype)
    if source.name == "bool" and (target.is_floating or target.is_integer) and not _is_small(node.inputs[0].dims):
        # torch has vector loops from bytes, not from bools.
        return lambda x: x.view(torch.uint8).to(dtype)
    return lambda x: x.to(dtype)


def _is_small(dims: Any) -> bool:
    """Whether a tensor is known to have so few elements that two calls cost more than one."""
    return dims is not None and None not in dims and math.prod(dims) < 2048


_MANTISSA = {torch.float64: 52, torch.float32: 23, torch.float16: 10, torch.bfloat16: 7}
_BITS = {torch.float64: torch.int64, torch.float32: torch.int32, torch.float16: torch.int16}


def _truncating(source, target):
    """Clears the bits that the smaller mantissa has no room for, so that nothing is left to round."""
    mask = -1 << (_MANTISSA[source] - _MANTISSA[target])
    integers = _BITS[source]
    return lambda x: (x.view(integers) & mask).view(source).to(target)


@cast_op.same_as
def cast_same(node):
    value = node.inputs[0]
    return value if value.dtype.base_dtype == node.attrs["DstT"] and not value.dtype._is_ref_dtype else None


_CONTINUOUS = frozenset({"float16", "float32", "float64", "bfloat16", "complex64", "complex128"})


@cast_op.gradient
def cast_gradient(op, grad):
    source = op.inputs[0].dtype.base_dtype
    if source.name in _CONTINUOUS and grad.dtype.base_dtype.name in _CONTINUOUS:
        return [cast(grad, source)]
    return [None]


_REINTERPRETABLE = (
    "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, complex128, "
    "qint8, quint8, qint16, quint16, qint32}"
)
bitcast_op = op(
    "Bitcast", f"input: T, *, T: {_REINTERPRETABLE}, type: {_REINTERPRETABLE} -> output: type"
).forwards_memory()
bitcast_op.aliases()
bitcast_op.accepts([2, 2], type=float64).accepts([3], type=int32).rejects([2, 3], type=float64, error=ValueError)


@bitcast_op.shape
def bitcast_shape(op):
    dims = op.inputs[0].dims
    source, target = op.inputs[0].dtype.size, op.attrs["type"].size
    if dims is None or source == target:
        return [dims]
    if source > target:
        return [(*dims, source // target)]
    ratio = target // source
    if not dims:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    if dims[-1] is not None and dims[-1] != ratio:
        raise ValueError(f"Cannot bitcast due to shape. {dims[-1]} does not match {ratio}")
    return [dims[:-1]]


@bitcast_op.kernel
def bitcast_kernel(node):
    source, target = node.inputs[0].dtype, node.outputs[0].dtype
    dtype = target.torch
    if source.size == target.size:
        return lambda x: x.view(dtype)
    if source.size > target.size:
        count = source.size // target.size
        return lambda x: x.contiguous().unsqueeze(-1).view(dtype).reshape(*x.shape, count)
    ratio = target.size // source.size

    def joined(x):
        if x.ndim == 0 or x.shape[-1] != ratio:
            raise InvalidArgumentError(
                None, None, f"Cannot bitcast from {source.name} to {target.name}: {bracketed(x.shape)}"
            )
        return x.contiguous().view(dtype).squeeze(-1)

    return joined


def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """The bits of `input` read as values of another type.

    Args:
        input: a numeric tensor.
        type: the element type; if it is larger, the last dimension of `input` is joined to single elements, if it is
            smaller, a dimension is added at the end.
        name: a name for the operation.

    Raises:
        ValueError: if the last dimension does not suit the type.

    Example:
        >>> tf.Session().run(tf.bitcast(1.0, tf.int32))
        1065353216
    """
    return raw.Bitcast(input, type=type, name=name)


@overload
def cast(x: SparseTensor, dtype: DTypeLike, name: str | None = None) -> SparseTensor: ...
@overload
def cast(  # type: ignore[overload-overlap]  # what is TensorLike may be IndexedSlices
    x: IndexedSlices, dtype: DTypeLike, name: str | None = None
) -> IndexedSlices: ...
@overload
def cast(x: TensorLike | CompositeTensor, dtype: DTypeLike, name: str | None = None) -> Tensor: ...
def cast(x: Any, dtype: DTypeLike, name: str | None = None) -> Any:
    """`x` in another element type.

    Args:
        x: a tensor, SparseTensor or IndexedSlices of numbers or bools.
        dtype: the element type.
        name: a name for the operation.

    Returns:
        the same kind of object; `x` itself where it has the type already.

    Raises:
        TypeError: if `dtype` names no type.

    Example:
        >>> tf.Session().run(tf.cast([1.8, -2.2], tf.int32))
        array([ 1, -2], dtype=int32)
    """
    base_type = as_dtype(dtype).base_dtype
    if isinstance(x, Tensor) and x._dtype is base_type:
        return x
    if (isinstance(x, Tensor) or getattr(x, "_as_graph_element", None)) and x.dtype == base_type:
        return x
    with name_scope(name, "Cast", [x.values if isinstance(x, (SparseTensor, IndexedSlices)) else x]) as name:
        if isinstance(x, SparseTensor):
            return SparseTensor(x.indices, cast(x.values, base_type, name=name), x.dense_shape)
        if isinstance(x, IndexedSlices):
            return IndexedSlices(cast(x.values, base_type, name=name), x.indices, x.dense_shape)
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex and base_type.is_floating:
            warnings.warn("Casting complex to real discards imaginary part.", stacklevel=2)
        if x.dtype.base_dtype != base_type:
            x = raw.Cast(x, DstT=base_type, name=name)
        return x


def saturate_cast(value: Tensor, dtype: DType, name: str | None = None) -> Tensor:
    """`value` in another element type, clipped to the range of that type first.

    Args:
        value: a tensor of real numbers.
        dtype: the element type.
        name: a name for the operation.
    """
    with name_scope(name, "saturate_cast", [value]) as name:
        value = convert_to_tensor(value, name="value")
        dtype = as_dtype(dtype).base_dtype
        if value.dtype.min < dtype.min:
            value = raw.Maximum(value, convert_to_tensor(_limit(dtype.min), value.dtype.base_dtype, name="min"))
        if value.dtype.max > dtype.max:
            value = raw.Minimum(value, convert_to_tensor(_limit(dtype.max), value.dtype.base_dtype, name="max"))
        return cast(value, dtype, name=name)


def _limit(value: int) -> int:
    return value.item() if isinstance(value, np.generic) else value


def to_float(x: int | TensorLike, name: str = "ToFloat") -> Tensor:
    """`tf.cast(x, tf.float32)`."""
    return cast(x, float32, name=name)


def to_double(x: TensorLike, name: str = "ToDouble") -> Tensor:
    """`tf.cast(x, tf.float64)`."""
    return cast(x, float64, name=name)


def to_int32(x: TensorLike, name: str = "ToInt32") -> Tensor:
    """`tf.cast(x, tf.int32)`."""
    return cast(x, int32, name=name)


def to_int64(x: TensorLike, name: str = "ToInt64") -> Tensor:
    """`tf.cast(x, tf.int64)`."""
    return cast(x, int64, name=name)


def to_bfloat16(x: TensorLike, name: str = "ToBFloat16") -> Tensor:
    """`tf.cast(x, tf.bfloat16)`."""
    return cast(x, bfloat16, name=name)


def to_complex64(x: TensorLike, name: str = "ToComplex64") -> Tensor:
    """`tf.cast(x, tf.complex64)`."""
    return cast(x, complex64, name=name)


def to_complex128(x: TensorLike, name: str = "ToComplex128") -> Tensor:
    """`tf.cast(x, tf.complex128)`."""
    return cast(x, complex128, name=name)


# ---- native instructions


@cast_op.native
def _cast_native(node):
    code = TYPE_CODES.get(node.outputs[0].dtype.name)
    return None if code is None or node.attrs["Truncate"] else applied("cast", [code])
