"""Descriptions of values made of tensors: their element types and what is known of their shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest
from headrace.core.composite import (
    IndexedSlices,
    SparseTensor,
    SparseTensorValue,
    convert_to_tensor_or_sparse_tensor,
)
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import DType, as_dtype
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_shape
from headrace.core.spec_parts import agree, comparable, merged
from headrace.core.tensor import Tensor
from headrace.core.values import to_array

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


class TypeSpec:
    """What is known of a value before there is one.

    A class of a program's own says with `_serialize` what its constructor takes, and with `_to_components`,
    `_from_components` and `_component_specs` of which tensors its values are made.
    """

    @property
    def value_type(self) -> type:
        """The class of the values."""
        raise NotImplementedError(f"{type(self).__name__}.value_type")

    def _serialize(self) -> tuple[Any, ...]:
        """The arguments that make an equal description."""
        raise NotImplementedError(f"{type(self).__name__}._serialize()")

    @classmethod
    def _deserialize(cls, serialization: tuple[Any, ...]) -> Any:
        return cls(*serialization)

    def _to_components(self, value: Any) -> Any:
        """The tensors a value is made of."""
        raise NotImplementedError(f"{type(self).__name__}._to_components()")

    def _from_components(self, components: Any) -> Any:
        """The value made of some tensors."""
        raise NotImplementedError(f"{type(self).__name__}._from_components()")

    @property
    def _component_specs(self) -> Any:
        """The descriptions of the tensors."""
        raise NotImplementedError(f"{type(self).__name__}._component_specs()")

    @property
    def _flat_component_specs(self) -> list[Any]:
        """The descriptions of the tensors, in the order of `nest`."""
        return nest.flatten(self._component_specs, expand_composites=True)

    def _pack_components(self, tensors: list[Any]) -> Any:
        """The value made of the tensors in the order of `nest`."""
        return self._from_components(nest.pack_sequence_as(self._component_specs, tensors, expand_composites=True))

    # What stands for a value in datasets: the tensors it is made of, or fewer that encode them.

    @property
    def _flat_tensor_specs(self) -> list[Any]:
        return self._flat_component_specs

    def _to_tensor_list(self, value: Any) -> list[Any]:
        return nest.flatten(self._to_components(value), expand_composites=True)

    def _from_tensor_list(self, tensor_list: list[Any]) -> Any:
        expected = self._flat_tensor_specs
        if len(expected) != len(tensor_list):
            raise ValueError("Incompatible input: wrong number of tensors")
        for i, (spec, tensor) in enumerate(zip(expected, tensor_list, strict=True)):
            if not spec.is_compatible_with(tensor):
                raise ValueError(f"Incompatible input: tensor {i} ({tensor}) is incompatible with {spec}")
        return self._from_compatible_tensor_list(tensor_list)

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Any:
        return self._pack_components(tensor_list)

    def _to_legacy_output_types(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._to_legacy_output_types()")

    def _to_legacy_output_shapes(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__}._to_legacy_output_shapes()")

    def _to_legacy_output_classes(self) -> Any:
        return self.value_type

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or what another description describes, may be described so."""
        spec = spec_or_value
        if not isinstance(spec, TypeSpec):
            try:
                spec = spec_from_value(spec)
            except TypeError:
                return False  # what nothing describes
        return type(spec) is type(self) and self._accepts(spec)

    def _accepts(self, other: Any) -> bool:
        return agree(self._serialize(), other._serialize())

    def most_specific_compatible_type(self, other: TypeSpec) -> Any:
        """The description of what this or another one describes: known dimensions are those that both know alike.

        Raises:
            ValueError: if they differ in anything but the shape.
        """
        if type(other) is type(self):
            try:
                return self._deserialize(merged(self._serialize(), other._serialize()))
            except ValueError:
                pass
        raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and comparable(other._serialize()) == comparable(self._serialize())

    def __hash__(self) -> int:
        return hash((type(self), str(comparable(self._serialize()))))

    def __reduce__(self) -> Any:
        return type(self), self._serialize()

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"


