"""The REST interface: a request's method, path and body to a status and a text. What carries them is not known here."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import numpy as np
from google.protobuf import json_format

from headrace.core import errors
from headrace.core.dtypes import DType
from headrace.saved_model import names
from headrace.serve import examples_inference, messages, prediction
from headrace.serve.failures import FAILURES, code_of, http_status, message_of
from headrace.serve.json_values import element_texts, invalid, outputs_text, parse_object, predictions_text
from headrace.serve.model_server import ModelServer
from headrace.serve.rest_requests import examples_request, predict_inputs, signature_name
from headrace.serve.servable import Outputs, Servable, Values, run_call

_VERSION = r"(?:/versions/(?P<version>\d+)|/labels/(?P<label>[^/:]+))?"
_CALL = re.compile(rf"(?i)/v1/models/(?P<name>[^/:]+){_VERSION}:(?P<method>classify|regress|predict)")
_STATE = re.compile(rf"(?i)/v1/models(?:/(?P<name>[^/:]+))?{_VERSION}(?:/(?P<metadata>metadata))?")
_LARGEST_VERSION = 2**63 - 1
_STATUS_NAMES = {
    value: name
    for name, value in vars(errors).items()
    if isinstance(value, int) and name.isupper() and not name.startswith("_")
}


JSON_TYPE = "application/json"


@dataclass
class Answer:
    """What a request is answered with, and what it was for."""

    status: int
    text: str | bytes
    code: int = errors.OK
    model: str = ""
    api: str = ""
    media_type: str = JSON_TYPE

    @property
    def content(self) -> bytes:
        """The text as it is sent."""
        return self.text if isinstance(self.text, bytes) else self.text.encode("utf-8", "surrogateescape")

    @property
    def code_name(self) -> str:
        """The name of the status code."""
        return _STATUS_NAMES.get(self.code, "UNKNOWN")


def error_text(message: str) -> str:
    """The body of an answer that says what went wrong."""
    # What is quoted of a request may not be text.
    shown = message.encode("utf-8", "backslashreplace").decode("utf-8")
    return f'{{\n    "error": {json.dumps(shown, ensure_ascii=False)}\n}}'


def failed(error: BaseException, model: str = "", api: str = "") -> Answer:
    """The answer that says a failure."""
    code = code_of(error)
    return Answer(http_status(code), error_text(message_of(error)), code, model, api)


def answer(server: ModelServer, method: str, path: str, body: bytes) -> Answer:
    """The answer to a request.

    Args:
        server: the models.
        method: of HTTP; HEAD is answered as GET.
        path: as it was sent, without the query.
        body: all of it.
    """
    called = _CALL.fullmatch(path) if method == "POST" else None
    asked = _STATE.fullmatch(path) if method in ("GET", "HEAD") else None
    found = called or asked
    if found is None:
        return failed(invalid(f"Malformed request: {method} {path}"))
    name = unquote(found["name"] or "")
    api = called["method"].lower() if called else ""
    try:
        version, label = _version(found)
        if called:
            with server.using(name, version, label) as servable:
                text = _CALLS[api](servable, body)
        else:
            if not name:
                raise invalid("Missing model name in request.")
            text = (
                _metadata(server, name, version, label) if found["metadata"] else _status(server, name, version, label)
            )
    except FAILURES as error:
        return failed(error, name, api)
    return Answer(200, text, errors.OK, name, api)


def begin(server: ModelServer, path: str, body: bytes, done: Callable[[Answer], None]) -> Callable[[], Answer] | None:
    """Starts a POST request on a server that puts requests together.

    Args:
        server, path, body: as of `answer`.
        done: is called with the answer, here or in the thread that ran the batch.

    Returns:
        None if `done` has been or will be called; otherwise what is still to be called, and gives the answer.
    """
    found = _CALL.fullmatch(path)
    if found is None or found["method"].lower() != "predict":
        return functools.partial(answer, server, "POST", path, body)
    name = unquote(found["name"])
    lease = ExitStack()
    try:
        servable = lease.enter_context(server.using(name, *_version(found)))
        signature, inputs, rows = _predict_request(servable, body)
        wanted, call = servable.prepare(signature, inputs)

        def finish(values: Values | BaseException) -> None:
            with lease:
                done(_predicted(name, wanted, values, rows))

        arrays = list(inputs.values())
        if servable.scheduler is not None and servable.scheduler.submit(call, arrays, finish):
            return None
    except FAILURES as error:
        with lease:
            done(failed(error, name, "predict"))
        return None

    def run_alone() -> Answer:
        with lease:
            try:
                values: Values | BaseException = run_call(call, arrays)
            except FAILURES as error:
                values = error
            return _predicted(name, wanted, values, rows)

    return run_alone


def _predicted(name: str, wanted: list[str], values: Values | BaseException, rows: bool) -> Answer:
    try:
        if isinstance(values, BaseException):
            raise values
        text = _outputs(dict(zip(wanted, values, strict=True)), rows)
    except FAILURES as error:
        return failed(error, name, "predict")
    return Answer(200, text, errors.OK, name, "predict")


def _version(found: re.Match[str]) -> tuple[int | None, str | None]:
    label = unquote(found["label"]) if found["label"] else None
    if not found["version"]:
        return None, label
    # Compared as text first: of a million digits no number is made.
    if len(found["version"].lstrip("0")) > 19 or int(found["version"]) > _LARGEST_VERSION:
        raise invalid(f"Failed to convert version: {found['version'][:64]} to numeric.")
    return int(found["version"]), label


def _predict(servable: Servable, body: bytes) -> str:
    signature, inputs, rows = _predict_request(servable, body)
    return _outputs(servable.predict(signature, inputs), rows)


def _outputs(outputs: Outputs, rows: bool) -> str:
    return predictions_text(outputs) if rows else outputs_text(outputs)


def _predict_request(servable: Servable, body: bytes) -> tuple[str, dict[str, np.ndarray], bool]:
    """The signature that a body names, its inputs, and whether they came as rows."""
    request = parse_object(body)

    def types_of(name: str) -> dict[str, DType]:
        signature = servable.signature(name)
        if signature is None:
            key = name or names.DEFAULT_SERVING_SIGNATURE_DEF_KEY
            raise invalid(f'Serving signature name: "{key}" not found in signature def')
        return signature.input_types

    inputs, rows = predict_inputs(request, types_of)
    return signature_name(request), inputs, rows


def _classify(servable: Servable, body: bytes) -> str:
    result = examples_inference.classify(servable, examples_request(body, messages.ClassificationRequest()))
    rows = []
    for classifications in result.classifications:
        scores = element_texts(np.array([one.score for one in classifications.classes], np.float32))
        labels = [json.dumps(one.label, ensure_ascii=False) for one in classifications.classes]
        rows.append(f"[{', '.join(f'[{label}, {score}]' for label, score in zip(labels, scores))}]")
    body_text = ", ".join(rows)
    return f'{{\n    "results": [{body_text}\n    ]\n}}'


def _regress(servable: Servable, body: bytes) -> str:
    result = examples_inference.regress(servable, examples_request(body, messages.RegressionRequest()))
    values = element_texts(np.array([one.value for one in result.regressions], np.float32))
    return f'{{\n    "results": [{", ".join(values)}]\n}}'


_CALLS: dict[str, Callable[[Servable, bytes], str]] = {
    "predict": _predict,
    "classify": _classify,
    "regress": _regress,
}


def _status(server: ModelServer, name: str, version: int | None, label: str | None) -> str:
    return _json(server.status(name, version, label), preserve=False) + "\n"


def _metadata(server: ModelServer, name: str, version: int | None, label: str | None) -> str:
    request = messages.GetModelMetadataRequest(metadata_field=["signature_def"])
    with server.using(name, version, label) as servable:
        response = prediction.metadata(servable, request)
        signatures = _json(servable.signature_defs)
    return f'{{\n"model_spec":{_json(response.model_spec)},\n"metadata": {{"signature_def": {signatures}}}\n}}\n'


def _json(message: Any, preserve: bool = True) -> str:
    return json_format.MessageToJson(
        message,
        preserving_proto_field_name=preserve,
        always_print_fields_with_no_presence=True,
        indent=1,
        descriptor_pool=messages.POOL,
    )
