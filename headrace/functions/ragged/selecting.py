"""Values of ragged tensors chosen by a mask or a condition, and rows put where a number says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array import where as dense_functions
from headrace.functions.array.sort import argsort
from headrace.functions.flow.checks import assert_equal, assert_less
from headrace.functions.math.reduction import count_nonzero
from headrace.functions.ragged.gathering import gather
from headrace.functions.ragged.joining import concat
from headrace.functions.ragged.math import reduce_sum
from headrace.functions.ragged.segment_ids import lengths_to_splits, numbers_up_to, row_splits_to_segment_ids
from headrace.functions.ragged.splits import assert_splits_match, same_splits_type
from headrace.functions.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor, is_ragged
from headrace.kernels import composing
from headrace.ops.array import where as dense

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """The values where `mask` is true, in the rows they were in.

    Args:
        data: a tensor or ragged tensor.
        mask: a bool tensor or ragged tensor whose shape is the beginning of that of `data`.
        name: a name for the operations.

    Returns:
        a `RaggedTensor` of as many dimensions as `mask`, at least; a tensor for a vector and a mask that is one.

    Raises:
        ValueError: if the mask is a scalar or of unknown rank.

    Example:
        >>> kept = tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, False]])
        >>> tf.Session().run(kept).to_list()
        [[1, 3], []]
    """
    with name_scope(name, "RaggedMask"):
        data = convert_to_tensor_or_ragged_tensor(data, name="data")
        mask = convert_to_tensor_or_ragged_tensor(mask, "bool", name="mask")
        splits_type, _ = same_splits_type(data, mask)
        rank = mask.shape.ndims
        if rank is None:
            raise ValueError("mask.shape.ndims must be known statically.")
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        if isinstance(mask, RaggedTensor):
            return _by_ragged_mask(data, mask)
        if not isinstance(data, RaggedTensor):
            return _dense_by_mask(data, mask, rank, splits_type)
        if rank == 1:
            lengths = dense_functions.boolean_mask(data.row_lengths(), mask)
            splits = lengths_to_splits(lengths)
            chosen = composing.gather(mask, row_splits_to_segment_ids(data.row_splits))
            return RaggedTensor.from_row_splits(boolean_mask(data.values, chosen), splits, validate=False)
        levels = min(data.ragged_rank, rank - 1)
        return boolean_mask(data, RaggedTensor.from_tensor(mask, ragged_rank=levels, row_splits_dtype=splits_type))


def _by_ragged_mask(data: Any, mask: RaggedTensor) -> RaggedTensor:
    levels = mask.ragged_rank
    if not isinstance(data, RaggedTensor):
        data = RaggedTensor.from_tensor(data, ragged_rank=levels, row_splits_dtype=mask.row_splits.dtype)
    with control_dependencies(assert_splits_match([mask.nested_row_splits, data.nested_row_splits[:levels]])):
        splits, inner = [], mask
        while isinstance(inner, RaggedTensor):
            if (inner.shape.ndims or 0) > 2:
                splits.append(inner.row_splits)
            else:
                chosen = inner.with_flat_values(composing.cast(inner.flat_values, inner.row_splits.dtype))
                splits.append(lengths_to_splits(reduce_sum(chosen, axis=1)))
            inner, data = inner.values, data.values
        made: RaggedTensor = RaggedTensor.from_nested_row_splits(boolean_mask(data, inner), splits, validate=False)
        return made


def _dense_by_mask(data: Tensor, mask: Tensor, rank: int, splits_type: DType) -> Tensor | RaggedTensor:
    kept: Tensor | RaggedTensor = dense_functions.boolean_mask(data, mask)
    if rank < 2:
        return kept
    counts = count_nonzero(mask, axis=-1, dtype=splits_type)
    kept = RaggedTensor.from_row_lengths(kept, raw.Reshape(counts, [-1]), validate=False)
    if rank == 2:
        return kept
    shape = raw.Shape(mask, out_type=splits_type)
    ends = raw.Cumprod(shape, 0) + 1
    for axis in range(rank - 3, -1, -1):
        splits = numbers_up_to(ends[axis]) * shape[axis + 1]
        kept = RaggedTensor.from_row_splits(kept, splits, validate=False)
    return kept


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """`tf.where` of ragged tensors: of `x` where the condition holds, else of `y`; or the places where it holds.

    Raises:
        ValueError: if only one of x and y is given, or their rows cannot be those of the condition.
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must be either both None or both non-None")
    with name_scope(name, "RaggedWhere"):
        condition = convert_to_tensor_or_ragged_tensor(condition, name="condition")
        if x is None:
            return _places(condition)
        x = convert_to_tensor_or_ragged_tensor(x, name="x")
        y = convert_to_tensor_or_ragged_tensor(y, name="y")
        same_splits_type(condition, x, y)
        if not any(map(is_ragged, (condition, x, y))):
            return dense.where(condition, x, y)
        if is_ragged(condition) and is_ragged(x) and is_ragged(y):
            with control_dependencies(assert_splits_match([item.nested_row_splits for item in (condition, x, y)])):
                chosen = dense.where(condition.flat_values, x.flat_values, y.flat_values)
                return condition.with_flat_values(chosen)
        if is_ragged(condition):
            raise ValueError("Input shapes do not match.")
        # A row of one or of the other.
        condition.shape.assert_has_rank(1)
        both = concat([x, y], axis=0)
        counts = [_rows(item, both.row_splits.dtype) for item in (x, y)]
        ours, theirs = (numbers_up_to(count) for count in counts)
        return gather(both, raw.Select(condition, ours, theirs + counts[0]))


