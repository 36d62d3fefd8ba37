"""The public functions that make matrices and handle their diagonals."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.util.compat import forward_compatible

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike, VariableLike


def diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """The tensor of twice the rank that has `diagonal` on its diagonal and zeros elsewhere.

    Args:
        diagonal: numbers of shape (d1, ..., dk).
        name: a name for the operation.

    Returns:
        a tensor of shape (d1, ..., dk, d1, ..., dk).

    Example:
        >>> tf.Session().run(tf.diag([1, 2]))
        array([[1, 0],
               [0, 2]], dtype=int32)
    """
    return raw.Diag(diagonal, name=name)


def diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The diagonal of a tensor of shape (d1, ..., dk, d1, ..., dk).

    Args:
        input: numbers, of even rank.
        name: a name for the operation.

    Returns:
        a tensor of shape (d1, ..., dk).

    Raises:
        ValueError: if the rank is odd or the two halves of the shape differ.

    Example:
        >>> tf.Session().run(tf.diag_part([[1, 0], [0, 2]]))
        array([1, 2], dtype=int32)
    """
    return raw.DiagPart(input, name=name)


def _padding(value: TensorLike, padding: int) -> int:
    return bool(padding) if getattr(value, "dtype", None) == "bool" else padding


def _several() -> bool:
    """Whether the ops that know of other diagonals may be made: not by 1.15's own day, only from a later one on."""
    return forward_compatible(2019, 8, 31)


def matrix_diag(
    diagonal: TensorLike,
    name: str | None = "diag",
    k: TensorLike = 0,
    num_rows: TensorLike = -1,
    num_cols: TensorLike = -1,
    padding_value: int = 0,
) -> Tensor:
    """Matrices with given diagonals.

    As in 1.15, all but `diagonal` and `name` are looked at only where `tf.compat.forward_compatible(2019, 8, 31)`, which
    is not so by default: else there is the main diagonal of square matrices, and zeros.

    Args:
        diagonal: shape (..., length), or (..., number, length) for several, the highest first.
        name: a name for the operation.
        k: which diagonal: 0 the main one, above it positive; or the lowest and the highest of several.
        num_rows, num_cols: the size of the matrices; -1 for the least that holds the diagonals.
        padding_value: what the other elements are.

    Returns:
        a tensor of shape (..., num_rows, num_cols).

    Raises:
        ValueError: if the diagonals do not fit the size.

    Example:
        >>> with tf.compat.forward_compatibility_horizon(2019, 9, 1):
        ...     above = tf.matrix_diag([1, 2], k=1)
        >>> tf.Session().run(above)
        array([[0, 1, 0],
               [0, 0, 2],
               [0, 0, 0]], dtype=int32)
    """
    if not _several():
        return raw.MatrixDiag(diagonal, name=name)
    return raw.MatrixDiagV2(
        diagonal, k=k, num_rows=num_rows, num_cols=num_cols, padding_value=_padding(diagonal, padding_value), name=name
    )


def matrix_diag_part(
    input: TensorLike, name: str | None = "diag_part", k: TensorLike = 0, padding_value: int = 0
) -> Tensor:
    """Diagonals of matrices.

    As in 1.15, `k` and `padding_value` are looked at only where `tf.compat.forward_compatible(2019, 8, 31)`, which is not
    so by default: else it is the main diagonal.

    Args:
        input: shape (..., rows, columns).
        name: a name for the operation.
        k: which diagonal: 0 the main one, above it positive; or the lowest and the highest of several.
        padding_value: what fills up the shorter of several diagonals.

    Returns:
        a tensor of shape (..., length), or (..., number, length) for several, the highest first.

    Raises:
        ValueError: if there is no such diagonal.

    Example:
        >>> tf.Session().run(tf.matrix_diag_part([[1, 2], [3, 4]]))
        array([1, 4], dtype=int32)
    """
    if not _several():
        return raw.MatrixDiagPart(input, name=name)
    return raw.MatrixDiagPartV2(input, k=k, padding_value=_padding(input, padding_value), name=name)


