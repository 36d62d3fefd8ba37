"""Operators that are known by their size alone, or by that and a number: identities, their multiples, and zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.functions.flow.checks import assert_equal, assert_positive
from headrace.functions.linalg.arguments import (
    assert_compatible_matrix_dimensions,
    assert_not_ref_type,
    checked_sizes,
    convert_nonref_to_tensor,
    diagonal,
    shape_tensor,
)
from headrace.functions.linalg.operator import LinearOperator
from headrace.functions.math.reduction import reduce_min
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import conj
from headrace.kernels.composing.matrices import adjoint as adjoint_of
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import broadcast_static_shape
from headrace.ops.flow.grouping import no_op, with_dependencies
from headrace.ops.math.cast import cast
from headrace.ops.math.complex import imag, real
from headrace.ops.math.unary import abs as absolute

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.operation import Operation
    from headrace.core.typing import DTypeLike, FloatLike, TensorLike


class _OfSize(LinearOperator):
    """What they share: sizes that are given, and are checked where that is asked for."""

    _assert_proper_shapes: bool
    _batch_shape_arg: Tensor | None = None
    _batch_shape_static: Any = None

    def _size(self, value: TensorLike, name: str, rank: int = 0) -> tuple[Tensor, Any]:
        """A size as a tensor, and its value or None."""
        sizes = shape_tensor(value, name=name if rank == 0 else f"{name}_arg")
        known = constant_value(sizes)
        return checked_sizes(sizes, known, name, rank, self._assert_proper_shapes), known

    def _set_batch(self, batch_shape: TensorShape | Sequence[int] | None) -> None:
        if batch_shape is not None:
            self._batch_shape_arg, self._batch_shape_static = self._size(batch_shape, "batch_shape", 1)

    def _of_sizes(self, rows: np.ndarray, columns: np.ndarray) -> TensorShape:
        matrix = TensorShape([None if size is None else int(size) for size in (rows, columns)])
        if self._batch_shape_arg is None:
            return matrix
        known = self._batch_shape_static
        return TensorShape(None if known is None else known.tolist()).concatenate(matrix)

    def _with_batch(self, rows: Any, columns: Any) -> Tensor:
        matrix = composing.stack([rows, columns], 0)
        return matrix if self._batch_shape_arg is None else composing.concat([self._batch_shape_arg, matrix], 0)

    def _fitting(self, x: Tensor) -> Tensor:
        """`x`, checked to have as many rows as there are columns here."""
        if not self._assert_proper_shapes:
            return x
        return with_dependencies([assert_compatible_matrix_dimensions(self, x)], x)

    def _over_batch(self, x: Tensor) -> Tensor:
        """`x` repeated along the batch."""
        if self._batch_shape_arg is None:
            return x
        static = self.batch_shape.concatenate([1, 1])
        joined = broadcast_static_shape(x.get_shape(), static)
        if static.is_fully_defined():
            return x if joined == x.get_shape() else x + composing.zeros(static, dtype=self.dtype)
        return x + composing.zeros(composing.concat([self.batch_shape_tensor(), [1, 1]], 0), dtype=self.dtype)

    def _known_batch(self) -> Any:
        return self.batch_shape if self.batch_shape.is_fully_defined() else self.batch_shape_tensor()

    def _length(self) -> int | None:
        """How long the diagonal is, if that is known."""
        columns, rows = self.domain_dimension.value, self.range_dimension.value
        return None if columns is None or rows is None else min(columns, rows)

    def _length_tensor(self) -> Tensor:
        return reduce_min(self.shape_tensor()[-2:])

    def _diagonal_shape(self) -> Any:
        if self.shape.is_fully_defined():
            return self.batch_shape.concatenate([self._length()])
        return composing.concat([self.batch_shape_tensor(), [self._length_tensor()]], 0)


class BaseLinearOperatorIdentity(_OfSize):
    """The base of the identity and of its multiples."""

    _num_rows: Tensor
    _num_rows_static: Any

    def _ones_diag(self) -> Tensor:
        return composing.ones(self._diagonal_shape(), dtype=self.dtype)

    def _rows_times(self, ones: Tensor, multiplier: Tensor | None = None) -> Tensor:
        """The number of rows, times a number, times `ones`."""
        known = self._length()
        rows = cast(self._length_tensor(), self.dtype) if known is None else known
        return (rows if multiplier is None else multiplier * rows) * ones

    def _added_to(self, mat: TensorLike, own: TensorLike) -> Tensor:
        """`own` added to the diagonal of a tensor."""
        mat = convert_to_tensor(mat, name="mat")
        old = diagonal(mat)
        return raw.MatrixSetDiag(mat, own + old, name="set_diag")


class LinearOperatorIdentity(BaseLinearOperatorIdentity):
    """The identity.

    Args:
        num_rows: non-negative int32 scalar.
        batch_shape: int32 vector, () by default.
        dtype: the type of the elements, float32 by default.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.
        assert_proper_shapes: whether to check the arguments when the graph runs.

    Raises:
        ValueError: if it is said not to be what every identity is, or `num_rows` is negative.
        TypeError: if a size is a variable or not of integers.
    """

    def __init__(
        self,
        num_rows: Any,
        batch_shape: TensorShape | Sequence[int] | None = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool = True,
        is_self_adjoint: bool = True,
        is_positive_definite: bool = True,
        is_square: bool = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        self._assert_proper_shapes = assert_proper_shapes
        properties = (
            (is_self_adjoint, "self adjoint"),
            (is_non_singular, "non-singular"),
            (is_positive_definite, "positive-definite"),
            (is_square, "square"),
        )
        with name_scope(name):
            for flag, kind in properties:
                if not flag:
                    raise ValueError(f"An identity operator is always {kind}.")
            super().__init__(
                as_dtype(dtype or "float32"), None, True, is_self_adjoint, is_positive_definite, True, name=name
            )
            assert_not_ref_type(num_rows, "num_rows")
            assert_not_ref_type(batch_shape, "batch_shape")
            self._num_rows, self._num_rows_static = self._size(num_rows, "num_rows")
            self._set_batch(batch_shape)

    def _shape(self) -> TensorShape:
        return self._of_sizes(self._num_rows_static, self._num_rows_static)

    def _shape_tensor(self) -> Tensor:
        return self._with_batch(self._num_rows, self._num_rows)

    def _assert_non_singular(self) -> Operation:
        return no_op("assert_non_singular")

    def _assert_positive_definite(self) -> Operation:
        return no_op("assert_positive_definite")

    def _assert_self_adjoint(self) -> Operation:
        return no_op("assert_self_adjoint")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._over_batch(self._fitting(adjoint_of(x) if adjoint_arg else x))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Tensor:
        return composing.ones(self.batch_shape_tensor(), dtype=self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return composing.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _trace(self) -> Tensor:
        return self._rows_times(composing.ones(self._known_batch(), dtype=self.dtype))

    def _diag_part(self) -> Tensor:
        return self._ones_diag()

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """The sum with a tensor of fitting shape."""
        with self._name_scope(name):
            return self._added_to(mat, 1)


class LinearOperatorScaledIdentity(BaseLinearOperatorIdentity):
    """A multiple of the identity.

    Args:
        num_rows: non-negative int32 scalar.
        multiplier: tensor of shape [*batch].
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.
        assert_proper_shapes: whether to check the arguments when the graph runs.

    Raises:
        ValueError: if it is said not to be square, or a real one not to be self-adjoint.
        TypeError: if the number of rows is a variable or no integer.
    """

    def __init__(
        self,
        num_rows: Any,
        multiplier: FloatLike | TensorLike | np.ndarray,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        self._assert_proper_shapes = assert_proper_shapes
        with name_scope(name, values=[multiplier, num_rows]):
            self._multiplier = convert_nonref_to_tensor(multiplier, name="multiplier")
            dtype = self._multiplier.dtype.base_dtype
            if not dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError("A real diagonal operator is always self adjoint.")
                is_self_adjoint = True
            if not is_square:
                raise ValueError("A ScaledIdentity operator is always square.")
            assert_not_ref_type(num_rows, "num_rows")
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
            super().__init__(dtype, None, *hints, name=name)
            self._num_rows, self._num_rows_static = self._size(num_rows, "num_rows")
            self._rows_as_factor = cast(self._num_rows, dtype)
            self._rows_as_real = cast(self._num_rows, dtype.real_dtype)

    @property
    def multiplier(self) -> Tensor:
        """The factor."""
        return self._multiplier

    def _shape(self) -> TensorShape:
        matrix = self._of_sizes(self._num_rows_static, self._num_rows_static)
        return self._multiplier.get_shape().concatenate(matrix)

    def _shape_tensor(self) -> Tensor:
        matrix = composing.stack([self._num_rows, self._num_rows], 0)
        return composing.concat([shape_internal(self._multiplier), matrix], 0)

    def _assert_non_singular(self) -> Operation:
        return assert_positive(absolute(self._multiplier), message="LinearOperator was singular")

    def _assert_positive_definite(self) -> Operation:
        return assert_positive(real(self._multiplier), message="LinearOperator was not positive definite.")

    def _assert_self_adjoint(self) -> Operation:
        imaginary = imag(self._multiplier)
        zero = composing.zeros_like(imaginary)
        return assert_equal(zero, imaginary, message="LinearOperator was not self-adjoint")

    def _factor(self, adjoint: bool = False) -> Tensor:
        matrix = composing.expand_dims(composing.expand_dims(self._multiplier, -1), -1)
        return conj(matrix) if adjoint else matrix

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = self._fitting(adjoint_of(x) if adjoint_arg else x)
        return x * self._factor(adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = self._fitting(adjoint_of(rhs) if adjoint_arg else rhs)
        return rhs / self._factor(adjoint)

    def _determinant(self) -> Tensor:
        return self._multiplier**self._rows_as_factor

    def _log_abs_determinant(self) -> Tensor:
        return self._rows_as_real * raw.Log(absolute(self._multiplier))

    def _trace(self) -> Tensor:
        return self._rows_times(composing.ones(self._known_batch(), dtype=self.dtype), self._multiplier)

    def _diag_part(self) -> Tensor:
        return self._ones_diag() * self._multiplier[..., None]

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """The sum with a tensor of fitting shape."""
        with self._name_scope(name):
            return self._added_to(mat, composing.expand_dims(self._multiplier, -1))


class LinearOperatorZeros(_OfSize):
    """A matrix of zeros.

    Args:
        num_rows: non-negative int32 scalar, the rows.
        num_columns: likewise, the columns; as many as rows by default.
        batch_shape: int32 vector, () by default.
        dtype: the type of the elements, float32 by default.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.
        assert_proper_shapes: whether to check the arguments when the graph runs.

    Raises:
        ValueError: if it is said to be what no such matrix is.
        TypeError: if a size is a variable or not of integers.
    """

    def __init__(
        self,
        num_rows: TensorLike,
        num_columns: Any = None,
        batch_shape: Any = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool = False,
        is_self_adjoint: bool = True,
        is_positive_definite: bool = False,
        is_square: bool = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        self._assert_proper_shapes = assert_proper_shapes
        with name_scope(name):
            if not is_self_adjoint and is_square:
                raise ValueError("A zero operator is always self adjoint.")
            if is_non_singular:
                raise ValueError("A zero operator is always singular.")
            if is_positive_definite:
                raise ValueError("A zero operator is always not positive-definite.")
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
            super().__init__(as_dtype(dtype or "float32"), None, *hints, name=name)
            for size, what in ((num_rows, "num_rows"), (num_columns, "num_columns"), (batch_shape, "batch_shape")):
                assert_not_ref_type(size, what)
            # The tensors of both, before the checks of either.
            columns = num_rows if num_columns is None else num_columns
            sizes = [shape_tensor(num_rows, name="num_rows"), shape_tensor(columns, name="num_columns")]
            known = [constant_value(size) for size in sizes]
            self._num_rows, self._num_columns = (
                checked_sizes(size, value, what, 0, assert_proper_shapes)
                for size, value, what in zip(sizes, known, ("num_rows", "num_columns"))
            )
            self._num_rows_static, self._num_columns_static = known
            if is_square and None not in [None if value is None else 0 for value in known] and known[0] != known[1]:
                raise ValueError(
                    "LinearOperatorZeros initialized as is_square=True, but got "
                    f"num_rows({known[0]}) != num_columns({known[1]})"
                )
            self._set_batch(batch_shape)

    def _shape(self) -> TensorShape:
        return self._of_sizes(self._num_rows_static, self._num_columns_static)

    def _shape_tensor(self) -> Tensor:
        return self._with_batch(self._num_rows, self._num_columns)

    def _assert_non_singular(self) -> Operation:
        raise InvalidArgumentError(None, None, "Zero operators are always non-invertible.")

    def _assert_positive_definite(self) -> Operation:
        raise InvalidArgumentError(None, None, "Zero operators are always non-positive definite.")

    def _assert_self_adjoint(self) -> Operation:
        return no_op("assert_self_adjoint")

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        if self._assert_proper_shapes:
            x = self._fitting(adjoint_of(x) if adjoint_arg else x)
            adjoint_arg = False
        if self.is_square and not adjoint_arg:
            shape = shape_internal(x)
        elif self.is_square:
            outer = shape_internal(x)[:-2]
            shape = composing.concat([outer, [shape_internal(x)[-1], shape_internal(x)[-2]]], 0)
        else:
            full_shape = shape_internal(x)
            rows = self._num_columns if adjoint else self._num_rows
            columns = full_shape[-2] if adjoint_arg else full_shape[-1]
            shape = composing.concat([full_shape[:-2], [rows, columns]], 0)
        return self._over_batch(composing.zeros(shape, dtype=x.dtype))

    def _determinant(self) -> Tensor:
        return composing.zeros(self._known_batch(), dtype=self.dtype)

    def _trace(self) -> Tensor:
        return composing.zeros(self._known_batch(), dtype=self.dtype)

    def _diag_part(self) -> Tensor:
        return composing.zeros(self._diagonal_shape(), dtype=self.dtype)

    def add_to_tensor(self, mat: Any, name: str = "add_to_tensor") -> Any:
        """`mat`, which zeros leave as it is."""
        return self._over_batch(mat)
