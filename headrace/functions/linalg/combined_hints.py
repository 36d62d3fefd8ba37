"""What is known of the product of two linear operators from what is known of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headrace.functions.linalg.operator import LinearOperator


def combined_commuting_self_adjoint_hint(operator_a: LinearOperator, operator_b: LinearOperator) -> bool | None:
    """Whether the product of two operators that commute is self-adjoint: if both are; not if just one is known not to be."""
    both = operator_a.is_self_adjoint, operator_b.is_self_adjoint
    if all(both):
        return True
    return False if set(both) == {True, False} else None


def is_square(operator_a: LinearOperator, operator_b: LinearOperator) -> bool | None:
    """Whether the product of two operators is known to be square."""
    if operator_a.is_square and operator_b.is_square:
        return True
    if operator_a.is_square is False and operator_b.is_square is False:
        return operator_a.range_dimension == operator_b.domain_dimension  # None if one is not known
    return False if operator_a.is_square != operator_b.is_square and operator_a.is_square is not None else None


def combined_commuting_positive_definite_hint(operator_a: LinearOperator, operator_b: LinearOperator) -> bool | None:
    """Whether the product of two operators that commute is positive definite: if both are, and self-adjoint."""
    if not combined_commuting_self_adjoint_hint(operator_a, operator_b):
        return None
    return True if operator_a.is_positive_definite and operator_b.is_positive_definite else None


def combined_non_singular_hint(operator_a: LinearOperator, operator_b: LinearOperator) -> bool | None:
    """Whether the product of two operators is non-singular: if both are; not if one is singular."""
    if operator_a.is_non_singular is False or operator_b.is_non_singular is False:
        return False
    return operator_a.is_non_singular and operator_b.is_non_singular