class BatchableTypeSpec(TypeSpec):
    """The description of values that can be the rows of one of their kind."""

    if TYPE_CHECKING:

        @property
        def shape(self) -> TensorShape: ...

        @property
        def dtype(self) -> DType: ...

    def _batch(self, batch_size: int | None) -> Any:
        """The description of a batch of so many values, None where that is not known."""
        raise NotImplementedError(f"{type(self).__name__}._batch")

    def _unbatch(self) -> Any:
        """The description of a row."""
        raise NotImplementedError(f"{type(self).__name__}._unbatch")

    def _to_batched_tensor_list(self, value: Any) -> list[Any]:
        """The tensors whose rows stand for the rows of a value."""
        raise NotImplementedError(f"{type(self).__name__}._to_batched_tensor_list")

    def _to_legacy_output_types(self) -> Any:
        return self.dtype

    def _to_legacy_output_shapes(self) -> Any:
        return self.shape

    def _batch_shape(self, batch_size: int | None) -> TensorShape:
        return as_shape([batch_size]).concatenate(self.shape)

    def _row_shape(self) -> TensorShape:
        shape = self.shape
        if shape.ndims == 0:
            raise ValueError("Unbatching a tensor is only supported for rank >= 1")
        return shape if shape.ndims is None else shape[1:]


