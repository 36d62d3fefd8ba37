"""Operators made of others: products, adjoints, inverses, and blocks along a diagonal."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_proper_iterable
from headrace.functions.linalg.arguments import use_operator_or_provided_hint_unless_contradicting
from headrace.functions.linalg.broadcasting import broadcast_matrix_batch_dims
from headrace.functions.linalg.operator import LinearOperator
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import conj
from headrace.kernels.composing.matrices import adjoint as adjoint_of
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import broadcast_static_shape
from headrace.ops.array.split import split
from headrace.ops.flow.grouping import group

if TYPE_CHECKING:
    from headrace.core.operation import Operation


Hint = bool | None


class OfOperators(LinearOperator):
    """What operators made of several share: their types, what is known of all, and their batches."""

    _operators: list[LinearOperator]

    def _begin(
        self,
        operators: Iterable[LinearOperator],
        joined: str,
        name: str | None,
        hints: dict[str, Hint],
        implied: dict[str, str],
    ) -> None:
        """The constructor.

        Args:
            operators: the operators.
            joined: what stands between their names in the name of this one.
            name: the name, None for that one.
            hints: what is said of this operator.
            implied: what is so if it is so of all the operators, and the message where it is said not to be.

        Raises:
            TypeError: if the types differ. ValueError: if there are none, or what is said cannot be.
        """
        assert_proper_iterable(operators)
        self._operators = operators = list(operators)
        if not operators:
            raise ValueError(f"Expected a non-empty list of operators. Found: {operators}")
        dtype = operators[0].dtype
        if any(each.dtype != dtype for each in operators):
            listed = "   ".join(str((each.name, each.dtype)) for each in operators)
            raise TypeError(f"Expected all operators to have the same dtype.  Found {listed}")
        for hint, message in implied.items():
            if all(getattr(each, hint) for each in operators):
                if hints[hint] is False:
                    raise ValueError(message)
                hints[hint] = True
        self._check()
        parents = [parent for each in operators for parent in each.graph_parents]
        name = joined.join(each.name for each in operators) if name is None else name
        with name_scope(name, values=parents):
            LinearOperator.__init__(self, dtype, parents, name=name, **hints)

    def _check(self) -> None:
        """Checks the operators together."""

    @property
    def operators(self) -> list[LinearOperator]:
        """The operators it is made of."""
        return self._operators

    def _joined_batch(self) -> TensorShape:
        return functools.reduce(broadcast_static_shape, [each.batch_shape for each in self._operators])

    def _joined_shape(self, matrix: list[Any]) -> Tensor:
        """The batches of all, and the sizes of the matrix, as a tensor."""
        sizes = composing.stack(matrix)
        zeros = composing.zeros(self._operators[0].batch_shape_tensor())
        for each in self._operators[1:]:
            zeros += composing.zeros(each.batch_shape_tensor())
        return composing.concat([shape_internal(zeros), sizes], 0)

    def _folded(self, function: Callable[[Any, Any], Any], method: str) -> Any:
        """A method's results for all, by a function of two."""
        result = getattr(self._operators[0], method)()
        for each in self._operators[1:]:
            result = function(result, getattr(each, method)())
        return result


class LinearOperatorComposition(OfOperators):
    """The product of operators, applied from the last to the first.

    Args:
        operators: LinearOperators of one type and of sizes that fit.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        TypeError: if the types differ. ValueError: if there are none.
    """

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
        message = "The composition of non-singular operators is always non-singular."
        self._begin(operators, "_o_", name, hints, {"is_non_singular": message})

    def _shape(self) -> TensorShape:
        inner = self._operators[0].domain_dimension
        for each in self._operators[1:]:
            inner.assert_is_compatible_with(each.range_dimension)
            inner = each.domain_dimension
        return self._joined_batch().concatenate([self._operators[0].range_dimension, inner])

    def _shape_tensor(self) -> Tensor:
        if self.shape.is_fully_defined():
            return convert_to_tensor(self.shape.as_list(), "int32", name="shape")
        first, last = self._operators[0], self._operators[-1]
        return self._joined_shape([first.range_dimension_tensor(), last.domain_dimension_tensor()])

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        first, *rest = self._operators if adjoint else self._operators[::-1]
        result = first.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for each in rest:
            result = each.matmul(result, adjoint=adjoint)
        return result

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        first, *rest = self._operators[::-1] if adjoint else self._operators
        result = first.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for each in rest:
            result = each.solve(result, adjoint=adjoint)
        return result

    def _determinant(self) -> Tensor:
        return self._folded(operator.mul, "determinant")

    def _log_abs_determinant(self) -> Tensor:
        return self._folded(operator.add, "log_abs_determinant")


