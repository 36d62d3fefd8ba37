"""Operators that are one matrix of a known form: dense, triangular, diagonal, a reflection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_positive
from headrace.functions.linalg.arguments import (
    assert_no_entries_with_modulus_zero,
    assert_zero_imag_part,
    at_least,
    convert_nonref_to_tensor,
    diagonal,
    square_shape,
    square_shape_tensor,
)
from headrace.functions.linalg.broadcasting import matrix_triangular_solve_with_broadcast
from headrace.functions.linalg.operator import LinearOperator
from headrace.functions.math.norms import norm
from headrace.functions.math.reduction import reduce_prod, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import conj, matmul
from headrace.kernels.composing.matrices import adjoint as adjoint_of
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.flow.grouping import no_op
from headrace.ops.math.cast import cast
from headrace.ops.math.complex import real
from headrace.ops.math.unary import abs as absolute

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike, VariableLike


_TYPES = ("float16", "float32", "float64", "complex64", "complex128")


class LinearOperatorFullMatrix(LinearOperator):
    """Any matrix.

    Args:
        matrix: tensor of shape [*batch, m, n].
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.
    """

    def __init__(
        self,
        matrix: TensorLike | None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        with name_scope(name, values=[matrix]):
            if matrix is None:
                raise ValueError("None values not supported.")
            self._matrix = convert_nonref_to_tensor(matrix, name="matrix")
            dtype = self._matrix.dtype
            if dtype.base_dtype.name not in _TYPES:
                kinds = [as_dtype(kind) for kind in _TYPES]
                raise TypeError(f"Argument matrix must have dtype in {kinds}.  Found: {dtype}")
            at_least(self._matrix, "matrix", 2)
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
            super().__init__(dtype, [self._matrix], *hints, name=name)

    def _shape(self) -> TensorShape:
        return self._matrix.get_shape()

    def _shape_tensor(self) -> Tensor:
        return shape_internal(self._matrix)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Tensor:
        return self._matrix


class LinearOperatorLowerTriangular(LinearOperator):
    """A lower triangular matrix; what is above the diagonal is not looked at.

    Args:
        tril: tensor of shape [*batch, n, n].
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        ValueError: if it is said not to be square.
    """

    def __init__(
        self,
        tril: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        with name_scope(name, values=[tril]):
            self._tril = at_least(convert_nonref_to_tensor(tril, name="tril"), "tril", 2)
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
            super().__init__(self._tril.dtype, [self._tril], *hints, name=name)

    # Made where they are used, in the name scope of the use; equal ones are computed once in a step.
    def _lower(self) -> Tensor:
        return raw.MatrixBandPart(self._tril, -1, 0)

    def _diag(self) -> Tensor:
        return diagonal(self._tril)

    def _shape(self) -> TensorShape:
        return self._tril.get_shape()

    def _shape_tensor(self) -> Tensor:
        return shape_internal(self._tril)

    def _assert_non_singular(self) -> Operation:
        message = "Singular operator:  Diagonal contained zero values."
        return assert_no_entries_with_modulus_zero(self._diag(), message=message)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self._lower(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _determinant(self) -> Tensor:
        return reduce_prod(self._diag(), axis=[-1])

    def _log_abs_determinant(self) -> Tensor:
        return reduce_sum(raw.Log(abs(self._diag())), axis=[-1])

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        return matrix_triangular_solve_with_broadcast(self._lower(), rhs, lower=True, adjoint=adjoint)

    def _to_dense(self) -> Tensor:
        return self._lower()


class LinearOperatorDiag(LinearOperator):
    """A diagonal matrix.

    Args:
        diag: tensor of shape [*batch, n].
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        ValueError: if a real one is said not to be self-adjoint, or it not to be square.

    Example:
        >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).matvec([3.0, 4.0])  # [3.0, 8.0]
    """

    def __init__(
        self,
        diag: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        with name_scope(name, values=[diag]):
            self._diag = at_least(convert_nonref_to_tensor(diag, name="diag"), "diag", 1)
            if not self._diag.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError("A real diagonal operator is always self adjoint.")
                is_self_adjoint = True
            if is_square is False:
                raise ValueError("Only square diagonal operators currently supported.")
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
            super().__init__(self._diag.dtype, [self._diag], *hints, name=name)

    @property
    def diag(self) -> Tensor:
        """The diagonal."""
        return self._diag

    def _shape(self) -> TensorShape:
        return square_shape(self._diag)

    def _shape_tensor(self) -> Tensor:
        return square_shape_tensor(self._diag)

    def _assert_non_singular(self) -> Operation:
        message = "Singular operator:  Diagonal contained zero values."
        return assert_no_entries_with_modulus_zero(self._diag, message=message)

    def _assert_positive_definite(self) -> Operation:
        message = "Real diagonal operator had non-positive diagonal entries, thus was not positive definite."
        if self.dtype.is_complex:
            message = (
                "Diagonal operator had diagonal entries with non-positive real part, thus was not positive definite."
            )
        return assert_positive(real(self._diag), message=message)

    def _assert_self_adjoint(self) -> Operation:
        message = "This diagonal operator contained non-zero imaginary values.   Thus it was not self-adjoint."
        return assert_zero_imag_part(self._diag, message=message)

    def _of(self, adjoint: bool) -> Tensor | VariableLike:
        """The diagonal, or that of the adjoint."""
        return conj(self._diag) if adjoint else self._diag

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        diag = self._of(adjoint)
        x = adjoint_of(x) if adjoint_arg else x
        return composing.expand_dims(diag, -1) * x

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._of(adjoint) * x

    def _determinant(self) -> Tensor:
        return reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self) -> Tensor:
        total = reduce_sum(raw.Log(absolute(self._diag)), axis=[-1])
        return cast(total, self.dtype) if self.dtype.is_complex else total

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        diag = self._of(adjoint)
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        return rhs * composing.expand_dims(1.0 / diag, -1)

    def _to_dense(self) -> Tensor:
        return raw.MatrixDiag(self._diag, name="diag")

    def _diag_part(self) -> Tensor:
        return self.diag

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        old = diagonal(x)
        return raw.MatrixSetDiag(x, self._diag + old, name="set_diag")


class LinearOperatorHouseholder(LinearOperator):
    """The reflection in the plane orthogonal to an axis: I - 2 v v^H with v of length 1.

    A. Householder, "Unitary triangularization of a nonsymmetric matrix", Journal of the ACM 5 (1958).

    Args:
        reflection_axis: tensor of shape [*batch, n].
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        ValueError: if it is said not to be what every reflection is.
    """

    def __init__(
        self,
        reflection_axis: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        with name_scope(name, values=[reflection_axis]):
            axis = convert_nonref_to_tensor(reflection_axis, name="reflection_axis")
            self._reflection_axis = at_least(axis, "reflection_axis", 1)
            if is_self_adjoint is False:
                raise ValueError("A Householder operator is always self adjoint.")
            if is_positive_definite is True:
                raise ValueError("A Householder operator is always non-positive definite.")
            if is_square is False:
                raise ValueError("A Householder operator is always square.")
            parents = [self._reflection_axis]
            super().__init__(self._reflection_axis.dtype, parents, is_non_singular, True, False, True, name=name)

    @property
    def reflection_axis(self) -> Tensor:
        """The axis."""
        return self._reflection_axis

    def _shape(self) -> TensorShape:
        return square_shape(self._reflection_axis)

    def _shape_tensor(self) -> Tensor:
        return square_shape_tensor(self._reflection_axis)

    def _assert_non_singular(self) -> Operation:
        return no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Operation:
        raise InvalidArgumentError(None, None, "Householder operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Operation:
        return no_op("assert_self_adjoint")

    def _unit(self) -> Tensor:
        """The axis at length 1."""
        axis = convert_to_tensor(self._reflection_axis)
        return axis / norm(axis, axis=-1, keepdims=True)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        # The axis is read before the adjoint is made.
        axis = convert_to_tensor(self._reflection_axis)
        x = adjoint_of(x) if adjoint_arg else x
        column = (axis / norm(axis, axis=-1, keepdims=True))[..., None]
        along = matmul(column, x, adjoint_a=True)
        return x - 2 * column * along

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _trace(self) -> Tensor:
        rows = cast(self.domain_dimension_tensor() - 2, self.dtype)
        return rows * composing.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _determinant(self) -> Tensor:
        return -composing.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return composing.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _to_dense(self) -> Tensor:
        column = self._unit()[..., None]
        outer = -2 * matmul(column, column, adjoint_b=True)
        return raw.MatrixSetDiag(outer, 1.0 + diagonal(outer), name="set_diag")

    def _diag_part(self) -> Tensor:
        axis = self._unit()
        return 1.0 - 2 * axis * conj(axis)
