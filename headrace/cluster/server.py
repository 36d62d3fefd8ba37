"""The gRPC server of a task: what clients ask of a session's target, and what the tasks of a cluster ask of each other."""

from __future__ import annotations

import errno
import hmac
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from typing import Any, NoReturn, TypeAlias, TypeVar

import grpc
import numpy as np
from google.protobuf.message import DecodeError

from headrace.cluster import messages
from headrace.cluster.channels import TOKEN_KEY
from headrace.cluster.client_sessions import ClientSession, ClientSessions
from headrace.cluster.encryption import check_files
from headrace.cluster.link_server import LinkServer
from headrace.cluster.parts import WorkerSessions
from headrace.cluster.pieces import in_pieces, joined
from headrace.cluster.settings import ClusterSettings, channel_options
from headrace.cluster.shared_memory import CallersSegments, is_available
from headrace.cluster.state import TaskState, devices_of, runs_files
from headrace.cluster.statuses import FAILURES, NODE_KEY, status_of
from headrace.cluster.wire import Buffer, buffers_of, decode
from headrace.core import errors
from headrace.core.dtypes import DType
from headrace.core.graph import Graph
from headrace.core.waiting import Cancellation, with_cancellation, with_deadline
from headrace.devices.pool import submit
from headrace.runtime.session import BaseSession

T = TypeVar("T")
Context: TypeAlias = Any  # of gRPC, which is not typed
_Stream: TypeAlias = Callable[[Iterable[bytes], Context], Iterator[bytes]]
_ENDLESS = 365 * 24 * 3600.0


class _Threads(Executor):
    """Runs calls on threads that do not keep the process from ending, as those that wait would."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **keywords: Any) -> Future[Any]:
        """Runs a function at once."""
        future: Future[Any] = Future()

        def run() -> None:
            try:
                future.set_result(function(*arguments, **keywords))
            except BaseException as error:  # noqa: BLE001  told by who asks for the result
                future.set_exception(error)

        submit(run)
        return future


def _is_taken(host: str, port: int) -> bool:
    """Whether somebody listens at any of the addresses that a name stands for."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        # No name of a machine: the one who binds says so.
        return False
    for family, kind, protocol, _, address in found:
        try:
            with socket.socket(family, kind, protocol) as probe:
                if os.name == "posix":
                    # Connections of a server that has ended do not count.
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                if family == socket.AF_INET6:
                    probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return True
    return False


