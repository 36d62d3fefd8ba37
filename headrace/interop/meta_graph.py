"""MetaGraphDefs written: a graph with its collections.

How the items of a collection become messages is registered by `register_proto_function`; without that, operations and
tensors are written by name and numbers and strings as they are.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

from headrace.core import version
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_default_graph
from headrace.core.error_interpolation import create_graph_debug_info_def
from headrace.core.framework_ops import (
    get_collection_proto_type,
    get_to_proto_function,
    prepend_name_scope,
    register_proto_function,
    strip_name_scope,
)
from headrace.core.graph import Graph
from headrace.core.registry import find
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.messages import protos
from headrace.messages.graph_files import write_message
from headrace.messages.node_def import attr_to_proto
from headrace.messages.op_lists import stripped_op_list_for_graph
from headrace.messages.packed import named_as_in_files
from headrace.state.variables import Variable
from headrace.util import tf_logging

UNBOUND_INPUT_PREFIX = "$unbound_inputs_"


def _variable_to_proto(variable: Variable, export_scope: str | None = None) -> protos.VariableDef:
    return variable.to_proto(export_scope=export_scope)


def _variable_from_proto(message: protos.VariableDef, import_scope: str | None = None) -> Variable:
    return Variable.from_proto(message, import_scope=import_scope)


for _collection in (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.GLOBAL_STEP,
    GraphKeys.METRIC_VARIABLES,
):
    register_proto_function(
        _collection, proto_type=protos.VariableDef, to_proto=_variable_to_proto, from_proto=_variable_from_proto
    )


def _name_of(item: object) -> str | None:
    """The name of an operation, tensor or variable, or a node's name itself; None for anything else."""
    if isinstance(item, str):
        return item
    name = getattr(item, "name", None)
    return name if isinstance(name, str) else None


def _included(item: object, export_scope: str | None, excluded: Iterable[str]) -> bool:
    if isinstance(item, bytes):
        try:
            name: str | None = item.decode()
        except UnicodeDecodeError:
            return False
    else:
        name = _name_of(item)
    if name is None:
        return True
    if name.startswith(UNBOUND_INPUT_PREFIX) or name in excluded:
        return False
    return not export_scope or name.startswith(export_scope)


def _kind_of(item: object) -> str:
    if isinstance(item, (str, bytes)):
        return "bytes_list"
    if isinstance(item, int):
        return "int64_list"
    if isinstance(item, float):
        return "float_list"
    if getattr(getattr(item, "DESCRIPTOR", None), "full_name", "") == "google.protobuf.Any":
        return "any_list"
    return "node_list"


def add_collection_def(
    meta_graph_def: protos.MetaGraphDef,
    key: str,
    graph: Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: Iterable[str] | None = None,
    override_contents: Sequence[Any] | None = None,
) -> None:
    """Adds a collection to a MetaGraphDef; one whose items cannot be written is left out with a warning.

    Args:
        meta_graph_def: the MetaGraphDef.
        key: the collection.
        graph: whose collection; the default graph's by default.
        export_scope: leave out what is not below it, and its name.
        exclude_nodes: names to leave out.
        override_contents: items to write instead of the collection's.
    """
    graph = graph or get_default_graph()
    if not isinstance(key, (str, bytes)):
        tf_logging.warn("Only collections with string type keys will be serialized. This key has %s", type(key))
        return
    excluded = set(exclude_nodes or ())
    items = graph.get_collection_ref(key) if override_contents is None else override_contents
    items = [item for item in items if _included(item, export_scope, excluded)]
    if not items:
        return
    try:
        made = protos.CollectionDef()
        to_proto = get_to_proto_function(key)
        if to_proto is not None:
            proto_type = get_collection_proto_type(key)
            made.bytes_list.SetInParent()
            for item in items:
                message = to_proto(item, export_scope=export_scope)
                if message is None:
                    continue
                if proto_type is not None and not isinstance(message, proto_type):
                    raise TypeError(f"{key}: {type(message).__name__} is no {proto_type.__name__}")
                made.bytes_list.value.append(message.SerializeToString())
        elif _kind_of(items[0]) == "node_list":
            for item in items:
                name = _name_of(item)
                if name is None:
                    raise TypeError(f"{item!r} has no name")
                if not export_scope or name.startswith(export_scope):
                    made.node_list.value.append(strip_name_scope(name, export_scope))
        elif _kind_of(items[0]) == "bytes_list":
            made.bytes_list.value.extend(item.encode() if isinstance(item, str) else item for item in items)
        elif _kind_of(items[0]) == "any_list":
            made.any_list.value.extend(named_as_in_files(item) for item in items)
        else:
            getattr(made, _kind_of(items[0])).value.extend(items)
    except (TypeError, ValueError, AttributeError) as error:
        tf_logging.warn(
            "Issue encountered when serializing %s.\nType is unsupported, or the types of the items don't match field type "
            "in CollectionDef. Note this is a warning and probably safe to ignore.\n%s",
            key,
            error,
        )
        return
    meta_graph_def.collection_def[key].CopyFrom(made)


