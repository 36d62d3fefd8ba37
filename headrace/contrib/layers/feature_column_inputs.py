"""What models make of feature columns: inputs of networks, weighted sums, parsed and placed features."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.variables import model_variable
from headrace.contrib.layers.column_base import _FeatureColumn, _Transformer
from headrace.contrib.layers.column_embeddings import _begin_from, _embeddings_from_arguments, _parts
from headrace.contrib.layers.embedding_ops import safe_embedding_lookup_sparse
from headrace.contrib.layers.feature_column_makers import real_valued_column
from headrace.contrib.layers.shaping import _inner_flatten
from headrace.core.attributes import check_attribute
from headrace.core.collections import GraphKeys
from headrace.core.composite import SparseTensor
from headrace.core.dtypes import float32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.parsing.example import parse_example
from headrace.functions.parsing.features import VarLenFeature
from headrace.functions.sparse.building import sparse_placeholder
from headrace.functions.sparse.join import sparse_concat
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import expand_dims
from headrace.ops.array.constant import placeholder
from headrace.ops.math.add_n import add_n
from headrace.ops.nn.bias import bias_add
from headrace.ops.sparse.reshape import sparse_reshape
from headrace.state.initializers import zeros_initializer
from headrace.state.partitioned import PartitionedVariable
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.shapes import Dimension
    from headrace.core.typing import CollectionNames, TensorLike
    from headrace.state.current_scope import VariableScope
    from headrace.state.variables import Variable


def check_feature_columns(feature_columns: Iterable[Any]) -> None:
    """Checks that columns are a list, each with a key of its own.

    Raises:
        ValueError: if they are a dict, or two are the same.
    """
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    seen = set()
    for column in feature_columns:
        if column.key in seen:
            raise ValueError(
                f"Duplicate feature column key found for column: {column.name}. This usually means that the column is "
                "almost identical to another column, and one must be discarded."
            )
        seen.add(column.key)


def _in_order(columns: Iterable[Any]) -> list[Any]:
    columns = columns if isinstance(columns, dict) else list(columns)
    check_feature_columns(columns)
    return sorted(set(columns), key=lambda column: column.key)


def _collections(given: Sequence[str] | None) -> Any:
    return sorted({*given, GraphKeys.GLOBAL_VARIABLES}) if given else given


def _maybe_reshape_input_tensor(
    tensor: SparseTensor | Tensor, column_name: str, output_rank: int
) -> SparseTensor | Tensor:
    """A feature, dense or sparse, with `output_rank` axes: the last ones made one, or one more of size 1.

    Raises:
        ValueError: if its rank is not known, or more than one axis is missing.
    """
    rank = tensor.get_shape().ndims
    if rank is None and isinstance(tensor, SparseTensor):
        rank = tensor.dense_shape.get_shape().as_list()[0]
    about = f"Error while processing column {column_name}. Rank of input Tensor "
    if rank is None:
        raise ValueError(f"{about}can not be None.")
    if output_rank > rank + 1:
        raise ValueError(
            f"{about}({rank}) should be the same as output_rank ({output_rank}). For example, sequence data should "
            "typically be 3 dimensional (rank 3) while non-sequence data is typically 2 dimensional (rank 2)."
        )
    if output_rank == rank + 1:
        if isinstance(tensor, SparseTensor):
            return sparse_reshape(tensor, concat([tensor.dense_shape, [1]], 0))
        return expand_dims(tensor, -1)
    return _inner_flatten(tensor, output_rank) if output_rank < rank else tensor


def input_of_columns(
    tensors: dict[Any, Any],
    columns: Iterable[Any],
    collections: CollectionNames | None,
    trainable: bool,
    scope: str | None,
    rank: int,
    default_name: str,
    outputs: dict[Any, Any] | None,
) -> Tensor:
    """What columns make of features, side by side, as a tensor of `rank` dimensions."""
    check_attribute("columns_to_tensors", tensors, "copy", "a dict")
    tensors = dict(tensors)
    ordered = _in_order(columns)
    if outputs is not None and not isinstance(outputs, dict):
        raise ValueError("cols_to_outs must be a dict unless None")
    found = []
    with variable_scope(scope, default_name=default_name, values=list(tensors.values())):
        transformer = _Transformer(tensors)
        for column in ordered:
            with variable_scope(None, default_name=column.name, values=list(tensors.values())):
                tensor = transformer.transform(column)
                if rank == 3:
                    reshaped = functools.partial(_maybe_reshape_input_tensor, column_name=column.name, output_rank=rank)
                    tensor = tuple(map(reshaped, tensor)) if isinstance(tensor, tuple) else reshaped(tensor)
                found.append(_deep(column, tensor, _collections(collections), trainable, rank))
                if outputs is not None:
                    outputs[column] = found[-1]
        return concat(found, rank - 1)


def _deep(
    column: Any,
    tensor: TensorLike | SparseTensor | Sequence[SparseTensor],
    collections: CollectionNames | None,
    trainable: bool,
    rank: int,
) -> Tensor:
    """A column's part of the input of a deep model."""
    try:
        arguments = column._deep_embedding_lookup_arguments(tensor)
    except NotImplementedError as none:
        try:
            return column._to_dnn_input_layer(tensor, collections, trainable, output_rank=rank)
        except ValueError as error:
            raise ValueError(f"Error creating input layer for column: {column.name}.\n{error}, {none}") from None
    return _embeddings_from_arguments(column, arguments, collections, trainable, output_rank=rank)