class TaskServer:
    """Listens for a task.

    Args:
        state: the task.
        settings: what the owner allows and asks for.
    """

    def __init__(self, state: TaskState, settings: ClusterSettings) -> None:
        self._state, self._settings = state, settings
        self._target = ""
        self.workers = WorkerSessions(state)
        self.clients = ClientSessions(settings)
        self.memory = CallersSegments()
        self.links = LinkServer(
            self._run_part, settings.max_message_bytes, settings.max_calls, lambda name: self.memory.knows(name)
        )
        options = [
            *channel_options(settings),
            # A port that another process listens at is taken.
            ("grpc.so_reuseport", 0),
            ("grpc.http2.min_ping_interval_without_data_ms", 1000),
            ("grpc.http2.min_recv_ping_interval_without_data_ms", 1000),
        ]
        self._grpc = grpc.server(
            _Threads(),
            handlers=(
                _handlers("Master", self._master(), self._streams("RunStep", self._run_step)),
                _handlers("Worker", self._worker(), self._worker_streams()),
                _handlers("Memory", {}, {"Meet": self._meet}),
            ),
            interceptors=(_TokenCheck(settings.token),) if settings.token else (),
            options=options,
            maximum_concurrent_rpcs=settings.max_calls,
        )

    def listen(self, host: str, port: int) -> int:
        """Takes a port, any that is free for 0; returns it.

        Raises:
            UnknownError: if it is taken, the host is not this machine's, or the key is not that of the certificate.
        """
        check_files(self._settings)
        host = self._settings.bind or host
        address = f"{host}:{port}"
        try:
            # gRPC is content with one address of a name: with ::1 where another program has this port of 127.0.0.1, and
            # who connects would meet that program.
            bound: int = 0 if port and _is_taken(host, port) else self._bind(address)
        except (RuntimeError, UnicodeError):
            bound = 0
        if not bound:
            raise errors.UnknownError(
                None,
                None,
                f"Could not start gRPC server: {address} is taken or is no address of this machine. Where others know "
                "it by another name than it has itself, set HEADRACE_CLUSTER_BIND to the address to listen at.",
            )
        return bound

    def _bind(self, address: str) -> int:
        settings = self._settings
        if not settings.certificate:
            return self._grpc.add_insecure_port(address)
        authority = settings.read(settings.authority)
        pair = (settings.read(settings.key), settings.read(settings.certificate))
        credentials = grpc.ssl_server_credentials([pair], authority, require_client_auth=authority is not None)
        return self._grpc.add_secure_port(address, credentials)

    def start(self, target: str) -> None:
        """Begins to answer.

        Args:
            target: the target by which sessions of this process find the task.
        """
        self._target = target
        self._grpc.start()

    def wait(self) -> None:
        """Waits until it has been stopped."""
        self._grpc.wait_for_termination()

    def stop(self) -> None:
        """Ends what is under way, and answers no more."""
        self.workers.close()
        self.clients.close_all()
        self._state.end_collectives()
        self.links.close()
        self._grpc.stop(None)

    # ---- the tensors of steps

    def _streams(self, name: str, act: Callable[[Buffer], list[Any]]) -> Mapping[str, _Stream]:
        """The method that runs a step, whose messages come and go in pieces."""
        most = self._settings.max_message_bytes

        def handle(pieces: Iterable[bytes], context: Context) -> Iterator[bytes]:
            try:
                data = joined(pieces, most)
            except FAILURES as error:
                _abort(context, error)
            return in_pieces(_limited(act, data, context))

        return {f"{name}InPieces": handle}

    def _worker_streams(self) -> Mapping[str, _Stream]:
        return {**self._streams("RunPart", self._run_part), "RunParts": self.links.stream}

    def _meet(self, pieces: Iterable[bytes], context: Context) -> Iterator[bytes]:
        """Says whether memory can be shared, and learns by the end of the call that the caller has gone."""
        gone = threading.Event()
        if not context.add_callback(gone.set):
            return
        try:
            request = messages.MeetRequest.FromString(next(iter(pieces), b""))
        except (DecodeError, ValueError) as error:
            _abort(context, errors.InvalidArgumentError(None, None, f"Could not parse the message: {error}"))
        first = request.first
        met = bool(self._settings.shared_memory) and is_available()
        met = met and self.memory.meet(request.caller, request.process, first.descriptor, first.size)
        yield messages.MeetResponse(met=met, links=self.links.address() if met else "").SerializeToString()
        gone.wait()
        if met:
            self.memory.forget(request.caller)
            self.links.forget(request.caller)

    def _request_bytes(self, request: Any) -> np.ndarray | None:
        """The shared memory in which tensors of a request lie."""
        note = request.memory
        if not note.caller:
            return None
        self.memory.drop(note.caller, note.dropped)
        if not note.request.number:
            return None
        return self.memory.lease(note.caller, note.request)[: self._settings.max_message_bytes]

    def _answer(self, request: Any, response: Any, values: Sequence[Any], types: Sequence[DType]) -> list[Any]:
        note = request.memory
        place = None
        if note.caller:
            response.released.extend(self.memory.released(note.caller))
            if note.answer.number:
                place = self.memory.segment(note.caller, note.answer)[: self._settings.max_message_bytes]
        return buffers_of(response, values, types, place)

    # ---- what clients ask

    def _master(self) -> Mapping[str, Callable[[bytes, Context], bytes]]:
        return {
            "CreateSession": _plain(messages.CreateSessionRequest, self._create_session),
            "ExtendSession": _plain(messages.ExtendSessionRequest, self._extend_session),
            "RunStep": _whole(self._run_step),
            "PartialRunSetup": _plain(messages.StepRequest, self._partial_run_setup),
            "CloseSession": _plain(messages.SessionRequest, self._close_session),
            "ListDevices": _plain(messages.SessionRequest, self._list_devices),
            "Reset": _plain(messages.ResetRequest, self._reset),
        }

    def _create_session(self, request: Any) -> Any:
        session = ClientSession(self._target, request, self._settings)
        return messages.CreateSessionResponse(session=self.clients.add(session))

    def _extend_session(self, request: Any) -> Any:
        self.clients.get(request.session).extend(request.graph_def)
        return messages.Empty()

    def _run_step(self, data: Buffer) -> list[Any]:
        request, arrays = decode(messages.StepRequest, data, self._request_bytes)
        response = messages.StepResponse()
        values, types = self.clients.get(request.session).run(request, arrays, response)
        return self._answer(request, response, values, types)

    def _partial_run_setup(self, request: Any) -> Any:
        return messages.PartialRunSetupResponse(handle=self.clients.get(request.session).set_up(request))

    def _close_session(self, request: Any) -> Any:
        self.clients.close(request.session)
        return messages.Empty()

    def _list_devices(self, request: Any) -> Any:
        devices = self.clients.get(request.session).session.list_devices()
        response = messages.ListDevicesResponse()
        for device in devices:
            response.devices.add(
                name=device.name, device_type=device.device_type, memory_limit=device.memory_limit_bytes
            )
        return response

    def _reset(self, request: Any) -> Any:
        self.clients.close_all()
        self._state.reset(list(request.containers) or None, request.device_filters)
        return messages.Empty()

    # ---- what tasks ask

    def _worker(self) -> Mapping[str, Callable[[bytes, Context], bytes]]:
        return {
            "GetStatus": _plain(messages.Empty, self._status),
            "RegisterPart": _plain(messages.RegisterPartRequest, self._register),
            "RunPart": _whole(self._run_part),
            "EndSession": _plain(messages.SessionRequest, self._end_session),
            "Clear": _plain(messages.ResetRequest, self._clear),
            "CollectiveStore": _plain(messages.Empty, self._collective_store),
        }

    def _status(self, request: Any) -> Any:
        runtime: Any = BaseSession(self._target, Graph(), self._state.config)._runtime
        return messages.StatusResponse(
            incarnation=self._state.incarnation,
            devices=devices_of(self._state, runtime),
            runs_file_operations=runs_files(self._settings),
        )

    def _register(self, request: Any) -> Any:
        return messages.RegisterPartResponse(part=self.workers.register(request))

    def _run_part(self, data: Buffer) -> list[Any]:
        request, arrays = decode(messages.StepRequest, data, self._request_bytes)
        part = self.workers.part(request.session, request.part)
        return self._answer(request, messages.StepResponse(), part.run(arrays), part.types)

    def _end_session(self, request: Any) -> Any:
        self.workers.end(request.session)
        return messages.Empty()

    def _clear(self, request: Any) -> Any:
        self._state.clear(list(request.containers) or None)
        return messages.Empty()

    def _collective_store(self, request: Any) -> Any:
        return messages.CollectiveStoreResponse(port=self._state.store().port)


