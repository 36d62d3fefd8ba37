"""`tf.data.experimental.Optional`: an element, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.data import structure
from headrace.data.leaves import LeafSpec

if TYPE_CHECKING:
    from headrace.core.type_specs import TensorSpec
    from headrace.core.typing import TensorLike


class Optional:
    """What may or may not hold an element.

    Args:
        variant_tensor: the tensor that stands for it.
        value_structure: the description of the element.
    """

    def __init__(
        self, variant_tensor: Tensor, value_structure: TensorSpec | Sequence[TensorSpec | Mapping[str, TensorSpec]]
    ) -> None:
        self._variant_tensor = variant_tensor
        self._value_structure = value_structure

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._value_structure)

    @property
    def value_structure(self) -> Any:
        """The description of the element."""
        return self._value_structure

    def has_value(self, name: str | None = None) -> Tensor:
        """A bool scalar: whether there is an element."""
        made: Tensor = raw.OptionalHasValue(self._variant_tensor, name=name)
        return made

    def get_value(self, name: str | None = None) -> Any:
        """The element; running it where there is none is an InvalidArgumentError."""
        spec = self._value_structure
        tensors = raw.OptionalGetValue(
            self._variant_tensor, name=name or "OptionalGetValue", **structure.described(spec)
        )
        return structure.from_tensors(spec, list(tensors))

    @staticmethod
    def from_value(value: TensorLike | Sequence[int | Mapping[str, float]]) -> Optional:
        """An optional that holds `value`."""
        element = structure.normalized(value)
        spec = structure.spec_of(element)
        return Optional(raw.OptionalFromValue(structure.to_tensors(spec, element)), spec)

    @staticmethod
    def none_from_structure(value_structure: TensorSpec) -> Optional:
        """An optional without an element of this description."""
        return Optional(raw.OptionalNone(), value_structure)


class OptionalSpec(LeafSpec):
    """The description of an optional element.

    Args:
        value_structure: of the element.
    """

    def __init__(self, value_structure: Any) -> None:
        self._value_structure = value_structure

    @staticmethod
    def from_value(value: Any) -> OptionalSpec:
        """The description of an optional."""
        return OptionalSpec(value.value_structure)

    @property
    def value_type(self) -> type:
        """`tf.data.experimental.Optional`."""
        return Optional

    def _parts(self) -> tuple[Any, ...]:
        return (self._value_structure,)

    def _encoded(self, value: Any) -> Tensor:
        made: Tensor = value._variant_tensor
        return made

    def _decoded(self, tensor: Tensor) -> Optional:
        return Optional(tensor, self._value_structure)

    def __repr__(self) -> str:
        return f"OptionalSpec({self._value_structure!r},)"


def get_next_as_optional(iterator: Any) -> Optional:
    """The next element of an iterator, or none at its end."""
    spec = iterator.element_spec
    variant = raw.IteratorGetNextAsOptional(iterator._iterator_resource, **structure.described(spec))
    return Optional(variant, spec)
