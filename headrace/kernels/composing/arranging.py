"""Tensors put together, picked from, and with their dimensions in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32
from headrace.core.registry import raw
from headrace.core.shapes import Dimension
from headrace.core.tensor import Tensor
from headrace.kernels.composing.shapes import rank
from headrace.kernels.renamed_arguments import renamed

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def is_axis(value: TensorLike) -> bool:
    """Whether an argument can only be an axis: an int, a size, or an int scalar."""
    if isinstance(value, (int, Dimension, np.integer)) and not isinstance(value, bool):
        return True
    if isinstance(value, Tensor):
        return value.dims == () and value.dtype.base_dtype.is_integer
    return False


@renamed(concat_dim="axis")
def concat(values: Any, axis: int | TensorLike | Sequence[int | TensorLike], name: str = "concat") -> Tensor:
    """Tensors joined along one of their axes.

    Before version 1.0 the order was `concat(concat_dim, values)`; it is taken too.

    Args:
        values: a list of tensors of one type, alike in shape but for `axis`.
        axis: an int32 scalar.
        name: a name for the operation.

    Raises:
        ValueError: if the shapes are known not to fit.

    Example:
        >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], 0)  # [[1, 2], [3, 4], [5, 6]]
    """
    if is_axis(values) and not is_axis(axis):
        values, axis = axis, values
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with name_scope(name):
            convert_to_tensor(axis, int32, "concat_dim").get_shape().assert_has_rank(0)
            return identity(values[0], name=name)
    return raw.ConcatV2(list(values), axis, name=name)


def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape as the slices of a tensor with one more axis.

    Args:
        values: a list of tensors.
        axis: where the new axis is put, in [-r - 1, r] for values of rank r.
        name: a name for the operation.

    Raises:
        ValueError: if the shapes differ or `axis` is out of range.

    Example:
        >>> tf.stack([[1, 4], [2, 5], [3, 6]], axis=1)  # [[1, 2, 3], [4, 5, 6]]
    """
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            # Values of several types or nested unevenly: the op says what is wrong, or converts them one by one.
            pass
    dims = convert_to_tensor(values[0], name=name).dims
    if dims is not None:
        count = len(dims) + 1
        if not -count <= axis < count:
            raise ValueError(f"axis = {axis} not in [{-count}, {count})")
    return raw.Pack(list(values), axis=axis, name=name)


def gather(params: TensorLike, indices: TensorLike, axis: TensorLike = 0, name: str | None = None) -> Tensor:
    """The slices of `params` at `indices`."""
    return raw.GatherV2(params, indices, axis, name=name)


def transpose(
    a: Any, perm: TensorLike | None = None, name: str | None = "transpose", conjugate: bool = False
) -> Tensor:
    """`a` with its axes in another order: axis i of the result is axis `perm[i]` of `a`.

    Args:
        a: a tensor.
        perm: int32 or int64 vector; the reverse order by default.
        name: a name for the operation.
        conjugate: whether to conjugate complex elements as well.

    Example:
        >>> tf.transpose(tf.zeros([2, 3, 4]), [1, 0, 2]).get_shape()
        TensorShape([Dimension(3), Dimension(2), Dimension(4)])
    """
    with name_scope(name, "transpose", [a]) as scope:
        transpose_op = raw.ConjugateTranspose if conjugate and a.dtype.is_complex else raw.Transpose
        if perm is not None:
            return transpose_op(a, perm, name=scope)
        a = convert_to_tensor(a, name="a")
        if not a.dims:
            count = raw.Rank(a)
            last = raw.Sub(count, 1, name="sub")
            perm = raw.Sub(last, raw.Range(0, count, 1), name="sub")
        else:
            perm = np.arange(len(a.dims))[::-1]
        result = transpose_op(a, perm, name=scope)
        if a.dims is not None:
            result.set_shape(a.dims[::-1])
        return result


def matrix_transpose(a: TensorLike, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """`a` with its last two axes exchanged.

    Args:
        a: a tensor of rank 2 or more.
        name: a name for the operations.
        conjugate: whether to conjugate complex elements as well.

    Raises:
        ValueError: if the rank is known to be less than 2.
    """
    with name_scope(name, values=[a]):
        a = convert_to_tensor(a, name="a")
        if a.dims is not None:
            count = len(a.dims)
            if count < 2:
                raise ValueError(f"Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: {a.get_shape()}")
            perm: Tensor | list[int] = [*range(count - 2), count - 1, count - 2]
        else:
            total = rank(a)
            front = raw.Range(0, raw.Sub(total, 2, name="sub"), 1)
            perm = concat((front, [raw.Sub(total, 1, name="sub"), raw.Sub(total, 2, name="sub")]), 0)
        return transpose(a, perm=perm, conjugate=conjugate)


def identity(input: object, name: str | None = None) -> Tensor:
    """A tensor with the value of `input`.

    Args:
        input: a tensor of any type and shape.
        name: a name for the operation.

    Example:
        >>> tf.identity([1, 2])
        <tf.Tensor 'Identity:0' shape=(2,) dtype=int32>
    """
    result = raw.Identity(input, name=name)
    if hasattr(input, "_handle_data"):
        result._handle_data = input._handle_data
    return result
