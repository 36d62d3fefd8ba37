"""Vectors made into triangular matrices and back, and functions of diagonals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.ops import composing
from headrace.ops.array.reverse import reverse
from headrace.ops.array.shape import reshape, shape_internal


def side_of(count: int) -> int:
    """The side of the triangle that holds `count` elements.

    Raises:
        ValueError: if no triangle holds so many.
    """
    side = int((np.sqrt(8 * count + 1) - 1) // 2)
    if side * (side + 1) // 2 != count:
        raise ValueError("Vector length is not a triangular number.")
    return side


def _sides(length: Any) -> Any:
    """`side_of` a number known when the graph runs."""
    return composing.cast((raw.Sqrt(8.0 * composing.cast(length, "float32") + 1.0) - 1.0) / 2.0 + 0.5, "int32")


def fill_triangular(x: Any, upper: bool = False, name: str | None = None) -> Tensor:
    """A triangular matrix with the elements of a vector, laid in a spiral from the end.

    Args:
        x: tensor of shape [..., n (n + 1) / 2].
        upper: whether to make an upper triangle.
        name: a name scope.

    Returns:
        a tensor of shape [..., n, n].

    Raises:
        ValueError: if the length is known and no triangle has so many elements.

    Example:
        >>> tf.Session().run(tf.contrib.distributions.fill_triangular([1, 2, 3]))
        array([[3, 0], [2, 1]], dtype=int32)
    """
    with name_scope(name, "fill_triangular", values=[x]):
        x = convert_to_tensor(x, name="x")
        length = x.get_shape().with_rank_at_least(1).dims[-1].value if x.dims is not None else None
        if length is None:
            shape = shape_internal(x)
            side = _sides(shape[-1])
        else:
            side = side_of(length)
            shape = x.get_shape().as_list() if x.get_shape().is_fully_defined() else shape_internal(x)
        # All elements and those after the first row, one of them backwards, fill the square; half of it is wanted.
        back, rest = reverse(x, axis=[-1]), x[..., side:]
        parts = [x, reverse(rest, axis=[-1])] if upper else [rest, back]
        both = [side, side]
        whole = shape[:-1] + both if isinstance(shape, list) else composing.concat([shape[:-1], both], 0)
        square = reshape(composing.concat(parts, -1), whole)
        result = raw.MatrixBandPart(square, 0 if upper else -1, -1 if upper else 0)
        if length is not None and x.get_shape().ndims is not None:
            result.set_shape(x.get_shape()[:-1].concatenate([side, side]))
        return result


def fill_triangular_inverse(x: Any, upper: bool = False, name: str | None = None) -> Tensor:
    """The vector of which `fill_triangular` makes a matrix.

    Args:
        x: tensor of shape [..., n, n].
        upper: whether the upper triangle counts.
        name: a name scope.

    Returns:
        a tensor of shape [..., n (n + 1) / 2].
    """
    with name_scope(name, "fill_triangular_inverse", values=[x]):
        x = convert_to_tensor(x, name="x")
        static = x.get_shape().with_rank_at_least(2)
        side = static.dims[-1].value if static.dims is not None else None
        shape = shape_internal(x)
        size = shape[-1] if side is None else side
        count = size * (size + 1) // 2
        # The row that is full, then the others, whose gaps, zeros, are filled by themselves turned upside down.
        first = x[..., 0, :] if upper else reverse(x[..., -1, :], axis=[-1])
        others = x[..., 1:, :] if upper else x[..., :-1, :]
        filled = others + reverse(others, axis=[-2, -1])
        flat = reshape(filled, composing.concat([shape[:-2], [size * (size - 1)]], 0))
        result = composing.concat([first, flat[..., : count - size]], -1)
        if side is not None and static.dims is not None:
            result.set_shape(static[:-2].concatenate([count]))
        return result


def matrix_diag_transform(
    matrix: Any, transform: Callable[[Tensor], Any] | None = None, name: str | None = None
) -> Tensor:
    """A matrix whose diagonal is `transform` of what it was.

    Args:
        matrix: tensor of shape [..., m, n].
        transform: takes the diagonal, [..., min(m, n)], and returns one of that shape; None changes nothing.
        name: a name scope.

    Example:
        >>> scale = tf.contrib.distributions.matrix_diag_transform(matrix, transform=tf.nn.softplus)
    """
    with name_scope(name, "matrix_diag_transform", values=[matrix]):
        matrix = convert_to_tensor(matrix, name="matrix")
        if transform is None:
            return matrix
        return raw.MatrixSetDiag(
            matrix, convert_to_tensor(transform(raw.MatrixDiagPart(matrix, name="diag_part"))), name="set_diag"
        )


def tridiag(below: Any = None, diag: Any = None, above: Any = None, name: str | None = None) -> Tensor:
    """A matrix of up to three diagonals.

    Args:
        below: tensor of shape [..., d - 1], what stands below the diagonal; None for nothing.
        diag: tensor of shape [..., d].
        above: tensor of shape [..., d - 1].
        name: a name scope.

    Returns:
        a tensor of shape [..., d, d].

    Raises:
        ValueError: if all are None.
    """
    if below is None and diag is None and above is None:
        raise ValueError("Must specify at least one of `below`, `diag`, `above`.")

    def padded(part: Any, first: int, last: int, what: str) -> Tensor:
        part = convert_to_tensor(part, name=what)
        outer = shape_internal(part)[:-1]
        column = composing.zeros(composing.concat([outer, [1]], 0), dtype=part.dtype)
        return composing.concat([column] * first + [part] + [column] * last, -1)

    with name_scope(name, "tridiag", values=[below, diag, above]):
        total: Any = None
        # A square one larger each way, of which the corner that holds the diagonal is cut out.
        if below is not None:
            total = raw.MatrixDiag(padded(below, 1, 1, "below"), name="diag")[..., :-1, 1:]
        if diag is not None:
            part = raw.MatrixDiag(convert_to_tensor(diag, name="diag"), name="diag")
            total = part if total is None else total + part
        if above is not None:
            part = raw.MatrixDiag(padded(above, 1, 1, "above"), name="diag")[..., 1:, :-1]
            total = part if total is None else total + part
        return total
