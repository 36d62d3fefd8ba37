"""Operators that are one matrix of a known form: dense, triangular, diagonal, identity, zeros, a reflection."""

from __future__ import annotations

from typing import Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.ops import composing
from headrace.ops.array.shape import shape_internal
from headrace.ops.flow.checks import assert_equal, assert_non_negative, assert_none_equal, assert_positive
from headrace.ops.flow.grouping import no_op, with_dependencies
from headrace.ops.linalg.operator import ALL_TYPES, LinearOperator, broadcast_batches, conjugate, matrix_argument
from headrace.ops.math.linalg_functions import adjoint as adjoint_of
from headrace.ops.math.matmul import matmul
from headrace.ops.math.matrices import eye
from headrace.ops.math.reduction import reduce_prod, reduce_sum
from headrace.ops.nn.moments import l2_normalize


class LinearOperatorFullMatrix(LinearOperator):
    """Any matrix.

    Args:
        matrix: tensor of shape [*batch, m, n].
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.
    """

    def __init__(
        self,
        matrix: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        with name_scope(name, values=[matrix]):
            self._matrix = matrix_argument(matrix, "matrix", 2, ALL_TYPES)
            self._given_matrix = matrix
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
        super().__init__(self._matrix.dtype, [self._matrix], *hints, name=name)

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
        tril: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        with name_scope(name, values=[tril]):
            self._matrix = matrix_argument(tril, "tril", 2, ALL_TYPES)
            self._given_tril = tril
        hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
        super().__init__(self._matrix.dtype, [self._matrix], *hints, name=name)

    # Made where they are used, in the name scope of the use; equal ones are computed once in a step.
    @property
    def _tril(self) -> Tensor:
        return raw.MatrixBandPart(self._matrix, -1, 0)

    @property
    def _diag(self) -> Tensor:
        return raw.MatrixDiagPart(self._matrix, name="diag_part")

    def _shape(self) -> TensorShape:
        return self._matrix.get_shape()

    def _shape_tensor(self) -> Tensor:
        return shape_internal(self._matrix)

    def _assert_non_singular(self) -> Any:
        message = "Singular operator:  Diagonal contained zero values."
        return assert_none_equal(self._diag, composing.zeros([], self.dtype), message=message)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self._tril, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _determinant(self) -> Tensor:
        return reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self) -> Tensor:
        return reduce_sum(raw.Log(abs(self._diag)), axis=[-1])

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        return raw.MatrixTriangularSolve(*broadcast_batches(self._tril, rhs), lower=True, adjoint=adjoint)

    def _to_dense(self) -> Tensor:
        return self._tril

    def _diag_part(self) -> Tensor:
        return self._diag

    def _times(self, other: LinearOperator) -> LinearOperator:
        if isinstance(other, LinearOperatorDiag):
            return LinearOperatorLowerTriangular(self.to_dense() * other.diag[..., None, :])
        return super()._times(other)


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
        diag: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        with name_scope(name, values=[diag]):
            self._diag = matrix_argument(diag, "diag", 1, ALL_TYPES)
            self._given_diag = diag
            if not self._diag.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError("A real diagonal operator is always self adjoint.")
                is_self_adjoint = True
            if is_square is False:
                raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(
            self._diag.dtype, [self._diag], is_non_singular, is_self_adjoint, is_positive_definite, True, name=name
        )

    @property
    def diag(self) -> Tensor:
        """The diagonal."""
        return self._diag

    def _shape(self) -> TensorShape:
        shape = self._diag.get_shape()
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Tensor:
        shape = shape_internal(self._diag)
        return composing.concat([shape, [shape[-1]]], 0)

    def _assert_non_singular(self) -> Any:
        message = "Singular operator:  Diagonal contained zero values."
        return assert_none_equal(self._diag, composing.zeros([], self.dtype), message=message)

    def _assert_positive_definite(self) -> Any:
        real = raw.Real(self._diag) if self.dtype.is_complex else self._diag
        message = "Diagonal operator had diagonal entries with non-positive real part, thus was not positive definite."
        return assert_positive(real, message=message)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        diag = conjugate(self._diag) if adjoint else self._diag
        return composing.expand_dims(diag, -1) * (adjoint_of(x) if adjoint_arg else x)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return (conjugate(self._diag) if adjoint else self._diag) * x

    def _determinant(self) -> Tensor:
        return reduce_prod(self._diag, axis=[-1])

    def _log_abs_determinant(self) -> Tensor:
        total = reduce_sum(raw.Log(abs(self._diag)), axis=[-1])
        return composing.cast(total, self.dtype) if self.dtype.is_complex else total

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        diag = conjugate(self._diag) if adjoint else self._diag
        return (adjoint_of(rhs) if adjoint_arg else rhs) * composing.expand_dims(1.0 / diag, -1)

    def _to_dense(self) -> Tensor:
        return raw.MatrixDiag(self._diag, name="diag")

    def _diag_part(self) -> Tensor:
        return self._diag

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        new = raw.MatrixDiagPart(x, name="diag_part") + self._diag
        full = x + composing.zeros_like(new)[..., None]
        return raw.MatrixSetDiag(full, new, name="set_diag")

    def _times(self, other: LinearOperator) -> LinearOperator:
        if isinstance(other, LinearOperatorDiag):
            return LinearOperatorDiag(self._diag * other.diag, is_positive_definite=_both(self, other), is_square=True)
        if isinstance(other, LinearOperatorScaledIdentity):
            return LinearOperatorDiag(
                self._diag * other.multiplier[..., None], is_positive_definite=_both(self, other), is_square=True
            )
        if isinstance(other, LinearOperatorLowerTriangular):
            return LinearOperatorLowerTriangular(self._diag[..., None] * other.to_dense())
        return super()._times(other)

    def _hints(self) -> dict[str, Any]:
        return {
            "is_non_singular": self.is_non_singular,
            "is_self_adjoint": self.is_self_adjoint,
            "is_positive_definite": self.is_positive_definite,
            "is_square": True,
        }

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorDiag(conjugate(self._diag), **self._hints())

    def _inverse(self) -> LinearOperator:
        return LinearOperatorDiag(1.0 / self._diag, **self._hints())

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorDiag(raw.Sqrt(self._diag), is_non_singular=True, is_self_adjoint=True, is_square=True)


