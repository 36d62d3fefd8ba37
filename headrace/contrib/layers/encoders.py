"""Embeddings of ids as layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.contrib.framework.variables import model_variable
from headrace.contrib.layers.embedding_ops import embedding_lookup_unique, safe_embedding_lookup_sparse
from headrace.contrib.layers.sparse_ops import dense_to_sparse_tensor
from headrace.core.composite import SparseTensor
from headrace.functions.math.reduction import reduce_mean
from headrace.functions.nn.embedding import embedding_lookup
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import InitializerLike, Regularizer, TensorLike
    from headrace.state.modes import _ReuseMode


def bow_encoder(
    ids: TensorLike,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool = True,
    scope: str | None = None,
    reuse: bool | _ReuseMode | None = None,
) -> Tensor:
    """The mean of the embeddings of each row's ids.

    Args:
        ids: int32 or int64 [batch, length], dense or sparse.
        vocab_size: the number of ids.
        embed_dim: the size of embeddings.
        sparse_lookup: whether ids of -1, 0 or "" stand for nothing; dense ids all count otherwise.
        initializer, regularizer, trainable: of the variable "embeddings".
        scope: the name of the variable scope.
        reuse: whether to use the variables of `scope` that are there.

    Returns:
        floats [batch, embed_dim].

    Raises:
        ValueError: if a size is missing; TypeError: for sparse ids without `sparse_lookup`.
    """
    if not vocab_size or not embed_dim:
        raise ValueError("Must specify vocab size and embedding dimension")
    with variable_scope(scope, "bow_encoder", [ids], reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            shape=[vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        if sparse_lookup:
            sparse = ids if isinstance(ids, SparseTensor) else dense_to_sparse_tensor(ids)
            return safe_embedding_lookup_sparse([embeddings], sparse, combiner="mean", default_id=0)
        if isinstance(ids, SparseTensor):
            raise TypeError("ids are expected to be dense Tensor, got: %s", ids)
        return reduce_mean(embedding_lookup(embeddings, ids), axis=1)


def embed_sequence(
    ids: TensorLike | Sequence[Sequence[int]],
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: InitializerLike | None = None,
    regularizer: Regularizer | None = None,
    trainable: bool = True,
    scope: str | None = None,
    reuse: bool | _ReuseMode | None = None,
) -> Tensor:
    """The embeddings of sequences of ids.

    Args:
        ids: int32 or int64 [batch, length].
        vocab_size: the number of ids; `embed_dim`: the size of embeddings; not needed with `reuse`.
        unique: whether to look each id up once only.
        initializer, regularizer, trainable: of the variable "embeddings".
        scope: the name of the variable scope.
        reuse: whether to use the variables of `scope` that are there.

    Returns:
        floats [batch, length, embed_dim].

    Raises:
        ValueError: if a size is missing.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError(
            "Must specify vocab size and embedding dimension when not reusing. "
            f"Got vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        unknown = (reuse and vocab_size is None) or embed_dim is None
        embeddings = model_variable(
            "embeddings",
            shape=None if unknown else [vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        return embedding_lookup_unique(embeddings, ids) if unique else embedding_lookup(embeddings, ids)
