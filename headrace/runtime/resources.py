"""The state that a session keeps between runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Hashable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from headrace.core.buffers import StateKey, VariableBuffer, written
from headrace.core.device import LOCAL_TASK
from headrace.core.dims import Dims
from headrace.core.dtypes import DType
from headrace.core.waiting import Waits
from headrace.devices.threads import start_threads
from headrace.runtime.bound_functions import CallRuntime, bind
from headrace.runtime.session_devices import SessionDevice

if TYPE_CHECKING:
    from headrace.core.graph_functions import Function
    from headrace.core.typing import Collectives, DeviceSettings, Tasks
    from headrace.plan.ir import Value

T = TypeVar("T")


class Runtime:
    """What kernels may ask of the session they run in.

    Args:
        device: where nodes run unless something says otherwise.

    Attributes:
        device: the argument.
        buffers: the variables, by container and name.
        objects: streams, queues and tables, by kind and name.
        lock: is held while buffers and objects are looked up or made.
        waits: what its operations wait for at present.
        settings: the options of the session, None where there are none.
        tasks: the tasks of the cluster that the session runs on, None where there is but this process.
        collectives: what brings its collectives together with those of other tasks, None where there is but this process.
        task_name: the beginning of the names of its devices.
    """

    def __init__(self, device: torch.device) -> None:
        start_threads()
        self.device = device
        self.buffers: dict[tuple[str, str], VariableBuffer] = {}
        self.objects: dict[Any, Any] = {}
        self.lock = threading.RLock()
        self.waits = Waits()
        self.settings: DeviceSettings | None = None
        self.tasks: Tasks | None = None
        self.collectives: Collectives | None = None
        self.task_name = LOCAL_TASK

    def device_names(self) -> tuple[str, ...]:
        """The full names of the devices that operations may run on."""
        names = (f"{LOCAL_TASK}/device:CPU:0",) if self.settings is None else self.settings.devices()
        if self.task_name == LOCAL_TASK:
            return names
        # By either name they are the same devices.
        return (*(name.replace(LOCAL_TASK, self.task_name) for name in names), *names)

    def join(self, task: str, collectives: Collectives | None) -> None:
        """Makes the session one of a task of a cluster, as far as collectives and the names of devices go.

        Args:
            task: the beginning of the names of its devices.
            collectives: what brings its collectives together with those of other tasks.
        """
        self.task_name, self.collectives = task, collectives

    def devices(self) -> list[SessionDevice]:
        """The devices that operations may run on."""
        return [SessionDevice(name) for name in self.device_names()]

    def buffer(
        self, container: str, name: str, dtype: DType, dims: Dims, device: torch.device, is_resource: bool
    ) -> VariableBuffer:
        """The buffer of a variable, made at its first use."""
        key = (container, name)
        with self.lock:
            buffer = self.buffers.get(key)
            if buffer is None:
                buffer = self.buffers[key] = VariableBuffer(name, dtype, dims, device, is_resource)
        return buffer

    def object(self, key: Hashable, make: Callable[[], T]) -> T:
        """The object kept under `key`, made by calling `make` at its first use."""
        with self.lock:
            found = self.objects.get(key)
            if found is None:
                found = self.objects[key] = make()
        return found

    def bind(
        self,
        function: Function,
        scope: str,
        known: Mapping[int, Value] | None = None,
        device: torch.device | None = None,
        fresh: bool = False,
    ) -> Callable[..., tuple[Any, ...]]:
        """A function of the library planned for calls from kernels: see `runtime.bound_functions.bind`."""
        return bind(self, function, scope, known, device, fresh)

    def of_call(self, scope: str) -> CallRuntime:
        """The state as the body of the call `scope` sees it: its random operations have streams of their own."""
        return CallRuntime(self, scope)

    def clear(self, containers: Collection[str] | None = None) -> None:
        """Forgets all state, or that of the given containers."""
        with self.lock:
            if containers:
                gone = [self.buffers.pop(key) for key in list(self.buffers) if key[0] in containers]
                for buffer in gone:
                    buffer.value = None
                written(gone)
                for key in [key for key in self.objects if isinstance(key, StateKey) and key.container in containers]:
                    del self.objects[key]
            else:
                self.buffers.clear()
                self.objects.clear()
