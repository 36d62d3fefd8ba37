"""Kronecker products of operators.

(A x B) vec(X) = vec(B X A^T), and det(A x B) = det(A)^m det(B)^n for A of n and B of m rows: C. Van Loan, "The
ubiquitous Kronecker product", Journal of Computational and Applied Mathematics 123 (2000).
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.errors import InvalidArgumentError
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.linalg.combined import Hint, OfOperators
from headrace.functions.linalg.operator import LinearOperator
from headrace.kernels import composing
from headrace.kernels.composing.matrices import adjoint as adjoint_of
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape, reshape
from headrace.ops.flow.grouping import group
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.operation import Operation


# The methods for matrices, by how those for vectors begin.
_WHOLE = {"mat": "matmul", "solve": "solve"}


def _rotate_last_dim(x: Tensor, rotate_right: bool = False) -> Tensor:
    """`x` with its last dimension first, or its first last."""
    rank = rank_internal(x)
    if rotate_right:
        order = composing.concat([[rank - 1], composing.range_(0, rank - 1)], 0)
    else:
        order = composing.concat([composing.range_(1, rank), [0]], 0)
    return composing.transpose(x, order)


def _vec(x: Tensor) -> Tensor:
    """The columns of matrices one below the other."""
    columns = composing.matrix_transpose(x)
    return reshape(columns, composing.concat([shape_internal(x)[:-2], [-1]], 0))


def _unvec_by(x: Tensor, count: Tensor) -> Tensor:
    """What `_vec` makes vectors of, undone, for columns of `count` elements."""
    rows = reshape(x, composing.concat([shape_internal(x)[:-1], [count, -1]], 0))
    return composing.matrix_transpose(rows)


class LinearOperatorKronecker(OfOperators):
    """The Kronecker product of operators. Arguments and errors as for `LinearOperatorComposition`."""

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
    ) -> None:
        hints = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": is_square,
        }
        kinds = ("non-singular", "self-adjoint", "positive-definite")
        implied = {
            hint: f"The Kronecker product of {kind} operators is always {kind}."
            for hint, kind in zip(list(hints)[:3], kinds)
        }
        self._begin(operators, "_x_", name, hints, implied)

    def _shape(self) -> TensorShape:
        rows = functools.reduce(operator.mul, [each.range_dimension for each in self._operators])
        columns = functools.reduce(operator.mul, [each.domain_dimension for each in self._operators])
        return self._joined_batch().concatenate([rows, columns])

    def _shape_tensor(self) -> Tensor:
        columns = self._folded(operator.mul, "domain_dimension_tensor")
        rows = self._folded(operator.mul, "range_dimension_tensor")
        batch = self._folded(broadcast_dynamic_shape, "batch_shape_tensor")
        return composing.concat([batch, [rows, columns]], 0)

    def _by_factor(self, method: str, x: Tensor, adjoint: bool, adjoint_arg: bool) -> Tensor:
        """A method of each factor applied along its own part of the rows of `x`, from the first to the last."""
        x = adjoint_of(x) if adjoint_arg else x
        # As many dimensions as the batch has.
        ones = composing.concat([composing.ones_like(self.batch_shape_tensor()), [1, 1]], 0)
        x = x + composing.zeros(ones, dtype=x.dtype.base_dtype)
        output = _rotate_last_dim(x, rotate_right=True)[None, ...]
        for each in self._operators[:-1]:
            size = each.range_dimension_tensor() if adjoint else each.domain_dimension_tensor()
            output = composing.matrix_transpose(_unvec_by(output, size))
            output = getattr(each, _WHOLE[method])(output, adjoint=adjoint, adjoint_arg=False)
            output = _rotate_last_dim(composing.matrix_transpose(output), rotate_right=False)
            output = _rotate_last_dim(_vec(output), rotate_right=True)
        output = getattr(self._operators[-1], f"{method}vec")(output, adjoint=adjoint)
        output = _rotate_last_dim(_vec(_rotate_last_dim(output, rotate_right=False)), rotate_right=False)
        static = x.get_shape()
        if static.is_fully_defined():
            batch = broadcast_static_shape(static[:-2], self.batch_shape)
            rows = self.domain_dimension if adjoint else self.range_dimension
            output.set_shape(batch.concatenate([rows, static[-1]]))
        return output

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._by_factor("mat", x, adjoint, adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._by_factor("solve", rhs, adjoint, adjoint_arg)

    def _power(self, each: LinearOperator, total: Tensor) -> Tensor:
        """How often a factor's determinant counts."""
        return cast(total / each.domain_dimension_tensor(), each.dtype)

    def _determinant(self) -> Tensor:
        total = self.domain_dimension_tensor()
        result: Any = 1.0
        for each in self._operators:
            result = result * each.determinant() ** self._power(each, total)
        return result

    def _log_abs_determinant(self) -> Tensor:
        total = self.domain_dimension_tensor()
        result: Any = 0.0
        for each in self._operators:
            result = result + each.log_abs_determinant() * self._power(each, total)
        return result

    def _trace(self) -> Tensor:
        result: Any = 1.0
        for each in self._operators:
            result = result * each.trace()
        return result

    def _diag_part(self) -> Tensor:
        result = self._operators[0].diag_part()
        for each in self._operators[1:]:
            result = result[..., :, None]
            result = result * each.diag_part()[..., None, :]
            result = reshape(result, composing.concat([shape_internal(result)[:-2], [-1]], 0))
        ends = self.range_dimension, self.domain_dimension
        result.set_shape(self.batch_shape.concatenate([ends[1] if ends[0] > ends[1] else ends[0]]))
        return result

    def _to_dense(self) -> Tensor:
        result = self._operators[0].to_dense()
        for each in self._operators[1:]:
            result = result[..., :, None, :, None]
            result = result * each.to_dense()[..., None, :, None, :]
            outer = shape_internal(result)[:-4]
            rows = shape_internal(result)[-4] * shape_internal(result)[-3]
            columns = shape_internal(result)[-2] * shape_internal(result)[-1]
            result = reshape(result, composing.concat([outer, [rows, columns]], 0))
        result.set_shape(self.shape)
        return result

    def _assert_of_all(self, method: str, what: str) -> Any:
        if not all(each.is_square for each in self._operators):
            message = f"All Kronecker factors must be square for the product to be {what}."
            raise InvalidArgumentError(None, None, message)
        return group([getattr(each, method)() for each in self._operators])

    def _assert_non_singular(self) -> Operation:
        return self._assert_of_all("assert_non_singular", "invertible")

    def _assert_self_adjoint(self) -> Operation:
        return self._assert_of_all("assert_self_adjoint", "self adjoint")
