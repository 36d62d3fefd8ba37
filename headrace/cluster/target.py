"""Sessions on the server of another process: graphs are sent as they grow, and a step is one call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import grpc
import torch

from headrace.cluster import messages
from headrace.cluster.calls import StepCaller
from headrace.cluster.channels import channels
from headrace.cluster.encryption import no_agreement
from headrace.cluster.graphs import SentGraph
from headrace.cluster.state import RemoteDevice
from headrace.cluster.statuses import error_of
from headrace.core import errors
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.core.waiting import remaining_time
from headrace.plan.ir import Node
from headrace.runtime.fetching import FetchPlan, expand_feed
from headrace.runtime.resources import Runtime
from headrace.runtime.session import BaseSession
from headrace.runtime.session_devices import SessionDevice
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import Fetches
    from headrace.messages import protos

_SCHEME = "grpc://"
# What is asked of a server besides steps is answered at once, unless the server waits for tasks of its cluster.
_CLOSE_TIMEOUT = 5.0
# How often it is told that a server is waited for, in seconds.
_TELL_EVERY = 10.0


def _listens_not(error: Any) -> bool:
    """Whether there is no server at the address yet."""
    return error.code() is grpc.StatusCode.UNAVAILABLE and "Connection refused" in (error.details() or "")


class RemoteTarget(Runtime):
    """The runtime of a session on a server of another process: it plans nothing, and asks.

    Args:
        target: "grpc://host:port".
        graph: the session's graph.
        config: its `ConfigProto`, or None.
    """

    def __init__(self, target: str, graph: Graph, config: protos.ConfigProto | None) -> None:
        super().__init__(torch.device("cpu"))
        self._channel = channels.get(target.removeprefix(_SCHEME))
        self._target, self._graph = target, graph
        self._config = b"" if config is None else config.SerializeToString()
        self._limit = None if config is None else max(0, config.operation_timeout_in_ms) / 1000 or None
        self._sent = SentGraph(graph)
        self._session = ""
        self._lock = threading.RLock()

    def plan(
        self, fetches: Sequence[Tensor | Operation], feeds: Sequence[Tensor], runtime: Runtime, batch: int = 1
    ) -> RemotePlan:
        """What runs `fetches` when `feeds` are fed."""
        return RemotePlan(self, fetches, feeds)

    def partial_run(self, session: BaseSession, fetches: Fetches, feeds: Sequence[Any]) -> RemotePartialRun:
        """A run that is taken in steps."""
        return RemotePartialRun(self, session, fetches, feeds)

    def devices(self) -> list[SessionDevice]:
        """The devices that the session can use."""
        request = messages.SessionRequest(session=self.session())
        answer = self._ask("ListDevices", request, messages.ListDevicesResponse.FromString)
        return [RemoteDevice(device.name, device.memory_limit) for device in answer.devices]

    def device_names(self) -> tuple[str, ...]:
        """The full names of the devices."""
        return tuple(device.name for device in self.devices())

    def clear(self, containers: Collection[str] | None = None) -> None:
        """Ends the session; what it has shared stays."""
        session, self._session = self._session, ""
        if session:
            request = messages.SessionRequest(session=session).SerializeToString()
            call = self._channel.call("Master", "CloseSession")
            call.future(request, timeout=_CLOSE_TIMEOUT, metadata=self._channel.metadata)

    def session(self) -> str:
        """What the server calls the session, which has all of the graph now."""
        with self._lock:
            if not self._session:
                self._sent.forget()
                graph_def = self._sent.more()
                request = messages.CreateSessionRequest(
                    graph_def=b"" if graph_def is None else graph_def.SerializeToString(), config=self._config
                )
                answer = self._ask("CreateSession", request, messages.CreateSessionResponse.FromString, waits=True)
                self._session = answer.session
            else:
                more = self._sent.more()
                if more is not None:
                    request = messages.ExtendSessionRequest(session=self._session, graph_def=more.SerializeToString())
                    self._ask("ExtendSession", request, messages.Empty.FromString)
            return self._session

    def _ask(self, method: str, request: Any, answer: Callable[[bytes], Any], waits: bool = False) -> Any:
        limit = remaining_time() or self._limit
        ends = None if limit is None else time.monotonic() + limit
        while True:
            try:
                return self._channel.ask("Master", method, request, answer, timeout=limit)
            except grpc.RpcError as error:
                if not (waits and _listens_not(error)):
                    made = self.failure(error)
                    reason, helps = self._channel.reason(made)
                    raise (made if helps else no_agreement(self._target, reason)) from None
            limit = self._wait_for_server(ends)

    def _wait_for_server(self, ends: float | None) -> float | None:
        """Waits for the server, which may be started later; returns how many seconds are left then."""
        while True:
            left = None if ends is None else ends - time.monotonic()
            if left is not None and left <= 0:
                raise errors.DeadlineExceededError(
                    None, None, f"Deadline Exceeded: no server listens at {self._target}"
                )
            if self._channel.wait_until_ready(_TELL_EVERY if left is None else min(left, _TELL_EVERY)):
                return left
            reason, helps = self._channel.obstacle()
            if not helps:
                raise no_agreement(self._target, reason)
            if left is None or left > _TELL_EVERY:
                tf_logging.warning("CreateSession still waiting for a server at %s", self._target)

    def failure(self, error: grpc.RpcError) -> errors.OpError:
        """The error to raise for one of a call."""
        made, name = error_of(error)
        if name and name in self._graph._nodes_by_name:
            made.attach(self._graph.get_operation_by_name(name))
        return made

    def caller(self) -> StepCaller:
        """What calls the server with steps of one kind."""
        return StepCaller(self._channel, "Master", "RunStep", self.failure)

    def set_up(self, fetches: Sequence[Tensor | Operation], feeds: Sequence[Tensor]) -> str:
        """Prepares a run that is taken in steps; returns its handle."""
        request = step_request(self.session(), fetches, feeds)
        answer = self._ask("PartialRunSetup", request, messages.PartialRunSetupResponse.FromString)
        handle: str = answer.handle
        return handle


def step_request(session: str, fetches: Sequence[Tensor | Operation], feeds: Sequence[Tensor]) -> Any:
    """The request that runs `fetches`."""
    return messages.StepRequest(
        session=session,
        feeds=[tensor.name for tensor in feeds],
        fetches=[item.name for item in fetches if isinstance(item, Tensor)],
        targets=[item.name for item in fetches if isinstance(item, Operation)],
    )


class RemotePartialRun:
    """A run on another process that is taken in steps.

    Args:
        target: the server.
        session: the session.
        fetches: all that will be fetched.
        feeds: the tensors that will be fed.

    Attributes:
        handle: what the server calls it.
        finished: whether nothing more can be asked of it: that is known to the server.
    """

    finished = False

    def __init__(self, target: RemoteTarget, session: BaseSession, fetches: Fetches, feeds: Sequence[Any]) -> None:
        self._target, self._session = target, session
        tensors = [tensor for feed in feeds for tensor in expand_feed(session.graph, feed)[0]]
        self.handle = target.set_up(FetchPlan(session.graph, fetches).elements, tensors)

    def step(self, fetches: Fetches, feed_dict: Mapping[Any, Any] | None) -> Any:
        """Feeds some tensors and returns some fetches."""

        # As a plan to the session: it has all that one asks of it.
        def plan(elements: Any, tensors: Any, runtime: Any, batch: int) -> Any:
            return RemotePlan(self._target, elements, tensors, self.handle)

        entry = self._session._make_entry(fetches, feed_dict, plan)
        return self._session._run_entry(entry, entry.function, feed_dict)


class RemotePlan:
    """One set of fetches and feeds, as a session on another process runs it.

    Args:
        target: the server.
        fetches: tensors to return and operations to run.
        feeds: tensors that are given.
        partial_run: the handle of the run that this is a step of, "" for a run of its own.

    Attributes:
        function: called with the fed values, returns those of the fetched tensors.
        shared: for each fetched tensor, whether its value may share memory with anything else: never.
        array_feeds: for each fed tensor, whether the function takes its array as it is: never.
        array_fetches: for each fetched tensor, whether the function gives an array: never.
    """

    def __init__(
        self,
        target: RemoteTarget,
        fetches: Sequence[Tensor | Operation],
        feeds: Sequence[Tensor],
        partial_run: str = "",
    ) -> None:
        self._partial_run = partial_run
        self._target, self._fetches, self._feeds = target, list(fetches), list(feeds)
        self._caller = target.caller()
        self._types = [tensor.dtype.base_dtype for tensor in feeds]
        count = sum(isinstance(item, Tensor) for item in fetches)
        self.shared = [False] * count
        self.array_feeds = [False] * len(self._feeds)
        self.array_fetches = [False] * count
        self.files: Mapping[str, dict[int, Node]] = {}
        self.nodes: list[Node] = []
        self.observed_nodes: list[Node] = []
        self.function: Callable[..., Any] = self._run
        self.source = f"# run by {target._target}\n"

    def _run(self, *values: Any) -> Any:
        request = step_request(self._target.session(), self._fetches, self._feeds)
        request.partial_run = self._partial_run
        return self._target.waits.wait(self._caller.begin(request, values, self._types))

    def observed(self) -> Callable[..., Any]:
        """The same, for who wants to look: what is to be seen is on the server."""
        return lambda observe, *values: self._run(*values)


def reset_target(target: str, containers: Collection[str] | None, config: protos.ConfigProto | None) -> None:
    """Forgets the state of a server of another process, and of its cluster.

    Args:
        target: "grpc://host:port".
        containers: the containers to forget; all of the state by default.
        config: a `ConfigProto`, whose `operation_timeout_in_ms` and `device_filters` are followed.

    Raises:
        OpError: if the server does not answer.
    """
    channel = channels.get(target.removeprefix(_SCHEME))
    timeout = config.operation_timeout_in_ms / 1000 if config is not None and config.operation_timeout_in_ms else None
    filters = config.device_filters if config is not None else ()
    request = messages.ResetRequest(containers=list(containers or ()), device_filters=filters)
    try:
        channel.ask(
            "Master", "Reset", request, messages.Empty.FromString, timeout=timeout, wait_for_ready=timeout is not None
        )
    except grpc.RpcError as error:
        made = error_of(error)[0]
        reason, helps = channel.obstacle() if timeout is not None else channel.reason(made)
        raise (made if helps else no_agreement(target, reason)) from None
