"""Linear equations with symmetric positive definite operators.

Conjugate gradients: Hestenes and Stiefel, "Methods of conjugate gradients for solving linear systems", 1952.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.solvers import util
from headrace.core.defaults import name_scope
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.norms import norm
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import expand_dims, squeeze
from headrace.ops.array.constant import constant
from headrace.ops.math.logical import logical_and

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class CGState(NamedTuple):
    """Where the method stands: how many steps were made, the solution, the residual, the direction, its measure."""

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def conjugate_gradient(
    operator: Any,
    rhs: TensorLike,
    preconditioner: Any = None,
    x: TensorLike | None = None,
    tol: float = 1e-4,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """Solves A x = rhs by conjugate gradients (Golub and Van Loan, Matrix Computations, algorithm 11.3.3).

    Args:
        operator: A, symmetric and positive definite, as `create_operator` makes one.
        rhs: vector of as many elements as A has rows.
        preconditioner: an operator close to the inverse of A, or None.
        x: where to begin; 0 by default.
        tol: stop when the residual has at most this part of its first norm.
        max_iter: stop after so many steps.
        name: a name scope.

    Returns:
        the last state: `i`, `x`, `r`, `p`, `gamma`.

    Example:
        >>> matrix = tf.constant([[2.0, 1.0], [1.0, 3.0]])
        >>> operator = tf.contrib.solvers.util.create_operator(matrix)
        >>> tf.contrib.solvers.linear_equations.conjugate_gradient(operator, tf.constant([1.0, 2.0])).x
    """

    def step(i: Tensor, state: CGState) -> Any:
        z = operator.apply(state.p)
        alpha = state.gamma / util.dot(state.p, z)
        x, r = state.x + alpha * state.p, state.r - alpha * z
        q = r if preconditioner is None else preconditioner.apply(r)
        gamma = util.dot(r, q)
        p = q + gamma / state.gamma * state.p
        return i + 1, CGState(i + 1, x, r, p, gamma)

    with name_scope(name):
        rhs = expand_dims(rhs, -1)
        if x is None:
            x = expand_dims(zeros(operator.shape[1:], dtype=rhs.dtype.base_dtype), -1)
            r = rhs
        else:
            x = expand_dims(x, -1)
            r = rhs - operator.apply(x)
        p = r if preconditioner is None else preconditioner.apply(r)
        least = tol * norm(r)
        i = constant(0, dtype="int32")
        start = CGState(i, x, r, p, util.dot(r, p))
        _, end = while_loop(lambda i, state: logical_and(i < max_iter, norm(state.r) > least), step, [i, start])
        return CGState(end.i, squeeze(end.x), squeeze(end.r), squeeze(end.p), end.gamma)
