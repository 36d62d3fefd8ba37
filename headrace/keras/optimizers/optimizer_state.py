"""What an optimizer of `tf.keras.optimizers` keeps: hyperparameters, slots of variables, the count of steps."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.checkpoints.tracking import Trackable
from headrace.core.dtypes import as_dtype, int64
from headrace.core.tensor import Tensor
from headrace.keras.backend.sessions import batch_get_value, batch_set_value, get_value, set_value, track_variable
from headrace.keras.backend_config import floatx
from headrace.keras.optimizers.learning_rate_schedule import LearningRateSchedule
from headrace.keras.optimizers.learning_rate_schedule import serialize as serialize_schedule
from headrace.layers.creation import make_variable, trainable_mode
from headrace.layers.named import get_initializer
from headrace.ops.math.cast import cast
from headrace.state import variable_v2
from headrace.state.dependencies import SlotOwner
from headrace.state.modes import VariableAggregation, VariableSynchronization
from headrace.state.replication import get_strategy, has_strategy
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike


def _primary(var: Any) -> Any:
    """The variable that a part of one of several replicas belongs to, or the variable."""
    container = getattr(var, "_distributed_container", None)
    return var if container is None else container()


def _var_key(var: Any) -> str:
    """What the slots of a variable of a graph are kept under, and those of variables of eager execution."""
    var = _primary(var)
    key: str = var._shared_name if getattr(var, "_in_graph_mode", True) else var._unique_id
    return key


class OptimizerState(SlotOwner, Trackable):
    """Hyperparameters that are attributes, and become variables when the first step is built; slots; the count of steps.

    Args:
        name: the name of the optimizer.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._hyper: dict[str, Any] = {}
        # Graph and key of a variable -> name of a slot -> slot.
        self._slots: dict[Any, dict[str, Any]] = {}
        self._slot_names: list[str] = []
        self._weights: list[Any] = []
        self._iterations: Any = None
        self._hypers_created = False

    # ---- hyperparameters ----

    def _set_hyper(self, name: str, value: Any) -> None:
        """Sets a hyperparameter to a number, a tensor, a function without arguments, or a learning rate schedule."""
        before = self._hyper.get(name)
        if isinstance(before, Variable) and not isinstance(value, (Variable, Tensor)) and not callable(value):
            set_value(before, value)
            return
        self._hyper[name] = value
        if isinstance(value, (Trackable, Variable)):
            self._track_trackable(value, name, overwrite=True)

    def _get_hyper(self, name: str, dtype: DTypeLike | None = None) -> Any:
        """A hyperparameter, cast to `dtype` if that is given; a schedule as it is."""
        if not self._hypers_created:
            self._create_hypers()
        value = self._hyper[name]
        if isinstance(value, LearningRateSchedule):
            return value
        if callable(value) and not isinstance(value, (Tensor, Variable)):
            value = value()
        return cast(value, dtype) if dtype else value

    def __getattr__(self, name: str) -> Any:
        # Only what is no attribute comes here.
        if name == "lr":
            name = "learning_rate"
        if name in self.__dict__.get("_hyper", ()):
            return self._get_hyper(name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: object) -> None:
        if name == "lr":
            name = "learning_rate"
        if name in self.__dict__.get("_hyper", ()):
            self._set_hyper(name, value)
        else:
            object.__setattr__(self, name, value)

    def _create_hypers(self) -> None:
        """Makes the hyperparameters that are numbers variables."""
        if self._hypers_created:
            return
        for name, value in sorted(self._hyper.items()):
            if not isinstance(value, (Tensor, Variable)) and not callable(value):
                self._hyper[name] = self.add_weight(
                    name,
                    shape=[],
                    trainable=False,
                    initializer=value,
                    aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
                )
        self._hypers_created = True

    @property
    def iterations(self) -> Any:
        """The variable that counts steps."""
        if self._iterations is None:
            self._iterations = self.add_weight(
                "iter", shape=[], dtype=int64, trainable=False, aggregation=VariableAggregation.ONLY_FIRST_REPLICA
            )
            self._weights.append(self._iterations)
        return self._iterations

    @iterations.setter
    def iterations(self, variable: Any) -> None:
        if self._iterations is not None:
            raise RuntimeError(
                "Cannot set `iterations` to a new Variable after the Optimizer weights have been created"
            )
        self._iterations = variable
        self._weights.append(variable)

    # ---- slots ----

    def get_slot_names(self) -> list[str]:
        """The names of the kinds of slots it has made."""
        return self._slot_names

    def add_slot(self, var: Any, slot_name: str, initializer: Any = "zeros") -> Any:
        """A new variable for a variable, or the one there is.

        Args:
            var: the variable.
            slot_name: what its name ends in.
            initializer: an initializer, its name, or a function of shape and dtype.
        """
        if slot_name not in self._slot_names:
            self._slot_names.append(slot_name)
        own = self._slots.setdefault((_primary(var)._graph_key, _var_key(var)), {})
        if slot_name not in own:
            if isinstance(initializer, str) or callable(initializer):
                initializer = functools.partial(get_initializer(initializer), shape=var.shape, dtype=var.dtype)
            with get_strategy().extended.colocate_vars_with(var) if has_strategy() else contextlib.nullcontext():
                made = variable_v2.Variable(
                    initial_value=initializer,
                    name=f"{var._shared_name}/{slot_name}",
                    dtype=var.dtype,
                    trainable=False,
                )
            track_variable(made)
            own[slot_name] = made
            self._weights.append(made)
        return own[slot_name]

    def get_slot(self, var: Any, slot_name: str) -> Any:
        """The slot `slot_name` of a variable.

        Raises:
            KeyError: if there is none.
        """
        return self._slots[_primary(var)._graph_key, _var_key(var)][slot_name]

    # ---- values ----

    def _serialize_hyperparameter(self, hyperparameter_name: str) -> Any:
        """A hyperparameter as settings hold it."""
        value = self._hyper[hyperparameter_name]
        if isinstance(value, LearningRateSchedule):
            return serialize_schedule(value)
        if isinstance(value, (Tensor, Variable)):
            return get_value(value)
        if callable(value):
            value = value()
            return get_value(value) if isinstance(value, (Tensor, Variable)) else value
        return value

    def variables(self) -> list[Any]:
        """Its variables: the count of steps and the slots, in the order they were made."""
        return self._weights

    @property
    def weights(self) -> list[Any]:
        """Its variables, as `variables` returns them."""
        return self._weights

    def get_weights(self) -> list[Any]:
        """The values of its variables, as NumPy arrays."""
        return batch_get_value(self.weights)

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives its variables new values, in the order of `weights`.

        Raises:
            ValueError: if their number or shapes are others.
        """
        params = self.weights
        if len(params) != len(weights):
            raise ValueError(
                f"You called `set_weights(weights)` on optimizer {self._name} with a  weight list of length "
                f"{len(weights)}, but the optimizer was expecting {len(params)} weights. Provided weights: "
                f"{str(weights)[:50]}..."
            )
        if not params:
            return
        for param, weight in zip(params, weights):
            if tuple(param.shape.as_list()) != np.shape(weight):
                raise ValueError(
                    f"Optimizer weight shape {tuple(param.shape.as_list())} not compatible with provided weight shape "
                    f"{np.shape(weight)}"
                )
        batch_set_value(list(zip(params, weights)))

    def add_weight(
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        initializer: Any = "zeros",
        trainable: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
    ) -> Any:
        """Makes a variable of the optimizer, saved with it.

        Args:
            name: its name, and that of the dependency.
            shape, dtype: its shape and type; the latter that of `tf.keras.backend.floatx` by default.
            initializer: an initializer, its name, or a value.
            trainable: whether it is trained.
            synchronization, aggregation: for several replicas.

        Raises:
            ValueError: if it is to be trained and synchronized on reading.
        """
        if isinstance(initializer, str) or callable(initializer):
            initializer = get_initializer(initializer)
        made = self._add_variable_with_custom_getter(
            name=name,
            shape=shape,
            getter=make_variable,
            overwrite=True,
            initializer=initializer,
            dtype=as_dtype(dtype or floatx()),
            trainable=trainable_mode(trainable, synchronization),
            use_resource=True,
            synchronization=synchronization,
            aggregation=aggregation,
        )
        track_variable(made)
        return made
