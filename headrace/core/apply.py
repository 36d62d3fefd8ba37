"""Applying an op: inputs converted, types and attributes settled from the signature, the operation added to the graph."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections import namedtuple
from collections.abc import Sequence
from keyword import iskeyword
from typing import Any, TypeVar

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph, graph_of_inputs
from headrace.core.dtypes import DType, as_dtype, dtype_text
from headrace.core.errors import InvalidArgumentError, NotFoundError, OpError, UndeclaredOpError
from headrace.core.functions import called_function
from headrace.core.graph import _VALID_OP_NAME, _VALID_SCOPE_NAME, Graph
from headrace.core.operation import Operation, Tensor
from headrace.core.registry import OpDecl, find_public
from headrace.core.shapes import as_dims
from headrace.core.signature import Arg, Attr

_result_types: dict[tuple[str, tuple[str, ...]], Any] = {}
_E = TypeVar("_E", bound=Exception)


def apply_op(decl: OpDecl, args: Sequence[Any], keywords: dict[str, Any], name: str | None) -> Any:
    """Adds an operation of the declared type to the graph of its inputs.

    Args:
        decl: the declaration.
        args: inputs by position, then attributes in the order of the signature.
        keywords: inputs and attributes by name.
        name: the operation's name; its type by default. A name ending in '/' is taken as it stands.

    Returns:
        a `Tensor`, a list, a namedtuple or (for an op without outputs) the `Operation`.

    Raises:
        TypeError: for a missing or surplus argument, or one of a wrong type.
        ValueError: for values that do not fit.
    """
    default = get_default_graph()
    if default.is_eager:
        given = keywords
        try:
            known = default.call(decl, args, keywords)
            if known is not NotImplemented:
                return known
            given = dict(keywords)
            result = _apply(default, decl, args, keywords, name)
        except OpError as error:
            if name and error._message.endswith(f"[Op:{decl.type}]"):
                error._message += f" name: {name}"
                error.args = (error._message,)
            raise
        except (TypeError, ValueError) as error:
            said = getattr(error, "when_eager", None)
            if said is None:
                raise
            kind, message = said
            ending = f" name: {name}" if name else ""
            raise kind(None, None, f"{message} [Op:{decl.type}]{ending}") from None
        default.learn(decl, args, given, result)
        return result
    return _apply(default, decl, args, keywords, name)


def _apply(default: Graph, decl: OpDecl, args: Sequence[Any], keywords: dict[str, Any], name: str | None) -> Any:
    signature = decl.signature
    inputs = signature.inputs
    values: list[Any] = list(args[: len(inputs)])
    attrs: dict[str, Any] = {}
    if len(args) > len(inputs):
        free = [a for a in signature.attrs if a not in _inferred(decl)]
        if len(args) - len(inputs) > len(free):
            raise TypeError(f"{decl.type} takes {len(inputs)} inputs ({_names(inputs)}), got {len(args)} arguments.")
        attrs.update(zip(free, args[len(inputs) :], strict=False))
    for arg in inputs[len(values) :]:
        if arg.name not in keywords:
            raise TypeError(f"{decl.type} misses its input {arg.name!r} (it takes {_names(inputs)}).")
        values.append(keywords.pop(arg.name))
    for key, value in keywords.items():
        if key not in signature.attrs:
            raise TypeError(
                f"{decl.type} has no argument {key!r} (inputs: {_names(inputs)}; attributes: "
                f"{', '.join(signature.attrs) or 'none'})."
            )
        attrs[key] = value
    for key in list(attrs):
        if attrs[key] is None and signature.attrs[key].kind != "shape":
            del attrs[key]
        else:
            attrs[key] = _plain_attr(decl, signature.attrs[key], attrs[key])

    graph = graph_of_inputs(_flat(values))
    if graph is default:
        return _apply_in(graph, decl, values, attrs, name)
    with graph.as_default():
        return _apply_in(graph, decl, values, attrs, name)


def _apply_in(graph: Graph, decl: OpDecl, values: list[Any], attrs: dict[str, Any], name: str | None) -> Any:
    name = decl.type if graph.is_eager and name is None else full_name(graph, decl.type if name is None else name)
    signature = decl.signature
    tensors: list[Tensor] = []
    scope_entered = False
    outer = graph._name_stack
    try:
        for arg, value in zip(signature.inputs, values, strict=True):
            single = arg.number_attr is None and arg.type_list_attr is None
            if single and isinstance(value, Tensor) and (arg.is_ref or not value._dtype._is_ref_dtype):
                # The usual case, kept short.
                _settle_type(decl, arg, value._dtype, attrs, signature.inputs)
                tensors.append(value)
                continue
            if not scope_entered:
                # Constants made of Python values are named inside the operation's own scope.
                graph._name_stack = name
                scope_entered = True
            if single and graph.is_eager and arg.type_attr is not None and arg.type_attr not in attrs:
                # Tensors that come later decide the type of Python's values before them.
                for other, later in zip(signature.inputs, values, strict=True):
                    if other.type_attr == arg.type_attr and isinstance(getattr(later, "dtype", None), DType):
                        _settle_type(decl, other, later.dtype, attrs, signature.inputs)
                        break
            tensors.extend(_convert_input(decl, arg, value, attrs))
        if graph._context is not None:
            # A branch may route inputs through Switches, named inside the operation's scope too.
            graph._name_stack = name
            scope_entered = True
        return _finish(graph, decl, tensors, attrs, name)
    finally:
        if scope_entered:
            graph._name_stack = outer


def operation_from_parts(
    graph: Graph,
    op_type: str,
    inputs: list[Tensor],
    attrs: dict[str, Any],
    name: str | None,
    dtypes: Sequence[Any] | None = None,
    control_inputs: Sequence[Operation] = (),
    decl: OpDecl | None = None,
) -> Operation:
    """Adds an operation from flattened inputs and plain attributes, as GraphDef import and `create_op` need it.

    Args:
        graph, op_type, inputs, attrs, name, dtypes, control_inputs: the parts.
        decl: the declaration of an operation that is there and copied; otherwise the public one of that type is taken.

    Raises:
        NotFoundError: if the op type is not declared.
        ValueError: if the parts do not fit its signature.
    """
    if decl is None:
        function = called_function(graph, op_type)
        decl = function.decl if function is not None else find_public(op_type)
    if decl is None:
        raise UndeclaredOpError(
            None,
            None,
            f"Op type not registered '{op_type}': Headrace declares no op of this type; see docs/differences.md.",
        )
    attrs = dict(attrs)
    position = 0
    for arg in decl.signature.inputs:
        count = 1
        if arg.number_attr is not None:
            count = attrs.setdefault(arg.number_attr, len(inputs) - position)
        elif arg.type_list_attr is not None:
            count = len(attrs.setdefault(arg.type_list_attr, [t.dtype.base_dtype for t in inputs[position:]]))
        group = inputs[position : position + count]
        if len(group) < count:
            raise ValueError(f"{op_type}: input {arg.name!r} needs {count} tensors, got {len(group)}.")
        for tensor in group:
            if arg.type_list_attr is None:
                _settle_type(decl, arg, tensor._dtype, attrs, decl.signature.inputs)
        position += count
    if position != len(inputs):
        raise ValueError(f"{op_type} takes {position} inputs, got {len(inputs)}.")
    name = op_type if name is None else name
    if not _is_valid_name(graph, name):
        raise ValueError(f"'{name}' is not a valid node name")
    op = _add(graph, decl, inputs, attrs, full_name(graph, name), control_inputs)
    if dtypes is not None and len(dtypes) != len(op.outputs):
        raise ValueError(f"{op_type} has {len(op.outputs)} outputs, got {len(dtypes)} dtypes.")
    return op


def full_name(graph: Graph, name: str) -> str:
    """The operation name that `name` stands for: made unique, or as it stands when it ends in '/'.

    Raises:
        ValueError: if it is not a valid name or, given with '/', is taken.
    """
    if not _is_valid_name(graph, name):
        raise ValueError(f"'{name}' is not a valid scope name")
    if name[-1] == "/":
        name = name[:-1]
        if name in graph._nodes_by_name:
            raise ValueError(f"Duplicate node name in graph: '{name}'")
        graph._names_in_use.setdefault(name.lower(), 1)
        return name
    return graph.unique_name(name)


def _is_valid_name(graph: Graph, name: str) -> bool:
    if _VALID_OP_NAME.match(name):
        return True
    return bool(name and graph.get_name_scope() and _VALID_SCOPE_NAME.match(name))


def _names(inputs: Sequence[Arg]) -> str:
    return ", ".join(arg.name for arg in inputs) or "none"


def _flat(values: Sequence[Any]) -> list[Any]:
    if not any(isinstance(value, (list, tuple)) for value in values):
        return list(values)
    flat: list[Any] = []
    for value in values:
        if isinstance(value, (list, tuple)):
            flat.extend(value)
        else:
            flat.append(value)
    return flat


def _inferred(decl: OpDecl) -> set[str]:
    """The attributes that the inputs decide."""
    found: set[str] = set()
    for arg in decl.signature.inputs:
        found.update(a for a in (arg.type_attr, arg.number_attr, arg.type_list_attr) if a is not None)
    return found


def _settle_type(decl: OpDecl, arg: Arg, dtype: DType, attrs: dict[str, Any], inputs: Sequence[Arg]) -> None:
    """Checks one tensor's type against its argument, setting the type attribute at its first use."""
    base = dtype.base_dtype
    if arg.is_ref and not dtype._is_ref_dtype:
        raise TypeError(f"'{decl.type}' Op requires that input '{arg.name}' be a mutable tensor (e.g.: a tf.Variable)")
    if arg.dtype is not None:
        if base is not arg.dtype:
            raise _wrong_tensor_type(
                f"Input '{arg.name}' of '{decl.type}' Op has type {base.name} that does not match expected type of "
                f"{arg.dtype.name}.",
                *(decl, arg, base, arg.dtype, attrs),
            )
        return
    key = arg.type_attr
    if key is None:
        return
    settled = attrs.get(key)
    if settled is None:
        attrs[key] = base
        allowed = decl.signature.attrs[key].allowed
        if allowed is not None:
            _check_allowed(arg, base, allowed)
    elif settled is not base:
        first = next((a.name for a in inputs if a.type_attr == key), arg.name)
        said = f"argument '{first}'" if first != arg.name else f"attribute {key}"
        raise _wrong_tensor_type(
            f"Input '{arg.name}' of '{decl.type}' Op has type {base.name} that does not match type {settled.name} of {said}.",
            *(decl, arg, base, settled, attrs),
        )


