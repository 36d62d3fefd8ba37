"""Elements and their specs as flat lists of tensors, for programs with datasets of their own.

These are the names of 1.15's `tensorflow.python.data.util.structure`; `structure` has what datasets here use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import SparseTensorSpec, TensorSpec
from headrace.data import leaves, nest, structure
from headrace.data.leaves import TensorArraySpec
from headrace.functions.ragged.spec import RaggedTensorSpec

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


def TensorStructure(dtype: DTypeLike, shape: ShapeLike) -> TensorSpec:
    """The description of a tensor, with the type first."""
    return TensorSpec(shape, dtype)


def SparseTensorStructure(dtype: DTypeLike, shape: ShapeLike) -> SparseTensorSpec:
    """The description of a sparse tensor, with the type first."""
    return SparseTensorSpec(shape, dtype)


def RaggedTensorStructure(dtype: DTypeLike, shape: ShapeLike, ragged_rank: int) -> RaggedTensorSpec:
    """The description of a ragged tensor, with the type first."""
    return RaggedTensorSpec(shape, dtype, ragged_rank)


def TensorArrayStructure(
    dtype: DTypeLike, element_shape: ShapeLike, dynamic_size: bool, infer_shape: bool
) -> TensorArraySpec:
    """The description of a TensorArray, with the type first."""
    return TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)


def normalize_element(element: Any) -> Any:
    """`element` with each leaf as a tensor, sparse or ragged tensor, dataset, optional or TensorArray."""
    return structure.normalized(element)


def convert_legacy_structure(output_types: Any, output_shapes: ShapeLike, output_classes: Any) -> Any:
    """The description of elements of these types, shapes and classes.

    Raises:
        TypeError: for a class that has no description.
    """
    return structure.from_legacy(output_types, output_shapes, output_classes)


def type_spec_from_value(element: Any, use_fallback: bool = True) -> TensorSpec:
    """The description of an element.

    Args:
        element: the element.
        use_fallback: whether what is no tensor is described as the tensor that it can be made.

    Raises:
        TypeError: for what is neither.
    """

    def described(leaf: Tensor) -> Any:
        found = leaves.spec_of_leaf(leaf)
        if found is None and use_fallback:
            try:
                return structure.spec_of(leaf)
            except (TypeError, ValueError):
                pass
        if found is None:
            raise TypeError(f"Could not build a TypeSpec for {leaf!r} with type {type(leaf).__name__}")
        return found

    return nest.map_structure(described, element)


def get_flat_tensor_specs(element_spec: TensorSpec) -> list[TensorSpec]:
    """The descriptions of the tensors that stand for an element."""
    return structure.flat_specs(element_spec)


def get_flat_tensor_shapes(element_spec: Any) -> list[TensorShape]:
    """What is known of the shapes of the tensors that stand for an element."""
    return [spec.shape for spec in get_flat_tensor_specs(element_spec)]


def get_flat_tensor_types(element_spec: Any) -> list[Any]:
    """The types of the tensors that stand for an element."""
    return structure.flat_types(element_spec)


def to_tensor_list(element_spec: TensorSpec, element: TensorLike) -> list[Tensor]:
    """The tensors that stand for an element.

    Raises:
        ValueError, TypeError: if it is not as described.
    """
    _check(element_spec, element)
    return structure.to_tensors(element_spec, element)


def to_batched_tensor_list(element_spec: TensorSpec, element: TensorLike) -> list[Tensor]:
    """The tensors whose rows stand for the rows of an element.

    Raises:
        ValueError: if the element, or a part of it, has no rows, or is not as described.
        TypeError: if it is not as described.
    """
    _check(element_spec, element)
    tensors = structure.to_batched_tensors(element_spec, element)
    if any(tensor.shape.ndims == 0 for tensor in tensors):
        raise ValueError("Unbatching a tensor is only supported for rank >= 1")
    return tensors


def _check(element_spec: TensorSpec, element: TensorLike) -> None:
    nest.assert_same_structure(element_spec, element)
    for spec, part in zip(nest.flatten(element_spec), nest.flatten(element), strict=True):
        found = type_spec_from_value(part)
        if not spec.is_compatible_with(found):
            raise ValueError(f"Value {part!r} is not convertible to a tensor with dtype and shape of {spec!r}.")


def from_compatible_tensor_list(element_spec: Any, tensor_list: list[Tensor]) -> Any:
    """The element that tensors stand for.

    Raises:
        ValueError: if there are more or fewer of them than the element takes.
    """
    return structure.from_tensors(element_spec, tensor_list)


def from_tensor_list(element_spec: TensorSpec, tensor_list: list[Tensor]) -> Tensor:
    """The element that tensors stand for, which must be as described.

    Raises:
        ValueError: if there are more or fewer of them than the element takes, or one has another type or shape.
    """
    specs = get_flat_tensor_specs(element_spec)
    if len(specs) != len(tensor_list):
        raise ValueError(f"Expected {len(specs)} tensors but got {len(tensor_list)}.")
    for spec, tensor in zip(specs, tensor_list, strict=True):
        if not spec.is_compatible_with(tensor):
            raise ValueError(f"Tensor {tensor!r} is not convertible to {spec!r}.")
    return structure.from_tensors(element_spec, tensor_list)


def are_compatible(spec1: Any, spec2: Any) -> bool:
    """Whether elements of the two descriptions may be of one dataset."""
    return structure.are_compatible(spec1, spec2)
