"""Applying an op: inputs converted, types and attributes inferred from the signature, the operation added to the graph."""

from __future__ import annotations

import contextlib
from collections import namedtuple
from collections.abc import Sequence
from keyword import iskeyword
from typing import Any

from headrace.core.argument_conversion import are_quick, bind_type_attr, convert_input, plain_attr
from headrace.core.argument_errors import NO_DEVICE
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph, graph_of_inputs
from headrace.core.dtypes import DType, as_dtype, resource
from headrace.core.errors import InvalidArgumentError, OpError, UndeclaredOpError
from headrace.core.graph import Graph
from headrace.core.graph_functions import called_function
from headrace.core.graph_scopes import VALID_OP_NAME, VALID_SCOPE_NAME
from headrace.core.operation import Operation
from headrace.core.registry import OpDecl, find_public
from headrace.core.signature import Arg, function_name
from headrace.core.tensor import Tensor

_result_types: dict[tuple[str, tuple[str, ...]], Any] = {}


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
            _refuse_references(decl)
            given = dict(keywords)
            result = _apply(default, decl, args, keywords, name)
        except OpError as error:
            if hasattr(error, "when_eager") and not decl.signature.calls:
                raise _as_eagerly(error, decl, name) from None
            if name and error._message.endswith(f"[Op:{decl.type}]"):
                error._message += f" name: {name}"
                error.args = (error._message,)
            raise
        except (TypeError, ValueError) as error:
            if not hasattr(error, "when_eager"):
                raise
            raise _as_eagerly(error, decl, name) from None
        default.learn(decl, args, given, result)
        return result
    return _apply(default, decl, args, keywords, name)


def _refuse_references(decl: OpDecl) -> None:
    """Refuses, while executing eagerly, an op that takes or gives a reference to what a session keeps."""
    signature = decl.signature
    names = [arg.name for arg in (*signature.inputs, *signature.outputs) if arg.is_ref]
    if names and decl.graph_only is None:
        raise RuntimeError(
            f"{function_name(decl.type)} op does not support eager execution. Arg '{names[-1]}' is a ref."
        )


def _as_eagerly(error: Exception, decl: OpDecl, name: str | None) -> OpError:
    """The error of the op for one that says what it is while executing eagerly."""
    kind, message = error.when_eager  # type: ignore[attr-defined]  # it has been asked
    if message.startswith(NO_DEVICE) and any(arg.dtype is resource for arg in decl.signature.inputs):
        # Where a resource is, there the op runs: no device is looked for, and the op refuses the type itself.
        kind, message = InvalidArgumentError, str(error)
    suffix = f" name: {name}" if name else ""
    made: OpError = kind(None, None, f"{message} [Op:{decl.type}]{suffix}")
    return made


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
    is_quick = default.is_eager and are_quick(decl, values, attrs)
    for key in list(attrs):
        if attrs[key] is None and signature.attrs[key].kind != "shape":
            del attrs[key]
        else:
            attrs[key] = plain_attr(decl, signature.attrs[key], attrs[key], is_quick)

    graph = graph_of_inputs(_flat(values))
    if graph is default:
        return _apply_in(graph, decl, values, attrs, name, is_quick)
    if default.is_eager and not graph.holds_layers:
        leaked = [value for value in _flat(values) if getattr(value, "_is_graph_tensor", False)] or values
        raise TypeError(
            f'An op outside of the function building code, {decl.type}, is passed a "Graph" tensor: it runs eagerly, where '
            f"{leaked[0]!r} has no value. Return it from the function that made it, or run the operation in its graph."
        )
    with graph.as_default():
        return _apply_in(graph, decl, values, attrs, name)


