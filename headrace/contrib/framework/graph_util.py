"""A part of a GraphDef replaced by one node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from headrace.messages import protos
from headrace.messages.graph_util import node_name


def _reached(starts: Iterable[str], needs: Mapping[str, Sequence[str]]) -> set[str]:
    """The nodes that `starts` need, themselves included."""
    found: set[str] = set()
    waiting = list(starts)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += needs[name]
    return found


def fuse_op(
    graph_def: str | protos.GraphDef,
    input_nodes: Sequence[str],
    output_nodes: Sequence[str],
    output_dtypes: Sequence[int],
    output_quantized: bool,
    op_name: str,
    op_type: str,
) -> protos.GraphDef:
    """A GraphDef in which one node stands for what lies between `input_nodes` and `output_nodes`.

    Args:
        graph_def: a `GraphDef`.
        input_nodes: the names of the nodes that the part takes.
        output_nodes: the names of its last nodes, of one input each; they stay, and take the new node's outputs.
        output_dtypes: the types of the new node's outputs, as numbers of `DataType`.
        output_quantized: what the attribute `_output_quantized` says.
        op_name, op_type: the new node's.

    Raises:
        TypeError: for other types of arguments, or if the part needs what `input_nodes` leave out. AssertionError: for
            names that are not there, or outputs of more inputs than one.

    Example:
        >>> scores = tf.identity(logits, name="scores")
        >>> graph_def = sess.graph.as_graph_def()
        >>> fused = tf.contrib.framework.fuse_op(graph_def, ["x", "w/read"], ["scores"], [1], False, "model", "Model")
        >>> [node.name for node in fused.node if node.op == "Model"]
        ['model']
    """
    if not isinstance(graph_def, protos.GraphDef):
        raise TypeError("graph_def must be a graph_pb2.GraphDef proto.")
    if isinstance(input_nodes, str):
        raise TypeError("input_nodes must be a list.")
    if isinstance(output_nodes, str):
        raise TypeError("output_nodes must be a list.")
    nodes = {node_name(node.name): node for node in graph_def.node}
    needs = {name: [node_name(text) for text in node.input] for name, node in nodes.items()}
    for name in (*input_nodes, *output_nodes):
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
    before, inside = _reached(input_nodes, needs), _reached(output_nodes, needs)
    inputs, outputs = set(input_nodes), set(output_nodes)
    for name in nodes:
        if name in inside and name not in before and name not in outputs:
            # What this node needs, up to the inputs, must not be something that the inputs need as well.
            needed = _reached([name], {**needs, **{start: [] for start in inputs}})
            outside = sorted((needed & before) - inputs)
            if outside:
                raise TypeError(f"Node {name} uses input {outside[0]} not in input_nodes.")
    out = protos.GraphDef(library=graph_def.library, versions=graph_def.versions)
    out.node.extend(node for name, node in nodes.items() if name in before)
    fused = out.node.add(op=op_type, name=op_name)
    fused.input.extend(input_nodes)
    fused.attr["_output_types"].list.type[:] = output_dtypes
    fused.attr["_output_quantized"].b = output_quantized
    for index, name in enumerate(output_nodes):
        if len(nodes[name].input) != 1:
            raise AssertionError(f"Output node {name} must have one input, has {len(nodes[name].input)}.")
        out.node.extend([nodes[name]])
        out.node[-1].input[0] = f"{op_name}:{index}" if index else op_name
    out.node.extend(node for name, node in nodes.items() if name not in inside and name not in before)
    return out
