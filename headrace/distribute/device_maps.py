"""On which devices the values of replicas are."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.distribute import device_names


def local_number(replica_context: Any) -> int:
    """The number of a replica among those of this process."""
    number = getattr(replica_context, "_replica_number", None)
    if number is None:
        number = replica_context.replica_id_in_sync_group
        number = constant_value(number) if isinstance(number, Tensor) else number
    return 0 if number is None else int(number)


class DeviceMap:
    """How logical devices of replicas lie on actual ones; each replica has as many logical devices."""

    @property
    def all_devices(self) -> tuple[str, ...]:
        """All devices, each once."""
        raise NotImplementedError

    @property
    def devices_by_replica(self) -> tuple[tuple[str, ...], ...]:
        """The devices of each replica, by its number."""
        raise NotImplementedError

    @property
    def num_logical_devices(self) -> int:
        """How many devices a replica has."""
        return 1

    @property
    def num_replicas_in_graph(self) -> int:
        """How many replicas there are."""
        return len(self.devices_by_replica)

    def logical_device_from_values(self, values: Sequence[Any]) -> int:
        """The logical device that values, one for each replica, are on."""
        del values
        return 0

    def logical_to_actual_devices(self, logical_device_id: int) -> tuple[str, ...]:
        """The device of each replica that a logical device is."""
        self._check(logical_device_id)
        return self.all_devices

    def _check(self, logical_device_id: int) -> None:
        if logical_device_id != 0:
            raise ValueError(f"A replica has one logical device, numbered 0; there is no {logical_device_id}.")

    def select_for_current_replica(self, values: Sequence[Any], replica_context: Any) -> Any:
        """The value of the replica that calls."""
        raise NotImplementedError

    def replica_for_device(self, device: str) -> int | None:
        """The number of the replica on a device.

        Raises:
            ValueError: if there is none.
        """
        raise NotImplementedError

    def select_for_device(self, values: Sequence[Any], device: str) -> Any:
        """The value on a device."""
        raise NotImplementedError

    def is_device_in_replica(self, device: str, replica_id: int) -> bool:
        """Whether a device is one of a replica's."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._parts() == other._parts()  # type: ignore[attr-defined]  # of one class

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[Any, ...]:
        return (self.all_devices,)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.all_devices!r})"


class SingleDeviceMap(DeviceMap):
    """Values of one device, whichever replica asks.

    Args:
        device: its name.
    """

    def __init__(self, device: str) -> None:
        if not isinstance(device, str):
            raise AssertionError(f"SingleDeviceMap: device must be a string, got {device!r}")
        self._device = device_names.canonicalize(device)

    @property
    def all_devices(self) -> tuple[str, ...]:
        """The device."""
        return (self._device,)

    @property
    def devices_by_replica(self) -> tuple[tuple[str, ...], ...]:
        """The device of each replica; not known here.

        Raises:
            ValueError: always.
        """
        raise ValueError("SingleDeviceMap not indexed by replicas")

    @property
    def num_replicas_in_graph(self) -> int:
        """One."""
        return 1

    def select_for_current_replica(self, values: Sequence[Any], replica_context: Any) -> Any:
        """The value."""
        return values[0]

    def replica_for_device(self, device: str) -> int | None:
        """Not known here.

        Raises:
            ValueError: always.
        """
        raise ValueError("SingleDeviceMap not indexed by replicas")

    def select_for_device(self, values: Sequence[Any], device: str) -> Any:
        """The value, if it is on this device.

        Raises:
            ValueError: if it is on another.
        """
        if device != self._device:
            raise ValueError(f"Device {device} not found in SingleDeviceMap({self._device!r})")
        return values[0]

    def is_device_in_replica(self, device: str, replica_id: int) -> bool:
        """Not known here.

        Raises:
            ValueError: always.
        """
        raise ValueError("SingleDeviceMap not indexed by replicas")

    def __repr__(self) -> str:
        return f"SingleDeviceMap({self._device!r})"


