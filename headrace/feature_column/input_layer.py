"""`input_layer` and `linear_model`: what models make of columns, with variables in variable scopes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.attributes import check_attribute
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection, name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.feature_column.base import TransformationCache
from headrace.feature_column.legacy import LegacyCategoricalColumn, LegacyDenseColumn, LegacyFeatureColumn
from headrace.functions.nn.embedding import safe_embedding_lookup_sparse
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.shape import reshape
from headrace.ops.math.add_n import add_n
from headrace.ops.nn.bias import bias_add
from headrace.ops.sparse.reshape import sparse_reshape
from headrace.state.initializers import Zeros
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames


def normalized(feature_columns: Any) -> list[Any]:
    """Columns as a list in the order of their names.

    Raises:
        ValueError: if there is none, one is no column, a dictionary is given, or two have one name.
    """
    if isinstance(feature_columns, (LegacyFeatureColumn, str)):
        feature_columns = [feature_columns]
    if isinstance(feature_columns, Iterator):
        feature_columns = list(feature_columns)
    if isinstance(feature_columns, Mapping):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    for column in feature_columns:
        if not isinstance(column, LegacyFeatureColumn):
            raise ValueError(
                f"Items of feature_columns must be a FeatureColumn. Given (type {type(column)}): {column}."
            )
    if not feature_columns:
        raise ValueError("feature_columns must not be empty.")
    named: dict[str, Any] = {}
    for column in feature_columns:
        if column.name in named:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and {named[column.name]}. This usually means that "
                "these columns refer to same base feature. Either one must be discarded or a duplicated but renamed item must "
                "be inserted in features dict."
            )
        named[column.name] = column
    return sorted(feature_columns, key=lambda column: column.name)


def check_batch_sizes(tensors: Sequence[Tensor], columns: Sequence[Any]) -> None:
    """Raises ValueError where tensors are known to be of different batches."""
    expected: int | None = None
    for i, tensor in enumerate(tensors):
        size = tensor.shape[0].value if tensor.shape.ndims else None
        if size is None:
            continue
        if expected is None:
            first, expected = columns[i].name, size
        elif size != expected:
            raise ValueError(
                f"Batch size (first dimension) of each feature must be same. Batch size of columns ({first}, "
                f"{columns[i].name}): ({expected}, {size})"
            )


def input_layer(
    features: Mapping[str, Any],
    feature_columns: Iterable[Any],
    weight_collections: CollectionNames | None = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
    cols_to_output_tensors: dict[Any, Any] | None = None,
) -> Tensor:
    """The tensors of dense columns side by side: the input of a network.

    Args:
        features: from key to tensor.
        feature_columns: dense columns; embeddings and indicators make such of classes.
        weight_collections: collections for the variables besides GLOBAL_VARIABLES.
        trainable: whether they are trained.
        cols_to_vars: a dict that receives the variables of each column.
        cols_to_output_tensors: a dict that receives the tensor of each column.

    Returns:
        [batch, sum of the sizes of the columns], in the order of the names of the columns.

    Raises:
        ValueError: if something is no dense column.

    Example:
        >>> price = tf.feature_column.numeric_column("price")
        >>> tf.feature_column.input_layer({"price": [[1.0], [5.0]]}, [price])
    """
    return make_input_layer(
        features,
        feature_columns,
        weight_collections,
        trainable,
        cols_to_vars,
        cols_to_output_tensors=cols_to_output_tensors,
    )


def make_input_layer(
    features: Mapping[str, Any],
    feature_columns: Iterable[Any],
    weight_collections: CollectionNames | None = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
    scope: Any = None,
    cols_to_output_tensors: dict[Any, Any] | None = None,
    from_template: bool = False,
) -> Tensor:
    """`input_layer` in a scope.

    Args:
        scope: the variable scope; "input_layer" by default, made unique.
        from_template: whether a template entered the scope already.
        features, feature_columns, weight_collections, trainable, cols_to_vars, cols_to_output_tensors: as there.
    """
    columns = normalized(feature_columns)
    for column in columns:
        if not isinstance(column, LegacyDenseColumn):
            raise ValueError(
                "Items of feature_columns must be a _DenseColumn. You can wrap a categorical column with an embedding_column "
                f"or indicator_column. Given: {column}"
            )
    for attribute in ("values", "copy"):
        check_attribute("input_layer: features", features, attribute, "a dictionary")
    collections = list(weight_collections or [])
    collections = list(dict.fromkeys([GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES, *collections]))
    cache = TransformationCache(features)

    def outputs() -> Tensor:
        tensors: list[Tensor] = []
        for column in columns:
            with variable_scope(None, default_name=column._var_scope_name):
                tensor = column._get_dense_tensor(cache, weight_collections=collections, trainable=trainable)
                size = column._variable_shape.num_elements()
                batch = shape(tensor)[0]
                output = reshape(tensor, shape=(batch, size))
                tensors.append(output)
                if cols_to_vars is not None:
                    # A shared table is found by the name scope of its first user, so the scope says it here too.
                    cols_to_vars[column] = _variables_here()
                if cols_to_output_tensors is not None:
                    cols_to_output_tensors[column] = output
        check_batch_sizes(tensors, columns)
        return concat(tensors, 1)

    if from_template:
        return outputs()
    with variable_scope(scope, default_name="input_layer", values=list(features.values())):
        return outputs()


def _variables_here() -> Any:
    """The variables of the scope in force."""
    with variable_scope("", reuse=None, auxiliary_name_scope=False) as scope:
        return get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope.name)


def linear_model(
    features: Mapping[str, Any],
    feature_columns: Iterable[Any],
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: CollectionNames | None = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
) -> Tensor:
    """A weighted sum of columns, dense ones and classes, plus a bias.

    Args:
        features: from key to tensor.
        feature_columns: the columns.
        units: how many sums.
        sparse_combiner: how the weights of an example's classes become one: "sum", "mean" or "sqrtn".
        weight_collections: collections for the variables besides GLOBAL_VARIABLES.
        trainable: whether they are trained.
        cols_to_vars: a dict that receives the variables of each column, and those of the bias as "bias".

    Returns:
        [batch, units].

    Raises:
        ValueError: if something is neither a dense column nor one of classes.

    Example:
        >>> price = tf.feature_column.numeric_column("price")
        >>> tf.feature_column.linear_model({"price": [[1.0], [5.0]]}, [price])
    """
    with variable_scope(None, "linear_model") as made:
        pass
    scoped = scopes_of(normalized(feature_columns))
    # Variables are named by the scope; operations as if a layer of this name were called in it, as in 1.15.
    with variable_scope(made, auxiliary_name_scope=False), name_scope("linear_model"), name_scope("linear_model"):
        return weighted_columns(features, scoped, units, sparse_combiner, weight_collections, trainable, cols_to_vars)


def scopes_of(columns: Iterable[Any]) -> list[tuple[str, Any]]:
    """The columns of a linear model with the names of their scopes, in the order of these.

    1.15 makes the names unique among the scopes around the model, not among those in it: those of a second model are
    "price_1" and so on.

    Args:
        columns: each once.
    """
    scoped = []
    for column in columns:
        with variable_scope(None, default_name=column._var_scope_name) as scope:
            scoped.append((scope.name.rpartition("/")[2], column))
    return sorted(scoped, key=lambda pair: pair[0])


def weighted_columns(
    features: Mapping[str, Any],
    scoped: Sequence[tuple[str, Any]],
    units: int,
    sparse_combiner: str,
    weight_collections: CollectionNames | None,
    trainable: bool,
    cols_to_vars: dict[Any, Any] | None,
) -> Tensor:
    """`linear_model` of columns and their scopes, which lie in the variable scope in force.

    Args:
        features, units, sparse_combiner, weight_collections, trainable, cols_to_vars: as there.
        scoped: from `scopes_of`.
    """
    for _, column in scoped:
        if not isinstance(column, (LegacyDenseColumn, LegacyCategoricalColumn)):
            raise ValueError(
                f"Items of feature_columns must be either a _DenseColumn or _CategoricalColumn. Given: {column}"
            )
    collections = list(weight_collections or [])
    collections = list(dict.fromkeys([*collections, GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]))
    cache = TransformationCache(features)
    sums = []
    for name, column in scoped:
        with variable_scope(name):
            variable, each = _weighted_sum(column, cache, units, sparse_combiner, collections, trainable)
            sums.append(each)
            if cols_to_vars is not None:
                # In graphs also those that the column itself makes.
                cols_to_vars[column] = _parts(variable) if executing_eagerly() else _variables_here()
    check_batch_sizes(sums, [column for _, column in scoped])
    without_bias = add_n(sums, name="weighted_sum_no_bias")
    bias = _weights("bias_weights", [units], trainable, collections)
    if cols_to_vars is not None:
        cols_to_vars["bias"] = _parts(bias)
    return bias_add(without_bias, bias, name="weighted_sum")


def _weights(name: str, sizes: Sequence[int], trainable: bool, collections: list[str]) -> Any:
    return get_variable(
        name, shape=sizes, initializer=Zeros(), trainable=trainable, collections=collections, use_resource=True
    )


def _parts(variable: Any) -> list[Any]:
    return list(variable) if hasattr(variable, "_get_variable_list") else [variable]


def _weighted_sum(
    column: Any,
    cache: TransformationCache,
    units: int,
    sparse_combiner: str,
    collections: list[str],
    trainable: bool,
) -> tuple[Any, Tensor]:
    """The weights of a column, and its weighted sum."""
    if isinstance(column, LegacyCategoricalColumn):
        weights = _weights("weights", (column._num_buckets, units), trainable, collections)
        made: Any = column._get_sparse_tensors(cache, weight_collections=collections, trainable=trainable)
    else:
        weights = _weights("weights", (column._variable_shape.num_elements(), units), trainable, collections)
        made = column._get_dense_tensor(cache, weight_collections=collections, trainable=trainable)
    return weights, weighted_sum(column, made, weights, sparse_combiner)


def weighted_sum(column: Any, made: Any, weights: Any, sparse_combiner: str) -> Tensor:
    """The weighted sum of what a column makes: its classes with their weights, or its tensor.

    Args:
        column: the column.
        made: what it makes of a batch.
        weights: [classes or numbers, units].
        sparse_combiner: how the weights of an example's classes become one.
    """
    if isinstance(column, LegacyCategoricalColumn):
        ids, id_weights = made
        ids = sparse_reshape(ids, [shape(ids)[0], -1])
        if id_weights is not None:
            id_weights = sparse_reshape(id_weights, [shape(id_weights)[0], -1])
        return safe_embedding_lookup_sparse(
            weights, ids, sparse_weights=id_weights, combiner=sparse_combiner, name="weighted_sum"
        )
    size = column._variable_shape.num_elements()
    tensor = reshape(made, shape=(shape(made)[0], size))
    return matmul(tensor, weights, name="weighted_sum")
