"""Protocol buffer messages to tensors of their fields, and back: DecodeProtoV2, EncodeProto."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from google.protobuf import text_format
from google.protobuf.message import DecodeError

from headrace.core import errors
from headrace.core.dims import merge_dims
from headrace.core.dtypes import string
from headrace.core.errors import DataLossError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid, shape_text
from headrace.kernels.host_values import boxed, to_array
from headrace.kernels.parsing.proto_fields import Field, MessageType, small_class

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import NodeView, OpView, TensorLike


decode_proto_op = op(
    "DecodeProtoV2",
    "bytes: string, *, message_type: string, field_names: list(string), output_types: list(type) >= 0, "
    "descriptor_source='local://', message_format='binary', sanitize=False -> sizes: int32, values: *output_types",
)
encode_proto_op = op(
    "EncodeProto",
    "sizes: int32, values: *Tinput_types, *, field_names: list(string), message_type: string, "
    "descriptor_source='local://', Tinput_types: list(type) >= 1 -> bytes: string",
)
decode_proto_op.on_host("bytes", outputs=True).not_differentiable()
encode_proto_op.on_host("sizes", "values", outputs=True).not_differentiable()


def _text(value: str) -> str:
    return value.decode() if isinstance(value, bytes) else value


@decode_proto_op.shape
def decode_proto_shape(op: OpView) -> list[Any]:
    batch, count = op.inputs[0].dims, len(op.attrs["output_types"])
    if batch is None:
        return [None] * (1 + count)
    return [(*batch, count), *[(*batch, None)] * count]


def _binary(message_type: MessageType, message_format: str, sanitize: bool) -> Callable[[bytes], bytes]:
    """What makes of a message, as it is given, its bytes."""
    if message_format not in ("binary", "text"):
        raise invalid(f"format must be one of binary or text, not {message_format!r}")
    if message_format == "binary" and not sanitize:
        return lambda data: data
    whole = message_type.message_class()

    def from_text(data: bytes) -> bytes:
        try:
            parsed = text_format.Parse(data, whole(), descriptor_pool=message_type.pool)
        except (text_format.ParseError, UnicodeDecodeError) as error:
            raise DataLossError(None, None, f"Unable to parse text protobuf: {error}") from None
        return parsed.SerializePartialToString()

    def again(data: bytes) -> bytes:
        try:
            return whole.FromString(data).SerializePartialToString()
        except DecodeError as error:
            raise DataLossError(None, None, f"Unable to parse binary protobuf: {error}") from None

    return from_text if message_format == "text" else again


@decode_proto_op.kernel
def decode_proto_kernel(node: NodeView) -> Callable[..., Any]:
    attrs = node.attrs
    names, dtypes = [_text(name) for name in attrs["field_names"]], attrs["output_types"]
    if len(names) != len(dtypes):
        raise invalid(
            f"field_names and output_types attributes must have the same length, not {len(names)} and {len(dtypes)}"
        )
    message_type = MessageType(_text(attrs["message_type"]), attrs["descriptor_source"])
    fields = [message_type.field(name, extensions=True) for name in names]
    for field, dtype in zip(fields, dtypes, strict=True):
        field.check(dtype, message_type.name, "read")
    # Of a field that is named twice the last one gets the values, as in 1.x.
    distinct = {field.number: field for field in fields}
    own = {number: f"f{index}" for index, number in enumerate(distinct)}
    last = {field.number: index for index, field in enumerate(fields)}
    parts = [own[field.number] if last[field.number] == index else None for index, field in enumerate(fields)]
    small = small_class(list(distinct.values()))
    binary = _binary(message_type, _text(attrs["message_format"]), attrs["sanitize"])

    def parse(data: bytes) -> Any:
        data = binary(data)
        try:
            return small.FromString(data)
        except DecodeError as error:
            raise DataLossError(None, None, f"Unable to parse message of type {message_type.name}: {error}") from None

    def decode(data: np.ndarray) -> tuple[np.ndarray | torch.Tensor, ...]:
        batch = boxed(data)
        messages = [parse(item) for item in batch.reshape(-1).tolist()]
        if not messages:
            raise invalid("DecodeProtoV2 expects at least one message, got none")
        sizes = np.zeros((len(messages), len(fields)), np.int32)
        values = []
        for index, (field, dtype, part) in enumerate(zip(fields, dtypes, parts, strict=True)):
            rows = [[]] * len(messages) if part is None else [_values(m, part, field) for m in messages]
            sizes[:, index] = [len(row) for row in rows]
            values.append(_padded(rows, field, dtype, batch.shape))
        return torch.from_numpy(sizes.reshape(*batch.shape, len(fields))), *values

    return decode


def _values(message: Any, part: str, field: Field) -> Sequence[Any]:
    if field.repeated:
        return getattr(message, part)
    return [getattr(message, part)] if message.HasField(part) else []


def _padded(
    rows: Sequence[Sequence[Any]], field: Field, dtype: DType, batch: tuple[int, ...]
) -> np.ndarray | torch.Tensor:
    """Rows of values as an array (*batch, longest), filled up with the field's default; at least one a row."""
    width = max(1, *map(len, rows))
    text = dtype is string
    out = np.full((len(rows), width), field.default, object if text else dtype.as_numpy_dtype)
    for row, target in zip(rows, out, strict=True):
        if row:
            target[: len(row)] = list(row)
    out = out.reshape(*batch, width)
    return out if text else torch.from_numpy(out)


