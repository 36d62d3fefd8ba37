"""Links to a server: ways on which steps are asked and answered one after the other, without a call of gRPC for each.

To a server of this machine a link is a connection of `multiprocessing`, elsewhere a stream of gRPC that stays open. A step of
a link is answered before the next is asked, so each step that is under way has one of its own.
"""

from __future__ import annotations

import os
import queue
import socket
import struct
import threading
from collections.abc import Callable
from multiprocessing.connection import Client, Connection
from typing import Any, Protocol

import grpc

from headrace.cluster import messages
from headrace.cluster.statuses import ToldFailure

# What goes before an answer: a code of gRPC's; the message is a `Failure` unless it is that of success.
_CODE = struct.Struct("<I")
_CODE_BYTES = 16  # so that tensors in the message lie where they did
_LOST = "The connection was cut."


class Link(Protocol):
    """A way on which one step at a time is asked and answered."""

    def send(self, data: bytes) -> None:
        """Sends a request."""

    def receive(self) -> memoryview:
        """Waits for the answer."""

    def is_open(self) -> bool:
        """Whether the other end is there, as far as this one knows."""

    def close(self) -> None:
        """Ends the link, and whoever waits for an answer."""


def success(data: bytes) -> bytes:
    """The answer of a step that has succeeded."""
    return bytes(_CODE_BYTES) + data


def failure(code: grpc.StatusCode, text: str, name: str) -> bytes:
    """The answer of a step that has failed; for the arguments see `statuses.status_of`."""
    told = messages.Failure(text=text, node=name).SerializeToString()
    return _CODE.pack(code.value[0]).ljust(_CODE_BYTES, b"\0") + told


def told(answer: memoryview) -> memoryview:
    """The message of an answer.

    Raises:
        ToldFailure: if the step has failed.
    """
    (code,) = _CODE.unpack_from(answer)
    if code:
        message = messages.Failure.FromString(bytes(answer[_CODE_BYTES:]))
        raise ToldFailure(code, message.text, message.node)
    return answer[_CODE_BYTES:]


class LocalLink:
    """A link to a server of this machine.

    Args:
        address: where the server listens.
        caller: the name that the server knows this process by.
        most: the bytes that an answer may have.

    Raises:
        OSError: if nobody listens there.
    """

    def __init__(self, address: str, caller: str, most: int) -> None:
        self._connection, self._most = Client(address, "AF_UNIX"), most
        self._connection.send_bytes(caller.encode())

    def send(self, data: bytes) -> None:
        """Sends a request.

        Raises:
            ToldFailure: if the server has gone.
        """
        try:
            self._connection.send_bytes(data)
        except OSError as error:
            raise _cut(error) from None

    def receive(self) -> memoryview:
        """Waits for the answer.

        Raises:
            ToldFailure: if there is none, or a larger one than may be.
        """
        try:
            return memoryview(self._connection.recv_bytes(self._most))
        except (EOFError, OSError) as error:
            raise _cut(error) from None

    def is_open(self) -> bool:
        """Whether the other end is there, as far as this one knows."""
        # Nothing comes that was not asked for, but the end.
        try:
            return not self._connection.poll()
        except OSError:
            return False

    def close(self) -> None:
        """Ends the link, and whoever waits for an answer."""
        shut(self._connection)


def _cut(error: BaseException) -> ToldFailure:
    return ToldFailure(grpc.StatusCode.UNAVAILABLE.value[0], f"{_LOST} {error}".rstrip())


def shut(connection: Connection) -> None:
    """Ends a connection for both sides, also where a thread waits for it: it is closed with its last reference."""
    # Closed at once, its number could be another's when the thread that waits asks again.
    try:
        with socket.socket(fileno=os.dup(connection.fileno())) as same:
            same.shutdown(socket.SHUT_RDWR)
    except OSError:  # it has ended
        return


class StreamLink:
    """A link to a server elsewhere.

    Args:
        begin: begins a call that sends what an iterator gives, and is an iterator of what comes.
    """

    def __init__(self, begin: Callable[[Any], Any]) -> None:
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._closed = False
        self._call = begin(iter(self._requests.get, None))

    def send(self, data: bytes) -> None:
        """Sends a request."""
        self._requests.put(data)

    def receive(self) -> memoryview:
        """Waits for the answer.

        Raises:
            grpc.RpcError: if there is none.
        """
        answer = None
        try:
            answer = next(self._call, None)
        except grpc.RpcError:
            # Who closes a link does so because the server cannot be reached, not to cancel a step.
            if not self._closed:
                raise
        if answer is None:
            raise ToldFailure(grpc.StatusCode.UNAVAILABLE.value[0], _LOST)
        return memoryview(answer)

    def is_open(self) -> bool:
        """Whether the call goes on, as far as this process knows."""
        active: bool = self._call.is_active()
        return active

    def close(self) -> None:
        """Ends the link, and whoever waits for an answer."""
        self._closed = True
        self._requests.put(None)
        self._call.cancel()


class Links:
    """The links to one server: those that are free, and those that a step has.

    Args:
        make: makes another.
    """

    def __init__(self, make: Callable[[], Link]) -> None:
        self._make = make
        self._free: list[Link] = []
        self._all: set[Link] = set()
        self._lock = threading.Lock()

    def take(self) -> Link:
        """A link for one step."""
        while self._free:
            with self._lock:
                found = self._free.pop() if self._free else None
            if found is not None and found.is_open():
                return found
            if found is not None:
                self.drop(found)
        made = self._make()
        with self._lock:
            self._all.add(made)
        return made

    def give_back(self, link: Link) -> None:
        """Takes a link back whose step has been answered."""
        with self._lock:
            if link in self._all:
                self._free.append(link)

    def drop(self, link: Link) -> None:
        """Ends a link whose step has not been answered."""
        with self._lock:
            self._all.discard(link)
        link.close()

    def close(self) -> None:
        """Ends all links, and whoever waits for an answer."""
        with self._lock:
            ended, self._all = self._all, set()
            self._free.clear()
        for link in ended:
            link.close()
