"""The other ends of links: connections on which processes of this machine ask for steps, and streams on which others do."""

from __future__ import annotations

import os
import secrets
import socket
import struct
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Client, Connection, Listener
from typing import TYPE_CHECKING, Any

from headrace.cluster.links import failure, shut, success
from headrace.cluster.statuses import FAILURES, status_of
from headrace.core.waiting import Cancellation, with_cancellation
from headrace.devices.pool import submit

if TYPE_CHECKING:
    from headrace.cluster.wire import Buffer

_NAME_BYTES = 32
_BACKLOG = 128
_PEER = struct.Struct("3i")  # of `SO_PEERCRED`: process, user, group


class LinkServer:
    """Answers steps that come on links.

    Args:
        act: runs a step: from a request to the buffers of its answer.
        most: the bytes that a request may have.
        limit: how many connections may be open at the same time.
        known: whether a name is that of a process that shares memory with this one.
    """

    def __init__(self, act: Callable[[Buffer], list[Any]], most: int, limit: int, known: Callable[[str], bool]) -> None:
        self._act, self._most, self._limit, self._known = act, most, limit, known
        self._listener: Listener | None = None
        self._address = ""
        self._closed = False
        # Those of each caller that have shown its name, and how many there are with those that have not.
        self._open: defaultdict[str, dict[Connection, Cancellation]] = defaultdict(dict)
        self._count = 0
        self._lock = threading.Lock()

    def address(self) -> str:
        """Where processes of this machine find the server; it is in no file system, and only told to those that are known."""
        with self._lock:
            if self._listener is None:
                self._address = f"\0headrace-{secrets.token_hex(16)}"
                self._listener = Listener(self._address, "AF_UNIX", backlog=_BACKLOG)
                threading.Thread(
                    target=self._accept, args=(self._listener,), name="headrace-links", daemon=True
                ).start()
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
            self._closed, listening = True, self._listener is not None
        if listening:
            self._wake(self._address)
        for caller in list(self._open):
            self.forget(caller)

    @staticmethod
    def _wake(address: str) -> None:
        """Has who waits for connections look whether there are to be more."""
        try:
            Client(address, "AF_UNIX").close()
        except OSError:  # nobody waits
            return

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

    def _accept(self, listener: Listener) -> None:
        with listener:
            while True:
                try:
                    link = listener.accept()
                except OSError:
                    return
                with self._lock:
                    if self._closed:
                        link.close()
                        return
                    admitted = self._count < self._limit and _is_of_this_user(link)
                    self._count += admitted
                if admitted:
                    submit(lambda link=link: self._serve(link))  # type: ignore[misc]  # mypy sees no type of the default
                else:
                    link.close()
                del link

    def _serve(self, link: Connection) -> None:
        """Answers what comes on a connection, until it ends."""
        with link:
            try:
                self._answer_all(link)
            except (EOFError, OSError, *FAILURES):
                # The caller has gone, or has sent what is no message: that it is not answered tells it.
                return
            finally:
                with self._lock:
                    self._count -= 1

    def _answer_all(self, link: Connection) -> None:
        caller = link.recv_bytes(_NAME_BYTES).decode("ascii")
        cancellation = Cancellation()
        with self._lock:
            if not self._known(caller) or self._closed:
                return
            self._open[caller][link] = cancellation
        try:
            while True:
                link.send_bytes(self._answer(link.recv_bytes(self._most), cancellation))
        finally:
            with self._lock:
                links = self._open.get(caller)
                if links is not None:
                    links.pop(link, None)
                    if not links:
                        del self._open[caller]


def _is_of_this_user(link: Connection) -> bool:
    """Whether who has connected is of the user whose process this is."""
    with socket.socket(fileno=os.dup(link.fileno())) as same:
        _, user, _ = _PEER.unpack(same.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
    return bool(user == os.geteuid())
