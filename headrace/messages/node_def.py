"""NodeDef and AttrValue: operations and their attributes as messages, and attribute messages as our values.

An attribute value of ours is a DType, Dims, int, float, bool, str (bytes when not UTF-8), NumPy array, the
name of a function, or a list of these. What an op type declares as a string is text always: an `EncodedText` when not UTF-8.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from headrace.core.dims import Dims
from headrace.core.dtypes import DType, as_dtype
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.signature import Attr
from headrace.messages import protos
from headrace.messages.tensor_proto import array_of, array_to_proto, make_tensor_proto

__all__ = [
    "attr_from_proto",
    "attrs_from_protos",
    "fill_node_def",
    "fill_shape_proto",
    "attr_to_proto",
    "node_def_of",
    "public_attr",
    "shape_from_proto",
    "shape_to_proto",
    "version_def",
]

# Kind of attribute -> the field of AttrValue and of its ListValue.
_FIELD = {
    "int": "i",
    "float": "f",
    "bool": "b",
    "string": "s",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}


_MESSAGES = frozenset(("shape", "tensor", "func"))
_AS_THEY_ARE = frozenset(("i", "f", "b"))


class EncodedText(str):
    """A string attribute that is no UTF-8: kernels and shape functions get text always.

    Encoding gives its bytes again, whatever is asked for, and messages show it with escapes.
    """

    __slots__ = ()

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        """The bytes of the attribute."""
        return super().encode("utf-8", "surrogateescape")

    def __str__(self) -> str:
        return self.encode().decode("utf-8", "backslashreplace")

    def __format__(self, format_spec: str) -> str:
        return format(str(self), format_spec)


def node_def_of(operation: Any, sort_control_inputs: bool = False) -> protos.NodeDef:
    """An operation as a NodeDef.

    Args:
      operation: an `Operation`.
      sort_control_inputs: name control inputs in alphabetical order, as in a GraphDef, not in their own.
    """
    node = protos.NodeDef()
    fill_node_def(node, operation, sort_control_inputs)
    return node


def fill_node_def(node: protos.NodeDef, operation: Any, sort_control_inputs: bool = False) -> None:
    """As `node_def_of`, into an empty message of a larger one, which would copy what it is given."""
    node.name, node.op, node.device = operation.name, operation.type, operation.device or ""
    for tensor in operation.inputs:
        name, index = tensor.op.name, tensor.value_index
        node.input.append(f"{name}:{index}" if index else name)
    controls = [f"^{control.name}" for control in operation.control_inputs]
    node.input.extend(sorted(controls) if sort_control_inputs else controls)
    declared = operation.decl.signature.attrs
    for name, value in operation.attrs.items():
        kind = declared[name].kind if name in declared else kind_of(name, value)
        _set(node.attr[name], kind, value)


def public_attr(operation: Any, name: str) -> Any:
    """What `Operation.get_attr` returns: strings as bytes; shapes, tensors and functions as messages."""
    declared = operation.decl.signature.attrs
    value = operation.attrs[name]
    kind = declared[name].kind if name in declared else kind_of(name, value)
    if kind.startswith("list("):
        kind = kind[5:-1]
        return [_public(kind, item) for item in value]
    return _public(kind, value)


def _public(kind: str, value: Any) -> Any:
    if kind == "type":
        return as_dtype(value)
    if kind == "float":  # the message holds a float32
        return float(np.float32(value))
    message = attr_to_proto(kind, value)
    return getattr(message, _FIELD[kind])


def attr_to_proto(kind: str, value: object) -> protos.AttrValue:
    """An AttrValue.

    Args:
      kind: the attribute's kind in the signature language, such as "int" or "list(type)".
      value: an attribute value of ours.

    Raises:
      TypeError: the value is not of that kind.

    Example:
      >>> attr_to_proto("list(int)", [1, 2]).list.i
      [1, 2]
    """
    message = protos.AttrValue()
    _set(message, kind, value)
    return message


def _set(message: protos.AttrValue, kind: str, value: object) -> None:
    field = _FIELD.get(kind)
    if field is not None:
        if field in _MESSAGES:
            getattr(message, field).CopyFrom(_plain(kind, value))
        else:
            setattr(message, field, _plain(kind, value))
        return
    element = kind[5:-1]
    if not kind.startswith("list(") or element not in _FIELD:
        raise TypeError(f"{kind!r} is no kind of attribute.")
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise TypeError(f"An attribute of kind {kind} cannot hold {value!r}.")
    message.list.SetInParent()
    getattr(message.list, _FIELD[element]).extend(_plain(element, item) for item in value)


def _plain(kind: str, value: Any) -> Any:
    """A value as its field of AttrValue takes it."""
    if kind == "string":
        return value.encode("utf-8") if isinstance(value, str) else bytes(value)
    if kind == "type":
        return as_dtype(value).as_datatype_enum
    if kind == "shape":
        return shape_to_proto(as_dims(value))
    if kind == "tensor":
        return array_to_proto(value) if isinstance(value, np.ndarray) else make_tensor_proto(value)
    if kind == "func":
        return protos.NameAttrList(name=value.decode("utf-8") if isinstance(value, bytes) else value)
    if kind == "int":
        return operator.index(value)
    return bool(value) if kind == "bool" else float(value)


def kind_of(name: str, value: int | str | Sequence[str | int | Sequence[int | None] | None] | None) -> str:
    """The kind of an attribute that the op type does not declare, such as `_class` or `_output_shapes`."""
    if isinstance(value, list):
        if not value:
            return "list(shape)" if name == "_output_shapes" else "list(string)"
        return f"list({kind_of(name, value[0])})"
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    if isinstance(value, (int, np.integer)):
        return "int"
    if isinstance(value, (float, np.floating)):
        return "float"
    if isinstance(value, (str, bytes)):
        return "string"
    if isinstance(value, DType):
        return "type"
    if value is None or isinstance(value, (tuple, TensorShape)):
        return "shape"
    if isinstance(value, np.ndarray):
        return "tensor"
    raise TypeError(f"An attribute cannot hold {value!r}.")


def attrs_from_protos(values: Any, declared: Mapping[str, Attr] | None) -> dict[str, Any]:
    """The attributes of a node as values of ours, but for `_output_shapes`.

    Args:
      values: the node's map from name to AttrValue.
      declared: the attributes of its op type; None if everything is taken.

    Raises:
      ValueError: naming an attribute that is not declared or of another kind.

    Example:
      >>> from headrace.core.registry import find
      >>> node = logits.op.node_def
      >>> attrs_from_protos(node.attr, find("MatMul").signature.attrs)["transpose_a"]
      False
    """
    made: dict[str, Any] = {}
    for name in values:
        if name == "_output_shapes":
            continue
        value = values[name]
        attr = None
        field = value.WhichOneof("value")
        if declared is not None and name[:1] != "_":
            attr = declared.get(name)
            if attr is None:
                raise ValueError(f"NodeDef mentions attr '{name}', which its op type has not")
            kind = attr.kind
            if field != _FIELD.get(kind, "list") and field != "placeholder" and (field or kind in _FIELD):
                said = f"had value with type '{field}' when" if field else "missing value with"
                raise ValueError(f"AttrValue {said} '{kind}' expected for attr '{name}'")
        found: Any
        try:
            if field == "type":
                found = as_dtype(value.type)
            elif field in _AS_THEY_ARE:
                found = getattr(value, field)
            else:
                found = attr_from_proto(value)
        except TypeError as error:
            raise ValueError(f"{error} for attr '{name}'") from None
        if attr is not None and (found.__class__ is bytes or attr.kind == "list(string)"):
            found = _text(found)
        made[name] = found
    return made


def _text(value: Any) -> Any:
    """`value` with text in the place of bytes."""
    if isinstance(value, bytes):
        return EncodedText(value.decode("utf-8", "surrogateescape"))
    return [_text(item) for item in value] if isinstance(value, list) else value


def attr_from_proto(attr_value: protos.AttrValue) -> Any:
    """The attribute value of ours that an AttrValue holds; [] for one that holds nothing.

    Raises:
      NotImplementedError: a function with attributes of its own, or the placeholder of a function body.

    Example:
      >>> attr_from_proto(attr_to_proto("shape", (None, 3)))
      (None, 3)
    """
    field = attr_value.WhichOneof("value")
    if field is None:
        return []
    if field == "list":
        # At most one of the lists has elements, unless the message was put together by hand.
        for set_field, items in attr_value.list.ListFields():
            return [_ours(set_field.name, item) for item in items]
        return []
    return _ours(field, getattr(attr_value, field))


def _ours(field: str, value: Any) -> Any:
    if field == "s":
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return value
    if field == "type":
        return as_dtype(value)
    if field == "shape":
        return shape_from_proto(value)
    if field == "tensor":
        return array_of(value)
    if field == "func":
        # A name that begins with an underscore is a remark to a runtime, not a parameter of the function.
        if any(not name.startswith("_") for name in value.attr):
            raise NotImplementedError(
                f"The function {value.name!r} is referred to with attributes of its own, "
                f"{', '.join(sorted(value.attr))}; export the graph with a function instantiated for them."
            )
        return value.name
    if field == "placeholder":
        raise NotImplementedError(
            f"The attribute stands for the function attribute {value!r}; instantiate the function before."
        )
    return value


def shape_to_proto(dims: Dims) -> protos.TensorShapeProto:
    """A TensorShapeProto; unknown sizes are -1."""
    proto = protos.TensorShapeProto()
    fill_shape_proto(proto, dims)
    return proto


def fill_shape_proto(proto: protos.TensorShapeProto, dims: Dims) -> None:
    """As `shape_to_proto`, into an empty message of a larger one."""
    if dims is None:
        proto.unknown_rank = True
    else:
        for size in dims:
            proto.dim.add().size = -1 if size is None else size


def shape_from_proto(proto: protos.TensorShapeProto) -> Dims:
    """The Dims of a TensorShapeProto."""
    if proto.unknown_rank:
        return None
    return tuple(None if dim.size < 0 else dim.size for dim in proto.dim)


def version_def(producer: int, min_consumer: int) -> Any:
    """A VersionDef, the mark of a GraphDef's age."""
    return protos.VersionDef(producer=producer, min_consumer=min_consumer)
