"""Values of ragged tensors by number, within each row, where there may be none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.functions.ragged.dynamic_shape import RaggedTensorDynamicShape, broadcast_to
from headrace.functions.ragged.gathering import batch_gather
from headrace.functions.ragged.joining import concat
from headrace.functions.ragged.layout import expand_dims
from headrace.functions.ragged.selecting import where
from headrace.functions.ragged.splits import same_splits_type
from headrace.functions.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


def batch_gather_with_default(
    params: Any, indices: Any, default_value: TensorLike = "", name: str | None = None
) -> Any:
    """As `batch_gather`, and `default_value` for a number that none of the row's values has.

    Args:
        params: tensor or ragged tensor of at least as many dimensions as `indices`.
        indices: int tensor or ragged tensor.
        default_value: a scalar or vector.
        name: a name for the operations.

    Raises:
        ValueError: if a rank is not known, or `default_value` has more dimensions.
    """
    with name_scope(name, "RaggedBatchGatherWithDefault"):
        params = convert_to_tensor_or_ragged_tensor(params, name="params")
        indices = convert_to_tensor_or_ragged_tensor(indices, name="indices")
        default = convert_to_tensor_or_ragged_tensor(default_value, name="default_value")
        splits_type, _ = same_splits_type(params, indices, default)
        if default.shape.ndims not in (0, 1):
            raise ValueError('"default_value" must be a scalar or vector')
        if indices.shape.ndims is None:
            raise ValueError("Indices must have a known rank.")
        if params.shape.ndims is None:
            raise ValueError("Params must have a known rank.")
        axis = indices.shape.ndims - 1
        # The default goes before the values of each row, as its number 0.
        sizes: Any
        if isinstance(params, RaggedTensor):
            sizes = expand_dims(_cast(params.row_lengths(axis=axis), indices.dtype), axis=-1)
            first = broadcast_to(default, _shape_of_defaults(params, axis, splits_type))
        else:
            shape = composing.shape(params)
            sizes = composing.cast(shape[axis], indices.dtype)
            first = raw.BroadcastTo(default, composing.concat([shape[:axis], [1], shape[axis + 1 :]], 0))
        join = concat if isinstance(params, RaggedTensor) else composing.concat
        padded = join([_cast(first, params.dtype), params], axis)
        none = (indices < 0) | (indices >= sizes)
        return batch_gather(padded, where(none, indices * 0, indices + 1))


def _cast(value: Any, dtype: DType) -> Any:
    if isinstance(value, RaggedTensor):
        return value.with_flat_values(composing.cast(value.flat_values, dtype))
    return composing.cast(value, dtype)


def _shape_of_defaults(params: RaggedTensor, axis: int, splits_type: DType) -> RaggedTensorDynamicShape:
    """The shape of `params` with one value alone along `axis`, and along the ragged axes behind it."""
    shape = RaggedTensorDynamicShape.from_tensor(params, dim_size_dtype=splits_type)
    outer, inner = shape.partitioned_dim_sizes, shape.inner_dim_sizes
    if axis >= len(outer):
        at = axis - len(outer)
        return RaggedTensorDynamicShape(outer, composing.concat([inner[:at], [1], inner[at + 1 :]], 0))
    ones = raw.OnesLike(outer[axis] if axis else composing.expand_dims(outer[0], 0))
    if axis == 0:
        outer = (ones[0], *[ones] * (len(outer) - 1))
    else:
        outer = (*outer[:axis], *[ones] * (len(outer) - axis))
    return RaggedTensorDynamicShape(outer, inner)
