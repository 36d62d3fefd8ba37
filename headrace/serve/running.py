"""A server process: its ports, its start and its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import grpc
import uvicorn

from headrace.serve.grpc_server import GrpcServer
from headrace.serve.http_protocol import http_protocol
from headrace.serve.model_server import ModelServer
from headrace.serve.rest_app import RestApplication, RestOptions
from headrace.util import tf_logging

_new_event_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
with contextlib.suppress(ImportError):  # there are none of it for Windows
    import uvloop

    _new_event_loop = uvloop.new_event_loop
# A thread that computes in Python is interrupted after so many seconds for others: a request that arrives is not to
# wait behind the one that is being written.
_SWITCH_INTERVAL = 0.0005
# How long a connection without requests stays open, in seconds: longer than clients keep theirs.
_KEEP_ALIVE = 75


@dataclass(frozen=True)
class ProcessOptions:
    """The ports of a server and what is understood on them.

    Args:
        host: the address to listen on.
        grpc_port, rest_port: TCP ports; 0 for none.
        grpc_socket, rest_socket: paths of unix sockets; '' for none.
        credentials: for gRPC over TLS.
        grpc_threads: how many requests over gRPC are answered at the same time.
        grpc_options: arguments of the channel.
        as_content: whether tensors are answered as bytes.
        health: whether gRPC has the health service.
        rest: how requests over REST are received.
        rest_certificate, rest_key: files, for REST over TLS.
        grace: how long requests may take to end when the server does, in seconds.
        drain: how long it is said that the server goes down before it stops to take connections, in seconds.
        share_ports: whether other processes listen on the same ports.
    """

    host: str = "0.0.0.0"
    grpc_port: int = 8500
    rest_port: int = 0
    grpc_socket: str = ""
    rest_socket: str = ""
    credentials: grpc.ServerCredentials | None = None
    grpc_threads: int = 16
    grpc_options: Mapping[str, int | str] = field(default_factory=dict)
    as_content: bool = False
    health: bool = True
    rest: RestOptions = field(default_factory=RestOptions)
    rest_certificate: str = ""
    rest_key: str = ""
    grace: float = 30.0
    drain: float = 0.0
    share_ports: bool = False


class _HttpServer(uvicorn.Server):
    """Uvicorn without signal handlers: the process has its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        yield


def serve(server: ModelServer, options: ProcessOptions) -> None:
    """Serves models until SIGTERM or SIGINT, then lets the requests that are there end.

    Args:
        server: the models; they are loaded first.
        options: the ports.

    Raises:
        OSError, RuntimeError: if a port is taken.
    """
    sys.setswitchinterval(_SWITCH_INTERVAL)
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    application = RestApplication(server, options.rest)
    # Ports are taken before models are loaded: what cannot work shows at once.
    sockets = _rest_sockets(options)
    speaking = _grpc_server(server, options)
    server.start()
    if speaking is not None:
        speaking.start()
        where = [str(options.grpc_port)] * bool(options.grpc_port) + [options.grpc_socket] * bool(options.grpc_socket)
        tf_logging.info("gRPC on %s", ", ".join(where))
    http = None
    if sockets:
        http = _start_http(application, options, sockets)
        names = [str(one.getsockname()) for one in sockets]
        tf_logging.info("REST on %s", ", ".join(names))
    ending.wait()
    tf_logging.info("Going down: requests that are being answered end first")
    application.draining = True
    if speaking is not None:
        speaking.health.set_serving(False)
    if options.drain:
        threading.Event().wait(options.drain)
    if http is not None:
        http[0].should_exit = True
    if speaking is not None:
        speaking.stop(options.grace)
    if http is not None:
        http[1].join(options.grace + 1)
    server.close()
    for path in (options.grpc_socket, options.rest_socket):
        if path:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)


def _rest_sockets(options: ProcessOptions) -> list[socket.socket]:
    sockets = []
    if options.rest_port:
        family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
        # The protocol is named for asyncio, which turns Nagle's delay off only then.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if options.share_ports:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listening.bind((options.host, options.rest_port))
        sockets.append(listening)
    if options.rest_socket:
        if os.path.exists(options.rest_socket):
            os.unlink(options.rest_socket)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(options.rest_socket)
        sockets.append(listening)
    return sockets


def _grpc_server(server: ModelServer, options: ProcessOptions) -> GrpcServer | None:
    if not (options.grpc_port or options.grpc_socket):
        return None
    made = GrpcServer(
        server,
        threads=options.grpc_threads,
        options={"grpc.so_reuseport": int(options.share_ports), **options.grpc_options},
        as_content=options.as_content,
        health=options.health,
        log_requests=options.rest.log_requests,
    )
    if options.grpc_port:
        host = f"[{options.host}]" if ":" in options.host else options.host
        made.listen(f"{host}:{options.grpc_port}", options.credentials)
    if options.grpc_socket:
        made.listen(f"unix:{options.grpc_socket}")
    return made


def _start_http(
    application: RestApplication, options: ProcessOptions, sockets: list[socket.socket]
) -> tuple[uvicorn.Server, threading.Thread]:
    config = uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=int(options.grace),
        timeout_keep_alive=_KEEP_ALIVE,
        http=http_protocol(options.rest.timeout),
        ws="none",
        proxy_headers=False,
        ssl_certfile=options.rest_certificate or None,
        ssl_keyfile=options.rest_key or None,
        server_header=False,
        lifespan="on",
        backlog=2048,
    )
    http = _HttpServer(config)

    def run() -> None:
        loop = _new_event_loop()
        try:
            loop.run_until_complete(http.serve(sockets))
        finally:
            loop.close()

    thread = threading.Thread(target=run, name="rest", daemon=True)
    thread.start()
    return http, thread