def _handlers(
    service: str, methods: Mapping[str, Callable[[bytes, Context], bytes]], streams: Mapping[str, _Stream] | None = None
) -> grpc.GenericRpcHandler:
    # Without serializers messages are bytes: those with tensors are read where they lie.
    handlers = {name: grpc.unary_unary_rpc_method_handler(method) for name, method in methods.items()}
    for name, stream in (streams or {}).items():
        handlers[name] = grpc.stream_stream_rpc_method_handler(stream)
    return grpc.method_handlers_generic_handler(f"headrace.cluster.{service}", handlers)


def _abort(context: Context, error: BaseException) -> NoReturn:
    code, text, name = status_of(error)
    if name:
        context.set_trailing_metadata(((NODE_KEY, name.encode()),))
    context.abort(code, text)
    raise AssertionError("a call goes on after it was aborted")


def _plain(request_class: Any, act: Callable[[Any], Any]) -> Callable[[bytes, Context], bytes]:
    """A method of messages without tensors."""

    def answer(data: Buffer) -> bytes:
        try:
            request = request_class.FromString(data)
        except (DecodeError, ValueError) as error:
            raise errors.InvalidArgumentError(None, None, f"Could not parse the message: {error}") from None
        made: bytes = act(request).SerializeToString()
        return made

    return lambda data, context: _limited(answer, data, context)


def _limited(act: Callable[[Buffer], T], data: Buffer, context: Context) -> T:
    """Does what is asked, for as long as the caller waits for it."""
    cancellation = Cancellation()
    if not context.add_callback(cancellation.request):
        context.abort(grpc.StatusCode.CANCELLED, "The caller does not wait any more.")
    remaining = context.time_remaining()
    deadline = None if remaining is None or remaining > _ENDLESS else time.perf_counter() + remaining
    try:
        with with_deadline(deadline), with_cancellation(cancellation):
            return act(data)
    except FAILURES as error:
        _abort(context, error)


def _whole(act: Callable[[Buffer], list[Any]]) -> Callable[[bytes, Context], bytes]:
    """A method that runs a step, whose messages come and go as a whole."""
    return lambda data, context: b"".join(_limited(act, data, context))


class _TokenCheck(grpc.ServerInterceptor):
    """Refuses callers that do not show the token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

        def refuse(data: bytes, context: Context) -> NoReturn:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "The server asks for a token: see HEADRACE_CLUSTER_TOKEN.")
            raise AssertionError("a call goes on after it was aborted")

        self._refusal = grpc.unary_unary_rpc_method_handler(refuse)

    def intercept_service(
        self, continuation: Callable[[grpc.HandlerCallDetails], Any], details: grpc.HandlerCallDetails
    ) -> Any:
        """What handles a call."""
        for key, value in details.invocation_metadata:
            if key == TOKEN_KEY:
                shown = value if isinstance(value, bytes) else value.encode()
                if hmac.compare_digest(shown, self._token):
                    return continuation(details)
        return self._refusal