def _wrong_tensor_type(
    message: str, decl: OpDecl, arg: Arg, got: DType, wanted: DType, attrs: dict[str, Any]
) -> TypeError:
    """The error of a tensor that is not of the type that the op, or another of its inputs, asks for."""
    place = 0
    for other in itertools.takewhile(lambda other: other is not arg, decl.signature.inputs):
        place += attrs.get(other.number_attr, 1) if other.number_attr is not None else 1
    eagerly = (
        f"cannot compute {decl.type} as input #{place}(zero-based) was expected to be a {dtype_text(wanted)} tensor but "
        f"is a {dtype_text(got)} tensor"
    )
    return _complaint(TypeError(message), InvalidArgumentError, eagerly)


def _complaint(error: _E, when_eager: type[OpError], eagerly: str | None = None) -> _E:
    """An error in an op's arguments; while executing eagerly it is the op that complains, with an error of its own kind."""
    error.when_eager = when_eager, eagerly or str(error)  # type: ignore[attr-defined]
    return error


def _not_taken(message: str) -> ValueError:
    """The error of a value that the op does not take: too small a number, too short a list, an unknown word."""
    return _complaint(ValueError(message), InvalidArgumentError)


def _check_allowed(arg: Arg | Attr, dtype: DType, allowed: Sequence[DType]) -> None:
    if dtype not in allowed:
        error = TypeError(
            f"Value passed to parameter '{arg.name}' has DataType {dtype.name} not in list of allowed values: "
            f"{', '.join(d.name for d in allowed)}"
        )
        # Eagerly it is a kernel that is not there.
        raise _complaint(error, NotFoundError, f"Could not find valid device for node.\n{error}")


