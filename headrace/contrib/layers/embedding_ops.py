"""Looking up embeddings: of ids that may be missing, of each id once, and in tables that hash their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.feature_cross import sparse_feature_cross
from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32, string
from headrace.functions.flow.checks import assert_same_float_dtype
from headrace.functions.math.reduction import reduce_prod
from headrace.functions.math.segments import segment_sum, sparse_segment_mean, sparse_segment_sqrt_n, sparse_segment_sum
from headrace.functions.nn import embedding
from headrace.functions.sparse.building import sparse_tensor_to_dense
from headrace.kernels.composing.arithmetic import range as range_of
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import ones_like
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.ops.array.gather import gather
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.array.unique import unique
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import sqrt
from headrace.ops.sparse.rows import sparse_fill_empty_rows
from headrace.state.partitioned import PartitionedVariable
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


# What stands in for the ids of an empty row: chosen so that no feature is likely to be one.
_NOTHING_TEXT = "6ZxWzWOHxZ"
_NOTHING_NUMBER = 1288896567

_COMBINERS = {"sum": sparse_segment_sum, "mean": sparse_segment_mean, "sqrtn": sparse_segment_sqrt_n}


def _combiner(combiner: str | None) -> str:
    if combiner is None:
        tf_logging.warn('The default value of combiner will change from "mean" to "sqrtn" after 2016/11/01.')
        return "mean"
    return combiner


def _tables(params: TensorLike) -> list[Any]:
    if isinstance(params, PartitionedVariable):
        return list(params)
    return params if isinstance(params, list) else [params]


def safe_embedding_lookup_sparse(
    embedding_weights: TensorLike,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | None = None,
    combiner: str | None = None,
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: TensorLike | None = None,
) -> Tensor:
    """`tf.nn.safe_embedding_lookup_sparse`, with "mean" for a combiner that is not given.

    Raises:
        ValueError: if there is no table, or tables and weights are of different types.
    """
    combiner = _combiner(combiner)
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    dtype = None if sparse_weights is None else sparse_weights.dtype
    tables = [convert_to_tensor(table, dtype=dtype) for table in _tables(embedding_weights)]
    assert_same_float_dtype([*tables, sparse_weights])
    return embedding.safe_embedding_lookup_sparse(
        tables,
        sparse_ids,
        sparse_weights,
        combiner,
        default_id,
        name,
        partition_strategy,
        max_norm,
    )


def embedding_lookup_sparse_with_distributed_aggregation(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: TensorLike | None = None,
) -> Any:
    """`tf.nn.embedding_lookup_sparse` by division of the rows' sums, which for a row without ids is no number.

    1.x adds the rows up where each part of the table is; there is one machine here.

    Args:
        params, sp_ids, sp_weights, partition_strategy, name, max_norm: as there.
        combiner: "sum"; "mean", the default; or "sqrtn".

    Returns:
        a row for each row of ids, up to the last that has any.

    Raises:
        TypeError: if ids or weights are not sparse.
        ValueError: for another combiner or partition strategy.

    Example:
        >>> table = tf.constant([[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
        >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], np.array([0, 2, 1]), [2, 2])
        >>> sess.run(embedding_lookup_sparse_with_distributed_aggregation(table, ids, None, combiner="sum"))
        array([[6., 5.],
               [0., 1.]], dtype=float32)
    """
    combiner = _combiner(combiner)
    if combiner not in _COMBINERS:
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    tables = _tables(params)
    with name_scope(name, "embedding_lookup_sparse", [*tables, sp_ids]):
        sums = embedding.embedding_lookup_sparse(
            tables, sp_ids, sp_weights, partition_strategy, "aggregated", "sum", max_norm
        )
        if combiner == "sum":
            return sums
        segments = cast(sp_ids.indices[:, 0], int32)
        weights = ones_like(segments, sums.dtype) if sp_weights is None else cast(sp_weights.values, sums.dtype)
        totals = segment_sum(weights if combiner == "mean" else weights * weights, segments)
        divisor = totals if combiner == "mean" else sqrt(totals)
        return sums / reshape(divisor, concat([[-1], ones_like(shape(sums)[1:])], 0))


def embedding_lookup_unique(
    params: TensorLike,
    ids: TensorLike | Sequence[Sequence[int]],
    partition_strategy: str = "mod",
    name: str | None = None,
) -> Tensor:
    """`tf.nn.embedding_lookup` that looks each id up once, for batches in which ids occur often.

    Args:
        params: a table or a list of them.
        ids: int32 or int64, of any shape.
        partition_strategy: "mod" or "div".
        name: a name scope.

    Returns:
        a tensor [*the shape of ids, *that of a row].
    """
    with name_scope(name, "EmbeddingLookupUnique", [params, ids]):
        ids = convert_to_tensor(ids)
        sizes = shape(ids)
        distinct, positions = unique(reshape(ids, reduce_prod(sizes, keepdims=True)))
        rows = embedding.embedding_lookup(params, distinct, partition_strategy)
        found = reshape(gather(rows, positions), concat([sizes, shape(rows)[1:]], 0))
        found.set_shape(ids.shape.concatenate(rows.shape[1:]))
        return found


def scattered_embedding_lookup(
    params: TensorLike, values: TensorLike, dimension: int, name: str | None = None, hash_key: int | None = None
) -> Tensor:
    """Embeddings whose every element is at a place of one long vector that a hash says.

    Chen et al., "Compressing neural networks with the hashing trick", arXiv:1504.04788.

    Args:
        params: a vector, or a list of the parts of one that are as equal in length as can be.
        values: strings or ints, of any shape.
        dimension: the size of embeddings.
        name: a name scope.
        hash_key: the key of the hash; the old hash without one.

    Returns:
        a tensor [*the shape of values, dimension].

    Raises:
        ValueError: if `dimension` is missing or not positive, or the parts are of other lengths.
    """
    if dimension is None:
        raise ValueError("You must specify dimension.")
    tables = _tables(params)
    with name_scope(name, "scattered_embedding_lookup", [*tables, dimension, values]):
        sizes = shape(values)
        values = reshape(values, [-1, 1])
        if dimension <= 0:
            raise ValueError(f"Dimension must be >0. Given is {dimension}")
        candidates = tile(expand_dims(range_of(0, dimension), 0), shape(values))
        lengths = []
        for table in tables:
            table.shape.assert_has_rank(1)
            table.shape.assert_is_fully_defined()
            lengths.append(table.shape[0].value)
        total = sum(lengths)
        for i, length in enumerate(lengths):
            expected = (total - i - 1) // len(tables) + 1
            if length != expected:
                raise ValueError(f"Tensor {i} in params has size {length}, expected {expected}.")
        crossed = sparse_feature_cross([candidates, values], hashed_output=True, num_buckets=total, hash_key=hash_key)
        found = embedding.embedding_lookup(tables, sparse_tensor_to_dense(crossed), partition_strategy="div")
        return reshape(found, concat([sizes, [dimension]], 0))


def scattered_embedding_lookup_sparse(
    params: TensorLike | Variable,
    sparse_values: SparseTensor | TensorLike,
    dimension: int,
    combiner: str | None = None,
    default_value: Any = None,
    name: str | None = None,
    hash_key: int | None = None,
) -> Tensor:
    """`scattered_embedding_lookup` of a `SparseTensor`, whose rows are combined.

    Args:
        params, dimension, name, hash_key: as there.
        sparse_values: strings or ints [batch, any].
        combiner: "mean", "sqrtn" or "sum".
        default_value: the value of rows without any.

    Returns:
        a tensor [batch, dimension].

    Raises:
        TypeError: if the values are not sparse; ValueError: for another combiner.
    """
    combiner = _combiner(combiner)
    tables = _tables(params)
    if not isinstance(sparse_values, SparseTensor):
        raise TypeError("sparse_values must be SparseTensor")
    with name_scope(name, "scattered_embedding_lookup_sparse", [*tables, sparse_values]) as scope:
        if default_value is None:
            default_value = _NOTHING_TEXT if sparse_values.dtype == string else _NOTHING_NUMBER
        filled, _ = sparse_fill_empty_rows(sparse_values, default_value)
        segments = cast(filled.indices[:, 0], int32)
        distinct, positions = unique(filled.values)
        rows = scattered_embedding_lookup(tables, distinct, dimension, hash_key=hash_key)
        if combiner not in _COMBINERS:
            raise ValueError("Combiner must be one of 'mean', 'sqrtn' or 'sum'.")
        return _COMBINERS[combiner](rows, positions, segments, name=scope)
