"""The sessions that a server runs for other processes: their graphs, extended as they grow, and their steps."""

from __future__ import annotations

import contextlib
import threading
import uuid
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from google.protobuf.message import DecodeError

from headrace.cluster.graphs import extend
from headrace.cluster.guards import check_count, check_operations, parse_graph
from headrace.cluster.parts import config_of
from headrace.cluster.settings import CLUSTERS
from headrace.core import errors
from headrace.core.dtypes import DType
from headrace.core.graph import Graph
from headrace.core.tensor import Tensor
from headrace.core.waiting import remaining_time
from headrace.messages import protos
from headrace.runtime.session import BaseSession

if TYPE_CHECKING:
    from headrace.cluster.settings import ClusterSettings


class ClientSession:
    """A session of another process.

    Args:
        target: the server's own target.
        request: the `CreateSessionRequest`.
        settings: what the owner allows.

    Raises:
        OpError: if its graph is none, or does what the server does not do for others.
    """

    def __init__(self, target: str, request: Any, settings: ClusterSettings) -> None:
        self._settings = settings
        self._graph = Graph()
        self._lock = threading.Lock()
        config = config_of(request.config)
        if config is not None:
            # It is the server itself that runs the session.
            config.rpc_options.use_rpc_for_inprocess_master = False
        self.session = BaseSession(target, self._graph, config)
        # Nothing has connected yet: that would tell the token to whoever listens there.
        if getattr(self.session._runtime, "renamed", False) and CLUSTERS not in settings.allowed:
            raise errors.PermissionDeniedError(
                None,
                None,
                "ConfigProto.cluster_def: the server connects to no other cluster for sessions of other processes, unless its "
                "owner sets HEADRACE_CLUSTER_ALLOW=clusters.",
            )
        self.extend(request.graph_def)

    def extend(self, data: bytes) -> None:
        """Adds nodes to the graph."""
        graph_def = parse_graph(data, self._settings)
        with self._lock:
            check_count(len(self._graph.get_operations()) + len(graph_def.node), self._settings)
            check_operations(self._graph, extend(self._graph, graph_def), self._settings)

    def run(self, request: Any, arrays: Sequence[np.ndarray], response: Any) -> tuple[Sequence[Any], Sequence[DType]]:
        """Runs a step; returns the fetched values and their types.

        Args:
            request: the `StepRequest`.
            arrays: its tensors.
            response: the `StepResponse`, where the step's metadata goes.
        """
        if len(request.feeds) != len(arrays):
            raise errors.InvalidArgumentError(None, None, f"{len(request.feeds)} feeds, and {len(arrays)} tensors")
        fetches = [*request.fetches, *request.targets]
        feed_dict = dict(zip(request.feeds, arrays, strict=True))
        session = self.session
        if request.partial_run:
            values = session.partial_run(request.partial_run, fetches, feed_dict)
            return self._fetched(request.fetches, values)
        options = _options(request.options)
        if options is None and not request.with_metadata and session._settings.plain_steps:
            entry = session._entry(fetches, feed_dict)
            results = session._results(entry, entry.function, arrays)
            return results, [tensor.dtype.base_dtype for tensor in entry.fetched]
        metadata = protos.RunMetadata() if request.with_metadata else None
        values = session.run(fetches, feed_dict, options, metadata)
        if metadata is not None:
            response.metadata = metadata.SerializeToString()
        return self._fetched(request.fetches, values)

    def _fetched(self, names: Sequence[str], values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The values of tensors among what a run has returned, and their types."""
        found: list[Any] = []
        types: list[Any] = []
        for name, value in zip(names, values, strict=False):
            tensor = self._graph.as_graph_element(name)
            if isinstance(tensor, Tensor):
                found.append(value)
                types.append(tensor.dtype.base_dtype)
        return found, types

    def set_up(self, request: Any) -> str:
        """Prepares a run that is taken in steps; returns its handle."""
        return self.session.partial_run_setup([*request.fetches, *request.targets], list(request.feeds))


def _options(data: bytes) -> protos.RunOptions | None:
    options = protos.RunOptions()
    try:
        options.ParseFromString(data)
    except (DecodeError, ValueError) as error:
        raise errors.InvalidArgumentError(None, None, f"Could not parse the RunOptions: {error}") from None
    if options.HasField("debug_options") and options.debug_options.debug_tensor_watch_opts:
        # What watches a step writes files and opens connections.
        raise errors.PermissionDeniedError(None, None, "A step of another process cannot be watched by a debugger.")
    limit = remaining_time()
    if limit is not None and not options.timeout_in_ms:
        options.timeout_in_ms = max(1, int(limit * 1000))
    return options if data or limit is not None else None


class ClientSessions:
    """The sessions of other processes, by name.

    Args:
        settings: what the owner allows.
    """

    def __init__(self, settings: ClusterSettings) -> None:
        self._settings = settings
        self._sessions: OrderedDict[str, ClientSession] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, session: ClientSession) -> str:
        """Keeps a session; returns its name. If there are too many, the one goes that was not used for longest."""
        name = uuid.uuid4().hex[:16]
        gone = []
        with self._lock:
            while len(self._sessions) >= self._settings.max_sessions:
                gone.append(self._sessions.popitem(last=False)[1])
            self._sessions[name] = session
        for each in gone:
            each.session.close()
        return name

    def get(self, name: str) -> ClientSession:
        """A session.

        Raises:
            AbortedError: if there is none: the server has been restarted or reset, or the session is closed.
        """
        with self._lock:
            found = self._sessions.get(name)
            if found is None:
                raise errors.AbortedError(None, None, f"Session {name[:64]} is not found.")
            self._sessions.move_to_end(name)
        return found

    def close(self, name: str) -> None:
        """Ends a session, and what it waits for."""
        with self._lock:
            found = self._sessions.pop(name, None)
        if found is not None:
            found.session.close()

    def close_all(self) -> None:
        """Ends all sessions."""
        for name in list(self._sessions):
            with contextlib.suppress(errors.OpError):
                self.close(name)
