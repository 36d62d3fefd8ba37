"""The few functions that gradients and composed functions of every family are put together from.

They declare nothing. Each makes the operations, under the names, that the public function of the same name makes in
TensorFlow 1.15: what is known while the graph is built becomes a constant.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.core.shapes import element_count, is_fully_defined

# Filled constants with fewer elements are written out, others become a Fill.
_SMALL = 1000


def shape(value: Any, name: str | None = None, optimize: bool = True) -> Tensor:
    """The shape of `value` as an int32 vector."""
    with name_scope(name, "Shape", [value]) as scope:
        tensor = convert_to_tensor(value)
        if optimize and is_fully_defined(tensor.dims):
            return convert_to_tensor(list(tensor.dims or ()), "int32", name=scope)
        return raw.Shape(tensor, name=scope)


def size(value: Any, name: str | None = None) -> Tensor:
    """The number of elements of `value`."""
    with name_scope(name, "Size", [value]) as scope:
        tensor = convert_to_tensor(value)
        count = element_count(tensor.dims)
        return raw.Size(tensor, name=scope) if count is None else convert_to_tensor(count, "int32", name=scope)


def rank(value: Any, name: str | None = None) -> Tensor:
    """The number of dimensions of `value`."""
    with name_scope(name, "Rank", [value]) as scope:
        tensor = convert_to_tensor(value)
        if tensor.dims is None:
            return raw.Rank(tensor, name=scope)
        return convert_to_tensor(len(tensor.dims), "int32", name=scope)


def cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`value` with elements of type `dtype`; no operation where they are already."""
    dtype = as_dtype(dtype).base_dtype
    if isinstance(value, Tensor) and value.dtype is dtype:
        return value
    with name_scope(name, "Cast", [value]) as scope:
        tensor = convert_to_tensor(value, name="x")
        return tensor if tensor.dtype.base_dtype is dtype else raw.Cast(tensor, DstT=dtype, name=scope)


def range_(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = "range") -> Tensor:
    """The int32 numbers from `start` up to `limit`; from 0 up to `start` if that is all."""
    if limit is None:
        start, limit = 0, start
    with name_scope(name, "Range", [start, limit, delta]) as scope:
        return raw.Range(
            convert_to_tensor(start, dtype, name="start"),
            convert_to_tensor(limit, dtype, name="limit"),
            convert_to_tensor(delta, dtype, name="delta"),
            name=scope,
        )


def _filled(kind: str, number: int, shape: Any, dtype: Any, name: str | None) -> Tensor:
    dtype = as_dtype(dtype).base_dtype
    value: Any = bool(number) if dtype.name == "bool" else number
    if dtype.name == "string" and not number:
        value = ""
    with name_scope(name, kind, [shape]) as scope:
        if not isinstance(shape, Tensor):
            if any(isinstance(size, Tensor) for size in shape):
                # TensorFlow asks whether the product is small, which makes two operations nobody uses.
                functools.reduce(operator.mul, shape) < _SMALL  # noqa: B015
                shape = convert_to_tensor(list(shape), "int32")
            else:
                sizes = [int(size) for size in shape]
                if int(np.prod(sizes, dtype=np.int64)) < _SMALL:
                    return convert_to_tensor(np.full(sizes, value), dtype, name=scope)
                shape = convert_to_tensor(sizes, "int32", name="shape_as_tensor")
        return raw.Fill(shape, convert_to_tensor(value, dtype), name=scope)


def zeros(shape: Any, dtype: Any = "float32", name: str | None = None) -> Tensor:
    """Zeros of a shape: a constant where it is small and known."""
    return _filled("zeros", 0, shape, dtype, name)


def ones(shape: Any, dtype: Any = "float32", name: str | None = None) -> Tensor:
    """Ones of a shape: a constant where it is small and known."""
    return _filled("ones", 1, shape, dtype, name)


