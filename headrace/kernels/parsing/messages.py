"""Example messages as the parser wants them: the same bytes as `tf.train.Example`, with other classes over them.

The lists of values are declared as plain bytes, so that reading a message makes no Python object a value: what they
hold is read by `wire`, for all examples of a batch at once.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError

__all__ = ["DecodeError", "Example", "SequenceExample"]

_PACKAGE = "headrace.parsing"
_BYTES, _MESSAGE, _STRING = 12, 11, 9
_OPTIONAL, _REPEATED = 1, 3


def _described() -> Any:
    # proto2 does not look into the keys for proper UTF-8, nor does TensorFlow.
    file = descriptor_pb2.FileDescriptorProto(name="headrace_parsing.proto", package=_PACKAGE, syntax="proto2")

    def message(name: str) -> Any:
        return file.message_type.add(name=name)

    def add(to: Any, name: str, number: int, kind: int | str, repeated: bool = False) -> Any:
        made = to.field.add(name=name, number=number, label=_REPEATED if repeated else _OPTIONAL)
        if isinstance(kind, str):
            made.type, made.type_name = _MESSAGE, f".{_PACKAGE}.{kind}"
        else:
            made.type = kind
        return made

    def add_map(to: Any, name: str, number: int, value: str) -> None:
        nested = to.nested_type.add(name=f"{name.title().replace('_', '')}Entry")
        nested.options.map_entry = True
        add(nested, "key", 1, _STRING)
        add(nested, "value", 2, value)
        add(to, name, number, f"{to.name}.{nested.name}", repeated=True)

    feature = message("Feature")
    feature.oneof_decl.add(name="kind")
    for number, name in enumerate(("bytes_list", "float_list", "int64_list"), 1):
        add(feature, name, number, _BYTES).oneof_index = 0
    add_map(message("Features"), "feature", 1, "Feature")
    add(message("FeatureList"), "feature", 1, "Feature", repeated=True)
    add_map(message("FeatureLists"), "feature_list", 1, "FeatureList")
    add(message("Example"), "features", 1, "Features")
    sequence = message("SequenceExample")
    add(sequence, "context", 1, "Features")
    add(sequence, "feature_lists", 2, "FeatureLists")
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.AddSerializedFile(_described().SerializeToString())


def _class(name: str) -> Any:
    return message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


Example: Any = _class("Example")
SequenceExample: Any = _class("SequenceExample")