def _rows(value: RaggedTensor, dtype: DType) -> Tensor:
    return value.nrows(dtype) if isinstance(value, RaggedTensor) else raw.Shape(value, out_type=dtype)[0]


def _places(condition: TensorLike | RaggedTensor) -> Tensor:
    if not isinstance(condition, RaggedTensor):
        return raw.Where(condition)
    inner = _places(condition.values)
    condition = condition.with_row_splits_dtype(inner.dtype)
    first = inner[:, 0]
    rows = composing.gather(condition.value_rowids(), first)
    columns = first - composing.gather(condition.row_splits, rows)
    return composing.concat([composing.expand_dims(rows, 1), composing.expand_dims(columns, 1), inner[:, 1:]], 1)


def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: TensorLike, name: str | None = None
) -> RaggedTensor:
    """The slices of `data`, each in the row that `partitions` says.

    Args:
        data: a tensor or ragged tensor.
        partitions: int tensor or ragged tensor whose shape is the beginning of that of `data`.
        num_partitions: int scalar: the number of rows.
        name: a name for the operations.

    Returns:
        a `RaggedTensor` with a row for each partition.

    Raises:
        ValueError: if `partitions` has an unknown rank. InvalidArgumentError: when it is run and a number is too great.

    Example:
        >>> tf.Session().run(tf.ragged.stack_dynamic_partitions([3, 1, 4], [1, 0, 1], 2)).to_list()
        [[1], [3, 4]]
    """
    with name_scope(name, "SegmentStack", [num_partitions]):
        data = convert_to_tensor_or_ragged_tensor(data, name="data")
        splits_type = data.row_splits.dtype if isinstance(data, RaggedTensor) else None
        partitions = convert_to_tensor_or_ragged_tensor(partitions, name="partitions", preferred_dtype=splits_type)
        count = convert_to_tensor(num_partitions, name="num_partitions", preferred_dtype=partitions.dtype)
        if splits_type is not None:
            partitions = _as_type(partitions, splits_type)
        count = composing.cast(count, partitions.dtype)
        rank = partitions.shape.ndims
        if rank is None:
            raise ValueError("partitions must have known rank.")
        count.shape.assert_has_rank(0)
        partitions.shape.assert_is_compatible_with(data.shape[:rank])
        if rank == 0:
            rows = composing.expand_dims(data, 0) if isinstance(data, Tensor) else concat([data], 0)
            ids = composing.expand_dims(partitions, 0)
            return RaggedTensor.from_value_rowids(rows, ids, count, validate=False)
        if rank == 1:
            order = argsort(partitions, stable=True)
            ids = composing.gather(partitions, order)
            rows = gather(data, order) if isinstance(data, RaggedTensor) else composing.gather(data, order)
            message = "partitions must be less than num_partitions"
            with control_dependencies([assert_less(ids[-1:], count, message=message)]):
                return RaggedTensor.from_value_rowids(rows, ids, count, validate=False)
        if not isinstance(data, RaggedTensor):
            data = RaggedTensor.from_tensor(data, row_splits_dtype=partitions.dtype, ragged_rank=1)
        if not isinstance(partitions, RaggedTensor):
            levels = max(data.ragged_rank, rank - 1)
            partitions = RaggedTensor.from_tensor(partitions, row_splits_dtype=partitions.dtype, ragged_rank=levels)
        message = "data and partitions have incompatible ragged shapes"
        with control_dependencies([assert_equal(data.row_splits, partitions.row_splits, message=message)]):
            return stack_dynamic_partitions(data.values, partitions.values, count)


def _as_type(value: TensorLike | RaggedTensor, dtype: DType) -> Tensor | RaggedTensor:
    if isinstance(value, RaggedTensor):
        return value.with_flat_values(composing.cast(value.flat_values, dtype))
    return composing.cast(value, dtype)


def dynamic_partition(
    data: RaggedTensor, partitions: Sequence[int], num_partitions: int, name: str | None = None
) -> list[Any]:
    """`tf.dynamic_partition` of ragged rows.

    Raises:
        TypeError: if the number is no int that is 0 or greater.
    """
    if not isinstance(num_partitions, int) or num_partitions < 0:
        raise TypeError("num_partitions must be a non-negative integer")
    rows = stack_dynamic_partitions(data, partitions, num_partitions, name)
    return [rows[i] for i in range(num_partitions)]