@encode_proto_op.shape
def encode_proto_shape(op: OpView) -> list[Any]:
    batch = None
    for index, value in enumerate(op.inputs):
        if value.dims is None:
            continue
        if len(value.dims) < 2:
            raise ValueError(f"Shape must be at least rank 2 but is rank {len(value.dims)}")
        # The sizes are compared with the values when it runs.
        if index:
            batch = merge_dims(batch, value.dims[:-1])
    return [batch]


@encode_proto_op.kernel
def encode_proto_kernel(node: NodeView) -> Callable[..., Any]:
    attrs = node.attrs
    names, dtypes = [_text(name) for name in attrs["field_names"]], attrs["Tinput_types"]
    if len(names) != len(dtypes):
        raise invalid(f"Length of inputs list must match field_names, but they are {len(dtypes)} and {len(names)}")
    message_type = MessageType(_text(attrs["message_type"]), attrs["descriptor_source"])
    fields = [message_type.field(name) for name in names]
    for field, dtype in zip(fields, dtypes, strict=True):
        field.check(dtype, message_type.name, "written")
    distinct = {field.number: field for field in fields}
    own = {number: f"f{index}" for index, number in enumerate(distinct)}
    parts = [own[field.number] for field in fields]
    small = small_class(list(distinct.values()), all_repeated=True)

    def encode(sizes: torch.Tensor, *values: Any) -> Any:
        arrays = [to_array(value) for value in values]
        batch = arrays[0].shape[:-1]
        counts = to_array(sizes)
        for array in arrays:
            if array.ndim < 1 or array.shape[:-1] != batch:
                raise invalid(
                    "Values must match up to the last dimension, but have shapes "
                    + ", ".join(shape_text(each.shape) for each in arrays)
                )
        if counts.shape != (*batch, len(fields)):
            raise invalid(
                f"sizes should be batch_size + [len(field_names)].  Saw: {shape_text(counts.shape)} but expected: "
                f"{shape_text((*batch, len(fields)))}"
            )
        total = math.prod(batch)
        columns = [
            _column(array.reshape(total, array.shape[-1]), field) for array, field in zip(arrays, fields, strict=True)
        ]
        out = np.empty(total, object)
        for row, lengths in enumerate(counts.reshape(total, len(fields)).tolist()):
            message = small()
            for index, (part, column) in enumerate(zip(parts, columns, strict=True)):
                if lengths[index] > column.shape[1]:
                    raise invalid(
                        "Size to write must not be larger than value tensor; but saw: "
                        f"{lengths[index]} > {column.shape[1]} at message {row} field {index}"
                    )
                if lengths[index] > 0:
                    getattr(message, part).extend(column[row, : lengths[index]].tolist())
            out[row] = message.SerializeToString(deterministic=True)
        return out.reshape(batch)

    return encode


def _column(array: np.ndarray, field: Field) -> np.ndarray:
    """The values of a field in the width that it has: 64 bits are cut to 32, as in 1.x."""
    narrow = field.narrow
    return array if narrow is None or array.dtype == narrow else array.astype(narrow)


