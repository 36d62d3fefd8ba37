"""The REST interface as an ASGI application."""

from __future__ import annotations

import asyncio
import functools
import os
import time
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headrace.core import errors
from headrace.serve import page
from headrace.serve.codecs import Codec, coded_answer
from headrace.serve.metrics import REQUEST_COUNT, REQUEST_LATENCY
from headrace.serve.model_server import ModelServer
from headrace.serve.request_threads import Deadline, RequestThreads, finish
from headrace.serve.rest import JSON_TYPE, Answer, answer, begin, error_text, failed
from headrace.serve.servable import PLACES
from headrace.util import tf_logging

# Shorter answers are sent as they are; longer ones quickly, for the event loop waits meanwhile.
_WORTH_PACKING = 1024
# Bodies that are read in less time than handing them to another thread takes.
_READ_AT_ONCE = 32 << 10
_PACKING_LEVEL = 3
_CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, GET",
    "Access-Control-Allow-Headers": "Content-Type",
}


@dataclass(frozen=True)
class RestOptions:
    """How requests are received.

    Args:
        threads: how many are answered at the same time; by default as many as run models, and up to four a core where those
            wait for something. Those that wait in batches do not count.
        timeout: how long a request may take to arrive, and how long to be answered, in seconds.
        max_body: the largest body, in bytes, unpacked.
        cors: whether pages of other origins may ask.
        metrics_path: where the numbers for Prometheus are; '' for nowhere.
        page: whether there is a page at `/`.
        log_requests: whether each request is logged in a line.
        codec: what makes arrays of the bodies that are posted to `/`, and answers of arrays.
        codec_model: the model that those are for.
    """

    threads: int = 0
    timeout: float = 30.0
    max_body: int = 256 << 20
    cors: bool = False
    metrics_path: str = "/monitoring/prometheus/metrics"
    page: bool = True
    log_requests: bool = False
    codec: Codec | None = None
    codec_model: str = ""


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
        # As many as run models; those that wait for others in batches run none.
        most = self.options.threads or 4 * (os.cpu_count() or 1)
        waits = server.options.batching is not None or self.options.threads
        self._threads = RequestThreads(most if waits else PLACES, "rest", most)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] != "http":
            raise RuntimeError(f"The REST interface speaks HTTP, not {scope['type']}")
        else:
            await self._http(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                if self._owns_server:
                    await self._threads.run(self.server.start)
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                self.draining = True
                if self._owns_server:
                    await self._threads.run(self.server.close)
                self._threads.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        began = time.perf_counter()
        path = scope.get("raw_path", scope["path"].encode()).decode("latin-1").partition("?")[0]
        method = scope["method"]
        coded = path == "/" and method == "POST" and self.options.codec is not None
        if coded or path[:4].lower() == "/v1/":
            try:
                found = await self._answer(scope, receive, method, path)
            except _Refused as refused:
                found = Answer(refused.status, error_text(str(refused)), errors.INVALID_ARGUMENT)
            self._count(found, time.perf_counter() - began)
            response = Response(found.content, found.status, media_type=found.media_type)
        else:
            response = self._other(method, path)
        if self.options.cors:
            response.headers.update(_CORS)
        if self.options.log_requests:
            client = scope.get("client") or ("-", 0)
            milliseconds = (time.perf_counter() - began) * 1e3
            tf_logging.info("%s %s %s %d %.1f ms", client[0], method, path[:200], response.status_code, milliseconds)
        sent: ASGIApp = response
        if len(response.body) >= _WORTH_PACKING:
            sent = GZipMiddleware(response, minimum_size=_WORTH_PACKING, compresslevel=_PACKING_LEVEL)
        await sent(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, method: str, path: str) -> Answer:
        headers = Headers(scope=scope)
        if method == "OPTIONS":
            if headers.get("origin", "").startswith(("http://", "https://")):
                return Answer(200, "")
            error = errors.FailedPreconditionError(None, None, "Origin header is missing in CORS preflight")
            return failed(error)
        body = await self._body(headers, receive)
        codec = self.options.codec
        try:
            with Deadline(self.options.timeout):
                if path == "/" and codec is not None:
                    call = functools.partial(coded_answer, self.server, self.options.codec_model, codec, body)
                elif self.server.options.batching is not None and method == "POST" and len(body) <= _READ_AT_ONCE:
                    return await self._begin(path, body)
                else:
                    call = functools.partial(answer, self.server, method, path, body)
                return await self._threads.run(call)
        except asyncio.TimeoutError:
            late = errors.DeadlineExceededError(None, None, f"The request took more than {self.options.timeout:g} s.")
            return failed(late)

    async def _begin(self, path: str, body: bytes) -> Answer:
        """An answer that comes with others: no thread waits for it, which would cost more than reading the body here."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()

        def done(found: Answer) -> None:
            loop.call_soon_threadsafe(finish, future, found, None)

        left = begin(self.server, path, body, done)
        return await (future if left is None else self._threads.run(left))

    async def _body(self, headers: Headers, receive: Receive) -> bytes:
        most = self.options.max_body
        announced = headers.get("content-length", "0")
        if announced.isdigit() and int(announced) > most:
            raise _Refused(413, f"The body has {announced} bytes, more than the {most} that are allowed")
        try:
            with Deadline(self.options.timeout):
                body = await _collected(receive, most)
        except asyncio.TimeoutError:
            raise _Refused(408, f"The body did not arrive within {self.options.timeout:g} s") from None
        encoding = headers.get("content-encoding", "identity").lower()
        if encoding == "gzip":
            return await self._threads.run(functools.partial(_unpacked, body, most))
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
            return Response(error_text(f"Malformed request: {method} {path}"), 404, media_type=JSON_TYPE)
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
            coded = self.options.codec_model if self.options.codec is not None else ""
            return Response(page.state(self.server, coded), media_type=JSON_TYPE)
        return Response(error_text(f"Malformed request: {method} {path}"), 404, media_type=JSON_TYPE)


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
