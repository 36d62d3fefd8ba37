"""Working on GraphDefs: parts of them, variables made constants, what only training needs taken out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import int32, string
from headrace.core.operation import Operation
from headrace.core.shapes import TensorShape
from headrace.messages import protos
from headrace.messages.tensor_proto import make_tensor_proto
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.typing import SessionLike, TensorLike


_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
PASSING = ("Switch", "Enter", "Exit", "Identity", "Merge", "NextIteration")
_STATE_OPS = frozenset(
    ("Assign", "AssignAdd", "AssignSub", "Queue", "ScatterAdd", "ScatterSub", "ScatterUpdate", "TruncatedNormal")
) | {"Variable", "VariableV2"}


def node_name(text: str) -> str:
    """The node that an input string names."""
    return text[1:] if text.startswith("^") else text.partition(":")[0]


def must_run_on_cpu(node: Operation | protos.NodeDef, pin_variables_on_cpu: bool = False) -> bool:
    """Whether 1.x's GPU kernels leave a node to the CPU.

    Args:
        node: an `Operation` or `NodeDef`.
        pin_variables_on_cpu: whether variables and what changes them count as well.

    Raises:
        AssertionError: for something else.
    """
    node_def = node.node_def if isinstance(node, Operation) else node
    if not isinstance(node_def, protos.NodeDef):
        raise AssertionError(f"must_run_on_cpu takes an operation or a NodeDef, got {node!r}.")
    if pin_variables_on_cpu and node_def.op in _STATE_OPS:
        return True
    if node_def.op == "Const":
        return node_def.attr["dtype"].type in (string.as_datatype_enum, int32.as_datatype_enum)
    if node_def.op in ("DynamicStitch", "ParallelDynamicStitch"):
        return node_def.attr["T"].type == int32.as_datatype_enum
    return node_def.op == "Cast" and node_def.attr["SrcT"].type == int32.as_datatype_enum


def extract_sub_graph(graph_def: int | protos.GraphDef, dest_nodes: str | Sequence[str]) -> protos.GraphDef:
    """The part of a GraphDef that some of its nodes need, colocated nodes included.

    Args:
        graph_def: a `GraphDef`.
        dest_nodes: a list of node names.

    Returns:
        a GraphDef with these nodes, in their order.

    Raises:
        TypeError: if an argument has a wrong type; AssertionError: if a name is not in the graph.
    """
    if not isinstance(graph_def, protos.GraphDef):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    if isinstance(dest_nodes, str):
        raise TypeError("dest_nodes must be a list.")
    needs = {}
    for node in graph_def.node:
        needs[node.name] = [node_name(text) for text in node.input]
        if "_class" in node.attr:
            groups = [group.decode() for group in node.attr["_class"].list.s]
            needs[node.name] += [group[5:] for group in groups if group.startswith("loc:@")]
    for name in dest_nodes:
        if name not in needs:
            raise AssertionError(f"{name} is not in graph")
    kept = set()
    waiting = list(dest_nodes)
    while waiting:
        name = waiting.pop()
        if name not in kept:
            kept.add(name)
            waiting += needs.get(name, ())
    out = protos.GraphDef(library=graph_def.library, versions=graph_def.versions)
    out.node.extend(node for node in graph_def.node if node.name in kept)
    return out


def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> TensorShape:
    """The static shape of a tensor by its name; ":0" may be missing."""
    return graph.get_tensor_by_name(input_name if ":" in input_name else f"{input_name}:0").get_shape()


def convert_variables_to_constants(
    sess: SessionLike,
    input_graph_def: protos.GraphDef,
    output_node_names: Sequence[str],
    variable_names_whitelist: Iterable[str] | None = None,
    variable_names_blacklist: Iterable[str] | None = None,
) -> protos.GraphDef:
    """The part of a graph that some nodes need, with the variables' values in a session in place of the variables.

    Args:
        sess: a session that holds the variables.
        input_graph_def: its graph's `GraphDef`.
        output_node_names: a list of node names.
        variable_names_whitelist: the only variables to convert; all by default.
        variable_names_blacklist: variables not to convert.

    Returns:
        a GraphDef.

    Raises:
        TypeError, AssertionError: as `extract_sub_graph`.
        ValueError: if a read of a variable cannot be traced to it.

    Example:
        >>> frozen = tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, ["logits"])
    """
    graph_def = extract_sub_graph(input_graph_def, output_node_names)
    whitelist = None if variable_names_whitelist is None else set(variable_names_whitelist)
    unwanted = set(variable_names_blacklist or ())
    variables = [
        node
        for node in graph_def.node
        if node.op in _VARIABLES and (whitelist is None or node.name in whitelist) and node.name not in unwanted
    ]
    # A resource is read through the operation that the variable made for it.
    reads = [f"{v.name}/Read/ReadVariableOp:0" if v.op == "VarHandleOp" else f"{v.name}:0" for v in variables]
    passed = _passed_handles(graph_def)
    values = dict(zip((v.name for v in variables), sess.run(reads) if reads else []))
    tf_logging.info("Froze %d variables.", len(values))
    out = _frozen(graph_def, values, passed)
    tf_logging.info("Converted %d variables to const ops.", len(values))
    return out


def frozen_graph(graph_def: protos.GraphDef, values: Mapping[str, Any]) -> protos.GraphDef:
    """A graph in which the values of some variables stand in their place.

    Args:
        graph_def: the graph.
        values: the names of the variables' nodes and their values.

    Raises:
        ValueError: if a read of a variable cannot be traced to it.
    """
    out = _frozen(graph_def, values, _passed_handles(graph_def))
    out.versions.CopyFrom(graph_def.versions)
    return out


def _frozen(graph_def: protos.GraphDef, values: Mapping[str, Any], passed: Mapping[str, Any]) -> protos.GraphDef:
    nodes = {node.name: node for node in graph_def.node}
    out = protos.GraphDef(library=graph_def.library)
    for node in graph_def.node:
        if node.name in values:
            out.node.append(_const(node.name, node.attr["dtype"].type, values[node.name]))
        elif node.name in passed and _handle_of(node, nodes) in values:
            moved = protos.NodeDef(name=node.name, op=node.op, input=node.input)
            for key in node.attr:
                if key != "_output_shapes":
                    moved.attr[key].CopyFrom(node.attr[key])
            moved.attr["T"].CopyFrom(passed[node.name])
            out.node.append(moved)
        elif node.op == "ReadVariableOp" and _handle_of(node, nodes) in values:
            out.node.append(_read(node))
        elif node.op == "ResourceGather" and _handle_of(node, nodes) in values:
            out.node.extend(_gather(node))
        else:
            out.node.append(node)
    return out


def _handle_of(node: protos.NodeDef, nodes: dict[str, Any]) -> str:
    """The variable that a read reads, through what passes its handle on."""
    name = node_name(node.input[0])
    while nodes[name].op in PASSING:
        name = node_name(nodes[name].input[0])
    return name


def _passed_handles(graph_def: protos.GraphDef) -> dict[str, Any]:
    """What stands between variables and their reads: node name to the AttrValue of the variable's type."""
    nodes = {node.name: node for node in graph_def.node}
    passed: dict[str, Any] = {}
    for node in graph_def.node:
        if node.op not in ("ReadVariableOp", "ResourceGather"):
            continue
        waiting = [node_name(node.input[0])]
        while waiting:
            name = waiting.pop()
            source = nodes[name]
            if source.op in PASSING:
                if name not in passed:
                    passed[name] = node.attr["dtype"]
                    count = 2 if source.op == "Merge" else 1
                    waiting += [node_name(text) for text in source.input[:count]]
            elif source.op != "VarHandleOp":
                raise ValueError("Cannot find the variable that is an input to the ReadVariableOp.")
    return passed