def decode_proto(
    bytes: TensorLike,
    message_type: str,
    field_names: Sequence[str],
    output_types: Sequence[Any],
    descriptor_source: bytes | str = "local://",
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> Any:
    """Fields of serialized protocol buffer messages as tensors.

    Args:
        bytes: a string tensor of messages, of any shape, the batch.
        message_type: the full name of the messages' type.
        field_names: the fields to read; an extension by its full name.
        output_types: their types: what the field is (enumerations int32, messages and bytes string); int32 and uint32 may
            be read as int64 and uint64, float as float64.
        descriptor_source: where the type is described. "local://": the messages of TensorFlow and those whose Python
            classes this process has imported. Or a file with a serialized `FileDescriptorSet`, as `protoc
            --descriptor_set_out --include_imports` writes it; or b"bytes://" followed by such a set.
        message_format: "binary" or "text".
        sanitize: whether messages are parsed as a whole and written anew first, which merges fields given twice.
        name: a name for the operation.

    Returns:
        `sizes`, int32 [*batch, fields], how many values each field has, and `values`, a list of tensors [*batch, most],
        filled up with the field's default value.

    Raises:
        InvalidArgumentError: if there is no such source, type or field, or a field is not of its output type.
        DataLossError: if a message cannot be parsed.

    Example:
        >>> value = tf.Summary.Value(tag="loss", simple_value=0.5)
        >>> sizes, (tags,) = tf.io.decode_proto(
        ...     [value.SerializeToString()], "tensorflow.Summary.Value", ["tag"], [tf.string])
        >>> sess.run([sizes, tags])
        [array([[1]], dtype=int32), array([[b'loss']], dtype=object)]
    """
    return raw.DecodeProtoV2(
        bytes,
        message_type=message_type,
        field_names=field_names,
        output_types=output_types,
        descriptor_source=descriptor_source,
        message_format=message_format,
        sanitize=sanitize,
        name=name,
    )


def encode_proto(
    sizes: TensorLike,
    values: Sequence[Any],
    field_names: Sequence[str],
    message_type: str,
    descriptor_source: bytes | str = "local://",
    name: str | None = None,
) -> Tensor:
    """Serialized protocol buffer messages of tensors of their fields.

    Args:
        sizes: int32 [*batch, fields], how many of the values each field gets.
        values: a tensor [*batch, most] for each field, of its type, as for `tf.io.decode_proto`.
        field_names: the fields.
        message_type: the full name of the messages' type.
        descriptor_source: where the type is described, as for `tf.io.decode_proto`.
        name: a name for the operation.

    Returns:
        a string tensor [*batch].

    Raises:
        InvalidArgumentError: if there is no such source, type or field, or types or shapes do not fit.

    Example:
        >>> example = tf.io.encode_proto([[1]], [[["a"]]], ["value"], "tensorflow.BytesList")
    """
    return raw.EncodeProto(
        sizes,
        values,
        field_names=field_names,
        message_type=message_type,
        descriptor_source=descriptor_source,
        name=name,
    )


# Of tensorflow.Summary.Value: tag "loss" and simple_value 1.0; only a tag.
_RECORDS = np.array([b"\x0a\x04loss\x15\x00\x00\x80?", b"\x0a\x01a"], object)
_OF_VALUES = {"message_type": "tensorflow.Summary.Value", "field_names": ["tag", "simple_value"]}
_TYPES = ["string", "float32"]
decode_proto_op.accepts(_RECORDS, output_types=_TYPES, **_OF_VALUES)
decode_proto_op.accepts(
    b'tag: "x" simple_value: 2', output_types=_TYPES, message_format="text", sanitize=True, **_OF_VALUES
)
decode_proto_op.rejects(_RECORDS, output_types=["string", "int32"], **_OF_VALUES, error=errors.InvalidArgumentError)
decode_proto_op.rejects(np.array([b"\x0a\x09a"], object), output_types=_TYPES, **_OF_VALUES, error=DataLossError)
_COLUMNS = [np.array([[b"loss"], [b"a"]], object), np.array([[1.0], [0.0]], np.float32)]
encode_proto_op.accepts(np.array([[1, 1], [1, 0]], np.int32), _COLUMNS, **_OF_VALUES)
encode_proto_op.rejects(np.array([[1, 2], [1, 0]], np.int32), _COLUMNS, **_OF_VALUES, error=errors.InvalidArgumentError)
