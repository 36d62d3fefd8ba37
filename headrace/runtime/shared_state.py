"""State that outlives sessions: that of servers, which several sessions share by naming the server's target."""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Callable, Collection, Hashable
from typing import TYPE_CHECKING, Any, TypeVar

import torch

from headrace.core import errors
from headrace.core.buffers import VariableBuffer
from headrace.runtime.bound_functions import OWN_KINDS
from headrace.runtime.resources import LOCAL_TASK, Runtime

if TYPE_CHECKING:
    from headrace.messages import protos


T = TypeVar("T")


class SharedState:
    """What the sessions of a server share: variables, queues, tables.

    Args:
        device: the beginning of the names of its devices, such as "/job:local/replica:0/task:0".
        config: a `ConfigProto` for sessions without one of their own, or None.
    """

    def __init__(self, device: str, config: protos.ConfigProto | None = None) -> None:
        self.device, self.config = device, config
        self.buffers: dict[tuple[str, str], VariableBuffer] = {}
        self.objects: dict[Any, Any] = {}
        self.lock = threading.RLock()

    def clear(self, containers: Collection[str] | None = None) -> None:
        """Forgets all of it, or the variables of the given containers."""
        view = Runtime(torch.device("cpu"))
        view.buffers, view.objects, view.lock = self.buffers, self.objects, self.lock
        view.clear(containers)


class SharingRuntime(Runtime):
    """The runtime of a session that shares its state: random streams and what it waits for are its own.

    Args:
        device: where its nodes run unless something says otherwise.
        state: what it shares.
    """

    def __init__(self, device: torch.device, state: SharedState) -> None:
        super().__init__(device)
        self._own: dict[Any, Any] = {}
        # The session keeps the state alive.
        self.state = state
        self.buffers, self.objects, self.lock = state.buffers, state.objects, state.lock

    def device_names(self) -> tuple[str, ...]:
        """The full names of the devices, which are the server's."""
        return tuple(name.replace(LOCAL_TASK, self.state.device) for name in super().device_names())

    def object(self, key: Hashable, make: Callable[[], T]) -> T:
        """The object kept under `key`, made by calling `make` at its first use."""
        if not (isinstance(key, tuple) and key and key[0] in OWN_KINDS):
            return super().object(key, make)
        with self.lock:
            found = self._own.get(key)
            if found is None:
                found = self._own[key] = make()
        return found

    def clear(self, containers: Collection[str] | None = None) -> None:
        """Forgets what is the session's own."""
        self._own.clear()


_GRPC = "grpc://"
_HOST_AND_PORT = re.compile(r"[^\s:/]+:[0-9]+|\[[0-9a-fA-F:.]+\]:[0-9]+")


class _SharedStates:
    """Those of this process, by target. A server keeps its state alive, and so do the sessions that use it."""

    def __init__(self) -> None:
        self._states: weakref.WeakValueDictionary[str, SharedState] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()

    def add(self, target: str, state: SharedState) -> None:
        """Makes a state known.

        Raises:
            UnknownError: if there is another under this target.
        """
        with self._lock:
            if self._states.setdefault(target, state) is not state:
                raise errors.UnknownError(None, None, f"Could not start gRPC server: {target} is in use")

    def remove(self, target: str, state: SharedState) -> None:
        """Forgets a state, if it is known."""
        with self._lock:
            if self._states.get(target) is state:
                del self._states[target]

    def get(self, target: str) -> SharedState:
        """The state of a target.

        Raises:
            NotFoundError: if no server of this process has it.
            InvalidArgumentError: if it is no host with a port.
        """
        name = target.decode() if isinstance(target, bytes) else target
        found = self._states.get(name)
        if found is None:
            if name.startswith(_GRPC) and not _HOST_AND_PORT.fullmatch(name, len(_GRPC)):
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f'Could not interpret "{name[len(_GRPC) :]}" as a host-port pair, as in "grpc://host:2222".',
                )
            raise errors.NotFoundError(
                None,
                None,
                f"No session factory registered for the given session options: {{target: {target!r}}}. Headrace runs graphs "
                "in this process only, in which no server has this target; leave it empty, or take that of a "
                "tf.train.Server made here.",
            )
        return found


shared_states = _SharedStates()