class ReplicaDeviceMap(DeviceMap):
    """One device for each replica.

    Args:
        devices: their names, all different.

    Raises:
        ValueError: if two replicas have one device.
    """

    def __init__(self, devices: Sequence[str]) -> None:
        self._devices = tuple(map(device_names.canonicalize, devices))
        if len(set(self._devices)) != len(self._devices):
            raise ValueError(f"Duplicate devices in {self._devices}, after canonicalization")
        self._replicas = {device: number for number, device in enumerate(self._devices)}

    @property
    def all_devices(self) -> tuple[str, ...]:
        """The devices."""
        return self._devices

    @property
    def devices_by_replica(self) -> tuple[tuple[str, ...], ...]:
        """The device of each replica."""
        return tuple((device,) for device in self._devices)

    def select_for_current_replica(self, values: Sequence[Any], replica_context: Any) -> Any:
        """The value of the replica that calls; the only one if there is but one."""
        if len(values) == 1:
            return values[0]
        return values[local_number(replica_context)]

    def replica_for_device(self, device: str) -> int | None:
        """The number of the replica on a device, None if there is none."""
        return self._replicas.get(device)

    def select_for_device(self, values: Sequence[Any], device: str) -> Any:
        """The value of the replica on a device.

        Raises:
            ValueError: if there is none.
        """
        found = self.replica_for_device(device)
        if found is None:
            raise ValueError(f"Device {device} not found in {self._devices}")
        return values[found]

    def is_device_in_replica(self, device: str, replica_id: int) -> bool:
        """Whether a replica is on a device."""
        return self._replicas.get(device) == replica_id

    def __str__(self) -> str:
        return f"[{', '.join(self._devices)}]"


class WorkerDeviceMap(DeviceMap):
    """One device for each worker, which several replicas share.

    Args:
        devices: the workers' devices.
        num_replicas_per_worker: how many replicas a worker has.
    """

    def __init__(self, devices: Sequence[str], num_replicas_per_worker: int) -> None:
        self._devices = tuple(map(device_names.canonicalize, devices))
        if len(set(self._devices)) != len(self._devices):
            raise ValueError(f"Duplicate devices in {self._devices}")
        self._num_replicas_per_worker = num_replicas_per_worker

    @property
    def all_devices(self) -> tuple[str, ...]:
        """The workers' devices."""
        return self._devices

    @property
    def devices_by_replica(self) -> tuple[tuple[str, ...], ...]:
        """Not known here.

        Raises:
            ValueError: always.
        """
        raise ValueError("`WorkerDeviceMap` is not indexed by replicas")

    @property
    def num_replicas_in_graph(self) -> int:
        """One for each device."""
        return len(self._devices)

    def select_for_current_replica(self, values: Sequence[Any], replica_context: Any) -> Any:
        """The value of the worker of the replica that calls."""
        return values[local_number(replica_context) // self._num_replicas_per_worker]

    def replica_for_device(self, device: str) -> int:
        """Not known here.

        Raises:
            ValueError: always.
        """
        raise ValueError("`WorkerDeviceMap` not indexed by replicas")

    def select_for_device(self, values: Sequence[Any], device: str) -> Any:
        """The value of the worker on a device."""
        return values[self._devices.index(device)]

    def is_device_in_replica(self, device: str, replica_id: int) -> bool:
        """Not known here.

        Raises:
            ValueError: always.
        """
        raise ValueError("WorkerDeviceMap not indexed by replicas")

    def _parts(self) -> tuple[Any, ...]:
        return self._devices, self._num_replicas_per_worker

    def __repr__(self) -> str:
        return f"WorkerDeviceMap({self._devices!r}, num_replicas_per_worker={self._num_replicas_per_worker})"


class LogicalDeviceSpec(namedtuple("LogicalDeviceSpec", ["device_map", "logical_device"])):
    """Where the values of replicas go: a logical device of a map."""

    __slots__ = ()
