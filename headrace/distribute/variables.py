"""Variables of which each replica has its own: mirrored ones, and those that are put together when they are read."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import device
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distribute import device_names
from headrace.distribute.device_maps import DeviceMap
from headrace.distribute.replica_context import get_update_device
from headrace.distribute.values import DistributedDelegate
from headrace.distribute.whole_updates import WholeUpdatesOnly
from headrace.ops.flow.grouping import group
from headrace.state.modes import ReduceOp, VariableAggregation, VariableSynchronization
from headrace.state.replication import (
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from headrace.state.variable_class import Variable

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.dtypes import DType
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import SessionLike, TensorLike


@contextlib.contextmanager
def in_scope_of(strategy: Any) -> Iterator[None]:
    """A context in which a strategy is in force.

    Raises:
        RuntimeError: if another one is.
    """
    if has_strategy():
        if get_strategy() is not strategy:
            raise RuntimeError(f"Mixing different tf.distribute.Strategy objects: {get_strategy()} is not {strategy}")
        yield
    else:
        with strategy.scope():
            yield


def aggregated(strategy: Any, value: Any, aggregation: VariableAggregation, destinations: Any) -> Any:
    """The one value that the values of replicas become for a variable.

    Args:
        strategy: the strategy.
        value: the values of the replicas, or one that is the same for all.
        aggregation: how they become one.
        destinations: the variable.
    """
    if aggregation == VariableAggregation.ONLY_FIRST_REPLICA:
        first = strategy.experimental_local_results(value)[0]
        return strategy.extended.broadcast_to(first, destinations=destinations)
    return strategy.extended.reduce_to(ReduceOp.from_variable_aggregation(aggregation), value, destinations)


class DistributedVariable(DistributedDelegate, WholeUpdatesOnly, Variable):
    """A variable that is made of one for each replica.

    Args:
        strategy: the strategy in whose scope it was made.
        device_map: the devices of the replicas.
        values: the variables.
        aggregation: how what replicas assign becomes one value.
        logical_device: which logical device of the map they are on.
    """

    # What asks whether a variable is reached by a handle looks for this.
    _should_act_as_resource_variable = True

    def __init__(
        self,
        strategy: Any,
        device_map: DeviceMap,
        values: Sequence[Any],
        aggregation: VariableAggregation,
        logical_device: int | None = None,
    ) -> None:
        super().__init__(device_map, values, logical_device)
        self._distribute_strategy = strategy
        self._aggregation = aggregation
        for part in self._values:
            part._distributed_container = weakref.ref(self)
            # What a tape sees read is the whole.
            part._handle._variable = part._distributed_container
        first = self._values[0]
        self._parts_initializer: Operation | None = None
        self._trainable_parts = all(part.trainable for part in self._values)
        self._synchronization_of_parts: VariableSynchronization = first.synchronization

    # ---- what it is ----

    @property
    def name(self) -> str:
        """The name of the first replica's."""
        return self._values[0].name

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._values[0].dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._values[0].shape

    @property
    def synchronization(self) -> VariableSynchronization:
        """When replicas are brought in step."""
        return self._synchronization_of_parts

    @property
    def aggregation(self) -> VariableAggregation:
        """How updates of replicas are put together."""
        return self._aggregation

    @property
    def trainable(self) -> bool:
        """Whether optimizers train it by default."""
        return self._trainable_parts

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope it was made."""
        return self._distribute_strategy

    @property
    def graph(self) -> Any:
        """The graph it is in."""
        return self._values[0].graph

    @property
    def _graph_key(self) -> Any:
        return self._values[0]._graph_key

    @property
    def _unique_id(self) -> Any:
        return self._values[0]._unique_id

    @property
    def _shared_name(self) -> str:
        return self._values[0]._shared_name

    @property
    def _in_graph_mode(self) -> bool:  # type: ignore[override]  # it is what its parts are
        return self._values[0]._in_graph_mode

    @property
    def _save_slice_info(self) -> Any:  # type: ignore[override]  # that of its parts
        return self._values[0]._save_slice_info

    def _set_save_slice_info(self, save_slice_info: Any) -> None:
        for part in self._values:
            part._set_save_slice_info(save_slice_info)

    @property
    def op(self) -> Any:
        """The operation that holds the part of the replica that calls; in cross-replica context a word on the whole."""
        if in_cross_replica_context():
            return self._values[0].op
        return self.get().op

    @property
    def device(self) -> str:
        """The device of the part that is meant here."""
        return self._closest().device

    @property
    def handle(self) -> Tensor:
        """The handle of the part that is meant here.

        Raises:
            ValueError: in cross-replica context.
        """
        if get_replica_context() is None and get_update_device() is None:
            raise ValueError(
                "`handle` is not available outside the replica context or a `tf.distribute.Strategy.update()` call."
            )
        return self.get().handle

    def read_as(self, handle: Tensor) -> Any:
        """What a tape calls the variable that it sees read: in cross-replica context the part, which alone has gradients there.

        Args:
            handle: of the part that is read.
        """
        if get_replica_context() is not None or get_update_device() is not None:
            return self
        return next((part for part in self._values if part._handle is handle), self)

    @property
    def _handle(self) -> Tensor:
        return self._closest()._handle

    def _closest(self) -> Any:
        """The part of the replica or update that asks; else that of the device in force, or the first."""
        if get_replica_context() is not None or get_update_device() is not None:
            return self.get()
        where = device_names.current()
        where = device_names.canonicalize(where) if where else ""
        return self._values[self.devices.index(where)] if where in self.devices else self._values[0]

    # ---- its value ----

    def value(self) -> Tensor:
        """The value of the part that is meant here."""
        return self._closest().value()

    def read_value(self) -> Any:
        """Its value, read where the program stands.

        Raises:
            RuntimeError: in the scope of another strategy.
        """
        with in_scope_of(self._distribute_strategy):
            return self._distribute_strategy.extended.read_var(self)

    def _read_variable_op(self) -> Tensor:
        return self._closest()._read_variable_op()

    def _as_control_input(self) -> Any:
        return self._as_graph_element() if in_cross_replica_context() else self.op

    def _as_colocation(self) -> Operation:
        # In cross-replica context it is in no one place.
        return self.handle.op

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The rows at `indices` of the part that is meant here."""
        return self.get().sparse_read(indices, name)

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """The slices at `indices` of the part that is meant here."""
        return self.get().gather_nd(indices, name)

    def numpy(self) -> Any:
        """Its value as a NumPy array: in cross-replica context that of all parts together.

        Raises:
            NotImplementedError, AttributeError: in a graph.
        """
        return self.get().numpy()

    def eval(self, session: SessionLike | None = None) -> np.ndarray:
        """Its value in a session."""
        return self._closest().eval(session)

    @property
    def initializer(self) -> Any:
        """The operation that initializes all parts."""
        if self._parts_initializer is None:
            self._parts_initializer = group(*[part.initializer for part in self._values])
        return self._parts_initializer

    @property
    def initial_value(self) -> Tensor:
        """The initial value of the part that is meant here."""
        return self._closest().initial_value

    def initialized_value(self) -> Tensor:
        """The value of the part that is meant here if it has one when run, else its initial value."""
        return self._closest().initialized_value()

    def is_initialized(self, name: str | None = None) -> Tensor:
        """A scalar bool: whether all parts have a value."""
        first, *others = self._values
        if not others:
            return first.is_initialized(name)
        found = first.is_initialized()
        for part in others[:-1]:
            found = found & part.is_initialized()
        return raw.LogicalAnd(found, others[-1].is_initialized(), name=name)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The part that is meant here as a `VariableDef`."""
        return self._closest().to_proto(export_scope=export_scope)

    def load(self, value: TensorLike, session: SessionLike | None = None) -> None:
        """Gives all parts a new value in a session."""
        for part in self._values:
            part.load(value, session)

    # ---- updates ----

    def _update(self, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
        """What the method `name` of its parts does to the whole."""
        raise NotImplementedError(f"{type(self).__name__}.{name}")

    def _scatter_rows(self, *args: Any) -> Any:
        return self.get()._scatter_rows(*args)

    def _scatter_slices(self, *args: Any) -> Any:
        return self.get()._scatter_slices(*args)

    def _strided_slice_assign(self, **parts: Any) -> Any:
        return self.get()._strided_slice_assign(**parts)

    def assign(self, *args: Any, **kwargs: Any) -> Any:
        """Gives it a new value; arguments as of a variable's `assign`."""
        return self._update("assign", args, kwargs)

    def assign_add(self, *args: Any, **kwargs: Any) -> Any:
        """Adds to it; arguments as of a variable's `assign_add`."""
        return self._update("assign_add", args, kwargs)

    def assign_sub(self, *args: Any, **kwargs: Any) -> Any:
        """Takes from it; arguments as of a variable's `assign_sub`."""
        return self._update("assign_sub", args, kwargs)

    def _on_all_parts(self, assign: Callable[[Any], Any]) -> Any:
        """What `assign` gives for each part, as one operation."""
        made = []
        for part, where in zip(self._values, self.devices, strict=True):
            with device(where):
                made.append(assign(part))
        return group(*[item for item in made if item is not None])

    def __repr__(self) -> str:
        return DistributedDelegate.__repr__(self)

    def __hash__(self) -> int:
        return id(self)

    def __deepcopy__(self, memo: Any) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__}: copy.deepcopy of a variable of several replicas; copy its value."
        )
