"""FunctionDefs as graphs, and parts of graphs as FunctionDefs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.defaults import get_default_graph
from headrace.core.errors import InvalidArgumentError
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.graph_functions import Function, called_function
from headrace.core.operation import Operation
from headrace.core.registry import find_public
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.messages import protos
from headrace.messages.function_def import (
    counting_attrs,
    function_def_of,
    function_from_def,
    library_of,
    output_counts,
)
from headrace.messages.node_def import attr_to_proto

_SHAPES = "_output_shapes"


def function_def_to_graph(fdef: Any, input_shapes: Any = None, copy_functions: bool = True) -> FuncGraph:
    """The body of a FunctionDef as a graph, its arguments as placeholders.

    Args:
        fdef: the FunctionDef.
        input_shapes: the shapes of its arguments, None where one is not known; those it names itself by default.
        copy_functions: whether the functions of the default graph become the body's too. Those it calls always do.

    Returns:
        a graph with `inputs` and `outputs`.

    Raises:
        ValueError: if there are not as many shapes as arguments, or its nodes do not fit together.
    """
    known = _shapes(fdef, input_shapes)
    message = protos.FunctionDef()
    message.CopyFrom(fdef)
    for index, shape in enumerate(known):
        if shape is not None:
            message.arg_attr[index].attr[_SHAPES].CopyFrom(attr_to_proto("list(shape)", [TensorShape(shape).as_dims]))
    around = get_default_graph()
    body = function_from_def(message, around).graph
    if copy_functions:
        for name, function in around._functions.items():
            body._functions.setdefault(name, function)
    return body


def function_def_to_graph_def(
    fdef: Any, input_shapes: Any = None, copy_functions: bool = True
) -> tuple[Any, dict[str, str]]:
    """The body of a FunctionDef as a GraphDef, with the names its tensors have there.

    Args:
        fdef, input_shapes, copy_functions: as in `function_def_to_graph`.

    Returns:
        the GraphDef, and for each name in the form of FunctionDefs ("node:output:0") that in the form of GraphDefs.
    """
    around = get_default_graph()
    known = _shapes(fdef, input_shapes)
    graph_def = protos.GraphDef()
    graph_def.versions.CopyFrom(around.as_graph_def().versions)
    called = {node.op for node in fdef.node_def if node.op in around._functions}
    if copy_functions or called:
        graph_def.library.CopyFrom(library_of(around, None if copy_functions else called))
    names: dict[str, str] = {}
    for index, arg in enumerate(fdef.signature.input_arg):
        node = graph_def.node.add(name=arg.name, op="Placeholder")
        node.attr["dtype"].type = arg.type
        if index < len(known) and known[index] is not None:
            node.attr["shape"].shape.CopyFrom(TensorShape(known[index]).as_proto())
        if index in fdef.arg_attr:
            for key, value in fdef.arg_attr[index].attr.items():
                if key.startswith("_"):
                    node.attr[key].CopyFrom(value)
        names[arg.name], names[f"^{arg.name}"] = f"{arg.name}:0", f"^{arg.name}"
    for node in fdef.node_def:
        function = called_function(around, node.op)
        decl = function.decl if function is not None else find_public(node.op)
        if decl is None:
            raise ValueError(f"Function {fdef.signature.name!r} uses the op type {node.op!r}, which is not declared.")
        position = 0
        for name, count in output_counts(decl, counting_attrs(decl, node)):
            for index in range(count):
                names[f"{node.name}:{name}:{index}"] = f"{node.name}:{position}"
                position += 1
        names[f"^{node.name}"] = f"^{node.name}"
        graph_def.node.add().CopyFrom(node)
    for node in graph_def.node:
        node.input[:] = [names[text] for text in node.input]
    return graph_def, names


def _shapes(fdef: Any, given: Any) -> list[Any]:
    if given is None:
        return list(fdef.attr["_input_shapes"].list.shape) if "_input_shapes" in fdef.attr else []
    if len(given) != len(fdef.signature.input_arg):
        raise ValueError(
            f"Length of input_shapes must match the number of input_args. len(input_shapes): {len(given)} len(input_arg): "
            f"{len(fdef.signature.input_arg)}"
        )
    return list(given)


def graph_to_function_def(
    graph: Graph,
    operations: Sequence[Operation],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    out_names: Sequence[str] | None = None,
) -> Any:
    """Operations of a graph as a FunctionDef.

    Args:
        graph: the graph.
        operations: those that make the body.
        inputs: the tensors that become its arguments.
        outputs: the tensors it returns.
        out_names: the names of what it returns.

    Raises:
        InvalidArgumentError, ValueError: if the names are not as many as the outputs, or one is there twice.
    """
    if out_names is not None and len(out_names) != len(outputs):
        raise InvalidArgumentError(
            None,
            None,
            "output names must be either empty or equal in size to outputs. "
            f"output names size = {len(out_names)} outputs size = {len(outputs)}",
        )
    if out_names is not None and len(set(out_names)) != len(out_names):
        raise ValueError(f"Must not have duplicates in out_names: {', '.join(out_names)}")
    function = Function("_", graph, inputs, outputs, out_names=out_names)  # type: ignore[arg-type]  # the graph is one of a function
    function.operations, function.is_view = list(operations), False
    return function_def_of(function)