def input_from_feature_columns(
    columns_to_tensors: dict[Any, Any],
    feature_columns: Iterable[Any],
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: str | None = None,
    cols_to_outs: dict[Any, Any] | None = None,
) -> Tensor:
    """The features of examples as the input of a network.

    Args:
        columns_to_tensors: from the names of features to tensors, [batch, any].
        feature_columns: columns of numbers, buckets, one-hot vectors and embeddings.
        weight_collections: to which the variables of embeddings are added.
        trainable: whether these are learned.
        scope: a variable scope.
        cols_to_outs: a dict into which each column's part is put.

    Returns:
        float32 tensor [batch, size], the columns in the order of their keys.

    Raises:
        ValueError: for columns that networks cannot use.

    Example:
        >>> age = tf.contrib.layers.real_valued_column("age")
        >>> ages = tf.constant([[20.0], [30.0]])
        >>> net = tf.contrib.layers.input_from_feature_columns({"age": ages}, [age])
    """
    return input_of_columns(
        columns_to_tensors,
        feature_columns,
        weight_collections,
        trainable,
        scope,
        2,
        "input_from_feature_columns",
        cols_to_outs,
    )


def _bias(num_outputs: int, trainable: bool, collections: CollectionNames | None) -> PartitionedVariable | Variable:
    return model_variable(
        "bias_weight",
        shape=[num_outputs],
        initializer=zeros_initializer(),
        trainable=trainable,
        collections=_collections(collections),
    )


def _weights(
    name: str, rows: int | Dimension, num_outputs: int, trainable: bool, collections: CollectionNames | None
) -> PartitionedVariable | Variable:
    return model_variable(
        name,
        shape=[rows, num_outputs],
        dtype=float32,
        initializer=zeros_initializer(),
        trainable=trainable,
        collections=collections,
    )


def weighted_sum_from_feature_columns(
    columns_to_tensors: dict[Any, Any],
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: str | None = None,
) -> tuple[Tensor, dict[Any, Any], Any]:
    """A linear model of the features of examples.

    Args:
        columns_to_tensors: from the names of features to tensors, [batch, any].
        feature_columns: columns of numbers, classes, buckets and crosses.
        num_outputs: how many sums.
        weight_collections: to which the weights are added.
        trainable: whether they are learned.
        scope: a variable scope.

    Returns:
        (sums [batch, num_outputs], from column to the list of its weights, the bias).

    Raises:
        ValueError: for columns that linear models cannot use.
    """
    check_attribute("weighted_sum_from_feature_columns: columns_to_tensors", columns_to_tensors, "copy", "a dict")
    tensors = dict(columns_to_tensors)
    ordered = _in_order(feature_columns)
    found, variables = [], {}
    with variable_scope(scope, default_name="weighted_sum_from_feature_columns", values=list(tensors.values())):
        transformer = _Transformer(tensors)
        for column in ordered:
            tensor = transformer.transform(column)
            try:
                weights, result = _weighted(column, tensor, tensors, num_outputs, trainable, weight_collections)
            except ValueError as error:
                raise ValueError(f"Error creating weighted sum for column: {column.name}.\n{error}") from None
            found.append(raw.Reshape(result, [-1, num_outputs]))
            variables[column] = weights
            _begin_from(column, weights)
        total = add_n(found)
        bias = _bias(num_outputs, trainable, weight_collections)
        return bias_add(total, bias), variables, bias


