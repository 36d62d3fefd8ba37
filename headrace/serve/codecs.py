"""Requests in a form of one's own: a function that makes arrays of a body, and one that makes an answer of arrays."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from headrace.core import errors
from headrace.saved_model.names import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from headrace.serve.failures import FAILURES, message_of
from headrace.serve.graph_files import IMPORTED
from headrace.serve.json_values import invalid
from headrace.serve.model_server import ModelServer
from headrace.serve.rest import Answer, failed
from headrace.serve.servable import Port, Servable


@dataclass(frozen=True)
class Codec:
    """How a program of one's own talks to a model.

    Args:
        encode: gets the body of a request, gives an array for each input: by its name, or that of its tensor.
        decode: gets the outputs, by their names and those of their tensors; gives bytes, a text, or what JSON can say.

    An array that lacks the first dimension of its tensor is one row: `decode` gets outputs without that dimension then.
    """

    encode: Callable[[bytes], Mapping[str, Any]]
    decode: Callable[[dict[str, np.ndarray]], Any]


def load_codec(where: str) -> Codec:
    """The codec in a file of Python or a module.

    Args:
        where: `handler.py` or `package.module`, with `encode` and `decode` in it; `module:name` if they are attributes of an
            object there.

    Raises:
        OSError, ImportError: if there is no such file or module; ValueError: if it lacks one of the functions.
    """
    place, _, name = where.partition(":")
    found: Any = _module(place)
    if name:
        found = getattr(found, name, None)
    missing = [key for key in ("encode", "decode") if not callable(getattr(found, key, None))]
    if missing:
        raise ValueError(
            f"{where} has no function {' and no '.join(missing)}; expected encode(body) and decode(outputs)"
        )
    return Codec(found.encode, found.decode)


def _module(place: str) -> ModuleType:
    if not place.endswith(".py"):
        return importlib.import_module(place)
    if not os.path.isfile(place):
        raise FileNotFoundError(f"There is no file {place}")
    spec = importlib.util.spec_from_file_location(os.path.basename(place).removesuffix(".py"), place)
    if spec is None or spec.loader is None:
        raise ImportError(f"{place} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def coded_answer(server: ModelServer, model: str, codec: Codec, body: bytes) -> Answer:
    """The answer to a body in the form of a codec.

    What `encode` makes nothing of is the client's fault, 400; what `decode` fails at is the server's, 500.
    """
    try:
        with server.using(model) as servable:
            inputs, single = _encoded(servable, codec, body)
            outputs = servable.predict("", inputs)
            named = _with_tensor_names(servable, {key: value[0] if single else value for key, value in outputs.items()})
            answered = _content(codec, named)
    except FAILURES as error:
        return failed(error, model, "predict")
    return Answer(200, answered[0], errors.OK, model, "predict", answered[1])


def _encoded(servable: Servable, codec: Codec, body: bytes) -> tuple[dict[str, np.ndarray], bool]:
    """The arrays of a request by input, and whether they were one row without its first dimension."""
    try:
        made = dict(codec.encode(body))
    except FAILURES as error:
        raise invalid(f"encode: {type(error).__name__}: {message_of(error)}") from error
    ports = servable.signatures[DEFAULT_SERVING_SIGNATURE_DEF_KEY].inputs
    names = {key: name for name, port in ports.items() for key in _keys(name, port)}
    unknown = sorted(set(made) - set(names))
    if unknown:
        raise errors.InternalError(
            None, None, f"encode gave {', '.join(unknown)}; the model has the inputs {', '.join(sorted(ports))}"
        )
    arrays = {names[key]: value for key, value in made.items()}
    try:
        inputs = {name: _array(value, ports[name]) for name, value in arrays.items()}
    except (TypeError, ValueError) as error:
        raise invalid(f"encode: {error}") from error
    single = bool(inputs) and all(_is_row(inputs[name], ports[name]) for name in inputs)
    return ({name: array[np.newaxis] for name, array in inputs.items()} if single else inputs), single


def _array(value: Any, port: Port) -> np.ndarray:
    if port.dtype.name != "string":
        return np.asarray(value, port.dtype.as_numpy_dtype)
    array = np.asarray(value, object)
    flat = [item if isinstance(item, bytes) else str(item).encode() for item in array.reshape(-1)]
    strings = np.empty(len(flat), object)
    strings[:] = flat
    return strings.reshape(array.shape)


def _is_row(array: np.ndarray, port: Port) -> bool:
    return port.shape.rank is not None and array.ndim == port.shape.rank - 1


def _keys(name: str, port: Port) -> tuple[str, ...]:
    """What functions may call an input or output; programs that imported a graph know its tensors below that scope."""
    return name, port.tensor, f"{IMPORTED}{port.tensor}"


def _with_tensor_names(servable: Servable, outputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    ports = servable.signatures[DEFAULT_SERVING_SIGNATURE_DEF_KEY].outputs
    return {key: array for name, array in outputs.items() for key in _keys(name, ports[name])}


def _content(codec: Codec, outputs: dict[str, np.ndarray]) -> tuple[str | bytes, str]:
    try:
        found = codec.decode(outputs)
        if isinstance(found, bytes):
            return found, "application/octet-stream"
        if isinstance(found, str):
            return found, "text/plain; charset=utf-8"
        return json.dumps(found, default=_plain), "application/json"
    except FAILURES as error:
        raise errors.InternalError(None, None, f"decode: {type(error).__name__}: {message_of(error)}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    raise TypeError(f"{type(value).__name__} has no form in JSON; give bytes, a text, lists, dicts, numbers or arrays")