def zeros_like(value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Zeros of the shape and, unless given, type of `value`."""
    with name_scope(name, "zeros_like", [value]) as scope:
        tensor = convert_to_tensor(value, name="tensor")
        wanted = tensor.dtype.base_dtype if dtype is None else as_dtype(dtype).base_dtype
        if is_fully_defined(tensor.dims):
            return zeros(tensor.dims, wanted, scope)
        if wanted is not tensor.dtype.base_dtype:
            return zeros(shape(tensor), wanted, scope)
        return raw.ZerosLike(tensor, name=scope)


def ones_like(value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Ones of the shape and, unless given, type of `value`."""
    with name_scope(name, "ones_like", [value]) as scope:
        tensor = convert_to_tensor(value, name="tensor")
        wanted = tensor.dtype.base_dtype if dtype is None else as_dtype(dtype).base_dtype
        result = ones(shape(tensor), wanted, scope)
        if not is_fully_defined(result.dims):
            result.set_shape(tensor.dims)
        return result


def concat(values: Sequence[Any], axis: int, name: str = "concat") -> Tensor:
    """`values` one after another along `axis`."""
    if len(values) == 1:
        with name_scope(name):
            convert_to_tensor(axis, name="concat_dim")
            return raw.Identity(values[0], name="concat")
    return raw.ConcatV2(list(values), axis, name=name)


def stack(values: Sequence[Any], axis: int = 0, name: str = "stack") -> Tensor:
    """`values` along a new axis; a constant where they are Python numbers."""
    if axis == 0:
        return convert_to_tensor(list(values), name=name)
    return raw.Pack(list(values), axis=axis, name=name)


def gather(params: Any, indices: Any, axis: Any = 0, name: str | None = None) -> Tensor:
    """The slices of `params` at `indices`."""
    return raw.GatherV2(params, indices, axis, name=name)


def expand_dims(value: Any, axis: Any, name: str | None = None) -> Tensor:
    """`value` with one more dimension of size 1 at `axis`."""
    return raw.ExpandDims(value, axis, name=name)


def squeeze(value: Any, axis: Sequence[int] | None = None, name: str | None = None) -> Tensor:
    """`value` without its dimensions of size 1 (those of `axis`)."""
    return raw.Squeeze(value, squeeze_dims=None if axis is None else list(axis), name=name)


def transpose(value: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Tensor:
    """`value` with its dimensions permuted, or reversed."""
    with name_scope(name, "transpose", [value]) as scope:
        apply = raw.ConjugateTranspose if conjugate and convert_to_tensor(value).dtype.is_complex else raw.Transpose
        if perm is not None:
            return apply(value, perm, name=scope)
        value = convert_to_tensor(value, name="a")
        if value.dims is None:
            count = rank(value)
            return apply(value, (count - 1) - raw.Range(0, count, 1), name=scope)
        result = apply(value, np.arange(len(value.dims))[::-1], name=scope)
        result.set_shape(value.dims[::-1])
        return result


def matrix_transpose(value: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """`value` with its last two dimensions swapped."""
    with name_scope(name, "matrix_transpose", [value]):
        value = convert_to_tensor(value, name="a")
        perm: Any
        if value.dims is not None:
            if len(value.dims) < 2:
                raise ValueError(
                    f"Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: {value.get_shape()}"
                )
            count = len(value.dims)
            perm = [*range(count - 2), count - 1, count - 2]
        else:
            a_rank = rank(value)
            perm = concat([range_(0, a_rank - 2, 1, name="Range"), [a_rank - 1, a_rank - 2]], 0)
        return transpose(value, perm, conjugate=conjugate)


def conj(value: Any, name: str | None = None) -> Tensor:
    """The complex conjugate; `value` itself where it is real."""
    if isinstance(value, Tensor) and (value.dtype.is_floating or value.dtype.is_integer):
        return value
    with name_scope(name, "Conj", [value]) as scope:
        tensor = convert_to_tensor(value, name="x")
        if tensor.dtype.is_complex:
            return raw.Conj(tensor, name=scope)
        if tensor.dtype.is_floating or tensor.dtype.is_integer:
            return tensor
        raise TypeError(f"Expected numeric or variant tensor, got dtype {tensor.dtype!r}")


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrix product of `a` and `b`, over broadcast batches if there are more than two dimensions.

    Args:
        a: numbers of shape (..., r, k).
        b: numbers of shape (..., k, c) and the same type.
        transpose_a, transpose_b: take the last two dimensions the other way round.
        adjoint_a, adjoint_b: likewise, and complex conjugates.
        a_is_sparse, b_is_sparse: many elements are 0 (float32 and bfloat16 matrices only).
        name: a name for the operation.

    Returns:
        a tensor of shape (..., r, c).

    Raises:
        ValueError: if shapes do not fit, or something is to be transposed and conjugate-transposed.

    Example:
        >>> tf.Session().run(tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]))
        array([[11.]], dtype=float32)
    """
    with name_scope(name, "MatMul", [a, b]) as scope:
        if transpose_a and adjoint_a:
            raise ValueError("Only one of transpose_a and adjoint_a can be True.")
        if transpose_b and adjoint_b:
            raise ValueError("Only one of transpose_b and adjoint_b can be True.")
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b")
        batched = any(t.dims is None or len(t.dims) > 2 for t in (a, b))
        if batched and not a_is_sparse and not b_is_sparse:
            if transpose_a:
                a, adjoint_a = conj(a), True
            if transpose_b:
                b, adjoint_b = conj(b), True
            return raw.BatchMatMulV2(a, b, adj_x=adjoint_a, adj_y=adjoint_b, name=scope)
        if adjoint_a:
            a, transpose_a = conj(a), True
        if adjoint_b:
            b, transpose_b = conj(b), True
        types = {a.dtype.base_dtype.name, b.dtype.base_dtype.name}
        promised = (a_is_sparse or b_is_sparse) and types <= {"bfloat16", "float32"}
        turns = {"transpose_a": transpose_a, "transpose_b": transpose_b}
        if promised or (len(types) == 2 and "bfloat16" in types):
            product = raw.SparseMatMul(a, b, a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse, name=scope, **turns)
            return cast(product, "bfloat16") if types == {"bfloat16"} else product
        return raw.MatMul(a, b, name=scope, **turns)


def first_given(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    """An argument given under its new or its old name.

    Raises:
        ValueError: if it is given under both.
    """
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
    return old
