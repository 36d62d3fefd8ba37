"""`Dataset.padded_batch`: shapes and values to pad with, as tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.constant_value import constant_dims
from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_shape
from headrace.core.tensor import Tensor
from headrace.core.type_specs import SparseTensorSpec, TensorSpec
from headrace.data import nest, structure
from headrace.data.arguments import int64, known_size, shape_vector
from headrace.data.dataset_base import DatasetBase

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import Nested, ShapeLike, TensorLike


def padded(
    dataset: DatasetBase,
    batch_size: TensorLike,
    padded_shapes: Nested[ShapeLike | Tensor],
    padding_values: Nested[TensorLike] | None,
    drop_remainder: TensorLike,
) -> tuple[Tensor, Any]:
    """`Dataset.padded_batch`, as the tensor that stands for it and the description of its elements."""
    spec = dataset.element_spec
    leaves = nest.flatten(spec)
    for leaf in leaves:
        if not isinstance(leaf, TensorSpec):
            kind = "sparse" if isinstance(leaf, SparseTensorSpec) else "components other than"
            raise TypeError(f"Batching of padded {kind} tensors is not currently supported")
    size = int64(batch_size, "batch_size")
    if padding_values is None:
        padding_values = nest.map_structure(_zero, dataset.output_types)
    shapes = [
        shape_tensor(padded_shape, leaf.shape)
        for leaf, padded_shape in zip(leaves, nest.flatten_up_to(spec, padded_shapes), strict=True)
    ]
    values = [
        _value_tensor(value, leaf.dtype)
        for leaf, value in zip(leaves, nest.flatten_up_to(spec, padding_values), strict=True)
    ]
    drop = convert_to_tensor(drop_remainder, dtype="bool", name="drop_remainder")
    count = known_size(size, drop)
    made = nest.pack_sequence_as(
        spec,
        [
            TensorSpec(as_shape([count]).concatenate(as_shape(constant_dims(shape))), leaf.dtype)
            for leaf, shape in zip(leaves, shapes, strict=True)
        ],
    )
    dims = structure.flat_dims(made)
    variant = raw.PaddedBatchDatasetV2(dataset._variant_tensor, size, shapes, values, drop, output_shapes=dims)
    return variant, made


def _zero(dtype: DType) -> str | np.ndarray:
    if dtype.base_dtype.name == "string":
        return ""
    if dtype.base_dtype.name == "variant":
        raise TypeError(
            f"Unable to create padding for field of type 'variant' because t.base_type == dtypes.variant == {dtype}."
        )
    return np.zeros_like(dtype.as_numpy_dtype())


def shape_tensor(padded_shape: Tensor | Sequence[float | Tensor | None], shape: TensorShape) -> Tensor:
    tensor, as_given = shape_vector(padded_shape, "Padded shape")
    if not _can_pad(as_given, shape):
        raise ValueError(
            f"The padded shape {as_given} is not compatible with the corresponding input component shape {shape}."
        )
    return tensor


def _can_pad(padded_shape: TensorShape, shape: TensorShape) -> bool:
    if padded_shape.ndims is None or shape.ndims is None:
        return True
    if padded_shape.ndims != shape.ndims:
        return False
    return all(w is None or s is None or w >= s for w, s in zip(padded_shape.as_list(), shape.as_list(), strict=True))


def _value_tensor(value: TensorLike, dtype: DType) -> Tensor:
    tensor = convert_to_tensor(value, name="padding_value")
    if not tensor.shape.is_compatible_with([]):
        raise ValueError(f"Padding value should be a scalar, but is not: {tensor}")
    if tensor.dtype != dtype:
        raise TypeError(f"Padding value tensor ({tensor}) does not match output type: {dtype}")
    return tensor
