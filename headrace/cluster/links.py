"""Links to a server: ways on which steps are asked and answered one after the other, without a call of gRPC for each.

To a server of this machine a link is a socket, elsewhere a stream of gRPC that stays open. A step of a link is answered before
the next is asked, so each step that is under way has one of its own.
"""

from __future__ import annotations

import queue
import socket
import struct
import threading
from collections.abc import Callable
from typing import Any, Protocol

import grpc
import numpy as np

from headrace.cluster import messages
from headrace.cluster.statuses import ToldFailure
from headrace.core import errors

# What goes before a message on a socket: how many bytes it has.
_SIZE = struct.Struct("<Q")
# What goes before an answer: a code of gRPC's; the message is a `Failure` unless it is that of success.
_CODE = struct.Struct("<I")
_CODE_BYTES = 16  # so that tensors in the message lie where they did
_CHUNK = 1 << 16
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


def send_frame(link: socket.socket, data: bytes) -> None:
    """Sends a message on a socket."""
    link.sendall(_SIZE.pack(len(data)) + data)


def receive_frame(link: socket.socket, most: int) -> memoryview | None:
    """Waits for a message on a socket; None where its other end is closed.

    Args:
        link: the socket.
        most: the bytes that the message may have.

    Raises:
        ResourceExhaustedError: if it has more.
    """
    data = link.recv(_CHUNK)
    while 0 < len(data) < _SIZE.size:
        more = link.recv(_CHUNK)
        if not more:
            return None
        data += more
    if not data:
        return None
    (size,) = _SIZE.unpack_from(data)
    if size > most:
        raise errors.ResourceExhaustedError(None, None, f"Received message larger than max ({size} vs. {most})")
    begin = len(data) - _SIZE.size
    if begin > size:
        raise errors.InvalidArgumentError(None, None, "Could not parse the message: its size is another")
    whole = np.empty(size, np.uint8).data
    whole[:begin] = memoryview(data)[_SIZE.size :]
    while begin < size:
        count = link.recv_into(whole[begin:])
        if not count:
            return None
        begin += count
    return whole


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


class SocketLink:
    """A link to a server of this machine.

    Args:
        address: of the server's socket.
        caller: the name that the server knows this process by.
        most: the bytes that an answer may have.

    Raises:
        OSError: if there is no such socket here.
    """

    def __init__(self, address: bytes, caller: str, most: int) -> None:
        self._socket, self._most = socket.socket(socket.AF_UNIX), most
        try:
            self._socket.connect(address)
            self._socket.sendall(caller.encode())
        except OSError:
            self._socket.close()
            raise

    def send(self, data: bytes) -> None:
        """Sends a request.

        Raises:
            ToldFailure: if the server has gone.
        """
        try:
            send_frame(self._socket, data)
        except OSError as error:
            raise ToldFailure(grpc.StatusCode.UNAVAILABLE.value[0], f"{_LOST} {error}") from None

    def receive(self) -> memoryview:
        """Waits for the answer.

        Raises:
            ToldFailure: if there is none.
        """
        try:
            answer = receive_frame(self._socket, self._most)
        except OSError as error:
            raise ToldFailure(grpc.StatusCode.UNAVAILABLE.value[0], f"{_LOST} {error}") from None
        if answer is None:
            raise ToldFailure(grpc.StatusCode.UNAVAILABLE.value[0], _LOST)
        return answer

    def is_open(self) -> bool:
        """Whether the other end is there, as far as this one knows."""
        try:
            return bool(self._socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except OSError as error:
            return isinstance(error, BlockingIOError)

    def close(self) -> None:
        """Ends the link, and whoever waits for an answer."""
        shut(self._socket)

    def __del__(self) -> None:
        self._socket.close()


def shut(link: socket.socket) -> None:
    """Ends a connection for both sides, also where a thread waits for it: the socket itself goes with its last reference."""
    try:
        link.shutdown(socket.SHUT_RDWR)
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
