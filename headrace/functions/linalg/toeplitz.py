"""Operators that are constant along their diagonals.

Their products are parts of those of circulant matrices: Chan and Ng, "Conjugate gradient methods for Toeplitz systems",
SIAM Review 38 (1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, dimension_at_index
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_equal
from headrace.functions.linalg.arguments import at_least
from headrace.functions.linalg.circulant import LinearOperatorCirculant, to_complex
from headrace.functions.linalg.operator import LinearOperator
from headrace.kernels import composing
from headrace.kernels.composing.matrices import adjoint as adjoint_of
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.operation import Operation


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
        col: np.ndarray | Sequence[float],
        row: np.ndarray | Sequence[float],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        with name_scope(name, values=[row, col]):
            self._row: Tensor = at_least(convert_to_tensor(row, name="row"), "row", 1)
            self._col: Tensor = at_least(convert_to_tensor(col, name="col"), "col", 1)
            ends = [dimension_at_index(each.get_shape(), -1).value for each in (self._row, self._col)]
            if None not in ends and ends[0] != ends[1]:
                raise ValueError("Expected square matrix, got row and col with mismatched dimensions.")
            # In a corner of a circulant matrix of twice the size stands this one.
            zero = composing.zeros_like(self._col[..., 0:1])
            column = composing.concat([self._col, zero, raw.ReverseV2(self._row[..., 1:], [-1])], -1)
            spectrum = raw.FFT(to_complex(column))
            self._circulant = LinearOperatorCirculant(spectrum, input_output_dtype=self._row.dtype)
            if is_square is False:
                raise ValueError("Only square Toeplitz operators currently supported.")
            hints = (is_non_singular, is_self_adjoint, is_positive_definite, True)
            super().__init__(self._row.dtype, [self._row, self._col], *hints, name=name)

    @property
    def col(self) -> Tensor:
        """The first column."""
        return self._col

    @property
    def row(self) -> Tensor:
        """The first row."""
        return self._row

    def _shape(self) -> TensorShape:
        shape = broadcast_static_shape(self._row.get_shape(), self._col.get_shape())
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> Tensor:
        shape = broadcast_dynamic_shape(shape_internal(self._row), shape_internal(self._col))
        return composing.concat([shape, [shape[-1]]], 0)

    def _assert_self_adjoint(self) -> Operation:
        message = "row and col are not the same, and so this operator is not self-adjoint."
        return assert_equal(self._row, self._col, message=message)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = adjoint_of(x) if adjoint_arg else x
        wide = composing.concat([x, composing.zeros_like(x)], -2)
        result = self._circulant.matmul(wide, adjoint=adjoint, adjoint_arg=False)
        return cast(result[..., : self.domain_dimension_tensor(), :], self.dtype)

    def _trace(self) -> Tensor:
        return cast(self.domain_dimension_tensor(), self.dtype) * self._col[..., 0]

    def _diag_part(self) -> Tensor:
        return self._col[..., 0:1] * composing.ones([self.domain_dimension_tensor()], self.dtype)
