"""Whole tensors as strings, JSON as Example messages, and compressed strings."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.cases import made, result
from headrace.core.dtypes import as_dtype, string
from headrace.core.errors import DataLossError, InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.files.inflating import inflated
from headrace.kernels.host_values import boxed, mapped, to_array, to_tensor
from headrace.messages import protos
from headrace.messages.tensor_proto import bounded_array_of

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


serialize_tensor_op = op("SerializeTensor", "tensor: T -> serialized: string")
parse_tensor_op = op("ParseTensor", "serialized: string, *, out_type: type -> output: out_type")
decode_json_op = op("DecodeJSONExample", "json_examples: string -> binary_examples: string")
decode_compressed_op = op("DecodeCompressed", "bytes: string, *, compression_type='' -> output: string").decompresses()
serialize_tensor_op.not_differentiable().on_host("tensor").accepts(np.array([[1.0, 2.0]], np.float32)).accepts(
    np.array([b"a"], object)
)
parse_tensor_op.on_host(outputs=True).not_differentiable()

_C_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


# ---- tensors ----


@serialize_tensor_op.shape
def serialize_tensor_shape(op):
    return [()]


@serialize_tensor_op.kernel
def serialize_tensor_kernel(node):
    dtype = node.inputs[0].dtype.base_dtype
    message_class = protos.TensorProto

    def serialize(value):
        array = to_array(value)
        message = message_class(dtype=dtype.as_datatype_enum)
        message.tensor_shape.SetInParent()
        for size in array.shape:
            message.tensor_shape.dim.add(size=size)
        if dtype is string:
            message.string_val.extend(array.reshape(-1).tolist())
        else:
            message.tensor_content = array.tobytes()
        return boxed(message.SerializeToString(deterministic=True))

    return serialize


@parse_tensor_op.shape
def parse_tensor_shape(op):
    return [None]


@parse_tensor_op.kernel
def parse_tensor_kernel(node):
    from google.protobuf.message import DecodeError

    dtype = node.attrs["out_type"]
    message_class = protos.TensorProto

    def parse(serialized):
        array = boxed(serialized)
        if array.ndim:
            raise _invalid(f"Expected `serialized` to be a scalar, got shape: {list(array.shape)}")
        record = array.item()
        try:
            message = message_class.FromString(record)
        except DecodeError:
            shown = record.decode("utf-8", "backslashreplace")
            raise _invalid(f"Could not parse `serialized` as TensorProto: '{shown}'") from None
        found = as_dtype(message.dtype)
        if found is not dtype:
            names = [_C_NAMES.get(one.name, one.name) for one in (found, dtype)]
            raise _invalid(f"Type mismatch between parsed tensor ({names[0]}) and dtype ({names[1]})")
        try:
            value = np.array(bounded_array_of(message, len(record)))
        except (TypeError, ValueError) as error:
            raise _invalid(f"Could not parse `serialized` as TensorProto: {error}") from None
        return value if dtype is string else to_tensor(value)

    return parse


def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """A tensor as a string: a serialized TensorProto.

    Args:
        tensor: a tensor of any shape and type.
        name: a name for the operation.

    Returns:
        a string scalar.

    Example:
        >>> x = tf.parse_tensor(tf.serialize_tensor([1.0, 2.0]), tf.float32)
    """
    return raw.SerializeTensor(tensor, name=name)


def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """The tensor that a serialized TensorProto holds.

    Args:
        serialized: a string scalar.
        out_type: the type of the tensor.
        name: a name for the operation.

    Returns:
        a tensor of unknown shape.

    Raises:
        InvalidArgumentError: at run time, for a string that is no such message or holds another type.

    Example:
        >>> record = tf.io.serialize_tensor(tf.constant([1.0, 2.0]))
        >>> sess.run(tf.parse_tensor(record, tf.float32))
        array([1., 2.], dtype=float32)
    """
    return raw.ParseTensor(serialized, out_type=as_dtype(out_type), name=name)


# ---- JSON ----


@decode_json_op.shape
@decode_compressed_op.shape
def same_shape(op):
    return [op.inputs[0].dims]


@decode_json_op.kernel
def decode_json_kernel(node):
    from google.protobuf import json_format

    message_class = protos.Example

    def convert(text: bytes) -> bytes:
        try:
            message = json_format.Parse(text, message_class())
            if not text.lstrip().startswith(b"{"):
                # An empty list is read as an empty message.
                raise _invalid("Error while parsing JSON: root element must be a message")
        except (json_format.ParseError, UnicodeDecodeError) as error:
            raise _invalid(f"Error while parsing JSON: {error}") from None
        return message.SerializeToString(deterministic=True)

    return lambda texts: mapped(convert, boxed(texts))


def decode_json_example(json_examples: TensorLike, name: str | None = None) -> Tensor:
    """Examples written as JSON, as serialized Example messages.

    Args:
        json_examples: string tensor, each element the JSON of an Example.
        name: a name for the operation.

    Returns:
        a string tensor of the same shape, for `parse_example`.

    Raises:
        InvalidArgumentError: at run time, for what is no JSON or no Example.

    Example:
        >>> tf.decode_json_example(['{"features": {"feature": {"a": {"int64List": {"value": [1]}}}}}'])
    """
    return raw.DecodeJSONExample(json_examples, name=name)


# ---- compression ----

_WINDOW_BITS = {"": 0, "ZLIB": 15, "GZIP": 31}


@decode_compressed_op.kernel
def decode_compressed_kernel(node):
    kind = node.attrs["compression_type"]
    if kind not in _WINDOW_BITS:
        raise _invalid("Only ZLIB, GZIP or NONE are supported compressions")
    bits = _WINDOW_BITS[kind]
    if not bits:
        return lambda text: text

    def decompress(text: bytes) -> bytes:
        try:
            return inflated(text, bits, f"decode_compressed: what {len(text)} bytes decompress to")
        except zlib.error as error:
            number, _, words = str(error).partition(" while decompressing data: ")
            raise DataLossError(None, None, f"inflate() failed with {number.lower()}: {words}") from None

    return lambda texts: mapped(decompress, boxed(texts))


decode_compressed_op.aliases()
decode_compressed_op.accepts(np.array([zlib.compress(b"abc")], object), compression_type="ZLIB")


def decode_compressed(bytes: TensorLike, compression_type: str = "", name: str | None = None) -> Tensor:
    """Each string without its compression.

    Args:
        bytes: string tensor.
        compression_type: "ZLIB", "GZIP" or "" for none.
        name: a name for the operation.

    Returns:
        a string tensor of the same shape.

    Raises:
        DataLossError: at run time, for a string that is not so compressed.
        ResourceExhaustedError: at run time, for one that decompresses to more than a quarter of the machine's memory.

    Example:
        >>> import gzip
        >>> sess.run(tf.io.decode_compressed(gzip.compress(b"hello"), "GZIP"))
        b'hello'
    """
    return raw.DecodeCompressed(bytes, compression_type=compression_type, name=name)


parse_tensor_op.accepts(made("SerializeTensor", np.array([[1.5, 2.0]], np.float32)), out_type="float32")
parse_tensor_op.accepts(made("SerializeTensor", np.array([b"a", b""], object)), out_type="string")
parse_tensor_op.rejects(made("SerializeTensor", [2]), out_type="int32", error=InvalidArgumentError)
parse_tensor_op.rejects(b"no tensor", out_type="int32", error=InvalidArgumentError)
_NO_STRINGS = np.zeros([0], object)
decode_json_op.accepts(
    np.array([b'{"features": {"feature": {"x": {"bytesList": {"value": ["YQ=="]}}}}}', b"{}"], object)
)
decode_json_op.accepts(
    np.array([b'{"features": {"feature": {"x": {"int64List": {"value": [1, "2"]}}}}}'], object),
    varies="how lists of numbers are packed is left to the encoder",
    after=[
        made("ParseExample", result, _NO_STRINGS, [b"x"], [], [], sparse_types=["int64"], Tdense=[], dense_shapes=[])
    ],
)
decode_json_op.rejects(b"{", error=InvalidArgumentError)
