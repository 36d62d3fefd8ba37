"""Looking up rows of tables by id, and combining those of sparse ids."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from headrace.core.composite import SparseTensor, convert_to_tensor_or_indexed_slices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, name_scope
from headrace.core.dims import Dims, is_fully_defined, merge_dims
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_prod, reduce_sum
from headrace.kernels import composing
from headrace.ops.array.constant import constant
from headrace.ops.array.fill import fill
from headrace.ops.math.clip import clip_by_norm

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_log = logging.getLogger("tensorflow")


@runtime_checkable
class Partitioned(Protocol):
    """A variable kept in several parts: `PartitionedVariable`, which lies in a room above."""

    def _get_partitions(self) -> Sequence[int]: ...

    def __iter__(self) -> Iterator[Any]: ...


def tables(params: Any) -> list[Any]:
    """The tensors or variables among which the rows of a table are divided.

    Raises:
        ValueError: if there is none.
    """
    if params is None:
        raise ValueError("params must be specified")
    if isinstance(params, Partitioned):
        params = list(params)
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError("Need at least one param")
    return params if isinstance(params, list) else list(params) if isinstance(params, tuple) else [params]


def _is_resource(param: TensorLike) -> bool:
    if hasattr(param, "_as_colocation"):
        # A variable of several replicas: it may be in no one place, and its value is looked up in.
        return False
    handle = getattr(param, "_handle", None)
    return isinstance(handle, Tensor) and handle.dtype.name == "resource"


def _dims(param: Any) -> Dims:
    dims = param.get_shape().as_dims if hasattr(param, "get_shape") else np.shape(param)
    return None if dims is None else tuple(dims)


def _first_size(param: Tensor) -> Any:
    dims = _dims(param)
    return None if dims is None else dims[0]


def _rows(param: Any, ids: Tensor, name: str | None = None) -> Tensor:
    return param.sparse_read(ids, name=name) if _is_resource(param) else raw.GatherV2(param, ids, 0, name=name)


def _clipped(rows: Tensor, ids: TensorLike, max_norm: TensorLike | None) -> Tensor:
    """`rows` scaled down where their norm is above `max_norm`."""
    if max_norm is None:
        return rows
    ids_rank, ids_known = _rank_of(ids)
    rows_rank, rows_known = _rank_of(rows)
    axes = list(range(ids_rank, rows_rank)) if ids_known and rows_known else composing.range_(ids_rank, rows_rank)
    return clip_by_norm(rows, max_norm, axes=axes)


def _rank_of(value: TensorLike) -> tuple[Any, bool]:
    dims = convert_to_tensor(value).dims
    # A scalar's rank is asked for as if it were unknown; so it was in 1.15, and the operations stay the same.
    return (len(dims), True) if dims else (composing.rank(value), False)


def embedding_lookup(
    params: object,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: TensorLike | None = None,
) -> Tensor:
    """The rows of `params` that `ids` name.

    Args:
        params: a table [rows, ...], or a list of tables (or a partitioned variable) among which the rows are divided.
        ids: int32 or int64 row numbers of any shape.
        partition_strategy: "mod": row i is in table i mod n; "div": the tables hold consecutive rows. It makes no
            difference to one table.
        name: a name for the operation.
        validate_indices: has had no effect since 1.0: on a CPU ids are always checked.
        max_norm: scale rows down to this norm, if given.

    Returns:
        a tensor [*shape of ids, ...].

    Raises:
        ValueError: if there is no table, or for another strategy.

    Example:
        >>> tf.Session().run(tf.nn.embedding_lookup(tf.constant([[1.0], [2.0], [3.0]]), [2, 0]))
        array([[3.],
               [1.]], dtype=float32)
    """
    return _embedding_lookup_and_transform(params, ids, partition_strategy, name, max_norm)


def _embedding_lookup_and_transform(
    params: object,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    max_norm: TensorLike | None = None,
    transform_fn: Callable[[Any], Any] | None = None,
) -> Tensor:
    """`embedding_lookup` with a function of rows, applied to those of each table where the table is."""
    params = tables(params)
    with name_scope(name, "embedding_lookup", [*params, ids]) as scope:
        if not any(_is_resource(param) for param in params):
            params = [convert_to_tensor_or_indexed_slices(param, name=f"params_{i}") for i, param in enumerate(params)]
        ids = convert_to_tensor(ids, name="ids")
        if len(params) == 1 and (transform_fn is None or (ids.dims is not None and len(ids.dims) == 1)):
            with colocate_with(params[0]):
                rows = _clipped(_rows(params[0], ids, scope), ids, max_norm)
                if transform_fn is not None:
                    rows = transform_fn(rows)
            return raw.Identity(rows)
        return _divided(params, ids, partition_strategy, scope, max_norm, transform_fn)


def _divided(
    params: list[Any],
    ids: Tensor,
    strategy: str,
    scope: str,
    max_norm: TensorLike | None,
    transform: Callable[[Any], Any] | None = None,
) -> Tensor:
    count = len(params)
    flat = raw.Reshape(ids, [-1])
    places = composing.range_(composing.size(flat))
    if strategy == "mod":
        owner = flat % count
        local = flat // count
    elif strategy == "div":
        owner, local = _consecutive(params, flat)
    else:
        raise ValueError(f"Unrecognized partition strategy: {strategy}")
    owner = composing.cast(owner, "int32")
    ids_of = raw.DynamicPartition(local, owner, count)
    places_of = raw.DynamicPartition(places, owner, count)
    parts = []
    for param, own_ids in zip(params, ids_of, strict=True):
        with colocate_with(param):
            rows = _rows(param, own_ids)
            parts.append(rows if transform is None else transform(_clipped(rows, own_ids, max_norm)))
    result = raw.ParallelDynamicStitch(places_of, parts, name=scope)
    if transform is not None:
        kept = None if result.dims is None else result.dims[1:]
        known = kept is not None and is_fully_defined(kept)
        sizes = _int32(list(kept or ())) if known else composing.shape(result)[1:]
        result = raw.Reshape(result, composing.concat([composing.shape(ids), sizes], 0))
        result.set_shape(TensorShape.from_dims(ids.dims).concatenate(TensorShape.from_dims(kept)))
        return result

    element: Dims = None
    for param in params:
        dims = _dims(param)
        element = merge_dims(element, None if dims is None else dims[1:])
    if element is not None and is_fully_defined(element):
        element_shape: Any = list(element)
    else:
        with colocate_with(params[0]):
            shape = composing.shape(params[0])
        element_shape = shape[1:]
    result = raw.Reshape(result, composing.concat([composing.shape(ids), _int32(element_shape)], 0))
    result.set_shape(TensorShape.from_dims(ids.dims).concatenate(TensorShape.from_dims(element)))
    return _clipped(result, ids, max_norm)


def _int32(shape: TensorLike) -> Any:
    return np.array(shape, np.int32) if isinstance(shape, list) else shape


def _consecutive(params: list[Any], flat: Tensor) -> tuple[Tensor, Tensor]:
    """Table and row in it of each id where the first tables hold one row more than the others."""
    count = len(params)
    sizes = [_first_size(param) for param in params]
    rows = 0 if None in sizes else sum(size or 0 for size in sizes)
    total: Tensor
    if rows:
        total = constant(rows, flat.dtype.base_dtype)
    else:
        known = []
        for param, size in zip(params, sizes, strict=True):
            if size is None:
                with colocate_with(param):
                    size = composing.shape(param)[0]
            known.append(size)
        total = reduce_sum(composing.cast(composing.stack(known), flat.dtype))
    each = total // count
    extras = total % count
    owner = raw.Maximum(flat // (each + 1), (flat - extras) // each)
    local = raw.Select(owner < extras, flat % (each + 1), (flat - extras) % each)
    return owner, local


def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: SparseTensor | Sequence[int],
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: TensorLike | None = None,
) -> Tensor:
    """For each row of sparse ids, the rows of `params` that they name, combined.

    Args:
        params: a table [rows, ...] or a list of tables, as in `embedding_lookup`.
        sp_ids: a SparseTensor [batch, any] of int ids; each row of the batch needs at least one.
        sp_weights: a SparseTensor of floats at the same places, or None: all weights are 1.
        partition_strategy: as in `embedding_lookup`.
        name: a name for the operation.
        combiner: "sum" of the weighted rows; "mean": that over the sum of the weights, the default; "sqrtn": that over
            the square root of the sum of their squares.
        max_norm: scale rows down to this norm first, if given.

    Returns:
        a tensor [batch, ...].

    Raises:
        TypeError: if the ids or weights are not sparse.
        ValueError: for another combiner, or if the shapes of ids and weights differ.
    """
    if combiner is None:
        _log.warning('The default value of combiner will change from "mean" to "sqrtn" after 2016/11/01.')
        combiner = "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    params = tables(params)
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError("sp_ids must be SparseTensor")
    if sp_weights is not None:
        _require_same_places(sp_ids, sp_weights)
    with name_scope(name, "embedding_lookup_sparse", [*params, sp_ids]) as scope:
        segments = composing.cast(sp_ids.indices[:, 0], "int32")
        ids, index = raw.Unique(sp_ids.values)
        rows = embedding_lookup(params, ids, partition_strategy=partition_strategy, max_norm=max_norm)
        if rows.dtype.base_dtype.name in ("float16", "bfloat16"):
            rows = composing.cast(rows, "float32")
        if sp_weights is None:
            combine = {
                "sum": raw.SparseSegmentSum,
                "mean": raw.SparseSegmentMean,
                "sqrtn": raw.SparseSegmentSqrtN,
            }[combiner]
            return combine(rows, index, segments, name=scope)
        return _weighted(rows, index, segments, sp_weights.values, combiner, scope)


def _require_same_places(sp_ids: SparseTensor, sp_weights: TensorLike | SparseTensor) -> None:
    if not isinstance(sp_weights, SparseTensor):
        raise TypeError("sp_weights must be either None or SparseTensor")
    for part in ("values", "indices", "dense_shape"):
        getattr(sp_ids, part).get_shape().assert_is_compatible_with(getattr(sp_weights, part).get_shape())


def _weighted(rows: Tensor, index: Tensor, segments: Tensor, weights: Tensor, combiner: str, scope: str) -> Tensor:
    weights = composing.cast(weights, rows.dtype)
    rows = composing.gather(rows, index)
    ones = fill(raw.ExpandDims(composing.rank(rows) - 1, 0), 1)
    dims = weights.dims
    weights = raw.Reshape(weights, composing.concat([composing.shape(weights), ones], 0))
    if rows.dims is not None and dims is not None:
        weights.set_shape((*dims, *(1,) * (len(rows.dims) - 1)))
    rows = rows * weights
    if combiner == "sum":
        return raw.SegmentSum(rows, segments, name=scope)
    rows = raw.SegmentSum(rows, segments)
    if combiner == "mean":
        return raw.RealDiv(rows, raw.SegmentSum(weights, segments), name=scope)
    with name_scope(None, "Pow", [weights]) as power:
        squares = raw.Pow(weights, 2, name=power)
    return raw.RealDiv(rows, raw.Sqrt(raw.SegmentSum(squares, segments)), name=scope)


def safe_embedding_lookup_sparse(
    embedding_weights: Sequence[TensorLike],
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | None = None,
    combiner: str = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: TensorLike | None = None,
) -> Tensor:
    """`embedding_lookup_sparse` for ids that may be missing or invalid.

    Negative ids are left out, and so are those whose weight is not positive unless `combiner` is "sum". A row without
    any id becomes the row of `default_id`, or zeros.

    Args:
        embedding_weights: a table [rows, ...] or a list of tables.
        sparse_ids: a SparseTensor [d0, ..., dn] of int ids; the last axis is combined.
        sparse_weights: a SparseTensor of floats at the same places, or None.
        combiner: "sum", "mean" or "sqrtn", as in `embedding_lookup_sparse`.
        default_id: the id of rows without any, or None.
        name: a name scope.
        partition_strategy: as in `embedding_lookup`.
        max_norm: scale rows down to this norm first, if given.

    Returns:
        a tensor [d0, ..., d(n-1), width].

    Raises:
        ValueError: if there is no table.
    """
    if embedding_weights is None or (isinstance(embedding_weights, (list, tuple)) and not embedding_weights):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    dtype = None if sparse_weights is None else sparse_weights.dtype
    weights = [
        table
        if _is_resource(table) and (dtype is None or table.dtype == dtype)
        else convert_to_tensor(table, dtype=dtype)
        for table in tables(embedding_weights)
    ]
    with name_scope(name, "embedding_lookup", [*weights, sparse_ids, sparse_weights]) as scope:
        original = sparse_ids.dense_shape
        dims = original.dims
        rank: Any = composing.size(original) if dims is None or dims[0] is None else dims[0]
        outer = raw.Slice(original, [0], [rank - 1])
        # The axes before the last become one.
        sparse_ids = _as_matrix(sparse_ids, [reduce_prod(outer), composing.gather(original, rank - 1)])
        if sparse_weights is not None:
            sparse_weights = SparseTensor(sparse_ids.indices, sparse_weights.values, sparse_ids.dense_shape)
        sparse_ids, sparse_weights = _without_invalid_ids(sparse_ids, sparse_weights)
        if combiner != "sum" and sparse_weights is not None:
            positive = raw.Greater(sparse_weights.values, 0)
            sparse_ids = _retain(sparse_ids, positive)
            sparse_weights = _retain(sparse_weights, positive)
        sparse_ids, is_empty = _fill_empty_rows(sparse_ids, default_id or 0)
        if sparse_weights is not None:
            sparse_weights, _ = _fill_empty_rows(sparse_weights, 1.0)
        result = embedding_lookup_sparse(
            weights,
            sparse_ids,
            sparse_weights,
            combiner=combiner,
            partition_strategy=partition_strategy,
            name=None if default_id is None else scope,
            max_norm=max_norm,
        )
        if default_id is None:
            is_empty = raw.Tile(raw.Reshape(is_empty, [-1, 1]), composing.stack([1, composing.shape(result)[1]]))
            result = raw.Select(is_empty, composing.zeros_like(result), result, name=scope)
        shape = composing.concat(
            [
                raw.Slice(composing.cast(original, "int32"), [0], [rank - 1]),
                raw.Slice(composing.shape(result), [1], [-1]),
            ],
            0,
        )
        final = raw.Reshape(result, shape)
        if dims is not None and dims[0] is not None and result.dims is not None:
            final.set_shape((*(None,) * (dims[0] - 1), *result.dims[1:]))
        return final


def _without_invalid_ids(ids: SparseTensor, weights: SparseTensor | None) -> tuple[SparseTensor, SparseTensor | None]:
    valid = raw.GreaterEqual(ids.values, 0)
    if weights is not None:
        valid = raw.LogicalAnd(valid, composing.ones_like(weights.values, dtype="bool"))
    return _retain(ids, valid), None if weights is None else _retain(weights, valid)


def _as_matrix(value: SparseTensor, shape: list[Any]) -> SparseTensor:
    sizes = composing.cast(shape, "int64")
    with name_scope(None, "SparseReshape", [value]) as scope:
        indices, dense_shape = raw.SparseReshape(value.indices, value.dense_shape, sizes, name=scope)
        return SparseTensor(indices, raw.Identity(value.values), dense_shape)


def _retain(value: SparseTensor, keep: Tensor) -> SparseTensor:
    """The elements for which the bool vector `keep` is true."""
    kept = raw.Reshape(raw.Where(keep), [-1])
    indices, values = composing.gather(value.indices, kept), composing.gather(value.values, kept)
    return SparseTensor(indices, values, raw.Identity(value.dense_shape))


def _fill_empty_rows(value: SparseTensor, default: TensorLike) -> tuple[SparseTensor, Tensor]:
    """`value` with one element in each empty row, and which rows were empty."""
    with name_scope(None, "SparseFillEmptyRows", [value]):
        default = convert_to_tensor(default, dtype=value.values.dtype)
        indices, values, was_empty, _ = raw.SparseFillEmptyRows(value.indices, value.values, value.dense_shape, default)
        return SparseTensor(indices, values, value.dense_shape), was_empty
