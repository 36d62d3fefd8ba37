"""Functions with the values of their variables in place of the variables."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.graph_tools.inlining import with_calls_inlined
from headrace.messages import protos
from headrace.messages.graph_util import PASSING, extract_sub_graph, frozen_graph, node_name
from headrace.state.concrete_function import variable_of
from headrace.state.wrapped_function import function_from_graph_def

if TYPE_CHECKING:
    from headrace.state.concrete_function import ConcreteFunction
    from headrace.state.wrapped_function import WrappedFunction


def convert_variables_to_constants_v2(func: ConcreteFunction, lower_control_flow: bool = True) -> WrappedFunction:
    """A function that computes what another does now, and holds its variables' values as constants.

    Args:
        func: the function, of `get_concrete_function`. What it calls becomes part of it.
        lower_control_flow: whether branches and loops that are calls of functions may run as Switch, Merge and their
            like; if not, their nodes are marked so.

    Returns:
        a function of the tensors that `func` takes, which returns a list of what `func` does, and whose `graph` has
        neither variables nor calls.

    Raises:
        ValueError: if a variable is read where it cannot be replaced, such as in the function of a branch.

    Example:
        >>> v = tf.Variable(2.0)
        >>> f = tf.function(lambda x: x * v).get_concrete_function(tf.TensorSpec([], tf.float32))
        >>> frozen = convert_variables_to_constants_v2(f)
        >>> unused = v.assign(5.0)
        >>> frozen(tf.constant(3.0))[0].numpy()
        6.0
    """
    graph = func.graph
    graph_def = with_calls_inlined(graph.as_graph_def(), graph)
    outputs = [tensor.name for tensor in graph.outputs]
    graph_def = extract_sub_graph(graph_def, [tensor.op.name for tensor in graph.outputs])
    captured = {placeholder.op.name: outer for outer, placeholder in graph.captures}
    values = {}
    for node in graph_def.node:
        if node.name in captured:
            outer = captured[node.name]
            variable = variable_of(outer)
            if variable is not None:
                # The placeholder of a handle becomes what graphs of sessions have in its place.
                node.op = "VarHandleOp"
                node.attr["dtype"].type = variable.dtype.base_dtype.as_datatype_enum
            holder: Any = outer if variable is None else variable
            values[node.name] = holder.numpy()
    _require_reads(graph_def, values)
    if not any(value.HasField("func") for node in graph_def.node for value in node.attr.values()):
        graph_def.ClearField("library")
    if not lower_control_flow:
        graph_def = disable_lower_using_switch_merge(graph_def)
    inputs = [tensor.name for tensor in func.inputs if tensor.op.name not in captured]
    return function_from_graph_def(frozen_graph(graph_def, values), inputs, outputs)


def _require_reads(graph_def: protos.GraphDef, values: Mapping[str, Any]) -> None:
    """Raises ValueError if anything but reads and what passes handles on takes the handle of a variable."""
    handles = {node.name for node in graph_def.node if node.op == "VarHandleOp" and node.name in values}
    for node in graph_def.node:
        found = next((name for name in map(node_name, node.input) if name in handles), None)
        if found is not None and node.op not in ("ReadVariableOp", "ResourceGather", *PASSING):
            raise ValueError(
                f"{node.name} ({node.op}) takes the variable {found}, which cannot be a constant there; only reads can."
            )


def disable_lower_using_switch_merge(graph_def: protos.GraphDef) -> protos.GraphDef:
    """A copy of a graph whose branches and loops, in functions too, are marked to stay calls of functions."""
    made = protos.GraphDef()
    made.CopyFrom(graph_def)
    for node in itertools.chain(made.node, *(function.node_def for function in made.library.function)):
        if node.op in ("If", "StatelessIf", "StatelessWhile", "While"):
            node.attr["_lower_using_switch_merge"].b = False
    return made