def _convert_input(decl: OpDecl, arg: Arg, value: Any, attrs: dict[str, Any]) -> list[Tensor]:
    signature = decl.signature
    wanted = arg.dtype
    preferred = None
    if wanted is None and arg.type_attr is not None:
        wanted = attrs.get(arg.type_attr)
        attr = signature.attrs[arg.type_attr]
        if attr.has_default:
            preferred = attr.default
    if arg.number_attr is None and arg.type_list_attr is None:
        tensor = _convert_value(decl, arg, value, wanted, preferred, arg.name)
        _settle_type(decl, arg, tensor._dtype, attrs, signature.inputs)
        return [tensor]
    if not isinstance(value, (list, tuple)):
        raise _not_a_list(decl, arg.name, _shown(value))
    if arg.type_list_attr is not None:
        types = attrs.get(arg.type_list_attr)
        if types is not None and len(types) != len(value):
            raise ValueError(
                f"'{decl.type}' Op takes as many '{arg.name}' as '{arg.type_list_attr}' says ({len(types)}), got {len(value)}."
            )
        try:
            tensors = [
                _convert_value(decl, arg, item, None if types is None else types[i], None, f"{arg.name}_{i}")
                for i, item in enumerate(value)
            ]
        except (TypeError, ValueError):
            raise _unfit_types(decl, arg, value, types) from None
        minimum = signature.attrs[arg.type_list_attr].minimum
        if minimum is not None and len(value) < minimum:
            raise _not_taken(
                f"Attr '{arg.type_list_attr}' of '{decl.type}' Op passed list of length {len(value)} less than minimum "
                f"{minimum}."
            )
        attrs[arg.type_list_attr] = [t._dtype.base_dtype for t in tensors]
        allowed = signature.attrs[arg.type_list_attr].allowed
        if allowed is not None:
            for tensor in tensors:
                _check_allowed(arg, tensor._dtype.base_dtype, allowed)
        return tensors
    if wanted is None:
        # Whichever element has a type already decides for the others.
        for item in value:
            dtype = getattr(item, "dtype", None)
            if isinstance(dtype, DType):
                wanted = dtype.base_dtype
                break
    count = attrs.get(arg.number_attr or "")
    if count is not None and count != len(value):
        raise ValueError(
            f"List argument '{arg.name}' to '{decl.type}' Op with length {len(value)} must match length {count} of argument "
            f"'{next((a.name for a in signature.inputs if a.number_attr == arg.number_attr), arg.name)}'."
        )
    minimum = signature.attrs[arg.number_attr or ""].minimum
    if minimum is not None and len(value) < minimum:
        raise _not_taken(
            f"List argument '{arg.name}' to '{decl.type}' Op with length {len(value)} shorter than minimum length {minimum}."
        )
    attrs[arg.number_attr or ""] = len(value)
    tensors = []
    for i, item in enumerate(value):
        try:
            tensor = _convert_value(decl, arg, item, wanted, preferred, f"{arg.name}_{i}")
        except (TypeError, ValueError) as error:
            raise _mixed_types(decl, arg, value) from error
        base = tensor._dtype.base_dtype
        if wanted is None:
            wanted = base
        elif base is not wanted:
            raise _mixed_types(decl, arg, value)
        _settle_type(decl, arg, tensor._dtype, attrs, signature.inputs)
        tensors.append(tensor)
    if not value and arg.type_attr is not None and arg.type_attr not in attrs and wanted is not None:
        attrs[arg.type_attr] = wanted
    return tensors


