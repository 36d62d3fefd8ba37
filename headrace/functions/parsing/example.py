"""Parsing of Example messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.parsing.features import (
    ALL_KINDS,
    FeatureSpecs,
    dense_defaults,
    feature_specs,
    merged_sparse_features,
    name_part,
    with_unknown_length,
)
from headrace.kernels import composing
from headrace.kernels.composing.shapes import rank
from headrace.ops.parsing.example import sparse_and_dense

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def parse_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    name: str | None = None,
    example_names: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The features of a batch of serialized Example messages.

    Args:
        serialized: a string vector, each element an Example.
        features: from key to FixedLenFeature, VarLenFeature, SparseFeature or FixedLenSequenceFeature.
        name: a name for the operation.
        example_names: a string vector that says how to call each example in error messages.

    Returns:
        a dict from key to Tensor (with the batch as first dimension) or SparseTensor.

    Raises:
        ValueError: if there are no features, or one of them is not well described.
        InvalidArgumentError: at run time, for a message that misses a feature or has it of another type or size.

    Example:
        >>> example = tf.train.Example()
        >>> example.features.feature["label"].int64_list.value.append(3)
        >>> records = [example.SerializeToString()] * 2
        >>> sess.run(tf.parse_example(records, {"label": tf.FixedLenFeature([], tf.int64)}))
        {'label': array([3, 3])}
    """
    if not features:
        raise ValueError(f"Missing: features was {features}.")
    features = with_unknown_length(features)
    specs = feature_specs(features, ALL_KINDS)
    return merged_sparse_features(features, _parse(serialized, example_names, specs, name))


def _parse(serialized: TensorLike, names: TensorLike | None, specs: FeatureSpecs, name: str | None) -> dict[str, Any]:
    with name_scope(name, "ParseExample", [serialized, names]):
        defaults = dense_defaults(specs)
        parts = raw.ParseExample(
            serialized,
            [] if names is None else names,
            specs.sparse_keys,
            specs.dense_keys,
            defaults,
            sparse_types=specs.sparse_types,
            dense_shapes=specs.dense_shapes,
            name=name,
        )
        return sparse_and_dense((specs.sparse_keys, specs.dense_keys), parts)


def parse_single_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[str, Any]:
    """The features of one serialized Example message.

    Args:
        serialized: a string scalar.
        features: from key to FixedLenFeature, VarLenFeature, SparseFeature or FixedLenSequenceFeature.
        name: a name for the operation.
        example_names: a string scalar that says how to call the example in error messages.

    Returns:
        a dict from key to Tensor or SparseTensor.

    Raises:
        ValueError: if there are no features, or one of them is not well described.
        InvalidArgumentError: at run time, for a message that misses a feature or has it of another type or size.

    Example:
        >>> example = tf.train.Example()
        >>> example.features.feature["label"].int64_list.value.append(3)
        >>> record = example.SerializeToString()
        >>> sess.run(tf.parse_single_example(record, {"label": tf.FixedLenFeature([], tf.int64)}))
        {'label': 3}
    """
    if not features:
        raise ValueError("Missing features.")
    features = with_unknown_length(features)
    specs = feature_specs(features, ALL_KINDS)
    if example_names is not None:
        return merged_sparse_features(features, _parse_named(serialized, example_names, specs, name))
    with name_scope(name, "ParseSingleExample", [serialized]):
        serialized = convert_to_tensor(serialized, name="serialized")
        defaults = dense_defaults(specs)
        parts = raw.ParseSingleExample(
            serialized,
            defaults,
            num_sparse=len(specs.sparse_keys),
            sparse_keys=specs.sparse_keys,
            dense_keys=specs.dense_keys,
            sparse_types=specs.sparse_types,
            dense_shapes=specs.dense_shapes,
            name=name,
        )
        parsed = sparse_and_dense((specs.sparse_keys, specs.dense_keys), parts)
    return merged_sparse_features(features, parsed)


def _parse_named(serialized: TensorLike, names: TensorLike, specs: FeatureSpecs, name: str | None) -> dict[str, Any]:
    """One example as a batch of one, which can be named."""
    with name_scope(name, "ParseSingleExample", [serialized, names]):
        batch = _batch_of_one(convert_to_tensor(serialized), "serialized", "Serialized")
        parsed = _parse(batch, _batch_of_one(convert_to_tensor(names), "names", "Names"), specs, name)
        for key in specs.dense_keys:
            parsed[key] = raw.Squeeze(parsed[key], squeeze_dims=[0], name=f"Squeeze_{name_part(key)}")
        for key in specs.sparse_keys:
            sparse, part = parsed[key], name_part(key)
            parsed[key] = SparseTensor(
                raw.Slice(sparse.indices, [0, 1], [-1, -1], name=f"Slice_Indices_{part}"),
                sparse.values,
                raw.Slice(sparse.dense_shape, [1], [-1], name=f"Squeeze_Shape_{part}"),
            )
        return parsed


def _batch_of_one(scalar: Tensor, what: str, title: str) -> Tensor:
    complaint = f"Input {what} must be a scalar"
    if scalar.dims is None:
        check = Assert(raw.Equal(rank(scalar), 0), [complaint], name=f"{title}IsScalar")
        with control_dependencies([check]):
            scalar = raw.Identity(scalar, name=f"{title}Dependencies")
    elif scalar.dims != ():
        raise ValueError(complaint)
    return composing.expand_dims(scalar, 0)
