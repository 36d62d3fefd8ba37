"""Linear operators as functions, and norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing import matmul
from headrace.kernels.composing.arithmetic import conj
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.constant import constant
from headrace.ops.math.unary import sqrt
from headrace.ops.nn.l2_loss import l2_loss

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class LinearOperator(NamedTuple):
    """A matrix that is known by what it does to column vectors.

    Attributes:
        shape: its shape, a list of two sizes or a tensor.
        dtype: its element type.
        apply: column vectors to its product with them.
        apply_adjoint: column vectors to the product of its adjoint with them.
    """

    shape: Any
    dtype: Any
    apply: Callable[[Any], Any]
    apply_adjoint: Callable[[Any], Any]


def _shape(matrix: Tensor) -> Any:
    known = matrix.get_shape()
    return known.as_list() if known.is_fully_defined() else shape(matrix)


def create_operator(matrix: Tensor) -> LinearOperator:
    """The operator of a matrix.

    Example:
        >>> operator = tf.contrib.solvers.util.create_operator(tf.constant([[2.0, 1.0], [1.0, 3.0]]))
    """
    return LinearOperator(
        _shape(matrix),
        matrix.dtype,
        lambda v: matmul(matrix, v, adjoint_a=False),
        lambda v: matmul(matrix, v, adjoint_a=True),
    )


def identity_operator(matrix: Tensor) -> LinearOperator:
    """The identity of the shape and type of a matrix."""
    return LinearOperator(_shape(matrix), matrix.dtype, lambda v: v, lambda v: v)


def dot(x: TensorLike, y: Any) -> Tensor:
    """The inner product, linear in `y`."""
    return reduce_sum(conj(x) * y)


def l2norm_squared(v: Tensor) -> Tensor:
    """The sum of the squares of the elements."""
    result: Tensor = constant(2, dtype=v.dtype.base_dtype) * l2_loss(v)
    return result


def l2norm(v: Tensor) -> Tensor:
    """The Euclidean norm."""
    return sqrt(l2norm_squared(v))


def l2normalize(v: Tensor) -> tuple[Tensor, Tensor]:
    """(`v` with norm 1, its norm)."""
    norm = l2norm(v)
    return v / norm, norm
