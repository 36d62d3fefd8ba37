"""Whether the nodes of GraphDefs fit the ops that they name: inputs, types and attributes."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.apply import argument_types
from headrace.core.dtypes import TF_VALUE_DTYPES, DType, dtype_text
from headrace.core.registry import OpDecl
from headrace.core.signature import Attr
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.messages import protos


# The list of an AttrValue that holds the elements of each kind.
_LISTS = {"i": "int", "f": "float", "b": "bool", "s": "string"}
# How many inputs that are not there an error still names one by one.
_MAX_INPUTS_NAMED = 1000


def _type_name(dtype: DType) -> str:
    """What TensorFlow's runtime calls a type."""
    return f"{dtype_text(dtype)}_ref" if dtype._is_ref_dtype else dtype_text(dtype)


def fits(decl: OpDecl, inputs: list[Tensor], attrs: dict[str, Any]) -> bool:
    """Whether a node plainly fits its op's signature; a signature with lists is looked at more closely."""
    signature = decl.signature
    args = signature.inputs
    if len(args) != len(inputs):
        return False
    declared = signature.attrs
    for name, attr in declared.items():
        if name not in attrs and not attr.has_default:
            return False
    for arg, tensor in zip(args, inputs, strict=True):
        if arg.is_ref or arg.number_attr is not None or arg.type_list_attr is not None:
            return False
        expected = arg.dtype
        if expected is None:
            key = arg.type_attr or ""
            expected = attrs[key] if key in attrs else declared[key].default
        if tensor._dtype.base_dtype is not expected:
            return False
    return True


@functools.cache
def constrained(decl: OpDecl) -> tuple[tuple[Attr, frozenset[int]], ...]:
    """The attributes of an op of which not every value of their kind will do, and the identities of types that do."""

    def fitting(attr: Attr) -> frozenset[int]:
        allowed = TF_VALUE_DTYPES if attr.kind == "type" and attr.allowed is None else attr.allowed or ()
        return frozenset(id(item) for item in allowed if isinstance(item, DType))

    return tuple(
        (attr, fitting(attr))
        for attr in decl.signature.attrs.values()
        if attr.minimum is not None or attr.allowed is not None or attr.kind == "type" or attr.kind.startswith("list(")
    )


@functools.cache
def counts_outputs(decl: OpDecl) -> bool:
    """Whether nodes of an op say how many outputs they have."""
    return any(arg.number_attr is not None for arg in decl.signature.outputs)


def check_attr(attr: Attr, value: Any, message: protos.AttrValue) -> None:
    """Raises ValueError, in TensorFlow's words, for the value of an attribute that its op does not take."""
    if attr.kind.startswith("list("):
        for field, _ in message.list.ListFields():
            kind = _LISTS.get(field.name, field.name)
            if attr.kind != f"list({kind})":
                raise ValueError(
                    f"AttrValue had value with type 'list({kind})' when '{attr.kind}' expected\n\t for attr '{attr.name}'"
                )
        if attr.minimum is not None and len(value) < attr.minimum:
            raise ValueError(f"Length for attr '{attr.name}' of {len(value)} must be at least minimum {attr.minimum}")
    elif attr.minimum is not None and value < attr.minimum:
        raise ValueError(f"Value for attr '{attr.name}' of {value} must be at least minimum {attr.minimum}")
    if attr.kind not in ("type", "list(type)", "string", "list(string)"):
        return
    for item in value if isinstance(value, list) else (value,):
        if isinstance(item, DType) and item._is_ref_dtype:
            raise ValueError(
                f"AttrValue must not have reference type value of {_type_name(item)}\n\t for attr '{attr.name}'"
            )
        if attr.allowed is not None and item not in attr.allowed:
            raise ValueError(
                f"Value for attr '{attr.name}' of {_shown(item)} is not in the list of allowed values: "
                + ", ".join(map(_shown, attr.allowed))
            )


def _shown(item: Any) -> str:
    return _type_name(item) if isinstance(item, DType) else f'"{item}"'


def check_signature(
    node: protos.NodeDef, decl: OpDecl, inputs: Sequence[Tensor], attrs: dict[str, Any], full: str
) -> None:
    """Compares a node with its op's signature.

    Raises:
        ValueError: naming the attribute or input that does not fit.
    """
    where = f"Op<name={node.op}>; NodeDef: {{{{node {full}}}}}"
    for attr in decl.signature.attrs.values():
        if attr.name not in attrs and not attr.has_default:
            raise ValueError(f"NodeDef missing attr '{attr.name}' from {where}")
    filled = {attr.name: attr.default for attr in decl.signature.attrs.values() if attr.has_default} | attrs
    numbers = [filled[arg.number_attr] for arg in decl.signature.inputs if arg.number_attr is not None]
    if max(numbers, default=0) > len(inputs) + _MAX_INPUTS_NAMED:  # before there is a list as long as a file says
        raise ValueError(
            f"NodeDef expected {max(numbers)} inputs of one list do not match {len(inputs)} inputs specified; {where}"
        )
    expected = argument_types(decl.signature.inputs, filled)
    if len(expected) != len(inputs):
        names = ", ".join(map(_type_name, expected))
        raise ValueError(f"NodeDef expected inputs '{names}' do not match {len(inputs)} inputs specified; {where}")
    for position, (dtype, tensor) in enumerate(zip(expected, inputs, strict=True)):
        if dtype.base_dtype is not tensor.dtype.base_dtype or (dtype._is_ref_dtype and not tensor.dtype._is_ref_dtype):
            raise ValueError(
                f"Input {position} of node {full} was passed {_type_name(tensor.dtype)} from {tensor.name} "
                f"incompatible with expected {_type_name(dtype)}."
            )