def _not_a_list(decl: OpDecl, name: str, shown: str) -> TypeError:
    # `Conv2D` is what the wrapper `conv2d` adds to the graph; it is the wrapper that complains.
    wrapper = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", decl.type)
    wrapper = re.sub(r"([a-z])([A-Z])", r"\1_\2", wrapper).lower()
    return TypeError(f"Expected list for '{name}' argument to '{wrapper}' Op, not {shown}.")


def _shown(value: Any) -> Any:
    return str(value) if isinstance(value, Tensor) else repr(value)


def _mixed_types(decl: OpDecl, arg: Arg, values: Sequence[Any]) -> TypeError:
    """The complaint about a list input whose elements are not all of one type, or not of the op's."""
    verdict = "don't all match" if arg.dtype is None else f"do not match expected type {arg.dtype.name}"
    return TypeError(
        f"Tensors in list passed to '{arg.name}' of '{decl.type}' Op have types [{', '.join(_type_names(values))}] that "
        f"{verdict}."
    )


def _unfit_types(decl: OpDecl, arg: Arg, values: Sequence[Any], types: Sequence[DType] | None) -> TypeError:
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
    decl: OpDecl, arg: Arg, value: Any, wanted: DType | None, preferred: DType | None, name: str
) -> Tensor:
    try:
        return convert_to_tensor(value, wanted, name, preferred, as_ref=arg.is_ref)
    except (TypeError, ValueError) as error:
        if isinstance(error, ValueError) and not get_default_graph().is_eager and not _converts(value):
            raise ValueError(f"Tried to convert '{arg.name}' to a tensor and failed. Error: {error}") from None
        if wanted is None:
            raise
        if isinstance(value, Tensor) or isinstance(getattr(value, "dtype", None), DType):
            base = value.dtype.base_dtype
            got = base.name
            if arg.dtype is not None:
                tail = f"expected type of {wanted.name}"
            else:
                first = next((a.name for a in decl.signature.inputs if a.type_attr == arg.type_attr), arg.name)
                tail = f"type {wanted.name} of argument '{first}'"
            raise _wrong_tensor_type(
                f"Input '{arg.name}' of '{decl.type}' Op has type {got} that does not match {tail}.",
                *(decl, arg, base, wanted, {}),
            ) from None
        if get_default_graph().is_eager:
            raise
        raise TypeError(
            f"Expected {wanted.name} passed to parameter '{arg.name}' of op '{decl.type}', got {value!r} of type "
            f"'{type(value).__name__}' instead. Error: {error}"
        ) from None