class TensorSpec(BatchableTypeSpec):
    """The description of a tensor.

    Args:
        shape: its shape, as far as it is known.
        dtype: its element type.
        name: a name for it.

    Example:
        >>> tf.TensorSpec([None, 3], tf.float32)
        TensorSpec(shape=(?, 3), dtype=tf.float32, name=None)
    """

    def __init__(self, shape: ShapeLike | None, dtype: DTypeLike = "float32", name: str | None = None) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """The description of the same tensors as `spec`, under another name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Tensor, name: str | None = None) -> TensorSpec:
        """The description of a tensor.

        Raises:
            ValueError: if it is none.
        """
        if not isinstance(tensor, Tensor):
            raise ValueError(f"TensorSpec.from_tensor: `tensor` should be a tf.Tensor, got {tensor!r}.")
        # What was computed eagerly has no name.
        return cls(tensor.shape, tensor.dtype, name or (tensor.op.name if tensor._is_graph_tensor else None))

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name."""
        return self._name

    @property
    def value_type(self) -> type:
        """`tf.Tensor`."""
        return Tensor

    @property
    def is_discrete(self) -> bool:
        """Whether the elements are integers."""
        return self._dtype.is_integer

    @property
    def is_continuous(self) -> bool:
        """Whether the elements are floating-point numbers."""
        return self._dtype.is_floating

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Whether a tensor, or what another description describes, may be described so."""
        return super().is_compatible_with(spec_or_tensor)

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    @property
    def _component_specs(self) -> TensorSpec:
        return self

    def _to_components(self, value: Any) -> Tensor:
        return convert_to_tensor(value, self._dtype)

    def _from_components(self, components: Any) -> Any:
        return components

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Tensor:
        tensor: Tensor = tensor_list[0]
        tensor.set_shape(self._shape)
        return tensor

    def _to_batched_tensor_list(self, value: Any) -> list[Tensor]:
        tensor = self._to_components(value)
        if tensor.shape.ndims == 0:
            raise ValueError(f"Value {value} has insufficient rank for batching.")
        return [tensor]

    def _batch(self, batch_size: int | None) -> TensorSpec:
        return TensorSpec(self._batch_shape(batch_size), self.dtype)

    def _unbatch(self) -> TensorSpec:
        return TensorSpec(self._row_shape(), self.dtype)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """As of any description; the name stays where both have it."""
        if type(other) is not type(self) or self._dtype != other._dtype:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        name = self._name if self._name == other._name else None
        return TensorSpec(merged(self._shape, other._shape), self._dtype, name)

    def _accepts(self, other: Any) -> bool:
        return self._dtype.is_compatible_with(other.dtype) and self._shape.is_compatible_with(other.shape)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"


class SparseTensorSpec(BatchableTypeSpec):
    """The description of a sparse tensor.

    Args:
        shape: its dense shape, as far as it is known.
        dtype: the type of its values.
    """

    def __init__(self, shape: ShapeLike | None = None, dtype: DTypeLike = "float32") -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The description of a sparse tensor."""
        return cls(value.shape, value.dtype)

    def _batch(self, batch_size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(self._batch_shape(batch_size), self._dtype)

    def _unbatch(self) -> SparseTensorSpec:
        return SparseTensorSpec(self._row_shape(), self._dtype)

    @property
    def shape(self) -> TensorShape:
        """What is known of the dense shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._dtype

    @property
    def value_type(self) -> type:
        """`tf.SparseTensor`."""
        return SparseTensor

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype

    @property
    def _component_specs(self) -> list[TensorSpec]:
        rank = self._shape.ndims
        return [TensorSpec([None, rank], "int64"), TensorSpec([None], self._dtype), TensorSpec([rank], "int64")]

    def _to_components(self, value: Any) -> list[Any]:
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: Any) -> Any:
        whole = SparseTensorValue if all(isinstance(part, np.ndarray) for part in components) else SparseTensor
        return whole(*components)

    @property
    def _flat_tensor_specs(self) -> list[TensorSpec]:
        return [TensorSpec(None, "variant")]

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        value = convert_to_tensor_or_sparse_tensor(value)
        return [raw.SerializeSparse(value.indices, value.values, value.dense_shape, out_type="variant")]

    def _to_batched_tensor_list(self, value: Any) -> list[Tensor]:
        return [raw.SerializeManySparse(value.indices, value.values, value.dense_shape, out_type="variant")]

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> SparseTensor:
        parts = raw.DeserializeSparse(tensor_list[0], dtype=self._dtype)
        rank = self._shape.ndims
        if rank is not None:
            parts[0].set_shape([None, rank])
            parts[2].set_shape([rank])
        made = SparseTensor(*parts)
        if rank is not None:
            made._dense_shape_default = self._shape  # type: ignore[attr-defined]  # where 1.15 notes it
        return made


class IndexedSlicesSpec(TypeSpec):
    """The description of `tf.IndexedSlices`.

    Args:
        shape: the shape of the whole.
        dtype: the type of the values.
        indices_dtype: the type of the indices.
        dense_shape_dtype: the type of the dense shape, None where there is none.
        indices_shape: the shape of the indices.
    """

    def __init__(
        self,
        shape: TensorLike | None = None,
        dtype: DTypeLike = "float32",
        indices_dtype: Any = "int64",
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._values_dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = as_shape([None] if indices_shape is None else indices_shape).with_rank(1)

    @property
    def value_type(self) -> type:
        """`tf.IndexedSlices`."""
        return IndexedSlices

    def _serialize(self) -> tuple[Any, ...]:
        whole = (self._shape, self._values_dtype, self._indices_dtype, self._dense_shape_dtype)
        return *whole, self._indices_shape

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        values = self._indices_shape.concatenate(self._shape[1:])
        specs = (TensorSpec(values, self._values_dtype), TensorSpec(self._indices_shape, self._indices_dtype))
        if self._dense_shape_dtype is None:
            return specs
        return *specs, TensorSpec([self._shape.ndims], self._dense_shape_dtype)

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        parts = (value.values, value.indices)
        return parts if value.dense_shape is None else (*parts, value.dense_shape)

    def _from_components(self, components: Any) -> IndexedSlices:
        return IndexedSlices(*components)


_converters: list[tuple[Any, Any]] = []


def register_type_spec_from_value_converter(type_object: Any, converter_fn: Any, allow_subclass: bool = False) -> None:
    """Says how values of a type are described.

    Args:
        type_object: the type.
        converter_fn: from a value to its `TypeSpec`.
        allow_subclass: whether for values of its subclasses too.
    """

    def fits(value: Any) -> bool:
        return isinstance(value, type_object) if allow_subclass else type(value) is type_object

    _converters.append((fits, converter_fn))


def type_spec_from_value(value: Any) -> Any:
    """The description of a value: a tensor, something made of tensors, or what a tensor can be made of.

    Raises:
        TypeError: for any other value.
    """
    for fits, converter in reversed(_converters):
        if fits(value):
            return converter(value)
    try:
        return spec_from_value(value)
    except TypeError:
        try:
            array = to_array(value, copy=False)
            return TensorSpec(array.shape, as_dtype(array.dtype))
        except (TypeError, ValueError):
            pass
        raise


def spec_from_value(value: Any) -> Any:
    """The description of a tensor or sparse tensor.

    Raises:
        TypeError: for any other value.
    """
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, SparseTensor):
        return SparseTensorSpec(value.shape, value.dtype)
    if isinstance(value, IndexedSlices):
        length = None if value.dense_shape is None else value.dense_shape.dtype
        return IndexedSlicesSpec(value.shape, value.dtype, value.indices.dtype, length, value.indices.shape)
    made = getattr(value, "_type_spec", None)
    if made is None:
        raise TypeError(f"Could not build a TypeSpec for {value!r} with type {type(value).__name__}")
    return made
