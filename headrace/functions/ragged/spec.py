"""Descriptions of ragged tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import slots
from headrace.core.dtypes import DType, as_dtype
from headrace.core.shapes import TensorShape, as_shape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import BatchableTypeSpec, TensorSpec
from headrace.functions.ragged.value import RaggedTensorValue

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike


class RaggedTensorSpec(BatchableTypeSpec):
    """The description of a ragged tensor.

    Args:
        shape: its shape, as far as it is known: None where rows may differ.
        dtype: the type of its values.
        ragged_rank: how many levels of rows there are; by default one less than dimensions.
        row_splits_dtype: the type of the splits.

    Raises:
        ValueError: if the number of levels is not known or not less than that of dimensions.
        TypeError: if it is no int.
    """

    def __init__(
        self,
        shape: ShapeLike | None = None,
        dtype: DTypeLike = "float32",
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = "int64",
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        rank = self._shape.ndims
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError("ragged_rank must be an int")
        if rank is not None and ragged_rank >= rank:
            raise ValueError("ragged_rank must be less than rank.")
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The description of a `RaggedTensor` or `RaggedTensorValue`."""
        return cls(value.shape, value.flat_values.dtype, value.ragged_rank, value.row_splits.dtype)

    @property
    def value_type(self) -> Any:
        """`tf.RaggedTensor`, or `tf.Tensor` where there are no levels of rows."""
        return slots.ragged_tensor.function if self._ragged_rank > 0 else Tensor

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the values."""
        return self._dtype

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    def _batch(self, batch_size: int | None) -> RaggedTensorSpec:
        return RaggedTensorSpec(self._batch_shape(batch_size), self._dtype, self._ragged_rank + 1)

    def _unbatch(self) -> RaggedTensorSpec:
        # Levels below none are allowed: batches may be made of such rows again.
        return RaggedTensorSpec(self._row_shape(), self._dtype, self._ragged_rank - 1)

    def _to_legacy_output_classes(self) -> RaggedTensorSpec:
        return self

    @property
    def _component_specs(self) -> list[TensorSpec]:
        dims = [None] * (self._ragged_rank + 1) if self._shape.dims is None else self._shape.as_list()
        values = TensorShape(None) if self._shape.dims is None else TensorShape([None, *dims[self._ragged_rank + 1 :]])
        if self._ragged_rank == 0:
            return [TensorSpec(self._shape, self._dtype)]
        outer = None if dims[0] is None else dims[0] + 1
        splits = [outer, *[None] * (self._ragged_rank - 1)]
        return [TensorSpec(values, self._dtype), *[TensorSpec([size], self._row_splits_dtype) for size in splits]]

    def _to_components(self, value: Any) -> list[Any]:
        if self._ragged_rank == 0:
            return [value]
        return [value.flat_values, *value.nested_row_splits]

    def _from_components(self, components: Any) -> Any:
        if self._ragged_rank == 0:
            return components[0]
        if all(isinstance(part, np.ndarray) for part in components):
            value = components[0]
            for splits in reversed(components[1:]):
                value = RaggedTensorValue(value, splits)
            return value
        kind: Any = slots.ragged_tensor.function
        return kind.from_nested_row_splits(components[0], components[1:], validate=False)

    @property
    def _flat_tensor_specs(self) -> list[TensorSpec]:
        return [TensorSpec(None, "variant")]

    def _to_tensor_list(self, value: Any) -> list[Tensor]:
        return [value._to_variant(batched_input=False)]

    def _to_batched_tensor_list(self, value: Any) -> list[Tensor]:
        return [value._to_variant(batched_input=True)]

    def _from_compatible_tensor_list(self, tensor_list: list[Any]) -> Any:
        rank = self._ragged_rank
        if rank <= 0:
            raise ValueError(f"ragged_rank must be non-negative; got {rank}.")
        kind: Any = slots.ragged_tensor.function
        made = kind._from_variant(tensor_list[0], self._dtype, rank)
        if self._shape.ndims is not None:
            rows = self._shape.as_list()[0]
            if rows is not None:
                made.row_splits.set_shape([rows + 1])
            made.flat_values.set_shape(as_shape([None]).concatenate(self._shape[1 + rank :]))
        return made
