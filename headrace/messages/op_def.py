"""Op declarations as OpDef messages."""

from __future__ import annotations

from typing import Any

from headrace.core.registry import OpDecl
from headrace.core.signature import Arg
from headrace.messages import protos
from headrace.messages.node_def import attr_to_proto


def op_def_of(decl: OpDecl) -> protos.OpDef:
    """The signature of a declared op as an `OpDef`."""
    op_def = protos.OpDef(name=decl.type, is_stateful=decl.stateful)
    for arg in decl.signature.inputs:
        _describe(op_def.input_arg.add(), arg)
    for arg in decl.signature.outputs:
        _describe(op_def.output_arg.add(), arg)
    for attr in decl.signature.attrs.values():
        message = op_def.attr.add(name=attr.name, type=attr.kind)
        if attr.has_default:
            message.default_value.CopyFrom(attr_to_proto(attr.kind, attr.default))
        if attr.minimum is not None:
            message.has_minimum = True
            message.minimum = attr.minimum
        if attr.allowed is not None:
            kind = "list(type)" if "type" in attr.kind else "list(string)"
            message.allowed_values.CopyFrom(attr_to_proto(kind, list(attr.allowed)))
    return op_def


def _describe(message: Any, arg: Arg) -> None:
    message.name = arg.name
    message.is_ref = arg.is_ref
    if arg.dtype is not None:
        message.type = arg.dtype.as_datatype_enum
    message.type_attr = arg.type_attr or ""
    message.number_attr = arg.number_attr or ""
    message.type_list_attr = arg.type_list_attr or ""
