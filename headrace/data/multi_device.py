"""Iterators that deal the elements of one dataset out to several devices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import device as device_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.data.dataset import Dataset
from headrace.data.optional import get_next_as_optional
from headrace.data.options import Options
from headrace.ops.flow.grouping import group

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


class MultiDeviceIterator:
    """An iterator with the elements of a dataset for several devices, in turn.

    Args:
        dataset: the dataset.
        devices: the devices; one may be there several times.
        max_buffer_size: how many elements may wait for a device.
        prefetch_buffer_size: how many are made ahead of time on each device.
        source_device: where the dataset is.

    Example:
        >>> iterator = MultiDeviceIterator(tf.data.Dataset.range(4), ["/cpu:0", "/cpu:0"])
        >>> first, second = iterator.get_next()
        >>> session.run(iterator.initializer)
        >>> session.run([first, second])
        [0, 1]
    """

    def __init__(
        self,
        dataset: Dataset,
        devices: Sequence[str],
        max_buffer_size: int = 1,
        prefetch_buffer_size: int = 1,
        source_device: str = "/cpu:0",
    ) -> None:
        options = Options()
        options.experimental_distribute.num_devices = len(devices)
        applied = dataset.with_options(options)._applied_variant()
        self._devices, self._element_spec = list(devices), dataset.element_spec
        spec = dataset._flat_structure
        with device_scope(source_device):
            # Operations that 1.15 has here, and that nothing uses, are made too: seeds follow from the number of operations.
            convert_to_tensor(source_device)
            resource = raw.MultiDeviceIterator(devices=self._devices, shared_name="", container="", **spec)
            size = max(max_buffer_size, prefetch_buffer_size)
            incarnation = raw.MultiDeviceIteratorInit(applied, resource, size)
        own = Options()
        own.experimental_optimization.apply_default_optimizations = False
        own.experimental_optimization.autotune = False
        self._device_iterators = []

        def shard_of(number: int) -> Tensor:
            shard: Tensor = raw.MultiDeviceShardDataset(
                resource, incarnation, shard_num=number, name="GeneratorDataset", **spec
            )
            return shard

        for number, name in enumerate(self._devices):
            with device_scope(name):
                raw.MultiDeviceIteratorToStringHandle(resource)
                shard_of(number)
        for number, name in enumerate(self._devices):
            with device_scope(name):
                shard = Dataset(shard_of(number), self._element_spec)
                if prefetch_buffer_size > 0:
                    shard = shard.prefetch(prefetch_buffer_size)
                self._device_iterators.append(shard.with_options(own).make_initializable_iterator())
        self._initializer: Operation = group(*[iterator.initializer for iterator in self._device_iterators])

    def get_next(self, device: str | None = None) -> list[Tensor]:
        """The next element of a device, or a list with that of each.

        Args:
            device: one of the devices, the first of its name if there are several.
        """
        if device is not None:
            with device_scope(device):
                return self._device_iterators[self._devices.index(device)].get_next()
        elements = []
        for name, iterator in zip(self._devices, self._device_iterators, strict=True):
            with device_scope(name):
                elements.append(iterator.get_next())
        return elements

    def get_next_as_optional(self) -> list[Any]:
        """The next element of each device, each as an `Optional`."""
        optionals = []
        for name, iterator in zip(self._devices, self._device_iterators, strict=True):
            with device_scope(name):
                optionals.append(get_next_as_optional(iterator))
        return optionals

    @property
    def initializer(self) -> Operation:
        """The operation that begins, or begins anew, to go through the dataset."""
        return self._initializer

    @property
    def element_spec(self) -> Any:
        """The description of the elements of a device."""
        return self._element_spec
