"""Bidiagonalisation of operators.

Golub and Kahan, "Calculating the singular values and pseudo-inverse of a matrix", SIAM Journal on Numerical Analysis 2
(1965).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from headrace.contrib.solvers import util
from headrace.core.defaults import name_scope
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.kernels.composing import concat, matmul, matrix_transpose
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.array.constant import constant
from headrace.ops.random.uniform import random_uniform

# Twice is enough: a vector that kept this much of its norm is orthogonal (Daniel, Gragg, Kaufman and Stewart 1976).
_ORTHOGONAL_RATIO = 0.7071


class LanczosBidiagState(NamedTuple):
    """The matrices U and V, and the diagonals of the bidiagonal matrix between them."""

    u: Any
    v: Any
    alpha: Any
    beta: Any


def _column(basis: Any, i: Tensor) -> Tensor:
    return expand_dims(basis.read(i), -1)


def _orthogonal(count: Tensor, basis: Any, v: Tensor) -> Any:
    """(`v` without its part in the span of the first `count` vectors of `basis`, with norm 1; the norm before)."""

    def without(j: Any, basis: Any, v: Tensor) -> Any:
        known = v.get_shape()
        vector = _column(basis, j)
        v -= matmul(vector, v, adjoint_a=True) * vector
        v.set_shape(known)
        return j + 1, basis, v

    def once(v: Tensor) -> tuple[Tensor, Tensor]:
        _, _, rest = while_loop(lambda j, basis, v: j < count, without, [constant(0, dtype="int32"), basis, v])
        return util.l2normalize(rest)

    before = util.l2norm(v)
    vector, norm = once(v)
    return cond(norm < _ORTHOGONAL_RATIO * before, lambda: once(vector), lambda: (vector, norm))


def lanczos_bidiag(
    operator: Any, k: int, orthogonalize: bool = True, starting_vector: Any = None, name: str = "lanczos_bidiag"
) -> LanczosBidiagState:
    """Some steps of the bidiagonalisation A V = U B of Golub, Kahan and Lanczos.

    Args:
        operator: A, as `create_operator` makes one.
        k: how many steps.
        orthogonalize: whether to keep the vectors orthogonal against rounding.
        starting_vector: column vector to begin with; a random one by default.
        name: a name scope.

    Returns:
        `u` of shape [rows, k + 1], `v` of shape [columns, k], and the diagonal `alpha` and subdiagonal `beta` of B.
    """

    def array(size: Any, name: str) -> TensorArray:
        return TensorArray(dtype=operator.dtype, size=size, tensor_array_name=name, clear_after_read=False)

    def step(i: Tensor, state: LanczosBidiagState) -> Any:
        u = _column(state.u, i)
        r = operator.apply_adjoint(u)
        known = r.get_shape()
        r = cond(i > 0, lambda: r - state.beta.read(i - 1) * _column(state.v, i - 1), lambda: r)
        r.set_shape(known)
        v, alpha = _orthogonal(i - 1, state.v, r) if orthogonalize else util.l2normalize(r)
        p = operator.apply(v) - alpha * u
        u, beta = _orthogonal(i, state.u, p) if orthogonalize else util.l2normalize(p)
        return i + 1, LanczosBidiagState(
            state.u.write(i + 1, squeeze(u)),
            state.v.write(i, squeeze(v)),
            state.alpha.write(i, alpha),
            state.beta.write(i, beta),
        )

    with name_scope(name):
        if starting_vector is None:
            starting_vector = random_uniform(operator.shape[:1], -1, 1, dtype=operator.dtype)
        first, _ = util.l2normalize(starting_vector)
        start = LanczosBidiagState(
            array(k + 1, "u").write(0, squeeze(first)), array(k, "v"), array(k, "alpha"), array(k, "beta")
        )
        _, end = while_loop(lambda i, _: i < k, step, [constant(0, dtype="int32"), start])
        return LanczosBidiagState(
            matrix_transpose(end.u.stack()), matrix_transpose(end.v.stack()), end.alpha.stack(), end.beta.stack()
        )


def bidiag_matmul(
    matrix: Tensor, alpha: Tensor, beta: Tensor, adjoint_b: bool = False, name: str = "bidiag_matmul"
) -> Tensor:
    """A matrix times the lower bidiagonal one, or its adjoint.

    Args:
        matrix: the matrix, of k + 1 columns, or k for the adjoint.
        alpha, beta: the diagonal and the subdiagonal, of k elements each.
        adjoint_b: whether to multiply with the adjoint.
        name: a name scope.
    """
    with name_scope(name):
        alpha = expand_dims(alpha, 0)
        if not adjoint_b:
            return matrix[:, :-1] * alpha + matrix[:, 1:] * expand_dims(beta, 0)
        column = expand_dims(zeros(shape(matrix)[:1], dtype=matrix.dtype), 1)
        return matrix * alpha + concat([column, matrix[:, :-1] * expand_dims(beta[:-1], 0)], 1)
