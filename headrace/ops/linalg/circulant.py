"""Operators that Fourier transforms make cheap: circulant of one to three dimensions, and Toeplitz."""

from __future__ import annotations

from typing import Any

from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, complex64
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, dimension_at_index
from headrace.ops import composing
from headrace.ops.array.shape import broadcast_dynamic_shape, reshape, shape_internal
from headrace.ops.flow.checks import assert_less, assert_positive
from headrace.ops.linalg.operator import ALL_TYPES, LinearOperator, conjugate, matrix_argument
from headrace.ops.math.linalg_functions import adjoint as adjoint_of
from headrace.ops.math.reduction import reduce_prod, reduce_sum

_SPECTRUM_TYPES = ("float16", "float32", "float64", "complex64", "complex128")
_FORWARD, _BACK = {1: "FFT", 2: "FFT2D", 3: "FFT3D"}, {1: "IFFT", 2: "IFFT2D", 3: "IFFT3D"}


def _complex(x: Tensor, like: Any = None) -> Tensor:
    """`x` as complex numbers as wide as it is, or as the type `like`."""
    wide = (like or x.dtype).base_dtype.name in ("float64", "complex128")
    return composing.cast(x, "complex128" if wide else "complex64")


class _Circulant(LinearOperator):
    """What the circulant operators of all depths share."""

    def __init__(
        self,
        spectrum: Any,
        block_depth: int,
        input_output_dtype: Any,
        hints: tuple[bool | None, ...],
        name: str,
    ) -> None:
        is_non_singular, is_self_adjoint, is_positive_definite, is_square = hints
        with name_scope(name, values=[spectrum]):
            self._spectrum = matrix_argument(spectrum, "spectrum", block_depth, _SPECTRUM_TYPES)
            self._given_spectrum = spectrum
            self._depth = block_depth
            dtype = as_dtype(input_output_dtype)
            if not self._spectrum.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
                is_self_adjoint = True
            if is_square is False:
                raise ValueError(
                    f"A [[nested] block] circulant operator is always square.  Found is_square={is_square}"
                )
        super().__init__(
            dtype, [self._spectrum], is_non_singular, is_self_adjoint, is_positive_definite, True, name=name
        )

    @property
    def spectrum(self) -> Tensor:
        """The Fourier transform of the first column: the eigenvalues."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """How many dimensions wrap around."""
        return self._depth

    @property
    def block_shape(self) -> TensorShape:
        """The sizes of those dimensions."""
        return self._spectrum.get_shape()[-self._depth :]

    def block_shape_tensor(self) -> Tensor:
        """`block_shape` as an int32 vector."""
        return shape_internal(self._spectrum)[-self._depth :]

    def _shape(self) -> TensorShape:
        shape = self._spectrum.get_shape()
        if shape.ndims is None:
            return shape
        size = self.block_shape.num_elements()
        return shape[: -self._depth].concatenate([size, size])

    def _shape_tensor(self) -> Tensor:
        size = reduce_prod(self.block_shape_tensor())
        return composing.concat([shape_internal(self._spectrum)[: -self._depth], composing.stack([size, size])], 0)

    def _transformed(self, x: Tensor, factor: Tensor) -> Tensor:
        """`factor` times the Fourier transform of the columns of `x`, transformed back."""
        columns = composing.matrix_transpose(x)
        outer = shape_internal(columns)[:-1]
        blocks = reshape(_complex(columns, factor.dtype), composing.concat([outer, self.block_shape_tensor()], 0))
        spread = composing.expand_dims(_complex(factor), -self._depth - 1)
        product = getattr(raw, _BACK[self._depth])(spread * getattr(raw, _FORWARD[self._depth])(blocks))
        batch = shape_internal(product)[: -self._depth]
        flat = reshape(product, composing.concat([batch, [reduce_prod(self.block_shape_tensor())]], 0))
        result = composing.cast(composing.matrix_transpose(flat), self.dtype)
        rank = result.get_shape().ndims
        if rank is not None:
            known = [None] * (rank - 2)
            result.set_shape(
                TensorShape(known).concatenate([self.range_dimension, dimension_at_index(x.get_shape(), -1)])
            )
        return result

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = adjoint_of(x) if adjoint_arg else x
        return self._transformed(x, conjugate(self._spectrum) if adjoint else self._spectrum)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        return self._transformed(rhs, 1.0 / (conjugate(self._spectrum) if adjoint else self._spectrum))

    def _axes(self) -> list[int]:
        return list(range(-self._depth, 0))

    def _determinant(self) -> Tensor:
        return composing.cast(reduce_prod(_complex(self._spectrum), axis=self._axes()), self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return composing.cast(reduce_sum(raw.Log(abs(self._spectrum)), axis=self._axes()), self.dtype)

    def _trace(self) -> Tensor:
        return composing.cast(reduce_sum(_complex(self._spectrum), axis=self._axes()), self.dtype)

    def _diag_part(self) -> Tensor:
        size = composing.cast(reduce_prod(self.block_shape_tensor()), self.dtype)
        ones = composing.ones(
            composing.concat([self.batch_shape_tensor(), [self.domain_dimension_tensor()]], 0), dtype=self.dtype
        )
        return self._trace()[..., None] / size * ones

    def _assert_non_singular(self) -> Any:
        least = abs(self._spectrum)
        message = "Singular operator.  Spectrum contained zero values."
        return assert_less(composing.zeros([], least.dtype), least, message=message)

    def _assert_positive_definite(self) -> Any:
        real = raw.Real(self._spectrum) if self._spectrum.dtype.is_complex else self._spectrum
        return assert_positive(
            real, message="Real part of spectrum was not positive, so operator not positive definite"
        )

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """The first column, as a tensor of `block_shape`."""
        with self._name_scope(name):
            return composing.cast(getattr(raw, _BACK[self._depth])(_complex(self._spectrum)), self.dtype)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """The operation that fails unless the operator's elements are real."""
        with self._name_scope(name):
            import numpy as np

            kernel = getattr(raw, _BACK[self._depth])(_complex(self._spectrum))
            imaginary = abs(raw.Imag(kernel))
            limit = 100.0 * np.finfo(imaginary.dtype.as_numpy_dtype).eps
            return assert_less(imaginary, composing.cast(limit, imaginary.dtype), message="Spectrum was not Hermitian")

    def _remade(self, spectrum: Tensor) -> LinearOperator:
        return type(self)(  # type: ignore[call-arg]
            spectrum,
            input_output_dtype=self.dtype,
            is_non_singular=self.is_non_singular,
            is_self_adjoint=self.is_self_adjoint,
            is_positive_definite=self.is_positive_definite,
            is_square=True,
        )

    def _adjoint(self) -> LinearOperator:
        return self._remade(conjugate(self._spectrum))

    def _inverse(self) -> LinearOperator:
        return self._remade(1.0 / self._spectrum)

    def _times(self, other: LinearOperator) -> LinearOperator:
        if type(other) is type(self) and isinstance(other, _Circulant):
            return type(self)(self._spectrum * other.spectrum, input_output_dtype=self.dtype)  # type: ignore[call-arg]
        return super()._times(other)


