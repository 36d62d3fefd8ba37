"""The elements of integer vectors and numbers that programs and gradients compute from shapes.

They are sliced, joined and multiplied, one small tensor after the other. What the ops make of sizes is declared beside
them, see `core.size_elements`; here it is derived for the values of a plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from headrace.core.size_elements import MAX_ELEMENTS, Element, Leaf, terms_of
from headrace.plan.ir import UNBOUND, Node, Value, is_live

if TYPE_CHECKING:
    from headrace.core.size_elements import KnownElements

_TYPES = frozenset({"int32", "int64"})
# What is squared again and again would double each time: in terms, or in digits.
_MAX_TERMS = 64
_LARGEST = 1 << 63


class KnownSizes:
    """The elements of the values of a plan, as far as they are sizes."""

    def __init__(self) -> None:
        self._known: dict[Value, list[Element] | None] = {}

    def elements(self, value: Value) -> list[Element] | None:
        """Those of a vector, or the one of a number; None where `value` is not computed from shapes."""
        if value.dtype.name not in _TYPES:
            return None
        if value.constant is not None:
            return [int(v) for v in value.constant.reshape(-1)] if value.constant.size <= MAX_ELEMENTS else None
        if value.bound is not UNBOUND or value.dims is None or len(value.dims) > 1:
            return None
        if value not in self._known:
            self._known[value] = None
            self._known[value] = self._derived(value)
        return self._known[value]

    def vector(self, value: Value) -> list[Element] | None:
        """The elements of a vector; if it is not made of sizes, its items."""
        found = self.elements(value)
        if found is not None or value.bound is not UNBOUND or value.dtype.name not in _TYPES or is_live(value):
            return found
        if value.dims is None or len(value.dims) != 1 or value.dims[0] is None or value.dims[0] > MAX_ELEMENTS:
            return None
        return [Leaf("item", value, i) for i in range(value.dims[0])]

    def has_shape(self, value: Value) -> bool:
        """Whether sizes of `value` may be asked for in another place than where they are."""
        if value.dtype.name in ("string", "resource", "variant") or value.dtype._is_ref_dtype:
            return False
        # Of tensors elsewhere each node asks for itself, so that none is copied for its sizes.
        return value.node.device.type == "cpu" and not is_live(value)

    def _derived(self, value: Value) -> list[Element] | None:
        node = value.node
        if node.guard or node.control or node.region is not None:
            return None
        rule = node.decl.elements_rule
        # Rules hand on what they were given: values of this plan.
        elements = None if rule is None else rule(node, cast("KnownElements", self))
        return None if elements is None or not all(map(_is_small, elements)) else elements


def computes_sizes(node: Node) -> bool:
    """Whether the node may be one of those that compute sizes."""
    return node.decl.elements_rule is not None


def _is_small(element: Element) -> bool:
    return abs(element) <= _LARGEST if isinstance(element, int) else terms_of(element) <= _MAX_TERMS
