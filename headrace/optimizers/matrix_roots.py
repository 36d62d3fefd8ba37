"""Roots of symmetric positive semidefinite matrices, by iterations of products only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core import dtypes
from headrace.core.registry import raw
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.matrices import eye
from headrace.functions.math.norms import norm
from headrace.functions.math.reduction import reduce_max, reduce_sum
from headrace.kernels.composing import matmul
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def matrix_square_root(
    mat_a: TensorLike, mat_a_size: TensorLike, iter_count: int = 100, ridge_epsilon: float = 1e-4
) -> Tensor:
    """The square root of a matrix, by a coupled Newton-Schulz iteration, as long as the residual falls.

    Higham, "Stable iterations for the matrix square root", Numerical Algorithms 15 (1997).

    Args:
        mat_a: a float matrix [n, n], symmetric and positive semidefinite.
        mat_a_size: n.
        iter_count: the most iterations.
        ridge_epsilon: what is added to the diagonal.

    Returns:
        A float matrix [n, n].

    Example:
        >>> root = matrix_square_root(tf.constant([[4.0, 0.0], [0.0, 9.0]]), 2)
        >>> sess.run(tf.round(root))
        array([[2., 0.],
               [0., 3.]], dtype=float32)
    """
    identity = eye(cast(mat_a_size, dtypes.int32))
    mat_a = mat_a + ridge_epsilon * identity
    size = raw.Sqrt(reduce_sum(mat_a * mat_a))

    def goes_on(
        i: Tensor, y: Tensor, last_y: Tensor, z: Tensor, last_z: Tensor, error: Tensor, last_error: Tensor
    ) -> Tensor:
        return raw.LogicalAnd(i < iter_count, error < last_error)

    def step(
        i: Tensor, y: Tensor, last_y: Tensor, z: Tensor, last_z: Tensor, error: Tensor, last_error: Tensor
    ) -> tuple[Tensor, ...]:
        factor = 0.5 * (3.0 * identity - matmul(z, y))
        next_y, next_z = matmul(y, factor), matmul(factor, z)
        root = next_y * raw.Sqrt(size)
        residual = mat_a - matmul(root, root)
        return i + 1, next_y, y, next_z, z, raw.Sqrt(reduce_sum(residual * residual)) / size, error

    start = mat_a / size
    found = while_loop(goes_on, step, [0, start, start, identity, identity, size, size + 1.0])
    # The last step made it worse, so the one before it is taken.
    return found[2] * raw.Sqrt(size)


def _power(matrix: Tensor, exponent: float) -> Any:
    """A matrix to a positive whole power, by squaring."""
    if exponent != int(exponent) or exponent <= 0:
        raise AssertionError(f"alpha must be -1/p with a positive whole p, got p = {exponent!r}.")
    left, power = int(exponent), None
    while left > 0:
        if left % 2:
            power = matrix if power is None else matmul(matrix, power)
        left //= 2
        # TensorFlow squares once more than is needed; the names of its operations count that product.
        matrix = matmul(matrix, matrix)
    return power


def matrix_inverse_pth_root(
    mat_g: Tensor,
    mat_g_size: TensorLike,
    alpha: float,
    iter_count: int = 100,
    epsilon: float = 1e-6,
    ridge_epsilon: float = 1e-6,
) -> Tensor:
    """A matrix to the power -1/p, by a coupled Newton iteration.

    Guo and Higham, "A Schur-Newton method for the matrix pth root and its inverse", SIAM Journal on Matrix Analysis and
    Applications 28 (2006).

    Args:
        mat_g: a float matrix [n, n], symmetric and positive semidefinite.
        mat_g_size: n.
        alpha: -1/p, p a positive whole number.
        iter_count: the most iterations.
        epsilon: how near to the identity the iterated matrix must come.
        ridge_epsilon: what is added to the diagonal.

    Returns:
        A float matrix [n, n].

    Raises:
        AssertionError: if -1 / alpha is no positive whole number.

    Example:
        >>> whitening = matrix_inverse_pth_root(tf.constant([[4.0, 0.0], [0.0, 16.0]]), 2, alpha=-0.5)
        >>> sess.run(whitening).round(3)
        array([[0.5 , 0.  ],
               [0.  , 0.25]], dtype=float32)
    """
    identity = eye(cast(mat_g_size, dtypes.int32))
    if mat_g_size == 1:
        return raw.Pow(mat_g + ridge_epsilon, alpha)

    def goes_on(i: Tensor, iterated: Tensor, root: Tensor) -> Tensor:
        return raw.LogicalAnd(i < iter_count, reduce_max(raw.Abs(iterated - identity)) > epsilon)

    def step(i: Tensor, iterated: Tensor, root: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        factor = (1 - alpha) * identity + alpha * iterated
        return i + 1, matmul(_power(factor, -1.0 / alpha), iterated), matmul(root, factor)

    damped = mat_g + ridge_epsilon * identity
    # Good where the largest singular value is well above 2^p times the smallest.
    scale = (1 - 1 / alpha) / (2 * norm(damped))
    return while_loop(goes_on, step, [0, damped * scale, identity * raw.Pow(scale, -alpha)])[2]
