"""`Dataset.padded_batch`: shapes and values to pad with, as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.constant_value import constant_dims
from headrace.core.convert import convert_to_tensor
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_shape
from headrace.core.type_specs import SparseTensorSpec, TensorSpec
from headrace.data import nest, structure
from headrace.data.dataset import Dataset, int64, known_size


def padded(dataset: Dataset, batch_size: Any, padded_shapes: Any, padding_values: Any, drop_remainder: Any) -> Dataset:
    """`Dataset.padded_batch`."""
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
        _shape_tensor(wanted, leaf.shape)
        for leaf, wanted in zip(leaves, nest.flatten_up_to(spec, padded_shapes), strict=True)
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
    return Dataset(variant, made, [dataset])


def _zero(dtype: Any) -> Any:
    if dtype.base_dtype.name == "string":
        return ""
    if dtype.base_dtype.name == "variant":
        raise TypeError(
            f"Unable to create padding for field of type 'variant' because t.base_type == dtypes.variant == {dtype}."
        )
    return np.zeros_like(dtype.as_numpy_dtype())


def _shape_tensor(wanted: Any, shape: TensorShape) -> Tensor:
    tensor, as_given = shape_vector(wanted, "Padded shape")
    if not _can_pad(as_given, shape):
        raise ValueError(
            f"The padded shape {as_given} is not compatible with the corresponding input component shape {shape}."
        )
    return tensor


def shape_vector(wanted: Any, called: str) -> tuple[Tensor, TensorShape]:
    """A shape as an int64 vector with -1 for what is not known, and what is known of it.

    Args:
        wanted: a shape, or a vector.
        called: what messages call it.

    Raises:
        ValueError: for a tensor that is no vector; TypeError: for one that is not of int64.
    """
    try:
        shape = as_shape(wanted)
        return convert_to_tensor([-1 if size is None else size for size in shape.as_list()], dtype="int64"), shape
    except (TypeError, ValueError):
        tensor = convert_to_tensor(wanted, preferred_dtype="int64")
        if tensor.shape.ndims is not None and tensor.shape.ndims != 1:
            raise ValueError(
                f"{called} {wanted} must be a 1-D tensor of tf.int64 values, but its shape was {tensor.shape}."
            ) from None
        if tensor.dtype.name != "int64":
            raise TypeError(
                f"{called} {wanted} must be a 1-D tensor of tf.int64 values, but its element type was {tensor.dtype.name}."
            ) from None
        return tensor, as_shape(constant_dims(tensor))


def _can_pad(wanted: TensorShape, shape: TensorShape) -> bool:
    if wanted.ndims is None or shape.ndims is None:
        return True
    if wanted.ndims != shape.ndims:
        return False
    return all(w is None or s is None or w >= s for w, s in zip(wanted.as_list(), shape.as_list(), strict=True))


def _value_tensor(value: Any, dtype: Any) -> Tensor:
    tensor = convert_to_tensor(value, name="padding_value")
    if not tensor.shape.is_compatible_with([]):
        raise ValueError(f"Padding value should be a scalar, but is not: {tensor}")
    if tensor.dtype != dtype:
        raise TypeError(f"Padding value tensor ({tensor}) does not match output type: {dtype}")
    return tensor
