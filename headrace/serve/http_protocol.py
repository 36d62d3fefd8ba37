"""HTTP on a connection, with limits on what comes before a request's body."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# The most bytes of a request line and headers, as servers have it by custom.
MOST_HEAD_BYTES = 64 << 10


class HttpProtocol(HttpToolsProtocol):
    """Uvicorn's protocol on httptools, which closes connections whose request line and headers are too long or too late.

    The time begins with the connection, or with the first byte of a later request; how long a body may take is the
    application's matter. A client that closes its side after a request gets the answer.
    """

    # How long a head may take, in seconds.
    head_seconds = 30.0

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._head_bytes = 0
        self._in_head = True
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_there()
        super().connection_lost(exc)

    def eof_received(self) -> bool | None:  # type: ignore[override]  # uvicorn's always closes
        cycle = self.cycle
        if self.scheme == "https" or self.pipeline or cycle is None or cycle.more_body or cycle.response_complete:
            return None
        # Who has said all it will may still listen; TLS has no such thing.
        cycle.keep_alive = False
        return True

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        # What came with the end of a head may be a body of any length.
        if self._in_head and self._head_bytes > MOST_HEAD_BYTES:
            self.transport.close()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if not self._in_head:
            self._head_bytes = 0
            self._await_head()

    def on_headers_complete(self) -> None:
        self._head_is_there()
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._in_head = True
        self._deadline = self.loop.call_later(self.head_seconds, self.transport.close)

    def _head_is_there(self) -> None:
        self._in_head = False
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def http_protocol(head_seconds: float) -> type[HttpProtocol]:
    """The protocol with a time for the head of a request, in seconds."""

    class Limited(HttpProtocol):
        pass

    Limited.head_seconds = head_seconds
    return Limited
