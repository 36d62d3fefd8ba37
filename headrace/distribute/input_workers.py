"""Which worker feeds which devices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headrace.distribute import device_names
from headrace.distribute.device_maps import DeviceMap
from headrace.distribute.distributed_datasets import (
    DatasetIterator,
    DistributedDataset,
    DistributedDatasetsFromFunction,
    InputFunctionIterator,
)


class InputWorkers:
    """The hosts whose input pipelines feed devices.

    Args:
        device_map: the devices that are fed.
        worker_device_pairs: for each host its name and the devices it feeds; by default one feeds all.
        logical_device: which logical device of the map is fed.
    """

    def __init__(
        self,
        device_map: DeviceMap,
        worker_device_pairs: Sequence[tuple[str, Sequence[str]]] | None = None,
        logical_device: int = 0,
    ) -> None:
        self._device_map = device_map
        self._logical_device = logical_device
        if worker_device_pairs is None:
            devices = device_map.logical_to_actual_devices(logical_device)
            worker_device_pairs = [(device_names.canonicalize("/device:CPU:0"), devices)]
        self._worker_devices = tuple(worker for worker, _ in worker_device_pairs)
        self._fed_devices = tuple(
            tuple(device_names.canonicalize(where) for where in fed) for _, fed in worker_device_pairs
        )

    @property
    def device_map(self) -> DeviceMap:
        """The devices that are fed."""
        return self._device_map

    @property
    def logical_device(self) -> int:
        """Which logical device of the map is fed."""
        return self._logical_device

    @property
    def num_workers(self) -> int:
        """The number of hosts."""
        return len(self._worker_devices)

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """The hosts."""
        return self._worker_devices

    def compute_devices_for_worker(self, worker_index: int) -> tuple[str, ...]:
        """The devices that a host feeds."""
        return self._fed_devices[worker_index]

    def __repr__(self) -> str:
        pairs = ",\n".join(
            f"  {worker}: {fed}" for worker, fed in zip(self._worker_devices, self._fed_devices, strict=True)
        )
        return f"InputWorkers:{{\n{pairs}\n}}"

    # ---- what strategies make with it ----

    def dataset_iterator(self, dataset: Any, strategy: Any, split_batch_by: int | None) -> DatasetIterator:
        """An iterator over a dataset, whose batches are divided by a number of replicas."""
        return DatasetIterator(dataset, self, strategy, split_batch_by=split_batch_by)

    def input_function_iterator(
        self, input_fn: Callable[..., Any], input_contexts: Sequence[Any], strategy: Any
    ) -> InputFunctionIterator:
        """An iterator over what an input function gives."""
        return InputFunctionIterator(input_fn, self, input_contexts, strategy)

    def distributed_dataset(self, dataset: Any, strategy: Any, split_batch_by: int | None) -> DistributedDataset:
        """A dataset whose batches are divided by a number of replicas."""
        return DistributedDataset(dataset, self, strategy, split_batch_by=split_batch_by)

    def distributed_datasets(
        self, dataset_fn: Callable[..., Any], input_contexts: Sequence[Any], strategy: Any
    ) -> DistributedDatasetsFromFunction:
        """What a function makes for each worker."""
        return DistributedDatasetsFromFunction(dataset_fn, self, input_contexts, strategy)
