"""The gRPC interface: prediction and model services, health, reflection."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import grpc

from headrace.core import errors
from headrace.serve import messages, prediction
from headrace.serve.failures import FAILURES, code_of, message_of
from headrace.serve.health import HealthService
from headrace.serve.metrics import REQUEST_COUNT, REQUEST_LATENCY
from headrace.serve.model_server import ModelServer
from headrace.serve.reflection import answers
from headrace.serve.request_threads import RequestExecutor, RequestThreads
from headrace.serve.servable import PLACES
from headrace.util import tf_logging

_CODES = {code.value[0]: code for code in grpc.StatusCode}
# What requests may be about, to models of the protocol's names of calls.
_PREDICTION = {
    "Predict": (messages.PredictRequest, prediction.predict),
    "Classify": (messages.ClassificationRequest, prediction.classify),
    "Regress": (messages.RegressionRequest, prediction.regress),
    "GetModelMetadata": (messages.GetModelMetadataRequest, prediction.metadata),
}
# Calls of the protocol that have no answer here, and what to do instead.
_NOT_SERVED = {
    ("tensorflow.serving.PredictionService", "PredictStreamed"): "call Predict for each request.",
    ("tensorflow.serving.SessionService", "SessionRun"): "call Predict, with a signature that has these tensors.",
}
# Of the metadata that travels before an answer nothing may be too long; the whole text is in its own status.
_LONGEST_DETAILS = 1024


class GrpcServer:
    """Answers requests over gRPC for the models of a server.

    Args:
        server: the models.
        threads: how many requests are answered at the same time, where they wait for something; otherwise as many as run models.
        options: arguments of the channel, such as `grpc.max_connection_age_ms`.
        as_content: whether tensors are answered as bytes instead of lists of numbers.
        health: whether there is the health service.
        log_requests: whether each request is logged in a line.
    """

    def __init__(
        self,
        server: ModelServer,
        *,
        threads: int = 16,
        options: Mapping[str, int | str] | None = None,
        as_content: bool = False,
        health: bool = True,
        log_requests: bool = False,
    ) -> None:
        self._server = server
        self._as_content = as_content
        self._log_requests = log_requests
        # Without a limit, as servers of this protocol are: tensors are large.
        settings = {"grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1, **(options or {})}
        few = threads if server.options.batching is not None else min(threads, PLACES)
        self._pool = RequestExecutor(RequestThreads(few, "grpc", threads))
        self._grpc = grpc.server(self._pool, options=list(settings.items()))
        services = ["tensorflow.serving.PredictionService", "tensorflow.serving.ModelService"]
        self._add(services[0], self._prediction_handlers())
        self._add(services[1], self._model_handlers())
        self.health = HealthService(["", *services])
        if health:
            services.append("grpc.health.v1.Health")
            self._add(services[-1], self.health.handlers())
        reflection = ["grpc.reflection.v1alpha.ServerReflection", "grpc.reflection.v1.ServerReflection"]
        services += reflection
        for name in reflection:
            # Both versions have the same messages.
            self._add(name, _reflection_handlers(services))
        for (service, method), instead in _NOT_SERVED.items():
            self._add(service, {method: _refusing(f"{method} is not served: {instead}")})

    def _add(self, service: str, handlers: Mapping[str, grpc.RpcMethodHandler]) -> None:
        self._grpc.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))

    def listen(self, address: str, credentials: grpc.ServerCredentials | None = None) -> int:
        """Takes an address, such as "0.0.0.0:8500" or "unix:/path"; returns the port.

        Raises:
            RuntimeError: if it is taken.
        """
        if credentials is None:
            return self._grpc.add_insecure_port(address)
        return self._grpc.add_secure_port(address, credentials)

    def start(self) -> None:
        """Begins to answer."""
        self._grpc.start()
        self.health.set_serving(True)

    def stop(self, grace: float) -> None:
        """Tells that it goes down, and waits for requests that are being answered."""
        self.health.set_serving(False)
        self._grpc.stop(grace).wait()
        self._pool.shutdown(wait=False)

    # ---- services ----

    def _prediction_handlers(self) -> dict[str, grpc.RpcMethodHandler]:
        handlers = {}
        for name, (request_class, action) in _PREDICTION.items():
            handlers[name] = _unary(request_class, self._guarded(name, self._on_model(name, action)))
        handlers["MultiInference"] = _unary(
            messages.MultiInferenceRequest, self._guarded("MultiInference", self._infer_all)
        )
        return handlers

    def _model_handlers(self) -> dict[str, grpc.RpcMethodHandler]:
        return {
            "GetModelStatus": _unary(messages.GetModelStatusRequest, self._guarded("GetModelStatus", self._status)),
            "HandleReloadConfigRequest": _unary(messages.ReloadConfigRequest, self._reload),
        }

    def _on_model(self, name: str, action: Callable[..., Any]) -> Callable[[Any], Any]:
        as_content = self._as_content and name == "Predict"

        def act(request: Any) -> Any:
            if not request.HasField("model_spec"):
                raise errors.InvalidArgumentError(None, None, "Missing ModelSpec")
            with self._server.using(*_spec(request.model_spec)) as servable:
                return action(servable, request, True) if as_content else action(servable, request)

        return act

    def _infer_all(self, request: Any) -> Any:
        if not request.tasks:
            raise errors.InvalidArgumentError(None, None, "Inference request must have at least one task.")
        specs = {task.model_spec.name for task in request.tasks}
        if "" in specs:
            raise errors.InvalidArgumentError(None, None, "Found ModelSpec with an empty model name.")
        if len(specs) > 1:
            raise errors.InvalidArgumentError(
                None, None, "All ModelSpecs in a MultiInferenceRequest must access the same model name."
            )
        with self._server.using(*_spec(request.tasks[0].model_spec)) as servable:
            return prediction.infer_all(servable, request)

    def _status(self, request: Any) -> Any:
        if not request.HasField("model_spec"):
            raise errors.InvalidArgumentError(None, None, "Missing ModelSpec")
        return self._server.status(*_spec(request.model_spec))

    def _reload(self, request: Any, context: grpc.ServicerContext) -> Any:
        # What fails is said in the answer, as that of this one call is a status.
        response = messages.ReloadConfigResponse()
        response.status.error_code = errors.OK
        try:
            if not request.HasField("config") or request.config.WhichOneof("config") is None:
                raise errors.InvalidArgumentError(None, None, "ServerConfig does not contain a model_config_list.")
            self._server.reload(request.config)
        except FAILURES as error:
            response.status.error_code = code_of(error)
            response.status.error_message = message_of(error)
        return response

    def _guarded(self, api: str, act: Callable[[Any], Any]) -> Callable[[Any, grpc.ServicerContext], Any]:
        """An action as gRPC calls it: errors become statuses, and it is counted."""
        metrics = self._server.metrics

        def handle(request: Any, context: grpc.ServicerContext) -> Any:
            began = time.perf_counter()
            name = _model_name(request)
            model = name if name in self._server.models else ""
            failure: BaseException | None = None
            response = None
            try:
                response = act(request)
            except FAILURES as error:
                failure = error
            seconds = time.perf_counter() - began
            code = _CODES.get(errors.OK if failure is None else code_of(failure), grpc.StatusCode.UNKNOWN)
            metrics.count(REQUEST_COUNT, model_name=model, status=code.name)
            if self._log_requests:
                tf_logging.info("%s %s %s %s %.1f ms", context.peer(), api, name[:100], code.name, seconds * 1e3)
            if failure is not None:
                context.abort(code, message_of(failure)[:_LONGEST_DETAILS])
            metrics.observe(REQUEST_LATENCY, seconds * 1e6, model_name=model, API=api, entrypoint="GRPC")
            return response

        return handle


def _model_name(request: Any) -> str:
    if hasattr(request, "tasks"):
        return request.tasks[0].model_spec.name if request.tasks else ""
    return request.model_spec.name


def _spec(spec: Any) -> tuple[str, int | None, str | None]:
    choice = spec.WhichOneof("version_choice")
    version = spec.version.value if choice == "version" else None
    return spec.name, version, spec.version_label if choice == "version_label" else None


def _unary(request_class: Any, handle: Callable[[Any, grpc.ServicerContext], Any]) -> grpc.RpcMethodHandler:
    return grpc.unary_unary_rpc_method_handler(
        handle,
        request_deserializer=request_class.FromString,
        response_serializer=lambda message: message.SerializeToString(),
    )


def _refusing(text: str) -> grpc.RpcMethodHandler:
    def refuse(request: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        context.abort(grpc.StatusCode.UNIMPLEMENTED, text)
        yield b""

    # On the wire a single message is a stream of one.
    return grpc.stream_stream_rpc_method_handler(refuse)


def _reflection_handlers(services: list[str]) -> dict[str, grpc.RpcMethodHandler]:
    def info(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
        yield from answers(requests, services)

    return {
        "ServerReflectionInfo": grpc.stream_stream_rpc_method_handler(
            info,
            request_deserializer=messages.ServerReflectionRequest.FromString,
            response_serializer=lambda message: message.SerializeToString(),
        )
    }
