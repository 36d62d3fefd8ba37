"""Files of the protocol buffer language, read: message classes without a compiler.

What the files of `protocol/` use is understood: messages, enumerations, maps, oneofs and services of proto3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from google.protobuf import descriptor_pb2

_TOKEN = re.compile(r'//[^\n]*|\s+|"(?P<text>[^"]*)"|(?P<word>[\w.]+)|(?P<sign>[{}()<>=;,\[\]])')
_SCALARS = frozenset(["double", "float", "int64", "uint64", "int32", "uint32", "bool", "string", "bytes"])
_Field = descriptor_pb2.FieldDescriptorProto


def parse_proto(name: str, source: str) -> descriptor_pb2.FileDescriptorProto:
    """The descriptor of a file in the protocol buffer language.

    Args:
        name: the file's name, by which others import it.
        source: its text.

    Raises:
        ValueError: for what is not understood, with where it is.

    Example:
        >>> parse_proto("a.proto", 'syntax = "proto3"; message A { int32 x = 1; }').message_type[0].name
        'A'
    """
    return _Parser(name, source).file()


class _Parser:
    def __init__(self, name: str, source: str) -> None:
        self._name = name
        self._tokens = list(_tokens(name, source))
        self._at = 0

    def file(self) -> descriptor_pb2.FileDescriptorProto:
        made = descriptor_pb2.FileDescriptorProto(name=self._name, syntax="proto3")
        while self._at < len(self._tokens):
            kind = self._next()
            if kind == "syntax":
                self._expect("=")
                self._next()
                self._expect(";")
            elif kind == "package":
                made.package = self._next()
                self._expect(";")
            elif kind == "import":
                made.dependency.append(self._next())
                self._expect(";")
            elif kind == "message":
                self._message(made.message_type.add())
            elif kind == "enum":
                self._enum(made.enum_type.add())
            elif kind == "service":
                self._service(made.service.add())
            else:
                raise self._error(f"{kind!r} begins no declaration")
        return made

    def _message(self, message: descriptor_pb2.DescriptorProto) -> None:
        message.name = self._next()
        self._expect("{")
        while not self._accept("}"):
            kind = self._next()
            if kind == "message":
                self._message(message.nested_type.add())
            elif kind == "enum":
                self._enum(message.enum_type.add())
            elif kind == "oneof":
                index = len(message.oneof_decl)
                message.oneof_decl.add(name=self._next())
                self._expect("{")
                while not self._accept("}"):
                    self._field(message, self._next(), _Field.LABEL_OPTIONAL).oneof_index = index
            elif kind == "repeated":
                self._field(message, self._next(), _Field.LABEL_REPEATED)
            elif kind == "map":
                self._map(message)
            else:
                self._field(message, kind, _Field.LABEL_OPTIONAL)

    def _field(
        self, message: descriptor_pb2.DescriptorProto, kind: str, label: int
    ) -> descriptor_pb2.FieldDescriptorProto:
        field = message.field.add(name=self._next(), label=label)
        _set_type(field, kind)
        self._expect("=")
        field.number = int(self._next())
        if self._accept("["):
            option = self._next()
            if option != "json_name":
                raise self._error(f"the option {option!r} is not understood")
            self._expect("=")
            field.json_name = self._next()
            self._expect("]")
        self._expect(";")
        return field

    def _map(self, message: descriptor_pb2.DescriptorProto) -> None:
        self._expect("<")
        key = self._next()
        self._expect(",")
        value = self._next()
        self._expect(">")
        name = self._tokens[self._at]
        # A map is a repeated message of keys and values, under the name that the compiler gives it.
        entry = "".join(part.capitalize() for part in name.split("_")) + "Entry"
        nested = message.nested_type.add(name=entry)
        nested.options.map_entry = True
        for number, (part, kind) in enumerate((("key", key), ("value", value)), 1):
            _set_type(nested.field.add(name=part, number=number, label=_Field.LABEL_OPTIONAL), kind)
        self._field(message, f"{message.name}.{entry}", _Field.LABEL_REPEATED)

    def _enum(self, enum: descriptor_pb2.EnumDescriptorProto) -> None:
        enum.name = self._next()
        self._expect("{")
        while not self._accept("}"):
            label = self._next()
            self._expect("=")
            enum.value.add(name=label, number=int(self._next()))
            self._expect(";")

    def _service(self, service: descriptor_pb2.ServiceDescriptorProto) -> None:
        service.name = self._next()
        self._expect("{")
        while not self._accept("}"):
            self._expect("rpc")
            method = service.method.add(name=self._next())
            self._expect("(")
            method.client_streaming = self._accept("stream")
            method.input_type = self._next()
            self._expect(")")
            self._expect("returns")
            self._expect("(")
            method.server_streaming = self._accept("stream")
            method.output_type = self._next()
            self._expect(")")
            self._expect(";")

    def _next(self) -> str:
        if self._at >= len(self._tokens):
            raise self._error("the file ends in the middle of a declaration")
        self._at += 1
        return self._tokens[self._at - 1]

    def _accept(self, token: str) -> bool:
        found = self._at < len(self._tokens) and self._tokens[self._at] == token
        self._at += found
        return found

    def _expect(self, token: str) -> None:
        found = self._next()
        if found != token:
            raise self._error(f"expected {token!r}, got {found!r}")

    def _error(self, text: str) -> ValueError:
        before = " ".join(self._tokens[max(0, self._at - 6) : self._at])
        return ValueError(f"{self._name}, after {before!r}: {text}")


def _tokens(name: str, source: str) -> Iterator[str]:
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        if match is None:
            raise ValueError(f"{name}: {source[at : at + 20]!r} is not understood")
        at = match.end()
        if match.lastgroup is not None:
            yield match.group(match.lastgroup)


def _set_type(field: descriptor_pb2.FieldDescriptorProto, kind: str) -> None:
    if kind in _SCALARS:
        field.type = getattr(_Field, f"TYPE_{kind.upper()}")
    else:
        # Message or enumeration: the pool finds out, in the scopes around the field.
        field.type_name = kind
