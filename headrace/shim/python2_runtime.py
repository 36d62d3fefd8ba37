"""What converted Python-2 sources call for things that Python 3 does differently and has no name for."""

from __future__ import annotations

from typing import Any


def _is_whole(value: Any) -> bool:
    """Whether `/` between two such values floors in Python 2: whole numbers, NumPy's among them."""
    if isinstance(value, int):
        return True
    return getattr(getattr(value, "dtype", None), "kind", None) in ("i", "u", "b")


def divide(left: Any, right: Any) -> Any:
    """`left / right` as Python 2 divides: whole numbers floor, and a class's `__div__` comes first.

    Example:
        >>> divide(7, 2), divide(7, 2.0)
        (3, 3.5)
    """
    if _is_whole(left) and _is_whole(right):
        return left // right
    for method, own, other in (("__div__", left, right), ("__rdiv__", right, left)):
        function = getattr(type(own), method, None)
        if function is not None:
            result = function(own, other)
            if result is not NotImplemented:
                return result
    return left / right


def divide_in_place(left: Any, right: Any) -> Any:
    """What `left /= right` assigns, as Python 2 divides; arrays change in place."""
    if _is_whole(left) and _is_whole(right):
        left //= right
        return left
    if getattr(type(left), "__div__", None) is not None and not hasattr(type(left), "__itruediv__"):
        return divide(left, right)
    left /= right
    return left


def divide_item_in_place(container: Any, key: Any, right: Any) -> None:
    """`container[key] /= right`, each part evaluated once."""
    container[key] = divide_in_place(container[key], right)


def divide_attribute_in_place(owner: Any, name: str, right: Any) -> None:
    """`owner.name /= right`, the owner evaluated once."""
    setattr(owner, name, divide_in_place(getattr(owner, name), right))


def cmp(left: Any, right: Any) -> int:
    """Python 2's three-way comparison: negative, zero or positive.

    Example:
        >>> cmp(1, 2), cmp("b", "a")
        (-1, 1)
    """
    return (left > right) - (left < right)


file = open
