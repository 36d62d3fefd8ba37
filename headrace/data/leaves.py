"""The kinds of leaves that elements have, and each kind as the one tensor that stands for it in dataset ops.

Dense tensors stand for themselves. All else is a variant: a sparse tensor serialized, a ragged tensor encoded, a dataset, an
optional, the stacked elements of a TensorArray.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor, SparseTensorValue, convert_to_tensor_or_sparse_tensor
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import DType
from headrace.core.shapes import TensorShape, as_shape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import BatchableTypeSpec, SparseTensorSpec, TensorSpec, TypeSpec
from headrace.functions.flow.tensor_array import TensorArray, array_of_list, list_of_array
from headrace.functions.ragged.spec import RaggedTensorSpec
from headrace.functions.ragged.tensor import convert_to_tensor_or_ragged_tensor
from headrace.functions.ragged.value import RaggedTensorValue

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike


class LeafSpec(TypeSpec):
    """A description that is a type, a shape and a class of its own in 1.x's descriptions."""

    def _to_legacy_output_types(self) -> Any:
        return self

    def _to_legacy_output_shapes(self) -> Any:
        return self

    def _to_legacy_output_classes(self) -> Any:
        return self


class TensorArraySpec(TypeSpec):
    """The description of a TensorArray.

    Args:
        element_shape: what is known of the shape of its elements.
        dtype: their type.
        dynamic_size: whether it grows by being written to.
        infer_shape: whether its elements have one shape.
    """

    def __init__(
        self,
        element_shape: ShapeLike | None = None,
        dtype: DTypeLike = "float32",
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        inner = TensorSpec(element_shape, dtype)
        self._element_shape, self._dtype = inner.shape, inner.dtype
        self._dynamic_size, self._infer_shape = dynamic_size, infer_shape

    @staticmethod
    def from_value(value: SparseTensor | TensorArray) -> TensorArraySpec:
        """The description of a TensorArray.

        Raises:
            TypeError: if `value` is none.
        """
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but saw: {type(value)}.")
        return TensorArraySpec(value.element_shape, value.dtype, value.dynamic_size, value._infer_shape)

    @property
    def value_type(self) -> type:
        """`tf.TensorArray`."""
        return TensorArray

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a TensorArray, or what another description describes, may be described so."""
        return super().is_compatible_with(other)

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    def _accepts(self, other: Any) -> bool:
        return (
            self._dtype.is_compatible_with(other._dtype)
            and self._element_shape.is_compatible_with(other._element_shape)
            and self._dynamic_size == other._dynamic_size
        )

    def _to_legacy_output_types(self) -> DType:
        return self._dtype

    def _to_legacy_output_shapes(self) -> TensorShape:
        # 1.15 puts these two settings in front of the shape.
        return as_shape([int(self._dynamic_size) or None, int(self._infer_shape)]).concatenate(self._element_shape)

    @property
    def _component_specs(self) -> list[TensorSpec]:
        return [TensorSpec((), "variant")]

    def _to_components(self, value: Any) -> list[Tensor]:
        return [list_of_array(value)]

    def _from_components(self, components: list[Tensor]) -> TensorArray:
        return array_of_list(components[0], self._dtype, self._element_shape, self._dynamic_size, self._infer_shape)


# ---- values ----


def spec_of_leaf(value: object) -> Any:
    """The description of a leaf, None for what is not described without being made a tensor."""
    if isinstance(value, TypeSpec):
        return value
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return SparseTensorSpec.from_value(convert_to_tensor_or_sparse_tensor(value))
    if isinstance(value, RaggedTensorValue):
        return RaggedTensorSpec.from_value(convert_to_tensor_or_ragged_tensor(value))
    if isinstance(value, TensorArray):
        return TensorArraySpec.from_value(value)
    return getattr(value, "_type_spec", None)


def normalized_leaf(value: object, name: str | None = None) -> Any:
    """A leaf as a tensor, sparse or ragged tensor, dataset, optional or TensorArray."""
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return convert_to_tensor_or_sparse_tensor(value)
    if isinstance(value, RaggedTensorValue):
        return convert_to_tensor_or_ragged_tensor(value)
    if hasattr(value, "_type_spec") or isinstance(value, TensorArray):
        return value
    return convert_to_tensor(value, name=name)


# ---- batches and rows ----


def batched(leaf: BatchableTypeSpec, size: int | None) -> BatchableTypeSpec:
    """The description of `size` such leaves as the rows of one.

    Raises:
        NotImplementedError: for leaves that make no batch.
    """
    if not isinstance(leaf, BatchableTypeSpec):
        raise NotImplementedError(f"Batching is not implemented for components described by {type(leaf).__name__}.")
    return leaf._batch(size)


def row(leaf: BatchableTypeSpec) -> BatchableTypeSpec:
    """The description of the rows of a leaf.

    Raises:
        ValueError: if it has none.
        NotImplementedError: for leaves that are no batches.
    """
    if not isinstance(leaf, BatchableTypeSpec):
        raise NotImplementedError(f"Unbatching is not implemented for components described by {type(leaf).__name__}.")
    return leaf._unbatch()


# ---- the descriptions of 1.x ----


def from_legacy(dtype: DTypeLike, shape: ShapeLike, kind: RaggedTensorSpec | type) -> Any:
    """The description of a leaf of a type, shape and class.

    Raises:
        TypeError: for a class without one.
    """
    for given in (dtype, kind):
        if isinstance(given, TypeSpec):
            return given
    if isinstance(kind, type) and issubclass(kind, SparseTensor):
        return SparseTensorSpec(shape, dtype)
    if isinstance(kind, type) and issubclass(kind, Tensor):
        return TensorSpec(shape, dtype)
    if isinstance(kind, type) and issubclass(kind, TensorArray):
        settings = as_shape(shape)
        grows, infers = settings.as_list()[:2] if settings.ndims is not None else (0, 1)
        return TensorArraySpec(settings[2:], dtype, bool(grows), bool(infers))
    raise TypeError(f"Could not build a structure for output class {kind!r}")


def most_general(first: BatchableTypeSpec, second: BatchableTypeSpec) -> BatchableTypeSpec:
    """The description that fits leaves of both."""
    if isinstance(first, LeafSpec):
        return first
    return first.most_specific_compatible_type(second)
