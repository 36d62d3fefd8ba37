"""`tfe.Network`: layers put together, whose variables are named after it."""

from __future__ import annotations

import inspect
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from headrace.core.eager import executing_eagerly
from headrace.layers.base import Layer
from headrace.layers.context import names_of_graph
from headrace.state.variable_scope import VariableScope, get_variable_scope, get_variable_scope_store, variable_scope
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.layers.classic.core import Dense


_INSTEAD = "Use the layers themselves, and tf.train.Checkpoint to save them, in new programs."


class Network(Layer):
    """Layers put together. Those it uses are announced with `track_layer`, and named after it.

    Args:
        name: its name, which nothing else beside it may have; made of the class's by default.

    Raises:
        ValueError: if the name has a slash, or is a variable scope.

    Example:
        >>> class Net(tfe.Network):
        ...     def __init__(self):
        ...         super(Net, self).__init__()
        ...         self.layer = self.track_layer(tf.layers.Dense(1))
        ...     def call(self, x):
        ...         return self.layer(x)
    """

    def __init__(self, name: str | None = None) -> None:
        if executing_eagerly():
            tf_logging.warning("** tfe.Network is deprecated and will be removed in a future version. %s", _INSTEAD)
        if isinstance(name, VariableScope):
            raise ValueError("VariableScopes are not valid Network names.")
        if name is not None and "/" in name:
            raise ValueError("Forward slashes ('/') are not allowed in Network names.")
        super().__init__(name=name)
        self._layers: list[Any] = []
        self._sub_layer_name_uids: defaultdict[Any, int] = defaultdict(int)
        # None until it is known, then a weak reference to the first network it was added to, or False for none.
        self._first_parent: Any = None
        self._non_network_sublayers: list[Any] = []
        self._owned_layers: dict[str, Any] = {}
        self._default_parent_variable_scope = get_variable_scope()
        # The scope around it may be closed when it is built: the names that were taken there are known now only.
        self._scopes_before = dict(get_variable_scope_store().variable_scopes_count)

    def _gather_saveables_for_checkpoint(self) -> NoReturn:
        raise NotImplementedError(f"tfe.Network does not support object-based checkpointing. {_INSTEAD}")

    def _name_scope(self) -> str:
        assert self._current_scope is not None
        return self._current_scope.name + "/"

    def _init_set_name(self, name: Any, zero_based: bool = True) -> None:
        # One without a name gets it when it is added to another network, or first called.
        self._name = name
        self._base_name = None

    def _finalize_name(self, parent_network: Any) -> None:
        if not self._name:
            if parent_network:
                avoid: Any = parent_network._owned_layers
                counts: Any = parent_network._sub_layer_name_uids
            else:
                counts = names_of_graph()
                outer = self._default_parent_variable_scope.name
                prefix = outer + "/" if outer else ""
                avoid = {name[len(prefix) :] for name in self._scopes_before if name and name.startswith(prefix)}
            self._name, self._base_name = self._make_unique_name(
                name_uid_map=counts,
                avoid_names=avoid,
                namespace=self._default_parent_variable_scope.name,
                zero_based=True,
            )
        if self._first_parent is None or (self._first_parent and self._first_parent() is None):
            self._first_parent = weakref.ref(parent_network) if parent_network else parent_network

    def _set_scope(self, scope: Any = None) -> None:
        if self._scope is not None:
            return
        parent = self._first_parent() if self._first_parent else self._first_parent
        if parent is None:
            # It belongs to none, and will not: False keeps it so.
            self._finalize_name(parent_network=False)
        if scope is not None:
            raise ValueError("Networks may not be created with explicit scopes.")
        if parent:
            parent._set_scope()
            parent_scope = parent._scope
        else:
            parent_scope = self._default_parent_variable_scope
        with variable_scope(parent_scope) as outer:
            taken = ValueError(
                f"A Network named '{self._name}' already exists (or a variable_scope was created with this name). Names "
                "must be unique."
            )
            if f"{outer.name}/{self._name}" in self._scopes_before:
                raise taken
            with variable_scope(None, use_resource=True, default_name=self._name) as made:
                self._scope = made
            before, _, last = made.name.rpartition("/")
            if last != self._name:
                raise taken
            if parent and before != parent.scope_name:
                raise ValueError(
                    f"Network variable names must match a nesting of sub-Network names. Expected prefix "
                    f"'{parent.scope_name}' from parent network, but got '{before}' when attempting to create a "
                    f"variable_scope for Network '{self._name}'. Likely an explicit variable_scope was inserted into the "
                    "nesting."
                )
            if not parent and before:
                self._name = made.name
        for layer in self._non_network_sublayers:
            self._set_scope_of(layer)

    def _set_scope_of(self, layer: Any) -> None:
        """Gives a layer that is no network its scope in the network it was first added to."""
        if layer._scope is not None:
            return
        parent = layer._first_parent() if layer._first_parent is not None else None
        if not parent:
            self._finalize_name(False)
            raise ValueError(
                f"The parent of a Layer added to Network {self.name} was garbage collected before the Layer was built."
            )
        parent._set_scope()
        with variable_scope(parent._scope), variable_scope(None, use_resource=True, default_name=layer.name) as made:
            layer._scope = made
        # Its operations are named as its variables are.
        layer._name_scope = lambda: layer._current_scope.name + "/"

    @property
    def name(self) -> str:
        """Its name.

        Raises:
            ValueError: if it has been neither called nor added to another, and was given none.
        """
        if self._name is None:
            raise ValueError(
                "The network does not yet have a final name, but a name was requested for it. Networks get a name when "
                "they are added to another Network via track_layer, or when they are first called/built."
            )
        return str(self._name)

    def track_layer(self, layer: Layer) -> Layer:
        """Makes a layer a part of it: its variables are those of the network.

        Args:
            layer: a `tf.layers.Layer`.

        Returns:
            the layer.

        Raises:
            RuntimeError: before `Network.__init__` was called.
            TypeError: if it is no layer.
            ValueError: if another of its name is there.
        """
        if "_layers" not in self.__dict__:
            raise RuntimeError("Need to call Network.__init__ before adding layers")
        if not isinstance(layer, Layer):
            raise TypeError(f"Network.track_layer() passed type {type(layer)}, not a tf.layers.Layer")
        layer._use_resource_variables = True
        if isinstance(layer, Network):
            layer._finalize_name(parent_network=self)
        elif not layer.built:
            first = layer.__dict__.get("_first_parent")
            if first is None or first() is None:
                if layer._name != layer._base_name:
                    # It was not named by the program, and gets a name as it would have in here.
                    layer._name, layer._base_name = layer._make_unique_name(
                        name_uid_map=self._sub_layer_name_uids, avoid_names=self._owned_layers, zero_based=True
                    )
                layer._first_parent = weakref.ref(self)  # type: ignore[attr-defined]  # noted on the layer
            self._non_network_sublayers.append(layer)
        first = layer.__dict__.get("_first_parent")
        if not layer.built and first and first() is self:
            if layer.name in self._owned_layers:
                if self._owned_layers[layer.name] is layer:
                    return layer
                raise ValueError(f"Attempt to add two Layers with the name '{layer.name}' to the same Network.")
            self._owned_layers[layer.name] = layer
        self._layers.append(layer)
        return layer

    def get_layer(self, name: str | None = None, index: int | None = None) -> Dense:
        """A layer of it, by its name or its place.

        Raises:
            ValueError: if there is none such, or not exactly one of both is given.
        """
        if index is not None:
            if name is not None:
                raise ValueError("Exactly one of 'index' or 'name' must be provided")
            if len(self._layers) <= index:
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has {len(self._layers)} layers."
                )
            return self._layers[index]
        if not name:
            raise ValueError("Provide either a layer name or layer index.")
        for layer in self._layers:
            if layer.name == name:
                return layer
        raise ValueError("No such layer: " + name)

    def _of_layers(self, attribute: str) -> list[Any]:
        return [item for layer in self._layers for item in getattr(layer, attribute)]

    @property
    def weights(self) -> list[Any]:
        """The variables of its layers, layer by layer."""
        return self._of_layers("weights")

    @property
    def trainable_weights(self) -> list[Any]:
        """The trained variables of its layers."""
        return self._of_layers("trainable_weights")

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other variables of its layers."""
        return self._of_layers("non_trainable_weights")

    @property
    def trainable(self) -> bool:
        """True: which variables are trained is for the one to say who trains them."""
        return True

    @trainable.setter
    def trainable(self, value: bool) -> None:
        if not value:
            raise AttributeError("cannot mark Network as not trainable")

    @property
    def layers(self) -> list[Any]:
        """Its layers."""
        return self._layers

    @property
    def losses(self) -> list[Any]:
        """The losses of its layers."""
        return self._of_layers("losses")

    def add_variable(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Not there: variables belong to its layers.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError("add_variable not supported in Network class yet. Track a layer that has the variable.")

    def add_loss(self, losses: TensorLike | Callable[..., Any], inputs: TensorLike | None = None) -> NoReturn:
        """Not there: losses belong to its layers.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError("add_loss is not supported in Network class yet. Add the loss to one of its layers.")


