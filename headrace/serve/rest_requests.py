"""The bodies of REST requests: what they ask for, as arrays by input and as examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from headrace.core import errors
from headrace.core.dtypes import DType
from headrace.serve import messages
from headrace.serve.json_values import Json, base64_bytes, invalid, is_base64, kind_of, parse_object, shown, to_array

_INT64_MAX = 2**63 - 1


def signature_name(body: Mapping[str, Json]) -> str:
    """The signature that a request names; '' for the default one."""
    name = body.get("signature_name", "")
    if not isinstance(name, str):
        raise invalid(
            f"JSON Value: {shown(dict(body))} not formatted correctly. 'signature_name' key must be a string value."
        )
    return name


def predict_inputs(
    body: Mapping[str, Json], types_of: Callable[[str], Mapping[str, DType]]
) -> tuple[dict[str, np.ndarray], bool]:
    """The inputs of a `:predict` request, and whether they came as rows.

    Args:
        body: the parsed body.
        types_of: gives the inputs of a signature and their types.

    Raises:
        InvalidArgumentError: if the body does not fit the signature.
    """
    types = types_of(signature_name(body))
    if not types:
        raise invalid(f"Failed to get input map for signature: {signature_name(body) or 'DEFAULT'}")
    if "instances" in body and "inputs" in body:
        raise invalid(
            f"JSON Value: {shown(dict(body))} Not formatted correctly expecting only one of 'inputs' or 'instances' keys "
            "to exist "
        )
    if "instances" in body:
        instances = body["instances"]
        if not isinstance(instances, list):
            raise invalid(f"JSON Value: {shown(dict(body))} Expecting 'instances' to be an list/array")
        if not instances:
            raise invalid(f"JSON Value: {shown(dict(body))} No values in 'instances' array")
        return _rows(instances, types), True
    if "inputs" in body:
        return _columns(body["inputs"], types), False
    raise invalid("Missing 'inputs' or 'instances' key")


def _is_named(value: Json) -> bool:
    return isinstance(value, dict) and not is_base64(value)


def _rows(instances: list[Json], types: Mapping[str, DType]) -> dict[str, np.ndarray]:
    named = _is_named(instances[0])
    if not named and len(types) > 1:
        raise invalid(
            "instances is a plain list, but expecting list of objects as multiple input tensors required as per "
            f"tensorinfo_map: {', '.join(sorted(types))}"
        )
    for index, item in enumerate(instances):
        if _is_named(item) != named:
            what = "object but got list" if named else "value/list but got object"
            raise invalid(f"Expecting {what} at item {index} of input list")
    if not named:
        (dtype,) = types.values()
        return {name: _column(instances, dtype, "") for name in types}
    wanted = set(types)
    objects: list[dict[str, Json]] = instances  # type: ignore[assignment]  # just checked
    for index, item in enumerate(objects):
        extra = sorted(set(item) - wanted)
        if extra:
            raise invalid(
                f"Failed to process element: {index} key: {extra[0]} of 'instances' list. Error: INVALID_ARGUMENT: JSON "
                f"object: does not have named input: {extra[0]}"
            )
        if set(item) != wanted:
            raise invalid(
                f"Failed to process element: {index} of 'instances' list. JSON object: {shown(item)} keys must be equal "
                f"to: {','.join(sorted(wanted))}"
            )
    return {name: _column([item[name] for item in objects], dtype, f" key: {name}") for name, dtype in types.items()}


def _column(values: list[Json], dtype: DType, where: str) -> np.ndarray:
    """The values that rows have for one input, as one array; an error names the row that it is in."""
    try:
        return to_array(values, dtype)
    except errors.OpError as error:
        problem = error
    shape: tuple[int, ...] | None = None
    for index, value in enumerate(values):
        try:
            found = to_array(value, dtype).shape
        except errors.OpError as error:
            raise invalid(
                f"Failed to process element: {index}{where} of 'instances' list. Error: {_status(error)}: {error.message}"
            ) from None
        if shape is not None and found != shape:
            raise invalid(
                f"Failed to process element: {index}{where} of 'instances' list. Error: INVALID_ARGUMENT: Expecting "
                f"shape {_bracketed(shape)} but got: {_bracketed(found)}"
            )
        shape = found
    raise problem


def _status(error: errors.OpError) -> str:
    return "UNIMPLEMENTED" if isinstance(error, errors.UnimplementedError) else "INVALID_ARGUMENT"


def _bracketed(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"


def _columns(inputs: Json, types: Mapping[str, DType]) -> dict[str, np.ndarray]:
    if not isinstance(inputs, dict) or is_base64(inputs):
        if len(types) > 1:
            raise invalid(
                "inputs is a plain value/list, but expecting an object as multiple input tensors required as per "
                f"tensorinfo_map: {', '.join(sorted(types))}"
            )
        return {name: to_array(inputs, dtype) for name, dtype in types.items()}
    missing = sorted(set(types) - set(inputs))
    if missing:
        raise invalid(f"Missing named input: {missing[0]} in 'inputs' object.")
    return {name: to_array(inputs[name], dtype) for name, dtype in types.items()}


# ---- examples ----


def examples_request(body: bytes, request: Any) -> Any:
    """Fills a ClassificationRequest or RegressionRequest from the body of `:classify` or `:regress`.

    Raises:
        InvalidArgumentError: if the body is no list of feature maps.
    """
    found = parse_object(body)
    request.model_spec.signature_name = signature_name(found)
    target = request.input.example_list
    if "context" in found:
        target = request.input.example_list_with_context
        target.context.CopyFrom(_example(found["context"]))
    examples = found.get("examples")
    if "examples" not in found:
        raise invalid(
            f"JSON Value: {shown(found)} When method is classify, key 'examples' is expected and was not found"
        )
    if not isinstance(examples, list):
        raise invalid(f"JSON Value: {shown(found)} Expecting 'examples' value to be an list/array")
    if not examples:
        raise invalid(f"JSON Value: {shown(found)} 'examples' value is an empty array")
    for item in examples:
        target.examples.append(_example(item))
    return request


def _example(features: Json) -> Any:
    if not isinstance(features, dict):
        raise invalid(f"Example must be JSON object but got JSON {kind_of(features)}")
    example = messages.Example()
    for name, content in features.items():
        feature = example.features.feature[name]
        for value in content if isinstance(content, list) else [content]:
            _add_value(feature, name, value)
    return example


def _add_value(feature: Any, name: str, value: Json) -> None:
    converted: int | float | bytes
    if isinstance(value, (bool, int)):
        if value > _INT64_MAX or value < -_INT64_MAX - 1:
            raise invalid(f"Feature: {name} has uint64_t element. Only int64_t is supported.")
        kind, converted = "int64_list", int(value)
    elif isinstance(value, float):
        # As in C, what a float cannot hold is infinite; a message refuses it.
        with np.errstate(over="ignore"):
            kind, converted = "float_list", float(np.float32(value))
    elif isinstance(value, str):
        try:
            kind, converted = "bytes_list", value.encode("utf-8")
        except UnicodeEncodeError:
            raise invalid("JSON Parse error: The surrogate pair in string is invalid.") from None
    elif is_base64(value):
        kind, converted = "bytes_list", base64_bytes(value)
    else:
        raise invalid(f"Feature: {name} has element with unexpected JSON type: {kind_of(value)}")
    there = feature.WhichOneof("kind")
    if there not in (None, kind):
        raise invalid(f"Unexpected element type in feature: {name} expecting type: {there.removesuffix('_list')}")
    getattr(feature, kind).value.append(converted)