class _OfOne(LinearOperator):
    """What the adjoint and the inverse of an operator share."""

    def __init__(self, kind: str, op: LinearOperator, hints: dict[str, Hint], name: str | None) -> None:
        self._operator = op
        made = {"adjoint": "adjoint", "inv": "inverse"}[kind]
        for hint in ("is_square", "is_non_singular", "is_self_adjoint", "is_positive_definite"):
            what = hint.removeprefix("is_").replace("_", "-")
            message = f"An operator is {what} if and only if its {made} is {what}."
            given = hints[hint]
            hints[hint] = use_operator_or_provided_hint_unless_contradicting(op, hint, given, message)
        name = f"{op.name}_{kind}" if name is None else name
        with name_scope(name, values=op.graph_parents):
            super().__init__(op.dtype, op.graph_parents, name=name, **hints)

    @property
    def operator(self) -> LinearOperator:
        """The operator it is made from."""
        return self._operator

    def _assert_non_singular(self) -> Operation:
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> Operation:
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Operation:
        return self._operator.assert_self_adjoint()


class LinearOperatorAdjoint(_OfOne):
    """The adjoint of an operator.

    Args:
        operator: a LinearOperator.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        ValueError: if what is said of it is known to be otherwise of the operator.
    """

    def __init__(
        self,
        operator: LinearOperator,
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
        super().__init__("adjoint", operator, hints, name)

    def _shape(self) -> TensorShape:
        shape = self._operator.shape
        dims = shape.dims
        return shape if dims is None else shape[:-2].concatenate([dims[-1], dims[-2]])

    def _shape_tensor(self) -> Tensor:
        shape = self._operator.shape_tensor()
        return composing.concat([shape[:-2], [shape[-1], shape[-2]]], -1)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _determinant(self) -> Tensor:
        return self._conjugated(self._operator.determinant())

    def _log_abs_determinant(self) -> Tensor:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Tensor:
        return self._conjugated(self._operator.trace())

    def _conjugated(self, value: Tensor) -> Tensor:
        return value if self.is_self_adjoint else conj(value)

    def _to_dense(self) -> Tensor:
        dense = self._operator.to_dense()
        return dense if self.is_self_adjoint else adjoint_of(dense)


class LinearOperatorInversion(_OfOne):
    """The inverse of an operator. Arguments and errors as for `LinearOperatorAdjoint`."""

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = None,
        name: str | None = None,
    ) -> None:
        for hint, given in (("is_non_singular", is_non_singular), ("is_square", is_square)):
            known = getattr(operator, hint)
            if known is False or given is False:
                requirement = f"operator and supplied hints must have `{hint}` equal to `True` or `None`."
                raise ValueError(f"{requirement}  Found {known}, {given}")
        hints = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": is_square,
        }
        super().__init__("inv", operator, hints, name)

    def _shape(self) -> TensorShape:
        return self._operator.shape

    def _shape_tensor(self) -> Tensor:
        return self._operator.shape_tensor()

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Tensor:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Tensor:
        return -1.0 * self._operator.log_abs_determinant()


_NOT_SQUARE = "Can only represent a block diagonal of square matrices."


