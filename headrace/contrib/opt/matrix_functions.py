"""Roots of symmetric positive semidefinite matrices, by iterations of products only."""

from __future__ import annotations

from typing import Any

from headrace.core import dtypes
from headrace.core.registry import raw
from headrace.ops.composing import matmul
from headrace.ops.flow.while_loop import while_loop
from headrace.ops.math.cast import cast
from headrace.ops.math.matrices import eye
from headrace.ops.math.norms import norm
from headrace.ops.math.reduction import reduce_max, reduce_sum


def matrix_square_root(mat_a: Any, mat_a_size: Any, iter_count: int = 100, ridge_epsilon: float = 1e-4) -> Any:
    """The square root of a matrix, by Higham's coupled iteration, as long as the residual falls.

    Args:
        mat_a: a float matrix [n, n], symmetric and positive semidefinite.
        mat_a_size: n.
        iter_count: the most iterations.
        ridge_epsilon: what is added to the diagonal.

    Returns:
        A float matrix [n, n].

    Example:
        >>> root = matrix_square_root(covariance, 8)
    """
    identity = eye(cast(mat_a_size, dtypes.int32))
    mat_a = mat_a + ridge_epsilon * identity
    size = raw.Sqrt(reduce_sum(mat_a * mat_a))

    def goes_on(i: Any, y: Any, last_y: Any, z: Any, last_z: Any, error: Any, last_error: Any) -> Any:
        return raw.LogicalAnd(i < iter_count, error < last_error)

    def step(i: Any, y: Any, last_y: Any, z: Any, last_z: Any, error: Any, last_error: Any) -> Any:
        factor = 0.5 * (3.0 * identity - matmul(z, y))
        next_y, next_z = matmul(y, factor), matmul(factor, z)
        root = next_y * raw.Sqrt(size)
        residual = mat_a - matmul(root, root)
        return i + 1, next_y, y, next_z, z, raw.Sqrt(reduce_sum(residual * residual)) / size, error

    start = mat_a / size
    found = while_loop(goes_on, step, [0, start, start, identity, identity, size, size + 1.0])
    # The last step made it worse, so the one before it is taken.
    return found[2] * raw.Sqrt(size)


def _power(matrix: Any, exponent: float) -> Any:
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
    mat_g: Any,
    mat_g_size: Any,
    alpha: float,
    iter_count: int = 100,
    epsilon: float = 1e-6,
    ridge_epsilon: float = 1e-6,
) -> Any:
    """A matrix to the power -1/p, by the Schur-Newton iteration of Guo and Higham (2006).

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
        >>> whitening = matrix_inverse_pth_root(covariance, 8, alpha=-0.5)
    """
    identity = eye(cast(mat_g_size, dtypes.int32))
    if mat_g_size == 1:
        return raw.Pow(mat_g + ridge_epsilon, alpha)

    def goes_on(i: Any, iterated: Any, root: Any) -> Any:
        return raw.LogicalAnd(i < iter_count, reduce_max(raw.Abs(iterated - identity)) > epsilon)

    def step(i: Any, iterated: Any, root: Any) -> Any:
        factor = (1 - alpha) * identity + alpha * iterated
        return i + 1, matmul(_power(factor, -1.0 / alpha), iterated), matmul(root, factor)

    damped = mat_g + ridge_epsilon * identity
    # Good where the largest singular value is well above 2^p times the smallest.
    scale = (1 - 1 / alpha) / (2 * norm(damped))
    return while_loop(goes_on, step, [0, damped * scale, identity * raw.Pow(scale, -alpha)])[2]
