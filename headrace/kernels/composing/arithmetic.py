"""Types of elements, ranges, conjugates and products of matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, float32, float64, int32, int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import DTypeLike, TensorLike


def cast(value: Any, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """`value` with elements of type `dtype`; no operation where they are already."""
    dtype = as_dtype(dtype).base_dtype
    if isinstance(value, Tensor) and value.dtype is dtype:
        return value
    with name_scope(name, "Cast", [value]) as scope:
        tensor = convert_to_tensor(value, name="x")
        return tensor if tensor.dtype.base_dtype is dtype else raw.Cast(tensor, DstT=dtype, name=scope)


def range(
    start: Any,
    limit: TensorLike | None = None,
    delta: TensorLike = 1,
    dtype: DTypeLike | None = None,
    name: str = "range",
) -> Tensor:
    """The numbers `start`, `start + delta`, ... up to but not including `limit`.

    Args:
        start: a scalar; the limit if `limit` is not given.
        limit: a scalar.
        delta: a scalar.
        dtype: the element type; by default the widest type among the arguments.
        name: a name for the operation.

    Raises:
        ValueError: if `delta` leads away from `limit`; InvalidArgumentError when run.
        AssertionError: for numbers of other types.

    Example:
        >>> tf.range(3, 18, 3)  # [3, 6, 9, 12, 15]
    """
    if limit is None:
        start, limit = 0, start
    with name_scope(name, "Range", [start, limit, delta]) as scope:
        first = convert_to_tensor(start, dtype, "start")
        last = convert_to_tensor(limit, dtype, "limit")
        step = convert_to_tensor(delta, dtype, "delta")
        if dtype is None:
            order = [int32, int64, float32, float64]
            types = [value.dtype.base_dtype for value in (first, last, step)]
            if not all(t in order for t in types):
                # Of this class in 1.x too.
                raise AssertionError(
                    f"range takes int32, int64, float32 or float64 numbers, got {[t.name for t in types]}"
                )
            widest = max(types, key=order.index)
        else:
            widest = as_dtype(dtype)
        values = [v if v.dtype.base_dtype is widest else raw.Cast(v, DstT=widest) for v in (first, last, step)]
        return raw.Range(*values, name=scope)


def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """The complex conjugate of each element; a real tensor is returned as it is.

    Args:
        x: a numeric tensor.
        name: a name for the operation.

    Raises:
        TypeError: if `x` is not numeric.
    """
    if isinstance(x, Tensor) and (x.dtype.is_floating or x.dtype.is_integer):
        return x
    with name_scope(name, "Conj", [x]) as name:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex or x.dtype.base_dtype.name == "variant":
            return raw.Conj(x, name=name)
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}")


def matmul(
    a: Any,
    b: TensorLike | CompositeTensor | None,
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
