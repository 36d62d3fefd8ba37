"""Least squares with operators of any shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.solvers import util
from headrace.core.defaults import name_scope
from headrace.functions.flow.while_loop import while_loop
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import expand_dims, squeeze
from headrace.ops.array.constant import constant
from headrace.ops.math.logical import logical_and

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class CGLSState(NamedTuple):
    """Where the method stands: how many steps were made, the solution, the residual, the direction, its measure."""

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def cgls(operator: Any, rhs: TensorLike, tol: float = 1e-6, max_iter: int = 20, name: str = "cgls") -> CGLSState:
    """The x for which |A x - rhs| is least, by conjugate gradients (Björck, Numerical Methods for Least Squares
    Problems, algorithm 7.4.1).

    Args:
        operator: A, as `create_operator` makes one.
        rhs: vector of as many elements as A has rows.
        tol: stop when the gradient has at most this part of its first norm.
        max_iter: stop after so many steps.
        name: a name scope.

    Returns:
        the last state: `i`, `x`, `r` (the residual), `p`, `gamma`.
    """

    def step(i: Tensor, state: CGLSState) -> Any:
        q = operator.apply(state.p)
        alpha = state.gamma / util.l2norm_squared(q)
        x, r = state.x + alpha * state.p, state.r - alpha * q
        s = operator.apply_adjoint(r)
        gamma = util.l2norm_squared(s)
        return i + 1, CGLSState(i + 1, x, r, s + gamma / state.gamma * state.p, gamma)

    with name_scope(name):
        rhs = expand_dims(rhs, -1)
        s = operator.apply_adjoint(rhs)
        gamma = util.l2norm_squared(s)
        least = tol * tol * gamma
        x = expand_dims(zeros(operator.shape[1:], dtype=rhs.dtype.base_dtype), -1)
        i = constant(0, dtype="int32")
        start = CGLSState(i, x, rhs, s, gamma)
        _, end = while_loop(lambda i, state: logical_and(i < max_iter, state.gamma > least), step, [i, start])
        return CGLSState(end.i, squeeze(end.x), squeeze(end.r), squeeze(end.p), end.gamma)