def _both(a: LinearOperator, b: LinearOperator) -> bool | None:
    """Whether the product of two commuting operators is known to be positive definite."""
    return True if a.is_positive_definite and b.is_positive_definite else None


class _Identity(LinearOperator):
    """What the multiples of the identity share: a number of rows."""

    _num_rows: Tensor
    _num_rows_known: int | None
    _checks: bool

    def _set_rows(self, num_rows: Any, checks: bool) -> None:
        self._num_rows = convert_to_tensor(num_rows, name="num_rows")
        self._checks = checks
        if not self._num_rows.dtype.is_integer:
            raise TypeError(f"Argument num_rows must be integer type.  Found: {num_rows}")
        known = constant_value(self._num_rows)
        self._num_rows_known = None if known is None else int(known)
        if known is None:
            if checks:
                check = assert_non_negative(self._num_rows, message="Argument num_rows must be a non-negative integer.")
                self._num_rows = with_dependencies([check], self._num_rows)
            return
        if known.ndim != 0:
            raise ValueError(f"Argument num_rows must be a 0-D Tensor.  Found: {known}")
        if known < 0:
            raise ValueError(f"Argument num_rows must be a non-negative integer. Found: {known}")

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Tensor:
        """The sum with a tensor of fitting shape."""
        return super().add_to_tensor(mat, name)

    def _square_dims(self) -> list[int | None]:
        return [self._num_rows_known] * 2

    def _ones_of_diag(self) -> Tensor:
        batch = self.batch_shape_tensor()
        return composing.ones(composing.concat([batch, self.domain_dimension_tensor()[None]], 0), dtype=self.dtype)


