"""`tf.distribute.StrategyExtended`: what libraries call of a strategy, and what strategies of a program's own override."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.composite import IndexedSlices
from headrace.distribute import device_names
from headrace.distribute.checks import require_cross_replica_or_default_context, require_scope
from headrace.distribute.replica_context import reduction_of
from headrace.distribute.scopes import StrategyScope
from headrace.distribute.strategy import InputReplicationMode
from headrace.distribute.values import DistributedValues, value_container
from headrace.distribute.variables import DistributedVariable
from headrace.ops.flow.grouping import group
from headrace.state.modes import ReduceOp, VariableAggregation
from headrace.state.scoping import variable_creator_scope
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from headrace.core.operation import Operation
    from headrace.core.typing import SessionLike


class StrategyExtended:
    """What libraries call of a strategy; `strategy.extended` is one.

    A strategy of a program's own overrides the methods with a leading underscore.

    Args:
        container_strategy: the strategy whose `extended` it is.
    """

    # The device of operations in the scope that ask for none.
    _default_device: str | None = None

    def __init__(self, container_strategy: Any) -> None:
        self._strategy = container_strategy
        self._require_static_shapes = False

    def _container_strategy(self) -> Any:
        """The strategy."""
        return self._strategy

    def _scope(self, strategy: Any) -> Any:
        """What `strategy.scope()` opens."""
        return StrategyScope(strategy)

    def _lacks(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} must define {what}.")

    # ---- variables ----

    def _create_variable(self, next_creator: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Makes a variable of the scope; `next_creator` makes one as outside of it."""
        raise self._lacks("_create_variable")

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable was made in the scope of this strategy."""
        return strategy_of(v) is self._container_strategy()

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        """A context in which variables are made where another one is.

        Args:
            colocate_with_variable: a variable made in the scope, or what `non_slot_devices` returned.

        Raises:
            RuntimeError: outside of the scope.
            ValueError: for what is no variable of the scope.
        """

        def colocated(next_creator: Any, **kwargs: Any) -> Any:
            require_scope(self._container_strategy())
            kwargs["use_resource"] = True
            kwargs["colocate_with"] = colocate_with_variable
            return next_creator(**kwargs)

        require_scope(self._container_strategy())
        self._validate_colocate_with_variable(colocate_with_variable)
        return variable_creator_scope(colocated)

    def _validate_colocate_with_variable(self, colocate_with_variable: Any) -> None:
        """Raises an error for what variables cannot be colocated with."""

    def _validate_colocate(self, variable: Any) -> None:
        """Raises ValueError for what is no variable of the scope."""
        if getattr(variable, "_distribute_strategy", None) is not self._container_strategy():
            raise ValueError(
                "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope(), not: "
                f"{variable!r}"
            )

    def _validate_colocate_distributed(self, variable: Any) -> None:
        """Raises ValueError for what is no variable of several replicas made in the scope."""
        if not isinstance(variable, DistributedVariable):
            raise ValueError(
                "`colocate_vars_with` must only be passed a variable created in this tf.distribute.Strategy.scope(), not: "
                f"{variable!r}"
            )
        self._validate_colocate(variable)

    def value_container(self, value: Any) -> Any:
        """The variable of several replicas that a part belongs to; else `value` itself."""
        return value_container(value)

    def _allow_variable_partition(self) -> bool:
        """Whether variables may be partitioned in the scope."""
        return False

    # ---- reducing ----

    def reduce_to(self, reduce_op: ReduceOp | str, value: Any, destinations: Any) -> Any:
        """The sum or the mean of the values of replicas, at a place.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`, or its name.
            value: a `PerReplica` value, or one that is the same for all replicas.
            destinations: a variable, a mirrored value, or the name of a device.

        Returns:
            a value, mirrored where `destinations` is several devices.

        Raises:
            AssertionError: if `destinations` is a list, or `reduce_op` no reduction.
        """
        require_cross_replica_or_default_context(self)
        _require_one_place(destinations)
        if isinstance(destinations, IndexedSlices):
            raise TypeError(f"destinations must be a variable, a tensor or a device, got {destinations!r}")
        return self._reduce_to(_required_reduction(reduce_op), value, destinations)

    def _reduce(self, reduce_op: ReduceOp, value: Any) -> Any:
        """`Strategy.reduce` without an axis."""
        where = device_names.current() or self._default_device or "/device:CPU:0"
        return self._local_results(self._reduce_to(reduce_op, value, where))[0]

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        raise self._lacks("_reduce_to")

    def batch_reduce_to(self, reduce_op: ReduceOp | str, value_destination_pairs: Iterable[Any]) -> list[Any]:
        """`reduce_to` of several values at once.

        Args:
            reduce_op: a `tf.distribute.ReduceOp`, or its name.
            value_destination_pairs: pairs of a value and its destinations.

        Raises:
            AssertionError: if `reduce_op` is a `tf.VariableAggregation`.
        """
        require_cross_replica_or_default_context(self)
        if isinstance(reduce_op, VariableAggregation):
            raise AssertionError(f"reduce_op must be a tf.distribute.ReduceOp or its name, got {reduce_op!r}")
        return self._batch_reduce_to(reduction_of(reduce_op), value_destination_pairs)

    def _batch_reduce_to(self, reduce_op: ReduceOp, value_destination_pairs: Iterable[Any]) -> list[Any]:
        return [self.reduce_to(reduce_op, value, destinations) for value, destinations in value_destination_pairs]

    # ---- updating ----

    def update(
        self, var: Any, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None, group: bool = True
    ) -> Any:
        """Calls `fn(var, *args, **kwargs)` on the device of each part of a variable.

        Args:
            var: the variable.
            fn: what updates a part.
            args, kwargs: its other arguments; of mirrored values each part gets that of its device.
            group: whether to return one value that has run when all parts are updated; else a list of those of each.

        Example:
            >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
            >>> with strategy.scope():
            ...     v = tf.Variable(1.0)
            ...     doubled = strategy.extended.update(v, lambda part: part.assign(2.0 * part))
        """
        require_cross_replica_or_default_context(self)
        with self._container_strategy().scope():
            return self._update(var, fn, args, {} if kwargs is None else kwargs, group)

    def _update(self, var: Any, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any], group: bool) -> Any:
        raise self._lacks("_update")

    def update_non_slot(
        self,
        colocate_with: Any,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: dict[str, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """Calls `fn(*args, **kwargs)` on each device that keeps variables which are no slots.

        Args:
            colocate_with: what `non_slot_devices` returned.
            fn, args, kwargs, group: as of `update`.
        """
        require_cross_replica_or_default_context(self)
        with self._container_strategy().scope():
            return self._update_non_slot(colocate_with, fn, args, {} if kwargs is None else kwargs, group)

    def _update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any], group: bool
    ) -> Any:
        raise self._lacks("_update_non_slot")

    def non_slot_devices(self, var_list: Any) -> Any:
        """The devices for variables that are no slots.

        Args:
            var_list: the variables that are optimized.
        """
        raise self._lacks("non_slot_devices")

    # ---- results ----

    def _local_results(self, distributed_value: Any) -> tuple[Any, ...]:
        raise self._lacks("_local_results")

    def _group(self, value: Any, name: str | None = None) -> Operation | None:
        local = nest.flatten(self._local_results(value))
        if len(local) != 1 or name is not None:
            return group(*[item for item in local if item is not None], name=name)
        (only,) = local
        # An operation already, or a tensor whose operation is.
        if hasattr(only, "op"):
            only = only.op
        return only

    # ---- input ----

    def _make_dataset_iterator(self, dataset: Any) -> Any:
        raise self._lacks("_make_dataset_iterator")

    def _make_input_fn_iterator(self, input_fn: Callable[..., Any], replication_mode: InputReplicationMode) -> Any:
        raise self._lacks("_make_input_fn_iterator")

    def _experimental_distribute_dataset(self, dataset: Any) -> Any:
        raise self._lacks("_experimental_distribute_dataset")

    def _experimental_distribute_datasets_from_function(self, dataset_fn: Callable[..., Any]) -> Any:
        raise self._lacks("_experimental_distribute_datasets_from_function")

    # ---- settings ----

    @property
    def experimental_require_static_shapes(self) -> bool:
        """Whether all shapes have to be known."""
        return self._require_static_shapes

    @property
    def _num_replicas_in_sync(self) -> int:
        raise self._lacks("_num_replicas_in_sync")

    def _in_multi_worker_mode(self) -> bool:
        """Whether several workers train one model."""
        return False

    @property
    def _has_collectives(self) -> bool:
        """Whether what one worker runs may wait for the others to run it too."""
        return False

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices of the replicas."""
        raise self._lacks("worker_devices")

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices of the variables."""
        raise self._lacks("parameter_devices")

    def _configure(
        self,
        session_config: Any = None,
        cluster_spec: Any = None,
        task_type: str | None = None,
        task_id: int | None = None,
    ) -> None:
        """Takes over the settings of `Strategy.configure`; a strategy of one process needs none."""

    def _update_config_proto(self, config_proto: Any) -> Any:
        return copy.deepcopy(config_proto)


class StrategyExtendedV1(StrategyExtended):
    """`tf.distribute.StrategyExtended` of 1.x."""

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """A tensor on other devices.

        Args:
            tensor: the tensor.
            destinations: a variable, a mirrored value or the name of a device.

        Raises:
            AssertionError: if `destinations` is None or a list.
        """
        require_cross_replica_or_default_context(self)
        if destinations is None:
            raise AssertionError("broadcast_to needs destinations, got None.")
        _require_one_place(destinations)
        return self._broadcast_to(tensor, destinations)

    def _broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        raise self._lacks("_broadcast_to")

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Calls `fn` for each replica; arguments as of `Strategy.experimental_run_v2`."""
        require_cross_replica_or_default_context(self)
        with self._container_strategy().scope():
            return self._call_for_each_replica(fn, args, {} if kwargs is None else kwargs)

    def _call_for_each_replica(self, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        raise self._lacks("_call_for_each_replica")

    def read_var(self, v: Any) -> Any:
        """The value of a variable; in cross-replica context that of all its parts together."""
        raise self._lacks("read_var")

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: SessionLike | None = None) -> Any:
        """A dataset of the rows of arrays, which are kept once as variables.

        Args:
            numpy_input: an array, or a structure of arrays.
            session: the session in which the variables get their values; needed in graphs.
        """
        require_cross_replica_or_default_context(self)
        return self._experimental_make_numpy_dataset(numpy_input, session=session)

    def _experimental_make_numpy_dataset(self, numpy_input: Any, session: SessionLike | None) -> Any:
        raise self._lacks("_experimental_make_numpy_dataset")

    def experimental_run_steps_on_iterator(
        self, fn: Callable[..., Any], iterator: Any, iterations: int = 1, initial_loop_values: Any = None
    ) -> Any:
        """Runs `fn` on the elements of an iterator, several steps in one call.

        Args:
            fn: called as `fn(context, inputs)` with a `MultiStepContext` and the next element.
            iterator: an iterator of the strategy.
            iterations: how many steps.
            initial_loop_values: what `context.last_step_outputs` is before the first step.

        Returns:
            a `MultiStepContext`, with the operation that runs the steps as `run_op` and the outputs of the last one.
        """
        require_cross_replica_or_default_context(self)
        with self._container_strategy().scope():
            return self._experimental_run_steps_on_iterator(fn, iterator, iterations, initial_loop_values or {})

    def _experimental_run_steps_on_iterator(
        self, fn: Callable[..., Any], iterator: Any, iterations: int, initial_loop_values: Any
    ) -> Any:
        raise self._lacks("_experimental_run_steps_on_iterator")

    @property
    def experimental_between_graph(self) -> bool:
        """Whether each worker has a graph of its own."""
        raise self._lacks("experimental_between_graph")

    @property
    def experimental_should_init(self) -> bool:
        """Whether this worker initializes the variables."""
        raise self._lacks("experimental_should_init")

    @property
    def should_checkpoint(self) -> bool:
        """Whether this worker writes checkpoints."""
        raise self._lacks("should_checkpoint")

    @property
    def should_save_summary(self) -> bool:
        """Whether this worker writes summaries."""
        raise self._lacks("should_save_summary")


def strategy_of(variable: Any) -> Any:
    """The strategy in whose scope a variable was made, or None.

    Raises:
        AttributeError: if it is no variable.
    """
    if not isinstance(variable, (DistributedValues, Variable)):
        raise AttributeError(f"{type(variable).__name__!r} object has no attribute '_distribute_strategy'")
    return getattr(variable, "_distribute_strategy", None)


def _require_one_place(destinations: Any) -> None:
    if isinstance(destinations, (list, tuple)):
        raise AssertionError(f"destinations must be a variable, a value or a device, got {destinations!r}")


def _required_reduction(reduce_op: ReduceOp | str) -> ReduceOp:
    named = reduction_of(reduce_op)
    if not isinstance(named, ReduceOp):
        raise AssertionError(f"reduce_op must be a tf.distribute.ReduceOp or its name, got {reduce_op!r}")
    return named