def matrix_set_diag(
    input: TensorLike, diagonal: TensorLike, name: str | None = "set_diag", k: TensorLike = 0
) -> Tensor:
    """Matrices with some diagonals replaced.

    As in 1.15, `k` is looked at only where `tf.compat.forward_compatible(2019, 8, 31)`, which is not so by default: else
    it is the main diagonal.

    Args:
        input: shape (..., rows, columns).
        diagonal: shape (..., length), or (..., number, length) for several, the highest first.
        name: a name for the operation.
        k: which diagonal: 0 the main one, above it positive; or the lowest and the highest of several.

    Returns:
        a tensor of the shape of `input`.

    Raises:
        ValueError: if the diagonals do not fit.

    Example:
        >>> tf.Session().run(tf.matrix_set_diag([[1, 2], [3, 4]], [0, 0]))
        array([[0, 2],
               [3, 0]], dtype=int32)
    """
    if not _several():
        return raw.MatrixSetDiag(input, diagonal, name=name)
    return raw.MatrixSetDiagV2(input, diagonal, k=k, name=name)


def matrix_band_part(
    input: TensorLike, num_lower: TensorLike, num_upper: TensorLike, name: str | None = None
) -> Tensor:
    """Matrices with zeros outside a band around the main diagonal.

    Args:
        input: shape (..., rows, columns).
        num_lower: how many diagonals below the main one stay; all if negative.
        num_upper: how many above it stay; all if negative.
        name: a name for the operation.

    Returns:
        a tensor of the shape of `input`.

    Raises:
        InvalidArgumentError: when run, if there are not so many diagonals.

    Example:
        >>> tf.Session().run(tf.matrix_band_part([[1, 2], [3, 4]], -1, 0))
        array([[1, 0],
               [3, 4]], dtype=int32)
    """
    return raw.MatrixBandPart(input, num_lower, num_upper, name=name)


def eye(
    num_rows: float | TensorLike,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = "float32",
    name: str | None = None,
) -> Tensor:
    """Identity matrices.

    Args:
        num_rows: an int or scalar int32 tensor.
        num_columns: likewise; as many as rows by default.
        batch_shape: a list of ints or int32 vector: how many matrices; one by default.
        dtype: the element type.
        name: a name scope.

    Returns:
        a tensor of shape (*batch_shape, num_rows, num_columns) with ones on the diagonals.

    Raises:
        TypeError: if a size is neither an int nor a tensor.

    Example:
        >>> tf.Session().run(tf.eye(2))
        array([[1., 0.],
               [0., 1.]], dtype=float32)
    """
    with name_scope(name, "eye", [num_rows, num_columns, batch_shape]):
        is_square = num_columns is None
        batch: Any = [] if batch_shape is None else batch_shape
        num_columns = num_rows if num_columns is None else num_columns
        length: int | Tensor
        if isinstance(num_rows, Tensor) or isinstance(num_columns, Tensor):
            length = raw.Minimum(num_rows, num_columns)
        else:
            if not isinstance(num_rows, numbers.Integral) or not isinstance(num_columns, numbers.Integral):
                raise TypeError("num_rows and num_columns must be positive integer values.")
            is_square = num_rows == num_columns
            length = min(int(num_rows), int(num_columns))
        if isinstance(batch, Tensor) or isinstance(length, Tensor):
            batch = convert_to_tensor(batch, "int32", name="shape")
            diagonal_shape: Tensor | list[int] = composing.concat((batch, [length]), 0)
            matrix_shape: Any = None if is_square else composing.concat((batch, [num_rows, num_columns]), 0)
        else:
            diagonal_shape = [*batch, length]
            matrix_shape = [*batch, num_rows, num_columns]
        ones = composing.ones(diagonal_shape, dtype=dtype)
        if is_square:
            return matrix_diag(ones)
        return matrix_set_diag(composing.zeros(matrix_shape, dtype=dtype), ones)


def trace(x: TensorLike | VariableLike | np.ndarray, name: str | None = None) -> Tensor:
    """The sums of the main diagonals of matrices.

    Args:
        x: numbers of shape (..., rows, columns).
        name: a name for the operation.

    Returns:
        a tensor of shape (...).

    Example:
        >>> tf.Session().run(tf.trace([[1, 2], [3, 4]]))
        5
    """
    with name_scope(name, "Trace", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return raw.Sum(matrix_diag_part(x), [-1], name=scope)
