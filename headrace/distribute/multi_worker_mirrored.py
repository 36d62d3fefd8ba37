"""`MultiWorkerMirroredStrategy`: every worker has a graph and a copy of the model of its own; gradients are reduced over all.

Workers run the same program. Their collectives find each other through the cluster's servers: sessions run on the server
of their own task (`tf.distribute.Server`), and with eager execution the strategy starts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.config.eager_context import context
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, device
from headrace.core.device import DeviceSpec
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.distribute import cross_device_ops as cross_device_operations
from headrace.distribute import device_names
from headrace.distribute.cluster_resolvers.simple import SimpleClusterResolver
from headrace.distribute.cluster_resolvers.tf_config import TFConfigClusterResolver
from headrace.distribute.cluster_resolvers.torchrun import TorchrunClusterResolver, started_by_torchrun
from headrace.distribute.collectives import CollectiveAllReduce, CollectiveCommunication, CollectiveKeys
from headrace.distribute.distributed_datasets import DatasetIterator, DistributedDataset
from headrace.distribute.mirrored import MirroredExtended, all_local_devices
from headrace.distribute.multi_worker_util import (
    collective_leader,
    id_in_cluster,
    is_chief_task,
    normalize_cluster_spec,
    worker_count,
)
from headrace.distribute.strategy import InputContext, Strategy, StrategyV1
from headrace.distribute.values import DistributedValues, Mirrored
from headrace.messages import protos
from headrace.ops.collective.collective import broadcast_recv, broadcast_send
from headrace.state.modes import ReduceOp
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike
    from headrace.distribute.cluster_resolvers.base import ClusterResolver
    from headrace.sessions.cluster import ClusterSpec


def default_cluster_resolver() -> ClusterResolver:
    """That of TF_CONFIG; where it is not set and `torchrun` has started the process, that of `torchrun`."""
    resolver = TFConfigClusterResolver()
    if not resolver.cluster_spec().as_dict() and started_by_torchrun():
        return TorchrunClusterResolver()
    return resolver


class CollectiveAllReduceExtended(MirroredExtended):
    """`extended` of `MultiWorkerMirroredStrategy`.

    Args:
        container_strategy: the strategy.
        communication: what carries values between workers.
        cluster_resolver: says which cluster this is, and which task of it; TF_CONFIG, or `torchrun`, by default.
        num_gpus_per_worker: how many GPUs of this worker to use; all by default.

    Raises:
        ValueError: if the cluster has no worker, or not this task.
    """

    def __init__(
        self,
        container_strategy: Any,
        communication: CollectiveCommunication = CollectiveCommunication.AUTO,
        cluster_resolver: ClusterResolver | None = None,
        num_gpus_per_worker: int | None = None,
    ) -> None:
        if not isinstance(communication, CollectiveCommunication):
            raise AssertionError(f"communication must be a CollectiveCommunication, got {communication!r}")
        self._communication = communication
        self._collective_keys = CollectiveKeys(by_thread=False)
        self._num_gpus_per_worker = num_gpus_per_worker
        self._take_cluster(cluster_resolver or default_cluster_resolver())
        super().__init__(container_strategy, self._local_devices(), self._make_cross_device_ops())
        self._log()

    # ---- the cluster ----

    def _take_cluster(self, resolver: ClusterResolver) -> None:
        """Finds out which cluster this is, and joins it where operations run as they are made."""
        self._cluster_spec: ClusterSpec = normalize_cluster_spec(resolver.cluster_spec())
        self._task_type: str | None = getattr(resolver, "task_type", None)
        self._task_id: int | None = getattr(resolver, "task_id", None)
        self._rpc_layer: str | None = getattr(resolver, "rpc_layer", None)
        if self._num_gpus_per_worker is None and not isinstance(
            resolver, (TFConfigClusterResolver, TorchrunClusterResolver)
        ):
            self._num_gpus_per_worker = resolver.num_accelerators().get("GPU", 0)
        self._num_workers, self._is_chief, self._default_device = 1, True, None
        self._local_mode = not self._cluster_spec.as_dict()
        self._std_server_started = False
        if self._local_mode:
            return
        if self._task_type is None:
            raise ValueError(f"The cluster resolver names no task: {resolver!r} has no task_type.")
        self._num_workers = worker_count(self._cluster_spec, self._task_type)
        if not self._num_workers:
            raise ValueError("No `worker` or `chief` tasks can be found in `cluster_spec`.")
        self._is_chief = is_chief_task(self._cluster_spec, self._task_type, self._task_id)
        self._default_device = f"/job:{self._task_type}/task:{self._task_id}"
        if executing_eagerly() and self._num_workers > 1:
            self._enable_collectives()

    def _enable_collectives(self) -> None:
        """Lets eager operations meet those of the other workers."""
        surroundings = context()
        surroundings.configure_collective_ops(
            collective_leader=collective_leader(self._cluster_spec, self._task_type, self._task_id),
            use_nccl_communication=self._communication == CollectiveCommunication.NCCL,
            device_filters=(f"/job:{self._task_type}/task:{self._task_id}",),
        )
        surroundings.enable_collective_ops(
            protos.ServerDef(
                cluster=self._cluster_spec.as_cluster_def(),
                job_name=self._task_type,
                task_index=self._task_id,
                protocol=self._rpc_layer or "grpc",
            )
        )
        self._std_server_started = True

    def _local_devices(self) -> tuple[str, ...]:
        count = self._num_gpus_per_worker
        local = all_local_devices() if count is None else device_names.local_devices_from_num_gpus(count)
        if self._default_device is None:
            return local
        return tuple(f"{self._default_device}{name}" for name in local)

    def _check_workers(self, names: Sequence[str]) -> None:
        """Nothing: each worker has a graph of its own, of its own devices."""

    def _make_cross_device_ops(self) -> CollectiveAllReduce:
        gpus = sum(DeviceSpec.from_string(name).device_type == "GPU" for name in self._local_devices())
        if self._communication == CollectiveCommunication.NCCL and not gpus:
            logging.warning("Enabled NCCL communication but no GPUs detected/specified.")
        return CollectiveAllReduce(
            num_workers=self._num_workers,
            num_gpus_per_worker=gpus,
            collective_keys=self._collective_keys,
            communication=self._communication,
        )

    def _log(self) -> None:
        if self._local_mode:
            logging.info(
                "Single-worker CollectiveAllReduceStrategy with local_devices = %r, communication = %s",
                self.worker_devices,
                self._communication,
            )
            return
        logging.info(
            "Multi-worker CollectiveAllReduceStrategy with cluster_spec = %r, task_type = %r, task_id = %r, num_workers = "
            "%r, local_devices = %r, communication = %s",
            self._cluster_spec.as_dict(),
            self._task_type,
            self._task_id,
            self._num_workers,
            self.worker_devices,
            self._communication,
        )

    def _configure(
        self,
        session_config: protos.ConfigProto | None = None,
        cluster_spec: Any = None,
        task_type: str | None = None,
        task_id: int | None = None,
    ) -> None:
        """Joins a cluster, where the strategy was made without one, and sets what sessions need."""
        if cluster_spec and self._local_mode:
            self._take_cluster(
                SimpleClusterResolver(normalize_cluster_spec(cluster_spec), task_type=task_type, task_id=task_id)
            )
            self._cross_device_ops = self._make_cross_device_ops()
            self._initialize_strategy(self._local_devices())
            self._log()
        if session_config is not None:
            session_config.CopyFrom(self._update_config_proto(session_config))

    def _update_config_proto(self, config_proto: protos.ConfigProto) -> protos.ConfigProto:
        updated = super()._update_config_proto(config_proto)
        updated.graph_options.rewrite_options.scoped_allocator_optimization = 1
        del updated.graph_options.rewrite_options.scoped_allocator_opts.enable_op[:]
        updated.graph_options.rewrite_options.scoped_allocator_opts.enable_op.append("CollectiveReduce")
        if self._local_mode:
            return updated
        leader = collective_leader(self._cluster_spec, self._task_type, self._task_id)
        if leader:
            updated.experimental.collective_group_leader = leader
        del updated.device_filters[:]
        updated.device_filters.append(f"/job:{self._task_type}/task:{self._task_id}")
        return updated

    def _use_local_devices(self, devices: Sequence[str]) -> None:
        """Works on these devices of this process alone, whatever cluster there is."""
        self._num_workers, self._is_chief, self._default_device, self._local_mode = 1, True, None, True
        self._initialize_strategy(devices)

    # ---- variables ----

    def _initial_value(self, replica_id: int, where: str, primary: Any, given: Any, dtype: DTypeLike | None) -> Any:
        """The initial value of a part: that of the chief's first device, for all workers."""
        if replica_id > 0 or self._num_workers == 1:
            return super()._initial_value(replica_id, where, primary, given, dtype)
        group = self._collective_keys.get_group_key([where])
        instance = self._collective_keys.get_variable_instance_key()

        def shared() -> Tensor:
            with device(where):
                value = convert_to_tensor(given() if callable(given) else given, dtype)
                keys = (value.shape, value.dtype, self._num_workers, group, instance)
                if not self._is_chief:
                    return broadcast_recv(*keys)
                sent = broadcast_send(value, *keys)
                with control_dependencies([] if executing_eagerly() else [sent]):
                    return raw.Identity(value)

        return shared

    # ---- input ----

    def _input_context(self) -> InputContext:
        number = 0
        if not self._local_mode:
            number = id_in_cluster(self._cluster_spec, self._task_type, self._task_id)
        return InputContext(
            num_input_pipelines=self._num_workers,
            input_pipeline_id=number,
            num_replicas_in_sync=self._num_replicas_in_sync,
        )

    def _input_contexts(self) -> list[InputContext]:
        return [self._input_context()]

    def _make_dataset_iterator(self, dataset: Any) -> DatasetIterator:
        return DatasetIterator(
            dataset,
            self._input_workers(),
            self._container_strategy(),
            split_batch_by=self._num_replicas_in_sync,
            input_context=self._input_context(),
        )

    def _experimental_distribute_dataset(self, dataset: Any) -> DistributedDataset:
        return DistributedDataset(
            dataset,
            self._input_workers(),
            self._container_strategy(),
            split_batch_by=self._num_replicas_in_sync,
            input_context=self._input_context(),
        )

    # ---- reducing ----

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        if isinstance(value, Mirrored):
            return super()._reduce_to(reduce_op, value, destinations)
        if isinstance(value, DistributedValues) and len(self.worker_devices) == 1:
            value = value.values[0]
        if not isinstance(value, DistributedValues) and self._num_workers == 1:
            return cross_device_operations.reduce_non_distributed_value(
                reduce_op, self._device_map, value, destinations
            )
        return self._get_cross_device_ops().reduce(reduce_op, self._on_own_device(value), destinations=destinations)

    def _on_own_device(self, value: Any) -> Any:
        """A value of this worker under the name of its device, by which collectives find each other."""
        if isinstance(value, DistributedValues):
            return value
        with device(self.worker_devices[0]):
            return raw.Identity(convert_to_tensor(value)) if not hasattr(value, "indices") else value

    # ---- settings ----

    def _in_multi_worker_mode(self) -> bool:
        """Whether there is a cluster."""
        return not self._local_mode

    @property
    def _has_collectives(self) -> bool:
        return True

    @property
    def _num_replicas_in_sync(self) -> int:
        return len(self.worker_devices) * self._num_workers

    @property
    def experimental_between_graph(self) -> bool:
        """Whether each worker has a graph of its own: yes."""
        return True

    @property
    def experimental_should_init(self) -> bool:
        """Whether this worker initializes the variables: each does, with the chief's values."""
        return True

    @property
    def should_checkpoint(self) -> bool:
        """Whether this worker writes checkpoints: the chief does."""
        return self._is_chief

    @property
    def should_save_summary(self) -> bool:
        """Whether this worker writes summaries: the chief does."""
        return self._is_chief


