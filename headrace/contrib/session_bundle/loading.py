"""Reading session bundles, and reading them as the SavedModels that came after."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.meta_graphs import import_meta_graph
from headrace.contrib.session_bundle import constants
from headrace.contrib.session_bundle.signatures import get_signatures
from headrace.core.defaults import get_default_graph
from headrace.core.errors import InvalidArgumentError
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.interop.meta_graph_imports import read_meta_graph_file
from headrace.messages import protos, session_bundle_protos
from headrace.runtime.session import Session
from headrace.saved_model import names
from headrace.saved_model.loading import (
    load,
    maybe_saved_model_directory,
    refuse_python,
    refuse_writing,
)

if TYPE_CHECKING:
    from pathlib import Path


def maybe_session_bundle_dir(export_dir: str | Path) -> bool:
    """Whether a folder holds a session bundle.

    Args:
        export_dir: the folder.
    """
    return file_io.file_exists(os.path.join(as_path(export_dir), constants.META_GRAPH_DEF_FILENAME))


def load_session_bundle_from_path(
    export_dir: str | Path, target: str = "", config: Any = None, meta_graph_def: protos.MetaGraphDef | None = None
) -> tuple[Session, protos.MetaGraphDef]:
    """Loads a session bundle into the default graph.

    Args:
        export_dir: the bundle's folder.
        target, config: of the session.
        meta_graph_def: the graph in the place of that in the folder.

    Returns:
        (the session, the `MetaGraphDef`, whose signatures `get_signatures` gives).

    Raises:
        RuntimeError: if the folder has no bundle, or not one to serve.
        InvalidArgumentError: if the graph calls Python functions, or writes files when it is loaded.
    """
    folder = as_path(export_dir)
    prefix = os.path.join(folder, constants.VARIABLES_FILENAME)
    if meta_graph_def is None:
        path = os.path.join(folder, constants.META_GRAPH_DEF_FILENAME)
        if not file_io.file_exists(path):
            raise RuntimeError(f"Expected meta graph file missing {path}")
        meta_graph_def = read_meta_graph_file(path)
    has_variables = bool(
        file_io.file_exists(f"{prefix}.index")
        or file_io.get_matching_files(prefix)
        or file_io.get_matching_files(os.path.join(folder, constants.VARIABLES_FILENAME_PATTERN))
    )
    graph_def = _to_serve(meta_graph_def)
    refuse_python(graph_def, folder)
    saver = import_meta_graph(graph_def)
    graph = get_default_graph()
    session = Session(target, graph=graph, config=config)
    if saver is not None and has_variables:
        restoring = [graph.get_operation_by_name(graph_def.saver_def.restore_op_name)]
        refuse_writing(restoring, folder, [graph.get_tensor_by_name(graph_def.saver_def.filename_tensor_name)])
        sharded = not file_io.file_exists(f"{prefix}.index") and not file_io.file_exists(prefix)
        saver.restore(session, f"{prefix}-?????-of-?????" if sharded else prefix)
    assets = dict(_assets(folder, meta_graph_def))
    started = graph.get_collection(constants.INIT_OP_KEY)
    if len(started) > 1:
        raise RuntimeError(f"Expected one init op in : {constants.INIT_OP_KEY}, got {len(started)}.")
    if started:
        refuse_writing(started, folder, list(assets))
        session.run(started[0], assets)
    return session, meta_graph_def


def _to_serve(meta_graph_def: protos.MetaGraphDef) -> protos.MetaGraphDef:
    """The MetaGraphDef with the graph to serve, where that is another than the exporting program's."""
    listed = meta_graph_def.collection_def
    if constants.GRAPH_KEY not in listed:
        return meta_graph_def
    found = listed[constants.GRAPH_KEY].any_list.value
    if len(found) != 1:
        raise RuntimeError(f"Expected exactly one serving GraphDef in : {constants.GRAPH_KEY}, got {len(found)}.")
    graph_def = protos.GraphDef.FromString(found[0].value)
    copy = protos.MetaGraphDef()
    copy.CopyFrom(meta_graph_def)
    # What saves and restores came into the graph after it had been given to the exporter.
    own = {node.name for node in graph_def.node}
    graph_def.node.extend(node for node in meta_graph_def.graph_def.node if node.name not in own)
    copy.graph_def.CopyFrom(graph_def)
    return copy


