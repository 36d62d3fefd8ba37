"""Updates of operators by products of few columns.

(A + u D v^H)^-1 = A^-1 - A^-1 u C^-1 v^H A^-1 and det(A + u D v^H) = det(C) det(D) det(A), with C = D^-1 + v^H A^-1 u:
Woodbury's identity (W. Hager, "Updating the inverse of a matrix", SIAM Review 31, 1989) and the determinant lemma.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, dimension_at_index
from headrace.core.tensor import Tensor
from headrace.functions.linalg.arguments import convert_nonref_to_tensor, diagonal
from headrace.functions.linalg.broadcasting import cholesky_solve_with_broadcast, matrix_solve_with_broadcast
from headrace.functions.linalg.combined import Hint
from headrace.functions.linalg.identity import LinearOperatorIdentity
from headrace.functions.linalg.operator import LinearOperator
from headrace.functions.linalg.simple import LinearOperatorDiag
from headrace.functions.math.linalg_functions import cholesky, matrix_determinant
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import abs as absolute

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike


class LinearOperatorLowRankUpdate(LinearOperator):
    """`base_operator + u diag(diag_update) v^H`, solved by Woodbury's identity.

    Args:
        base_operator: a LinearOperator of shape [*batch, m, n].
        u: tensor of shape [*batch, m, k].
        diag_update: tensor of shape [*batch, k]; ones by default.
        v: tensor of shape [*batch, n, k]; `u` by default.
        is_diag_update_positive: whether `diag_update` is known to be positive.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        TypeError: if the types differ. ValueError: if what is said of it cannot all be true.
    """

    def __init__(
        self,
        base_operator: LinearOperator,
        u: Any,
        diag_update: TensorLike | np.ndarray | None = None,
        v: np.ndarray | None = None,
        is_diag_update_positive: Hint = None,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError(
                    "Default diagonal is the identity, which is positive.  "
                    "However, user set 'is_diag_update_positive' to False."
                )
            is_diag_update_positive = True
        self._use_cholesky = bool(
            base_operator.is_positive_definite
            and base_operator.is_self_adjoint
            and is_diag_update_positive
            and v is None
        )
        if base_operator.is_self_adjoint and v is None and not base_operator.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(
                    "A = L + UDU^H, with L self-adjoint and D real diagonal.  "
                    "Since UDU^H is self-adjoint, this must be a self-adjoint operator."
                )
            is_self_adjoint = True
        if self._use_cholesky:
            if False in (is_positive_definite, is_self_adjoint, is_non_singular):
                raise ValueError("Arguments imply this is self-adjoint positive-definite operator.")
            is_positive_definite = is_self_adjoint = True
        with name_scope(name, values=[*base_operator.graph_parents, u, diag_update, v]):
            self._u = convert_nonref_to_tensor(u, name="u")
            self._v = self._u if v is None else convert_nonref_to_tensor(v, name="v")
            self._diag_update = convert_nonref_to_tensor(diag_update, name="diag_update")
            self._base_operator = base_operator
            parents = [*base_operator.graph_parents, self._u, self._diag_update, self._v]
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
            super().__init__(base_operator.dtype, [p for p in parents if p is not None], *hints, name=name)
            self._diag_operator = self._middle(is_diag_update_positive)
            self._is_diag_update_positive = is_diag_update_positive
            self._check_shapes()

    def _middle(self, positive: Hint) -> LinearOperator:
        """The operator between `u` and the adjoint of `v`."""
        if self._diag_update is not None:
            return LinearOperatorDiag(self._diag_update, is_positive_definite=positive)
        shape = self._u.get_shape()
        size = None if shape.ndims is None else shape[-1].value
        return LinearOperatorIdentity(shape_internal(self._u)[-1] if size is None else size, dtype=self.dtype)

    def _check_shapes(self) -> None:
        both = broadcast_static_shape(self._u.get_shape(), self._v.get_shape())
        batch = broadcast_static_shape(self._base_operator.batch_shape, both[:-2])
        self._base_operator.domain_dimension.assert_is_compatible_with(dimension_at_index(both, -2))
        if self._diag_update is not None:
            diag = self._diag_update.get_shape()
            dimension_at_index(both, -1).assert_is_compatible_with(dimension_at_index(diag, -1))
            broadcast_static_shape(batch, diag[:-1])

    @property
    def base_operator(self) -> LinearOperator:
        """The operator that is updated."""
        return self._base_operator

    @property
    def u(self) -> Tensor:
        """The left factor of the update."""
        return self._u

    @property
    def v(self) -> Tensor:
        """The right factor of the update."""
        return self._v

    @property
    def diag_update(self) -> Tensor | None:
        """The diagonal between them; None for ones."""
        return self._diag_update

    @property
    def diag_operator(self) -> LinearOperator:
        """The diagonal as an operator."""
        return self._diag_operator

    @property
    def is_diag_update_positive(self) -> Hint:
        """Whether the diagonal is known to be positive."""
        return self._is_diag_update_positive

    def _shape(self) -> TensorShape:
        batch = broadcast_static_shape(self._base_operator.batch_shape, self._u.get_shape()[:-2])
        return batch.concatenate(self._base_operator.shape[-2:])

    def _shape_tensor(self) -> Tensor:
        outer = self._base_operator.batch_shape_tensor()
        batch = broadcast_dynamic_shape(outer, shape_internal(self._u)[:-2])
        return composing.concat([batch, self._base_operator.shape_tensor()[-2:]], 0)

    def _factors(self, adjoint: bool) -> tuple[Any, Any]:
        return (self._v, self._u) if adjoint else (self._u, self._v)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        left, right = self._factors(adjoint)
        leading = self._base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg)
        inner = self._diag_operator.matmul(inner, adjoint=adjoint)
        return leading + matmul(left, inner)

    def _capacitance(self) -> Tensor:
        """The small matrix D^-1 + v^H base^-1 u."""
        solved = matmul(self._v, self._base_operator.solve(self._u), adjoint_a=True)
        return self._diag_operator.inverse().add_to_tensor(solved)

    def _determinant(self) -> Tensor:
        if self.is_positive_definite:
            return raw.Exp(self.log_abs_determinant())
        small = matrix_determinant(self._capacitance())
        middle, base = self._diag_operator.determinant(), self._base_operator.determinant()
        return small * middle * base

    def _log_abs_determinant(self) -> Tensor:
        middle, base = self._diag_operator.log_abs_determinant(), self._base_operator.log_abs_determinant()
        if self._use_cholesky:
            small = 2 * reduce_sum(raw.Log(diagonal(cholesky(self._capacitance()))), axis=[-1])
        else:
            small = raw.Log(absolute(matrix_determinant(self._capacitance())))
            small = cast(small, self.dtype) if self.dtype.is_complex else small
        return small + middle + base

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        """By Woodbury's identity.

        Raises:
            ValueError: if the base operator is known to have no inverse.
        """
        if self._base_operator.is_non_singular is False:
            raise ValueError("Solve not implemented unless this is a perturbation of a non-singular LinearOperator.")
        left, right = self._factors(adjoint)
        first = self._base_operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        inner = matmul(right, first, adjoint_a=True)
        if self._use_cholesky:
            inner = cholesky_solve_with_broadcast(cholesky(self._capacitance()), inner)
        else:
            inner = matrix_solve_with_broadcast(self._capacitance(), inner, adjoint=adjoint)
        return first - self._base_operator.solve(matmul(left, inner), adjoint=adjoint)