def _depth(number: int, what: str) -> Any:
    """The class of circulant operators of `number` dimensions."""

    class Circulant(_Circulant):
        def __init__(
            self,
            spectrum: Any,
            input_output_dtype: Any = complex64,
            is_non_singular: bool | None = None,
            is_self_adjoint: bool | None = None,
            is_positive_definite: bool | None = None,
            is_square: bool = True,
            name: str = what,
        ) -> None:
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, is_square)
            super().__init__(spectrum, number, input_output_dtype, hints, name)

    Circulant.__name__ = Circulant.__qualname__ = what
    Circulant.__doc__ = f"""A circulant matrix over {number} wrapping dimension{"s" if number > 1 else ""}.

    Args:
        spectrum: tensor of {number} dimensions after the batch, the Fourier transform of the first column.
        input_output_dtype: the type of what it is applied to.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.
    """
    return Circulant


LinearOperatorCirculant = _depth(1, "LinearOperatorCirculant")
LinearOperatorCirculant2D = _depth(2, "LinearOperatorCirculant2D")
LinearOperatorCirculant3D = _depth(3, "LinearOperatorCirculant3D")


class LinearOperatorToeplitz(LinearOperator):
    """A matrix that is constant along its diagonals.

    Args:
        col: tensor of shape [*batch, n], the first column.
        row: tensor of shape [*batch, n], the first row; its first element is not looked at.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        ValueError: if it is said not to be square.
    """

    def __init__(
        self,
        col: Any,
        row: Any,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        with name_scope(name, values=[row, col]):
            self._given_row, self._given_col = row, col
            self._row, self._col = (matrix_argument(v, n, 1, ALL_TYPES[1:]) for v, n in ((row, "row"), (col, "col")))
            if is_square is False:
                raise ValueError("Only square Toeplitz operators currently supported.")
        super().__init__(
            self._row.dtype,
            [self._row, self._col],
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            True,
            name=name,
        )

    @property
    def col(self) -> Tensor:
        """The first column."""
        return self._col

    @property
    def row(self) -> Tensor:
        """The first row."""
        return self._row

    def _shape(self) -> TensorShape:
        from headrace.ops.array.shape import broadcast_static_shape

        shape = broadcast_static_shape(self._row.get_shape(), self._col.get_shape())
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Tensor:
        shape = broadcast_dynamic_shape(shape_internal(self._row), shape_internal(self._col))
        return composing.concat([shape, [shape[-1]]], 0)

    def _pair(self) -> tuple[Tensor, Tensor]:
        """Column and row with one shape."""
        return self._col + composing.zeros_like(self._row), self._row + composing.zeros_like(self._col)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        """By a circulant matrix of twice the size, in a corner of which the matrix stands."""
        x = adjoint_of(x) if adjoint_arg else x
        col, row = self._pair()
        if adjoint:
            # The diagonal is the column's.
            first = conjugate(col[..., :1])
            col, row = (
                composing.concat([first, conjugate(row[..., 1:])], -1),
                composing.concat([first, conjugate(col[..., 1:])], -1),
            )
        corner = composing.concat([col, composing.zeros_like(col[..., :1]), raw.ReverseV2(row[..., 1:], [-1])], -1)
        wide = composing.concat([x, composing.zeros_like(x)], -2)
        spectrum = raw.FFT(_complex(corner))
        circulant = LinearOperatorCirculant(spectrum, input_output_dtype=_complex(x).dtype)
        result = circulant.matmul(_complex(wide))
        return composing.cast(result[..., : shape_internal(x)[-2], :], self.dtype)

    def _trace(self) -> Tensor:
        size = composing.cast(self.domain_dimension_tensor(), self.dtype)
        return size * (self._col[..., 0] + composing.zeros_like(self._row[..., 0]))

    def _diag_part(self) -> Tensor:
        col, _ = self._pair()
        return col[..., :1] + composing.zeros_like(col)

    def _to_dense(self) -> Tensor:
        col, row = self._pair()
        diagonals = composing.concat([raw.ReverseV2(col, [-1]), row[..., 1:]], -1)
        size = self.domain_dimension_tensor()
        indices = composing.range_(size)[None, :] - composing.range_(size)[:, None] + size - 1
        return composing.gather(diagonals, indices, axis=-1)
