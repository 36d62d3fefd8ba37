"""The other ends of links: sockets at which processes of this machine ask for steps, and streams at which others do."""

from __future__ import annotations

import os
import secrets
import socket
import struct
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.cluster.links import failure, receive_frame, send_frame, shut, success
from headrace.cluster.statuses import FAILURES, status_of
from headrace.core.waiting import Cancellation, with_cancellation
from headrace.devices.pool import submit

if TYPE_CHECKING:
    from headrace.cluster.wire import Buffer

_NAME_BYTES = 32
_PEER = struct.Struct("3i")  # of `SO_PEERCRED`: process, user, group


class LinkServer:
    """Answers steps that come on links.

    Args:
        act: runs a step: from a request to the buffers of its answer.
        most: the bytes that a request may have.
        limit: how many sockets may be open at the same time.
        known: whether a name is that of a process that shares memory with this one.
    """

    def __init__(self, act: Callable[[Buffer], list[Any]], most: int, limit: int, known: Callable[[str], bool]) -> None:
        self._act, self._most, self._limit, self._known = act, most, limit, known
        self._listener: socket.socket | None = None
        self._address = b""
        self._open: defaultdict[str, dict[socket.socket, Cancellation]] = defaultdict(dict)
        self._lock = threading.Lock()

    def address(self) -> bytes:
        """Where processes of this machine find the server; it is in no file system, and only told to those that are known."""
        with self._lock:
            if self._listener is None:
                address = b"\0headrace-" + secrets.token_hex(16).encode()
                listener = socket.socket(socket.AF_UNIX)
                listener.bind(address)
                listener.listen()
                self._listener, self._address = listener, address
                threading.Thread(target=self._accept, args=(listener,), name="headrace-links", daemon=True).start()
            return self._address

    def forget(self, caller: str) -> None:
        """Ends the links of a process that has gone, and what their steps wait for."""
        with self._lock:
            ended = self._open.pop(caller, {})
        for link, cancellation in ended.items():
            cancellation.request()
            shut(link)

    def close(self) -> None:
        """Ends all links; there are no more."""
        with self._lock:
            if self._listener is not None:
                shut(self._listener)
        for caller in list(self._open):
            self.forget(caller)

    def stream(self, requests: Iterable[bytes], context: Any) -> Iterator[bytes]:
        """Answers the steps of a link that is a stream of gRPC."""
        cancellation = Cancellation()
        if not context.add_callback(cancellation.request):
            return
        for request in requests:
            yield self._answer(request, cancellation)

    def _answer(self, request: Buffer, cancellation: Cancellation) -> bytes:
        try:
            with with_cancellation(cancellation):
                return success(b"".join(self._act(request)))
        except FAILURES as error:
            return failure(*status_of(error))

    def _accept(self, listener: socket.socket) -> None:
        with listener:
            while True:
                try:
                    link, _ = listener.accept()
                except OSError:
                    return
                _, user, _ = _PEER.unpack(link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
                with self._lock:
                    count = sum(map(len, self._open.values()))
                if user == os.geteuid() and count < self._limit:
                    submit(lambda link=link: self._serve(link))  # type: ignore[misc]  # mypy sees no type of the default
                else:
                    link.close()
                del link

    def _serve(self, link: socket.socket) -> None:
        """Answers what comes on a socket, until it ends."""
        with link:
            try:
                self._answer_all(link)
            except (OSError, *FAILURES):
                # The caller has gone, or has sent what is no message: that it is not answered tells it.
                return

    def _answer_all(self, link: socket.socket) -> None:
        caller = link.recv(_NAME_BYTES, socket.MSG_WAITALL).decode("ascii")
        cancellation = Cancellation()
        with self._lock:
            if not self._known(caller):
                return
            self._open[caller][link] = cancellation
        try:
            while (request := receive_frame(link, self._most)) is not None:
                answer = self._answer(request, cancellation)
                del request
                send_frame(link, answer)
        finally:
            with self._lock:
                links = self._open.get(caller)
                if links is not None:
                    links.pop(link, None)
                    if not links:
                        del self._open[caller]
