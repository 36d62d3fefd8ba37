"""Fields of protocol buffer messages, found by name, and small messages of just these for reading and writing them.

A field of such a small message has the number and wire format of the one it stands for, but strings, messages and
enumerations are plain bytes and numbers there, so that nothing is looked into or checked that is not asked for.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf import (
    descriptor_database,
    descriptor_pb2,
    descriptor_pool,
    message_factory,
)
from google.protobuf.message import DecodeError

from headrace.core import dtypes
from headrace.core.dtypes import DType, float32, float64, int32, int64, string, uint32, uint64
from headrace.core.errors import NotFoundError
from headrace.files.file_io import read_file_to_string
from headrace.kernels.array.arguments import invalid
from headrace.messages import protos

_Field = descriptor_pb2.FieldDescriptorProto
_LOCAL = ("", "local://")
_BYTES_PREFIX = b"bytes://"

# What a field of each type may be read as; the first is what it is.
_DTYPES: dict[int, tuple[DType, ...]] = {
    _Field.TYPE_DOUBLE: (float64,),
    _Field.TYPE_FLOAT: (float32, float64),
    _Field.TYPE_INT64: (int64,),
    _Field.TYPE_SINT64: (int64,),
    _Field.TYPE_SFIXED64: (int64,),
    _Field.TYPE_UINT64: (uint64,),
    _Field.TYPE_FIXED64: (uint64,),
    _Field.TYPE_INT32: (int32, int64),
    _Field.TYPE_SINT32: (int32, int64),
    _Field.TYPE_SFIXED32: (int32, int64),
    _Field.TYPE_UINT32: (uint32, uint64),
    _Field.TYPE_FIXED32: (uint32, uint64),
    _Field.TYPE_BOOL: (dtypes.bool,),
    _Field.TYPE_STRING: (string,),
    _Field.TYPE_BYTES: (string,),
    _Field.TYPE_MESSAGE: (string,),
    _Field.TYPE_ENUM: (int32,),
}
_SIMPLER = {
    _Field.TYPE_STRING: _Field.TYPE_BYTES,
    _Field.TYPE_MESSAGE: _Field.TYPE_BYTES,
    _Field.TYPE_ENUM: _Field.TYPE_INT32,
}

_serial = itertools.count()


@dataclass(frozen=True)
class Field:
    """A field: its place in the small message, and what a missing value reads as."""

    name: str
    number: int
    type: int
    repeated: bool
    packed: bool
    default: Any

    @property
    def narrow(self) -> Any:
        """The NumPy type of the field's own width; None for strings."""
        dtype = _DTYPES[self.type][0]
        return None if dtype is string else dtype.as_numpy_dtype

    def check(self, dtype: DType, of: str, verb: str) -> None:
        """Raises InvalidArgumentError unless the field is read (or written) as `dtype`."""
        allowed = _DTYPES[self.type]
        if dtype.base_dtype not in allowed:
            names = " or ".join(t.name for t in allowed)
            raise invalid(f"Field {of}.{self.name} is {verb} as {names}, not as {dtype.name}")


class MessageType:
    """A message type found in a source of descriptors.

    Args:
        name: the full name, such as "tensorflow.Example".
        source: "" or "local://" for what this process has, a file with a FileDescriptorSet, or b"bytes://" and one.

    Raises:
        InvalidArgumentError: if there is no such source, or no such message in it.
    """

    def __init__(self, name: str, source: str | bytes) -> None:
        self.name = name
        raw = source.encode() if isinstance(source, str) else bytes(source)
        self.pool = descriptor_pool.Default() if raw.decode(errors="replace") in _LOCAL else _pool(raw)
        self._descriptor = self._found(local=raw.decode(errors="replace") in _LOCAL)

    def _found(self, local: bool) -> Any:
        try:
            return self.pool.FindMessageTypeByName(self.name)
        except (KeyError, TypeError) as error:
            known = protos.descriptor_of(self.name) if local else None
            if known is None:
                raise invalid(f"No descriptor found for message type {self.name}") from error
            return known

    def message_class(self) -> Any:
        """The class of the whole message."""
        return message_factory.GetMessageClass(self._descriptor)

    def field(self, name: str, extensions: bool = False) -> Field:
        """The field `name`; with `extensions` also an extension by its full name.

        Raises:
            InvalidArgumentError: if there is none, or it is a group.
        """
        found = self._descriptor.fields_by_name.get(name)
        if found is None and extensions:
            found = self._extension(name)
        if found is None:
            raise invalid(f"Unknown field: {name} in message type {self.name}")
        if found.type not in _DTYPES:
            raise invalid(f"Field {self.name}.{name} is a group, which is not supported: use a message")
        repeated = _is_repeated(found)
        # What proto3 packs of its own accord 1.x writes unpacked; readers take both.
        packed = repeated and bool(found.GetOptions().packed)
        return Field(name, found.number, found.type, repeated, packed, _default(found, repeated))

    def _extension(self, name: str) -> Any:
        try:
            found = self.pool.FindExtensionByName(name)
        except KeyError:
            return None
        return found if found.containing_type.full_name == self._descriptor.full_name else None


def _pool(source: bytes) -> Any:
    if source.startswith(_BYTES_PREFIX):
        data = source[len(_BYTES_PREFIX) :]
    else:
        try:
            data = read_file_to_string(source.decode(), binary_mode=True)
        except (NotFoundError, UnicodeDecodeError) as error:
            raise invalid(f"descriptor_source {source!r} is not a file with a FileDescriptorSet: {error}") from None
    try:
        files = descriptor_pb2.FileDescriptorSet.FromString(data)
    except DecodeError as error:
        raise invalid(f"descriptor_source does not hold a serialized FileDescriptorSet: {error}") from None
    # A database, since the files may come before those that they import.
    database = descriptor_database.DescriptorDatabase()
    for file in files.file:
        database.Add(file)
    pool = descriptor_pool.DescriptorPool(database)
    for file in files.file:
        try:
            # Extensions are known only once their file has been built.
            pool.FindFileByName(file.name)
        except (KeyError, TypeError) as error:
            raise invalid(f"descriptor_source: file {file.name!r} cannot be built: {error}") from None
    return pool


def _is_repeated(found: Any) -> bool:
    # protobuf 5 asks for the label what later versions ask for with a property, and warn about the label.
    known = getattr(found, "is_repeated", None)
    return bool(found.label == _Field.LABEL_REPEATED if known is None else known)


def _default(found: Any, repeated: bool) -> bytes | int:
    """What 1.x pads with: the field's default where it has one."""
    text = _DTYPES[found.type] == (string,)
    if repeated or not found.has_default_value:
        return b"" if text else 0
    value = found.default_value
    return value.encode() if isinstance(value, str) else value


def small_class(fields: Sequence[Field], all_repeated: bool = False) -> Any:
    """The class of a message of `fields` (of different numbers), named f0, f1, and so on."""
    number = next(_serial)
    file = descriptor_pb2.FileDescriptorProto(name=f"headrace_fields_{number}.proto", package="headrace.fields")
    message = file.message_type.add(name="Small")
    for index, field in enumerate(fields):
        label = _Field.LABEL_REPEATED if field.repeated or all_repeated else _Field.LABEL_OPTIONAL
        kind = _SIMPLER.get(field.type, field.type)
        made = message.field.add(name=f"f{index}", number=field.number, type=kind, label=label)
        if field.packed:
            made.options.packed = True
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("headrace.fields.Small"))
