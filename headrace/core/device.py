"""Device names: `/job:worker/replica:0/task:1/device:GPU:2`, whole or in part, and how they combine."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

from typing_extensions import Self

# The beginning of the names of devices where there is no cluster.
LOCAL_TASK = "/job:localhost/replica:0/task:0"

# Only these two have a short form, "/gpu:0", and are written in capitals whatever the user types.
_SHORT_TYPES = frozenset({"CPU", "GPU"})
_FIELDS = ("job", "replica", "task", "device_type", "device_index")


def _as_text(value: int | str | None) -> str | None:
    return None if value is None else str(value)


def _as_type(value: str | None) -> str | None:
    name = _as_text(value)
    return name.upper() if name in ("cpu", "gpu") else name


def _as_int(value: int | str | None) -> int | None:
    return None if value is None else int(value)


class DeviceSpecV2:
    """A device, or what is known of it; every part may be None. It never changes.

    Args:
      job: name of a job, such as "worker".
      replica: number of a replica.
      task: number of a task.
      device_type: "CPU", "GPU" or another type.
      device_index: number of the device among those of its type.

    Raises:
      ValueError: a number is not one.

    Example:
      >>> DeviceSpecV2(job="ps", device_type="gpu", device_index=0).to_string()
      '/job:ps/device:GPU:0'
    """

    def __init__(
        self,
        job: str | None = None,
        replica: int | None = None,
        task: int | None = None,
        device_type: str | None = None,
        device_index: int | None = None,
    ) -> None:
        self._job = _as_text(job)
        self._replica = _as_int(replica)
        self._task = _as_int(task)
        self._device_type = _as_type(device_type)
        self._device_index = _as_int(device_index)

    @property
    def job(self) -> str | None:
        """Name of the job."""
        return self._job

    @property
    def replica(self) -> int | None:
        """Number of the replica."""
        return self._replica

    @property
    def task(self) -> int | None:
        """Number of the task."""
        return self._task

    @property
    def device_type(self) -> str | None:
        """Type of the device; "cpu" and "gpu" are turned into capitals."""
        return self._device_type

    @property
    def device_index(self) -> int | None:
        """Number of the device among those of its type; None stands for any."""
        return self._device_index

    @classmethod
    def from_string(cls, spec: str) -> Self:
        """The device a string names, such as "/gpu:0" or "/job:ps/task:1/device:CPU:*".

        Raises:
          ValueError: a part is not known, a number is not one, or two device types are given.
        """
        return cls(**_parsed(spec))

    def parse_from_string(self, spec: str) -> DeviceSpecV2:
        """The device that `spec` names; what was known counts for nothing."""
        return type(self).from_string(spec)

    def to_string(self) -> str:
        """The name in full form; an index without a device type does not show."""
        parts = [("job", self._job), ("replica", self._replica), ("task", self._task)]
        text = "".join(f"/{part}:{value}" for part, value in parts if value is not None)
        if self._device_type is not None:
            text += f"/device:{self._device_type}:{'*' if self._device_index is None else self._device_index}"
        return text

    def _merged(self, other: DeviceSpecV2) -> dict[str, Any]:
        values = {field: getattr(self, field) for field in _FIELDS}
        values.update((f, getattr(other, f)) for f in _FIELDS if getattr(other, f) is not None)
        return values

    def make_merged_spec(self, dev: DeviceSpecV2) -> Self:
        """This device with what `dev` knows put in its place, as a new object."""
        return type(self)(**self._merged(dev))

    def replace(self, **kwargs: Any) -> Self:
        """A copy with some parts replaced."""
        return type(self)(**{**{field: getattr(self, field) for field in _FIELDS}, **kwargs})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpecV2) and all(getattr(self, f) == getattr(other, f) for f in _FIELDS)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, field) for field in _FIELDS))

    def __repr__(self) -> str:
        known = [f"{field}={getattr(self, field)!r}" for field in _FIELDS if getattr(self, field) is not None]
        return f"DeviceSpec({', '.join(known)})"


class DeviceSpec(DeviceSpecV2):
    """A device, or what is known of it; every part may be None, and set.

    Args:
      job, replica, task, device_type, device_index: as of `DeviceSpecV2`.

    Raises:
      ValueError: a number is not one.

    Example:
      >>> spec = DeviceSpec(job="ps", device_type="gpu", device_index=0)
      >>> spec.task = 2
      >>> spec.to_string()
      '/job:ps/task:2/device:GPU:0'
    """

    @DeviceSpecV2.job.setter  # type: ignore[attr-defined]  # mypy takes no setter of a property of the base
    def job(self, value: str | None) -> None:
        self._job = _as_text(value)

    @DeviceSpecV2.replica.setter  # type: ignore[attr-defined]  # mypy takes no setter of a property of the base
    def replica(self, value: int | str | None) -> None:
        self._replica = _as_int(value)

    @DeviceSpecV2.task.setter  # type: ignore[attr-defined]  # mypy takes no setter of a property of the base
    def task(self, value: int | str | None) -> None:
        self._task = _as_int(value)

    @DeviceSpecV2.device_type.setter  # type: ignore[attr-defined]  # mypy takes no setter of a property of the base
    def device_type(self, value: str | None) -> None:
        self._device_type = _as_type(value)

    @DeviceSpecV2.device_index.setter  # type: ignore[attr-defined]  # mypy takes no setter of a property of the base
    def device_index(self, value: int | str | None) -> None:
        self._device_index = _as_int(value)

    def parse_from_string(self, spec: str) -> DeviceSpec:
        """Becomes the device that `spec` names, forgetting what was known; returns itself."""
        for field, value in {**dict.fromkeys(_FIELDS), **_parsed(spec)}.items():
            setattr(self, field, value)
        return self

    def merge_from(self, dev: DeviceSpecV2) -> None:
        """Takes over what `dev` knows; what it does not know stays as it is."""
        for field, value in self._merged(dev).items():
            setattr(self, field, value)


DeviceSpecV1 = DeviceSpec


def _parsed(spec: str | None) -> dict[str, Any]:
    """The parts that a device string states."""
    if not isinstance(spec, str):
        if isinstance(spec, Hashable) and not spec:
            return {}
        kind = AttributeError if isinstance(spec, Hashable) and not isinstance(spec, bytes) else TypeError
        raise kind(f"A device is named by a string such as '/gpu:0' or a DeviceSpec, got {spec!r}.")
    values: dict[str, Any] = {}
    for part in spec.split("/"):
        match part.split(":"):
            case ["", *_]:
                continue
            case [("job" | "replica" | "task") as field, value]:
                values[field] = value
                continue
            case ["device", kind, *rest] if len(rest) == 1:
                index = rest
            case [kind, *rest] if kind.upper() in _SHORT_TYPES and len(rest) <= 1:
                kind, index = kind.upper(), rest
            case [unknown, *_]:
                raise ValueError(f"Unknown attribute: '{unknown}' in '{spec}'")
        if "device_type" in values:
            raise ValueError(f"Cannot specify multiple device types: {spec}")
        values["device_type"] = kind
        values["device_index"] = None if index in ([], ["*"]) else int(index[0])
    return values


def is_device_spec(obj: str | DeviceSpec) -> bool:
    """Whether `obj` is a DeviceSpec."""
    return isinstance(obj, DeviceSpecV2)


def check_valid(spec: str) -> None:
    """Checks that a string names a device.

    Raises:
      ValueError: it does not.
    """
    _canonical(spec)


def canonical_name(device: str | DeviceSpecV2 | None) -> str:
    """The full form of a device's name; "" for None.

    Raises:
      ValueError: the string names no device.

    Example:
      >>> canonical_name("/job:ps/gpu:0")
      '/job:ps/device:GPU:0'
    """
    if device is None:
        return ""
    if isinstance(device, DeviceSpecV2):
        return device.to_string()
    return _canonical(device)


@lru_cache(maxsize=1024)
def _canonical(name: str) -> str:
    return DeviceSpec.from_string(name).to_string()


@lru_cache(maxsize=4096)
def merged_name(current: str, spec: str) -> str:
    """The name of device `current` with the parts that `spec` states put in their place.

    Example:
      >>> merged_name("/job:ps/cpu:0", "/gpu:1")
      '/job:ps/device:GPU:1'
    """
    return DeviceSpec.from_string(current).make_merged_spec(DeviceSpec.from_string(spec)).to_string()


def merge_device(spec: str | DeviceSpecV2 | None) -> Callable[[Any], DeviceSpec]:
    """A device function for `tf.device` that adds the parts `spec` states to a node's device.

    Device scopes apply from the innermost outwards: what the node's device states already stays.

    Args:
      spec: a device string, a DeviceSpec, or None, which states nothing.

    Returns:
      A function of anything with a `device` string (an Operation, a NodeDef) that returns a DeviceSpec.

    Raises:
      ValueError: the string names no device.
    """
    return MergeDevice(spec)


class MergeDevice:
    """What `merge_device` returns.

    Args:
      spec: a device string, a DeviceSpec, or None, which states nothing.
    """

    def __init__(self, spec: str | DeviceSpecV2 | None) -> None:
        self._stated = canonical_name(spec)

    def __call__(self, node_def: Any) -> DeviceSpec:
        return DeviceSpec.from_string(self.shortcut_string_merge(node_def))

    def shortcut_string_merge(self, node_def: Any) -> str:
        """The merged device as a string."""
        return merged_name(self._stated, node_def.device or "")

    @property
    def is_null_merge(self) -> bool:
        """Whether it states nothing."""
        return not self._stated

    def __repr__(self) -> str:
        return f"{super().__repr__()} (spec: {self._stated})"


def short_names(device: str) -> tuple[str, str]:
    """What a device of this process is called too, by its full name: `/device:CPU:0` and `CPU:0`."""
    short = device.rpartition("/device:")[2]
    return f"/device:{short}", short