class LinearOperatorIdentity(_Identity):
    """The identity.

    Args:
        num_rows: non-negative int32 scalar.
        batch_shape: int32 vector, () by default.
        dtype: the type of the elements, float32 by default.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.
        assert_proper_shapes: whether to check the arguments when the graph runs.

    Raises:
        ValueError: if it is said not to be what every identity is, or `num_rows` is negative.
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool = True,
        is_self_adjoint: bool = True,
        is_positive_definite: bool = True,
        is_square: bool = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        wanted = (
            (is_self_adjoint, "self adjoint"),
            (is_square, "square"),
            (is_non_singular, "non-singular"),
            (is_positive_definite, "positive-definite"),
        )
        for flag, kind in wanted:
            if not flag:
                raise ValueError(f"An identity operator is always {kind}.")
        with name_scope(name):
            super().__init__(
                as_dtype(dtype or "float32"), None, True, is_self_adjoint, is_positive_definite, True, name=name
            )
            self._set_rows(num_rows, assert_proper_shapes)
            self._batch: Tensor | None = None
            if batch_shape is not None:
                self._batch = convert_to_tensor(batch_shape, "int32", name="batch_shape_arg")
                if self._batch.get_shape().ndims not in (None, 1):
                    raise ValueError(f"Argument batch_shape must be a 1-D Tensor.  Found: {batch_shape}")

    def _shape(self) -> TensorShape:
        from headrace.core.constant_value import constant_dims

        batch = TensorShape([]) if self._batch is None else TensorShape(constant_dims(self._batch))
        return batch.concatenate(self._square_dims())

    def _shape_tensor(self) -> Tensor:
        matrix = composing.stack([self._num_rows, self._num_rows])
        return matrix if self._batch is None else composing.concat([self._batch, matrix], 0)

    def _assert_non_singular(self) -> Any:
        return no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Any:
        return no_op("assert_positive_definite")

    def _assert_self_adjoint(self) -> Any:
        return no_op("assert_self_adjoint")

    def _broadcast(self, x: Tensor) -> Tensor:
        batch = self.batch_shape
        if batch.is_fully_defined() and batch.ndims == 0:
            return x
        return x + composing.zeros(composing.concat([self.batch_shape_tensor(), [1, 1]], 0), dtype=self.dtype)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._broadcast(adjoint_of(x) if adjoint_arg else x)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Tensor:
        return composing.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return composing.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _trace(self) -> Tensor:
        return composing.cast(self.domain_dimension_tensor(), self.dtype) * self._determinant()

    def _diag_part(self) -> Tensor:
        return self._ones_of_diag()

    def _to_dense(self) -> Tensor:
        return eye(self.domain_dimension_tensor(), batch_shape=self.batch_shape_tensor(), dtype=self.dtype)

    def _add_to_tensor(self, mat: Tensor) -> Tensor:
        return raw.MatrixSetDiag(mat, raw.MatrixDiagPart(mat, name="diag_part") + 1, name="set_diag")

    def _times(self, other: LinearOperator) -> LinearOperator:
        return other

    def _inverse(self) -> LinearOperator:
        return self

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorIdentity(self._num_rows, self._batch, self.dtype)


class LinearOperatorScaledIdentity(_Identity):
    """A multiple of the identity.

    Args:
        num_rows: non-negative int32 scalar.
        multiplier: tensor of shape [*batch].
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.
        assert_proper_shapes: whether to check the arguments when the graph runs.

    Raises:
        ValueError: if it is said not to be square, or a real one not to be self-adjoint.
    """

    def __init__(
        self,
        num_rows: Any,
        multiplier: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        with name_scope(name, values=[multiplier, num_rows]):
            self._multiplier = convert_to_tensor(multiplier, name="multiplier")
            self._given_multiplier = multiplier
            if not self._multiplier.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError("A real diagonal operator is always self adjoint.")
                is_self_adjoint = True
            super().__init__(
                self._multiplier.dtype,
                [self._multiplier],
                is_non_singular,
                is_self_adjoint,
                is_positive_definite,
                is_square,
                name=name,
            )
            self._set_rows(num_rows, assert_proper_shapes)

    @property
    def multiplier(self) -> Tensor:
        """The factor."""
        return self._multiplier

    def _shape(self) -> TensorShape:
        return self._multiplier.get_shape().concatenate(self._square_dims())

    def _shape_tensor(self) -> Tensor:
        rows = composing.stack([self._num_rows, self._num_rows])
        return composing.concat([shape_internal(self._multiplier), rows], 0)

    def _assert_non_singular(self) -> Any:
        return assert_positive(abs(self._multiplier), message="LinearOperator was singular")

    def _assert_positive_definite(self) -> Any:
        real = raw.Real(self._multiplier) if self.dtype.is_complex else self._multiplier
        return assert_positive(real, message="LinearOperator was not positive definite.")

    def _assert_self_adjoint(self) -> Any:
        imaginary = raw.Imag(self._multiplier) if self.dtype.is_complex else composing.zeros_like(self._multiplier)
        zero = composing.zeros_like(imaginary)
        return assert_equal(zero, imaginary, message="LinearOperator was not self-adjoint")

    def _factor(self, adjoint: bool = False) -> Tensor:
        return (conjugate(self._multiplier) if adjoint else self._multiplier)[..., None, None]

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return (adjoint_of(x) if adjoint_arg else x) * self._factor(adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return (adjoint_of(rhs) if adjoint_arg else rhs) / self._factor(adjoint)

    def _determinant(self) -> Tensor:
        return self._multiplier ** composing.cast(self._num_rows, self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return composing.cast(self._num_rows, self.dtype) * composing.cast(raw.Log(abs(self._multiplier)), self.dtype)

    def _diag_part(self) -> Tensor:
        return self._ones_of_diag() * self._multiplier[..., None]

    def _to_dense(self) -> Tensor:
        return raw.MatrixDiag(self._diag_part(), name="diag")

    def _add_to_tensor(self, mat: Tensor) -> Tensor:
        return raw.MatrixSetDiag(
            mat, raw.MatrixDiagPart(mat, name="diag_part") + self._multiplier[..., None], name="set_diag"
        )

    def _hints(self) -> dict[str, Any]:
        return {
            "is_non_singular": self.is_non_singular,
            "is_self_adjoint": self.is_self_adjoint,
            "is_positive_definite": self.is_positive_definite,
            "is_square": True,
        }

    def _times(self, other: LinearOperator) -> LinearOperator:
        if isinstance(other, LinearOperatorScaledIdentity):
            return LinearOperatorScaledIdentity(self._num_rows, self._multiplier * other.multiplier)
        if isinstance(other, LinearOperatorDiag):
            return LinearOperatorDiag(
                other.diag * self._multiplier[..., None], is_positive_definite=_both(self, other), is_square=True
            )
        return super()._times(other)

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._num_rows, conjugate(self._multiplier), **self._hints())

    def _inverse(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._num_rows, 1.0 / self._multiplier, **self._hints())

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(
            self._num_rows, raw.Sqrt(self._multiplier), is_non_singular=True, is_self_adjoint=True
        )


class LinearOperatorZeros(LinearOperator):
    """A matrix of zeros.

    Args:
        num_rows: int, the rows.
        num_columns: int, the columns; as many as rows by default.
        batch_shape: int32 vector, () by default.
        dtype: the type of the elements, float32 by default.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.
        assert_proper_shapes: whether to check the arguments when the graph runs.

    Raises:
        ValueError: if it is said to be what no such matrix is.
    """

    def __init__(
        self,
        num_rows: Any,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: Any = None,
        is_non_singular: bool = False,
        is_self_adjoint: bool = True,
        is_positive_definite: bool = False,
        is_square: bool = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        if is_square and num_columns is not None and num_columns is not num_rows and num_columns != num_rows:
            raise ValueError("Argument `is_square` is True, but num_rows and num_columns are different.")
        with name_scope(name):
            super().__init__(as_dtype(dtype or "float32"), None, False, is_self_adjoint, False, is_square, name=name)
            columns = num_rows if num_columns is None else num_columns
            sizes = [convert_to_tensor(size, "int32") for size in (num_rows, columns)]
            known = [constant_value(size) for size in sizes]
            if any(size is not None and size < 0 for size in known):
                raise ValueError(f"Argument num_rows must be a non-negative integer. Found: {num_rows}")
            batch = [] if batch_shape is None else batch_shape
            self._dims = composing.concat([convert_to_tensor(batch, "int32"), composing.stack(sizes)], 0)
            static_batch = constant_value(convert_to_tensor(batch, "int32"))
            outer = TensorShape(None if static_batch is None else static_batch.tolist())
            self._static = outer.concatenate([None if size is None else int(size) for size in known])

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Tensor:
        """`mat`, which zeros leave as it is."""
        return super().add_to_tensor(mat, name)

    def _shape(self) -> TensorShape:
        return self._static

    def _shape_tensor(self) -> Tensor:
        return self._dims

    def _assert_non_singular(self) -> Any:
        raise InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Any:
        raise InvalidArgumentError(None, None, "Zero operators are never positive-definite.")

    def _assert_self_adjoint(self) -> Any:
        return no_op("assert_self_adjoint")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        if adjoint_arg:
            x = adjoint_of(x)
        rows = self.domain_dimension_tensor() if adjoint else self.range_dimension_tensor()
        inner = composing.zeros(
            composing.concat([self.batch_shape_tensor(), composing.stack([rows, 1])], 0), dtype=self.dtype
        )
        return inner * composing.zeros_like(x)[..., :1, :]

    def _to_dense(self) -> Tensor:
        return composing.zeros(self.shape_tensor(), dtype=self.dtype)

    def _determinant(self) -> Tensor:
        return composing.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _trace(self) -> Tensor:
        return composing.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _add_to_tensor(self, mat: Tensor) -> Tensor:
        return mat + composing.zeros(composing.concat([self.batch_shape_tensor(), [1, 1]], 0), dtype=self.dtype)

    def _times(self, other: LinearOperator) -> LinearOperator:
        return self if self.is_square and other.is_square else super()._times(other)


class LinearOperatorHouseholder(LinearOperator):
    """The reflection in the plane orthogonal to an axis.

    Args:
        reflection_axis: tensor of shape [*batch, n].
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        ValueError: if it is said not to be what every reflection is.
    """

    def __init__(
        self,
        reflection_axis: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        with name_scope(name, values=[reflection_axis]):
            self._axis = matrix_argument(reflection_axis, "reflection_axis", 1, ALL_TYPES)
            self._given_reflection_axis = reflection_axis
            if is_self_adjoint is False:
                raise ValueError("A Householder operator is always self adjoint.")
            if is_positive_definite is True:
                raise ValueError("A Householder operator is always non-positive definite.")
            if is_square is False:
                raise ValueError("A Householder operator is always square.")
        super().__init__(self._axis.dtype, [self._axis], is_non_singular, True, False, True, name=name)

    @property
    def reflection_axis(self) -> Tensor:
        """The axis."""
        return self._axis

    def _shape(self) -> TensorShape:
        shape = self._axis.get_shape()
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Tensor:
        shape = shape_internal(self._axis)
        return composing.concat([shape, [shape[-1]]], 0)

    def _assert_positive_definite(self) -> Any:
        raise InvalidArgumentError(None, None, "Householder operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return no_op("assert_self_adjoint")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = adjoint_of(x) if adjoint_arg else x
        axis = l2_normalize(self._axis, axis=-1)[..., None]
        return x - 2 * axis * matmul(axis, x, adjoint_a=True)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _trace(self) -> Tensor:
        rows = composing.cast(self.domain_dimension_tensor(), self.dtype) - 2
        return rows * composing.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _determinant(self) -> Tensor:
        return -composing.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return composing.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _diag_part(self) -> Tensor:
        axis = l2_normalize(self._axis, axis=-1)
        return 1.0 - 2 * axis * conjugate(axis)

    def _to_dense(self) -> Tensor:
        axis = l2_normalize(self._axis, axis=-1)[..., None]
        outer = -2 * matmul(axis, axis, adjoint_b=True)
        return raw.MatrixSetDiag(outer, 1.0 + raw.MatrixDiagPart(outer, name="diag_part"), name="set_diag")

    def _inverse(self) -> LinearOperator:
        return self
