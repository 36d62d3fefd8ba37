"""What 1.15's first generation of columns has for variables that several calls share: `InputLayer` and `_LinearModel`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.tensor import Tensor
from headrace.feature_column.base import StateManager, TransformationCache
from headrace.feature_column.input_layer import make_input_layer, normalized, scopes_of, weighted_columns
from headrace.layers.engine import Layer
from headrace.state.template import make_template
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames


class InputLayer:
    """`input_layer` as an object whose calls share their variables.

    Args:
        feature_columns, weight_collections, trainable: as of `input_layer`.
        cols_to_vars: as there; nothing fills it.
        name: of the variable scope.
        create_scope_now: whether the scope is made now rather than at the first call.

    Example:
        >>> layer = InputLayer([tf.feature_column.numeric_column("price")])
        >>> layer({"price": tf.constant([[1.0], [2.0]])})
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        weight_collections: CollectionNames | None = None,
        trainable: bool = True,
        cols_to_vars: dict[Any, Any] | None = None,
        name: str = "feature_column_input_layer",
        create_scope_now: bool = True,
    ) -> None:
        self._settings = {
            "feature_columns": feature_columns,
            "weight_collections": weight_collections,
            "trainable": trainable,
            "from_template": True,
        }
        self.name = name
        self._template: Any = make_template(name, make_input_layer, create_scope_now_=create_scope_now)

    def __call__(self, features: Mapping[str, Any]) -> Tensor:
        """The tensors of the columns side by side, [batch, sum of their sizes]."""
        return self._template(features=features, **self._settings)

    @property
    def variables(self) -> list[Any]:
        """All variables of the columns."""
        return self._template.variables

    @property
    def trainable_variables(self) -> list[Any]:
        """Those that are trained."""
        return self._template.trainable_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The others."""
        return self._template.non_trainable_variables

    weights = variables
    trainable_weights = trainable_variables
    non_trainable_weights = non_trainable_variables


class _LinearModel(Layer):
    """`linear_model` as a layer whose calls share their variables.

    Args:
        feature_columns, units, sparse_combiner, weight_collections, trainable: as of `linear_model`.
        name: of the layer and of the variables' scope.

    Example:
        >>> model = _LinearModel([tf.feature_column.numeric_column("price")], name="linear_model")
        >>> model({"price": tf.constant([[1.0], [2.0]])})
    """

    def __init__(
        self,
        feature_columns: Iterable[Any],
        units: int = 1,
        sparse_combiner: str = "sum",
        weight_collections: CollectionNames | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self._scoped = scopes_of(normalized(feature_columns))
        self._sums: dict[str, Any] = {
            "units": units,
            "sparse_combiner": sparse_combiner,
            "weight_collections": weight_collections,
            "trainable": trainable,
        }
        self._by_column: dict[Any, list[Any]] = {}

    def cols_to_vars(self) -> dict[Any, list[Any]]:
        """The variables of each column, and those of the bias as "bias", once the layer was called."""
        return self._by_column

    @property
    def bias(self) -> Any:
        """The variable of the bias."""
        return self._by_column["bias"][0]

    def call(self, features: Mapping[str, Any]) -> Tensor:
        """The sums, [batch, units].

        Raises:
            ValueError: if something is neither a dense column nor one of classes.
        """
        again = bool(self._by_column)
        with variable_scope(self.name, reuse=again or None, auxiliary_name_scope=False):
            found: dict[Any, list[Any]] = {}
            sums = weighted_columns(features, self._scoped, cols_to_vars=found, **self._sums)
        if not again:
            self._by_column.update(found)
            made = list({id(v): v for each in found.values() for v in each}.values())
            self._trainable_weights += [v for v in made if v.trainable]
            self._non_trainable_weights += [v for v in made if not v.trainable]
        return sums


def transform_features(
    features: Mapping[str, Any], feature_columns: Iterable[Any], state_manager: StateManager | None = None
) -> dict[Any, Any]:
    """What columns make of features: from column to tensor or SparseTensor.

    Args:
        features: from key to tensor.
        feature_columns: the columns.
        state_manager: who holds the columns' tables and variables; None for columns that hold none.

    Example:
        >>> price = tf.feature_column.numeric_column("price")
        >>> transform_features({"price": [[1], [2]]}, [price])[price]
    """
    with name_scope(None, "transform_features", list(features.values())):
        cache = TransformationCache(features)
        made = {}
        for column in normalized(feature_columns):
            with name_scope(None, column.name):
                made[column] = cache.get(column, state_manager)
    return made
