"""`tf.data.experimental.Optional`: an element, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite_tensors import CompositeTensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.data import structure, structure_util
from headrace.data.leaves import LeafSpec

if TYPE_CHECKING:
    from headrace.core.typing import Nested, TensorLike


class Optional(CompositeTensor):
    """What may or may not hold an element.

    Args:
        variant_tensor: the tensor that stands for it.
        value_structure: the description of the element.
    """

    def __init__(
        self, variant_tensor: TensorLike, value_structure: TensorSpec | Sequence[TensorSpec | Mapping[str, TensorSpec]]
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
    def from_value(value: Nested[TensorLike | CompositeTensor]) -> Optional:
        """An optional that holds `value`."""
        with name_scope("optional") as scope:
            with name_scope("value"):
                spec = structure_util.type_spec_from_value(value)
                tensors = structure.to_tensors(spec, value)
            return Optional(raw.OptionalFromValue(tensors, name=scope), spec)

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

    def _serialize(self) -> tuple[Any, ...]:
        return (self._value_structure,)

    @property
    def _component_specs(self) -> list[TensorSpec]:
        return [TensorSpec((), "variant")]

    def _to_components(self, value: Any) -> list[Tensor]:
        return [value._variant_tensor]

    def _from_components(self, components: list[Tensor]) -> Optional:
        return Optional(components[0], self._value_structure)


def get_next_as_optional(iterator: Any) -> Optional:
    """The next element of an iterator, or none at its end."""
    spec = iterator.element_spec
    variant = raw.IteratorGetNextAsOptional(iterator._iterator_resource, **structure.described(spec))
    return Optional(variant, spec)
