"""The standard health service of gRPC: whether a server wants requests."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import grpc

from headrace.serve import messages

# How often who watches is looked after, in seconds: a client that is gone shows then.
_LOOK = 1.0


class HealthService:
    """Says of services whether they serve.

    Args:
        services: their names; '' for the server as a whole.
    """

    def __init__(self, services: Sequence[str]) -> None:
        self._services = frozenset(services)
        self._serving = False
        self._changed = threading.Condition()

    def set_serving(self, serving: bool) -> None:
        """Says it to all who watch."""
        with self._changed:
            self._serving = serving
            self._changed.notify_all()

    def handlers(self) -> dict[str, grpc.RpcMethodHandler]:
        """The calls of the service."""
        forms = {
            "request_deserializer": messages.HealthCheckRequest.FromString,
            "response_serializer": lambda message: message.SerializeToString(),
        }
        return {
            "Check": grpc.unary_unary_rpc_method_handler(self._check, **forms),
            "Watch": grpc.unary_stream_rpc_method_handler(self._watch, **forms),
        }

    def _status(self, service: str) -> str:
        if service not in self._services:
            return "SERVICE_UNKNOWN"
        return "SERVING" if self._serving else "NOT_SERVING"

    def _check(self, request: Any, context: grpc.ServicerContext) -> Any:
        status = self._status(request.service)
        if status == "SERVICE_UNKNOWN":
            context.abort(grpc.StatusCode.NOT_FOUND, f"No such service: {request.service}")
        return messages.HealthCheckResponse(status=status)

    def _watch(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        said = ""
        while context.is_active():
            with self._changed:
                status = self._status(request.service)
                if status == said:
                    self._changed.wait(_LOOK)
                    continue
            said = status
            yield messages.HealthCheckResponse(status=status)
            if status == "NOT_SERVING":
                return
