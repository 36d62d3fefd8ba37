"""Ragged tensors made of tensors, dense or sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import convert_to_tensor_or_sparse_tensor, is_sparse
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import as_dtype, int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.where import boolean_mask, sequence_mask
from headrace.functions.flow.assertion import Assert
from headrace.functions.ragged.from_rows import FromRows
from headrace.functions.ragged.segment_ids import int_tensor, numbers_up_to
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.functions.ragged.tensor import RaggedTensor


def _without_padding(tensor: Tensor, padding: TensorLike, columns: Tensor) -> Tensor:
    """The lengths of rows without the padding at their ends."""
    padding = convert_to_tensor(padding, tensor.dtype, name="padding")
    padding.shape.assert_is_compatible_with(tensor.shape[2:])
    there = raw.NotEqual(tensor, padding)
    if tensor.dims is None or len(tensor.dims) > 2:
        there = raw.Any(there, raw.Range(2, composing.rank(tensor), 1))
    there.set_shape([None, None])
    last = composing.cast(there, columns.dtype) * composing.expand_dims(numbers_up_to(columns) + 1, 0)
    return raw.Maximum(raw.Max(last, 1), convert_to_tensor(0, columns.dtype))


class FromTensors(FromRows):
    """The methods that make a `RaggedTensor`, whose base this is, of a tensor."""

    @classmethod
    def from_tensor(
        cls,
        tensor: TensorLike,
        lengths: TensorLike | None = None,
        padding: TensorLike | None = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DTypeLike = int64,
    ) -> Any:
        """The rows of a tensor, whole or without what was only put there to fill them up.

        Args:
            tensor: a tensor of more than `ragged_rank` dimensions.
            lengths: int vector: how much of each row there is; or a list of such, a level each.
            padding: the value that fills rows up at their ends.
            ragged_rank: how many levels of rows there are to be.
            name: a name for the operations.
            row_splits_dtype: int32 or int64.

        Raises:
            ValueError: if both lengths and padding are given, or there are too few dimensions.
            TypeError: if ragged_rank is no int.

        Example:
            >>> tf.RaggedTensor.from_tensor([[5, 7, 0], [0, 3, 0]], padding=0)  # [[5, 7], [0, 3]]
        """
        splits_type = as_dtype(row_splits_dtype)
        if lengths is not None and padding is not None:
            raise ValueError("Specify lengths or padding, but not both")
        if not isinstance(ragged_rank, int):
            raise TypeError(f"ragged_rank expected int, got {ragged_rank!r}")
        if ragged_rank <= 0:
            raise ValueError(f"ragged_rank must be greater than 0; got {ragged_rank}")
        with name_scope(name, "RaggedFromTensor", [tensor, lengths, padding]):
            tensor = convert_to_tensor(tensor, name="tensor")
            tensor.shape.with_rank_at_least(ragged_rank + 1)
            shape = shape_internal(tensor, out_type=splits_type)
            columns = shape[1]
            if ragged_rank > 1:
                # All but the innermost level have rows of equal lengths.
                rest = composing.concat([convert_to_tensor([-1], splits_type), shape[ragged_rank:]], 0)
                values: RaggedTensor = cls.from_tensor(
                    raw.Reshape(tensor, rest), lengths, padding, row_splits_dtype=splits_type
                )
                counts = raw.Cumprod(shape, 0)
                levels = [numbers_up_to(counts[i - 1] + 1) * shape[i] for i in range(1, ragged_rank)]
                made = cls.from_nested_row_splits(values, levels, validate=False)
                return made
            if padding is not None:
                lengths = _without_padding(tensor, padding, columns)
            if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, float)):
                return cls._cut_to_levels(tensor, lengths)
            if lengths is not None:
                lengths = int_tensor(lengths, "lengths", splits_type)
                lengths.shape.assert_has_rank(1)
                lengths = raw.Maximum(raw.Minimum(lengths, columns), 0)
                limits = raw.Cumsum(lengths, 0)
                splits = composing.concat([composing.zeros([1], splits_type), limits], 0)
                kept = boolean_mask(tensor, sequence_mask(lengths, maxlen=columns))
                return cls.from_row_splits(kept, splits, validate=False)
            rows = shape[0]
            count = rows * columns
            splits = numbers_up_to(rows + 1) * columns
            merged = composing.concat([[count], shape[2:]], 0)
            if tensor.dims is not None and tensor.dims[0] is not None:
                splits.set_shape([tensor.dims[0] + 1])
            return cls.from_row_splits(raw.Reshape(tensor, merged), splits, validate=False)

    @classmethod
    def _cut_to_levels(cls, tensor: Tensor, lengths: Sequence[Any]) -> Any:
        """What of `tensor` lies within rows of rows of these lengths, a level each."""
        tensor.shape.with_rank_at_least(len(lengths) + 1)
        count = raw.Sum(convert_to_tensor(lengths[-1], preferred_dtype=int64), 0)
        there = raw.Fill(raw.Pack([count]), convert_to_tensor(True))
        mask = cls.from_nested_row_lengths(there, lengths, validate=False).to_tensor(default_value=False)
        made = cls.from_nested_row_lengths(boolean_mask(tensor, mask), lengths, validate=False)
        return made

    @classmethod
    def from_sparse(
        cls, st_input: TensorLike | SparseTensor, name: str | None = None, row_splits_dtype: DTypeLike = int64
    ) -> RaggedTensor:
        """The rows of a sparse matrix, each of whose rows is stored from its first column on without a gap.

        Args:
            st_input: a `SparseTensor` of two dimensions.
            name: a name for the operations.
            row_splits_dtype: int32 or int64.

        Raises:
            TypeError: if it is not sparse. ValueError: if it has not two dimensions. InvalidArgumentError: when it is run
                and has gaps.
        """
        splits_type = as_dtype(row_splits_dtype)
        if not is_sparse(st_input):
            raise TypeError(f"Expected SparseTensor, got {type(st_input).__name__}")
        with name_scope(name, "RaggedFromSparse"):
            sparse = convert_to_tensor_or_sparse_tensor(st_input, name="st_input")
            ranks = [d[i] for d, i in ((sparse.dense_shape.dims, 0), (sparse.indices.dims, 1)) if d is not None]
            if 2 not in ranks:
                raise ValueError("rank(st_input) must be 2")
            indices = sparse.indices
            changes = raw.Any(raw.NotEqual(indices[1:, :-1], indices[:-1, :-1]), 1)
            last = indices[:, -1]
            fits = raw.Select(changes, raw.Equal(last[1:], 0), raw.Equal(last[1:], last[:-1] + 1))
            fits = raw.LogicalAnd(raw.All(raw.Equal(last[:1], 0), 0), raw.All(fits, 0))
            with control_dependencies(
                [Assert(fits, ["SparseTensor is not right-ragged", "SparseTensor.indices =", indices])]
            ):
                ids = composing.cast(raw.Identity(indices[:, 0]), splits_type)
                rows = composing.cast(sparse.dense_shape[0], splits_type)
                return cls.from_value_rowids(sparse.values, ids, rows, validate=False)
