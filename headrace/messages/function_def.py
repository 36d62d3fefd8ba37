"""Functions as FunctionDef messages, and the library of a GraphDef as functions of a graph."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Set
from typing import Any

from headrace.core.dtypes import as_dtype
from headrace.core.errors import UndeclaredOpError
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.graph_functions import Function, called_function
from headrace.core.operation import Operation
from headrace.core.registry import OpDecl, find, find_public, raw
from headrace.core.tensor import Tensor
from headrace.messages import protos
from headrace.messages.node_def import attr_from_proto, attr_to_proto, kind_of, node_def_of
from headrace.messages.node_imports import check_node_name, check_types, import_nodes
from headrace.messages.op_def import op_def_of
from headrace.messages.producers import Producer

_OUTPUT_SHAPES = "_output_shapes"
# The definitions of functions that cannot run here, for those who export the graph again.
_ORIGINALS: weakref.WeakKeyDictionary[Function, Any] = weakref.WeakKeyDictionary()
# The attributes that a definition left at their defaults, by node. They are left out again, for readers that are older.
_LEFT_OUT: weakref.WeakKeyDictionary[Function, dict[str, frozenset[str]]] = weakref.WeakKeyDictionary()


def function_def_of(function: Function) -> protos.FunctionDef:
    """A function as a FunctionDef."""
    message = protos.FunctionDef()
    if function in _ORIGINALS:
        message.CopyFrom(_ORIGINALS[function])
        return message
    message.signature.CopyFrom(op_def_of(function.decl))
    if function.doc:
        message.signature.description = function.doc
    parameters = {tensor: arg.name for tensor, arg in zip(function.inputs, function.decl.signature.inputs, strict=True)}

    def named(tensor: Tensor) -> str:
        if tensor in parameters:
            return parameters[tensor]
        arg, index = _output_arg(tensor)
        return f"{tensor.op.name}:{arg}:{index}"

    left_out = _LEFT_OUT.get(function, {})
    exported = _exported(function, set(parameters))
    used = {tensor for op in exported for tensor in op.inputs}.union(function.outputs)
    for op in exported:
        count, original = _original_of(op, used)
        node = node_def_of(op, sort_control_inputs=True)
        for key in original.keys() & node.attr.keys():
            declared = op.decl.signature.attrs.get(key)
            kind = kind_of(key, original[key]) if declared is None else declared.kind
            node.attr[key].CopyFrom(attr_to_proto(kind, original[key]))
        for key in left_out.get(op.name, ()):
            # Looked for first: reading a key of this map makes it.
            if key in node.attr and node.attr[key] == _default_of(op.decl, key):
                del node.attr[key]
        controls = [f"^{control.name}" for control in op.control_inputs if control.outputs[:1] != function.inputs[:1]]
        del node.input[:]
        node.input.extend(named(tensor) for tensor in op.inputs[:count])
        node.input.extend(sorted(controls))
        message.node_def.append(node)
    for arg, tensor in zip(function.decl.signature.outputs, function.outputs, strict=True):
        message.ret[arg.name] = named(tensor)
    for key, value in function.attrs.items():
        message.attr[key].CopyFrom(attr_to_proto(kind_of(key, value), value))
    return message


def _original_of(op: Operation, used: Set[Tensor]) -> tuple[int, dict[str, Any]]:
    """How many inputs an operation is written with, and its attributes where they are not those that it has now.

    A gradient that has been made of a function lets its branches and loops return more, which others than it do not use.
    """
    if op._original is None or not used.isdisjoint(op.outputs[op._original[1] :]):
        return len(op.inputs), {}
    return op._original[0], op._original[2]


def _default_of(decl: OpDecl, key: str) -> protos.AttrValue:
    attr = decl.signature.attrs[key]
    return attr_to_proto(attr.kind, attr.default)


def _exported(function: Function, parameters: set[Tensor]) -> list[Operation]:
    """The operations of the body; of a view of a graph, those its results need."""
    made = {tensor.op for tensor in parameters}
    if not function.is_view:
        return [op for op in function.operations if op not in made]
    needed: set[Operation] = set()
    pending = [tensor.op for tensor in function.outputs]
    while pending:
        op = pending.pop()
        if op not in needed and op not in made:
            needed.add(op)
            pending.extend(tensor.op for tensor in op.inputs)
            pending.extend(op.control_inputs)
    return [op for op in function.graph.get_operations() if op in needed]


def _output_arg(tensor: Tensor) -> tuple[str, int]:
    """The name of the output argument that a tensor belongs to, and its place in it."""
    position = tensor.value_index
    for arg, count in output_counts(tensor.op.decl, tensor.op.attrs):
        if position < count:
            return arg, position
        position -= count
    raise ValueError(f"{tensor} is not an output of its operation.")


def output_counts(decl: OpDecl, attrs: dict[str, Any]) -> list[tuple[str, int]]:
    """The name of each output argument and how many tensors it stands for."""
    counts = []
    for arg in decl.signature.outputs:
        count = 1
        if arg.number_attr is not None:
            count = attrs[arg.number_attr]
        elif arg.type_list_attr is not None:
            count = len(attrs[arg.type_list_attr])
        counts.append((arg.name, count))
    return counts


def _read_attrs(attrs: Mapping[str, Any], of: str) -> dict[str, Any]:
    try:
        return {key: attr_from_proto(value) for key, value in attrs.items()}
    except TypeError as error:
        raise ValueError(f"{of}: {error}") from None


def counting_attrs(decl: OpDecl, node: Any) -> dict[str, Any]:
    """The attributes of a node that say how many tensors its outputs stand for.

    Raises:
        ValueError: if one is not there, or of another kind.
    """
    known = decl.signature.attrs
    wanted = {arg.number_attr: "i" for arg in decl.signature.outputs if arg.number_attr is not None}
    wanted |= {arg.type_list_attr: "list" for arg in decl.signature.outputs if arg.type_list_attr is not None}
    found = {}
    for key, kind in wanted.items():
        if key not in node.attr and known[key].has_default:
            found[key] = known[key].default
        elif key not in node.attr or node.attr[key].WhichOneof("value") != kind:
            raise ValueError(
                f"Node '{node.name}' ({node.op}): its attribute {key!r} does not say how many outputs it has."
            )
        else:
            found[key] = node.attr[key].i if kind == "i" else node.attr[key].list.type
    return found


def library_of(graph: Graph, used: set[str] | None = None) -> protos.FunctionDefLibrary:
    """The functions of `graph` as a FunctionDefLibrary; those named in `used` and what they call, or all."""
    library = protos.FunctionDefLibrary()
    for name, function in graph._functions.items():
        if used is not None and name not in used:
            continue
        library.function.append(function_def_of(function))
        if function.gradient is not None:
            library.gradient.add(function_name=name, gradient_func=function.gradient.name)
    return library


def import_library(graph: Graph, library: protos.FunctionDefLibrary, producer: Producer | None = None) -> None:
    """Adds the functions of a FunctionDefLibrary to `graph`; one it has already under the same name stays.

    Args:
        graph: the graph.
        library: the `FunctionDefLibrary`.
        producer: what is known of the program that made it.

    A function that uses op types that are not declared can be called, but not run.

    Raises:
        ValueError: if a gradient is declared of or by a function that is not there.
    """
    messages = {message.signature.name: message for message in library.function}
    gradients = {pair.function_name: pair.gradient_func for pair in library.gradient}
    for name in [*gradients, *gradients.values()]:
        if name not in messages and called_function(graph, name) is None:
            raise ValueError(f"FunctionDefLibrary missing '{name}' FunctionDef")
    for name in _callees_first(messages):
        if called_function(graph, name) is not None:
            continue
        if find(name) is not None:
            raise ValueError(f"Cannot add function '{name}' because an op with the same name already exists.")
        try:
            function = function_from_def(messages[name], graph, producer)
        except UndeclaredOpError as error:
            function = _not_runnable(messages[name], graph, str(error))
        function.add_to_graph(graph)
    for name, gradient in gradients.items():
        owner, found = called_function(graph, name), called_function(graph, gradient)
        if owner is not None:
            owner.gradient = found


def _callees_first(messages: dict[str, Any]) -> Iterator[str]:
    """The names of functions, each after those it calls; without recursion, for files may nest them at will."""
    started: set[str] = set()
    for root in messages:
        stack = [] if root in started else [(root, _callees(messages[root]))]
        started.add(root)
        while stack:
            name, callees = stack[-1]
            for callee in callees:
                if callee in messages and callee not in started:
                    started.add(callee)
                    stack.append((callee, _callees(messages[callee])))
                    break
            else:
                stack.pop()
                yield name


def _callees(message: protos.FunctionDef) -> Iterator[str]:
    for node in message.node_def:
        yield node.op
        for attr in node.attr.values():
            yield attr.func.name
            yield from (item.name for item in attr.list.func)


def _not_runnable(message: protos.FunctionDef, graph: Graph, why: str) -> Function:
    """What stands for a function that cannot be had: calls and exports are possible, running it raises the reason."""
    unknown = sorted(
        {n.op for n in message.node_def if called_function(graph, n.op) is None and find_public(n.op) is None}
    )
    name = message.signature.name
    reason = f"Function {name!r} cannot run: Headrace declares no op of type {', '.join(unknown)}." if unknown else why
    _check_arguments(message)
    body = FuncGraph(name, graph)
    inputs = [body.add_input(arg.type, None, arg.name) for arg in message.signature.input_arg]
    with body.as_default():
        types = [as_dtype(arg.type) for arg in message.signature.output_arg]
        results = raw._NotRunnable(inputs, reason=reason, Tout=types, name="not_runnable")
    body.inputs = inputs
    body.outputs = [] if isinstance(results, Operation) else list(results)
    function = Function(name, body, out_names=[arg.name for arg in message.signature.output_arg])
    _ORIGINALS[function] = message
    return function


def _check_arguments(message: protos.FunctionDef) -> None:
    for arg in message.signature.output_arg:
        check_node_name(arg.name)
    for arg in message.signature.input_arg:
        check_node_name(arg.name)
        if not arg.type:
            raise NotImplementedError(
                f"The argument {arg.name!r} of function {message.signature.name!r} has no fixed type; export the graph "
                "with a function instantiated for it."
            )


def _outputs(message: protos.FunctionDef, body: FuncGraph, results: list[str]) -> list[Tensor]:
    """The tensors of a body that are returned, of these names."""
    found = []
    for arg, text in zip(message.signature.output_arg, results, strict=True):
        returned = (
            f"Function {message.signature.name!r}: '{message.ret[arg.name]}', which it returns as {arg.name!r}, is"
        )
        try:
            tensor = body.get_tensor_by_name(text if ":" in text else f"{text}:0")
        except KeyError:
            raise ValueError(f"{returned} not found in it.") from None
        if arg.type and tensor.dtype.base_dtype != as_dtype(arg.type).base_dtype:
            raise ValueError(f"{returned} of type {tensor.dtype.name}; its signature says {as_dtype(arg.type).name}.")
        found.append(tensor)
    return found


def function_from_def(message: protos.FunctionDef, graph: Graph, producer: Producer | None = None) -> Function:
    """The function that a FunctionDef describes, with `graph` as the graph around it.

    Raises:
        ValueError: if its nodes do not fit together.
        NotFoundError: if it uses op types that are not declared.
        NotImplementedError: for attributes that only an instance has.
    """
    body = FuncGraph(message.signature.name, graph)
    arguments = [arg.name for arg in message.signature.input_arg]
    graph_def = protos.GraphDef()
    _check_arguments(message)
    for index, arg in enumerate(message.signature.input_arg):
        node = graph_def.node.add(name=arg.name, op="Placeholder")
        node.attr["dtype"].type = arg.type
        shapes = message.arg_attr[index].attr if index in message.arg_attr else {}
        known = attr_from_proto(shapes[_OUTPUT_SHAPES]) if _OUTPUT_SHAPES in shapes else []
        node.attr["shape"].CopyFrom(attr_to_proto("shape", known[0] if known else None))
    nodes = {node.name: node for node in message.node_def}

    def flat(text: str) -> str:
        name, _, rest = text.partition(":")
        if not rest or text.startswith("^"):
            return text
        output, _, index = rest.partition(":")
        if name not in nodes:
            raise ValueError(f"Function {message.signature.name!r}: there is no node for the input '{text}'")
        node = nodes[name]
        function = called_function(graph, node.op)
        decl = function.decl if function is not None else find_public(node.op)
        if decl is None:
            raise UndeclaredOpError(
                None,
                None,
                f"Op type not registered '{node.op}': function {message.signature.name!r} uses it, and Headrace declares "
                "it not.",
            )
        position = 0
        for arg, count in output_counts(decl, counting_attrs(decl, node)):
            if arg == output:
                return f"{name}:{position + int(index or 0)}"
            position += count
        raise ValueError(f"Node '{name}' ({node.op}) has no output {output!r}, which '{text}' names.")

    for node in message.node_def:
        copied = graph_def.node.add()
        copied.CopyFrom(node)
        del copied.input[:]
        copied.input.extend(flat(text) for text in node.input)
    for arg in message.signature.output_arg:
        if arg.name not in message.ret:
            raise ValueError(f"Function {message.signature.name!r}: nothing is returned as {arg.name!r}")
    results = [flat(message.ret[arg.name]) for arg in message.signature.output_arg]
    with body.as_default():
        check_types(body, graph_def)
        import_nodes(body, graph_def, producer or Producer())
    body.inputs = [body.get_tensor_by_name(f"{name}:0") for name in arguments]
    body.outputs = _outputs(message, body, results)
    function = Function(
        message.signature.name,
        body,
        out_names=[arg.name for arg in message.signature.output_arg],
        attrs=_read_attrs(message.attr, f"Function {message.signature.name!r}"),
        doc=message.signature.description or None,
    )
    left_out = {
        op.name: frozenset(
            key for key, attr in op.decl.signature.attrs.items() if attr.has_default and key not in nodes[op.name].attr
        )
        for op in body.get_operations()
        if op.name in nodes
    }
    _LEFT_OUT[function] = {name: keys for name, keys in left_out.items() if keys}
    return function


__all__ = ["function_def_of", "function_from_def", "import_library", "library_of"]