def _const(name: str, dtype: int, value: TensorLike) -> protos.NodeDef:
    node = protos.NodeDef(name=name, op="Const")
    node.attr["dtype"].type = dtype
    node.attr["value"].tensor.CopyFrom(make_tensor_proto(value, dtype=dtype, shape=getattr(value, "shape", ())))
    return node


def _read(node: protos.NodeDef) -> protos.NodeDef:
    identity = protos.NodeDef(name=node.name, op="Identity", input=[node.input[0]])
    identity.attr["T"].CopyFrom(node.attr["dtype"])
    _keep_class(node, identity)
    return identity


def _gather(node: protos.NodeDef) -> list[Any]:
    if node.attr["batch_dims"].i != 0:
        raise ValueError("batch_dims != 0 is not supported by freeze_graph.")
    axis = _const(f"{node.name}/axis", node.attr["Tindices"].type, 0)
    gather = protos.NodeDef(name=node.name, op="GatherV2", input=[*node.input[:2], axis.name])
    gather.attr["Tparams"].CopyFrom(node.attr["dtype"])
    gather.attr["Tindices"].CopyFrom(node.attr["Tindices"])
    gather.attr["Taxis"].CopyFrom(node.attr["Tindices"])
    _keep_class(node, gather)
    return [axis, gather]


def _keep_class(node: protos.NodeDef, new: protos.NodeDef) -> None:
    if "_class" in node.attr:
        new.attr["_class"].CopyFrom(node.attr["_class"])


def remove_training_nodes(
    input_graph: protos.GraphDef, protected_nodes: Sequence[str] | None = None
) -> protos.GraphDef:
    """A GraphDef without the nodes that only training needs: CheckNumerics, and Identity away from control edges.

    Args:
        input_graph: a `GraphDef`.
        protected_nodes: names of nodes to keep.

    Returns:
        a new GraphDef; what took a node that is gone takes its input instead.
    """
    protected = set(protected_nodes or ())
    checks = {n.name for n in input_graph.node if n.op == "CheckNumerics" and n.name not in protected}
    left = []
    for node in input_graph.node:
        if node.name not in checks:
            left.append(protos.NodeDef())
            left[-1].CopyFrom(node)
            del left[-1].input[:]
            left[-1].input.extend(text for text in node.input if text.removeprefix("^") not in checks)
    waited_for = {text[1:] for node in left for text in node.input if text.startswith("^")}
    spliced = {
        node.name: node.input[0]
        for node in left
        if node.op == "Identity"
        and node.name not in protected
        and node.name not in waited_for
        and not any(text.startswith("^") for text in node.input)
    }
    out = protos.GraphDef()
    for node in left:
        if node.name in spliced:
            continue
        for i, text in enumerate(node.input):
            while text.removeprefix("^") in spliced:
                text = spliced[text.removeprefix("^")]
            node.input[i] = text
        out.node.append(node)
    return out