def _weighted(
    column: Any,
    tensor: TensorLike | SparseTensor | Sequence[SparseTensor],
    tensors: dict[Any, Any],
    num_outputs: int,
    trainable: bool,
    collections: CollectionNames | None,
) -> tuple[list[Any], Tensor]:
    """The weights of a column in a linear model, and the sums of its classes' or numbers' products with them."""
    try:
        lookup = column._wide_embedding_lookup_arguments(tensor)
    except NotImplementedError:
        lookup = None
    with variable_scope(None, default_name=column.name, values=list(tensors.values())):
        if lookup is None:
            dense = _maybe_reshape_input_tensor(column._to_dense_tensor(tensor), column.name, output_rank=2)
            weight: Any = _weights("weight", dense.get_shape()[1], num_outputs, trainable, collections)
            return [weight], matmul(dense, weight, name="matmul")
        weights = _parts(_weights("weights", lookup.vocab_size, num_outputs, trainable, collections))
        return weights, safe_embedding_lookup_sparse(
            weights, lookup.input_tensor, lookup.weight_tensor, combiner=lookup.combiner, name=f"{column.name}_weights"
        )


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: dict[Any, Any],
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: str | VariableScope | None = None,
) -> tuple[Tensor, list[Any], Any]:
    """`weighted_sum_from_feature_columns` with the weights of all columns in one variable.

    Returns:
        (sums [batch, num_outputs], the list of weights, the bias).

    Raises:
        NotImplementedError: for columns of numbers.
        AssertionError: for weighted columns, combiners other than "sum", or no columns.
    """
    tensors = dict(columns_to_tensors)
    ordered = _in_order(feature_columns)
    default = "joint_weighted_sum_from_feature_columns"
    with variable_scope(scope, default_name=default, values=list(tensors.values())):
        transformer = _Transformer(tensors)
        lookups = []
        for column in ordered:
            try:
                lookups.append(column._wide_embedding_lookup_arguments(transformer.transform(column)))
            except NotImplementedError:
                raise NotImplementedError(
                    "Real-valued columns are not supported. Use weighted_sum_from_feature_columns instead, or bucketize "
                    "these columns."
                ) from None
        _check_joint(lookups)
        parts, size = [], 0
        for lookup in lookups:
            ids = lookup.input_tensor
            parts.append(SparseTensor(ids.indices, ids.values + size, ids.dense_shape))
            size += lookup.vocab_size
        joined = sparse_concat(1, parts)
        with variable_scope(None, default_name="linear_weights", values=list(tensors.values())):
            weights = _parts(_weights("weights", size, num_outputs, trainable, weight_collections))
            result = safe_embedding_lookup_sparse(weights, joined, None, combiner="sum", name="_weights")
        bias = _bias(num_outputs, trainable, weight_collections)
        return bias_add(result, bias), weights, bias


def _check_joint(lookups: list[Any]) -> None:
    other = "Please use weighted_sum_from_feature_columns instead."
    for lookup in lookups:
        if lookup.weight_tensor is not None:
            raise AssertionError(f"Joint sums for weighted sparse columns are not supported. {other}")
        if lookup.combiner != "sum":
            raise AssertionError(f"Combiners other than sum are not supported for joint sums. {other}")
    if not lookups:
        raise AssertionError("At least one column must be in the model.")


def create_feature_spec_for_parsing(feature_columns: Any) -> dict[str, Any]:
    """How the features of columns, given as such or the values of a dict, are parsed, as `tf.parse_example` takes it.

    Raises:
        TypeError: if something is no column.
    """
    spec: dict[str, Any] = {}
    for column in feature_columns.values() if isinstance(feature_columns, dict) else feature_columns:
        if not isinstance(column, _FeatureColumn):
            raise TypeError(
                f"feature_columns should only contain instances of _FeatureColumn. Given column is {column}"
            )
        spec.update(column.config)
    return spec


def make_place_holder_tensors_for_base_features(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """A placeholder for each feature of columns, by its name."""
    made: dict[str, Any] = {}
    for key, feature in create_feature_spec_for_parsing(feature_columns).items():
        name = f"Placeholder_{key}"
        if isinstance(feature, VarLenFeature):
            made[key] = sparse_placeholder(feature.dtype, name=name)
        else:
            made[key] = placeholder(feature.dtype, shape=[None, feature.shape[0]], name=name)
    return made


def parse_feature_columns_from_examples(
    serialized: Sequence[bytes], feature_columns: Iterable[Any], name: str | None = None, example_names: Any = None
) -> dict[Any, Any]:
    """The features of serialized Example messages, and what columns make of them.

    Args:
        serialized: string vector.
        feature_columns: the columns.
        name: a name for the operation.
        example_names: string vector, the messages' names for errors.

    Returns:
        from the names of features and from columns to tensors.
    """
    ordered = _in_order(feature_columns)
    spec = create_feature_spec_for_parsing(ordered)
    tensors: dict[Any, Any] = parse_example(serialized, spec, name=name, example_names=example_names)
    transformer = _Transformer(tensors)
    for column in ordered:
        transformer.transform(column)
    return tensors


def transform_features(features: dict[Any, Any], feature_columns: Iterable[Any]) -> dict[Any, Any]:
    """From columns to what they make of features."""
    transformer = _Transformer(dict(features))
    return {column: transformer.transform(column) for column in _in_order(feature_columns)}


def infer_real_valued_columns(features: Any) -> list[Any]:
    """A column of numbers for each feature, of a dict or alone.

    Raises:
        ValueError: for features that are sparse or of no numbers.
    """
    named = features if isinstance(features, dict) else {"": features}
    columns = []
    for name, tensor in named.items():
        if isinstance(tensor, SparseTensor):
            raise ValueError(
                "SparseTensor is not supported for auto detection. Please define corresponding FeatureColumn for tensor "
                f"{name} {tensor}."
            )
        if not (tensor.dtype.is_integer or tensor.dtype.is_floating):
            raise ValueError(
                "Non integer or non floating types are not supported for auto detection. Please define corresponding "
                f"FeatureColumn for tensor {name} {tensor}."
            )
        dimension = 1
        for size in tensor.get_shape().as_list()[1:]:
            dimension *= size
        columns.append(real_valued_column(name, dimension=dimension, dtype=tensor.dtype))
    return columns
