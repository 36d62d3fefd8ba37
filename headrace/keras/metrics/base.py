"""The base class of metrics."""

from __future__ import annotations

import abc
import types
from typing import TYPE_CHECKING, Any

from headrace.autograph.conversion import converted_for_function
from headrace.core.defaults import control_dependencies
from headrace.core.eager import executing_eagerly
from headrace.keras.backend.sessions import batch_set_value
from headrace.keras.backend_config import floatx
from headrace.keras.utils.metrics_utils import result_wrapper, update_state_wrapper
from headrace.layers.engine import Layer
from headrace.ops.array.constant import constant
from headrace.state.modes import VariableAggregation, VariableSynchronization
from headrace.state.polymorphic_function import PolymorphicFunction, function
from headrace.state.replication import get_strategy, has_strategy, in_cross_replica_context

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike

_PACKAGE = __name__.rpartition(".")[0]


class Metric(Layer, abc.ABC):
    """What is gathered about an evaluation, batch by batch.

    A subclass makes its variables in the constructor with `add_weight`, updates them in `update_state`, and defines
    `result`. `update_state` may be written as if it ran at once: in a graph all of it becomes one operation.

    Args:
        name: its name; one made from that of the class by default.
        dtype: the type of its variables; that of `tf.keras.backend.floatx` by default.
        **kwargs: further arguments of layers.

    Example:
        >>> metric = tf.keras.metrics.Mean()
        >>> metric.update_state([1.0, 3.0])
        >>> metric.result()
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__new__(cls)
        update = made.update_state
        if not cls.__module__.startswith(_PACKAGE) and not isinstance(update, PolymorphicFunction):
            update = _GraphFunction(update)
        # Of this one object, so that subclasses call `update_state` of their parents as it is.
        object.__setattr__(made, "update_state", types.MethodType(update_state_wrapper(update), made))
        object.__setattr__(made, "result", types.MethodType(result_wrapper(made.result), made))
        return made

    def __init__(self, name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, dtype=floatx() if dtype is None else dtype, **kwargs)
        self.stateful = True
        self.built = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Updates it from a batch, with the arguments of `update_state`; returns the result after that."""
        if has_strategy() and in_cross_replica_context():
            # Its variables are updated by replicas: each takes the whole batch.
            strategy = get_strategy()
            with strategy.scope():
                return strategy.extended.call_for_each_replica(self._gathered, args, kwargs)
        return self._gathered(*args, **kwargs)

    def _gathered(self, *args: Any, **kwargs: Any) -> Any:
        update = self.update_state(*args, **kwargs)
        with control_dependencies([] if update is None or executing_eagerly() else [update]):
            result = self.result()
        # By it a model knows which metric a tensor is of.
        result._metric_obj = self
        return result

    def reset_states(self) -> None:
        """Sets its variables to 0."""
        batch_set_value([(variable, 0) for variable in self.variables])

    @abc.abstractmethod
    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Gathers a batch; returns the operation that does so in a graph."""

    @abc.abstractmethod
    def result(self) -> Any:
        """What the batches so far come to."""

    def add_weight(  # type: ignore[override]  # metrics choose less than layers
        self,
        name: str,
        shape: ShapeLike = (),
        aggregation: VariableAggregation = VariableAggregation.SUM,
        synchronization: VariableSynchronization = VariableSynchronization.ON_READ,
        initializer: Any = None,
        dtype: DTypeLike | None = None,
    ) -> Any:
        """Makes a variable of the metric, which belongs to no collection of the graph.

        Args:
            name: its name.
            shape: its shape, a scalar's by default.
            aggregation, synchronization: for several replicas.
            initializer: an initializer or its name.
            dtype: its type; the metric's by default.
        """
        return super().add_weight(
            name=name,
            shape=shape,
            dtype=self._dtype if dtype is None else dtype,
            trainable=False,
            initializer=initializer,
            collections=[],
            synchronization=synchronization,
            aggregation=aggregation,
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such metric with."""
        return {"name": self.name, "dtype": self.dtype}


class _GraphFunction:
    """`update_state` of a program's own metric: in a graph a function, all of which runs; eagerly itself.

    Args:
        update: the method.
    """

    def __init__(self, update: Any) -> None:
        self.update = update
        self.__name__ = update.__name__
        self.__doc__ = update.__doc__
        self.in_graph: Any = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if executing_eagerly():
            return self.update(*args, **kwargs)
        if self.in_graph is None:
            update = converted_for_function(self.update)

            def whole(*args: Any, **kwargs: Any) -> Any:
                update(*args, **kwargs)
                # What waits for the update waits for this; all that the function does happens before it returns.
                return constant(True)

            self.in_graph = function(whole, autograph=False)
        return self.in_graph(*args, **kwargs).op
