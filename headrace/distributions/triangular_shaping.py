"""Vectors made into triangular matrices and back, and functions of diagonals."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distributions.static_logic import prefer_static_rank
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.reverse import reverse
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def side_of(count: int) -> int:
    """The side of the triangle that holds `count` elements.

    Raises:
        ValueError: if no triangle holds so many.
    """
    side = int((np.sqrt(8 * count + 1) - 1) // 2)
    if side * (side + 1) // 2 != count:
        raise ValueError("Vector length is not a triangular number.")
    return side


def _triangle_of(count: int) -> int:
    side = np.sqrt(0.25 + 2.0 * count) - 0.5
    if side != np.floor(side):
        raise ValueError(f"Input right-most shape ({count}) does not correspond to a triangular matrix.")
    return int(side)


def fill_triangular(
    x: TensorLike | Sequence[int | Sequence[float]], upper: bool = False, name: str | None = None
) -> Tensor:
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
        static = x.get_shape().with_rank_at_least(1)
        length = static[-1].value if static.ndims is not None else None
        side: int | Tensor
        if length is None:
            length = shape_internal(x)[-1]
            side = cast(raw.Sqrt(0.25 + cast(2 * length, "float32")), "int32")
            final = static[:-1].concatenate([None, None])
        else:
            side = _triangle_of(length)
            final = static[:-1].concatenate([side, side])
        rank = prefer_static_rank(x)
        # All elements and those after the first row, one of them backwards, fill the square; half of it is wanted.
        if upper:
            parts = [x, reverse(x[..., side:], axis=[rank - 1])]
        else:
            parts = [x[..., side:], reverse(x, axis=[rank - 1])]
        if final.is_fully_defined():
            shape: Tensor | list[int] = final.as_list()
        else:
            shape = composing.concat([shape_internal(x)[:-1], [side, side]], 0)
        square = reshape(composing.concat(parts, -1), shape)
        result = raw.MatrixBandPart(square, 0 if upper else -1, -1 if upper else 0)
        result.set_shape(final)
        return result


def fill_triangular_inverse(
    x: TensorLike | Sequence[Sequence[float]], upper: bool = False, name: str | None = None
) -> Tensor:
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
        side: Any = static[-1].value if static.ndims is not None else None
        if side is None:
            side = shape_internal(x)[-1]
            count = side * (side + 1) // 2
            final = static[:-2].concatenate([None])
        else:
            count = side * (side + 1) // 2
            final = static[:-2].concatenate([count])
        rank = prefer_static_rank(x)
        # The row that is full, then the others, whose gaps, zeros, are filled by themselves turned upside down.
        if upper:
            first, others = x[..., 0, :], x[..., 1:, :]
        else:
            first, others = reverse(x[..., -1, :], axis=[rank - 2]), x[..., :-1, :]
        filled = others + reverse(reverse(others, axis=[rank - 1]), axis=[rank - 2])
        rest = composing.concat([shape_internal(x)[:-2], [side * (side - 1)]], 0)
        result = composing.concat([first, reshape(filled, rest)[..., : count - side]], -1)
        result.set_shape(final)
        return result


def matrix_diag_transform(
    matrix: TensorLike, transform: Callable[[Tensor], Any] | None = None, name: str | None = None
) -> Tensor:
    """A matrix whose diagonal is `transform` of what it was.

    Args:
        matrix: tensor of shape [..., m, n].
        transform: takes the diagonal, [..., min(m, n)], and returns one of that shape; None changes nothing.
        name: a name scope.

    Example:
        >>> sess.run(tf.contrib.distributions.matrix_diag_transform([[-2.0, 0.0], [-5.0, 3.0]], transform=tf.abs))
        array([[ 2.,  0.],
               [-5.,  3.]], dtype=float32)
    """
    with name_scope(name, "matrix_diag_transform", values=[matrix]):
        matrix = convert_to_tensor(matrix, name="matrix")
        if transform is None:
            return matrix
        return raw.MatrixSetDiag(
            matrix, convert_to_tensor(transform(raw.MatrixDiagPart(matrix, name="diag_part"))), name="set_diag"
        )


def tridiag(
    below: TensorLike | None = None,
    diag: TensorLike | None = None,
    above: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
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

    def padded(part: Tensor) -> Tensor:
        zero = composing.zeros(composing.concat([shape_internal(part)[:-1], [1]], 0), dtype=part.dtype)
        return composing.concat([zero, part, zero], -1)

    with name_scope(name, "tridiag", values=[below, diag, above]):
        parts = []
        # Squares larger by one each way, of which the corner that holds the diagonal is cut out.
        if below is not None:
            below = convert_to_tensor(below, name="below")
            parts.append(raw.MatrixDiag(padded(below), name="diag")[..., :-1, 1:])
        if diag is not None:
            parts.append(raw.MatrixDiag(convert_to_tensor(diag, name="diag"), name="diag"))
        if above is not None:
            above = convert_to_tensor(above, name="above")
            parts.append(raw.MatrixDiag(padded(above), name="diag")[..., 1:, :-1])
        if not parts:
            raise ValueError("Must specify at least one of `below`, `diag`, `above`.")
        return functools.reduce(operator.add, parts)
