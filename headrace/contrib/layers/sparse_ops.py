"""Dense tensors as sparse ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32, int64, string
from headrace.functions.array.gather import gather_nd
from headrace.functions.math.reduction import reduce_max
from headrace.functions.math.segments import unsorted_segment_max
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import ones_like, zeros_like
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import where
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal, not_equal
from headrace.ops.math.scan import cumsum

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def _ignored(dtype: DType, ignore_value: int | str | None) -> Tensor:
    if ignore_value is None:
        ignore_value = "" if dtype == string else dtype.as_numpy_dtype()
    return cast(ignore_value, dtype, name="ignore_value")


def dense_to_sparse_tensor(dense_tensor: TensorLike, ignore_value: int | str | None = None) -> SparseTensor:
    """The elements of a tensor that are not `ignore_value` ("" or 0 by default)."""
    with name_scope("DenseToSparseTensor"):
        dense_tensor = convert_to_tensor(dense_tensor)
        indices = where(not_equal(dense_tensor, _ignored(dense_tensor.dtype, ignore_value)), name="indices")
        return SparseTensor(
            indices=indices,
            values=gather_nd(dense_tensor, indices, name="values"),
            dense_shape=shape(dense_tensor, out_type=int64, name="dense_shape"),
        )


def indicators_to_sparse_ids(indicators: TensorLike, ignore_value: Any = None, dtype: DType = int64) -> SparseTensor:
    """The places along the last axis at which there is something, moved to the front of it.

    Args:
        indicators: a tensor.
        ignore_value: the value that is nothing; "" or 0 by default.
        dtype: the type of the ids.

    Raises:
        ValueError: if `dtype` is no integer type.
    """
    if not dtype.is_integer:
        raise ValueError(f"Invalid dtype {dtype} not integer.")
    with name_scope(None, "indicators_to_sparse_ids", (indicators, ignore_value)):
        indicators = convert_to_tensor(indicators, name="indicators")
        missing = equal(indicators, _ignored(indicators.dtype, ignore_value), name="missing")
        zeros = zeros_like(indicators, dtype=int64, name="zeros")
        there = where(missing, zeros, ones_like(indicators, dtype=int64, name="ones"), name="binary_indicators")
        # Numbered from 1 on in each row, so that 0 is nothing.
        numbers = where(missing, zeros, cumsum(there, axis=-1), "row_index_indicators")
        longest = reshape(reduce_max(numbers), shape=(1,), name="result_last_dim")
        sparse = dense_to_sparse_tensor(numbers, ignore_value=0)
        return SparseTensor(
            indices=concat((sparse.indices[:, :-1], reshape(sparse.values - 1, (-1, 1))), axis=1, name="indices"),
            values=cast(sparse.indices[:, -1], dtype=dtype, name="values"),
            dense_shape=concat((sparse.dense_shape[0:-1], longest), axis=0, name="dense_shape"),
        )


def sparse_row_envelope(sparse_input: Any, row_axis: int = 0, col_axis: int = 1, name: str | None = None) -> Any:
    """How far each row of a `SparseTensor` reaches: one more than its last column, 0 if it is empty.

    Args:
        sparse_input: a `SparseTensor`.
        row_axis, col_axis: which axes are rows and columns.
        name: a name for the operation.

    Raises:
        ValueError: if the axes are no ints or the same.
    """
    if not (isinstance(row_axis, int) and isinstance(col_axis, int)):
        raise ValueError("`row_axis` and `col_axis` must be integers.")
    if row_axis == col_axis:
        raise ValueError("Row and column can not be the same axis.")
    with name_scope(name, "sparse_row_envelope", [sparse_input]):
        rows = sparse_input.indices[:, row_axis]
        columns = sparse_input.indices[:, col_axis]
        count = cast(sparse_input.dense_shape[row_axis], int32)
        envelope = unsorted_segment_max(columns + 1, rows, count, name=name)
        zeros = zeros_like(envelope)
        return where(envelope > zeros, envelope, zeros)