def _assets(folder: str, meta_graph_def: protos.MetaGraphDef) -> Iterable[tuple[Any, str]]:
    """The tensors that hold paths of assets, and the paths in this folder."""
    listed = meta_graph_def.collection_def
    if constants.ASSETS_KEY not in listed:
        return
    for packed in listed[constants.ASSETS_KEY].any_list.value:
        asset = session_bundle_protos.AssetFile.FromString(packed.value)
        if os.path.basename(asset.filename) != asset.filename:
            raise InvalidArgumentError(
                None, None, f"The bundle in {folder} names the asset {asset.filename!r}, which is not in its folder."
            )
        path = os.path.join(folder, constants.ASSETS_DIRECTORY, asset.filename)
        yield get_default_graph().get_tensor_by_name(asset.tensor_binding.tensor_name), path


def load_session_bundle_or_saved_model_bundle_from_path(
    export_dir: str | Path, tags: Iterable[str] | None = None, target: str = "", config: Any = None
) -> tuple[Session, protos.MetaGraphDef]:
    """Loads a SavedModel, or a session bundle with its signatures as a SavedModel has them.

    Args:
        export_dir: the folder.
        tags: those of a SavedModel's graph.
        target, config: of the session.

    Returns:
        (the session, the `MetaGraphDef`, with `signature_def`).

    Raises:
        RuntimeError: if the folder has neither.
    """
    folder = as_path(export_dir)
    if maybe_saved_model_directory(folder):
        session = Session(target, graph=get_default_graph(), config=config)
        return session, load(session, list(tags or [names.SERVING]), folder)
    if not maybe_session_bundle_dir(folder):
        raise RuntimeError(
            "SessionBundle or SavedModelBundle not found at specified export location: "
            f"{folder}. It holds neither {constants.META_GRAPH_DEF_FILENAME} nor {names.SAVED_MODEL_FILENAME_PB}."
        )
    session, meta_graph_def = load_session_bundle_from_path(folder, target, config)
    _add_signature_defs(meta_graph_def)
    return session, meta_graph_def


def _add_signature_defs(meta_graph_def: protos.MetaGraphDef) -> None:
    if constants.SIGNATURES_KEY not in meta_graph_def.collection_def:
        return
    signatures = get_signatures(meta_graph_def)
    made = meta_graph_def.signature_def
    default = signatures.default_signature
    kind = default.WhichOneof("type")
    if kind == constants.REGRESSION_SIGNATURE:
        bound = default.regression_signature
        definition = made[names.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
        _bind(definition.inputs[names.REGRESS_INPUTS], bound.input)
        _bind(definition.outputs[names.REGRESS_OUTPUTS], bound.output)
        definition.method_name = names.REGRESS_METHOD_NAME
    elif kind == constants.CLASSIFICATION_SIGNATURE:
        bound = default.classification_signature
        definition = made[names.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
        _bind(definition.inputs[names.CLASSIFY_INPUTS], bound.input)
        if bound.classes.tensor_name:
            _bind(definition.outputs[names.CLASSIFY_OUTPUT_CLASSES], bound.classes)
        if bound.scores.tensor_name:
            _bind(definition.outputs[names.CLASSIFY_OUTPUT_SCORES], bound.scores)
        definition.method_name = names.CLASSIFY_METHOD_NAME
    named = signatures.named_signatures
    # Requests that give and get tensors by name have these two signatures in a bundle.
    if names.PREDICT_INPUTS in named and names.PREDICT_OUTPUTS in named:
        definition = made[names.DEFAULT_SERVING_SIGNATURE_DEF_KEY if kind is None else "predict"]
        for name, bound in named[names.PREDICT_INPUTS].generic_signature.map.items():
            _bind(definition.inputs[name], bound)
        for name, bound in named[names.PREDICT_OUTPUTS].generic_signature.map.items():
            _bind(definition.outputs[name], bound)
        definition.method_name = names.PREDICT_METHOD_NAME


def _bind(info: protos.TensorInfo, bound: Any) -> None:
    tensor = get_default_graph().get_tensor_by_name(bound.tensor_name)
    info.name, info.dtype = tensor.name, tensor.dtype.as_datatype_enum
    info.tensor_shape.CopyFrom(tensor.get_shape().as_proto())
