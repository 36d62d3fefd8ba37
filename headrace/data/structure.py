"""Descriptions of dataset elements, and elements as the flat lists of tensors that dataset ops take and give."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import Dims
from headrace.core.dtypes import DType, as_dtype
from headrace.core.tensor import Tensor
from headrace.core.type_specs import BatchableTypeSpec, TensorSpec, TypeSpec
from headrace.data import leaves, nest

if TYPE_CHECKING:
    from headrace.core.typing import Nested
    from headrace.data.dataset import Dataset


def spec_of(value: object) -> Any:
    """The description of an element or of a part of one."""
    return nest.map_structure(_leaf_spec, value)


def _leaf_spec(value: object) -> TypeSpec:
    found = leaves.spec_of_leaf(value)
    return leaves.spec_of_leaf(convert_to_tensor(value)) if found is None else found


def normalized(element: object) -> Any:
    """`element` with each leaf as a tensor, sparse or ragged tensor, dataset, optional or TensorArray."""
    with name_scope("normalize_element"):
        made = [leaves.normalized_leaf(leaf, f"component_{i}") for i, leaf in enumerate(nest.flatten(element))]
    return nest.pack_sequence_as(element, made)


def normalized_result(returned: object) -> Any:
    """What a function returned, with each leaf as `normalized` makes it."""
    return nest.map_structure(leaves.normalized_leaf, returned)


# ---- flat tensors ----


def flat_specs(spec: object) -> list[TensorSpec]:
    """The descriptions of the tensors that stand for an element."""
    return [tensor for leaf in nest.flatten(spec) for tensor in leaf._flat_tensor_specs]


def flat_types(spec: object) -> list[DType]:
    """The element types of the tensors that stand for an element."""
    return [tensor.dtype for tensor in flat_specs(spec)]


def flat_dims(spec: object) -> list[Dims]:
    """What is known of their shapes."""
    return [None if tensor.shape.dims is None else tuple(tensor.shape.as_list()) for tensor in flat_specs(spec)]


def described(spec: object) -> dict[str, Any]:
    """The attributes of a dataset op that describe its elements."""
    return {"output_types": flat_types(spec), "output_shapes": flat_dims(spec)}


def to_tensors(spec: object, value: object) -> list[Tensor]:
    """The tensors that stand for an element.

    Raises:
        ValueError, TypeError: if `value` is not as `spec` describes.
    """
    nest.assert_same_structure(spec, value)
    parts = zip(nest.flatten(spec), nest.flatten(value), strict=True)
    return [tensor for leaf, part in parts for tensor in leaf._to_tensor_list(part)]


def to_batched_tensors(
    spec: Nested[TypeSpec],
    value: object,
) -> list[Tensor]:
    """The tensors whose rows stand for the rows of an element."""
    parts = zip(nest.flatten(spec), nest.flatten(value), strict=True)
    return [tensor for leaf, part in parts for tensor in _rows_of(leaf, part)]


def _rows_of(leaf: TypeSpec, value: object) -> list[Tensor]:
    return leaf._to_batched_tensor_list(value) if isinstance(leaf, BatchableTypeSpec) else leaf._to_tensor_list(value)


def from_tensors(spec: object, tensors: list[Tensor]) -> Any:
    """The element that tensors stand for.

    Raises:
        ValueError: if there are more or fewer of them than the element takes.
    """
    parts = nest.flatten(spec)
    counts = [len(leaf._flat_tensor_specs) for leaf in parts]
    if sum(counts) != len(tensors):
        raise ValueError(f"Expected {sum(counts)} tensors but got {len(tensors)}.")
    left = iter(tensors)
    made = [
        leaf._from_compatible_tensor_list(list(itertools.islice(left, count)))
        for leaf, count in zip(parts, counts, strict=True)
    ]
    return nest.pack_sequence_as(spec, made)


# ---- batches and rows ----


def batched(
    spec: Nested[TypeSpec],
    size: int | None,
) -> Any:
    """The description of `size` elements as the rows of one."""
    return nest.map_structure(lambda leaf: leaves.batched(leaf, size), spec)


def row(
    spec: Nested[TypeSpec],
) -> Any:
    """The description of the rows of an element.

    Raises:
        ValueError: if a component has none.
    """
    return nest.map_structure(leaves.row, spec)


# ---- the descriptions of 1.x ----


def legacy_types(spec: object) -> Any:
    """A DType for each leaf."""
    return nest.map_structure(lambda leaf: leaf._to_legacy_output_types(), spec)


def legacy_shapes(spec: object) -> Any:
    """A TensorShape for each leaf."""
    return nest.map_structure(lambda leaf: leaf._to_legacy_output_shapes(), spec)


def legacy_classes(spec: object) -> Any:
    """A class for each leaf."""
    return nest.map_structure(lambda leaf: leaf._to_legacy_output_classes(), spec)


class Described:
    """What has elements of one description: datasets and iterators."""

    _element_spec: Any

    @property
    def element_spec(self) -> Any:
        """The description of the elements."""
        return self._element_spec

    @property
    def output_types(self) -> Any:
        """The type of each component of an element."""
        return legacy_types(self.element_spec)

    @property
    def output_shapes(self) -> Any:
        """What is known of the shape of each component."""
        return legacy_shapes(self.element_spec)

    @property
    def output_classes(self) -> Any:
        """The class of each component."""
        return legacy_classes(self.element_spec)


def from_legacy(types: object, shapes: object, classes: object = None) -> Any:
    """The description of elements with these types, shapes and classes.

    Raises:
        TypeError, ValueError: if they do not fit each other.
    """
    types = nest.map_structure(lambda t: t if isinstance(t, TypeSpec) else as_dtype(t), types)
    flat = nest.flatten(types)
    shape_list = [None] * len(flat) if shapes is None else nest.flatten_up_to(types, shapes)
    class_list = [Tensor] * len(flat) if classes is None else nest.flatten_up_to(types, classes)
    made = [leaves.from_legacy(*parts) for parts in zip(flat, shape_list, class_list, strict=True)]
    return nest.pack_sequence_as(types, made)


def most_general(
    first: Nested[TypeSpec],
    second: Nested[TypeSpec],
) -> Any:
    """The description that fits elements of both."""
    return nest.map_structure(leaves.most_general, first, second)


def are_compatible(first: Nested[TypeSpec], second: Nested[TypeSpec]) -> bool:
    """Whether elements described so may be of one dataset."""
    try:
        nest.assert_same_structure(first, second)
    except (TypeError, ValueError):
        return False
    return all(a.is_compatible_with(b) for a, b in zip(nest.flatten(first), nest.flatten(second), strict=True))


def get_legacy_output_types(dataset_or_iterator: Dataset) -> Any:
    """The type of each component of the elements of a dataset or iterator."""
    return legacy_types(get_structure(dataset_or_iterator))


def get_legacy_output_shapes(dataset_or_iterator: Dataset) -> Any:
    """What is known of the shape of each component of the elements of a dataset or iterator."""
    return legacy_shapes(get_structure(dataset_or_iterator))


def get_legacy_output_classes(dataset_or_iterator: Dataset) -> Any:
    """The class of each component of the elements of a dataset or iterator."""
    return legacy_classes(get_structure(dataset_or_iterator))


def get_structure(dataset_or_iterator: Dataset) -> Any:
    """The description of the elements of a dataset or iterator.

    Raises:
        TypeError: if it is neither.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            f"`dataset_or_iterator` must be a Dataset or Iterator object, but got {type(dataset_or_iterator)}."
        ) from None
