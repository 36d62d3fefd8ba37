"""Structures of Python values as `StructuredValue` messages: what SavedModels say of functions' arguments and results."""

from __future__ import annotations

import collections
from typing import Any, NamedTuple

from headrace.core.dtypes import DType, as_dtype
from headrace.core.errors import UnimplementedError
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.type_specs import TensorSpec
from headrace.interop import protos
from headrace.interop.node_def import shape_to_proto


class FullArgSpec(NamedTuple):
    """What `inspect.getfullargspec` tells of a Python function."""

    args: list[str]
    varargs: str | None
    varkw: str | None
    defaults: tuple[Any, ...] | None
    kwonlyargs: list[str]
    kwonlydefaults: dict[str, Any] | None
    annotations: dict[str, Any]


def encoded(value: Any) -> Any:
    """A structure as a message.

    Args:
        value: None, a number, text, a shape, type or `TensorSpec`, or tuples, lists, named tuples and dicts of such.

    Raises:
        NotImplementedError: for anything else, naming it.
    """
    message = protos.StructuredValue()
    if value is None:
        message.none_value.SetInParent()
    elif isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, int):
        message.int64_value = value
    elif isinstance(value, float):
        message.float64_value = value
    elif isinstance(value, str):
        message.string_value = value
    elif isinstance(value, TensorSpec):
        spec = message.tensor_spec_value
        spec.name = value.name or ""
        spec.shape.CopyFrom(shape_to_proto(as_dims(value.shape)))
        spec.dtype = value.dtype.as_datatype_enum
    elif isinstance(value, DType):
        message.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, TensorShape):
        message.tensor_shape_value.CopyFrom(shape_to_proto(as_dims(value)))
    elif isinstance(value, dict):
        message.dict_value.SetInParent()
        for key, item in value.items():
            message.dict_value.fields[key].CopyFrom(encoded(item))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        message.named_tuple_value.name = type(value).__name__
        for key, item in zip(value._fields, value, strict=True):
            message.named_tuple_value.values.add(key=key).value.CopyFrom(encoded(item))
    elif isinstance(value, tuple):
        message.tuple_value.SetInParent()
        message.tuple_value.values.extend(encoded(item) for item in value)
    elif isinstance(value, list):
        message.list_value.SetInParent()
        message.list_value.values.extend(encoded(item) for item in value)
    else:
        raise NotImplementedError(
            f"A SavedModel cannot tell of a function with the argument or result {value!r} of type {type(value).__name__}."
        )
    return message


def decoded(message: Any) -> Any:
    """The structure that a message describes.

    Raises:
        UnimplementedError: for kinds of tensors that are not here.
    """
    kind = message.WhichOneof("kind")
    if kind in (None, "none_value"):
        return None
    if kind in ("float64_value", "int64_value", "string_value", "bool_value"):
        return getattr(message, kind)
    if kind == "tensor_shape_value":
        return TensorShape(message.tensor_shape_value)
    if kind == "tensor_dtype_value":
        return as_dtype(message.tensor_dtype_value)
    if kind in ("tensor_spec_value", "bounded_tensor_spec_value"):
        spec = getattr(message, kind)
        return TensorSpec(TensorShape(spec.shape), as_dtype(spec.dtype), spec.name or None)
    if kind == "list_value":
        return [decoded(item) for item in message.list_value.values]
    if kind == "tuple_value":
        return tuple(decoded(item) for item in message.tuple_value.values)
    if kind == "dict_value":
        return {key: decoded(item) for key, item in message.dict_value.fields.items()}
    if kind == "named_tuple_value":
        described = message.named_tuple_value
        fields = [pair.key for pair in described.values]
        try:
            made = collections.namedtuple(described.name or "Values", fields)  # type: ignore[misc]
        except ValueError as error:
            raise UnimplementedError(None, None, f"A structure of a function cannot be read: {error}") from None
        return made(*(decoded(pair.value) for pair in described.values))
    name = message.type_spec_value.type_spec_class_name if kind == "type_spec_value" else kind
    raise UnimplementedError(None, None, f"Arguments or results of functions of the kind {name} cannot be read.")
