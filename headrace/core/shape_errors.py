"""What is said of shapes that do not fit when an operation is made: the op, its inputs' shapes, the values that were read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dims import Dims, bracketed, unknown_dims

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor

# As many elements of a value are shown.
_SHOWN = 256


class _Watched:
    """An operation for a shape rule to look at, which notes the inputs whose values are asked for.

    Only the values in `known` are shown. TensorFlow works so: it computes what a shape function has asked for and calls
    it again, and what it says of a failure lists what it had computed by then.
    """

    def __init__(self, op: Operation) -> None:
        self._op = op
        self.known: frozenset[int] = frozenset()
        self.as_values: set[int] = set()
        self.as_shapes: set[int] = set()

    def __getattr__(self, name: str) -> str | list[Tensor] | dict[str, Any]:
        return getattr(self._op, name)

    def constant(self, index: int) -> Any:
        self.as_values.add(index)
        return self._op.constant(index) if index in self.known else None

    def constant_dims(self, index: int, *, captured: bool = False) -> Dims:
        self.as_shapes.add(index)
        if index in self.known:
            return self._op.constant_dims(index, captured=captured)
        dims = self._op.inputs[index].dims
        return None if dims is None or len(dims) != 1 else unknown_dims(dims[0])


class GraphShapeError(ValueError):
    """What a shape rule refuses and the kernel takes: an error where a graph is made, and none eagerly."""


def shape_error(op: Operation, rule: Callable[[Any], Any], error: ValueError) -> ValueError:
    """The error for a user, of `error` which the shape rule of `op` raised."""
    watched = _replayed(op, rule)
    text = f"{error} for '{op.name}' (op: '{op.type}') with input shapes: "
    text += ", ".join("?" if t.dims is None else bracketed(t.dims) for t in op.inputs)
    values, shapes = [], []
    if watched is not None:
        for index in sorted(watched.known):
            value = op.constant(index)
            if index in watched.as_shapes:
                if value is not None and (value < -1).any():
                    # A shape that is none is found before the op's own rule is asked.
                    return ValueError(f"Invalid value in tensor used for shape: {int(value[value < -1][0])}")
                dims = op.constant_dims(index)
                if dims is not None:
                    shapes.append(f"input[{index}] = {bracketed(dims)}")
            elif value is not None:
                values.append(f"input[{index}] = <{_summarized(value)}>")
    if values:
        text += f" and with computed input tensors: {', '.join(values)}"
    if shapes:
        text += f" and with input tensors computed as partial shapes: {','.join(shapes)}"
    return ValueError(text + ".")


def _replayed(op: Operation, rule: Callable[[Any], Any]) -> _Watched | None:
    """The call of the rule that fails, each told the values that those before it asked for; None if none does."""
    watched = _Watched(op)
    for _ in range(len(op.inputs) + 1):
        try:
            rule(watched)
        except ValueError:
            return watched
        except (TypeError, AttributeError, IndexError):
            # A rule that counts on a value which is not told yet.
            pass
        asked = watched.known | watched.as_values | watched.as_shapes
        if asked == watched.known:
            return None
        watched.known = asked
    return None


def _summarized(value: np.ndarray) -> str:
    """The elements of a small array in TensorFlow's short form: `5`, `1 2`, `[1 2][3 4]`."""
    items = [_element(item) for item in np.ravel(value)[:_SHOWN]]
    more = "..." if value.size > _SHOWN else ""
    if value.ndim < 2 or value.size > _SHOWN:
        return " ".join(items) + more

    def rows(dims: tuple[int, ...], start: int) -> str:
        if len(dims) == 1:
            return " ".join(items[start : start + dims[0]])
        step = int(np.prod(dims[1:]))
        return "".join(f"[{rows(dims[1:], start + i * step)}]" for i in range(dims[0]))

    return rows(value.shape, 0)


def _element(item: bytes | np.integer[Any]) -> str:
    if isinstance(item, bytes):
        return item.decode("utf-8", "backslashreplace")
    if isinstance(item, (np.floating, float)):
        return f"{item:g}"
    return str(int(item)) if isinstance(item, (np.integer, np.bool_, bool, int)) else str(item)
