"""Making sparse tensors, and dense ones of them: placeholders, `from_dense`, `eye`, `to_dense`, indicators, merging."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import IndexedSlices, SparseTensor, SparseTensorValue
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import is_fully_defined
from headrace.core.dtypes import float32, int64
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.composing.filling import ones, zeros
from headrace.kernels.composing.shapes import shape as shape_of
from headrace.kernels.sparse.indices import sparse_input
from headrace.ops.array.constant import placeholder
from headrace.ops.array.where import where
from headrace.ops.sparse.reshape import sparse_reorder

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


def sparse_placeholder(
    dtype: DTypeLike, shape: ShapeLike | Tensor | None = None, name: str | None = None
) -> SparseTensor:
    """A sparse tensor that must be fed, as a SparseTensorValue or (indices, values, dense_shape).

    Args:
        dtype: the element type.
        shape: the shape, if it is always the same; where a size is unknown the shape is fed too.
        name: what its operations are named after.

    Example:
        >>> x = tf.sparse.placeholder(tf.float32)
        >>> value = tf.SparseTensorValue([[0, 1]], [2.0], [1, 2])
        >>> tf.Session().run(tf.sparse.reduce_sum(x, 1), {x: value})
        array([2.], dtype=float32)
    """
    parts: dict[str, Any] = {
        part: None if name is None else f"{name}/{part}" for part in ("shape", "values", "indices")
    }
    rank = None
    dense_shape = None
    if isinstance(shape, Tensor):
        rank = shape.dims[0] if shape.dims else None
        dense_shape = shape
    elif shape is not None:
        static = TensorShape(shape)
        rank = static.rank
        if is_fully_defined(static.as_dims):
            dense_shape = convert_to_tensor(static.as_list(), int64, name=parts["shape"])
    if dense_shape is None:
        dense_shape = placeholder(int64, [rank], name=parts["shape"])
    values = placeholder(dtype, [None], name=parts["values"])
    indices = placeholder(int64, [None, rank], name=parts["indices"])
    return SparseTensor(indices, values, dense_shape)


def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """The elements of a dense tensor that are not 0 (or empty) as a sparse one.

    Args:
        tensor: a tensor.
        name: a name scope.

    Example:
        >>> tf.Session().run(tf.sparse.from_dense([0, 7, 0])).indices
        array([[1]])
    """
    with name_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        zero = convert_to_tensor("" if tensor.dtype.name == "string" else 0, tensor.dtype.base_dtype, name="Const")
        indices = where(raw.NotEqual(tensor, zero))
        return SparseTensor(indices, raw.GatherNd(tensor, indices), shape_of(tensor, out_type=int64))


def sparse_eye(
    num_rows: TensorLike, num_columns: Any = None, dtype: DTypeLike = float32, name: str | None = None
) -> SparseTensor:
    """A sparse matrix with ones on the diagonal.

    Args:
        num_rows: how many rows, an int or int tensor.
        num_columns: how many columns, as many by default.
        dtype: the element type.
        name: a name scope.

    Raises:
        TypeError: if a number is not an integer.

    Example:
        >>> tf.Session().run(tf.sparse.eye(2, 3)).indices
        array([[0, 0],
               [1, 1]])
    """
    with name_scope(name, "eye", [num_rows, num_columns]):
        rows = _as_int64(num_rows, "num_rows")
        columns = rows if num_columns is None else _as_int64(num_columns, "num_columns")
        length = raw.Minimum(rows, columns)
        places = composing.range_(length, dtype=int64)
        indices = composing.stack([places, places], axis=1)
        return SparseTensor(indices, ones(length, dtype), [rows, columns])


def _as_int64(value: TensorLike, name: str) -> Tensor:
    if isinstance(value, numbers.Integral):
        return convert_to_tensor(int(value), int64, name=name)
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be an integer value")
    return composing.cast(value, int64)


def sparse_tensor_to_dense(
    sp_input: SparseTensor | TensorLike,
    default_value: Any = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A dense tensor that is `default_value` where no element is stored.

    Args:
        sp_input: a SparseTensor.
        default_value: a scalar, 0 (or the empty string) by default.
        validate_indices: whether the elements must be in order, each place once.
        name: a name for the operation.

    Raises:
        TypeError: if `sp_input` is not sparse.

    Example:
        >>> x = tf.SparseTensor([[0, 1]], [2.0], [1, 3])
        >>> tf.Session().run(tf.sparse.to_dense(x))
        array([[0., 2., 0.]], dtype=float32)
    """
    sp_input = sparse_input(sp_input)
    if default_value is None:
        default_value = zeros([], dtype=sp_input.dtype)
    return raw.SparseToDense(
        sp_input.indices,
        sp_input.dense_shape,
        sp_input.values,
        default_value,
        validate_indices=validate_indices,
        name=name,
    )


