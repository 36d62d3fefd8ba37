"""State that outlives sessions: that of servers, which several sessions share by naming the server's target."""

from __future__ import annotations

import re
import threading
import weakref
from collections.abc import Callable, Collection, Hashable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import torch

from headrace.core import errors
from headrace.core.buffers import StateKey, VariableBuffer
from headrace.core.device import LOCAL_TASK
from headrace.runtime.bound_functions import OWN_KINDS
from headrace.runtime.resources import Runtime
from headrace.util.compat import as_text

if TYPE_CHECKING:
    from headrace.messages import protos


T = TypeVar("T")


class Resettable(Protocol):
    """A session, as the state that it shares sees it."""

    def _abort(self) -> None:
        """Ends it, if it has run anything."""

    def _cancel(self) -> None:
        """Ends it."""


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
        self._sessions: weakref.WeakSet[Resettable] = weakref.WeakSet()

    def runtime_for(self, device: torch.device, config: protos.ConfigProto | None) -> SharingRuntime:
        """The runtime of a session that shares it.

        Args:
            device: where its nodes run unless something says otherwise.
            config: the session's `ConfigProto`, or None.
        """
        return SharingRuntime(device, self)

    def opened(self, session: Resettable) -> None:
        """Notes a session, which is over when the state is reset."""
        self._sessions.add(session)

    def reset(self, containers: Collection[str] | None, filters: Collection[str] = ()) -> None:
        """Forgets all of it, or the variables of the given containers; the sessions that have used it are over.

        Args:
            containers: which; all of them by default.
            filters: which tasks of a cluster, as in `ConfigProto.device_filters`; all of them by default.
        """
        for session in list(self._sessions):
            session._abort()
        self.clear(containers)

    def clear(self, containers: Collection[str] | None = None) -> None:
        """Forgets all of it, or the variables of the given containers."""
        view = Runtime(torch.device("cpu"))
        view.buffers, view.objects, view.lock = self.buffers, self.objects, self.lock
        view.clear(containers)


class SharingRuntime(Runtime):
    """The runtime of a session that shares its state: its own are random streams, iterators and what it waits for.

    Args:
        device: where its nodes run unless something says otherwise.
        state: what it shares.
        task: the beginning of the names of its devices; the server's by default.
    """

    def __init__(self, device: torch.device, state: SharedState, task: str = "") -> None:
        super().__init__(device)
        self._own: dict[Any, Any] = {}
        # The session keeps the state alive.
        self.state, self._task_here = state, task or state.device
        self.buffers, self.objects, self.lock = state.buffers, state.objects, state.lock

    def device_names(self) -> tuple[str, ...]:
        """The full names of the devices, which are the server's."""
        return tuple(name.replace(LOCAL_TASK, self._task_here) for name in super().device_names())

    def object(self, key: Hashable, make: Callable[[], T]) -> T:
        """The object kept under `key`, made by calling `make` at its first use."""
        own = key.own if isinstance(key, StateKey) else isinstance(key, tuple) and key[:1] and key[0] in OWN_KINDS
        if not own:
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


def target_name(target: str | bytes | None) -> str:
    """A session's target as text, "" for the local engine."""
    return as_text(target or "")


def is_remote_target(target: str) -> bool:
    """Whether a target names a server by its address.

    Raises:
        InvalidArgumentError: if it seems to, and the address is none.
    """
    if not target.startswith(_GRPC):
        return False
    if not _HOST_AND_PORT.fullmatch(target, len(_GRPC)):
        raise errors.InvalidArgumentError(
            None,
            None,
            f'Could not interpret "{target[len(_GRPC) :]}" as a host-port pair, as in "grpc://host:2222".',
        )
    return True


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
        name = target_name(target)
        found = self.find(name)
        if found is None:
            raise errors.NotFoundError(
                None,
                None,
                f"No session factory registered for the given session options: {{target: {target!r}}}. A target is empty, "
                'that of a tf.train.Server, or another server\'s "grpc://host:port".',
            )
        return found

    def find(self, target: str) -> SharedState | None:
        """The state of a target, None if no server of this process has it."""
        return self._states.get(target)


shared_states = _SharedStates()
