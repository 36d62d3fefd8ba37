"""Steps that other processes run: how their tensors go and come, and the call while it is under way."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import grpc

from headrace.cluster import messages
from headrace.cluster.links import told
from headrace.cluster.pieces import PIECE, StreamedCall, in_pieces
from headrace.cluster.wire import buffers_of, decode, large_bytes, values_of
from headrace.core import errors
from headrace.core.dtypes import DType
from headrace.core.waiting import Attempt, Waitable, remaining_time

if TYPE_CHECKING:
    import numpy as np

    from headrace.cluster.channels import TaskChannel
    from headrace.cluster.links import Link, Links
    from headrace.cluster.shared_memory import OwnSegments, Segment

# From how many bytes on it is worth while to share memory.
_SHARED_FROM = 1 << 16


class StepCaller:
    """Calls one method again and again, with steps whose answers are about as large as those before.

    Args:
        channel: the connection.
        service, method: what to call.
        failure: the error to raise for one of gRPC.
        expected: how many bytes of large tensors the first answer will have.
        linked: the method that answers the steps of a link, "" where steps may wait: only calls of their own can be cancelled.
    """

    def __init__(
        self,
        channel: TaskChannel,
        service: str,
        method: str,
        failure: Callable[[grpc.RpcError], errors.OpError],
        expected: int = 0,
        linked: str = "",
    ) -> None:
        self._channel, self._failure = channel, failure
        self._whole = channel.call(service, method)
        self._streamed = channel.stream(service, f"{method}InPieces")
        self._linked = f"/headrace.cluster.{service}/{linked}" if linked else ""
        self.expected = expected

    def begin(self, request: Any, values: Sequence[Any], types: Sequence[DType]) -> Attempt:
        """Begins a step.

        Args:
            request: a `StepRequest` without tensors.
            values, types: the tensors.
        """
        channel = self._channel
        size = sum(map(large_bytes, values))
        shares = max(size, self.expected) >= _SHARED_FROM and size <= channel.max_message_bytes
        memory = channel.memory() if shares else None
        exchange = _Exchange(memory, size, self.expected)
        exchange.describe(request)
        buffers = buffers_of(request, values, types, exchange.request_bytes)
        sent = sum(memoryview(each).nbytes for each in buffers)
        timeout = remaining_time()
        inside = sent <= PIECE and (self.expected <= PIECE or exchange.answer is not None)
        if self._linked and inside and timeout is None:
            return LinkedCall(self, exchange, channel.links(self._linked), b"".join(buffers))
        future: Any
        if not inside:
            call = self._streamed(in_pieces(buffers), timeout=timeout, metadata=channel.metadata)
            future = StreamedCall(call, channel.max_message_bytes)
        else:
            future = self._whole.future(b"".join(buffers), timeout=timeout, metadata=channel.metadata)
        return RemoteCall(self, exchange, future)

    def failed(self, error: grpc.RpcError) -> errors.OpError:
        """The error to raise for one of gRPC."""
        made = self._failure(error)
        if isinstance(made, (errors.AbortedError, errors.UnavailableError)):
            # It may be another process when it answers again.
            self._channel.forget_memory()
        return made


class _Exchange:
    """The shared memory of one call.

    Args:
        memory: of this process and the server, None where they share none.
        sent: how many bytes the request puts there.
        expected: how many bytes the answer may.
    """

    def __init__(self, memory: OwnSegments | None, sent: int, expected: int) -> None:
        self._memory = memory
        self.request: Segment | None = None
        self.answer: Segment | None = None
        self._dropped: list[int] = []
        if memory is not None:
            self.request = memory.take(sent) if sent else None
            self.answer = memory.take(expected) if expected else None
            self._dropped = memory.dropped()

    @property
    def request_bytes(self) -> np.ndarray | None:
        """Where tensors of the request go."""
        return None if self.request is None else self.request.array

    def describe(self, request: Any) -> None:
        """Says in a request which memory it is."""
        if self._memory is None:
            return
        note = request.memory
        note.caller = self._memory.name
        note.dropped.extend(self._dropped)
        for place, segment in ((note.request, self.request), (note.answer, self.answer)):
            if segment is not None:
                place.number, place.descriptor, place.size = segment.number, segment.descriptor, segment.size

    def answer_bytes(self, response: Any) -> np.ndarray | None:
        """Where tensors of the answer lie; the segment is free when nothing lies there any more."""
        if self._memory is None:
            return None
        self._memory.give_back(response.released)
        if self.answer is None:
            return None
        return self._memory.lease(self.answer)

    def failed(self) -> None:
        """Gives up memory that the server may still use."""
        for segment in (self.request, self.answer):
            if segment is not None and self._memory is not None:
                self._memory.drop(segment)


class _StepCall(Attempt):
    """A step that is under way, for whoever waits for what it gives.

    Args:
        caller: what has begun it.
        exchange: its shared memory.
    """

    __slots__ = ("__weakref__", "_caller", "_exchange")

    cancelled = "Step was cancelled by an explicit call to `Session::Close()`."

    def __init__(self, caller: StepCaller, exchange: _Exchange) -> None:
        state = Waitable()
        super().__init__(state, state.lanes[0])
        self.lane.append(self)
        self._caller, self._exchange = caller, exchange

    def advance(self) -> bool:
        return False

    def _end(self, answer: Callable[[], Any]) -> bool:
        """Takes what the step has given; whether it was answered, and somebody waits for it.

        Args:
            answer: gives the answer, or raises what has gone wrong.
        """
        result: list[Any] | None = None
        failure: Exception | None = None
        try:
            message, arrays = decode(messages.StepResponse, answer(), self._exchange.answer_bytes)
            result = values_of(arrays, message.tensors)
            self._caller.expected = sum(map(large_bytes, arrays))
        except grpc.RpcError as error:
            failure = self._caller.failed(error)
        except grpc.FutureCancelledError:
            failure = errors.CancelledError(None, None, self.cancelled)
        except Exception as error:  # noqa: BLE001  told by whoever waits, who would wait for ever
            failure = error
        if failure is not None:
            self._exchange.failed()
        with self.state.lock:
            if self.done:
                return False
            self.lane.clear()
            if failure is None:
                self.finish(result)
            else:
                self.fail(failure)
        return True


class RemoteCall(_StepCall):
    """A step that is a call of its own.

    Args:
        caller: what has begun it.
        exchange: its shared memory.
        future: the call.
    """

    __slots__ = ("_future",)

    def __init__(self, caller: StepCaller, exchange: _Exchange, future: Any) -> None:
        super().__init__(caller, exchange)
        self._future = future
        reference = weakref.ref(self)
        future.add_done_callback(lambda ended: _end(reference, exchange, ended))

    def undo(self) -> None:
        self._future.cancel()

    def __del__(self) -> None:
        # A step that has failed waits for none of its calls; the tasks are to stop what they do for it.
        if not self.done:
            self._future.cancel()

    def ended(self, future: Any) -> None:
        """Takes what the call has given."""
        self._end(future.result)


def _end(reference: Callable[[], RemoteCall | None], exchange: _Exchange, future: Any) -> None:
    call = reference()
    if call is None:
        exchange.failed()
    else:
        call.ended(future)


class LinkedCall(_StepCall):
    """A step on a link, whose answer is read by the thread that waits for it: no other has to wake it.

    Args:
        caller: what has begun it.
        exchange: its shared memory.
        links: where to take the link from.
        request: what to send.
    """

    __slots__ = ("_answered", "_link", "_links", "_unsent")

    drives = True

    def __init__(self, caller: StepCaller, exchange: _Exchange, links: Links, request: bytes) -> None:
        super().__init__(caller, exchange)
        self._links = links
        self._link: Link | None = None
        self._unsent: grpc.RpcError | None = None
        self._answered = False
        try:
            self._link = links.take()
            self._link.send(request)
        except grpc.RpcError as error:
            self._unsent = error

    def drive(self) -> None:
        """Waits for the answer."""
        self._end(self._answer)
        if self._link is not None:
            if self._answered:
                self._links.give_back(self._link)
            else:
                self._links.drop(self._link)

    def _answer(self) -> Any:
        if self._unsent is not None or self._link is None:
            raise self._unsent or errors.InternalError(None, None, "A step was not sent.")
        answer = self._link.receive()
        self._answered = True
        return told(answer)

    def undo(self) -> None:
        self._exchange.failed()
        if self._link is not None:
            self._links.drop(self._link)

    def __del__(self) -> None:
        if not self.done:
            self.undo()
