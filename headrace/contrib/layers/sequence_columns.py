"""Feature columns of sequences: inputs of recurrent networks, and parsed SequenceExamples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers import feature_columns as fc
from headrace.contrib.layers.feature_column_inputs import (
    check_feature_columns,
    create_feature_spec_for_parsing,
    input_of_columns,
)
from headrace.contrib.layers.sparse_columns import _WeightedSparseColumn
from headrace.core.tensor import Tensor
from headrace.functions.parsing.features import FixedLenFeature, FixedLenSequenceFeature, VarLenFeature
from headrace.functions.parsing.sequence_example import parse_single_sequence_example
from headrace.ops.array.shape import reshape
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import Nested, TensorLike


_ALLOWED = (fc._OneHotColumn, fc._EmbeddingColumn, fc._RealValuedColumn, fc._RealValuedVarLenColumn)
_FORBIDDEN = (fc._ScatteredEmbeddingColumn, fc._BucketizedColumn, fc._CrossedColumn)


def _parents(column: Nested[Tensor]) -> tuple[Any, ...]:
    """The columns that a column is made of."""
    if isinstance(column, (_WeightedSparseColumn, fc._OneHotColumn, fc._EmbeddingColumn)):
        return (column.sparse_id_column,)
    if isinstance(column, fc._BucketizedColumn):
        return (column.source_column,)
    return tuple(column.columns) if isinstance(column, fc._CrossedColumn) else ()


def _check_sequences(columns: Sequence[Any]) -> None:
    for column in columns:
        if not isinstance(column, _ALLOWED):
            kind = type(column).__name__
            raise ValueError(f"FeatureColumn type {kind} is not currently supported for sequence data.")
    waiting = list(columns)
    while waiting:
        column = waiting.pop(0)
        if isinstance(column, _FORBIDDEN):
            raise ValueError(
                f"Column {column.name} is of type {type(column).__name__}, which is not currently supported for sequences."
            )
        waiting += _parents(column)


def sequence_input_from_feature_columns(
    columns_to_tensors: dict[Any, Any],
    feature_columns: Iterable[Any],
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """The features of sequences as the input of a recurrent network.

    Args:
        columns_to_tensors: from the names of features to tensors, [batch, time, any].
        feature_columns: columns of numbers, one-hot vectors and embeddings.
        weight_collections: to which the variables of embeddings are added.
        trainable: whether these are learned.
        scope: a variable scope.

    Returns:
        float32 tensor [batch, time, size], the columns in the order of their keys.

    Raises:
        ValueError: for columns of other kinds.

    Example:
        >>> words = tf.contrib.layers.sparse_column_with_hash_bucket("words", 1000)
        >>> column = tf.contrib.layers.embedding_column(words, 16)
        >>> sentence = tf.SparseTensor([[0, 0, 0], [0, 1, 0]], ["good", "day"], [1, 2, 1])
        >>> net = tf.contrib.layers.sequence_input_from_feature_columns({"words": sentence}, [column])
    """
    columns = list(feature_columns)
    _check_sequences(columns)
    name = "sequence_input_from_feature_columns"
    return input_of_columns(columns_to_tensors, columns, weight_collections, trainable, scope, 3, name, None)


def _create_sequence_feature_spec_for_parsing(
    sequence_feature_columns: Iterable[Any], allow_missing_by_default: bool = False
) -> dict[str, Any]:
    """How the features of columns are parsed where each comes once a step.

    Args:
        sequence_feature_columns: the columns.
        allow_missing_by_default: whether steps may lack features for which columns have no default value.
    """
    spec: dict[str, Any] = {}
    for key, feature in create_feature_spec_for_parsing(sequence_feature_columns).items():
        if isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature)):
            defaults = feature.default_value is not None
            if defaults:
                tf_logging.warning(
                    'Found default value %s for feature "%s". Ignoring this value and setting `allow_missing=True` instead.',
                    feature.default_value,
                    key,
                )
            feature = FixedLenSequenceFeature(
                feature.shape, feature.dtype, allow_missing=allow_missing_by_default or defaults
            )
        elif not isinstance(feature, VarLenFeature):
            raise TypeError(f"Unsupported feature type: {type(feature).__name__}")
        spec[key] = feature
    return spec


def parse_feature_columns_from_sequence_examples(
    serialized: TensorLike,
    context_feature_columns: Iterable[Any] | None,
    sequence_feature_columns: Iterable[Any] | None,
    name: str | None = None,
    example_name: Any = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one serialized SequenceExample that columns need.

    Args:
        serialized: a string scalar.
        context_feature_columns: the columns of the context, or None.
        sequence_feature_columns: the columns of the steps, or None.
        name: a name for the operations.
        example_name: a string scalar, the message's name for errors.

    Returns:
        the context's features and the steps', by name.

    Raises:
        ValueError: if there is more than one message.

    Example:
        >>> column = tf.contrib.layers.real_valued_column("x")
        >>> record = tf.train.SequenceExample().SerializeToString()
        >>> context, steps = parse_feature_columns_from_sequence_examples(record, None, [column])
    """
    try:
        serialized = reshape(serialized, [])
    except ValueError as error:
        raise ValueError(
            "serialized must contain as single sequence example. Batching must be done after parsing for sequence examples. "
            f"Error: {error}"
        ) from error
    context, steps = list(context_feature_columns or ()), list(sequence_feature_columns or ())
    check_feature_columns(context)
    check_feature_columns(steps)
    spec = create_feature_spec_for_parsing(context)
    return parse_single_sequence_example(
        serialized, spec, _create_sequence_feature_spec_for_parsing(steps), example_name, name
    )