class LinearOperatorBlockDiag(OfOperators):
    """Operators along the diagonal, zeros elsewhere.

    Args:
        operators: LinearOperators of one type.
        is_non_singular, is_self_adjoint, is_positive_definite, is_square, name: as for `LinearOperator`.

    Raises:
        TypeError: if the types differ. ValueError: if there are none or what is said of it cannot be true.
    """

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: Hint = None,
        is_self_adjoint: Hint = None,
        is_positive_definite: Hint = None,
        is_square: Hint = True,
        name: str | None = None,
    ) -> None:
        if not is_square:
            raise ValueError(_NOT_SQUARE)
        hints = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": True,
        }
        kinds = ("non-singular", "self-adjoint", "positive definite")
        implied = {
            hint: f"The direct sum of {kind} operators is always {kind}." for hint, kind in zip(list(hints)[:3], kinds)
        }
        self._begin(operators, "_ds_", name, hints, implied)

    def _check(self) -> None:
        if not all(each.is_square for each in self._operators):
            raise ValueError(_NOT_SQUARE)

    def _shape(self) -> TensorShape:
        columns = functools.reduce(operator.add, [each.domain_dimension for each in self._operators])
        rows = functools.reduce(operator.add, [each.range_dimension for each in self._operators])
        return self._joined_batch().concatenate([columns, rows])

    def _shape_tensor(self) -> Tensor:
        if self.shape.is_fully_defined():
            return convert_to_tensor(self.shape.as_list(), "int32", name="shape")
        columns = self._operators[0].domain_dimension_tensor()
        rows = self._operators[0].range_dimension_tensor()
        for each in self._operators[1:]:
            columns += each.domain_dimension_tensor()
            rows += each.range_dimension_tensor()
        return self._joined_shape([columns, rows])

    def _by_block(self, method: str, x: Tensor, adjoint: bool, adjoint_arg: bool) -> Tensor:
        """A method of each operator applied to its part of `x`."""
        if self.shape.is_fully_defined():
            sizes: list[Any] = [each.domain_dimension.value for each in self._operators]
        else:
            sizes = [each.domain_dimension_tensor() for each in self._operators]
        parts = split(x, sizes, axis=-1 if adjoint_arg else -2)
        results = [
            getattr(each, method)(part, adjoint=adjoint, adjoint_arg=adjoint_arg)
            for each, part in zip(self._operators, parts)
        ]
        return composing.concat(broadcast_matrix_batch_dims(results), -2)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._by_block("matmul", x, adjoint, adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._by_block("solve", rhs, adjoint, adjoint_arg)

    def _determinant(self) -> Tensor:
        return self._folded(operator.mul, "determinant")

    def _log_abs_determinant(self) -> Tensor:
        return self._folded(operator.add, "log_abs_determinant")

    def _trace(self) -> Tensor:
        return self._folded(operator.add, "trace")

    def _diag_part(self) -> Tensor:
        columns = [each.diag_part()[..., None] for each in self._operators]
        return composing.squeeze(composing.concat(broadcast_matrix_batch_dims(columns), -2), [-1])

    def _to_dense(self) -> Tensor:
        blocks = broadcast_matrix_batch_dims([each.to_dense() for each in self._operators])
        rows = []
        before: int | Tensor = 0
        for block in blocks:
            outer = shape_internal(block)[:-1]
            left = composing.zeros(composing.concat([outer, [before]], -1), dtype=block.dtype)
            before = before + shape_internal(block)[-1]
            after = self.domain_dimension_tensor() - before
            right = composing.zeros(composing.concat([outer, [after]], -1), dtype=block.dtype)
            rows.append(composing.concat([left, block, right], -1))
        dense = composing.concat(rows, -2)
        dense.set_shape(self.shape)
        return dense

    def _assert_non_singular(self) -> Operation:
        return group([each.assert_non_singular() for each in self._operators])

    def _assert_self_adjoint(self) -> Operation:
        return group([each.assert_self_adjoint() for each in self._operators])

    def _assert_positive_definite(self) -> Operation:
        return group([each.assert_positive_definite() for each in self._operators])