def _converts(value: Any) -> bool:
    """Whether a value becomes a tensor where no type is asked for, or fails by its type alone."""
    try:
        convert_to_tensor(value)
    except ValueError:
        return False
    except TypeError:
        pass
    return True


def _plain_attr(decl: OpDecl, attr: Attr, value: Any) -> Any:
    """An attribute value in its plain form, checked against the signature."""
    kind = attr.kind
    if kind.startswith("list("):
        if not isinstance(value, (list, tuple)):
            raise _not_a_list(decl, attr.name, repr(value))
        items = [_plain_item(decl, attr, kind[5:-1], item) for item in value]
        if attr.minimum is not None and len(items) < attr.minimum:
            raise _not_taken(
                f"Attr '{attr.name}' of '{decl.type}' Op passed list of length {len(items)} less than minimum {attr.minimum}."
            )
        return items
    plain = _plain_item(decl, attr, kind, value)
    if kind == "int" and attr.minimum is not None and plain < attr.minimum:
        raise _not_taken(f"Attr '{attr.name}' of '{decl.type}' Op passed {plain} less than minimum {attr.minimum}.")
    return plain


def _not_of_kind(wanted: str, attr: Attr, value: Any, rest: str = ".") -> TypeError:
    return TypeError(f"Expected {wanted} for argument '{attr.name}' not {value!r}{rest}")


