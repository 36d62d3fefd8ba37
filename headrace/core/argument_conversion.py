"""Arguments of an op as its signature wants them: inputs as tensors, attributes in their plain form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.argument_errors import check_allowed, not_a_list, not_taken, wrong_tensor_type
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import DType, as_dtype
from headrace.core.graph import Graph
from headrace.core.made_of_tensors import MadeOfTensors
from headrace.core.registry import OpDecl
from headrace.core.shapes import as_dims
from headrace.core.signature import Arg, Attr
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import VariableLike


def bind_type_attr(decl: OpDecl, arg: Arg, dtype: DType, attrs: dict[str, Any], inputs: Sequence[Arg]) -> None:
    """Checks one tensor's type against its argument, setting the type attribute at its first use."""
    base = dtype.base_dtype
    if arg.is_ref and not dtype._is_ref_dtype:
        raise TypeError(f"'{decl.type}' Op requires that input '{arg.name}' be a mutable tensor (e.g.: a tf.Variable)")
    if arg.dtype is not None:
        if base is not arg.dtype:
            raise wrong_tensor_type(
                f"Input '{arg.name}' of '{decl.type}' Op has type {base.name} that does not match expected type of "
                f"{arg.dtype.name}.",
                *(decl, arg, base, arg.dtype, attrs),
            )
        return
    key = arg.type_attr
    if key is None:
        return
    bound = attrs.get(key)
    if bound is None:
        attrs[key] = base
        allowed = decl.signature.attrs[key].allowed
        if allowed is not None:
            check_allowed(arg, base, allowed, decl.type)
    elif bound is not base:
        first = next((a.name for a in inputs if a.type_attr == key), arg.name)
        said = f"argument '{first}'" if first != arg.name else f"attribute {key}"
        raise wrong_tensor_type(
            f"Input '{arg.name}' of '{decl.type}' Op has type {base.name} that does not match type {bound.name} of {said}.",
            *(decl, arg, base, bound, attrs),
        )


def convert_input(decl: OpDecl, arg: Arg, value: Any, attrs: dict[str, Any], is_quick: bool = False) -> list[Tensor]:
    """The tensors of one input of the signature, which determine the attributes for types and numbers that it refers to.

    Args:
        decl, arg: the op and its input.
        value: what is given for it.
        attrs: the attributes known so far.
        is_quick: whether the arguments are those of `are_quick`, executed eagerly.
    """
    signature = decl.signature
    expected = arg.dtype
    preferred = None
    if expected is None and arg.type_attr is not None:
        expected = attrs.get(arg.type_attr)
        attr = signature.attrs[arg.type_attr]
        if attr.has_default and not (is_quick and isinstance(value, np.ndarray)):
            preferred = attr.default
    if arg.number_attr is None and arg.type_list_attr is None:
        tensor = _convert_value(decl, arg, value, expected, preferred, arg.name)
        bind_type_attr(decl, arg, tensor._dtype, attrs, signature.inputs)
        return [tensor]
    if is_quick and isinstance(value, Tensor) and value.dims:
        # Eagerly the rows of a tensor are a list of them.
        value = list(value)
    if not isinstance(value, (list, tuple)):
        raise not_a_list(decl, arg.name, _shown(value))
    if arg.type_list_attr is not None:
        return _convert_list_of_types(decl, arg, arg.type_list_attr, value, attrs)
    if expected is None:
        # Whichever element has a type already decides for the others.
        for item in value:
            dtype = getattr(item, "dtype", None)
            if isinstance(dtype, DType):
                expected = dtype.base_dtype
                break
    count = attrs.get(arg.number_attr or "")
    if count is not None and count != len(value):
        raise ValueError(
            f"List argument '{arg.name}' to '{decl.type}' Op with length {len(value)} must match length {count} of argument "
            f"'{next((a.name for a in signature.inputs if a.number_attr == arg.number_attr), arg.name)}'."
        )
    minimum = signature.attrs[arg.number_attr or ""].minimum
    if minimum is not None and len(value) < minimum:
        raise not_taken(
            f"List argument '{arg.name}' to '{decl.type}' Op with length {len(value)} shorter than minimum length {minimum}."
        )
    attrs[arg.number_attr or ""] = len(value)
    tensors: list[Tensor] = []
    mixed: TypeError | None = None
    for i, item in enumerate(value):
        try:
            tensor = _convert_value(decl, arg, item, expected, preferred, f"{arg.name}_{i}")
        except (TypeError, ValueError) as error:
            if not get_default_graph().is_eager:
                raise _mixed_types(decl, arg, value, i, expected, attrs) from error
            if not isinstance(item, Tensor):
                # Its conversion says so itself.
                raise
            mixed = mixed or _mixed_types(decl, arg, value, i, expected, attrs)
            if arg.dtype is None or is_quick:
                continue
            raise mixed from error
        base = tensor._dtype.base_dtype
        if tensors and base is not tensors[0]._dtype.base_dtype:
            raise _mixed_types(decl, arg, value, i, tensors[0]._dtype.base_dtype, attrs)
        if expected is None and get_default_graph().is_eager:
            # Eagerly the first one decides for those after it; in a graph each that is no tensor has a type of its own.
            expected = base
        bind_type_attr(decl, arg, tensor._dtype, attrs, signature.inputs)
        tensors.append(tensor)
    if mixed is not None:
        raise mixed
    if not value and arg.type_attr is not None and arg.type_attr not in attrs and expected is not None:
        attrs[arg.type_attr] = expected
    return tensors


