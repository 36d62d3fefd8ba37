"""Structures of Python values as `StructuredValue` messages: what SavedModels say of functions' arguments and results."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core import nest
from headrace.core.dtypes import DType, as_dtype
from headrace.core.errors import UnimplementedError
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.type_specs import IndexedSlicesSpec, SparseTensorSpec, TensorSpec, TypeSpec
from headrace.data.dataset import DatasetSpec
from headrace.data.leaves import TensorArraySpec
from headrace.data.optional import OptionalSpec
from headrace.functions.ragged.spec import RaggedTensorSpec
from headrace.messages import protos
from headrace.messages.node_def import shape_to_proto

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


_MAX_COMPONENTS = 1000  # more tensors than any value is made of


class FullArgSpec(NamedTuple):
    """What `inspect.getfullargspec` tells of a Python function."""

    args: list[str]
    varargs: str | None
    varkw: str | None
    defaults: tuple[Any, ...] | None
    kwonlyargs: list[str]
    kwonlydefaults: dict[str, Any] | None
    annotations: dict[str, Any]


class OpaqueSpec(TypeSpec):
    """What a file says of values of a kind that is not here, such as iterators over devices.

    Args:
        kind: its name.
        count: of how many tensors such a value is made.
    """

    def __init__(self, kind: str, count: int) -> None:
        self.kind, self.count = kind, count

    def _serialize(self) -> tuple[Any, ...]:
        return self.kind, self.count

    @property
    def _component_specs(self) -> Any:
        return [TensorSpec(None, "variant")] * self.count

    def _from_components(self, components: Sequence[Tensor]) -> Any:
        return components

    def is_compatible_with(self, spec_or_value: object) -> bool:
        return False

    def __repr__(self) -> str:
        return self.kind


_SPEC_CLASSES: dict[int, type[TypeSpec]] = {
    1: SparseTensorSpec,
    2: IndexedSlicesSpec,
    3: RaggedTensorSpec,
    4: TensorArraySpec,
    5: DatasetSpec,
    7: OptionalSpec,
}


class NotEncodableError(NotImplementedError):
    """A structure holds a value that no message tells of."""


def encoded(value: Any) -> protos.StructuredValue:
    """A structure as a message.

    Args:
        value: None, a number, text, a shape, type or description of a tensor, sparse or ragged too, or tuples,
        lists, named tuples and dicts of such.

    Raises:
        NotEncodableError: for anything else, naming it.
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
    elif type(value) in _SPEC_CLASSES.values():
        described = message.type_spec_value
        described.type_spec_class = next(n for n, kind in _SPEC_CLASSES.items() if kind is type(value))
        described.type_spec_class_name = type(value).__name__
        described.type_state.CopyFrom(encoded(value._serialize()))
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
        raise NotEncodableError(
            f"A SavedModel cannot tell of a function with the argument or result {value!r} of type {type(value).__name__}."
        )
    return message


def decoded(message: protos.StructuredValue) -> Any:
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
        if not all(map(str.isascii, fields)):
            # Python takes some for the same name.
            raise UnimplementedError(None, None, f"A structure of a function cannot be read: its fields are {fields}")
        try:
            made = collections.namedtuple(described.name or "Values", fields)  # type: ignore[misc]  # fields that only the file knows
        except ValueError as error:
            raise UnimplementedError(None, None, f"A structure of a function cannot be read: {error}") from None
        return made(*(decoded(pair.value) for pair in described.values))
    if kind == "type_spec_value":
        return _described_by(message.type_spec_value)
    raise UnimplementedError(None, None, f"Arguments or results of functions of the kind {kind} cannot be read.")


def _described_by(message: protos.TypeSpecProto) -> TypeSpec:
    made = _SPEC_CLASSES.get(message.type_spec_class)
    name, count = message.type_spec_class_name, message.num_flat_components
    if made is None:
        if not 0 <= count <= _MAX_COMPONENTS:
            raise ValueError(f"A value of the kind {name} would be made of {count} tensors")
        return OpaqueSpec(name, count)
    state = decoded(message.type_state)
    if not isinstance(state, tuple):
        raise ValueError(f"A value of the kind {name} is described by {state!r}")
    if made in (DatasetSpec, OptionalSpec) and not all(isinstance(leaf, TypeSpec) for leaf in nest.flatten(state[:1])):
        raise ValueError(f"What a value of the kind {name} holds is described by {state[0]!r}")
    if made is RaggedTensorSpec:
        # Later versions tell of the innermost values too.
        state = state[:4]
        if len(state) > 2 and not (isinstance(state[2], int) and 0 <= state[2] <= _MAX_COMPONENTS):
            raise ValueError(f"A ragged tensor would have {state[2]!r} levels of rows")
    return made(*state)


class StructureCoder:
    """1.x's coder between structures of Python values and messages."""

    def encode_structure(self, nested_structure: Any) -> protos.StructuredValue:
        """As `encoded`."""
        return encoded(nested_structure)

    def can_encode(self, nested: Any) -> bool:
        """Whether a structure can be told by a message."""
        try:
            encoded(nested)
        except NotEncodableError:
            return False
        return True

    def decode_proto(self, proto: protos.StructuredValue) -> Any:
        """As `decoded`, of a message that tells of a value.

        Raises:
            NotEncodableError: for a message without a value.
        """
        if proto.WhichOneof("kind") is None:
            raise NotEncodableError("There is no structure in a message whose `kind` is not set.")
        return decoded(proto)
