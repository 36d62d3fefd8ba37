"""MetaGraphDefs read: their graphs and collections added to a graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_default_graph
from headrace.core.errors import DataLossError
from headrace.core.framework_ops import (
    get_collection_proto_type,
    get_from_proto_function,
    prepend_name_scope,
    strip_name_scope,
)
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.interop.meta_graph import export_scoped_meta_graph
from headrace.messages import protos
from headrace.messages.file_faults import faults_in
from headrace.messages.graph_def import import_graph_def
from headrace.messages.graph_files import read_message
from headrace.messages.packed import name_as_classes
from headrace.util import tf_logging

_VARIABLE_COLLECTIONS = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.METRIC_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.CONCATENATED_VARIABLES,
    GraphKeys.TRAINABLE_RESOURCE_VARIABLES,
)


def read_meta_graph_file(filename: str) -> protos.MetaGraphDef:
    """The MetaGraphDef in a file, binary or text.

    Raises:
        OSError: if there is no such file, or if it holds something else.
        UnicodeDecodeError: if what it holds is neither a message nor text.
    """
    path = as_path(filename)
    if not file_io.file_exists(path):
        raise OSError(f"File {path} does not exist.")
    try:
        found = read_message(path, protos.MetaGraphDef())
    except DataLossError as error:
        # What is no binary message is read as text.
        with file_io.FileIO(path, "rb") as file:
            _check_text(file.read(), error.message)
        raise OSError(error.message) from None
    name_as_classes(found)
    return found


def _check_text(data: bytes, message: str) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        reason = f"{error.reason}; {message}"
        raise UnicodeDecodeError(error.encoding, error.object, error.start, error.end, reason) from None


def import_scoped_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    graph: Graph | None = None,
    import_scope: str | None = None,
    input_map: Mapping[str, Any] | None = None,
    unbound_inputs_col_name: str = "unbound_inputs",
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
) -> dict[str, Any]:
    """`import_scoped_meta_graph_with_return_elements` without elements; returns the variables."""
    variables, _ = import_scoped_meta_graph_with_return_elements(
        meta_graph_or_file,
        clear_devices,
        graph,
        import_scope,
        input_map,
        unbound_inputs_col_name,
        restore_collections_predicate,
    )
    return variables


def import_scoped_meta_graph_with_return_elements(
    meta_graph_or_file: protos.MetaGraphDef,
    clear_devices: bool = False,
    graph: Graph | None = None,
    import_scope: str | None = None,
    input_map: Mapping[str, Any] | None = None,
    unbound_inputs_col_name: str = "unbound_inputs",
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
    return_elements: Sequence[str] | None = None,
) -> tuple[dict[str, Any], list[Operation | Tensor] | None]:
    """Adds what a MetaGraphDef describes to a graph: operations and collections.

    Args:
        meta_graph_or_file: a `MetaGraphDef`, or the path of one.
        clear_devices: whether to forget where nodes were placed.
        graph: the graph; the default graph by default.
        import_scope: a name scope for everything.
        input_map: names of inputs to the tensors to use instead.
        unbound_inputs_col_name: the collection that tells what inputs must be in `input_map`.
        restore_collections_predicate: tells of a collection whether to read it.
        return_elements: names of operations and tensors to return.

    Returns:
        the variables by name without the scope, and the elements.

    Raises:
        ValueError: if inputs that the graph lacks are not in `input_map`; as of `import_graph_def`.
        OSError: if there is no such file.
    """
    if isinstance(meta_graph_or_file, protos.MetaGraphDef):
        message = meta_graph_or_file
    else:
        message = read_meta_graph_file(meta_graph_or_file)
        with faults_in(as_path(meta_graph_or_file)):
            return import_scoped_meta_graph_with_return_elements(
                message,
                clear_devices,
                graph,
                import_scope,
                input_map,
                unbound_inputs_col_name,
                restore_collections_predicate,
                return_elements,
            )
    _check_bound(message, unbound_inputs_col_name, input_map)
    graph = graph or get_default_graph()
    with graph.as_default():
        graph_def = message.graph_def
        if clear_devices:
            graph_def = protos.GraphDef()
            graph_def.CopyFrom(message.graph_def)
            for node in graph_def.node:
                node.device = ""
        around = graph.get_name_scope()
        scope = graph.unique_name(import_scope, mark_as_used=False) if import_scope else around
        elements = import_graph_def(
            graph_def,
            name=import_scope or (f"{around}/" if around else ""),
            input_map=input_map,
            producer_op_list=message.meta_info_def.stripped_op_list,
            return_elements=return_elements,
        )
        _import_collections(graph, message, scope, restore_collections_predicate)
        found = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope)
        return {strip_name_scope(variable.name, scope): variable for variable in found}, elements


def _check_bound(message: protos.MetaGraphDef, collection: str, input_map: Mapping[str, Any] | None) -> None:
    if not collection or collection not in message.collection_def:
        return
    listed = message.collection_def[collection]
    field = getattr(listed, listed.WhichOneof("kind") or "node_list")
    missing = [
        text
        for text in (item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item) for item in field.value)
        if not input_map or text not in input_map
    ]
    if missing:
        raise ValueError(
            f"Graph contains unbound inputs: {', '.join(missing)}. Must provide these inputs through input_map."
        )


def _import_collections(
    graph: Graph, message: protos.MetaGraphDef, scope: str, predicate: Callable[[str], bool]
) -> None:
    # Before 1.9 a variable did not say whether it is trainable: the collection it is met in first does.
    knows_trainable = _version(message.meta_info_def.tensorflow_version) >= (1, 9)
    variables: dict[bytes, Any] = {}
    keys = sorted(message.collection_def, key=lambda key: (key != GraphKeys.TRAINABLE_VARIABLES, key))
    for key in keys:
        if not predicate(key):
            continue
        listed = message.collection_def[key]
        kind = listed.WhichOneof("kind")
        if kind is None:
            tf_logging.error("Cannot identify data type for collection %s. Skipping.", key)
            continue
        items: Iterable[Any] = getattr(listed, kind).value
        from_proto = get_from_proto_function(key)
        if from_proto is not None and kind == "bytes_list":
            made = get_collection_proto_type(key)
            for data in items:
                if key in _VARIABLE_COLLECTIONS and data in variables:
                    graph.add_to_collection(key, variables[data])
                    continue
                item = made.FromString(data)
                if key in _VARIABLE_COLLECTIONS and not knows_trainable:
                    item.trainable = key == GraphKeys.TRAINABLE_VARIABLES
                value = from_proto(item, import_scope=scope)
                if key in _VARIABLE_COLLECTIONS:
                    variables[data] = value
                graph.add_to_collection(key, value)
        elif kind == "node_list":
            for name in items:
                graph.add_to_collection(key, graph.as_graph_element(prepend_name_scope(name, scope)))
        elif kind == "int64_list":
            for number in items:
                graph.add_to_collection(key, int(number))
        elif kind == "bytes_list":
            for data in items:
                graph.add_to_collection(key, prepend_name_scope(data, scope) if scope else data)
        else:
            for item in items:
                graph.add_to_collection(key, item)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])


def copy_scoped_meta_graph(
    from_scope: str, to_scope: str, from_graph: Graph | None = None, to_graph: Graph | None = None
) -> dict[str, Any]:
    """Copies a scope of a graph to another graph, or to another scope.

    Args:
        from_scope: the scope to copy.
        to_scope: the scope of the copy.
        from_graph: the graph it is in; the default graph by default.
        to_graph: the graph of the copy; the default graph by default.

    Returns:
        the variables by name without the scope.

    Raises:
        ValueError: if both graphs and scopes are the same.
    """
    from_graph, to_graph = from_graph or get_default_graph(), to_graph or get_default_graph()
    if from_graph is to_graph and from_scope == to_scope:
        raise ValueError(
            f"'from_scope' and 'to_scope' need to be different when performing copy in the same graph. Got: {from_scope}"
        )
    message, _ = export_scoped_meta_graph(export_scope=from_scope, graph=from_graph)
    return import_scoped_meta_graph(message, graph=to_graph, import_scope=to_scope)