def create_meta_graph_def(
    meta_info_def: Any = None,
    graph_def: protos.GraphDef | None = None,
    saver_def: protos.SaverDef | None = None,
    collection_list: Iterable[str] | None = None,
    graph: Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: Iterable[str] | None = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
) -> protos.MetaGraphDef:
    """A MetaGraphDef of a graph.

    Args:
        meta_info_def: a `MetaGraphDef.MetaInfoDef`, added to.
        graph_def: a `GraphDef`; that of the graph by default.
        saver_def: a `SaverDef`.
        collection_list: the collections to write; all by default.
        graph: the graph; the default graph by default.
        export_scope: write only what is below it, without its name.
        exclude_nodes: names of items to leave out of the collections.
        clear_extraneous_savers: leave the collection of savers out, but for that of `saver_def`.
        strip_default_attrs: leave out attributes with their default values.

    Raises:
        TypeError: if an argument is no such message.
    """
    for name, value, kind in (
        ("graph", graph, Graph),
        ("meta_info_def", meta_info_def, protos.MetaGraphDef.MetaInfoDef),
        ("graph_def", graph_def, protos.GraphDef),
        ("saver_def", saver_def, protos.SaverDef),
    ):
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"{name} must be of type {kind.__name__}, not {type(value)}")
    graph = graph or get_default_graph()
    made = protos.MetaGraphDef()
    if meta_info_def is not None:
        made.meta_info_def.MergeFrom(meta_info_def)
    made.meta_info_def.tensorflow_version = version.VERSION
    made.meta_info_def.tensorflow_git_version = version.GIT_VERSION
    made.graph_def.MergeFrom(graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def)
    if not made.meta_info_def.HasField("stripped_op_list"):
        made.meta_info_def.stripped_op_list.MergeFrom(stripped_op_list_for_graph(made.graph_def))
    if strip_default_attrs:
        strip_graph_default_valued_attrs(made)
    if saver_def is not None:
        made.saver_def.MergeFrom(saver_def)
    keys = graph.get_all_collection_keys() if collection_list is None else collection_list
    if clear_extraneous_savers:
        keys = [key for key in keys if key != GraphKeys.SAVERS]
    for key in keys:
        add_collection_def(made, key, graph, export_scope, exclude_nodes)
    if clear_extraneous_savers and saver_def is not None:
        made.collection_def[GraphKeys.SAVERS].bytes_list.value.append(saver_def.SerializeToString())
    return made


