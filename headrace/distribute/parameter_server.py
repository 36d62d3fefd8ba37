"""`ParameterServerStrategy`: variables on servers, which workers read and update, each at its own pace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collections, device, get_collection_ref
from headrace.core.defaults import colocate_with as colocate_operations
from headrace.core.device import DeviceSpec
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.distribute import cross_device_ops, device_names
from headrace.distribute.aggregating import AggregatingVariable
from headrace.distribute.cluster_resolvers.simple import SimpleClusterResolver
from headrace.distribute.cluster_resolvers.tf_config import TFConfigClusterResolver
from headrace.distribute.device_maps import DeviceMap, ReplicaDeviceMap
from headrace.distribute.extended import StrategyExtendedV1
from headrace.distribute.input_workers import InputWorkers
from headrace.distribute.local_devices import all_local_devices
from headrace.distribute.multi_worker_util import id_in_cluster, is_chief_task, normalize_cluster_spec, worker_count
from headrace.distribute.numpy_datasets import SingleDevice, one_host_numpy_dataset
from headrace.distribute.replica_context import UpdateContext
from headrace.distribute.replica_threads import call_for_each_replica
from headrace.distribute.strategy import InputContext, Strategy, StrategyV1
from headrace.distribute.values import DistributedValues, Mirrored, PerReplica
from headrace.sessions.cluster import ClusterSpec, replica_device_setter
from headrace.state.modes import ReduceOp, VariableAggregation
from headrace.state.resource_variable_class import BaseResourceVariable
from headrace.state.scoping import makes_eager_variables

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike

_LOCAL_CPU = "/device:CPU:0"


class ParameterServerExtended(StrategyExtendedV1):
    """`extended` of `ParameterServerStrategy` and `CentralStorageStrategy`.

    Args:
        container_strategy: the strategy.
        cluster_resolver: tells the cluster and the task of this process.
        compute_devices: the devices of the replicas, where there is no cluster.
        parameter_device: the device of the variables, where there is no cluster.

    Raises:
        ValueError: for a cluster without servers.
    """

    def __init__(
        self,
        container_strategy: Any,
        cluster_resolver: Any = None,
        compute_devices: Sequence[str] | None = None,
        parameter_device: str | None = None,
    ) -> None:
        super().__init__(container_strategy)
        self._cluster_spec: ClusterSpec | None = None
        self._task_type: str | None = None
        self._task_id: int | None = None
        self._is_chief = True
        spec = None if cluster_resolver is None else cluster_resolver.cluster_spec()
        if spec is not None and spec.as_dict():
            self._initialize_multi_worker(cluster_resolver, compute_devices)
        else:
            self._initialize_local(compute_devices, parameter_device)
        self._cross_device_ops = cross_device_ops.ReductionToOneDevice(reduce_to_device=_LOCAL_CPU)

    def _initialize_local(self, compute_devices: Sequence[str] | None, parameter_device: str | None) -> None:
        """Takes over devices of this process."""
        if compute_devices is None:
            compute_devices = all_local_devices()
        if parameter_device is None:
            # One device that computes keeps the variables too.
            parameter_device = compute_devices[0] if len(compute_devices) == 1 else _LOCAL_CPU
        self._device_map: DeviceMap = ReplicaDeviceMap([device_names.resolve(name) for name in compute_devices])
        self._worker_device = device_names.canonicalize(_LOCAL_CPU)
        self._variable_device: Any = parameter_device
        self._parameter_devices: tuple[str, ...] = (parameter_device,)

    def _initialize_multi_worker(self, cluster_resolver: Any, compute_devices: Sequence[str] | None = None) -> None:
        """Takes over a cluster and the task of this process."""
        spec = normalize_cluster_spec(cluster_resolver.cluster_spec())
        task_type, task_id = cluster_resolver.task_type, cluster_resolver.task_id
        if not task_type or task_id is None:
            raise ValueError(
                f"ParameterServerStrategy: the task of this process is not known: {task_type!r}, {task_id!r}"
            )
        servers = len(spec.as_dict().get("ps", []))
        if not servers:
            raise ValueError("The cluster spec needs to have `ps` jobs.")
        self._worker_device = f"/job:{task_type}/task:{task_id}"
        gpus = [name for name in compute_devices or all_local_devices() if "GPU" in name]
        compute_devices = [f"{self._worker_device}{name}" for name in gpus] or [self._worker_device]
        self._device_map = ReplicaDeviceMap([device_names.canonicalize(name) for name in compute_devices])
        self._variable_device = replica_device_setter(
            ps_tasks=servers, worker_device=self._worker_device, merge_devices=True, cluster=spec
        )
        self._parameter_devices = tuple(f"/job:ps/task:{number}" for number in range(servers))
        self._default_device = self._worker_device
        self._cluster_spec, self._task_type, self._task_id = spec, task_type, task_id
        self._is_chief = is_chief_task(spec, task_type, task_id)

    # ---- variables ----

    def _create_variable(self, next_creator: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        create = next_creator
        if self._num_replicas_in_sync > 1:
            aggregation = kwargs.pop("aggregation", VariableAggregation.NONE)
            if aggregation not in list(VariableAggregation):
                raise ValueError(f"Invalid variable aggregation mode: {aggregation} for variable: {kwargs.get('name')}")
            create = self._shared_creator(next_creator, aggregation)
        colocated = kwargs.pop("colocate_with", None)
        if isinstance(colocated, SingleDevice):
            with device(colocated.device):
                return create(*args, **kwargs)
        if colocated is not None:
            with device(None), colocate_operations(colocated):
                return create(*args, **kwargs)
        with colocate_operations(None, ignore_existing=True), device(self._variable_device):
            return create(*args, **kwargs)

    def _shared_creator(self, next_creator: Callable[..., Any], aggregation: VariableAggregation) -> Callable[..., Any]:
        """Makes variables that put the updates of several replicas together, in the collections asked for."""

        def create(*args: Any, **kwargs: Any) -> AggregatingVariable:
            collections = kwargs.pop("collections", None)
            collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
            kwargs["collections"] = []
            variable = next_creator(*args, **kwargs)
            made = AggregatingVariable(self._container_strategy(), variable, aggregation)
            if makes_eager_variables():
                if GraphKeys.GLOBAL_STEP in collections:
                    add_to_collections([GraphKeys.GLOBAL_STEP], made)
                return made
            if kwargs.get("trainable", True):
                collections.append(GraphKeys.TRAINABLE_VARIABLES)
                trained = get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)
                trained[:] = [other for other in trained if other is not variable]
            add_to_collections(collections, made)
            return made

        return create

    def _allow_variable_partition(self) -> bool:
        return not executing_eagerly()

    def _validate_colocate_with_variable(self, colocate_with_variable: Any) -> None:
        self._validate_colocate(colocate_with_variable)

    def value_container(self, value: Any) -> Any:
        """The variable that puts the updates of replicas together, of the one it holds; else `value` itself."""
        container = getattr(value, "_aggregating_container", None)
        if container is None or isinstance(value, AggregatingVariable):
            return value
        return container()

    def read_var(self, v: Any) -> Any:
        """The variable's value."""
        return raw.Identity(v)

    # ---- input ----

    def _input_workers(self) -> InputWorkers:
        return InputWorkers(self._device_map, [(self._worker_device, self.worker_devices)])

    def _input_context(self) -> InputContext:
        pipelines, number = 1, 0
        if self._cluster_spec is not None:
            pipelines = worker_count(self._cluster_spec, self._task_type)
            number = id_in_cluster(self._cluster_spec, self._task_type, self._task_id)
        return InputContext(
            num_input_pipelines=pipelines, input_pipeline_id=number, num_replicas_in_sync=self._num_replicas_in_sync
        )

    def _make_dataset_iterator(self, dataset: Any) -> Any:
        return self._input_workers().dataset_iterator(dataset, self._container_strategy(), self._num_replicas_in_sync)

    def _make_input_fn_iterator(self, input_fn: Callable[..., Any], replication_mode: Any) -> Any:
        return self._input_workers().input_function_iterator(
            input_fn, [self._input_context()], self._container_strategy()
        )

    def _experimental_distribute_dataset(self, dataset: Any) -> Any:
        return self._input_workers().distributed_dataset(
            dataset, self._container_strategy(), self._num_replicas_in_sync
        )

    def _experimental_distribute_datasets_from_function(self, dataset_fn: Callable[..., Any]) -> Any:
        return self._input_workers().distributed_datasets(
            dataset_fn, [self._input_context()], self._container_strategy()
        )

    def _experimental_make_numpy_dataset(self, numpy_input: Any, session: SessionLike | None) -> Any:
        return one_host_numpy_dataset(numpy_input, SingleDevice(self._worker_device), session)

    # ---- running ----

    def _call_for_each_replica(self, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        return call_for_each_replica(self._container_strategy(), self._device_map, fn, args, kwargs)

    def _broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        if isinstance(tensor, (float, int)):
            return tensor
        if not cross_device_ops.check_destinations(destinations):
            destinations = self._device_map
        return self._cross_device_ops.broadcast(tensor, destinations)

    def _check_worker(self, destinations: Any) -> None:
        """Raises ValueError for destinations on another worker."""
        if self._cluster_spec is None or destinations is None:
            return
        for name in cross_device_ops.get_devices_from(destinations):
            spec = DeviceSpec.from_string(name)
            if spec.job == self._task_type and spec.task != self._task_id:
                raise ValueError(
                    f"Cannot reduce to another worker: {name!r}, current worker is {self._worker_device!r}"
                )

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        self._check_worker(destinations)
        if not isinstance(value, DistributedValues):
            return cross_device_ops.reduce_non_distributed_value(reduce_op, self._device_map, value, destinations)
        return self._cross_device_ops.reduce(reduce_op, value, destinations=destinations)

    def _batch_reduce_to(self, reduce_op: ReduceOp, value_destination_pairs: Iterable[Any]) -> list[Any]:
        pairs = list(value_destination_pairs)
        for _, destinations in pairs:
            self._check_worker(destinations)
        return self._cross_device_ops.batch_reduce(reduce_op, pairs)

    def _update(self, var: Any, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any], group: bool) -> Any:
        if isinstance(var, AggregatingVariable):
            var = var.get()
        if not isinstance(var, BaseResourceVariable):
            raise ValueError(f"You can not update `var` {var!r}. It must be a Variable.")
        with colocate_operations(var), UpdateContext(var.device):
            result = fn(var, *_single_values(args), **_single_values(kwargs))
        return result if group else nest.map_structure(self._local_results, result)

    def _update_non_slot(
        self, colocate_with: Any, fn: Callable[..., Any], args: Any, kwargs: dict[str, Any], group: bool
    ) -> Any:
        with device(colocate_with.device), UpdateContext(colocate_with.device):
            result = fn(*args, **kwargs)
        return result if group else nest.map_structure(self._local_results, result)

    def _local_results(self, distributed_value: Any) -> tuple[Any, ...]:
        return distributed_value.values if isinstance(distributed_value, DistributedValues) else (distributed_value,)

    def non_slot_devices(self, var_list: Any) -> Any:
        """Where the first variable by name is."""
        return min(var_list, key=lambda variable: variable.name)

    # ---- settings ----

    def _in_multi_worker_mode(self) -> bool:
        """Whether there is a cluster."""
        return self._cluster_spec is not None

    def _configure(
        self,
        session_config: Any = None,
        cluster_spec: Any = None,
        task_type: str | None = None,
        task_id: int | None = None,
    ) -> None:
        if cluster_spec:
            self._initialize_multi_worker(
                SimpleClusterResolver(normalize_cluster_spec(cluster_spec), task_type=task_type, task_id=task_id)
            )
        if session_config:
            session_config.CopyFrom(self._update_config_proto(session_config))

    def _update_config_proto(self, config_proto: Any) -> Any:
        updated = super()._update_config_proto(config_proto)
        if self._cluster_spec is None:
            updated.isolate_session_state = True
            return updated
        updated.isolate_session_state = False
        del updated.device_filters[:]
        # A worker waits for the servers and for no other worker.
        if self._task_type in ("chief", "worker"):
            updated.device_filters.extend([f"/job:{self._task_type}/task:{self._task_id}", "/job:ps"])
        elif self._task_type == "evaluator":
            updated.device_filters.append(f"/job:evaluator/task:{self._task_id}")
        return updated

    @property
    def _num_replicas_in_sync(self) -> int:
        return self._device_map.num_replicas_in_graph

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The devices of the replicas of this worker."""
        return self._device_map.all_devices

    @property
    def worker_devices_by_replica(self) -> tuple[tuple[str, ...], ...]:
        """The devices of each replica of this worker."""
        return self._device_map.devices_by_replica

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """The devices of the variables."""
        return self._parameter_devices

    @property
    def experimental_between_graph(self) -> bool:
        """Whether each worker has a graph of its own: yes."""
        return True

    @property
    def experimental_should_init(self) -> bool:
        """Whether this worker initializes the variables."""
        return self._is_chief

    @property
    def should_checkpoint(self) -> bool:
        """Whether this worker writes checkpoints."""
        return self._is_chief

    @property
    def should_save_summary(self) -> bool:
        """Whether this worker writes summaries."""
        return self._is_chief

    @property
    def _global_batch_size(self) -> bool:
        """Whether batches of datasets are those of all replicas of a worker together: yes."""
        return True


def _single_values(structured: Any) -> Any:
    """What a variable that all replicas share is updated with.

    Raises:
        ValueError: for values that are several.
    """

    def select(item: Any) -> Any:
        if isinstance(item, Mirrored) and len(item.devices) == 1:
            return item.primary
        if isinstance(item, (Mirrored, PerReplica)):
            raise ValueError(
                f"You cannot update variable with a {type(item).__name__} object with multiple components {item!r} when using "
                "ParameterServerStrategy. You must specify a single value or a Mirrored with a single value."
            )
        return item

    return nest.map_structure(select, structured)


class ParameterServerStrategy(Strategy):
    """Variables on servers of a cluster, which each worker reads and updates at its own pace.

    Without a cluster, the devices of this process compute, and the CPU keeps the variables.

    Args:
        cluster_resolver: tells the cluster and the task of this process; the environment variable TF_CONFIG by default.

    Raises:
        ValueError: without a cluster, or for one without servers.

    Example:
        >>> cluster = tf.train.ClusterSpec({"worker": ["localhost:2222"], "ps": ["localhost:2223"]})
        >>> task = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, task_type="worker", task_id=0)
        >>> tf.distribute.experimental.ParameterServerStrategy(task).extended.parameter_devices
        ('/job:ps/task:0',)
    """

    def __init__(self, cluster_resolver: Any = None) -> None:
        if cluster_resolver is None:
            cluster_resolver = TFConfigClusterResolver()
        if not cluster_resolver.cluster_spec():
            raise ValueError(f"Cluster spec must be non-empty in `cluster_resolver`, got {cluster_resolver!r}.")
        super().__init__(ParameterServerExtended(self, cluster_resolver))


class ParameterServerStrategyV1(StrategyV1):
    """`tf.distribute.experimental.ParameterServerStrategy` of 1.x.

    Without a cluster, as by default, the devices of this process compute, and its CPU keeps the variables; an estimator
    tells the strategy of the cluster that TF_CONFIG names.

    Args:
        cluster_resolver: tells the cluster and the task of this process; None for no cluster.

    Example:
        >>> tf.compat.v1.distribute.experimental.ParameterServerStrategy().num_replicas_in_sync
        1
    """

    def __init__(self, cluster_resolver: Any = None) -> None:
        super().__init__(ParameterServerExtended(self, cluster_resolver))


class CentralStorageStrategy(Strategy):
    """Several devices compute, one keeps the variables.

    Args:
        compute_devices: the devices that compute; the GPUs, or the CPU where there are none, by default.
        parameter_device: the device of the variables; the CPU, or the one device that computes, by default.

    Example:
        >>> strategy = tf.distribute.experimental.CentralStorageStrategy(["/cpu:0", "/cpu:1"], "/cpu:0")
        >>> strategy.num_replicas_in_sync
        2
    """

    def __init__(self, compute_devices: Sequence[str] | None = None, parameter_device: str | None = None) -> None:
        extended = ParameterServerExtended(self, compute_devices=compute_devices, parameter_device=parameter_device)
        super().__init__(extended)

    @classmethod
    def _from_num_gpus(cls, num_gpus: int) -> CentralStorageStrategy:
        return cls(device_names.local_devices_from_num_gpus(num_gpus), parameter_device=None)


class CentralStorageStrategyV1(StrategyV1):
    """`tf.distribute.experimental.CentralStorageStrategy` of 1.x; arguments as of the later one.

    Example:
        >>> tf.compat.v1.distribute.experimental.CentralStorageStrategy(["/cpu:0"]).num_replicas_in_sync
        1
    """

    def __init__(self, compute_devices: Sequence[str] | None = None, parameter_device: str | None = None) -> None:
        extended = ParameterServerExtended(self, compute_devices=compute_devices, parameter_device=parameter_device)
        super().__init__(extended)
