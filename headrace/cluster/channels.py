"""Connections to other tasks: one a process and address, made when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeAlias

import grpc

from headrace.cluster.settings import ClusterSettings, channel_options, from_environment

TOKEN_KEY = "headrace-token"
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
        options: list[tuple[str, Any]] = [
            *channel_options(settings),
            # Not to be shared with channels of other settings: the library keeps connections by address.
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.initial_reconnect_backoff_ms", 100),
            ("grpc.min_reconnect_backoff_ms", 100),
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
        self._calls: dict[str, Unary] = {}

    def call(self, service: str, method: str) -> Unary:
        """What calls a method with bytes and gives bytes."""
        name = f"/headrace.cluster.{service}/{method}"
        found = self._calls.get(name)
        if found is None:
            found = self._calls[name] = self._channel.unary_unary(name)
        return found

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

    def close(self) -> None:
        """Ends the connection, and the calls that are under way."""
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