def strip_graph_default_valued_attrs(meta_graph_def: protos.MetaGraphDef) -> None:
    """Takes the attributes that have their default values out of the nodes, functions' nodes too, in place."""
    graph_def = meta_graph_def.graph_def
    functions = {function.signature.name for function in graph_def.library.function}
    for nodes in [graph_def.node, *(function.node_def for function in graph_def.library.function)]:
        for node in nodes:
            if node.op in functions:
                continue
            for name, default in _serialized_defaults(node.op).items():
                if name in node.attr and node.attr[name].SerializeToString(deterministic=True) == default:
                    del node.attr[name]
    meta_graph_def.meta_info_def.stripped_default_attrs = True


def add_graph_default_valued_attrs(meta_graph_def: protos.MetaGraphDef) -> None:
    """Gives the nodes, functions' nodes too, the attributes with default values that they lack, in place."""
    graph_def = meta_graph_def.graph_def
    for nodes in [graph_def.node, *(function.node_def for function in graph_def.library.function)]:
        for node in nodes:
            for name, default in _serialized_defaults(node.op).items():
                if name not in node.attr:
                    node.attr[name].ParseFromString(default)


@functools.cache
def _serialized_defaults(op_type: str) -> dict[str, bytes]:
    decl = find(op_type)
    if decl is None:
        return {}
    return {
        attr.name: attr_to_proto(attr.kind, attr.default).SerializeToString(deterministic=True)
        for attr in decl.signature.attrs.values()
        if attr.has_default
    }


def _scoped_node(
    node: protos.NodeDef, export_scope: str | None, unbound: list[str], clear_devices: bool
) -> protos.NodeDef:
    """A copy of a node without the scope's name; inputs from outside are written as unbound."""
    made = protos.NodeDef()
    made.CopyFrom(node)
    made.name = strip_name_scope(node.name, export_scope)
    if clear_devices:
        made.device = ""
    for i, text in enumerate(node.input):
        plain = text.removeprefix("^")
        if not export_scope or plain.startswith(export_scope):
            made.input[i] = strip_name_scope(text, export_scope)
            continue
        if not text.startswith("^"):
            mark = UNBOUND_INPUT_PREFIX + text
            made.input[i] = mark
            if mark not in unbound:
                unbound.append(mark)
        else:
            # What happens outside is not waited for.
            made.input[i] = ""
    kept = [text for text in made.input if text]
    del made.input[:]
    made.input.extend(kept)
    if export_scope and "_class" in made.attr:
        groups = [
            b"loc:@" + strip_name_scope(group.decode()[5:], export_scope).encode()
            for group in node.attr["_class"].list.s
            if group.startswith(b"loc:@" + export_scope.encode())
        ]
        del made.attr["_class"].list.s[:]
        made.attr["_class"].list.s.extend(groups)
    if export_scope and "frame_name" in made.attr:
        frame = made.attr["frame_name"].s.decode("utf-8", "replace")
        made.attr["frame_name"].s = strip_name_scope(frame, export_scope).encode()
    return made


def _extraneous_saver_nodes(graph_def: protos.GraphDef, saver_def: Any) -> set[str]:
    """The nodes of savers other than one: all that stand in scopes in which files are saved or restored."""
    saver_ops = ("SaveSlices", "Save", "SaveV2", "RestoreV2", "Restore", "RestoreSlice", "MergeV2Checkpoints")
    by_name = {node.name: node for node in graph_def.node}
    reachable: set[str] = set()
    if saver_def is not None:
        waiting = [saver_def.filename_tensor_name, saver_def.save_tensor_name, saver_def.restore_op_name]
        while waiting:
            name = re.sub(r"^\^|:\d+$", "", waiting.pop())
            if name not in reachable and name in by_name:
                reachable.add(name)
                waiting += by_name[name].input
    scopes = {node.name.rpartition("/")[0] for node in graph_def.node if node.op in saver_ops}
    kept = {name.rpartition("/")[0] for name in reachable if by_name[name].op in saver_ops}
    prefixes = tuple(f"{scope}/" for scope in scopes - kept - {""})
    return {node.name for node in graph_def.node if node.name.startswith(prefixes) and node.name not in reachable}