def _plain_item(decl: OpDecl, attr: Attr, kind: str, value: Any) -> Any:
    if kind == "type":
        try:
            dtype = as_dtype(value).base_dtype
        except TypeError as error:
            raise _not_of_kind("DataType", attr, value, f": {error}" if isinstance(value, str) else ".") from None
        if attr.allowed is not None:
            _check_allowed(attr, dtype, attr.allowed)
        return dtype
    if kind == "bool":
        if not isinstance(value, (bool,)) and type(value).__name__ != "bool_" and type(value).__name__ != "bool":
            raise _not_of_kind("bool", attr, value)
        return bool(value)
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
            raise _not_taken(
                f"Attr '{attr.name}' of '{decl.type}' Op passed string '{value}' not in: "
                + ", ".join(f'"{a}"' for a in attr.allowed)
                + "."
            )
        return value
    if kind == "shape":
        try:
            return as_dims(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Error converting {attr.name} to a TensorShape: {error}.") from None
    if kind == "func" and hasattr(value, "add_to_graph"):
        value.add_to_graph(get_default_graph())
        return value.name
    return value


def _finish(graph: Graph, decl: OpDecl, tensors: list[Tensor], attrs: dict[str, Any], name: str) -> Any:
    op = _add(graph, decl, tensors, attrs, name, ())
    outputs = op._outputs
    declared = decl.signature.outputs
    if len(declared) == 1:
        arg = declared[0]
        return outputs[0] if arg.number_attr is None and arg.type_list_attr is None else list(outputs)
    if not declared:
        return None if graph.is_eager else op
    parts: list[Any] = []
    position = 0
    for arg in declared:
        if arg.number_attr is None and arg.type_list_attr is None:
            parts.append(outputs[position])
            position += 1
        else:
            count = attrs[arg.number_attr] if arg.number_attr is not None else len(attrs[arg.type_list_attr or ""])
            parts.append(outputs[position : position + count])
            position += count
    key = decl.type, tuple([arg.name for arg in declared])
    result_type = _result_types.get(key)
    if result_type is None:
        # A function of a library may have any name.
        kind = decl.type if decl.type.isidentifier() and not iskeyword(decl.type) else "Results"
        result_type = _result_types[key] = namedtuple(kind, key[1], rename=True)
    return result_type(*parts)


def _add(
    graph: Graph,
    decl: OpDecl,
    tensors: list[Tensor],
    attrs: dict[str, Any],
    name: str,
    control_inputs: Sequence[Operation],
) -> Operation:
    for attr in decl.signature.attrs.values():
        if attr.name not in attrs:
            if not attr.has_default and attr.kind == "type":
                raise TypeError(f"Expected DataType for argument '{attr.name}' not None.")
            if not attr.has_default:
                raise TypeError(f"{decl.type} misses its attribute {attr.name!r} (a {attr.kind}).")
            attrs[attr.name] = attr.default
    types = output_types(decl, attrs)
    referred = [tensor for tensor in tensors if tensor._dtype._is_ref_dtype] if decl.takes_references else None
    if not referred:
        return graph.add_operation(decl, tensors, attrs, name, types, control_inputs)
    # What changes a variable goes where the variable is.
    with contextlib.ExitStack() as places:
        for tensor in referred:
            places.enter_context(graph.colocate_with(tensor.op))
        return graph.add_operation(decl, tensors, attrs, name, types, control_inputs)


def output_types(decl: OpDecl, attrs: dict[str, Any]) -> list[DType]:
    """The element types of the outputs, lists flattened."""
    return argument_types(decl.signature.outputs, attrs)


def argument_types(arguments: Sequence[Arg], attrs: dict[str, Any]) -> list[DType]:
    """The element types that attributes settle for some inputs or outputs, lists flattened."""
    types: list[DType] = []
    for arg in arguments:
        if arg.type_list_attr is not None:
            types.extend(as_dtype(t) for t in attrs[arg.type_list_attr])
            continue
        dtype = arg.dtype if arg.dtype is not None else attrs[arg.type_attr or ""]
        if arg.is_ref:
            dtype = dtype._as_ref
        if arg.number_attr is not None:
            types.extend([dtype] * attrs[arg.number_attr])
        else:
            types.append(dtype)
    return types
