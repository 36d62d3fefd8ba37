"""`tf.data.experimental.Optional`: an element, or none."""

from __future__ import annotations

from typing import Any

from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.data import structure


class Optional:
    """What may or may not hold an element.

    Args:
        variant_tensor: the tensor that stands for it.
        value_structure: the description of the element.
    """

    def __init__(self, variant_tensor: Tensor, value_structure: Any) -> None:
        self._variant_tensor = variant_tensor
        self._value_structure = value_structure

    @property
    def _type_spec(self) -> Any:
        return structure.OptionalSpec(self._value_structure)

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
    def from_value(value: Any) -> Optional:
        """An optional that holds `value`."""
        element = structure.normalized(value)
        spec = structure.spec_of(element)
        return Optional(raw.OptionalFromValue(structure.to_tensors(spec, element)), spec)

    @staticmethod
    def none_from_structure(value_structure: Any) -> Optional:
        """An optional without an element of this description."""
        return Optional(raw.OptionalNone(), value_structure)


def get_next_as_optional(iterator: Any) -> Optional:
    """The next element of an iterator, or none at its end."""
    spec = iterator.element_spec
    variant = raw.IteratorGetNextAsOptional(iterator._iterator_resource, **structure.described(spec))
    return Optional(variant, spec)