def _convert_list_of_types(
    decl: OpDecl, arg: Arg, list_attr: str, value: Sequence[Any], attrs: dict[str, Any]
) -> list[Tensor]:
    """`convert_input` for a list of tensors, each of a type of its own, which are the attribute `list_attr`."""
    signature = decl.signature
    types = attrs.get(list_attr)
    if types is not None and len(types) != len(value):
        raise ValueError(
            f"'{decl.type}' Op takes as many '{arg.name}' as '{list_attr}' says ({len(types)}), got {len(value)}."
        )
    try:
        tensors = [
            _convert_value(decl, arg, item, None if types is None else types[i], None, f"{arg.name}_{i}")
            for i, item in enumerate(value)
        ]
    except (TypeError, ValueError):
        raise _incompatible_types(decl, arg, value, types) from None
    minimum = signature.attrs[list_attr].minimum
    if minimum is not None and len(value) < minimum:
        raise not_taken(
            f"Attr '{list_attr}' of '{decl.type}' Op passed list of length {len(value)} less than minimum {minimum}."
        )
    attrs[list_attr] = [t._dtype.base_dtype for t in tensors]
    allowed = signature.attrs[list_attr].allowed
    if allowed is not None:
        for tensor in tensors:
            check_allowed(arg, tensor._dtype.base_dtype, allowed, decl.type)
    return tensors


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, Tensor) else repr(value)


def _mixed_types(
    decl: OpDecl, arg: Arg, values: Sequence[Any], place: int, expected: DType | None, attrs: dict[str, Any]
) -> TypeError:
    """The complaint about a list input whose elements are not all of one type, or not of the op's, as that at `place`."""
    verdict = "don't all match" if arg.dtype is None else f"do not match expected type {arg.dtype.name}"
    message = (
        f"Tensors in list passed to '{arg.name}' of '{decl.type}' Op have types [{', '.join(_type_names(values))}] that "
        f"{verdict}."
    )
    if expected is None or not isinstance(values[place], Tensor):
        return TypeError(message)
    return wrong_tensor_type(message, decl, arg, values[place].dtype.base_dtype, expected, attrs, place)


def _incompatible_types(decl: OpDecl, arg: Arg, values: Sequence[Any], types: Sequence[DType] | None) -> TypeError:
    """The complaint about a list input whose types are free, or those of another input, `types`."""
    names = _type_names(values)
    if types is None or _UNKNOWN_TYPE in names:
        return TypeError(
            f"Tensors in list passed to '{arg.name}' of '{decl.type}' Op have types [{', '.join(names)}] that are invalid. "
            f"Tensors: {values}"
        )
    first = next(a.name for a in decl.signature.inputs if a.type_list_attr == arg.type_list_attr)
    return TypeError(
        f"Input '{arg.name}' of '{decl.type}' Op has type list of {', '.join(names)} that does not match type list "
        f"{', '.join(t.name for t in types)} of argument '{first}'."
    )


_UNKNOWN_TYPE = "<NOT CONVERTIBLE TO TENSOR>"


def _type_names(values: Sequence[Any]) -> list[str]:
    names = []
    for value in values:
        dtype = getattr(value, "dtype", None)
        if not isinstance(dtype, DType):
            try:
                # Only the type is wanted: the constant goes to a graph of its own.
                with Graph().as_default():
                    dtype = convert_to_tensor(value).dtype
            except (TypeError, ValueError):
                names.append(_UNKNOWN_TYPE)
                continue
        names.append(dtype.base_dtype.name)
    return names


def _convert_value(
    decl: OpDecl, arg: Arg, value: Any, expected: DType | None, preferred: DType | None, name: str
) -> Tensor:
    try:
        return convert_to_tensor(value, expected, name, preferred, as_ref=arg.is_ref)
    except (TypeError, ValueError) as error:
        if isinstance(error, ValueError) and not get_default_graph().is_eager:
            refusal = _refusal_of_any_type(value)
            if refusal is not None:
                raise ValueError(f"Tried to convert '{arg.name}' to a tensor and failed. Error: {refusal}") from None
        if expected is None or _is_composite_when_eager(value):
            raise
        if isinstance(value, Tensor) or isinstance(getattr(value, "dtype", None), DType):
            base = value.dtype.base_dtype
            got = base.name
            if arg.dtype is not None:
                tail = f"expected type of {expected.name}"
            else:
                first = next((a.name for a in decl.signature.inputs if a.type_attr == arg.type_attr), arg.name)
                tail = f"type {expected.name} of argument '{first}'"
            raise wrong_tensor_type(
                f"Input '{arg.name}' of '{decl.type}' Op has type {got} that does not match {tail}.",
                *(decl, arg, base, expected, {}),
            ) from None
        if get_default_graph().is_eager:
            raise
        raise TypeError(
            f"Expected {expected.name} passed to parameter '{arg.name}' of op '{decl.type}', got {value!r} of type "
            f"'{type(value).__name__}' instead. Error: {error}"
        ) from None


