"""Which values are tensors of a graph, and how structures with such tensors pass through branches and loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headrace.autograph.special import Undefined
from headrace.core import nest
from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.composite_types import CompositeTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.cond import cond
from headrace.functions.flow.tensor_array import TensorArray
from headrace.kernels.composing.shapes import rank as rank_op
from headrace.kernels.composing.shapes import shape as shape_op
from headrace.ops.array.constant import constant

_TENSOR_LIKE = (Tensor, SparseTensor, IndexedSlices, CompositeTensor, TensorArray)
# What a branch or a loop hands on where it changes nothing: it needs a tensor at least.
ZERO = np.array(0, np.int32)
_PLAIN = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


def is_staged(value: object) -> bool:
    """Whether a value is known only when the graph runs."""
    return isinstance(value, Tensor) and value._is_graph_tensor


def as_staged(value: Any) -> Any:
    """The tensor of a variable, other values as they are."""
    return value.value() if _is_variable(value) else value


def _is_variable(value: object) -> bool:
    return hasattr(value, "_as_graph_element") and hasattr(value, "value")


class State:
    """The values of variables, taken apart into tensors and what is no tensor.

    Args:
        names: the variables.
        values: their values.

    Attributes:
        tensors: what a branch or loop of the graph hands on.
    """

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self.names, self._values = list(names), list(values)
        self._leaves = [nest.flatten(value) for value in values]
        self.tensors: list[Any] = []
        self._places: list[tuple[int, int]] = []
        for i, leaves in enumerate(self._leaves):
            for j, leaf in enumerate(leaves):
                if isinstance(leaf, _TENSOR_LIKE):
                    self._places.append((i, j))
                    self.tensors.append(leaf)
                elif isinstance(leaf, _PLAIN) or _is_variable(leaf):
                    self._places.append((i, j))
                    self.tensors.append(convert_to_tensor(leaf))

    @property
    def places(self) -> list[tuple[str, int]]:
        """For each tensor its variable and its number there."""
        return [(self.names[i], j) for i, j in self._places]

    def with_tensors(self, tensors: Sequence[Any]) -> list[Any]:
        """The values with other tensors in the places of these."""
        leaves = [list(parts) for parts in self._leaves]
        for (i, j), tensor in zip(self._places, tensors, strict=True):
            leaves[i][j] = tensor
        packed = []
        for value, parts in zip(self._values, leaves, strict=True):
            packed.append(nest.pack_sequence_as(value, parts) if nest.is_nested(value) else parts[0])
        return packed

    def check_like(self, other: State, describe: Callable[..., str]) -> None:
        """Checks that another state has tensors in the same places, and the same otherwise.

        Args:
            other: the other state, of the same variables.
            describe: from a variable and what differs to the message of the error; `types` are two that differ.

        Raises:
            ValueError: if one is a tensor and the other is none, or one is None.
            TypeError: if structures, element types or what is no tensor differ.
        """
        for name, mine, theirs in zip(self.names, self._values, other._values, strict=True):
            try:
                nest.assert_same_structure(mine, theirs)
            except (TypeError, ValueError) as error:
                raise TypeError(describe(name, f"structures differ: {error}")) from None
        kinds = dict(zip(self._places, self.tensors, strict=True))
        others = dict(zip(other._places, other.tensors, strict=True))
        for i, (mine, theirs) in enumerate(zip(self._leaves, other._leaves, strict=True)):
            for j, (one, two) in enumerate(zip(mine, theirs, strict=True)):
                place, name = (i, j), self.names[i]
                if (place in kinds) != (place in others):
                    raise ValueError(describe(name, f"one value is {one!r}, the other {two!r}: None values and other "
                                              "objects are not supported beside tensors"))  # fmt: skip
                if place not in kinds:
                    if one is not two and not _equal(one, two):
                        kind = ValueError if one is None else TypeError
                        raise kind(describe(name, f"{one!r} and {two!r} are no tensors and differ"))
                    continue
                first, second = getattr(kinds[place], "dtype", None), getattr(others[place], "dtype", None)
                if first != second and first is not None and second is not None:
                    raise TypeError(describe(name, types=(first.name, second.name)))

    def check_shapes_after(self, other: State) -> None:
        """Checks that the tensors of a state after an iteration of a loop have the shapes of this one, before it.

        Raises:
            ValueError: if one has another shape.
        """
        for (i, _), one, two in zip(self._places, self.tensors, other.tensors, strict=True):
            if not (isinstance(one, Tensor) and isinstance(two, Tensor)) or one.dims is None:
                continue
            fits = two.dims is not None and len(one.dims) == len(two.dims)
            if not fits or any(x is not None and x != y for x, y in zip(one.dims, two.dims or (), strict=True)):
                raise ValueError(
                    f'"{self.names[i]}" has shape {one.shape} before the loop, but shape {two.shape} after one iteration. '
                    "TensorFlow control flow requires it stays the same or be more specific."
                )


def _equal(one: Any, two: Any) -> bool:
    try:
        return type(one) is type(two) and bool(one == two)
    except Exception:  # noqa: BLE001 (what cannot be compared is not the same)
        return False


def undefined(names: Sequence[str], values: Sequence[Any]) -> list[str]:
    """The variables without a value."""
    return [name for name, value in zip(names, values, strict=True) if isinstance(value, Undefined)]


def length(value: Tensor) -> int | Tensor:
    """How many rows a tensor has: a number where the graph knows it.

    Raises:
        ValueError: if the tensor is a scalar; InvalidArgumentError when it runs, if only then it is found to be one.
    """
    if value.dims is not None and not value.dims:
        raise ValueError(f"a scalar tensor has no length: {value.name}")
    if value.dims is not None and value.dims[0] is not None:
        return value.dims[0]
    # Here and below the operations of 1.15, as many of them: the seeds of random ones that come later follow from it.
    shape_op(value)
    if value.dims is not None:
        return shape_op(value)[0]
    rank = rank_op(value)

    def refuse() -> Tensor:
        message = raw.StringJoin(["a tensor without rows has no length: its rank is ", raw.AsString(rank)])
        with control_dependencies([Assert(False, [message])]):
            return constant(0, "int32")

    return cond(raw.Greater(rank, 0), lambda: shape_op(value)[0], refuse)
