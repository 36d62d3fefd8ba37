"""Variables of a graph made constants, with values out of a checkpoint or SavedModel."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint_state import checkpoint_exists
from headrace.checkpoints.meta_graphs import import_meta_graph
from headrace.checkpoints.saver import Saver
from headrace.core.graph import Graph
from headrace.files import file_io
from headrace.files.checkpoint.reader import CheckpointReader
from headrace.files.paths import as_path
from headrace.messages import protos
from headrace.messages.file_faults import faults_in
from headrace.messages.graph_def import import_graph_def
from headrace.messages.graph_files import read_message, write_message
from headrace.messages.graph_util import convert_variables_to_constants
from headrace.runtime.session import Session
from headrace.saved_model import names
from headrace.saved_model.loading import load, meta_graph_of_tags, parse_saved_model

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


def listed(text: str | None) -> list[str]:
    """The names in a text, divided by commas."""
    return [name for name in (text or "").replace(" ", "").split(",") if name]


def freeze_graph_with_def_protos(
    input_graph_def: protos.GraphDef | None,
    input_saver_def: protos.SaverDef | None,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: str,
    filename_tensor_name: str,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph_def: protos.MetaGraphDef | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: list[str] | None = None,
    checkpoint_version: int = 2,
    source_path: str = "",
) -> protos.GraphDef:
    """`freeze_graph` of messages; the arguments are the same. `source_path` is the file they are from, to name in errors.

    Returns:
        a GraphDef without variables.
    """
    if not input_saved_model_dir and not checkpoint_exists(input_checkpoint):
        raise ValueError(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
    if not output_node_names:
        raise ValueError("You need to supply the name of a node to --output_node_names.")
    source = input_meta_graph_def.graph_def if input_meta_graph_def is not None else input_graph_def
    if clear_devices and source is not None:
        for node in source.node:
            node.device = ""
    with Graph().as_default() as graph, Session(graph=graph) as sess:
        if input_saved_model_dir:
            load(sess, saved_model_tags or [], input_saved_model_dir)
        elif input_meta_graph_def is not None:
            with _faults_in(source_path, protos.MetaGraphDef):
                saver = import_meta_graph(input_meta_graph_def, clear_devices=True)
            if saver is not None:
                saver.restore(sess, input_checkpoint)
        else:
            with _faults_in(source_path, protos.GraphDef):
                import_graph_def(input_graph_def, name="")
            if input_saver_def is not None:
                Saver(saver_def=input_saver_def, write_version=checkpoint_version).restore(sess, input_checkpoint)
            else:
                _restore_by_name(graph, sess, input_checkpoint, checkpoint_version)
        if initializer_nodes and not input_saved_model_dir:
            sess.run(listed(initializer_nodes))
        frozen = convert_variables_to_constants(
            sess,
            source if source is not None else graph.as_graph_def(),
            listed(output_node_names),
            variable_names_whitelist=listed(variable_names_whitelist) or None,
            variable_names_blacklist=listed(variable_names_blacklist) or None,
        )
    if output_graph:
        write_message(output_graph, frozen)
    return frozen


def _faults_in(path: str, kind: type) -> AbstractContextManager[Any]:
    return faults_in(path, kind) if path else nullcontext()


def _restore_by_name(graph: Graph, sess: Session, checkpoint: str, version: int) -> None:
    """Restores what the checkpoint has into the variables of these names."""
    variables = {}
    for key in CheckpointReader(checkpoint).get_variable_to_shape_map():
        try:
            variables[key] = graph.get_tensor_by_name(f"{key}:0")
        except KeyError:
            continue
    kinds = {tensor.op.type for tensor in variables.values()}
    if not variables or not kinds <= {"Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable"}:
        if any(re.search(r"/part_\d+/?", op.name) for op in graph.get_operations()):
            raise ValueError(
                "Models containing partition variables cannot be converted from checkpoint files. Please pass in a "
                "SavedModel using the flag --input_saved_model_dir."
            )
        raise ValueError(
            "No variables were found in this model. It is likely the model was frozen previously. You cannot freeze a graph "
            "twice."
        )
    Saver(var_list=variables, write_version=version).restore(sess, checkpoint)


def _read(
    path: str, message: protos.GraphDef | protos.MetaGraphDef | protos.SaverDef, binary: bool, what: str
) -> protos.GraphDef | protos.MetaGraphDef | protos.SaverDef:
    if not file_io.file_exists(path):
        raise OSError(f"Input {what} file '{path}' does not exist!")
    return read_message(path, message, as_text=not binary)


def freeze_graph(
    input_graph: str,
    input_saver: str,
    input_binary: bool,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: str,
    filename_tensor_name: str,
    output_graph: str,
    clear_devices: bool,
    initializer_nodes: str,
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph: str | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: str = names.SERVING,
    checkpoint_version: int = 2,
) -> protos.GraphDef:
    """Makes the variables of a graph constants.

    Args:
        input_graph: the file of a GraphDef.
        input_saver: the file of a SaverDef, or "".
        input_binary: whether these files are binary; else they are text.
        input_checkpoint: the path of a checkpoint.
        output_node_names: the nodes to keep, with what they need, divided by commas.
        restore_op_name, filename_tensor_name: not needed since 1.0; accepted for older callers.
        output_graph: the file to write, or "".
        clear_devices: whether to forget where nodes are placed.
        initializer_nodes: nodes to run before, divided by commas.
        variable_names_whitelist: the only variables to convert; all by default.
        variable_names_blacklist: variables not to convert.
        input_meta_graph: the file of a MetaGraphDef instead of a GraphDef.
        input_saved_model_dir: the folder of a SavedModel instead of graph and checkpoint.
        saved_model_tags: its tags, divided by commas.
        checkpoint_version: the version that a saver made for this writes; reading finds it out.

    Returns:
        a GraphDef without variables.

    Raises:
        ValueError: if there is no checkpoint, node or variable; OSError: if a file is missing.

    Example:
        >>> graph = tf.train.write_graph(sess.graph_def, ".", "graph.pbtxt")
        >>> path = saver.save(sess, "./model.ckpt")
        >>> frozen = freeze_graph("graph.pbtxt", "", False, path, "logits", "", "", "frozen.pb", True, "")
        >>> [node.op for node in frozen.node if node.name == "w"]
        ['Const']
    """
    graph_def = meta_graph_def = saver_def = None
    tags = listed(saved_model_tags)
    if input_saved_model_dir:
        graph_def = meta_graph_of_tags(parse_saved_model(as_path(input_saved_model_dir)), tags).graph_def
    elif input_graph:
        graph_def = _read(input_graph, protos.GraphDef(), input_binary, "graph")
    if input_meta_graph:
        meta_graph_def = _read(input_meta_graph, protos.MetaGraphDef(), input_binary, "meta graph")
    if input_saver:
        saver_def = _read(input_saver, protos.SaverDef(), input_binary, "saver")
    return freeze_graph_with_def_protos(
        graph_def,
        saver_def,
        input_checkpoint,
        output_node_names,
        restore_op_name,
        filename_tensor_name,
        output_graph,
        clear_devices,
        initializer_nodes,
        variable_names_whitelist,
        variable_names_blacklist,
        meta_graph_def,
        input_saved_model_dir,
        tags,
        checkpoint_version,
        source_path=as_path(input_meta_graph or input_graph or ""),
    )