def _is_composite_when_eager(value: object) -> bool:
    """Whether a value is made of tensors, such as a sparse one: executed eagerly, its conversion says so itself."""
    return isinstance(value, MadeOfTensors) and get_default_graph().is_eager


def _refusal_of_any_type(value: Tensor | VariableLike | Sequence[Sequence[int]] | None) -> ValueError | None:
    """Why a value becomes no tensor even where no type is asked for; None where it does, or fails by its type alone."""
    try:
        convert_to_tensor(value)
    except ValueError as error:
        return error
    except TypeError:
        pass
    return None


def plain_attr(decl: OpDecl, attr: Attr, value: Any, is_quick: bool = False) -> Any:
    """An attribute value in its plain form, checked against the signature.

    Args:
        decl, attr: the op and its attribute.
        value: what is given for it.
        is_quick: whether the arguments are those of `are_quick`, executed eagerly.
    """
    kind = attr.kind
    if kind == "bool" and is_quick and value is not None:
        # Then what is true for Python is.
        return bool(value)
    if kind.startswith("list("):
        if not isinstance(value, (list, tuple)):
            raise not_a_list(decl, attr.name, repr(value))
        items = [_plain_item(decl, attr, kind[5:-1], item) for item in value]
        if attr.minimum is not None and len(items) < attr.minimum:
            raise not_taken(
                f"Attr '{attr.name}' of '{decl.type}' Op passed list of length {len(items)} less than minimum {attr.minimum}."
            )
        return items
    plain = _plain_item(decl, attr, kind, value)
    if kind == "int" and attr.minimum is not None and plain < attr.minimum:
        raise not_taken(f"Attr '{attr.name}' of '{decl.type}' Op passed {plain} less than minimum {attr.minimum}.")
    return plain


def are_quick(decl: OpDecl, inputs: Sequence[Any], attrs: dict[str, Any]) -> bool:
    """Whether TensorFlow takes arguments eagerly as they are, without a look at each element of lists.

    Args:
        decl: the op.
        inputs, attrs: its arguments, as they are given.
    """
    known = decl.signature.attrs
    return all(
        all(_is_quick(item) for item in value) if arg.number_attr or arg.type_list_attr else _is_quick(value)
        for arg, value in zip(decl.signature.inputs, inputs, strict=False)
    ) and not any(isinstance(value, int) and known[name].kind == "float" for name, value in attrs.items())


def _is_quick(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray, int, float)) or isinstance(getattr(value, "dtype", None), DType)


def _not_of_kind(expected: str, attr: Attr, value: object, rest: str = ".") -> TypeError:
    return TypeError(f"Expected {expected} for argument '{attr.name}' not {value!r}{rest}")


def _plain_item(decl: OpDecl, attr: Attr, kind: str, value: Any) -> Any:
    if kind == "type":
        try:
            dtype = as_dtype(value).base_dtype
        except TypeError as error:
            raise _not_of_kind("DataType", attr, value, f": {error}" if isinstance(value, str) else ".") from None
        if attr.allowed is not None:
            check_allowed(attr, dtype, attr.allowed, decl.type)
        return dtype
    if kind == "bool":
        if not isinstance(value, (bool,)) and type(value).__name__ != "bool_" and type(value).__name__ != "bool":
            raise _not_of_kind("bool", attr, value)
        return bool(value)
    if kind in ("int", "float") and isinstance(value, (str, DType)):
        # Python makes numbers of them: of texts that look like one, of types their number in messages.
        raise _not_of_kind(kind, attr, value)
    if kind == "int":
        try:
            return int(value)
        except (TypeError, ValueError):
            raise _not_of_kind("int", attr, value) from None
    if kind == "float":
        try:
            return float(value)
        except (TypeError, ValueError):
            raise _not_of_kind("float", attr, value) from None
    if kind == "string":
        if isinstance(value, bytes):
            try:
                value = value.decode()
            except UnicodeDecodeError:
                return value
        if not isinstance(value, str):
            raise _not_of_kind("string", attr, value)
        if attr.allowed is not None and value not in attr.allowed:
            raise not_taken(
                f"Attr '{attr.name}' of '{decl.type}' Op passed string '{value}' not in: "
                + ", ".join(f'"{a}"' for a in attr.allowed)
                + "."
            )
        return value
    if kind == "shape":
        try:
            return as_dims(value)
        except (TypeError, ValueError) as error:
            # The class is one of the two, though a tensor's error has one of its own.
            kind_of = TypeError if isinstance(error, TypeError) else ValueError
            raise kind_of(f"Error converting {attr.name} to a TensorShape: {error}.") from None
    if kind == "func" and hasattr(value, "add_to_graph"):
        value.add_to_graph(get_default_graph())
        return value.name
    return value
