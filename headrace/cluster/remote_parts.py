"""The parts of a step that other tasks run, as the task that cuts it sees them: registered once, then called each step."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import grpc

from headrace.cluster import messages
from headrace.cluster.statuses import error_of
from headrace.cluster.wire import decode, encode, values_of
from headrace.core import errors
from headrace.core.waiting import Attempt, Waitable, remaining_time

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

    Attributes:
        incarnation: which of the processes that have been this task the session knows.
    """

    def __init__(self, name: str, channel: TaskChannel, session: str, config: bytes, isolated: bool) -> None:
        self.name, self.channel = name, channel
        self._session, self._config, self._isolated = session, config, isolated
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
        self._call = link.channel.call("Worker", "RunPart")

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

    def begin(self, values: Sequence[Any]) -> RemoteCall:
        """Begins a call with the values that the part is given."""
        request = encode(messages.StepRequest(session=self._session, part=self.handle()), values, self.part.feed_types)
        channel = self.link.channel
        future = self._call.future(request, timeout=remaining_time(), metadata=channel.metadata)
        return RemoteCall(self._failure, future)

    def _failure(self, error: grpc.RpcError) -> errors.OpError:
        return self.link.failure(error, self.part)


class RemoteCall(Attempt):
    """A call that is under way, for whoever waits for what it gives.

    Args:
        failure: the error to raise for one of gRPC.
        future: the call.
    """

    __slots__ = ("__weakref__", "_failure", "_future")

    cancelled = "Step was cancelled by an explicit call to `Session::Close()`."

    def __init__(self, failure: Callable[[grpc.RpcError], errors.OpError], future: Any) -> None:
        state = Waitable()
        super().__init__(state, state.lanes[0])
        self.lane.append(self)
        self._failure, self._future = failure, future
        reference = weakref.ref(self)
        future.add_done_callback(lambda ended: _end(reference, ended))

    def advance(self) -> bool:
        return False

    def undo(self) -> None:
        self._future.cancel()

    def __del__(self) -> None:
        # A step that has failed waits for none of its calls; the tasks are to stop what they do for it.
        if not self.done:
            self._future.cancel()

    def ended(self, future: Any) -> None:
        """Takes what the call has given."""
        result: list[Any] | None = None
        failure: Exception | None = None
        try:
            message, arrays = decode(messages.StepResponse, future.result())
            result = values_of(arrays, message.tensors)
        except grpc.RpcError as error:
            failure = self._failure(error)
        except grpc.FutureCancelledError:
            failure = errors.CancelledError(None, None, self.cancelled)
        except errors.OpError as error:
            failure = error
        with self.state.lock:
            if self.done:
                return
            self.lane.clear()
            if failure is None:
                self.finish(result)
            else:
                self.fail(failure)


def _end(reference: Callable[[], RemoteCall | None], future: Any) -> None:
    call = reference()
    if call is not None:
        call.ended(future)