class Sequential(Network):
    """Layers, or functions, one after the other.

    Args:
        layers_funcs: the layers and functions.
        name: its name.

    Example:
        >>> net = tfe.Sequential([tf.layers.Dense(10), tf.nn.relu])
    """

    def __init__(self, layers_funcs: Iterable[Any] | None = None, name: str | None = None) -> None:
        super().__init__(name=name)
        self._layers_funcs: list[tuple[bool, Callable[..., Any]]] = []
        for layer in layers_funcs or ():
            self.add(layer)

    def add(self, layer_func: int | Callable[..., Any] | Layer) -> None:
        """Adds a layer or a function at the end.

        Raises:
            TypeError: if it is neither.
        """
        if isinstance(layer_func, Layer):
            arguments = inspect.signature(layer_func.call).parameters
            self.track_layer(layer_func)
        elif callable(layer_func):
            arguments = inspect.signature(layer_func).parameters
        else:
            raise TypeError(
                "Sequential.add() takes only tf.layers.Layer objects or callables; not "
                f"'{layer_func}' of type '{type(layer_func)}'."
            )
        self._layers_funcs.append(("training" in arguments, layer_func))

    def call(self, inputs: TensorLike, training: TensorLike | None = None) -> Any:
        """Calls one after the other; `training` goes to those that take it."""
        for takes_training, layer in self._layers_funcs:
            inputs = layer(inputs, training) if takes_training and training is not None else layer(inputs)
        return inputs
