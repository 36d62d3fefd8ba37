"""Steps that other processes run: how their tensors go and come, and the call while it is under way."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import grpc

from headrace.cluster import messages
from headrace.cluster.pieces import PIECE, StreamedCall, in_pieces
from headrace.cluster.wire import buffers_of, decode, large_bytes, values_of
from headrace.core import errors
from headrace.core.dtypes import DType
from headrace.core.waiting import Attempt, Waitable, remaining_time

if TYPE_CHECKING:
    import numpy as np

    from headrace.cluster.channels import TaskChannel
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
    """

    def __init__(
        self,
        channel: TaskChannel,
        service: str,
        method: str,
        failure: Callable[[grpc.RpcError], errors.OpError],
        expected: int = 0,
    ) -> None:
        self._channel, self._failure = channel, failure
        self._whole = channel.call(service, method)
        self._streamed = channel.stream(service, f"{method}InPieces")
        self.expected = expected

    def begin(self, request: Any, values: Sequence[Any], types: Sequence[DType]) -> RemoteCall:
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
        future: Any
        if sent > PIECE or (self.expected > PIECE and exchange.answer is None):
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


class RemoteCall(Attempt):
    """A call that is under way, for whoever waits for what it gives.

    Args:
        caller: what has begun it.
        exchange: its shared memory.
        future: the call.
    """

    __slots__ = ("__weakref__", "_caller", "_exchange", "_future")

    cancelled = "Step was cancelled by an explicit call to `Session::Close()`."

    def __init__(self, caller: StepCaller, exchange: _Exchange, future: Any) -> None:
        state = Waitable()
        super().__init__(state, state.lanes[0])
        self.lane.append(self)
        self._caller, self._exchange, self._future = caller, exchange, future
        reference = weakref.ref(self)
        future.add_done_callback(lambda ended: _end(reference, exchange, ended))

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
            message, arrays = decode(messages.StepResponse, future.result(), self._exchange.answer_bytes)
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
                return
            self.lane.clear()
            if failure is None:
                self.finish(result)
            else:
                self.fail(failure)


def _end(reference: Callable[[], RemoteCall | None], exchange: _Exchange, future: Any) -> None:
    call = reference()
    if call is None:
        exchange.failed()
    else:
        call.ended(future)
