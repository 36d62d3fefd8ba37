"""The REST interface as an ASGI application."""

from __future__ import annotations

import asyncio
import functools
import os
import time
import zlib
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headrace.core import errors
from headrace.serve import page
from headrace.serve.metrics import REQUEST_COUNT, REQUEST_LATENCY
from headrace.serve.model_server import ModelServer
from headrace.serve.rest import Answer, answer, error_text, failed
from headrace.util import tf_logging

_JSON = "application/json"
_CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, GET",
    "Access-Control-Allow-Headers": "Content-Type",
}


@dataclass(frozen=True)
class RestOptions:
    """How requests are received.

    Args:
        threads: how many are answered at the same time; by default four a core, and 64 at least where they are put
            together to batches.
        timeout: how long a request may take to arrive, and how long to be answered, in seconds.
        max_body: the largest body, in bytes, unpacked.
        cors: whether pages of other origins may ask.
        metrics_path: where the numbers for Prometheus are; '' for nowhere.
        page: whether there is a page at `/`.
        log_requests: whether each request is logged in a line.
    """

    threads: int = 0
    timeout: float = 30.0
    max_body: int = 256 << 20
    cors: bool = False
    metrics_path: str = "/monitoring/prometheus/metrics"
    page: bool = True
    log_requests: bool = False


class _Refused(Exception):
    """A request that is answered before its body is there."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class RestApplication:
    """An ASGI application that answers for the models of a server.

    Args:
        server: the models.
        options: how requests are received.
        owns_server: whether the server starts and ends with the application.
    """

    def __init__(self, server: ModelServer, options: RestOptions | None = None, *, owns_server: bool = False) -> None:
        self.server = server
        self.options = options or RestOptions()
        # Whether it goes down: who balances load is told so, requests are still answered.
        self.draining = False
        self._owns_server = owns_server
        least = 64 if server.options.batching else 0
        threads = self.options.threads or max(4 * (os.cpu_count() or 1), least)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="rest")
        self._packed: ASGIApp = GZipMiddleware(self._http, minimum_size=1024)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] != "http":
            raise RuntimeError(f"The REST interface speaks HTTP, not {scope['type']}")
        elif any(name == b"accept-encoding" for name, _ in scope["headers"]):
            await self._packed(scope, receive, send)
        else:
            await self._http(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        loop = asyncio.get_running_loop()
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                if self._owns_server:
                    await loop.run_in_executor(self._pool, self.server.start)
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                self.draining = True
                if self._owns_server:
                    await loop.run_in_executor(None, self.server.close)
                self._pool.shutdown(wait=False)
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        path = scope.get("raw_path", scope["path"].encode()).decode("latin-1").partition("?")[0]
        method = scope["method"]
        if path[:4].lower() == "/v1/":
            try:
                found = await self._answer(scope, receive, method, path)
            except _Refused as refused:
                found = Answer(refused.status, error_text(str(refused)), errors.INVALID_ARGUMENT)
            self._count(found, time.perf_counter() - began)
            content: bytes = found.text.encode("utf-8", "surrogateescape")
            response = Response(content, found.status, media_type=_JSON)
        else:
            response = self._other(method, path)
        if self.options.cors:
            response.headers.update(_CORS)
        if self.options.log_requests:
            client = scope.get("client") or ("-", 0)
            milliseconds = (time.perf_counter() - began) * 1e3
            tf_logging.info("%s %s %s %d %.1f ms", client[0], method, path[:200], response.status_code, milliseconds)
        await response(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, method: str, path: str) -> Answer:
        headers = Headers(scope=scope)
        if method == "OPTIONS":
            if headers.get("origin", "").startswith(("http://", "https://")):
                return Answer(200, "")
            error = errors.FailedPreconditionError(None, None, "Origin header is missing in CORS preflight")
            return failed(error)
        body = await self._body(headers, receive)
        call = functools.partial(answer, self.server, method, path, body)
        waiting = asyncio.get_running_loop().run_in_executor(self._pool, call)
        try:
            return await asyncio.wait_for(waiting, self.options.timeout)
        except asyncio.TimeoutError:
            late = errors.DeadlineExceededError(None, None, f"The request took more than {self.options.timeout:g} s.")
            return failed(late)

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        most = self.options.max_body
        announced = headers.get("content-length", "0")
        if announced.isdigit() and int(announced) > most:
            raise _Refused(413, f"The body has {announced} bytes, more than the {most} that are allowed")
        try:
            body = await asyncio.wait_for(_collected(receive, most), self.options.timeout)
        except asyncio.TimeoutError:
            raise _Refused(408, f"The body did not arrive within {self.options.timeout:g} s") from None
        encoding = headers.get("content-encoding", "identity").lower()
        if encoding == "gzip":
            return await asyncio.get_running_loop().run_in_executor(self._pool, _unpacked, body, most)
        if encoding != "identity":
            raise _Refused(415, f"The body is encoded as {encoding!r}; gzip is understood")
        return body

    def _count(self, found: Answer, seconds: float) -> None:
        # A name that no model has is not kept: clients could fill the memory with them.
        model = found.model if found.model in self.server.models else ""
        self.server.metrics.count(REQUEST_COUNT, model_name=model, status=found.code_name)
        if found.status == 200 and found.api:
            api = found.api.capitalize()
            self.server.metrics.observe(REQUEST_LATENCY, seconds * 1e6, model_name=model, API=api, entrypoint="REST")

    def _other(self, method: str, path: str) -> Response:
        if method not in ("GET", "HEAD"):
            return Response(error_text(f"Malformed request: {method} {path}"), 404, media_type=_JSON)
        if path == self.options.metrics_path:
            return Response(self.server.metrics.text(), media_type="text/plain; version=0.0.4")
        if path == "/healthz":
            return Response("ok\n", media_type="text/plain")
        if path == "/readyz":
            if self.draining:
                return Response("draining\n", 503, media_type="text/plain")
            ready = self.server.ready()
            return Response("ready\n" if ready else "loading\n", 200 if ready else 503, media_type="text/plain")
        if self.options.page and path == "/":
            return Response(page.HTML, media_type="text/html", headers=page.HEADERS)
        if self.options.page and path == "/page.json":
            return Response(page.state(self.server), media_type=_JSON)
        return Response(error_text(f"Malformed request: {method} {path}"), 404, media_type=_JSON)


async def _collected(receive: Callable[[], Awaitable[Message]], most: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Refused(499, "The client closed the connection")
        piece: bytes = message.get("body", b"")
        size += len(piece)
        if size > most:
            raise _Refused(413, f"The body has more than the {most} bytes that are allowed")
        pieces.append(piece)
        if not message.get("more_body", False):
            return b"".join(pieces) if len(pieces) > 1 else piece


def _unpacked(body: bytes, most: int) -> bytes:
    unpacking = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        found = unpacking.decompress(body, most + 1)
    except zlib.error as error:
        raise _Refused(400, f"The body is no gzip: {error}") from None
    if len(found) > most:
        raise _Refused(413, f"The body has more than the {most} bytes that are allowed")
    if not unpacking.eof:
        raise _Refused(400, "The body's gzip ends too early")
    return found
