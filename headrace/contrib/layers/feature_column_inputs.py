"""What models make of feature columns: inputs of networks, weighted sums, parsed and placed features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from headrace.contrib.framework.variables import model_variable
from headrace.contrib.layers import feature_columns as fc
from headrace.contrib.layers.embedding_ops import safe_embedding_lookup_sparse, scattered_embedding_lookup_sparse
from headrace.contrib.layers.feature_column_makers import real_valued_column
from headrace.contrib.layers.shaping import inner_flatten
from headrace.core.collections import GraphKeys
from headrace.core.composite import SparseTensor
from headrace.core.defaults import add_to_collection, get_collection
from headrace.core.dtypes import float32
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.ops.array.constant import placeholder
from headrace.ops.array.join import concat
from headrace.ops.math.add_n import add_n
from headrace.ops.math.matmul import matmul
from headrace.ops.nn.bias import bias_add
from headrace.ops.parsing.example import parse_example
from headrace.ops.parsing.features import FixedLenFeature, VarLenFeature
from headrace.ops.sparse.building import sparse_placeholder
from headrace.ops.sparse.join import sparse_concat
from headrace.state.initializers import zeros_initializer
from headrace.state.partitioned import PartitionedVariable
from headrace.state.variable_scope import variable_scope
from headrace.train.checkpoint_utils import init_from_checkpoint


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
    columns = list(columns)
    check_feature_columns(columns)
    return sorted(set(columns), key=lambda column: column.key)


def _collections(given: Any) -> Any:
    return sorted({*given, GraphKeys.GLOBAL_VARIABLES}) if given else given


def _parts(variable: Any) -> list[Any]:
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def _begin_from(column: Any, variable: Any) -> None:
    found = column.checkpoint()
    if found is not None:
        init_from_checkpoint(found[0], {found[1]: variable if len(variable) > 1 else variable[0]})


def _table(column: Any, sizes: list[int], trainable: bool, collections: Any) -> list[Any]:
    """The vectors of an embedding, those of a shared one made once."""

    def made(name: str) -> Any:
        return model_variable(
            name,
            shape=sizes,
            dtype=float32,
            initializer=column.initializer,
            trainable=trainable and getattr(column, "trainable", True),
            collections=collections,
        )

    shared = getattr(column, "shared_embedding_name", None)
    if not shared:
        return _parts(made("weights"))
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
    return _parts(found[0])


def _embedded(column: Any, tensor: Any, trainable: bool, collections: Any, rank: int) -> Tensor:
    if isinstance(column, fc._ScatteredEmbeddingColumn):
        table = _table(column, [column.size], trainable, collections)
        return scattered_embedding_lookup_sparse(
            table,
            inner_flatten(tensor, rank),
            column.dimension,
            hash_key=column.hash_key,
            combiner=column.combiner,
            name="lookup",
        )
    ids, weights = column.sparse_id_column.split(tensor)
    ids = inner_flatten(ids, rank)
    weights = None if weights is None else inner_flatten(weights, rank)
    table = _table(column, [column.length, column.dimension], trainable, collections)
    _begin_from(column, table)
    return safe_embedding_lookup_sparse(
        table, ids, weights, combiner=column.combiner, name=f"{column.name}weights", max_norm=column.max_norm
    )


def input_of_columns(
    tensors: dict[Any, Any],
    columns: Iterable[Any],
    collections: Any,
    trainable: bool,
    scope: Any,
    rank: int,
    default_name: str,
    outputs: dict[Any, Any] | None,
) -> Tensor:
    """What columns make of features, side by side, as a tensor of `rank` dimensions."""
    tensors = dict(tensors)
    ordered = _in_order(columns)
    if outputs is not None and not isinstance(outputs, dict):
        raise ValueError("cols_to_outs must be a dict unless None")
    found = []
    with variable_scope(scope, default_name=default_name, values=list(tensors.values())):
        for column in ordered:
            with variable_scope(None, default_name=column.name):
                tensor = column.transform(tensors)
                if isinstance(column, (fc._EmbeddingColumn, fc._ScatteredEmbeddingColumn)):
                    found.append(_embedded(column, tensor, trainable, _collections(collections), rank))
                else:
                    try:
                        found.append(column.dense(tensor, rank))
                    except ValueError as error:
                        raise ValueError(f"Error creating input layer for column: {column.name}.\n{error}") from None
                if outputs is not None:
                    outputs[column] = found[-1]
        return concat(found, rank - 1)


def input_from_feature_columns(
    columns_to_tensors: dict[Any, Any],
    feature_columns: Iterable[Any],
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: Any = None,
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


def _bias(num_outputs: int, trainable: bool, collections: Any) -> Any:
    return model_variable(
        "bias_weight",
        shape=[num_outputs],
        initializer=zeros_initializer(),
        trainable=trainable,
        collections=_collections(collections),
    )


def _weights(name: str, rows: int, num_outputs: int, trainable: bool, collections: Any) -> list[Any]:
    return _parts(
        model_variable(
            name,
            shape=[rows, num_outputs],
            dtype=float32,
            initializer=zeros_initializer(),
            trainable=trainable,
            collections=_collections(collections),
        )
    )


def weighted_sum_from_feature_columns(
    columns_to_tensors: dict[Any, Any],
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: Any = None,
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
    tensors = dict(columns_to_tensors)
    ordered = _in_order(feature_columns)
    found, variables = [], {}
    with variable_scope(scope, default_name="weighted_sum_from_feature_columns", values=list(tensors.values())):
        for column in ordered:
            tensor = column.transform(tensors)
            try:
                lookup = column.linear(tensor)
            except ValueError as error:
                raise ValueError(f"Error creating weighted sum for column: {column.name}.\n{error}") from None
            with variable_scope(None, default_name=column.name):
                if lookup is None:
                    dense = column.dense(tensor, 2)
                    size = dense.get_shape().as_list()[1]
                    weights = _weights("weight", size, num_outputs, trainable, weight_collections)
                    result = matmul(dense, weights[0], name="matmul")
                else:
                    weights = _weights("weights", lookup.size, num_outputs, trainable, weight_collections)
                    result = safe_embedding_lookup_sparse(
                        weights, lookup.ids, lookup.weights, combiner=lookup.combiner, name=f"{column.name}_weights"
                    )
            found.append(raw.Reshape(result, [-1, num_outputs]))
            variables[column] = weights
            _begin_from(column, weights)
        bias = _bias(num_outputs, trainable, weight_collections)
        return bias_add(add_n(found), bias), variables, bias


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: dict[Any, Any],
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: Any = None,
) -> tuple[Tensor, list[Any], Any]:
    """`weighted_sum_from_feature_columns` with the weights of all columns in one variable.

    Returns:
        (sums [batch, num_outputs], the list of weights, the bias).

    Raises:
        NotImplementedError: for columns of numbers. ValueError: for weighted columns, or combiners other than "sum".
    """
    tensors = dict(columns_to_tensors)
    ordered = _in_order(feature_columns)
    if not ordered:
        raise ValueError("At least one column must be in the model.")
    default = "joint_weighted_sum_from_feature_columns"
    with variable_scope(scope, default_name=default, values=list(tensors.values())):
        parts, size = [], 0
        for column in ordered:
            lookup = column.linear(column.transform(tensors))
            if lookup is None:
                raise NotImplementedError(
                    "Real-valued columns are not supported. Use weighted_sum_from_feature_columns instead, or bucketize "
                    "these columns."
                )
            if lookup.weights is not None or lookup.combiner != "sum":
                raise ValueError(
                    f"Column {column.name}: weighted columns and combiners other than sum are not supported for joint sums. "
                    "Please use weighted_sum_from_feature_columns instead."
                )
            parts.append(SparseTensor(lookup.ids.indices, lookup.ids.values + size, lookup.ids.dense_shape))
            size += lookup.size
        with variable_scope(None, default_name="linear_weights"):
            weights = _weights("weights", size, num_outputs, trainable, weight_collections)
            ids = sparse_concat(1, parts)
            result = safe_embedding_lookup_sparse(weights, ids, None, combiner="sum", name="_weights")
        bias = _bias(num_outputs, trainable, weight_collections)
        return bias_add(result, bias), weights, bias


def create_feature_spec_for_parsing(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """How the features of columns are parsed, as `tf.parse_example` takes it.

    Raises:
        TypeError: if something is no column.
    """
    spec: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, fc._FeatureColumn):
            raise TypeError(
                f"feature_columns should only contain instances of _FeatureColumn. Given column is {column}"
            )
        spec.update(column.config)
    return spec


def make_place_holder_tensors_for_base_features(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """A placeholder for each feature of columns, by its name."""
    made: dict[str, Any] = {}
    for name, feature in create_feature_spec_for_parsing(feature_columns).items():
        if isinstance(feature, VarLenFeature):
            made[name] = sparse_placeholder(feature.dtype)
        elif isinstance(feature, FixedLenFeature):
            made[name] = placeholder(feature.dtype, shape=[None, *feature.shape])
    return made


def parse_feature_columns_from_examples(
    serialized: Any, feature_columns: Iterable[Any], name: str | None = None, example_names: Any = None
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
    for column in ordered:
        column.transform(tensors)
    return tensors


def transform_features(features: dict[Any, Any], feature_columns: Iterable[Any]) -> dict[Any, Any]:
    """From columns to what they make of features."""
    tensors = dict(features)
    return {column: column.transform(tensors) for column in _in_order(feature_columns)}


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
