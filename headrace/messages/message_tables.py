"""Message classes made from tables of their fields, in the wire format of the files that they are named after.

A table goes from messages to their fields as `name=number:type`, separated by blanks. `*` before a type is a repeated
field, `?group:` a field of a oneof, `{key,value}` a map, and `!` after a type marks an enumeration. A message named
"Outer.Inner" lies in one before it; "Name!" is an enumeration, of `LABEL=number`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from google.protobuf.descriptor import FileDescriptor
    from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto

_FIELD = re.compile(r"(\w+)=(\d+):(\*)?(?:\?(\w+):)?(?:\{(\w+),(\w+)\}|(\w+)(!)?)")


def describe_file(file: FileDescriptorProto, messages: Mapping[str, str], known: dict[str, str]) -> None:
    """Adds the messages of a table to a file's description.

    Args:
        file: the description, with its name, package and what it depends on.
        messages: the table.
        known: the full names of the types of other files, by what tables call them.
    """
    known = known | {name.rpartition(".")[2].strip("!"): f".{file.package}.{name.strip('!')}" for name in messages}
    for name, fields in messages.items():
        outer, _, inner = name.rpartition(".")
        within = next(message for message in file.message_type if message.name == outer) if outer else None
        if name.endswith("!"):
            enum = (file if within is None else within).enum_type.add(name=inner[:-1])
            for text in fields.split():
                label, _, number = text.partition("=")
                enum.value.add(name=label, number=int(number))
            continue
        made = (file.message_type if within is None else within.nested_type).add(name=inner)
        _describe(made, fields, known, f".{file.package}.{name}")


def _describe(message: DescriptorProto, fields: str, known: dict[str, str], full_name: str) -> None:
    oneofs: list[str] = []
    for text in fields.split():
        match = _FIELD.fullmatch(text)
        if match is None:
            raise ValueError(f"{message.name}: {text!r} is not a field")
        name, number, repeated, oneof, key, value, kind, enum = match.groups()
        field = message.field.add(name=name, number=int(number), label=3 if repeated or key else 1)
        if key:
            # A map is a repeated message of key and value, marked as such, with the name protoc gives it.
            entry = "".join(part.capitalize() for part in name.split("_")) + "Entry"
            nested = message.nested_type.add(name=entry)
            nested.options.map_entry = True
            _set_type(nested.field.add(name="key", number=1, label=1), key, None, known)
            _set_type(nested.field.add(name="value", number=2, label=1), value, None, known)
            field.type = field.TYPE_MESSAGE
            field.type_name = f"{full_name}.{entry}"
            continue
        _set_type(field, kind, enum, known)
        if oneof:
            if oneof not in oneofs:
                oneofs.append(oneof)
                message.oneof_decl.add(name=oneof)
            field.oneof_index = oneofs.index(oneof)


def _set_type(field: FieldDescriptorProto, kind: str, enum: str | None, known: dict[str, str]) -> None:
    if kind[0].islower():
        field.type = getattr(field, f"TYPE_{kind.upper()}")
    else:
        field.type = field.TYPE_ENUM if enum else field.TYPE_MESSAGE
        field.type_name = known[kind]


def class_of(file: FileDescriptor, name: str) -> Any:
    """The message class, or the wrapper of an enumeration, of a file by its name; the number of an enumerator.

    Raises:
        AttributeError: if the file has none of that name.
    """
    from google.protobuf import message_factory
    from google.protobuf.internal import enum_type_wrapper

    if name in file.enum_types_by_name:
        return enum_type_wrapper.EnumTypeWrapper(file.enum_types_by_name[name])
    if name in file.message_types_by_name:
        return message_factory.GetMessageClass(file.message_types_by_name[name])
    for enum in file.enum_types_by_name.values():
        if name in enum.values_by_name:
            return enum.values_by_name[name].number
    raise AttributeError(f"{file.name} has no {name!r}")


def build_file(
    name: str, package: str, messages: Mapping[str, str], uses: Mapping[str, FileDescriptor]
) -> FileDescriptor:
    """The file that a table describes, in the default pool of descriptors.

    Args:
        name: what the pool calls it.
        package: the package of its messages.
        messages: the table.
        uses: the files it depends on, by what the table calls the type it uses of each.
    """
    from google.protobuf import descriptor_pb2, descriptor_pool

    proto = descriptor_pb2.FileDescriptorProto(name=name, package=package, syntax="proto3")
    for used in dict.fromkeys(file.name for file in uses.values()):
        proto.dependency.append(used)
    describe_file(proto, messages, {kind: f".{file.package}.{kind}" for kind, file in uses.items()})
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(proto.SerializeToString())
    return pool.FindFileByName(name)
