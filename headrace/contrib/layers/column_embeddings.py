"""The vectors that columns of embeddings look up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_utils import init_from_checkpoint
from headrace.contrib.framework.variables import model_variable
from headrace.contrib.layers.embedding_ops import safe_embedding_lookup_sparse, scattered_embedding_lookup_sparse
from headrace.contrib.layers.shaping import _inner_flatten
from headrace.core.defaults import add_to_collection, get_collection
from headrace.core.dtypes import float32
from headrace.core.tensor import Tensor
from headrace.state.partitioned import PartitionedVariable

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, TensorLike
    from headrace.state.variables import Variable


def _parts(variable: PartitionedVariable | Variable) -> list[Any]:
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def _begin_from(column: Any, variable: Sequence[TensorLike]) -> None:
    found = column._checkpoint_path()
    if found is not None:
        init_from_checkpoint(found[0], {found[1]: variable if len(variable) > 1 else variable[0]})


def _table(args: Any, sizes: list[int], trainable: bool, collections: CollectionNames | None) -> Any:
    """The vectors of an embedding, those of a shared one made once."""

    def made(name: str) -> Any:
        return model_variable(
            name,
            shape=sizes,
            dtype=float32,
            initializer=args.initializer,
            trainable=trainable and args.trainable,
            collections=collections,
        )

    shared = args.shared_embedding_name
    if shared is None:
        return made("weights")
    collection = f"SHARED_EMBEDDING_COLLECTION_{shared.upper()}"
    found = get_collection(collection)
    if not found:
        add_to_collection(collection, made(shared))
        found = get_collection(collection)
    if len(found) > 1:
        raise ValueError(f"Collection {collection} can only contain one (partitioned) variable.")
    if list(found[0].get_shape().as_list()) != sizes:
        raise ValueError(
            f"The embedding variable with name {shared} already exists, but its shape does not match required embedding "
            "shape here. Please make sure to use different shared_embedding_name for different shared embeddings."
        )
    return found[0]


def _embeddings_from_arguments(
    column: Any, args: Any, weight_collections: CollectionNames | None, trainable: bool, output_rank: int = 2
) -> Tensor:
    """The vectors of a column's classes, those of each example (or step) combined.

    Args:
        column: the column.
        args: what it looks up, `_DeepEmbeddingLookupArguments`.
        weight_collections: to which the vectors are added.
        trainable: whether they are learned.
        output_rank: 2, or 3 for sequences.
    """
    ids = _inner_flatten(args.input_tensor, output_rank)
    weights = None if args.weight_tensor is None else _inner_flatten(args.weight_tensor, output_rank)
    if column._is_scattered:
        table = _table(args, [args.vocab_size], trainable, weight_collections)
        return scattered_embedding_lookup_sparse(
            table, ids, args.dimension, hash_key=args.hash_key, combiner=args.combiner, name="lookup"
        )
    table = _parts(_table(args, [args.vocab_size, args.dimension], trainable, weight_collections))
    _begin_from(column, table)
    return safe_embedding_lookup_sparse(
        table, ids, weights, combiner=args.combiner, name=f"{column.name}weights", max_norm=args.max_norm
    )
