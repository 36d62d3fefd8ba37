"""The parts of other tasks' steps that this task runs: registered by session, planned once, run when they are asked for."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from google.protobuf.message import DecodeError

from headrace.cluster.graphs import extend
from headrace.cluster.guards import check_operations, parse_graph
from headrace.core import errors
from headrace.core.dtypes import DType
from headrace.core.graph import Graph
from headrace.messages import protos
from headrace.runtime.session import BaseSession
from headrace.runtime.shared_state import SharedState, SharingRuntime

if TYPE_CHECKING:
    from headrace.cluster.state import TaskState

_MOST_PARTS = 1 << 14


class RegisteredPart:
    """A part that can be run.

    Args:
        request: the `RegisterPartRequest`.
        runtime: the state of the session it belongs to.
        state: the task.

    Raises:
        OpError: if its graph is none, or does what this task does not do for others.
    """

    def __init__(self, request: Any, runtime: SharingRuntime, state: TaskState) -> None:
        graph_def = parse_graph(request.graph_def, state.settings)
        graph = Graph()
        check_operations(graph, extend(graph, graph_def), state.settings)
        session = _PartSession(graph, runtime, config_of(request.config))
        fetches = [graph.as_graph_element(name, allow_operation=False) for name in request.fetches]
        targets = [graph.get_operation_by_name(name) for name in request.targets]
        feeds = dict.fromkeys(graph.as_graph_element(name, allow_operation=False) for name in request.feeds)
        self._session = session
        self._entry = session._make_entry([*fetches, *targets], feeds)
        self.types: list[DType] = [tensor.dtype.base_dtype for tensor in fetches]

    def run(self, arrays: Sequence[np.ndarray]) -> Sequence[Any]:
        """Runs it once; what it returns are the kernels' values.

        Raises:
            OpError: if an operation fails.
        """
        entry = self._entry
        if len(arrays) != len(entry.feeders):
            raise errors.InvalidArgumentError(
                None, None, f"The part takes {len(entry.feeders)} tensors, got {len(arrays)}"
            )
        results: Sequence[Any] = self._session._results(entry, entry.function, arrays)
        return results


class _PartSession(BaseSession):
    """What plans and runs a part, on the state of the session that the part belongs to."""

    def __init__(self, graph: Graph, runtime: SharingRuntime, config: protos.ConfigProto | None) -> None:
        super().__init__("", graph, config)
        runtime.settings = self._settings
        self._runtime = runtime


def config_of(data: bytes) -> protos.ConfigProto | None:
    """The `ConfigProto` in a message, None where there is none.

    Raises:
        InvalidArgumentError: for what is none.
    """
    if not data:
        return None
    try:
        return protos.ConfigProto.FromString(data)
    except (DecodeError, ValueError) as error:
        raise errors.InvalidArgumentError(None, None, f"Could not parse the ConfigProto: {error}") from None


class _WorkerSession:
    """What this task keeps of a session of another one."""

    def __init__(self, state: TaskState, isolated: bool, task: str) -> None:
        shared: SharedState = SharedState(state.device, state.config) if isolated else state
        self.runtime = SharingRuntime(BaseSession("", Graph())._runtime.device, shared, task)
        # Collectives find the tasks of the server's cluster.
        self.runtime.collectives = None if task else state.collectives()
        self.parts: dict[int, RegisteredPart] = {}


class WorkerSessions:
    """The sessions of other tasks, by name.

    Args:
        state: the task.
    """

    def __init__(self, state: TaskState) -> None:
        self._state = state
        self._sessions: OrderedDict[str, _WorkerSession] = OrderedDict()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def register(self, request: Any) -> int:
        """Makes a part known; returns what it is called.

        Raises:
            AbortedError: if the caller knows a task that was here before.
            OpError: if the part cannot be run here.
        """
        if request.incarnation and request.incarnation != self._state.incarnation:
            raise errors.AbortedError(
                None, None, f"Worker {self._state.device} has been restarted: its state, and this session, are gone."
            )
        if not request.session:
            raise errors.InvalidArgumentError(None, None, "The request names no session.")
        session = self._session(request.session, request.isolated, request.task)
        for handle in request.released:
            session.parts.pop(handle, None)
        if len(session.parts) >= _MOST_PARTS:
            raise errors.ResourceExhaustedError(None, None, f"A session may have {_MOST_PARTS} parts here.")
        part = RegisteredPart(request, session.runtime, self._state)
        handle = next(self._numbers)
        session.parts[handle] = part
        return handle

    def _session(self, name: str, isolated: bool, task: str) -> _WorkerSession:
        with self._lock:
            found = self._sessions.get(name)
            if found is None:
                while len(self._sessions) >= self._state.settings.max_sessions:
                    # Of sessions that did not end the oldest goes: its process is gone, in all likelihood.
                    self._sessions.popitem(last=False)[1].runtime.waits.close()
                found = self._sessions[name] = _WorkerSession(self._state, isolated, task)
            self._sessions.move_to_end(name)
        return found

    def part(self, session: str, handle: int) -> RegisteredPart:
        """A part that was registered.

        Raises:
            AbortedError: if there is none: the task has been restarted, or the session is over.
        """
        found = self._sessions.get(session)
        part = None if found is None else found.parts.get(handle)
        if part is None:
            raise errors.AbortedError(
                None, None, f"Graph handle is not found: {handle} of session {session[:64]} at {self._state.device}"
            )
        return part

    def end(self, name: str) -> None:
        """Forgets a session, and ends what it waits for."""
        with self._lock:
            found = self._sessions.pop(name, None)
        if found is not None:
            found.runtime.waits.close()
            found.parts.clear()

    def close(self) -> None:
        """Forgets all sessions."""
        for name in list(self._sessions):
            self.end(name)