def sparse_to_indicator(sp_input: SparseTensor, vocab_size: Any, name: str | None = None) -> Tensor:
    """Which of the ids 0 to `vocab_size` - 1 occur in each innermost row.

    Args:
        sp_input: a SparseTensor [d0, ..., dn] of int ids.
        vocab_size: how many ids there are, an int or int tensor.
        name: a name scope.

    Returns:
        a bool tensor [d0, ..., d(n-1), vocab_size].

    Raises:
        TypeError: if `sp_input` is not sparse.

    Example:
        >>> x = tf.SparseTensor([[0, 0], [0, 1]], [2, 0], [1, 2])
        >>> tf.Session().run(tf.sparse.to_indicator(x, 3))
        array([[ True, False,  True]])
    """
    sp_input = sparse_input(sp_input)
    with name_scope(name, "SparseToIndicator", [sp_input]) as scope:
        count = composing.shape(sp_input.indices)[0]
        present = raw.Fill(composing.expand_dims(count, 0), True)
        marks = SparseTensor(sp_input.indices, present, sp_input.dense_shape)
        merged = sparse_merge(sp_input, marks, vocab_size, scope)
        return sparse_tensor_to_dense(merged, default_value=False, validate_indices=False, name=scope)


def _is_sparse_or_value(item: SparseTensor | Sequence[SparseTensor]) -> bool:
    return isinstance(item, (SparseTensor, SparseTensorValue))


def _check_size(size: Any, what: str) -> None:
    if not isinstance(size, (Tensor, numbers.Integral)):
        raise TypeError(f"vocab_size has to be a {what}. Found {type(size)}")


def sparse_merge(
    sp_ids: Any, sp_values: SparseTensor, vocab_size: Any, name: str | None = None, already_sorted: bool = False
) -> SparseTensor:
    """Ids and values of features, both listed row by row, as one sparse tensor that has the values at the ids.

    Args:
        sp_ids: a SparseTensor [d0, ..., dn] of ints, or a list of such: each is a further axis.
        sp_values: a SparseTensor of the same places.
        vocab_size: how many ids there are, an int or int tensor; or a list of these.
        name: a name scope.
        already_sorted: whether the ids of each row increase, so that nothing needs sorting.

    Returns:
        a SparseTensor [d0, ..., d(n-1), vocab_size...].

    Raises:
        TypeError: if something is of another kind.
        ValueError: if there are not as many sizes as ids.

    Example:
        >>> ids = tf.SparseTensor([[0, 0], [0, 1]], [4, 1], [1, 2])
        >>> values = tf.SparseTensor([[0, 0], [0, 1]], [0.5, 0.25], [1, 2])
        >>> tf.Session().run(tf.sparse.merge(ids, values, 6)).indices
        array([[0, 1],
               [0, 4]])
    """
    if _is_sparse_or_value(sp_ids):
        _check_size(vocab_size, "Tensor or Python int")
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    else:
        if not isinstance(sp_ids, Iterable):
            raise TypeError(f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}")
        if not isinstance(vocab_size, Iterable) or isinstance(vocab_size, Tensor):
            raise TypeError(f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}")
        for size in vocab_size:
            _check_size(size, "list of Tensors or Python ints")
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    with name_scope(name, "SparseMerge", [sp_ids, sp_values]):
        sparse_ids = [sparse_input(item) for item in sp_ids]
        values = sparse_input(sp_values).values
        columns = [composing.expand_dims(composing.cast(item.values, int64), axis=1) for item in sparse_ids]
        sizes = [composing.cast(size, int64) for size in vocab_size]
        first = sparse_ids[0]
        indices = composing.concat([first.indices[:, :-1], *columns], 1)
        shape = composing.concat([first.dense_shape[:-1], sizes], 0)
        merged = SparseTensor(indices, values, shape)
        if already_sorted:
            return merged
        ordered = sparse_reorder(merged)
        return SparseTensor(ordered.indices, ordered.values, shape)


def sparse_mask(a: IndexedSlices, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """Slices without those at some indices.

    Args:
        a: an IndexedSlices.
        mask_indices: the indices that are left out, a vector of ints.
        name: a name for the operation.

    Example:
        >>> slices = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([3, 5]))
        >>> tf.Session().run(tf.sparse.mask(slices, [3])).indices
        array([5], dtype=int32)
    """
    with name_scope(name, "sparse_mask", [a, mask_indices]) as scope:
        indices, kept = raw.ListDiff(a.indices, mask_indices)
        return IndexedSlices(composing.gather(a.values, kept, name=scope), indices, a.dense_shape)
