"""Values of composite tensors, or the tensors themselves, one after another: 1.x's `composite_tensor_utils`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import SparseTensor, SparseTensorValue
from headrace.core.composite_tensors import CompositeTensor
from headrace.core.registry import raw
from headrace.functions.ragged.joining import concat
from headrace.functions.ragged.tensor import RaggedTensor
from headrace.functions.ragged.value import RaggedTensorValue

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def is_composite_or_composite_value(tensor: TensorLike) -> bool:
    """Whether something is a composite tensor, or the value of a sparse or ragged one."""
    return isinstance(tensor, (CompositeTensor, SparseTensorValue, RaggedTensorValue))


def get_shape(tensor: Tensor) -> Any:
    """The static shape of a tensor, or the shape that the value of a sparse one says."""
    return tensor.dense_shape if isinstance(tensor, SparseTensorValue) else tensor.shape


def append_composite_tensor(target: Any, to_append: Any) -> Any:
    """Two composite tensors, or two values of such, as one, the second after the first along the first dimension.

    Raises:
        RuntimeError: if they are not of one kind, or of one that cannot be joined.
    """
    if type(target) is not type(to_append):
        raise RuntimeError(f"Unable to concatenate {type(target)} and {type(to_append)}")
    if isinstance(target, SparseTensor):
        parts = (("indices", "values", "dense_shape"), (target, to_append))
        return SparseTensor(*raw.SparseConcat(*([getattr(t, p) for t in parts[1]] for p in parts[0]), concat_dim=0))
    if isinstance(target, SparseTensorValue):
        return _sparse_values(target, to_append)
    if isinstance(target, RaggedTensor):
        return concat([target, to_append], 0)
    if isinstance(target, RaggedTensorValue):
        return _ragged_values(target, to_append)
    raise RuntimeError(f"Attempted to concatenate unsupported object {type(target)}.")


def _sparse_values(first: SparseTensorValue, second: SparseTensorValue) -> SparseTensorValue:
    if len(first.dense_shape) != len(second.dense_shape):
        raise RuntimeError(
            f"Unable to concatenate SparseTensorValues of {len(first.dense_shape)} and {len(second.dense_shape)} dimensions."
        )
    if list(first.dense_shape[1:]) != list(second.dense_shape[1:]):
        raise RuntimeError(
            f"Unable to concatenate SparseTensorValues of shapes {first.dense_shape} and {second.dense_shape}: they may "
            "differ in the first dimension only."
        )
    moved = np.array(second.indices)
    moved[:, 0] += first.dense_shape[0]
    # The rows end with the last one that has a value.
    shape = (max([first.dense_shape[0], *moved[:, 0]]) + 1, *first.dense_shape[1:])
    return SparseTensorValue(
        np.concatenate([first.indices, moved]), np.concatenate([first.values, second.values]), shape
    )


def _ragged_values(first: RaggedTensorValue, second: RaggedTensorValue) -> RaggedTensorValue:
    if len(first.nested_row_splits) != len(second.nested_row_splits):
        raise RuntimeError(
            f"Unable to concatenate ragged values of {len(first.nested_row_splits)} and {len(second.nested_row_splits)} "
            "ragged dimensions."
        )
    values: Any = np.concatenate([first.flat_values, second.flat_values])
    for mine, others in zip(first.nested_row_splits[::-1], second.nested_row_splits[::-1], strict=True):
        values = RaggedTensorValue(values, np.concatenate([mine, others[1:] + mine[-1]]))
    return values
