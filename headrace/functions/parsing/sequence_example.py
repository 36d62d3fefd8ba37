"""Parsing of SequenceExample messages: features of the whole, and lists of features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.functions.parsing.features import (
    FeatureSpecs,
    FixedLenFeature,
    FixedLenSequenceFeature,
    VarLenFeature,
    dense_defaults,
    feature_specs,
)
from headrace.ops.parsing.example import sparse_and_dense

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_name: str | None = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one serialized SequenceExample message.

    Args:
        serialized: a string scalar.
        context_features: from key to FixedLenFeature or VarLenFeature: what the example has once.
        sequence_features: from key to FixedLenSequenceFeature or VarLenFeature: what it has at each step.
        example_name: a string scalar that says how to call the example in error messages.
        name: a name for the operation.

    Returns:
        two dicts from key to Tensor or SparseTensor: of the context, and of the sequences (steps first).

    Raises:
        ValueError: if there are no features, or one of them is not well described.
        InvalidArgumentError: at run time, for a message that misses a feature or has it of another type or size.

    Example:
        >>> example = tf.train.SequenceExample()
        >>> example.context.feature["length"].int64_list.value.append(2)
        >>> for token in (5, 6):
        ...     example.feature_lists.feature_list["tokens"].feature.add().int64_list.value.append(token)
        >>> context, steps = tf.parse_single_sequence_example(
        ...     example.SerializeToString(), {"length": tf.FixedLenFeature([], tf.int64)},
        ...     {"tokens": tf.FixedLenSequenceFeature([], tf.int64)})
        >>> sess.run([context["length"], steps["tokens"]])
        [2, array([5, 6])]
    """
    context, lists, empty = _specs(context_features, sequence_features)
    with name_scope(name, "ParseSingleSequenceExample", [serialized]):
        parts = raw.ParseSingleSequenceExample(
            serialized,
            np.array(empty, object) if empty else np.array([], object),
            context.sparse_keys,
            context.dense_keys,
            lists.sparse_keys,
            lists.dense_keys,
            dense_defaults(context, padding=False),
            "" if example_name is None else example_name,
            **_attrs(context, lists),
            name=name,
        )
        return (
            sparse_and_dense((context.sparse_keys, context.dense_keys), parts[:4]),
            sparse_and_dense((lists.sparse_keys, lists.dense_keys), parts[4:]),
        )


def parse_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_names: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The features of a batch of serialized SequenceExample messages, padded to the longest sequences.

    Args:
        serialized: a string vector.
        context_features: from key to FixedLenFeature or VarLenFeature: what each example has once.
        sequence_features: from key to FixedLenSequenceFeature or VarLenFeature: what it has at each step.
        example_names: a string vector that says how to call the examples in error messages.
        name: a name for the operation.

    Returns:
        three dicts: the context (batch first), the sequences (batch and steps first), and the lengths of the dense ones.

    Raises:
        ValueError: if there are no features, or one of them is not well described.
        InvalidArgumentError: at run time, for a message that misses a feature or has it of another type or size.

    Example:
        >>> short, long = tf.train.SequenceExample(), tf.train.SequenceExample()
        >>> for example, token in (short, 5), (long, 6), (long, 7):
        ...     example.feature_lists.feature_list["tokens"].feature.add().int64_list.value.append(token)
        >>> context, steps, lengths = tf.io.parse_sequence_example(
        ...     [short.SerializeToString(), long.SerializeToString()],
        ...     sequence_features={"tokens": tf.FixedLenSequenceFeature([], tf.int64)})
        >>> sess.run([steps["tokens"], lengths["tokens"]])
        [array([[5, 0],
               [6, 7]]), array([1, 2])]
    """
    context, lists, empty = _specs(context_features, sequence_features)
    with name_scope(name, "ParseSequenceExample", [serialized]):
        parts = raw.ParseSequenceExample(
            serialized,
            [] if example_names is None else example_names,
            dense_defaults(context, padding=False, reshaped=False),
            feature_list_dense_missing_assumed_empty=empty,
            context_sparse_keys=context.sparse_keys,
            context_dense_keys=context.dense_keys,
            feature_list_sparse_keys=lists.sparse_keys,
            feature_list_dense_keys=lists.dense_keys,
            Ncontext_sparse=len(context.sparse_keys),
            Ncontext_dense=len(context.dense_keys),
            Nfeature_list_sparse=len(lists.sparse_keys),
            Nfeature_list_dense=len(lists.dense_keys),
            **_attrs(context, lists),
            name=name,
        )
        return (
            sparse_and_dense((context.sparse_keys, context.dense_keys), parts[:4]),
            sparse_and_dense((lists.sparse_keys, lists.dense_keys), parts[4:8]),
            dict(zip(lists.dense_keys, parts[8])),
        )


def _specs(
    context_features: Mapping[str, Any] | None, sequence_features: Mapping[str, Any] | None
) -> tuple[FeatureSpecs, FeatureSpecs, list[str]]:
    """The op's arguments for both mappings, and which sequences may be missing."""
    if not (context_features or sequence_features):
        raise ValueError("Missing features.")
    context = feature_specs(context_features, (VarLenFeature, FixedLenFeature))
    lists = feature_specs(sequence_features, (VarLenFeature, FixedLenSequenceFeature))
    for key, value in lists.dense_defaults.items():
        if value is not None:
            raise ValueError(f"Value feature_list_dense_defaults[{key}] must be None")
    return context, lists, list(lists.dense_defaults)


def _attrs(context: FeatureSpecs, lists: FeatureSpecs) -> dict[str, Any]:
    return {
        "context_sparse_types": context.sparse_types,
        "context_dense_shapes": context.dense_shapes,
        "feature_list_dense_types": lists.dense_types,
        "feature_list_sparse_types": lists.sparse_types,
        "feature_list_dense_shapes": lists.dense_shapes,
    }