def _apply_in(
    graph: Graph, decl: OpDecl, values: list[Any], attrs: dict[str, Any], name: str | None, is_quick: bool = False
) -> Any:
    if graph.is_eager and not (isinstance(name, (str, bytes)) and name):
        # Nothing is named there: whatever else stands for a name is not looked at.
        name = decl.type
    else:
        name = full_name(graph, decl.type if name is None else name)
    signature = decl.signature
    tensors: list[Tensor] = []
    scope_entered = False
    outer = graph._name_stack
    refused: Exception | None = None
    try:
        for arg, value in zip(signature.inputs, values, strict=True):
            single = arg.number_attr is None and arg.type_list_attr is None
            try:
                if (
                    single
                    and isinstance(value, Tensor)
                    and (arg.is_ref or not value._dtype._is_ref_dtype)
                    and (value._is_graph_tensor or not graph.building_function)
                ):
                    # The usual case, kept short.
                    bind_type_attr(decl, arg, value._dtype, attrs, signature.inputs)
                    tensors.append(value)
                    continue
                if not scope_entered:
                    # Constants made of Python values are named inside the operation's own scope.
                    graph._name_stack = name
                    scope_entered = True
                if single and graph.is_eager and arg.type_attr is not None and arg.type_attr not in attrs:
                    refused = _bind_to_later(decl, arg, values, attrs) or refused
                tensors.extend(convert_input(decl, arg, value, attrs, is_quick))
            except TypeError as error:
                if not graph.is_eager or not hasattr(error, "when_eager"):
                    if isinstance(refused, ValueError) and arg.dtype is not None:
                        raise refused from None
                    raise
                # Eagerly the op looks at types when all arguments are tensors.
                refused = refused or _conversion_error(arg, value, is_quick) or error
        if refused is not None:
            raise refused
        if graph._context is not None:
            # A branch may route inputs through Switches, named inside the operation's scope too.
            graph._name_stack = name
            scope_entered = True
        return _finish(graph, decl, tensors, attrs, name)
    finally:
        if scope_entered:
            graph._name_stack = outer


def _conversion_error(arg: Arg, value: Any, is_quick: bool) -> ValueError | None:
    """What is said of a tensor of another type than the op's where TensorFlow converts all arguments first: one is a list."""
    if arg.dtype is None or is_quick:
        return None
    try:
        for item in value if isinstance(value, (list, tuple)) else [value]:
            convert_to_tensor(item, arg.dtype)
    except ValueError as error:
        return error
    return None


def _bind_to_later(decl: OpDecl, arg: Arg, values: Sequence[Any], attrs: dict[str, Any]) -> TypeError | None:
    """Lets a tensor among the inputs decide the type of Python's values before it; what the op says of that type."""
    inputs = decl.signature.inputs
    for other, later in zip(inputs, values, strict=True):
        if other.type_attr == arg.type_attr and isinstance(getattr(later, "dtype", None), DType):
            try:
                bind_type_attr(decl, other, later.dtype, attrs, inputs)
            except TypeError as error:
                if not hasattr(error, "when_eager"):
                    raise
                return error
            return None
    return None


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
                bind_type_attr(decl, arg, tensor._dtype, attrs, decl.signature.inputs)
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


def add_fitting(
    graph: Graph,
    decl: OpDecl,
    inputs: list[Tensor],
    attrs: dict[str, Any],
    name: str,
    control_inputs: Sequence[Operation],
) -> Operation:
    """Adds an operation whose parts are known to fit its signature, attributes at their defaults left out.

    Args:
        graph, decl, inputs, control_inputs: the parts.
        attrs: the attributes, which the operation keeps.
        name: its full name, valid and new in the graph.
    """
    graph._names_in_use.setdefault(name.lower(), 1)
    return _add(graph, decl, inputs, attrs, name, control_inputs)


def full_name(graph: Graph, name: str | bytes) -> str:
    """The operation name that `name` stands for: made unique, or as it stands when it ends in '/'.

    Raises:
        ValueError: if it is not a valid name or, given with '/', is taken.
    """
    if isinstance(name, bytes):
        name = name.decode()
    elif not isinstance(name, str) and not name:
        # What is empty is no name, of whatever kind it is; a tensor does not say whether it is.
        name = ""
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
    if graph.is_eager or VALID_OP_NAME.match(name):
        return True
    return bool(name and graph.get_name_scope() and VALID_SCOPE_NAME.match(name))


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
    for key, attr in decl.signature.attrs.items():
        if key not in attrs:
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
    """The element types that attributes determine for some inputs or outputs, lists flattened."""
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
