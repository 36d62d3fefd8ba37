"""What a layer is made of: its variables and those of the layers inside it."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core import nest, slots
from headrace.core.module import ModuleMembers
from headrace.core.tensor import Tensor
from headrace.layers.values import get_values, set_values, track_variable
from headrace.state import restoring
from headrace.state.dependencies import NamedDependencies, NoDependency
from headrace.state.resource_variable_class import _UnreadVariable
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from types import FrameType

# Attributes that hold what belongs to the layer already, or describes it.
_OWN_LISTS = {
    "_batch_input_shape", "_call_fn_args", "_callable_losses", "_inbound_nodes", "_initial_weights", "_input_spec",
    "_losses", "_metrics", "_non_trainable_weights", "_outbound_nodes", "_tracked", "_trainable_weights", "_updates",
}  # fmt: skip


_PACKAGE = __name__.partition(".")[0] + "."
_PLAIN = (bool, int, float, str, type(None))


def _layers_in(value: Any) -> Iterator[Any]:
    """The layers in an attribute, those in lists, tuples and dicts included."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _layers_in(item)
    elif isinstance(value, dict):
        for key in sorted(value, key=str):
            yield from _layers_in(value[key])
    elif _has_weights(value):
        yield value


def _has_weights(value: Any) -> bool:
    """Whether something is a layer, or says as one does which weights it has."""
    return isinstance(value, Contents) or (
        hasattr(value, "trainable_weights") and hasattr(value, "non_trainable_weights") and not isinstance(value, type)
    )


def _is_of_program(frame: FrameType | None) -> bool:
    """Whether an attribute is set by a program, rather than by the classes of this package, which keep plain lists."""
    while frame is not None and frame.f_code.co_name == "__setattr__":
        frame = frame.f_back
    return frame is not None and not frame.f_globals.get("__name__", "").startswith(_PACKAGE)


