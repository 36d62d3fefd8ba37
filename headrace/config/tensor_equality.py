"""`==` of tensors and variables: whether they are the same object, or element by element as in TensorFlow 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core import v2_switches
from headrace.core.eager import EagerTensor
from headrace.core.framework_ops import executing_eagerly_outside_functions
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _by_element(value: Any) -> bool:
    """Whether `value` is compared element by element by who asks for it, two frames up."""
    if not v2_switches.asked_by_program(3) or not executing_eagerly_outside_functions():
        return False
    # Tensors of graphs that are nobody's function stay keys.
    return not isinstance(value, Tensor) or value._op._graph.is_eager or value._op._graph.building_function


def _equal(self: TensorLike, other: object) -> Any:
    return raw.Equal(self, other) if _by_element(self) else self is other


def _not_equal(self: TensorLike, other: object) -> Any:
    return raw.NotEqual(self, other) if _by_element(self) else self is not other


def _hash(self: Any) -> int:
    if _by_element(self):
        kind = "Tensor" if isinstance(self, Tensor) else "Variable"
        raise TypeError(
            f"{kind} is unhashable if Tensor equality is enabled. Instead, use tensor.experimental_ref() as the key."
        )
    return id(self)


_WAYS = {"__eq__": _equal, "__ne__": _not_equal, "__hash__": _hash}
_OF_OBJECTS = {cls: {name: getattr(cls, name) for name in _WAYS} for cls in (Tensor, EagerTensor, Variable)}


def use(by_element: bool) -> None:
    """Has `==` compare elements, and tensors no longer be keys of a program's dictionaries; or the other way round."""
    Tensor._USE_EQUALITY = by_element
    for cls, ways in _OF_OBJECTS.items():
        for name, way in (_WAYS if by_element else ways).items():
            setattr(cls, name, way)
