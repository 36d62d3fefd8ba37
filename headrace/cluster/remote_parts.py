"""The parts of a step that other tasks run, as the task that cuts it sees them: registered once, then called each step."""

from __future__ import annotations

import contextlib
import math
import threading
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import grpc

from headrace.cluster import messages
from headrace.cluster.calls import StepCaller
from headrace.cluster.statuses import error_of
from headrace.core import errors
from headrace.core.dims import Dims
from headrace.core.dtypes import DType
from headrace.core.waiting import Attempt, remaining_time

if TYPE_CHECKING:
    from headrace.cluster.channels import TaskChannel
    from headrace.plan.task_parts import TaskPart


class TaskLink:
    """Another task as one session sees it.

    Args:
        name: the beginning of the names of its devices.
        channel: the connection to it.
        session: the name of the session, as the tasks know it.
        config: the session's `ConfigProto`, serialized.
        isolated: whether the session has a state of its own.
        renamed: whether the session calls the task otherwise than it calls itself.

    Attributes:
        incarnation: which of the processes that have been this task the session knows.
    """

    def __init__(
        self, name: str, channel: TaskChannel, session: str, config: bytes, isolated: bool, renamed: bool = False
    ) -> None:
        self.name, self.channel = name, channel
        self._session, self._config, self._isolated = session, config, isolated
        self._task = name if renamed else ""
        self.incarnation = 0
        self._released: list[int] = []
        self._lock = threading.Lock()

    def register(self, part: TaskPart) -> RemotePart:
        """Begins to make a part known to the task."""
        with self._lock:
            released, self._released = self._released, []
        request = messages.RegisterPartRequest(
            session=self._session,
            graph_def=part.graph_def.SerializeToString(),
            feeds=part.feeds,
            fetches=part.fetches,
            targets=part.targets,
            config=self._config,
            isolated=self._isolated,
            released=released,
            incarnation=self.incarnation,
            task=self._task,
        )
        call = self.channel.call("Worker", "RegisterPart")
        future = call.future(request.SerializeToString(), metadata=self.channel.metadata)
        return RemotePart(self, part, future, self._session)

    def release(self, handle: int) -> None:
        """Notes that a part is not used any more: the task is told with the next that is registered."""
        with self._lock:
            self._released.append(handle)

    def failure(self, error: grpc.RpcError, part: TaskPart) -> errors.OpError:
        """The error to raise for one of a call."""
        made, name = error_of(error, self.name)
        operation = part.operations.get(name)
        if operation is not None:
            made.attach(operation)
        return made

    def end(self) -> None:
        """Tells the task that the session is over, without waiting for it."""
        request = messages.SessionRequest(session=self._session).SerializeToString()
        with contextlib.suppress(ValueError):  # the connection is closed
            self.channel.call("Worker", "EndSession").future(request, timeout=5.0, metadata=self.channel.metadata)


class RemotePart:
    """A part that a task knows, or is being told of.

    Args:
        link: the task.
        part: what it does.
        registration: the call that makes it known.
        session: the name of the session.
    """

    def __init__(self, link: TaskLink, part: TaskPart, registration: Any, session: str) -> None:
        self.link, self.part = link, part
        self._registration = registration
        self._session = session
        self._handle: int | None = None
        expected = sum(map(_known_bytes, part.fetch_types, part.fetch_dims))
        linked = "" if part.may_wait else "RunParts"
        self._caller = StepCaller(link.channel, "Worker", "RunPart", self._failure, expected, linked)

    def handle(self) -> int:
        """What the task calls the part.

        Raises:
            OpError: if it refuses it, or does not answer.
        """
        if self._handle is None:
            try:
                answer = self._registration.result(timeout=remaining_time())
            except grpc.FutureTimeoutError:
                raise errors.DeadlineExceededError(None, None, f"{self.link.name} does not answer in time.") from None
            except grpc.RpcError as error:
                raise self.link.failure(error, self.part) from None
            self._handle = messages.RegisterPartResponse.FromString(answer).part
            weakref.finalize(self, self.link.release, self._handle).atexit = False
        return self._handle

    def begin(self, values: Sequence[Any]) -> Attempt:
        """Begins a call with the values that the part is given."""
        request = messages.StepRequest(session=self._session, part=self.handle())
        return self._caller.begin(request, values, self.part.feed_types)

    def _failure(self, error: grpc.RpcError) -> errors.OpError:
        return self.link.failure(error, self.part)


def _known_bytes(dtype: DType, dims: Dims) -> int:
    """How many bytes a value has, by what is known of it before it comes."""
    if dims is None or any(size is None for size in dims) or dtype.torch is None:
        return 0
    return math.prod(size for size in dims if size is not None) * dtype.size