def export_scoped_meta_graph(
    filename: str | None = None,
    graph_def: protos.GraphDef | None = None,
    graph: Graph | None = None,
    export_scope: str | None = None,
    as_text: bool = False,
    unbound_inputs_col_name: str = "unbound_inputs",
    clear_devices: bool = False,
    saver_def: protos.SaverDef | None = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> tuple[Any, dict[str, Any]]:
    """A MetaGraphDef of a graph or of a scope of it, written to a file if one is named.

    Args:
        filename: the file to write.
        graph_def: a GraphDef instead of the graph's own.
        graph: the graph; the default graph by default.
        export_scope: export only what is below it, without its name.
        as_text: whether the file is text.
        unbound_inputs_col_name: the collection that is to hold the names of inputs from outside of the scope.
        clear_devices: leave out where nodes are placed.
        saver_def: a `SaverDef`.
        clear_extraneous_savers: leave out the nodes of other savers.
        strip_default_attrs: leave out attributes with their default values.
        save_debug_info: write beside the file where each operation was made.
        **kwargs: further arguments of `create_meta_graph_def`.

    Returns:
        the MetaGraphDef, and the variables exported by name without the scope.

    Raises:
        ValueError: if a graph is larger than a message may be.
    """
    graph = graph or get_default_graph()
    exclude: set[str] = set()
    unbound: list[str] = []
    whole = graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def
    if export_scope or clear_extraneous_savers or clear_devices:
        if clear_extraneous_savers:
            exclude = _extraneous_saver_nodes(whole, saver_def)
        chosen = protos.GraphDef(versions=whole.versions, library=whole.library)
        scope = f"{export_scope.rstrip('/')}/" if export_scope else None
        for node in whole.node:
            if node.name not in exclude and (scope is None or node.name.startswith(scope)):
                chosen.node.append(_scoped_node(node, scope, unbound, clear_devices))
        if export_scope:
            _export_unbound(graph, unbound_inputs_col_name, unbound)
        whole = chosen
    variables = {
        strip_name_scope(variable.name, export_scope): variable
        for variable in graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=export_scope)
        if _included(variable, export_scope, exclude)
    }
    made = create_meta_graph_def(
        graph_def=whole,
        graph=graph,
        export_scope=export_scope,
        exclude_nodes=exclude,
        clear_extraneous_savers=clear_extraneous_savers,
        saver_def=saver_def,
        strip_default_attrs=strip_default_attrs,
        **kwargs,
    )
    if unbound and unbound_inputs_col_name:
        made.collection_def[unbound_inputs_col_name].bytes_list.value[:] = [text.encode() for text in unbound]
    if filename:
        path = as_path(filename)
        folder = os.path.dirname(path)
        if folder and not file_io.is_directory(folder):
            file_io.recursive_create_dir(folder)
        write_message(path, made, as_text, all_digits=True)
        if save_debug_info:
            write_message(f"{os.path.splitext(path)[0]}.debug", _debug_info(graph, made, export_scope), as_text)
    return made, variables


def _debug_info(graph: Graph, message: protos.MetaGraphDef, export_scope: str | None) -> protos.GraphDebugInfo:
    """Where the operations of a MetaGraphDef were made, as a `GraphDebugInfo`."""
    names = [prepend_name_scope(node.name, export_scope) for node in message.graph_def.node]
    return create_graph_debug_info_def([("", graph.get_operation_by_name(name)) for name in names])


def _export_unbound(graph: Graph, name: str, unbound: list[str]) -> None:
    if name:
        graph.clear_collection(name)
        for text in unbound:
            graph.add_to_collection(name, text)


def ops_used(meta_graph_def: protos.MetaGraphDef) -> set[str]:
    """The op types of a MetaGraphDef's nodes, its functions' nodes included."""
    graph_def = meta_graph_def.graph_def
    types = {node.op for node in graph_def.node}
    return types | {node.op for function in graph_def.library.function for node in function.node_def}
