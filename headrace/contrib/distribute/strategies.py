"""The strategies of `tf.contrib.distribute`: datasets have batches of one replica, not of all together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.distribute.cluster_resolvers.simple import SimpleClusterResolver
from headrace.distribute.cluster_resolvers.tf_config import TFConfigClusterResolver
from headrace.distribute.local_devices import all_local_devices
from headrace.distribute.mirrored import MirroredExtended as CoreMirroredExtended
from headrace.distribute.parameter_server import ParameterServerExtended as CoreParameterServerExtended
from headrace.distribute.strategy import StrategyV1

if TYPE_CHECKING:
    from headrace.distribute.distributed_datasets import DatasetIterator


class MirroredExtended(CoreMirroredExtended):
    """`extended` of `tf.contrib.distribute.MirroredStrategy`; arguments as of that."""

    def __init__(
        self,
        container_strategy: Any,
        devices: Sequence[str] | None = None,
        num_gpus_per_worker: int | None = None,
        cross_device_ops: Any = None,
        auto_shard_dataset: bool = False,
    ) -> None:
        if devices is None:
            devices = all_local_devices(num_gpus_per_worker)
        elif num_gpus_per_worker is not None:
            raise ValueError("Must only specify one of `devices` and `num_gpus_per_worker`.")
        super().__init__(container_strategy, devices, cross_device_ops)
        self._auto_shard_dataset = auto_shard_dataset

    def _make_dataset_iterator(self, dataset: Any) -> DatasetIterator:
        # One worker's shard is all of the dataset, with auto_shard_dataset and without.
        return self._input_workers().dataset_iterator(dataset, self._container_strategy(), None)

    @property
    def _global_batch_size(self) -> bool:
        """Whether batches of datasets are those of all replicas together: no."""
        return False


class MirroredStrategy(StrategyV1):
    """`tf.distribute.MirroredStrategy` for datasets whose batches are those of one replica.

    Args:
        devices: the names of the devices.
        num_gpus, num_gpus_per_worker: how many GPUs to take, where there are no `devices`; give one of the two.
        cross_device_ops, cross_tower_ops: how values of several devices are put together; give one of the two.
        auto_shard_dataset: whether datasets are divided among workers, of which there is one.

    Raises:
        ValueError: if both of two names are given, or devices and their number.

    Example:
        >>> strategy = tf.contrib.distribute.MirroredStrategy(devices=["/cpu:0", "/cpu:1"])
        >>> strategy.num_replicas_in_sync
        2
    """

    def __init__(
        self,
        devices: Sequence[str] | None = None,
        num_gpus: int | None = None,
        num_gpus_per_worker: int | None = None,
        cross_device_ops: Any = None,
        auto_shard_dataset: bool = False,
        cross_tower_ops: Any = None,
    ) -> None:
        if cross_device_ops and cross_tower_ops:
            raise ValueError("Specify one of `cross_device_ops` and its older name `cross_tower_ops`.")
        if num_gpus is not None and num_gpus_per_worker is not None:
            raise ValueError("You cannot specify both `num_gpus` and `num_gpus_per_worker`.")
        super().__init__(
            MirroredExtended(
                self,
                devices,
                num_gpus if num_gpus_per_worker is None else num_gpus_per_worker,
                cross_device_ops or cross_tower_ops,
                auto_shard_dataset,
            )
        )

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """An iterator over a dataset, whose elements go to the replicas in turn.

        Args:
            dataset: the dataset, whose batches are those of one replica.
        """
        return super().make_dataset_iterator(dataset)


class ParameterServerExtended(CoreParameterServerExtended):
    """`extended` of `tf.contrib.distribute.ParameterServerStrategy`; arguments as of that."""

    def __init__(self, container_strategy: Any, num_gpus_per_worker: int) -> None:
        told = TFConfigClusterResolver()
        resolver = SimpleClusterResolver(
            cluster_spec=told.cluster_spec(),
            task_type=told.task_type or "",
            task_id=told.task_id,
            num_accelerators={"GPU": num_gpus_per_worker},
        )
        super().__init__(container_strategy, resolver, all_local_devices(num_gpus_per_worker))

    def _make_dataset_iterator(self, dataset: Any) -> DatasetIterator:
        return self._input_workers().dataset_iterator(dataset, self._container_strategy(), None)

    @property
    def _global_batch_size(self) -> bool:
        """Whether batches of datasets are those of all replicas together: no."""
        return False


class ParameterServerStrategy(StrategyV1):
    """`tf.distribute.experimental.ParameterServerStrategy` for datasets whose batches are those of one replica.

    `configure` tells it of the cluster.

    Args:
        num_gpus_per_worker: how many GPUs of this machine compute; the CPU does where there are none.

    Example:
        >>> tf.contrib.distribute.ParameterServerStrategy().extended.parameter_devices
        ('/device:CPU:0',)
    """

    def __init__(self, num_gpus_per_worker: int = 0) -> None:
        super().__init__(ParameterServerExtended(self, num_gpus_per_worker))

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """An iterator over a dataset, whose elements go to the replicas in turn.

        Args:
            dataset: the dataset, whose batches are those of one replica.
        """
        return super().make_dataset_iterator(dataset)
