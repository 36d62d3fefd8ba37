"""Connections to other tasks: one a process and address, made when it is first needed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

import grpc

from headrace.cluster import messages
from headrace.cluster.encryption import disagreement
from headrace.cluster.links import Link, Links, LocalLink, StreamLink
from headrace.cluster.settings import ClusterSettings, channel_options, from_environment
from headrace.cluster.shared_memory import OwnSegments, is_available
from headrace.cluster.statuses import error_of
from headrace.core import errors
from headrace.core.waiting import remaining_time

TOKEN_KEY = "headrace-token"
# How long a server may take to say whether it shares memory with this process, in seconds.
_MEET_TIMEOUT = 5.0
# How long to look for what keeps a server from answering, in seconds.
_GLANCE = 0.5
# What calls a method: the library is not typed.
Unary: TypeAlias = Any


class TaskChannel:
    """A connection to the server at an address.

    Args:
        address: "host:port".
        settings: what is to be shown to it.
    """

    def __init__(self, address: str, settings: ClusterSettings) -> None:
        self.address = address
        self._settings = settings
        options: list[tuple[str, Any]] = [
            *channel_options(settings),
            # Not to be shared with channels of other settings: the library keeps connections by address.
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.initial_reconnect_backoff_ms", 100),
            # How long an attempt to connect may take: a busy machine answers late.
            ("grpc.min_reconnect_backoff_ms", 5000),
            ("grpc.max_reconnect_backoff_ms", 2000),
        ]
        if settings.uses_tls:
            credentials = grpc.ssl_channel_credentials(
                settings.read(settings.authority) or settings.read(settings.certificate),
                settings.read(settings.key),
                settings.read(settings.certificate) if settings.key else None,
            )
            self._channel = grpc.secure_channel(address, credentials, options)
        else:
            self._channel = grpc.insecure_channel(address, options)
        self.metadata = ((TOKEN_KEY, settings.token),) if settings.token else ()
        self.max_message_bytes = settings.max_message_bytes
        self._calls: dict[str, Unary] = {}
        self._shares = settings.shared_memory
        self._memory: OwnSegments | None = None
        self._links: Links | None = None
        self._local = ""
        self._asked = False
        self._met: Any = None
        self._lock = threading.Lock()

    def call(self, service: str, method: str) -> Unary:
        """What calls a method with bytes and gives bytes."""
        name = f"/headrace.cluster.{service}/{method}"
        found = self._calls.get(name)
        if found is None:
            found = self._calls[name] = self._channel.unary_unary(name)
        return found

    def stream(self, service: str, method: str) -> Unary:
        """What calls a method with pieces and gives pieces."""
        name = f"/headrace.cluster.{service}/{method}"
        found = self._calls.get(name)
        if found is None:
            found = self._calls[name] = self._channel.stream_stream(name)
        return found

    def links(self, name: str) -> Links:
        """The links on which a method is asked for.

        Args:
            name: the method, with its service; the same each time.
        """
        with self._lock:
            if self._links is None:
                self._links = Links(lambda: self._link(name))
            return self._links

    def _link(self, name: str) -> Link:
        memory = self.memory()
        if memory is not None and self._local:
            try:
                return LocalLink(self._local, memory.name, self.max_message_bytes)
            except OSError:  # of another namespace of networks, or it has gone since
                pass
        stream = self.stream(*name.removeprefix("/headrace.cluster.").split("/"))
        return StreamLink(lambda requests: stream(requests, metadata=self.metadata))

    def memory(self) -> OwnSegments | None:
        """The memory that this process and the server share, None where they are not of one machine."""
        if not self._asked:
            with self._lock:
                if not self._asked:
                    self._meet()
        return self._memory

    def _meet(self) -> None:
        memory = OwnSegments(self._shares)
        segment = memory.take(1) if self._shares and is_available() else None
        request = messages.MeetRequest(caller=memory.name, process=os.getpid())
        if segment is not None:
            place = request.first
            place.number, place.descriptor, place.size = segment.number, segment.descriptor, segment.size
        call = self._channel.unary_stream("/headrace.cluster.Memory/Meet")(
            request.SerializeToString(), metadata=self.metadata
        )
        limit = remaining_time()
        timer = threading.Timer(_MEET_TIMEOUT if limit is None else min(limit, _MEET_TIMEOUT), call.cancel)
        timer.start()
        try:
            answer = messages.MeetResponse.FromString(next(call))
        except grpc.RpcError:
            # The step says what is the matter with the connection.
            return
        finally:
            timer.cancel()
        # The call stays: by its end the server learns that this process has gone. Beside it others need no new thread of
        # the library's, which begins one whenever there is no call on a channel.
        self._met, self._asked = call, True
        if answer.met and segment is not None:
            memory.give_back([segment.number])
            self._memory, self._local = memory, answer.links
        if not call.add_callback(lambda: self._left(call)):
            self._memory, self._asked = None, False

    def _left(self, call: Any) -> None:
        """Notes that the server does not know this process any more: the connection was cut."""
        if self._met is call:
            self.forget_memory()

    def forget_memory(self) -> None:
        """Notes that the server may be another process, which is to be asked again whether it shares memory with this one."""
        met, self._met = self._met, None
        if met is not None:
            self._memory, self._asked = None, False
            if self._links is not None:
                self._links.close()
            met.cancel()

    def ask(
        self,
        service: str,
        method: str,
        request: Any,
        response: Callable[[bytes], Any],
        timeout: float | None = None,
        wait_for_ready: bool = False,
    ) -> Any:
        """Calls a method with a message and returns the message that it answers.

        Raises:
            grpc.RpcError: if the call fails.
        """
        answer = self.call(service, method)(
            request.SerializeToString(), timeout=timeout, metadata=self.metadata, wait_for_ready=wait_for_ready
        )
        return response(answer)

    def ask_status(self, timeout: float, waits: bool = True) -> Any:
        """Begins to ask the server what it is.

        Args:
            timeout: how many seconds it has.
            waits: whether to wait for a connection.
        """
        call = self.call("Worker", "GetStatus")
        return call.future(b"", timeout=timeout, metadata=self.metadata, wait_for_ready=waits)

    def obstacle(self) -> tuple[str, bool]:
        """Why the server does not answer, and whether waiting helps.

        Only a call that does not wait is told what became of the connection.
        """
        try:
            self.ask_status(_GLANCE, waits=False).result()
        except grpc.RpcError as error:
            return self.reason(error_of(error)[0])
        return "it answers now", True

    def reason(self, error: errors.OpError) -> tuple[str, bool]:
        """What is behind an error of a call, and whether waiting helps: not where both sides have other ideas of TLS."""
        told = str(error.message)
        if not isinstance(error, errors.UnavailableError) or "Connection refused" in told:
            return told, True
        found = disagreement(self.address, self._settings)
        if found:
            return found, False
        return told, "handshake" not in told.lower()

    def wait_until_ready(self, timeout: float) -> bool:
        """Whether there is a connection after at most so many seconds."""
        ready = grpc.channel_ready_future(self._channel)
        try:
            ready.result(timeout)
        except grpc.FutureTimeoutError:
            return False
        finally:
            ready.cancel()
        return True

    def close(self) -> None:
        """Ends the connection, and the calls that are under way."""
        self._memory, self._asked = None, True
        if self._links is not None:
            self._links.close()
        self._channel.close()


class _Channels:
    def __init__(self) -> None:
        self._channels: dict[tuple[str, ClusterSettings], TaskChannel] = {}
        self._lock = threading.Lock()

    def get(self, address: str) -> TaskChannel:
        """The connection to an address under the settings of the process."""
        settings = from_environment()
        key = (address, settings)
        with self._lock:
            found = self._channels.get(key)
            if found is None:
                found = self._channels[key] = TaskChannel(address, settings)
        return found


channels = _Channels()
