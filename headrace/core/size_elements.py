"""Integer vectors and numbers that are computed from shapes, seen as their elements.

An element is a number where it is known, else a size of a tensor, an item of another vector, or a sum, difference or
product of those. Ops that slice, join and multiply sizes declare what they make of the elements of their inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, ValueView

# Vectors of sizes are as long as tensors have axes.
MAX_ELEMENTS = 8


class Leaf(NamedTuple):
    """A number that only a step knows.

    Attributes:
        kind: "size" of an axis of `value`, "count" of all its elements, or "item" of a vector.
        value: the tensor, as the plan has it.
        place: which axis or item.
    """

    kind: str
    value: ValueView
    place: int


class Term(NamedTuple):
    """A sum, difference or product of two elements.

    Attributes:
        sign: "+", "-" or "*".
        first: the one.
        second: the other.
        terms: how many there are in it.
    """

    sign: str
    first: Element
    second: Element
    terms: int


Element = int | Leaf | Term


class KnownElements(Protocol):
    """The elements of the values of a plan, as far as they are sizes."""

    def elements(self, value: ValueView) -> list[Element] | None:
        """Those of a vector, or the one of a number; None where `value` is not computed from shapes."""

    def vector(self, value: ValueView) -> list[Element] | None:
        """The elements of a vector; if it is not made of sizes, its items."""

    def has_shape(self, value: ValueView) -> bool:
        """Whether sizes of `value` may be asked for in another place than here."""


# Takes a planned node and what is known; returns the elements of its output, or None.
ElementsRule = Callable[["NodeView", KnownElements], "list[Element] | None"]


def terms_of(element: Element) -> int:
    """How many sums, differences and products there are in `element`."""
    return element.terms if isinstance(element, Term) else 0


def combined(sign: str, first: Element, second: Element) -> Element:
    """The sum, difference or product of two elements."""
    if isinstance(first, int) and isinstance(second, int):
        return first + second if sign == "+" else first - second if sign == "-" else first * second
    return product([first, second]) if sign == "*" else term(sign, first, second)


def product(elements: Sequence[Element]) -> Element:
    """The product of elements; what is known is multiplied now."""
    known, unknown = 1, None
    for element in elements:
        if isinstance(element, int):
            known *= element
        else:
            unknown = element if unknown is None else term("*", unknown, element)
    if unknown is None or known == 0:
        return known
    return unknown if known == 1 else term("*", unknown, known)


def term(sign: str, first: Element, second: Element) -> Term:
    """What a step computes of two elements."""
    return Term(sign, first, second, 1 + terms_of(first) + terms_of(second))


def has_items(element: Element) -> bool:
    """Whether `element` has an item of a vector in it, which may be any number."""
    if isinstance(element, Term):
        return has_items(element.first) or has_items(element.second)
    return isinstance(element, Leaf) and element.kind == "item"


def same_elements(node: NodeView, known: KnownElements) -> list[Element] | None:
    """The rule of an op whose output has the elements of its first input."""
    return known.elements(node.inputs[0])


def arithmetic(sign: str) -> ElementsRule:
    """The rule of an op that adds, subtracts or multiplies."""

    def rule(node: NodeView, known: KnownElements) -> list[Element] | None:
        first, second = (known.elements(value) for value in node.inputs)
        if first is None or second is None or node.inputs[0].dims != node.inputs[1].dims or len(first) != len(second):
            return None
        return [combined(sign, a, b) for a, b in zip(first, second)]

    return rule