def _variables_in(value: Any) -> Iterator[Variable]:
    """The variables in an attribute that is a container, and in the containers in it."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _variables_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _variables_in(item)
    elif isinstance(value, Variable):
        yield value


class _Sublayers:
    """The attribute `_layers`: the layers in a layer, unless a class keeps a list of its own under that name."""

    def __get__(self, layer: Any, owner: type | None = None) -> Any:
        return self if layer is None else layer._sublayers()


class Contents(ModuleMembers, NamedDependencies):
    """The variables and layers among the attributes of a layer, in the order in which they were set."""

    # The same variables and layers again, under other names.
    _TF_MODULE_IGNORED_PROPERTIES = frozenset({"_named_weights", "_tracked", "_tracked_containers"})

    _name: Any
    _trainable: bool
    _trainable_weights: list[Any]
    _non_trainable_weights: list[Any]
    built: bool

    @property
    def name(self) -> Any:
        """Its name."""
        return self._name

    @property
    def trainable(self) -> bool:
        """Whether its variables are trained."""
        return self._trainable

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self._trainable = value
        # Of a list or a dict that is an attribute only whether weights are told as its own: layers in it stay as they are.
        for part in self._weighted_parts():
            part.trainable = value

    @property
    def trainable_weights(self) -> list[Any]:
        """Its variables that are trained, those of its sublayers included."""
        self._keep_added_variables()
        return [*self._trainable_weights, *self._of_sublayers("trainable_weights")] if self.trainable else []

    @property
    def _unique_trainable_weights(self) -> list[Any]:
        """What a training step trains: a variable of several of the sublayers is one of it, where it is first."""
        return list({id(weight): weight for weight in self.trainable_weights}.values())

    @property
    def non_trainable_weights(self) -> list[Any]:
        """Its variables that are not trained, those of its sublayers included."""
        self._keep_added_variables()
        if self.trainable:
            return [*self._non_trainable_weights, *self._of_sublayers("non_trainable_weights")]
        return [*self._trainable_weights, *self._non_trainable_weights, *self._of_sublayers("weights")]

    @property
    def weights(self) -> list[Any]:
        """Its variables: those that are trained, then the others."""
        return [*self.trainable_weights, *self.non_trainable_weights]

    @property
    def variables(self) -> list[Any]:
        """The same as `weights`."""
        return self.weights

    @property
    def trainable_variables(self) -> list[Any]:
        """The same as `trainable_weights`."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The same as `non_trainable_weights`."""
        return self.non_trainable_weights

    def count_params(self) -> int:
        """The number of elements of its variables.

        Raises:
            ValueError: before it is built.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built. You can build it manually "
                f"via: `{self.name}.build(batch_input_shape)`."
            )
        return int(sum(np.prod(weight.shape.as_list()) for weight in self.weights))

    def get_weights(self) -> list[Any]:
        """The values of its variables, as NumPy arrays."""
        return get_values(self.weights)

    def set_weights(self, weights: Any) -> None:
        """Gives its variables new values, in the order of `weights`.

        Raises:
            ValueError: if their number or shapes are others, or they are variables.
        """
        variables = self.weights
        if len(variables) != len(weights):
            raise ValueError(
                f'You called `set_weights(weights)` on layer "{self.name}" with a  weight list of length {len(weights)}, '
                f"but the layer was expecting {len(variables)} weights. Provided weights: {str(weights)[:50]}..."
            )
        for variable, value in zip(variables, weights):
            if isinstance(value, Variable):
                raise ValueError(
                    f"setting an array element with a sequence: the weights of layer {self.name!r} are arrays, as "
                    f"`get_weights` gives them; got {value!r}."
                )
            if not variable.shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"Layer weight shape {variable.shape} not compatible with provided weight shape {value.shape}"
                )
        set_values(list(zip(variables, weights)))

    def _sublayers(self) -> list[Any]:
        """The layers among its attributes, each once, in the order in which they were set."""
        found: dict[int, Any] = {}
        for value in self.__dict__.get("_tracked", {}).values():
            if isinstance(value, Variable):
                continue
            for layer in _layers_in(value):
                found.setdefault(id(layer), layer)
        return list(found.values())

    def _weighted_parts(self) -> list[Any]:
        """The layers, lists and dicts that are its attributes, each once.

        A layer that is an attribute and in a list as well has its weights in both.
        """
        found: dict[int, Any] = {}
        for value in self.__dict__.get("_tracked", {}).values():
            # What is in a tuple, or in a list that this package keeps, is its own.
            for item in (value,) if _has_weights(value) else _layers_in(value):
                found.setdefault(id(item), item)
        return list(found.values())

    def _of_sublayers(self, attribute: str) -> list[Any]:
        return [item for layer in self._sublayers() for item in getattr(layer, attribute, ())]

    @property
    def _checkpoint_dependencies(self) -> list[Any]:
        # What it was told of comes beside its attributes; a wrapper may name a layer that is an attribute too.
        named = self._dependencies
        found: list[Any] = [each for each in slots.dependencies_of_layer(self) if each[0] not in named]
        return [*super()._checkpoint_dependencies, *found]

    _layers: Any = _Sublayers()

    def __setattr__(self, name: str, value: object) -> None:
        if "_untracked" in self.__dict__:
            self.__dict__["_untracked"].discard(name)
        if isinstance(value, NoDependency):
            if name in self.__dict__:
                self.__delattr__(name)
            self.__dict__.setdefault("_untracked", set()).add(name)
            value = value.value
        elif name not in _OWN_LISTS and self._tracks_attributes():
            if type(value) in (list, dict) and not hasattr(type(self), name) and _is_of_program(sys._getframe(1)):
                value = slots.tracked_container(value)
            self._track(name, value)
        elif name not in _OWN_LISTS and not isinstance(value, _PLAIN) and _is_of_program(sys._getframe(1)):
            # In a method that asked for its attributes not to be dependencies.
            self.__dict__.setdefault("_untracked", set()).add(name)
        object.__setattr__(self, name, value)
        if isinstance(value, (Variable, Contents)):
            restoring.changed()

    def _tracks_attributes(self) -> bool:
        """Whether what becomes an attribute now becomes a part of it."""
        tracks: bool = self.__dict__.get("_self_setattr_tracking", True)
        return tracks

    def _track(self, name: str, value: Any) -> None:
        if isinstance(value, _PLAIN):
            # Most attributes are settings.
            if name in self.__dict__ and name in self.__dict__.get("_tracked", ()):
                self.__delattr__(name)
            return
        if name != "_layers" and hasattr(type(self), name):
            return
        if name in self.__dict__:
            self.__delattr__(name)
        tracked = self.__dict__.setdefault("_tracked", {})
        if isinstance(value, (Contents, list, tuple, dict)) or hasattr(value, "trainable_weights"):
            tracked[name] = value
            for layer in _layers_in(value):
                if hasattr(layer, "_use_resource_variables"):
                    layer._use_resource_variables = True
        for item in _variables_in(value):
            tracked[name] = value
            self._keep(item)

    def _keep(self, variable: Variable) -> None:
        """Makes a variable one of its weights."""
        if isinstance(variable, _UnreadVariable):
            # What an assignment returns stands for a variable that is a weight elsewhere.
            return
        kept = self.__dict__.setdefault("_trainable_weights" if variable.trainable else "_non_trainable_weights", [])
        if all(variable is not other for other in kept):
            kept.append(variable)
            track_variable(variable)

    def _keep_added_variables(self) -> None:
        """Keeps what has been put into containers since they became its attributes."""
        for value in self.__dict__.get("_tracked", {}).values():
            if isinstance(value, (list, dict)):
                for variable in _variables_in(value):
                    self._keep(variable)

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)
        tracked = self.__dict__.get("_tracked", {})
        removed = tracked.pop(name, None)
        still = {id(item) for value in tracked.values() for item in _variables_in(value)}
        for item in _variables_in(removed):
            if id(item) not in still:
                for kept in (self._trainable_weights, self._non_trainable_weights):
                    kept[:] = [variable for variable in kept if variable is not item]

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in self.__dict__.items():
            same = name in ("_graph", "_thread_local") or any(isinstance(t, Tensor) for t in nest.flatten(value))
            object.__setattr__(made, name, value if same else copy.deepcopy(value, memo))
        return made
