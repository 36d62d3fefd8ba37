"""Plain static shapes: tuples with None for unknown sizes, or None for unknown rank; `()` is a scalar."""

from __future__ import annotations

import math

Dims = tuple[int | None, ...] | None


# TensorFlow's static shapes may have more dimensions. Here the rank is not known then: the vector it is read from may be
# one element of a file that stands for any number.
_MAX_UNKNOWN = 4096


def unknown_dims(rank: int | None) -> Dims:
    """Dims of which at most the rank is known; not one so large that no tensor has it."""
    return None if rank is None or rank > _MAX_UNKNOWN else (None,) * rank


def dims_text(dims: Dims) -> str:
    """Dims as people read them: `(?, 3)`, `(3,)`, `()`, `<unknown>`."""
    if dims is None:
        return "<unknown>"
    sizes = ["?" if size is None else str(size) for size in dims]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def is_fully_defined(dims: Dims) -> bool:
    """Whether the rank and every size are known."""
    return dims is not None and None not in dims


def element_count(dims: Dims) -> int | None:
    """The number of elements, or None unless every size is known."""
    if dims is None or None in dims:
        return None
    return math.prod(dims)  # type: ignore[arg-type]  # no size is None here


def bracketed(dims: Dims) -> str:
    """A static shape as TensorFlow's shape functions print it: `[?,3]`."""
    return "<unknown>" if dims is None else "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def merge_dim(a: int | None, b: int | None) -> int | None:
    """What two sizes together know; ValueError where they differ."""
    if a is None:
        return b
    if b is None or a == b:
        return a
    raise ValueError(f"Dimensions must be equal, but are {a} and {b}")


def compatible_dims(a: Dims, b: Dims) -> bool:
    """Whether some fully known shape fits both."""
    if a is None or b is None or a == b:
        return True
    if len(a) != len(b):
        return False
    return all(x is None or y is None or x == y for x, y in zip(a, b))


def merge_dims(a: Dims, b: Dims) -> Dims:
    """What two shapes together know.

    Raises:
      ValueError: they differ in rank or in a known size.

    Example:
      >>> merge_dims((None, 3), (2, None))
      (2, 3)
    """
    if a is None or a is b:
        return b
    if b is None or a == b:
        return a
    if len(a) != len(b):
        raise ValueError(f"Shapes must be equal rank, but are {len(a)} and {len(b)}")
    for axis, (x, y) in enumerate(zip(a, b)):
        if x is not None and y is not None and x != y:
            raise ValueError(
                f"Dimension {axis} in both shapes must be equal, but are {x} and {y}. Shapes are {bracketed(a)} and "
                f"{bracketed(b)}."
            )
    return tuple([y if x is None else x for x, y in zip(a, b)])


def broadcast_dims(a: Dims, b: Dims) -> Dims:
    """The static shape of an element-wise op on operands of shapes `a` and `b`.

    Axes are matched from the last. An unknown size gives way to a known one greater than 1, for it can only
    be that size or 1; beside 0, 1 or another unknown size the result is unknown.

    Raises:
      ValueError: two known sizes differ and neither is 1.

    Example:
      >>> broadcast_dims((None, 1, 3), (5, None))
      (None, 5, 3)
    """
    if a is None or b is None:
        return None
    if a == b and None not in a:
        return a
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    offset = len(longer) - len(shorter)
    result = list(longer)
    for axis, y in enumerate(shorter, start=offset):
        x = longer[axis]
        if x == y or y == 1:
            continue
        if x == 1:
            result[axis] = y
        elif x is None:
            result[axis] = y or None
        elif y is None:
            result[axis] = x or None
        else:
            raise ValueError(f"Incompatible shapes for broadcasting: {dims_text(a)} and {dims_text(b)}")
    return tuple(result)