class MultiWorkerMirroredStrategy(Strategy):
    """Every worker of a cluster has a copy of the model and works on a part of each batch; gradients are reduced over all.

    The cluster is that of the environment variable TF_CONFIG, or of `torchrun`; without either this is one worker.

    Args:
        communication: a `CollectiveCommunication`: what carries values between workers.

    Raises:
        ValueError: if the cluster has no worker, or not this task.

    Example:
        >>> strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
        >>> strategy.num_replicas_in_sync
        1
    """

    def __init__(self, communication: CollectiveCommunication = CollectiveCommunication.AUTO) -> None:
        super().__init__(CollectiveAllReduceExtended(self, communication=communication))

    @classmethod
    def _from_local_devices(cls, devices: Sequence[str]) -> MultiWorkerMirroredStrategy:
        """A strategy over several devices of this process, reduced by the collectives."""
        made = cls()
        made.extended._use_local_devices(devices)
        return made


class MultiWorkerMirroredStrategyV1(StrategyV1):
    """`tf.distribute.experimental.MultiWorkerMirroredStrategy` of 1.x; arguments as of the later one."""

    def __init__(self, communication: CollectiveCommunication = CollectiveCommunication.AUTO) -> None:
        super().__init__(CollectiveAllReduceExtended(self, communication=communication))


class ContribCollectiveAllReduceStrategy(StrategyV1):
    """`tf.contrib.distribute.CollectiveAllReduceStrategy`, the older name of `MultiWorkerMirroredStrategy`.

    Args:
        num_gpus_per_worker: how many GPUs of each worker to use; 0 for its CPU.
        communication: what carries values between workers.
    """

    def __init__(
        self,
        num_gpus_per_worker: int = 0,
        communication: CollectiveCommunication = CollectiveCommunication.AUTO,
    ) -> None:
        super().__init__(
            CollectiveAllReduceExtended(self, communication=communication, num_gpus_per_worker=num_gpus_per_worker)
        )
