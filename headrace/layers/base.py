"""The base of `tf.layers` and of the cells of recurrent networks: layers whose variables live in variable scopes."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection, get_collection_ref, get_default_graph, name_scope
from headrace.core.dtypes import as_dtype
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.layers import engine
from headrace.layers.context import to_snake_case, unique_object_name
from headrace.layers.input_spec import InputSpec
from headrace.state.dependencies import TrackableReference
from headrace.state.modes import VariableAggregation, VariableSynchronization
from headrace.state.partitioned import PartitionedVariable
from headrace.state.variable_scope import VariableScope, get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import (
        Constraint,
        DTypeLike,
        InitializerLike,
        Partitioner,
        Regularizer,
        ShapeLike,
        TensorLike,
    )
    from headrace.state.variables import Variable


__all__ = ["InputSpec", "Layer", "keras_style_scope", "set_keras_style"]

_keras_style = False


@contextlib.contextmanager
def keras_style_scope() -> Iterator[None]:
    """A context in which layers and cells are made that own their variables, as those of Keras do.

    Example:
        >>> with tf.layers.experimental.keras_style_scope():
        ...     cell = tf.nn.rnn_cell.LSTMCell(64)
    """
    global _keras_style
    outer, _keras_style = _keras_style, True
    try:
        yield
    finally:
        _keras_style = outer


def set_keras_style() -> None:
    """From here on layers and cells own their variables, as in `keras_style_scope`; this cannot be undone."""
    global _keras_style
    _keras_style = True


class Layer(engine.Layer):
    """A layer that makes its variables with `get_variable` in a variable scope of its own.

    Args:
        trainable: whether optimizers train its variables.
        name: the name of its scope, made unique; that of the class by default.
        dtype: the type of its variables; that of the first input by default.
        **kwargs: `_scope`, the scope to use, and `_reuse`, whether to share variables that are there.

    Example:
        >>> class Scale(tf.layers.Layer):
        ...     def build(self, input_shape):
        ...         self.factor = self.add_weight("factor", [])
        ...     def call(self, inputs):
        ...         return inputs * self.factor
    """

    # In what follows `name_scope` and the like are those of variable scopes: `self._scope` is the one it first opened,
    # `self._current_scope` the same one as entered for the call in progress.

    _use_resource_variables: bool
    _call_has_scope_arg: bool

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        self._use_resource_variables = False
        scope = kwargs.pop("_scope", None)
        self._reuse = kwargs.pop("_reuse", None)
        super().__init__(trainable=trainable, name=name, dtype=dtype, **kwargs)
        self._keras_style = _keras_style
        if _keras_style:
            _refuse_with_keras_style(scope=scope, reuse=self._reuse)
        self._call_has_scope_arg = "scope" in self._call_fn_args
        self._scope: VariableScope | None = None
        self._current_scope: VariableScope | None = None
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    # Attributes that are layers or variables do not become part of it, as they do for layers of Keras.
    __setattr__ = object.__setattr__  # type: ignore[assignment]  # a method of `object` in the place of one
    __delattr__ = object.__delattr__

    @property
    def graph(self) -> None:
        """None: layers are of no particular graph.

        Raises:
            RuntimeError: while executing eagerly.
        """
        if executing_eagerly():
            raise RuntimeError("Layer.graph not supported when executing eagerly.")
        return None

    @property
    def scope_name(self) -> str:
        """The name of its variable scope.

        Raises:
            ValueError: before the first call decides it.
        """
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._name}" has not been used yet. The scope '
                "name is determined the first time the layer instance is called. You must therefore call the layer "
                "before querying `scope_name`."
            )
        return self._scope.name

    @property
    def _checkpoint_dependencies(self) -> list[Any]:
        # Its attributes are none, unlike those of layers of Keras.
        return [TrackableReference(name, ref) for name, ref in self._dependencies.items()]

    def _init_set_name(self, name: Any, zero_based: bool = True) -> None:
        base = name
        if not name or isinstance(name, VariableScope):
            self._name, made = self._make_unique_name()
            base = name.name if isinstance(name, VariableScope) else made
        else:
            self._name = name
        self._base_name = base

    def _make_unique_name(
        self,
        name_uid_map: Any = None,
        avoid_names: set[str] | Mapping[Any, Any] | None = None,
        namespace: str = "",
        zero_based: bool = False,
    ) -> tuple[str, str]:
        base = to_snake_case(type(self).__name__)
        return unique_object_name(base, name_uid_map, avoid_names, namespace, zero_based), base

    def _name_scope(self) -> str:
        if self._keras_style:
            return super()._name_scope()
        assert self._current_scope is not None
        return self._current_scope.original_name_scope

    def _set_scope(self, scope: Any = None) -> None:
        """Opens its scope the first time, which gives it its name."""
        if self._scope is not None:
            return
        if self._reuse:
            opened = variable_scope(self._base_name if scope is None else scope)
        else:
            opened = variable_scope(scope, default_name=self._base_name)
        with opened as captured:
            self._scope = captured

    def add_loss(self, losses: TensorLike | Callable[..., Any], inputs: TensorLike | None = None) -> None:
        """Adds losses of the layer, to `GraphKeys.REGULARIZATION_LOSSES` as well; arguments as in Keras."""
        before, callable_before = len(self._losses), len(self._callable_losses)
        super().add_loss(losses, inputs=inputs)
        if executing_eagerly():
            return
        made = [loss() for loss in self._callable_losses[callable_before:]]
        _add_to_collection(
            [*self._losses[before:], *(loss for loss in made if loss is not None)], GraphKeys.REGULARIZATION_LOSSES
        )

    def add_weight(  # type: ignore[override]  # its arguments are those of 1.x
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike | None = None,
        regularizer: Regularizer | None = None,
        trainable: bool | None = None,
        constraint: Constraint | None = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        partitioner: Partitioner | None = None,
        **kwargs: Any,
    ) -> Variable:
        """The variable `name` of the layer's scope, made or shared.

        Args:
            name: its name.
            shape: its shape.
            dtype: its type; the layer's by default, else float32.
            initializer, regularizer, constraint, partitioner, use_resource: as in `tf.get_variable`.
            trainable: whether optimizers train it: True by default.
            synchronization, aggregation: for several replicas.

        Raises:
            ValueError: if it is to be trained and synchronized on reading.
        """
        for key in kwargs:
            if key != "experimental_autocast":
                raise TypeError("Unknown keyword argument:", key)
        settings: dict[str, Any] = {
            "constraint": constraint,
            "partitioner": partitioner,
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        if self._keras_style:
            variable = super().add_weight(
                name,
                shape,
                dtype=dtype,
                initializer=initializer,
                regularizer=regularizer,
                trainable=trainable and self.trainable,
                use_resource=use_resource,
                **settings,
            )
            return self._saved_as(name, variable)
        trainable = engine.trainable_mode(trainable, synchronization)
        existing = {id(variable) for variable in get_collection(GraphKeys.GLOBAL_VARIABLES)} if regularizer else set()
        self._set_scope(None)
        already_trained = len(self._trainable_weights)
        with variable_scope(self._scope, reuse=self.built or self._reuse, auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            with name_scope(self._name_scope()):
                variable = super().add_weight(
                    name,
                    shape,
                    dtype=as_dtype(self.dtype or "float32" if dtype is None else dtype),
                    initializer=scope.initializer if initializer is None else initializer,
                    trainable=trainable and self.trainable,
                    use_resource=use_resource or self._use_resource_variables or scope.use_resource,
                    getter=get_variable,
                    **settings,
                )
                parts = _parts(variable)
                # A variable that was there before has its loss already.
                if regularizer and all(id(part) not in existing for part in parts):
                    self._handle_weight_regularization(name, variable, regularizer)
        if trainable and self.trainable and not _is_trained(variable):
            # A custom getter, or a scope, made one that is not to be trained.
            self._non_trainable_weights += self._trainable_weights[already_trained:]
            del self._trainable_weights[already_trained:]
        return self._saved_as(name, variable)

    def _saved_as(self, name: str, variable: Variable) -> Variable:
        """The variable, which checkpoints of objects save as `name` below the layer; in parts it is not saved so."""
        if not isinstance(variable, PartitionedVariable):
            self._track_trackable(variable, name, overwrite=True)
        return variable

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Applies the layer in its variable scope, building it at the first call.

        Args:
            inputs: tensors.
            *args, **kwargs: passed on to `call`; `scope` names the scope to use at the first call.
        """
        scope = kwargs.pop("scope", None)
        if self._keras_style:
            _refuse_with_keras_style(scope=scope)
            return super().__call__(inputs, *args, **kwargs)
        self._set_scope(scope)
        if self.built:
            if not hasattr(self, "_always_reuse_variable_scope"):
                self._always_reuse_variable_scope = variable_scope(self._scope, reuse=True, auxiliary_name_scope=False)
            context = self._always_reuse_variable_scope
        else:
            context = variable_scope(self._scope, reuse=self._reuse, auxiliary_name_scope=False)
        with context as entered:
            self._current_scope = entered
            if not hasattr(self, "_call_has_scope_arg"):
                self._read_call_signature()
                self._call_has_scope_arg = "scope" in self._call_fn_args
            if self._call_has_scope_arg:
                kwargs["scope"] = entered
            outputs = super().__call__(inputs, *args, **kwargs)
        _add_to_collection(self.updates, GraphKeys.UPDATE_OPS)
        return outputs

    def __deepcopy__(self, memo: dict[int, Any]) -> Layer:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in self.__dict__.items():
            if name in ("_scope", "_always_reuse_variable_scope"):
                setattr(made, name, copy.copy(value))
            elif name in ("_graph", "_thread_local") or isinstance(value, Tensor) or _is_tensors(value):
                setattr(made, name, value)
            else:
                setattr(made, name, copy.deepcopy(value, memo))
        return made

    @property
    def _is_legacy_layer(self) -> bool:
        return True


def _is_tensors(value: object) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(item, Tensor) for item in value)


def _refuse_with_keras_style(**given: Any) -> None:
    for argument, value in given.items():
        if value is not None:
            raise ValueError(f"{argument} argument not allowed when keras style layers are enabled, but saw: {value}")


def _add_to_collection(elements: Sequence[Operation | Tensor], key: str) -> None:
    """Appends to a collection those elements that are not in it; while executing eagerly there are no collections."""
    if executing_eagerly():
        return
    collection = get_collection_ref(key)
    have = {id(item) for item in collection}
    for element in nest.flatten(elements):
        if id(element) not in have:
            have.add(id(element))
            collection.append(element)


def _parts(variable: Any) -> list[Any]:
    """The variables that a variable consists of."""
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def _is_trained(variable: Variable) -> bool:
    if executing_eagerly() or not getattr(variable, "_in_graph_mode", True):
        # No collection has variables that are made eagerly, in functions too.
        return all(part.trainable for part in _parts(variable))
    trained = get_default_graph().get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
    return any(variable is other for other in trained)
