"""Operators that Fourier transforms make cheap: circulant ones of one to three dimensions.

The columns of the discrete Fourier transform are their eigenvectors: R. Gray, "Toeplitz and circulant matrices: a
review" (2006), chapter 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, complex64
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.array.rotation import rotate_transpose
from headrace.functions.flow.checks import assert_less, assert_positive
from headrace.functions.linalg.arguments import assert_no_entries_with_modulus_zero, assert_zero_imag_part, at_least
from headrace.functions.linalg.broadcasting import broadcast_matrix_batch_dims
from headrace.functions.linalg.operator import LinearOperator
from headrace.functions.math.reduction import reduce_prod, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import conj
from headrace.kernels.composing.matrices import adjoint as adjoint_of
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.ops.math.complex import complex as complex_of
from headrace.ops.math.complex import imag, real
from headrace.ops.math.unary import abs as absolute

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation


_FORWARD, _BACK = {1: "FFT", 2: "FFT2D", 3: "FFT3D"}, {1: "IFFT", 2: "IFFT2D", 3: "IFFT3D"}


def to_complex(x: Tensor) -> Tensor:
    """`x` as complex numbers as wide as it is."""
    if x.dtype.is_complex:
        return x
    return cast(x, "complex128" if x.dtype.base_dtype.name == "float64" else "complex64")


class _Circulant(LinearOperator):
    """What the circulant operators of all depths share."""

    def __init__(
        self,
        spectrum: Tensor | np.ndarray | Sequence[float],
        block_depth: int,
        input_output_dtype: DType,
        hints: tuple[bool | None, ...],
        name: str,
    ) -> None:
        is_non_singular, is_self_adjoint, is_positive_definite, is_square = hints
        self._name = name
        self._block_depth = block_depth
        with name_scope(name, values=[spectrum]):
            self._spectrum: Tensor = at_least(convert_to_tensor(spectrum, name="spectrum"), "spectrum", block_depth)
            if not self._spectrum.dtype.is_complex:
                if is_self_adjoint is False:
                    raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
                is_self_adjoint = True
            if is_square is False:
                raise ValueError("A [[nested] block] circulant operator is always square.")
            self._block_shape_tensor = shape_internal(self._spectrum)[-block_depth:]
            self._spectrum_complex = to_complex(self._spectrum)
            self._abs_spectrum = absolute(self._spectrum)
            self._conj_spectrum = conj(self._spectrum_complex)
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
            super().__init__(as_dtype(input_output_dtype), [self._spectrum], *hints, name=name)

    @property
    def spectrum(self) -> Tensor:
        """The Fourier transform of the first column: the eigenvalues."""
        return self._spectrum

    @property
    def block_depth(self) -> int:
        """How many dimensions wrap around."""
        return self._block_depth

    @property
    def block_shape(self) -> TensorShape:
        """The sizes of those dimensions."""
        return self._spectrum.get_shape()[-self._block_depth :]

    def block_shape_tensor(self) -> Tensor:
        """`block_shape` as an int32 vector."""
        return self._block_shape_tensor

    def _shape(self) -> TensorShape:
        shape = self._spectrum.get_shape()
        if shape.ndims is None:
            return shape
        block = self.block_shape
        size = block.num_elements()
        return shape[: -self._block_depth].concatenate([size, size])

    def _shape_tensor(self) -> Tensor:
        shape = shape_internal(self._spectrum)
        batch, block = shape[: -self._block_depth], shape[-self._block_depth :]
        size = reduce_prod(block)
        return composing.concat([batch, [size, size]], 0)

    def _blocks_of(self, columns: Tensor) -> Tensor:
        """Columns as blocks, in the last dimensions."""
        rows = rotate_transpose(columns, shift=1)
        static = rows.get_shape()
        if static.is_fully_defined() and self.block_shape.is_fully_defined():
            return reshape(rows, static[:-1].concatenate(self.block_shape))
        return reshape(rows, composing.concat([shape_internal(rows)[:-1], self.block_shape_tensor()], 0))

    def _columns_of(self, blocks: Tensor) -> Tensor:
        """What `_blocks_of` makes of columns, undone."""
        static = blocks.get_shape()
        depth = self._block_depth
        flat: Any
        if static.is_fully_defined():
            flat = [*static.as_list()[:-depth], static[-depth:].num_elements()]
        else:
            shape = shape_internal(blocks)
            outer, block = shape[:-depth], shape[-depth:]
            flat = composing.concat([outer, [reduce_prod(block)]], 0)
        return rotate_transpose(reshape(blocks, flat), shift=-1)

    def _transformed(self, x: Tensor, back: bool = False) -> Tensor:
        op_type = (_BACK if back else _FORWARD)[self._block_depth]
        return getattr(raw, op_type)(to_complex(x))

    def _one_batch(self, x: Tensor, spectrum: Tensor) -> tuple[Tensor, Tensor]:
        """`x` and the spectrum, repeated along the batches of each other."""
        column = reshape(spectrum, composing.concat([self.batch_shape_tensor(), [-1, 1]], 0))
        x, column = broadcast_matrix_batch_dims([x, column])
        batch = shape_internal(x)[:-2]
        return x, reshape(column, composing.concat([batch, self.block_shape_tensor()], 0))

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = adjoint_of(x) if adjoint_arg else x
        spectrum = self._conj_spectrum if adjoint else self._spectrum_complex
        x, spectrum = self._one_batch(cast(x, spectrum.dtype), spectrum)
        blocks = self._transformed(self._blocks_of(x))
        result = self._columns_of(self._transformed(spectrum * blocks, back=True))
        return cast(result, self.dtype)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        spectrum = self._conj_spectrum if adjoint else self._spectrum_complex
        rhs, spectrum = self._one_batch(rhs, spectrum)
        blocks = self._transformed(self._blocks_of(rhs))
        result = self._columns_of(self._transformed(blocks / spectrum, back=True))
        return cast(result, self.dtype)

    def _axes(self) -> list[int]:
        return [-(index + 1) for index in range(self._block_depth)]

    def _determinant(self) -> Tensor:
        return cast(reduce_prod(self._spectrum, axis=self._axes()), self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return cast(reduce_sum(raw.Log(self._abs_spectrum), axis=self._axes()), self.dtype)

    def _trace(self) -> Tensor:
        static = self._spectrum.get_shape()
        axis: Any
        if static.is_fully_defined():
            size = len(static.as_list())
            axis = np.arange(size - self._block_depth, size, dtype=np.int32)
        else:
            rank = rank_internal(self._spectrum)
            axis = composing.range_(rank - self._block_depth, rank)
        real_part = reduce_sum(real(self._spectrum), axis=axis)
        if not self.dtype.is_complex:
            return cast(real_part, self.dtype)
        if self.is_self_adjoint:
            imaginary_part = composing.zeros_like(real_part)
        else:
            imaginary_part = reduce_sum(imag(self._spectrum), axis=axis)
        return cast(complex_of(real_part, imaginary_part), self.dtype)

    def _diag_part(self) -> Tensor:
        shape: Any
        size: Any
        if self.shape.is_fully_defined():
            shape, size = self.shape[:-1], self.domain_dimension.value
        else:
            shape, size = self.shape_tensor()[:-1], self.domain_dimension_tensor()
        ones = composing.ones(shape, dtype=self.dtype)
        value = self.trace() / cast(size, self.dtype)
        return value[..., None] * ones

    def _assert_non_singular(self) -> Operation:
        message = "Singular operator:  Spectrum contained zero values."
        return assert_no_entries_with_modulus_zero(self._spectrum, message=message)

    def _assert_positive_definite(self) -> Operation:
        message = "Not positive definite:  Real part of spectrum was not all positive."
        return assert_positive(real(self._spectrum), message=message)

    def _assert_self_adjoint(self) -> Operation:
        message = "Not self-adjoint:  The spectrum contained non-zero imaginary part."
        return assert_zero_imag_part(self._spectrum, message=message)

    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """The first column, as a tensor of `block_shape`."""
        with self._name_scope(name):
            return cast(self._transformed(self._spectrum_complex, back=True), self.dtype)

    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """The operation that fails unless the operator's elements are real."""
        epsilon = np.finfo(self.dtype.real_dtype.as_numpy_dtype).eps
        with self._name_scope(name):
            limit = epsilon * self.domain_dimension_tensor()
            size = absolute(imag(self.convolution_kernel()))
            return assert_less(size, limit, message="Spectrum was not Hermitian")


def _depth(number: int, what: str) -> type:
    """The class of circulant operators of `number` dimensions."""

    class Circulant(_Circulant):
        def __init__(
            self,
            spectrum: Tensor | np.ndarray | Sequence[float],
            input_output_dtype: DType = complex64,
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
