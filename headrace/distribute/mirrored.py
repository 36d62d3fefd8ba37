"""`MirroredStrategy`: each device has a copy of the model, gradients are summed, and the copies stay equal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.autodiff.tape import stop_recording
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collections, device, get_collection_ref, name_scope
from headrace.core.device import DeviceSpec
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.distribute import cross_device_ops as cross_device_operations
from headrace.distribute import device_names
from headrace.distribute.device_maps import DeviceMap, LogicalDeviceSpec, ReplicaDeviceMap
from headrace.distribute.extended import StrategyExtendedV1
from headrace.distribute.input_workers import InputWorkers
from headrace.distribute.local_devices import (
    all_devices,
    all_local_devices,
    are_local,
    devices_of_cluster,
    gpus_per_worker,
)
from headrace.distribute.mirrored_variables import MirroredVariable
from headrace.distribute.multi_worker_ops import MultiWorkerAllReduce
from headrace.distribute.numpy_datasets import SingleDevice, one_host_numpy_dataset
from headrace.distribute.replica_context import UpdateContext
from headrace.distribute.replica_threads import call_for_each_replica
from headrace.distribute.step_loops import run_steps
from headrace.distribute.strategy import InputContext, Strategy, StrategyV1
from headrace.distribute.sync_on_read import SyncOnReadVariable
from headrace.distribute.values import (
    DistributedValues,
    Mirrored,
    select_device_mirrored,
    update_regroup,
    value_container,
)
from headrace.distribute.variables import DistributedVariable
from headrace.state.modes import ReduceOp, VariableAggregation, VariableSynchronization
from headrace.state.scoping import makes_eager_variables

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, SessionLike


def create_mirrored_variable(
    strategy: Any,
    device_map: DeviceMap,
    logical_device: int,
    make_parts: Callable[..., list[Any]],
    mirrored_class: Callable[..., Any],
    sync_on_read_class: Callable[..., Any],
    *args: Any,
    **kwargs: Any,
) -> Any:
    """A variable with a part on each device, in the collections that were asked for.

    Args:
        strategy: the strategy.
        device_map, logical_device: the devices.
        make_parts: called with the devices and the arguments of the variable; returns the parts.
        mirrored_class, sync_on_read_class: the classes of variables that are kept in step by writes and by reads.
        args, kwargs: the arguments of the variable.

    Raises:
        ValueError: if the variable asks for no synchronization, or for one there is not.
    """
    collections = kwargs.pop("collections", None)
    collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
    # The whole joins them, not its parts.
    kwargs["collections"] = []
    name: Any = kwargs.get("name")
    synchronization = kwargs.get("synchronization", VariableSynchronization.ON_WRITE)
    if synchronization == VariableSynchronization.NONE:
        # As in 1.15, a variable without a name cannot even be named.
        raise ValueError(
            "`NONE` variable synchronization mode is not supported with `Mirrored` distribution strategy. Please change the "
            "`synchronization` for variable: " + name
        )
    if synchronization is not None and synchronization not in list(VariableSynchronization):
        raise ValueError(f"Invalid variable synchronization mode: {synchronization} for variable: {name}")
    aggregation = kwargs.pop("aggregation", VariableAggregation.NONE)
    if aggregation not in list(VariableAggregation):
        raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {name}")
    kwargs["aggregation"] = aggregation
    kwargs.pop("caching_device", None)
    with stop_recording():
        parts = make_parts(device_map.logical_to_actual_devices(logical_device), *args, **kwargs)
        is_read_together = synchronization == VariableSynchronization.ON_READ
        made_class = sync_on_read_class if is_read_together else mirrored_class
        made = made_class(strategy, device_map, parts, aggregation, logical_device=logical_device)
    if makes_eager_variables():
        if GraphKeys.GLOBAL_STEP in collections:
            add_to_collections([GraphKeys.GLOBAL_STEP], made)
        return made
    if kwargs.get("trainable", True):
        collections.append(GraphKeys.TRAINABLE_VARIABLES)
        trained = get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
        trained[:] = [variable for variable in trained if all(variable is not part for part in parts)]
    add_to_collections(collections, made)
    return made


class MirroredExtended(StrategyExtendedV1):
    """`extended` of `MirroredStrategy`.

    Args:
        container_strategy: the strategy.
        devices: the names of the devices; the GPUs, or the CPU where there are none, by default.
        cross_device_ops: how values of several devices are put together; what fits the devices best by default.

    Raises:
        ValueError: for devices of several tasks; AssertionError: for one device twice.
    """

    def __init__(
        self, container_strategy: Any, devices: Sequence[str] | None = None, cross_device_ops: Any = None
    ) -> None:
        super().__init__(container_strategy)
        self._cross_device_ops = cross_device_ops
        self._inferred_cross_device_ops: Any = None
        # Nothing is the default, as in 1.15, in a list of devices as well.
        self._initialize_strategy(devices or self._default_devices())

    def _default_devices(self) -> Sequence[str]:
        # Eager operations run in this process, whatever cluster there is.
        return all_local_devices() if executing_eagerly() else all_devices()

    def _initialize_strategy(self, devices: Sequence[str]) -> None:
        """Takes over the devices.

        Raises:
            AssertionError: for one device twice.
        """
        names = tuple(device_names.resolve(name) for name in devices)
        if len(set(names)) != len(names):
            raise AssertionError(f"MirroredStrategy: no duplicates are allowed in `devices`, got {names}")
        self._check_workers(names)
        self._device_map: DeviceMap = ReplicaDeviceMap(names)
        self._host = device_names.get_host_for_device(names[0])
        if self._cross_device_ops is None:
            self._inferred_cross_device_ops = cross_device_operations.choose_the_best(names)

    def _check_workers(self, names: Sequence[str]) -> None:
        """Where the devices are those of tasks of a cluster, operations of the scope are the first one's by default.

        Raises:
            ValueError: for devices of several tasks, if nothing was given that adds over these; or of tasks and of no task.
            RuntimeError: while executing eagerly.
        """
        if are_local(names):
            return
        if executing_eagerly():
            raise RuntimeError(
                "In-graph multi-worker training with `MirroredStrategy` is not supported in eager mode: the devices are "
                f"{names}."
            )
        workers = list(
            dict.fromkeys(f"/job:{spec.job}/task:{spec.task}" for spec in map(DeviceSpec.from_string, names))
        )
        if len(workers) > 1 and not isinstance(self._cross_device_ops, MultiWorkerAllReduce):
            raise ValueError(
                f"In-graph multi-worker training with `MirroredStrategy` is not supported: the devices are {names}. "
                "`MultiWorkerMirroredStrategy` trains with several workers."
            )
        self._default_device = workers[0]

    def _configure(
        self,
        session_config: Any = None,
        cluster_spec: Any = None,
        task_type: str | None = None,
        task_id: int | None = None,
    ) -> None:
        """Takes over the settings of `Strategy.configure`, and the workers of a cluster as its devices."""
        if session_config:
            session_config.CopyFrom(self._update_config_proto(session_config))
        if cluster_spec:
            gpus = gpus_per_worker(self._device_map.all_devices)
            self._initialize_strategy(devices_of_cluster(cluster_spec, gpus))

    # ---- variables ----

    def _create_variable(self, next_creator: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        colocated = kwargs.pop("colocate_with", None)
        if isinstance(colocated, SingleDevice):
            with device(colocated.device):
                return next_creator(*args, **kwargs)
        device_map, logical_device = self._device_map, 0
        if isinstance(colocated, DistributedValues):
            device_map, logical_device = colocated.device_map, colocated.logical_device

        def make_parts(devices: Sequence[str], *args: Any, **kwargs: Any) -> list[Any]:
            parts: list[Any] = []
            given = kwargs.get("initial_value")
            for number, where in enumerate(devices):
                with device(where):
                    kwargs["initial_value"] = self._initial_value(
                        number, where, parts[0] if parts else None, given, kwargs.get("dtype")
                    )
                    if number > 0:
                        # A slash at the end makes it the full name, whatever name scope is open.
                        kwargs["name"] = f"{parts[0].name.split(':')[0]}/replica_{number}/"
                    with stop_recording():
                        parts.append(next_creator(*args, **kwargs))
            return parts

        return create_mirrored_variable(
            self._container_strategy(),
            device_map,
            logical_device,
            make_parts,
            MirroredVariable,
            SyncOnReadVariable,
            *args,
            **kwargs,
        )

    def _initial_value(self, replica_id: int, where: str, primary: Any, given: Any, dtype: DTypeLike | None) -> Any:
        """The initial value of a part: that of the first one, for the others, whose type is that of the first too."""
        del dtype
        if replica_id == 0:
            return given

        def copied() -> Tensor:
            if makes_eager_variables():
                return raw.Identity(primary.value())
            with device(where):
                return raw.Identity(primary.initial_value)

        return copied

    def _validate_colocate_with_variable(self, colocate_with_variable: Any) -> None:
        self._validate_colocate_distributed(colocate_with_variable)

    def _update_config_proto(self, config_proto: Any) -> Any:
        updated = super()._update_config_proto(config_proto)
        updated.isolate_session_state = True
        return updated

    def read_var(self, v: Any) -> Any:
        """The value of a variable; in cross-replica context that of all its parts together."""
        if isinstance(v, SyncOnReadVariable):
            return v._get_cross_replica()
        if isinstance(v, Mirrored):
            # As in 1.15: once for the variable, and once for whoever asked for its value.
            return raw.Identity(raw.Identity(v._closest() if isinstance(v, MirroredVariable) else v.get()))
        raise AssertionError(f"read_var: expected a variable of this strategy, got {v!r}")

    # ---- input ----

    def _input_workers(self) -> InputWorkers:
        fed: dict[str, list[str]] = {}
        for name in self.worker_devices:
            fed.setdefault(device_names.get_host_for_device(name), []).append(name)
        return InputWorkers(self._device_map, list(fed.items()))

    def _input_contexts(self) -> list[InputContext]:
        """What input functions are told, one for each host."""
        hosts = self._input_workers().num_workers
        return [InputContext(hosts, number, self._num_replicas_in_sync) for number in range(hosts)]

    def _make_dataset_iterator(self, dataset: Any) -> Any:
        return self._input_workers().dataset_iterator(dataset, self._container_strategy(), self._num_replicas_in_sync)

    def _make_input_fn_iterator(self, input_fn: Callable[..., Any], replication_mode: Any) -> Any:
        return self._input_workers().input_function_iterator(
            input_fn, self._input_contexts(), self._container_strategy()
        )

    def _experimental_distribute_dataset(self, dataset: Any) -> Any:
        return self._input_workers().distributed_dataset(
            dataset, self._container_strategy(), self._num_replicas_in_sync
        )

    def _experimental_distribute_datasets_from_function(self, dataset_fn: Callable[..., Any]) -> Any:
        return self._input_workers().distributed_datasets(
            dataset_fn, self._input_contexts(), self._container_strategy()
        )

    def _experimental_make_numpy_dataset(self, numpy_input: Any, session: SessionLike | None) -> Any:
        return one_host_numpy_dataset(numpy_input, SingleDevice(self._host), session)

    # ---- running ----

    def _experimental_run_steps_on_iterator(
        self, fn: Callable[..., Any], iterator: Any, iterations: int, initial_loop_values: Any
    ) -> Any:
        return run_steps(self._container_strategy(), fn, iterator, iterations, initial_loop_values)

    def _call_for_each_replica(self, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        return call_for_each_replica(self._container_strategy(), self._device_map, fn, args, kwargs)

    def _get_cross_device_ops(self) -> Any:
        """How values of several devices are put together."""
        return self._cross_device_ops or self._inferred_cross_device_ops

    def _broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        # A number need not be anywhere.
        if isinstance(tensor, (float, int)):
            return tensor
        if not destinations:
            destinations = LogicalDeviceSpec(self._device_map, 0)
        return self._get_cross_device_ops().broadcast(tensor, destinations)

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        if isinstance(value, Mirrored) and reduce_op == ReduceOp.MEAN:
            return value
        if isinstance(value, Mirrored):
            raise AssertionError(
                f"A mirrored value is the same for all replicas: there is no sum of it to take. Got {value}"
            )
        if not isinstance(value, DistributedValues):
            return cross_device_operations.reduce_non_distributed_value(
                reduce_op, self._device_map, value, destinations
            )
        return self._get_cross_device_ops().reduce(reduce_op, value, destinations=destinations)

    def _batch_reduce_to(self, reduce_op: ReduceOp, value_destination_pairs: Iterable[Any]) -> list[Any]:
        return self._get_cross_device_ops().batch_reduce(reduce_op, value_destination_pairs)

    def _update(self, var: Any, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any], group: bool) -> Any:
        if not isinstance(var, DistributedVariable):
            raise AssertionError(f"update: expected a variable of this strategy, got {var!r}")
        updates = []
        for number, (where, part) in enumerate(zip(var.devices, var.values, strict=True)):
            with device(where), UpdateContext(where), name_scope(f"update_{number}"):
                updates.append(fn(part, *select_device_mirrored(where, args), **select_device_mirrored(where, kwargs)))
        return update_regroup(self, var.device_map, updates, group)

    def _update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any], group: bool
    ) -> Any:
        if not isinstance(colocate_with, tuple):
            raise AssertionError(f"update_non_slot: expected what non_slot_devices returned, got {colocate_with!r}")
        updates = []
        for number, where in enumerate(colocate_with):
            with device(where), UpdateContext(where), name_scope(f"update_{number}"):
                updates.append(fn(*select_device_mirrored(where, args), **select_device_mirrored(where, kwargs)))
        return update_regroup(self, self._device_map, updates, group)

    def _local_results(self, distributed_value: Any) -> tuple[Any, ...]:
        return distributed_value.values if isinstance(distributed_value, DistributedValues) else (distributed_value,)

    def value_container(self, value: Any) -> Any:
        """The variable of several replicas that a part belongs to; else `value` itself."""
        return value_container(value)

    def non_slot_devices(self, var_list: Any) -> tuple[str, ...]:
        """The devices of the replicas."""
        return self._device_map.logical_to_actual_devices(0)

    # ---- settings ----

    @property
    def _num_replicas_in_sync(self) -> int:
        return self._device_map.num_replicas_in_graph

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices of the replicas."""
        return self._device_map.all_devices

    @property
    def worker_devices_by_replica(self) -> tuple[tuple[str, ...], ...]:
        """The devices of each replica."""
        return self._device_map.devices_by_replica

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices of the variables."""
        return self._device_map.all_devices

    @property
    def experimental_between_graph(self) -> bool:
        """Whether each worker has a graph of its own: no."""
        return False

    @property
    def experimental_should_init(self) -> bool:
        """Whether this worker initializes the variables: yes."""
        return True

    @property
    def should_checkpoint(self) -> bool:
        """Whether this worker writes checkpoints: yes."""
        return True

    @property
    def should_save_summary(self) -> bool:
        """Whether this worker writes summaries: yes."""
        return True

    @property
    def _global_batch_size(self) -> bool:
        """Whether batches of datasets are those of all replicas together: yes."""
        return True


class MirroredStrategy(Strategy):
    """Each device has a copy of the model and works on a part of each batch; gradients are summed over all.

    Args:
        devices: the names of the devices; the GPUs, or the CPU where there are none, by default. Several CPUs,
            "/cpu:0" and "/cpu:1", are parts of one machine's cores.
        cross_device_ops: how values of several devices are put together; what fits the devices best by default.

    Raises:
        ValueError: for one device twice.

    Example:
        >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"])
        >>> with strategy.scope():
        ...     v = tf.Variable(1.0, name="v")
        >>> [part.name for part in strategy.experimental_local_results(v)]
        ['v:0', 'v/replica_1:0']
    """

    def __init__(self, devices: Sequence[str] | None = None, cross_device_ops: Any = None) -> None:
        super().__init__(MirroredExtended(self, devices=devices, cross_device_ops=cross_device_ops))


class MirroredStrategyV1(StrategyV1):
    """`tf.distribute.MirroredStrategy` of 1.x; arguments as of the later one.

    Example:
        >>> tf.compat.v1.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]).num_replicas_in_sync
        2
    """

    def __init__(self, devices: Sequence[str] | None = None, cross_device_ops: Any = None) -> None:
        super().__init__(MirroredExtended(self, devices=devices, cross_device_ops=cross_device_ops))
