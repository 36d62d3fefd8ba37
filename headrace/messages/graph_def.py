"""Whole graphs as GraphDef messages, and GraphDefs as operations of a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.graph import PRODUCER_VERSION, Graph
from headrace.core.operation import Operation
from headrace.core.registry import find
from headrace.core.tensor import Tensor
from headrace.core.version import VERSION
from headrace.messages import protos
from headrace.messages.function_def import import_library, library_of
from headrace.messages.node_def import attr_to_proto, fill_node_def, fill_shape_proto
from headrace.messages.node_imports import as_text, check_types, import_nodes, parse_input
from headrace.messages.producers import Producer

# Of a graph with more bytes than this, such as one with large constants, no message is kept.
_KEPT_BYTES = 1 << 24


class _Kept(NamedTuple):
    """The operations of a graph as they were written last: nobody changes the message any more."""

    changes: int
    operations: int
    nodes: protos.GraphDef


def graph_def_of(graph: Graph, add_shapes: bool = False) -> protos.GraphDef:
    """The operations of `graph` as a GraphDef.

    A graph is written again and again, with each checkpoint for example, and is mostly the same: what has been written of
    it is kept, and only operations added since are made messages of.

    Args:
        graph: the graph.
        add_shapes: whether to give each node the attribute `_output_shapes`.
    """
    graph_def = protos.GraphDef()
    changes, operations = graph._changes, graph.get_operations()
    kept: _Kept | None = graph._written.get(add_shapes)
    first = 0
    if kept is not None and kept.changes == changes and kept.operations <= len(operations):
        graph_def.CopyFrom(kept.nodes)
        first = kept.operations
    for op in operations[first:]:
        node = graph_def.node.add()
        fill_node_def(node, op, sort_control_inputs=True)
        if add_shapes and op.outputs:
            shapes = node.attr["_output_shapes"].list.shape
            for tensor in op.outputs:
                fill_shape_proto(shapes.add(), tensor.dims)
    if first < len(operations):
        _keep(graph, add_shapes, changes, len(operations), graph_def)
    graph_def.versions.CopyFrom(graph.graph_def_versions)
    if graph._functions:
        graph_def.library.CopyFrom(library_of(graph))
    return graph_def


def _keep(graph: Graph, add_shapes: bool, changes: int, count: int, nodes: protos.GraphDef) -> None:
    if nodes.ByteSize() > _KEPT_BYTES:
        graph._written.pop(add_shapes, None)
        return
    copy = protos.GraphDef()
    copy.CopyFrom(nodes)
    graph._written[add_shapes] = _Kept(changes, count, copy)


def import_graph_def(
    graph_def: protos.GraphDef,
    input_map: Mapping[str, Any] | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: int | protos.OpList | None = None,
) -> list[Operation | Tensor] | None:
    """Adds the nodes of a GraphDef to the default graph.

    Args:
        graph_def: a `GraphDef`. Its nodes get the attributes that they leave to their defaults, as in 1.x.
        input_map: names in the GraphDef ("op", "op:1", "^op") to the tensors of the graph to use instead.
        return_elements: names of operations ("op") and tensors ("op:0") to return.
        name: the prefix of the new names, "import" by default; "" for none.
        op_dict: accepted for older callers and not needed: op types are looked up among the declared ones.
        producer_op_list: an `OpList`, the ops as the program knew them that made the GraphDef. Attributes that are not
            known here are left out where they have the default values that it tells.

    Returns:
        the elements asked for, or None.

    Raises:
        TypeError: if an argument has a wrong type.
        ValueError: if names in the arguments or inputs are not in the GraphDef, or clash with the graph's own.
        NotFoundError: naming all op types that are not declared (a NotImplementedError too).
    """
    if not isinstance(graph_def, protos.GraphDef):
        raise TypeError("graph_def must be a GraphDef proto.")
    if input_map is not None and not (
        isinstance(input_map, Mapping) and all(isinstance(key, str | bytes) for key in input_map)
    ):
        raise TypeError("input_map must be a dictionary mapping strings to Tensor objects.")
    if return_elements is not None:
        if not all(isinstance(element, str | bytes) for element in return_elements):
            raise TypeError("return_elements must be a list of strings.")
        return_elements = [as_text(element) for element in return_elements]
    graph = get_default_graph()
    graph._check_not_finalized()
    check_versions(graph_def.versions)
    producer = Producer(producer_op_list, graph_def.versions.producer)
    import_library(graph, graph_def.library, producer)
    check_types(graph, graph_def)
    _fill_defaults(graph_def)
    mapped: dict[tuple[str, int], Any] = {}
    if name == "" and not all(isinstance(value, (Tensor, Operation)) for value in (input_map or {}).values()):
        raise ValueError("tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor values.")
    with graph.name_scope("import" if name is None else name) as scope:
        constants = False
        for key, value in (input_map or {}).items():
            constants = constants or not isinstance(value, (Tensor, Operation))
            mapped[parse_input(as_text(key))] = value
        if constants:
            with graph.name_scope("_inputs"):
                for place, value in mapped.items():
                    mapped[place] = value if isinstance(value, Operation) else convert_to_tensor(value)
        found = import_nodes(graph, graph_def, producer, scope, mapped, return_elements)
    graph._producer_version = min(graph._producer_version, graph_def.versions.producer)
    graph._min_consumer_version = max(graph._min_consumer_version, graph_def.versions.min_consumer)
    return found


def _fill_defaults(graph_def: protos.GraphDef) -> None:
    """Gives the nodes of a GraphDef, in place, the attributes that they leave to the defaults of their types."""
    defaults: dict[str, list[tuple[str, protos.AttrValue]]] = {}
    for node in graph_def.node:
        known = defaults.get(node.op)
        if known is None:
            decl = find(node.op)
            declared = () if decl is None else decl.signature.attrs.values()
            known = defaults[node.op] = [
                (attr.name, attr_to_proto(attr.kind, attr.default))
                for attr in declared
                if attr.has_default and attr.name[:1] != "_"
            ]
        for name, value in known:
            if name not in node.attr:
                node.attr[name].CopyFrom(value)


def check_versions(versions: protos.VersionDef) -> None:
    """Raises ValueError for a GraphDef of a version that cannot be read."""
    if versions.producer < 0:
        raise ValueError(
            f"GraphDef producer version {versions.producer} below min producer 0 supported by TensorFlow {VERSION}.  Please "
            "regenerate your graph."
        )
    if versions.min_consumer > PRODUCER_VERSION:
        raise ValueError(
            f"GraphDef min consumer version {versions.min_consumer} above current version {PRODUCER_VERSION} for "
            f"TensorFlow {VERSION}.  Please upgrade TensorFlow."
        )
    if PRODUCER_VERSION in versions.bad_consumers:
        raise ValueError(
            f"GraphDef disallows consumer version {PRODUCER_VERSION}.  Please upgrade TensorFlow: this version is likely buggy."
        )
