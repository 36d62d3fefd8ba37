"""Functions that pack sparse tensors into tensors, a row for each, and unpack them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.composite import SparseTensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.sparse.indices import sparse_input

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


def serialize_sparse(
    sp_input: SparseTensor | TensorLike, name: str | None = None, out_type: DTypeLike = "string"
) -> Tensor:
    """A sparse tensor as a vector of three: its indices, values and shape.

    Args:
        sp_input: a `SparseTensor`.
        name: a name for the operation.
        out_type: string or variant.

    Returns:
        a vector [3] of `out_type`.

    Raises:
        TypeError: if `sp_input` is not sparse.

    Example:
        >>> packed = tf.serialize_sparse(tf.SparseTensor([[0, 1]], [5.0], [2, 3]))
    """
    sparse = sparse_input(sp_input)
    return raw.SerializeSparse(sparse.indices, sparse.values, sparse.dense_shape, out_type=out_type, name=name)


def serialize_many_sparse(sp_input: SparseTensor, name: str | None = None, out_type: DTypeLike = "string") -> Tensor:
    """The slices of a sparse tensor along its first dimension, a row of three for each.

    Args:
        sp_input: a `SparseTensor` of two or more dimensions.
        name: a name for the operation.
        out_type: string or variant.

    Returns:
        a matrix [slices, 3] of `out_type`.

    Raises:
        TypeError: if `sp_input` is not sparse.

    Example:
        >>> rows = tf.serialize_many_sparse(tf.SparseTensor([[0, 1], [1, 0]], [5.0, 6.0], [2, 3]))
    """
    sparse = sparse_input(sp_input)
    return raw.SerializeManySparse(sparse.indices, sparse.values, sparse.dense_shape, out_type=out_type, name=name)


def deserialize_many_sparse(
    serialized_sparse: TensorLike, dtype: DTypeLike, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensor whose slices along its first dimension were packed.

    Args:
        serialized_sparse: a string matrix [slices, 3].
        dtype: the type of the values.
        rank: the rank of the slices, if it is known.
        name: a name for the operation.

    Returns:
        a `SparseTensor` of one more dimension than the slices.

    Raises:
        InvalidArgumentError: when it is run, for slices of another type or of different ranks.

    Example:
        >>> sparse = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])
        >>> again = tf.deserialize_many_sparse(tf.serialize_many_sparse(sparse), tf.float32)
        >>> sess.run(tf.sparse.to_dense(again))
        array([[0., 1., 0.],
               [2., 0., 0.]], dtype=float32)
    """
    indices, values, shape = raw.DeserializeManySparse(serialized_sparse, dtype=dtype, name=name)
    # The ops know no more than TensorFlow's: the rank is that of the whole in this function's result.
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)


def deserialize_sparse(
    serialized_sparse: TensorLike, dtype: DTypeLike, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """The sparse tensors that were packed, of any number of dimensions in front, as one.

    Args:
        serialized_sparse: tensor of strings or variants of shape [..., 3].
        dtype: the type of the values.
        rank: the rank of the result, if it is known.
        name: a name for the operation.

    Raises:
        InvalidArgumentError: when it is run, for parts of another type or of different ranks.
    """
    indices, values, shape = raw.DeserializeSparse(serialized_sparse, dtype=dtype, name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
