"""Graphs with their collections and savers, as files, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headrace.checkpoints.saver import Saver
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.core.graph import Graph
from headrace.files.paths import as_path
from headrace.interop.meta_graph import export_scoped_meta_graph
from headrace.interop.meta_graph_imports import import_scoped_meta_graph_with_return_elements, read_meta_graph_file
from headrace.messages import protos
from headrace.messages.file_faults import faults_in
from headrace.util import tf_logging


def export_meta_graph(
    filename: str | None = None,
    meta_info_def: Any = None,
    graph_def: protos.GraphDef | None = None,
    saver_def: protos.SaverDef | None = None,
    collection_list: Sequence[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> protos.MetaGraphDef:
    """A graph with its collections as a `MetaGraphDef`, written to a file if one is named.

    Args:
        filename: the file, usually with the extension ".meta".
        meta_info_def: a `MetaInfoDef` to add to.
        graph_def: a `GraphDef` instead of the graph's own.
        saver_def: a `SaverDef`, which `import_meta_graph` makes a saver of.
        collection_list: the collections to write; all by default.
        as_text: whether the file is text.
        graph: the graph; the default graph by default.
        export_scope: export only what is below this name scope, without its name.
        clear_devices: leave out where nodes are placed.
        clear_extraneous_savers: leave out the nodes and collections of savers other than that of `saver_def`.
        strip_default_attrs: leave out attributes with their default values, which older programs may not know.
        save_debug_info: write where each operation was made to a file beside it, with the extension ".debug".
        **kwargs: `unbound_inputs_col_name`: the collection that is to name the inputs from outside of the scope.

    Returns:
        a `MetaGraphDef`.

    Raises:
        ValueError: if a graph is larger than a message may be.
        RuntimeError: while executing eagerly.

    Example:
        >>> tf.train.export_meta_graph("model.meta", collection_list=["inputs", "outputs"])
    """
    if executing_eagerly():
        raise RuntimeError("export_meta_graph: there is no graph while executing eagerly; use tf.Graph().as_default().")
    made, _ = export_scoped_meta_graph(
        filename=filename,
        meta_info_def=meta_info_def,
        graph_def=graph_def,
        saver_def=saver_def,
        collection_list=collection_list,
        as_text=as_text,
        graph=graph,
        export_scope=export_scope,
        clear_devices=clear_devices,
        clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs,
        save_debug_info=save_debug_info,
        **kwargs,
    )
    return made


def import_meta_graph(
    meta_graph_or_file: str | protos.MetaGraphDef,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | None:
    """Adds a graph that was exported, with its collections, to the default graph.

    Args:
        meta_graph_or_file: a `MetaGraphDef`, or the path of one.
        clear_devices: whether to forget where nodes were placed.
        import_scope: a name scope for everything.
        **kwargs: `input_map`: names of inputs to the tensors to use instead; `return_elements`, ... as in
            `import_graph_def`.

    Returns:
        a `Saver` for the checkpoints that belong to it; None if there are no variables.

    Raises:
        RuntimeError: while executing eagerly.
        OSError: if there is no such file; DataLossError: if it holds something else.
        InvalidArgumentError: if what a file describes does not fit together; for a message, ValueError.
        NotFoundError: naming op types that are not declared.

    Example:
        >>> tf.add_to_collection("outputs", logits)
        >>> path = saver.save(sess, "./model.ckpt", global_step=1000)
        >>> with tf.Graph().as_default(), tf.Session() as later:
        ...     tf.train.import_meta_graph("model.ckpt-1000.meta").restore(later, path)
        ...     later.run(tf.get_collection("outputs")[0]).shape
        (4, 2)
    """
    return import_meta_graph_with_return_elements(meta_graph_or_file, clear_devices, import_scope, **kwargs)[0]


def import_meta_graph_with_return_elements(
    meta_graph_or_file: str | protos.MetaGraphDef,
    clear_devices: bool = False,
    import_scope: str | None = None,
    return_elements: Any = None,
    **kwargs: Any,
) -> tuple[Saver | None, Any]:
    """`import_meta_graph` that also returns operations and tensors by their names in the file."""
    if executing_eagerly():
        raise RuntimeError("import_meta_graph: there is no graph while executing eagerly; use tf.Graph().as_default().")
    if not isinstance(meta_graph_or_file, protos.MetaGraphDef):
        message = read_meta_graph_file(meta_graph_or_file)
        with faults_in(as_path(meta_graph_or_file), protos.MetaGraphDef):
            saver, elements = import_meta_graph_with_return_elements(
                message, clear_devices, import_scope, return_elements, **kwargs
            )
            if saver is not None:
                _check_saver(saver.saver_def)
            return saver, elements
    message = meta_graph_or_file
    variables, elements = import_scoped_meta_graph_with_return_elements(
        message, clear_devices=clear_devices, import_scope=import_scope, return_elements=return_elements, **kwargs
    )
    return saver_of(message, import_scope, variables), elements


def _check_saver(saver_def: protos.SaverDef) -> None:
    """Raises ValueError or KeyError if the graph lacks what a SaverDef names."""
    graph = get_default_graph()
    for tensor in (saver_def.filename_tensor_name, saver_def.save_tensor_name):
        graph.get_tensor_by_name(tensor)
    graph.get_operation_by_name(saver_def.restore_op_name)


def saver_of(message: protos.MetaGraphDef, import_scope: str | None, variables: Mapping[str, Any]) -> Saver | None:
    """The saver of a MetaGraphDef that was imported: that of its SaverDef, or a new one for its variables."""
    if message.HasField("saver_def"):
        scope = import_scope
        if not scope and variables:
            # The names in the SaverDef stand below whatever scope the import was made in.
            name, variable = next(iter(variables.items()))
            scope = variable.name[: -len(name)].rstrip("/") or None
        return Saver(saver_def=message.saver_def, name=scope)
    if get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope=import_scope):
        return Saver()
    tf_logging.info("Saver not created because there are no variables in the graph to restore")
    return None
