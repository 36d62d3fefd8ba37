"""Values that replicas have each their own of: how they are kept together, taken apart and put together again."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor, register_tensor_conversion_function
from headrace.core.defaults import control_dependencies, device
from headrace.core.made_of_tensors import MadeOfTensors
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import is_tensor
from headrace.core.type_specs import TypeSpec, type_spec_from_value
from headrace.distribute import device_names
from headrace.distribute.device_maps import DeviceMap, ReplicaDeviceMap, SingleDeviceMap, WorkerDeviceMap
from headrace.distribute.replica_context import get_update_device
from headrace.ops.flow.grouping import group as group_operations
from headrace.state.replication import get_replica_context

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation


class DistributedValues:
    """A value for each replica, or for each of several devices.

    Args:
        device_map: on which devices the values are.
        values: the values, one for each.
        logical_device: which logical device of the map they are on; found from the values by default.
    """

    def __init__(self, device_map: DeviceMap, values: Sequence[Any], logical_device: int | None = None) -> None:
        if not isinstance(device_map, DeviceMap):
            raise AssertionError(f"{type(self).__name__}: expected a map of devices, got {device_map!r}")
        self._device_map = device_map
        self._values = tuple(values)
        if logical_device is None:
            logical_device = device_map.logical_device_from_values(self._values)
        self._logical_device = logical_device

    def get(self, device: str | None = None) -> Any:
        """The value of the replica that calls, or of a device.

        Args:
            device: the device; where it is None, that of the replica or of the update that calls counts.

        Raises:
            ValueError: if the device has none, or in cross-replica context.
        """
        if device is None:
            context = get_replica_context()
            if context is not None:
                return self._device_map.select_for_current_replica(self._values, context)
            device = get_update_device()
            if device is None:
                return self._get_cross_replica()
        return self._device_map.select_for_device(self._values, device_names.canonicalize(device))

    def _get_cross_replica(self) -> Any:
        raise ValueError(
            "Cannot be accessed in cross-replica context: a value of one replica was asked for where code is one for all; "
            "take it apart with strategy.experimental_local_results(value), or reduce it."
        )

    @property
    def primary(self) -> Any:
        """The first value."""
        return self._values[0]

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices of the values."""
        return self._device_map.logical_to_actual_devices(self._logical_device)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values."""
        return self._values

    @property
    def device_map(self) -> DeviceMap:
        """On which devices the values are."""
        return self._device_map

    @property
    def logical_device(self) -> int:
        """Which logical device of the map they are on."""
        return self._logical_device

    @property
    def is_tensor_like(self) -> bool:
        """Whether all values are tensors, or stand for some."""
        return all(is_tensor(value) for value in self._values)

    def _shown(self, show: Callable[[Any], str]) -> str:
        pairs = enumerate(zip(self.devices, self._values, strict=True))
        lines = ",\n  ".join(f"{number} {where}: {show(value)}" for number, (where, value) in pairs)
        return f"{type(self).__name__}:{{\n  {lines}\n}}"

    def __str__(self) -> str:
        return self._shown(str)

    def __repr__(self) -> str:
        return self._shown(repr)


class DistributedDelegate(DistributedValues):
    """Values of which the one that is meant here acts for the whole: it has its attributes and operators."""

    def __getattr__(self, name: str) -> Any:
        # Only what is no attribute of its own comes here. Names that others probe for, and those of what is still
        # being made, are not there.
        if name.startswith(("__", "_self_", "_values", "_device_map", "_logical_device")):
            raise AttributeError(name)
        return getattr(self.get(), name)

    def _get_as_operand(self) -> Any:
        """What operators take."""
        return self.get()


def _operand(value: Any) -> Any:
    return value._get_as_operand() if isinstance(value, DistributedDelegate) else value


def _forward(apply: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Any, *others: Any) -> Any:
        # Python's `pow` may hand on a third argument, None.
        return apply(self._get_as_operand(), *(_operand(other) for other in others if other is not None))

    return run


def _reflected(apply: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, other: apply(_operand(other), self._get_as_operand())


for _name in ("abs", "neg", "invert", "getitem", "lt", "le", "gt", "ge"):
    setattr(DistributedDelegate, f"__{_name}__", _forward(getattr(operator, _name)))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor"):
    # The built-in takes a modulus too.
    _apply: Callable[..., Any] = pow if _name == "pow" else getattr(operator, _name)
    setattr(DistributedDelegate, f"__{_name.strip('_')}__", _forward(_apply))
    setattr(DistributedDelegate, f"__r{_name.strip('_')}__", _reflected(_apply))
del _name, _apply


class Mirrored(DistributedDelegate):
    """Values that are the same for all replicas."""

    def _get_cross_replica(self) -> Any:
        where = device_names.current()
        if where:
            where = device_names.canonicalize(where)
            devices = self.devices
            if where in devices:
                return self._values[devices.index(where)]
        return self.primary

    def _as_graph_element(self) -> Any:
        found = self.get()
        convert = getattr(found, "_as_graph_element", None)
        return found if convert is None else convert()


class PerReplica(MadeOfTensors, DistributedValues):
    """A value for each replica."""

    @property
    def _is_graph_tensor(self) -> bool:
        return any(getattr(value, "_is_graph_tensor", False) for value in self._values)

    @property
    def _type_spec(self) -> PerReplicaSpec:
        return PerReplicaSpec(tuple(map(type_spec_from_value, self._values)), self._device_map, self._logical_device)


nest.register_composite(
    PerReplica,
    lambda value: list(value.values),
    lambda value, parts: PerReplica(value.device_map, parts, value.logical_device),
)

_MAPS = {"single": SingleDeviceMap, "replica": ReplicaDeviceMap, "worker": WorkerDeviceMap}


class PerReplicaSpec(TypeSpec):
    """What is known of a `PerReplica` value.

    Args:
        value_specs: what is known of the value of each replica.
        device_map: the devices, or the name of a kind of map with what it is made of.
        logical_device: which logical device of the map they are on.
    """

    def __init__(self, value_specs: tuple[Any, ...], device_map: Any, logical_device: int) -> None:
        if isinstance(device_map, tuple):
            kind, *parts = device_map
            device_map = _MAPS[kind](*parts)
        self._value_specs = tuple(value_specs)
        self._device_map = device_map
        self._logical_device = logical_device

    @property
    def value_type(self) -> type:
        """`PerReplica`."""
        return PerReplica

    def _serialize(self) -> tuple[Any, ...]:
        made_of = self._device_map
        kind = next(kind for kind, cls in _MAPS.items() if isinstance(made_of, cls))
        parts = (made_of.all_devices[0],) if kind == "single" else made_of._parts()
        return self._value_specs, (kind, *parts), self._logical_device

    @property
    def _component_specs(self) -> tuple[Any, ...]:
        return self._value_specs

    def _to_components(self, value: Any) -> tuple[Any, ...]:
        replica_context = get_replica_context()
        if replica_context is not None and replica_context.num_replicas_in_sync > 1:
            raise ValueError("Flattening a PerReplica to components is not supported in replica context.")
        found: tuple[Any, ...] = value._values
        return found

    def _from_components(self, components: Any) -> PerReplica:
        return PerReplica(self._device_map, components, self._logical_device)


def _tensor_of_mirrored(
    value: Mirrored, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Tensor:
    return convert_to_tensor(value.get(), dtype, name, as_ref=as_ref)


register_tensor_conversion_function(Mirrored, _tensor_of_mirrored)


# ---- taking apart and putting together ----


def regroup(device_map: DeviceMap, values: Sequence[Any], wrap_class: Callable[..., Any] = PerReplica) -> Any:
    """One structure of values for each replica, from a structure for each.

    Args:
        device_map: on which devices they are.
        values: the structures, all of one form.
        wrap_class: what holds the values that differ.

    Raises:
        AssertionError: if the structures differ.

    Example:
        >>> from headrace.distribute import device_maps, values
        >>> devices = device_maps.ReplicaDeviceMap(["/cpu:0", "/cpu:1"])
        >>> values.regroup(devices, ((1, "a"), (2, "a")))[1]
        'a'
    """
    if len(values) != device_map.num_replicas_in_graph:
        raise AssertionError(f"regroup: {device_map!r} is of other replicas than those of {values!r}.")
    first = values[0]
    if isinstance(first, (list, tuple)):
        kind = list if isinstance(first, list) else tuple
        if any(not isinstance(value, kind) or len(value) != len(first) for value in values):
            raise AssertionError(f"Replicas gave structures of different forms: {values}")
        items = [regroup(device_map, items, wrap_class) for items in zip(*values, strict=True)]
        if kind is list:
            return items
        return first._make(items) if hasattr(first, "_make") else tuple(items)
    if isinstance(first, dict):
        if any(not isinstance(value, dict) or value.keys() != first.keys() for value in values):
            raise AssertionError(f"Replicas gave dictionaries of different keys: {values}")
        return {key: regroup(device_map, tuple(value[key] for value in values), wrap_class) for key in first}
    container = _container_of(first)
    if container is None:
        if all(value is first for value in values):
            return first
        return wrap_class(device_map, values)
    if any(_container_of(value) is not container for value in values):
        raise AssertionError(f"Replicas gave parts of different variables: {[str(value) for value in values]}")
    return container


def _container_of(value: Any) -> Any:
    """The distributed variable of which `value` is a part, or None."""
    if isinstance(value, DistributedValues):
        return None
    reference = getattr(value, "_distributed_container", None) or getattr(value, "_aggregating_container", None)
    return None if reference is None else reference()


def select_replica(replica_id: int, structured: Any) -> Any:
    """What a structure holds for one replica."""

    def select(item: Any) -> Any:
        return item.values[replica_id] if isinstance(item, DistributedValues) else item

    return nest.map_structure(select, structured)


def select_device_mirrored(device: str, structured: Any) -> Any:
    """What a structure of mirrored values holds for one device.

    Raises:
        TypeError: if it holds values that are not mirrored.
    """

    def select(item: Any) -> Any:
        if isinstance(item, Mirrored):
            return item.get(device)
        if isinstance(item, DistributedValues):
            raise TypeError(f"Expected value to be mirrored across replicas: {item} in {structured}.")
        return item

    return nest.map_structure(select, structured)


def update_regroup(extended: Any, device_map: DeviceMap, updates: Sequence[Any], group: bool) -> Any:
    """What updates of one variable on several devices gave, as `StrategyExtended.update` returns it.

    Args:
        extended: the strategy's `extended`.
        device_map: the devices.
        updates: what each gave.
        group: whether to give one value that has run when all updates have; else a list of those of each device.
    """
    if not group:
        return nest.map_structure(extended._local_results, regroup(device_map, updates, Mirrored))

    def grouped(device_map: DeviceMap, values: Sequence[Any]) -> Any:
        if len(values) == 1:
            return Mirrored(device_map, values)
        # Whoever asks for one of the values has all updates run.
        all_done: Operation = group_operations(values)
        if not all(is_tensor(value) for value in values):
            return all_done
        waiting = []
        for value, where in zip(values, device_map.all_devices, strict=True):
            with device(where), control_dependencies([] if all_done is None else [all_done]):
                waiting.append(raw.Identity(value))
        return Mirrored(device_map, waiting)

    return regroup(device_map, updates, grouped)


def value_container(val: Any) -> Any:
    """The distributed variable of which `val` is a part; else `val` itself."""
    container = _container_of(val)
    return val if container is None else container


__all__ = [
    "DeviceMap",
    "DistributedDelegate",
    "DistributedValues",
    "Mirrored",
    "PerReplica",
    "PerReplicaSpec",
    "ReplicaDeviceMap",
    "SingleDeviceMap",
    "WorkerDeviceMap",
    "regroup",
    "select_device_mirrored",
    "select_replica",
    "update_regroup",
    "value_container",
]
