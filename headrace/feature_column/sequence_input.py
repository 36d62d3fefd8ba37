"""`tf.contrib.feature_column.sequence_input_layer`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import float32
from headrace.core.tensor import Tensor
from headrace.feature_column.base import TransformationCache
from headrace.feature_column.features_layer import flat_steps
from headrace.feature_column.input_layer import check_batch_sizes, normalized
from headrace.feature_column.sequences import same_lengths
from headrace.functions.flow.checks import assert_type
from headrace.functions.flow.rank_checks import assert_rank
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.ops.array.tile import tile
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames


def sequence_input_layer(
    features: Mapping[str, Any],
    feature_columns: Iterable[Any],
    weight_collections: CollectionNames | None = None,
    trainable: bool = True,
) -> tuple[Tensor, Tensor]:
    """The sequences of columns side by side: the input of a recurrent network.

    Args:
        features: from key to tensor.
        feature_columns: columns of sequences.
        weight_collections: collections for the variables besides GLOBAL_VARIABLES.
        trainable: whether they are trained.

    Returns:
        [batch, steps, sum of the sizes of the columns], and the lengths, int64 [batch].

    Raises:
        ValueError: if one is no column of sequences.

    Example:
        >>> rating = tf.contrib.feature_column.sequence_numeric_column("rating")
        >>> inputs, lengths = tf.contrib.feature_column.sequence_input_layer({"rating": sparse}, [rating])
    """
    columns = normalized(feature_columns)
    for column in columns:
        if not hasattr(column, "_get_sequence_dense_tensor"):
            raise ValueError(
                "All feature_columns must be of type _SequenceDenseColumn. You can wrap a sequence_categorical_column with an "
                f"embedding_column or indicator_column. Given (type {type(column)}): {column}"
            )
    with variable_scope(None, default_name="sequence_input_layer", values=list(features.values())):
        cache = TransformationCache(features)
        tensors, lengths = [], []
        for column in columns:
            with variable_scope(None, default_name=column._var_scope_name):
                dense, length = column._get_sequence_dense_tensor(
                    cache, weight_collections=weight_collections, trainable=trainable
                )
                tensors.append(flat_steps(dense, column._variable_shape))
                lengths.append(length)
        check_batch_sizes(tensors, columns)
        check_batch_sizes(lengths, columns)
        length = same_lengths(lengths)
        return concat(tensors, -1), length


def concatenate_context_input(context_input: Tensor, sequence_input: Tensor) -> Tensor:
    """Puts what is known of an example to each step of its sequence.

    Args:
        context_input: float32 [batch, size].
        sequence_input: float32 [batch, steps, size of a step].

    Returns:
        [batch, steps, size of a step + size].

    Raises:
        ValueError: for other ranks; TypeError: for other types.

    Example:
        >>> inputs = concatenate_context_input(tf.zeros([2, 3]), tf.zeros([2, 5, 4]))  # [2, 5, 7]
    """
    checks = [
        assert_rank(sequence_input, 3, message="sequence_input must have rank 3", data=[shape(sequence_input)]),
        assert_type(
            sequence_input, float32, message=f"sequence_input must have dtype float32; got {sequence_input.dtype}."
        ),
        assert_rank(context_input, 2, message="context_input must have rank 2", data=[shape(context_input)]),
        assert_type(
            context_input, float32, message=f"context_input must have dtype float32; got {context_input.dtype}."
        ),
    ]
    with control_dependencies(checks):
        steps = shape(sequence_input)[1]
        repeated = tile(expand_dims(context_input, 1), concat([[1], [steps], [1]], 0))
    return concat([sequence_input, repeated], 2)
