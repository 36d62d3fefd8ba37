"""Sums of operators, as operators of the simplest class that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.functions.flow.checks import assert_proper_iterable
from headrace.functions.linalg.identity import LinearOperatorIdentity, LinearOperatorScaledIdentity
from headrace.functions.linalg.operator import LinearOperator
from headrace.functions.linalg.simple import LinearOperatorDiag, LinearOperatorFullMatrix, LinearOperatorLowerTriangular
from headrace.kernels import composing
from headrace.ops.array.shape import broadcast_static_shape

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


_IDENTITIES = (LinearOperatorIdentity, LinearOperatorScaledIdentity)
_DIAGONALS = (LinearOperatorDiag, *_IDENTITIES)


@dataclass
class _Hints:
    """What is said of a sum; None where it follows from the summands."""

    is_non_singular: bool | None = None
    is_positive_definite: bool | None = None
    is_self_adjoint: bool | None = None

    def of(self, a: LinearOperator, b: LinearOperator) -> dict[str, bool | None]:
        """The hints of the sum of two operators."""
        self_adjoint, positive, non_singular = self.is_self_adjoint, self.is_positive_definite, self.is_non_singular
        if self_adjoint is None:
            self_adjoint = a.is_self_adjoint and b.is_self_adjoint
        if positive is None:
            positive = a.is_positive_definite and b.is_positive_definite
            non_singular = True if positive else non_singular
        return {"is_non_singular": non_singular, "is_self_adjoint": self_adjoint, "is_positive_definite": positive}


class _Adder:
    """Adds what it can add. A subclass names the classes that it takes, and what it makes of two of them."""

    _takes: tuple[type, ...] = (LinearOperator,)
    _scope: str

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        """Whether it takes both."""
        return isinstance(op1, self._takes) and isinstance(op2, self._takes)

    def add(
        self, op1: LinearOperator, op2: LinearOperator, operator_name: str | None, hints: _Hints | None = None
    ) -> LinearOperator:
        """The sum.

        Args:
            op1, op2: operators that `can_add` says yes to.
            operator_name: the name of the sum, by default one made of theirs.
            hints: what is said of it.
        """
        known = (hints or _Hints()).of(op1, op2)
        name = f"Add/{op1.name}__{op2.name}/" if operator_name is None else operator_name
        with name_scope(self.name.lstrip("_"), values=[*op1.graph_parents, *op2.graph_parents]):
            return self._add(op1, op2, {**known, "name": name})

    def _add(self, op1: LinearOperator, op2: LinearOperator, arguments: dict[str, Any]) -> LinearOperator:
        raise NotImplementedError(f"{self.name} adds nothing")


def _dense_sum(op1: LinearOperator, op2: LinearOperator) -> Tensor:
    """The sum as a tensor, by way of the one that is cheaply added to a tensor."""
    adding, other = (op1, op2) if isinstance(op1, _DIAGONALS) else (op2, op1)
    return adding.add_to_tensor(other.to_dense())


class _AddAndReturnScaledIdentity(_Adder):
    """Adds multiples of the identity."""

    _takes = _IDENTITIES

    def _add(self, op1: LinearOperator, op2: LinearOperator, arguments: dict[str, Any]) -> LinearOperator:
        factors = [
            each.multiplier
            if isinstance(each, LinearOperatorScaledIdentity)
            else composing.ones(each.batch_shape_tensor(), dtype=each.dtype)
            for each in (op1, op2)
        ]
        return LinearOperatorScaledIdentity(op1.range_dimension_tensor(), factors[0] + factors[1], **arguments)


class _AddAndReturnDiag(_Adder):
    """Adds diagonals."""

    _takes = _DIAGONALS

    def _add(self, op1: LinearOperator, op2: LinearOperator, arguments: dict[str, Any]) -> LinearOperator:
        return LinearOperatorDiag(op1.diag_part() + op2.diag_part(), **arguments)


class _AddAndReturnTriL(_Adder):
    """Adds diagonals and lower triangles."""

    _takes = (*_DIAGONALS, LinearOperatorLowerTriangular)

    def _add(self, op1: LinearOperator, op2: LinearOperator, arguments: dict[str, Any]) -> LinearOperator:
        return LinearOperatorLowerTriangular(_dense_sum(op1, op2), **arguments)


class _AddAndReturnMatrix(_Adder):
    """Adds all operators."""

    def _add(self, op1: LinearOperator, op2: LinearOperator, arguments: dict[str, Any]) -> LinearOperator:
        return LinearOperatorFullMatrix(_dense_sum(op1, op2), **arguments)


_DEFAULT_ADDITION_TIERS: list[list[_Adder]] = [
    [_AddAndReturnScaledIdentity()],
    [_AddAndReturnDiag()],
    [_AddAndReturnTriL()],
    [_AddAndReturnMatrix()],
]


def add_operators(
    operators: Iterable[LinearOperator],
    operator_name: str | None = None,
    addition_tiers: Sequence[Sequence[Any]] | None = None,
    name: str | None = None,
) -> list[LinearOperator]:
    """Fewer operators with the same sum.

    Args:
        operators: LinearOperators of one size, whose batches broadcast.
        operator_name: the name of what is made, by default one that tells of what.
        addition_tiers: lists of adders; all that those of one list can add is added before the next list is tried.
            By default as many as can be, to the simplest class.
        name: a name for the operations.

    Returns:
        The operators that are left.

    Raises:
        ValueError: if there are none, or their shapes do not fit. TypeError: if one is no LinearOperator.

    Example:
        >>> a, b = tf.linalg.LinearOperatorDiag([1.0, 1.0]), tf.linalg.LinearOperatorIdentity(2)
        >>> add_operators([a, b])[0].diag_part()  # [2.0, 2.0]
    """
    assert_proper_iterable(operators)
    left = list(operators)[::-1]
    if not left:
        raise ValueError(f"Argument 'operators' must contain at least one operator.  Found: {left}")
    if not all(isinstance(each, LinearOperator) for each in left):
        raise TypeError(f"Argument 'operators' must contain only LinearOperator instances.  Found: {left}")
    for what in ("domain", "range"):
        sizes = [(each.name, getattr(each, f"{what}_dimension").value) for each in left]
        sizes = [pair for pair in sizes if pair[1] is not None]
        if len({size for _, size in sizes}) > 1:
            raise ValueError(f"Operators must have the same {what} dimension. Found: {sizes}")
    batch = left[0].batch_shape
    for each in left[1:]:
        batch = broadcast_static_shape(batch, each.batch_shape)
    with name_scope(name or "add_operators", values=[parent for each in left for parent in each.graph_parents]):
        for tier in _DEFAULT_ADDITION_TIERS if addition_tiers is None else addition_tiers:
            done: list[LinearOperator] = []
            while left:
                first = left.pop()
                second, adder = _match(first, left, tier)
                if second is None:
                    done.append(first)
                else:
                    left.append(adder.add(first, second, operator_name))
            left = done
        return left


def _match(operator: LinearOperator, others: list[LinearOperator], tier: Sequence[Any]) -> tuple[Any, Any]:
    """The last of the others that an adder adds to `operator`, taken out of them, and the adder."""
    for index in reversed(range(len(others))):
        for adder in tier:
            if adder.can_add(operator, others[index]):
                return others.pop(index), adder
    return None, None
