"""Ragged tensors made of rows that are given in one way or another."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest, slots
from headrace.core.composite_types import CompositeTensor
from headrace.core.constant_value import plain_constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32, int64
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_equal, assert_less, assert_less_equal, assert_non_negative
from headrace.functions.flow.rank_checks import assert_rank, assert_rank_at_least
from headrace.functions.math.counting import bincount
from headrace.functions.ragged.segment_ids import lengths_to_splits
from headrace.functions.ragged.value import RaggedTensorValue
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.flow.grouping import with_dependencies

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike
    from headrace.functions.ragged.tensor import RaggedTensor


_INDEX_TYPES = (int32, int64)


def _increasing(tensor: Tensor, message: str) -> Operation:
    return assert_non_negative(tensor[1:] - tensor[:-1], message=message)


def _row_count(values: TensorLike | RaggedTensor, dtype: DType) -> Tensor:
    return values.nrows(dtype) if isinstance(values, FromRows) else shape_internal(values, out_type=dtype)[0]


def _checked(
    rows: TensorLike | RaggedTensor, validate: bool, partition: Tensor, what: str, make: Callable[[str], list[Any]]
) -> Tensor:
    if not isinstance(validate, bool):
        raise TypeError("validate must have type bool")
    if not validate:
        return partition
    checks = make(f"Arguments to {what} do not form a valid RaggedTensor")
    if not isinstance(rows, FromRows):
        checks.append(assert_rank_at_least(rows, 1))
    return with_dependencies(checks, partition)


def _rows_or_tensor(values: TensorLike | RaggedTensor) -> Tensor | RaggedTensor:
    if isinstance(values, (FromRows, RaggedTensorValue)):
        return slots.ragged_or_dense(values)
    return convert_to_tensor(values, name="values")


class FromRows(CompositeTensor):
    """The methods that make a `RaggedTensor`, whose base this is, of its rows."""

    nrows: Callable[..., Tensor]
    row_splits: Any
    values: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError

    def _part_dims(self, dims: Any) -> list[Any]:
        inner = None if dims is None else (None, *dims[2:])
        splits = (None if not dims or dims[0] is None else dims[0] + 1,)
        flat, *rows = self.values._part_dims(inner) if isinstance(self.values, FromRows) else [inner]
        return [flat, splits, *rows]

    @classmethod
    def _converted(cls, values: TensorLike | RaggedTensor, partition: TensorLike, name: str) -> tuple[Any, Tensor]:
        values = _rows_or_tensor(values)
        if isinstance(values, FromRows):
            if not isinstance(partition, Tensor):
                return values, convert_to_tensor(partition, values.row_splits.dtype, name=name)
            if partition.dtype in _INDEX_TYPES and partition.dtype is not values.row_splits.dtype:
                raise ValueError(
                    f"dtype mismatch: {name} ({partition.dtype}) vs values.row_splits ({values.row_splits.dtype})"
                )
        elif isinstance(partition, np.ndarray) and partition.dtype == np.int32:
            partition = convert_to_tensor(partition, name=name)
        else:
            partition = convert_to_tensor(partition, preferred_dtype=int64, name=name)
        if partition.dtype not in _INDEX_TYPES:
            raise ValueError(f"{name} must have dtype int32 or int64")
        partition.shape.assert_has_rank(1)
        return values, partition

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: int | Tensor | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows given by the number of each value's row.

        Args:
            values: tensor or ragged tensor: the values of all rows.
            value_rowids: sorted int vector, as long as there are values.
            nrows: int scalar: the number of rows; by default one more than the last id.
            name: a name for the operations.
            validate: whether to check that the arguments fit each other when they are run.

        Raises:
            ValueError: if what is known of the arguments does not fit.

        Example:
            >>> tf.RaggedTensor.from_value_rowids([3, 1, 4], [0, 0, 2])  # [[3, 1], [], [4]]
        """
        with name_scope(name, "RaggedFromValueRowIds", [value_rowids, nrows]):
            values, ids = cls._converted(values, value_rowids, "value_rowids")
            known_ids = plain_constant_value(ids)
            known: Any = None
            least = None if known_ids is None else (int(known_ids[-1]) + 1 if known_ids.size else 0)
            if nrows is not None:
                nrows = convert_to_tensor(nrows, ids.dtype, name="nrows")
                known = plain_constant_value(nrows)
                if known is not None and known < 0:
                    raise ValueError(f"Expected nrows >= 0; got {int(known)}")
                if known is not None and least and known < least:
                    raise ValueError(
                        f"Expected nrows >= value_rowids[-1] + 1; got nrows={int(known)}, value_rowids[-1]={least - 1}"
                    )
            elif least is not None:
                known, nrows = least, convert_to_tensor(least, ids.dtype, name="nrows")
            else:
                nrows = composing.concat([ids[-1:], [-1]], 0)[0] + 1
            nrows.shape.assert_has_rank(0)
            values.shape[:1].assert_is_compatible_with(ids.shape)

            def checks(message: str) -> list[Any]:
                counts = _row_count(values, int32), _row_count(ids, int32)
                return [
                    assert_rank(ids, 1, message=message),
                    assert_rank(nrows, 0, message=message),
                    assert_equal(*counts, message=message),
                    assert_non_negative(ids[:1], message=message),
                    _increasing(ids, message),
                    assert_less(ids[-1:], nrows, message=message),
                ]

            ids = _checked(values, validate, ids, "from_value_rowids", checks)
            narrow, most = composing.cast(ids, int32), composing.cast(nrows, int32)
            lengths = bincount(narrow, minlength=most, maxlength=most, dtype=ids.dtype)
            splits = lengths_to_splits(lengths, 0)
            if known is not None:
                lengths.set_shape([int(known)])
                splits.set_shape([int(known) + 1])
            return cls(values, splits, lengths, ids, nrows, internal=True)

    @classmethod
    def from_row_splits(
        cls, values: TensorLike | RaggedTensor, row_splits: TensorLike, name: str | None = None, validate: bool = True
    ) -> Any:
        """Rows given by where they begin and end.

        Args:
            values: tensor or ragged tensor: the values of all rows.
            row_splits: int vector: 0, where the further rows begin, and the number of values.
            name: a name for the operations.
            validate: whether to check that the arguments fit each other when they are run.

        Raises:
            ValueError: if `row_splits` is empty or no int vector.

        Example:
            >>> tf.RaggedTensor.from_row_splits([3, 1, 4], [0, 2, 2, 3])  # [[3, 1], [], [4]]
        """
        if isinstance(row_splits, (list, tuple)) and not row_splits:
            raise ValueError("row_splits tensor may not be empty.")
        with name_scope(name, "RaggedFromRowSplits", [row_splits]):
            values, splits = cls._converted(values, row_splits, "row_splits")

            def checks(message: str) -> list[Any]:
                count = _row_count(values, splits.dtype)
                return [
                    assert_rank(splits, 1, message=message),
                    assert_equal(splits[0], convert_to_tensor(0, splits.dtype), message=message),
                    _increasing(splits, message),
                    assert_equal(splits[-1], count, message=message),
                ]

            return cls(values, _checked(values, validate, splits, "from_row_splits", checks), internal=True)

    @classmethod
    def from_row_lengths(
        cls, values: TensorLike | RaggedTensor, row_lengths: TensorLike, name: str | None = None, validate: bool = True
    ) -> Any:
        """Rows given by their lengths.

        Args:
            values: tensor or ragged tensor: the values of all rows.
            row_lengths: int vector.
            name: a name for the operations.
            validate: whether to check that the arguments fit each other when they are run.

        Example:
            >>> tf.RaggedTensor.from_row_lengths([3, 1, 4], [2, 0, 1])  # [[3, 1], [], [4]]
        """
        with name_scope(name, "RaggedFromRowLengths", [row_lengths]):
            values, lengths = cls._converted(values, row_lengths, "row_lengths")

            def checks(message: str) -> list[Any]:
                total = raw.Sum(lengths, convert_to_tensor([0], name="Const"))
                count = _row_count(values, lengths.dtype)
                return [
                    assert_rank(lengths, 1, message=message),
                    assert_non_negative(lengths, message=message),
                    assert_equal(total, count, message=message),
                ]

            lengths = _checked(values, validate, lengths, "from_row_lengths", checks)
            return cls(values, lengths_to_splits(lengths, 0), cached_row_lengths=lengths, internal=True)

    @classmethod
    def from_row_starts(
        cls, values: TensorLike, row_starts: TensorLike, name: str | None = None, validate: bool = True
    ) -> Any:
        """Rows given by where they begin.

        Args:
            values: tensor or ragged tensor: the values of all rows.
            row_starts: sorted int vector that begins with 0 unless it is empty.
            name: a name for the operations.
            validate: whether to check that the arguments fit each other when they are run.

        Example:
            >>> tf.RaggedTensor.from_row_starts([3, 1, 4], [0, 2, 2])  # [[3, 1], [], [4]]
        """
        with name_scope(name, "RaggedFromRowStarts", [row_starts]):
            values, starts = cls._converted(values, row_starts, "row_starts")
            count = _row_count(values, starts.dtype)

            def checks(message: str) -> list[Any]:
                return [
                    assert_rank(starts, 1, message=message),
                    assert_equal(starts[:1], convert_to_tensor(0, starts.dtype), message=message),
                    _increasing(starts, message),
                    assert_less_equal(starts[-1:], count, message=message),
                ]

            starts = _checked(values, validate, starts, "from_row_starts", checks)
            return cls(values, composing.concat([starts, [count]], 0), internal=True)

    @classmethod
    def from_row_limits(
        cls, values: TensorLike, row_limits: TensorLike, name: str | None = None, validate: bool = True
    ) -> Any:
        """Rows given by where they end.

        Args:
            values: tensor or ragged tensor: the values of all rows.
            row_limits: sorted int vector that ends with the number of values.
            name: a name for the operations.
            validate: whether to check that the arguments fit each other when they are run.

        Example:
            >>> tf.RaggedTensor.from_row_limits([3, 1, 4], [2, 2, 3])  # [[3, 1], [], [4]]
        """
        with name_scope(name, "RaggedFromRowLimits", [row_limits]):
            values, limits = cls._converted(values, row_limits, "row_limits")

            def checks(message: str) -> list[Any]:
                count = _row_count(values, limits.dtype)
                return [
                    assert_rank(limits, 1, message=message),
                    assert_non_negative(limits[:1], message=message),
                    _increasing(limits, message),
                    assert_equal(limits[-1:], count, message=message),
                ]

            limits = _checked(values, validate, limits, "from_row_limits", checks)
            zero = composing.zeros([1], limits.dtype)
            return cls(values, composing.concat([zero, limits], 0), internal=True)

    @classmethod
    def _nested(
        cls,
        make: Callable[..., Any],
        values: TensorLike | RaggedTensor,
        levels: Tensor | Sequence[Tensor | np.ndarray],
        what: str,
        name: str | None,
        scope: str,
        *more: Any,
    ) -> Any:
        if isinstance(levels, Tensor):
            raise TypeError(f"{what} must be a list of Tensors")
        with name_scope(name, scope, list(levels)):
            for parts in reversed(list(zip(levels, *more, strict=True))):
                values = make(values, *parts)
            return values

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Sequence[TensorLike],
        nested_value_rowids: Sequence[Any],
        nested_nrows: Sequence[Any] | None = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows of rows given as in `from_value_rowids`, the outermost level first.

        Args:
            flat_values: the innermost values.
            nested_value_rowids: a list of int vectors.
            nested_nrows: a list of the numbers of rows.
            name: a name for the operations.
            validate: whether to check that the arguments fit each other when they are run.

        Raises:
            TypeError: if a list is a tensor. ValueError: if the lists have different lengths.
        """
        if isinstance(nested_nrows, Tensor):
            raise TypeError("nested_nrows must be a list of Tensors")
        if isinstance(nested_value_rowids, Tensor):
            raise TypeError("nested_value_rowids must be a list of Tensors")
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else list(nested_nrows)
        if len(counts) != len(nested_value_rowids):
            raise ValueError("nested_nrows must have the same length as nested_value_rowids")

        def make(values: Tensor | RaggedTensor | Sequence[int], ids: Sequence[int], nrows: int) -> RaggedTensor:
            return cls.from_value_rowids(values, ids, nrows, validate=validate)

        what, scope = "nested_value_rowids", "RaggedFromNestedValueRowIds"
        return cls._nested(make, flat_values, nested_value_rowids, what, name, scope, counts)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: TensorLike | RaggedTensor,
        nested_row_splits: Sequence[Any],
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows of rows given as in `from_row_splits`, the outermost level first.

        Args:
            flat_values: the innermost values.
            nested_row_splits: a list of int vectors.
            name: a name for the operations.
            validate: whether to check that the arguments fit each other when they are run.

        Raises:
            TypeError: if the list is a tensor.
        """

        def make(values: TensorLike | RaggedTensor, splits: TensorLike) -> RaggedTensor:
            return cls.from_row_splits(values, splits, validate=validate)

        what, scope = "nested_row_splits", "RaggedFromNestedRowSplits"
        return cls._nested(make, flat_values, nested_row_splits, what, name, scope)

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values: TensorLike, nested_row_lengths: Sequence[Any], name: str | None = None, validate: bool = True
    ) -> Any:
        """Rows of rows given as in `from_row_lengths`, the outermost level first.

        Args:
            flat_values: the innermost values.
            nested_row_lengths: a list of int vectors.
            name: a name for the operations.
            validate: whether to check that the arguments fit each other when they are run.

        Raises:
            TypeError: if the list is a tensor.
        """

        def make(values: TensorLike | RaggedTensor, lengths: TensorLike) -> RaggedTensor:
            return cls.from_row_lengths(values, lengths, validate=validate)

        what, scope = "nested_row_lengths", "RaggedFromNestedRowlengths"
        return cls._nested(make, flat_values, nested_row_lengths, what, name, scope)


nest.register_composite(
    FromRows,
    lambda rows: [rows.flat_values, *rows.nested_row_splits],
    lambda rows, parts: functools.reduce(
        lambda values, splits: type(rows).from_row_splits(values, splits, validate=False), parts[:0:-1], parts[0]
    ),
)
