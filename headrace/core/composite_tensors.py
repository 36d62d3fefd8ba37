"""What all values made of tensors have in common, those of a program's own classes among them."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.composite import IndexedSlices, SparseTensor
from headrace.core.composite_types import CompositeTensor as OwnComposite

if TYPE_CHECKING:
    from headrace.core.typing import ShapeLike


class CompositeTensor(abc.ABC):
    """A value made of tensors, which `_type_spec` takes apart and puts together.

    `tf.SparseTensor`, `tf.RaggedTensor` and `tf.IndexedSlices` count as such. A class of a program's own has a property
    `_type_spec`, a `TypeSpec`; its values are then structures to `nest` where it expands composites.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        nest.register_composite(cls, _components, _rebuilt)

    @property
    @abc.abstractmethod
    def _type_spec(self) -> Any:
        """What describes the value."""

    def _shape_invariant_to_type_spec(self, shape: ShapeLike) -> Any:
        """The description of what a loop's variable of a shape may be."""
        raise NotImplementedError(f"{type(self).__name__}._shape_invariant_to_type_spec")

    @property
    def _is_graph_tensor(self) -> bool:
        """Whether its tensors are those of a graph."""
        return any(hasattr(part, "graph") for part in nest.flatten(self, expand_composites=True))

    def consumers(self) -> list[Any]:
        """The operations that take one of its tensors."""
        parts = nest.flatten(self, expand_composites=True)
        return list(dict.fromkeys(user for part in parts for user in part.consumers()))


for _kind in (SparseTensor, IndexedSlices, OwnComposite):
    CompositeTensor.register(_kind)


def _components(value: Any) -> list[Any]:
    return nest.flatten(value._type_spec._to_components(value), expand_composites=True)


def _rebuilt(model: Any, parts: list[Any]) -> Any:
    return model._type_spec._pack_components(parts)


def replace_composites_with_components(structure: object) -> Any:
    """The same structure with a list of its tensors in the place of each value made of tensors."""
    if isinstance(structure, CompositeTensor):
        return replace_composites_with_components(nest.flatten(structure, expand_composites=True))
    if not nest.is_sequence(structure):
        return structure
    return nest.map_structure(replace_composites_with_components, structure)
