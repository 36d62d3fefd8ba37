"""Loading SavedModels. Nothing in the files is executed but the graph, and of that no Python functions."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.meta_graphs import import_meta_graph_with_return_elements
from headrace.checkpoints.saver import Saver
from headrace.core import errors
from headrace.core.defaults import get_collection, get_default_graph
from headrace.core.file_effects import find_writer
from headrace.core.operation import Operation
from headrace.core.registry import find_public
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.interop.meta_graph import add_graph_default_valued_attrs, ops_used
from headrace.messages import protos
from headrace.messages.file_faults import faults_in
from headrace.messages.graph_files import read_message
from headrace.messages.packed import name_as_classes
from headrace.saved_model import folders, names
from headrace.state.collecting import _all_saveable_objects
from headrace.util import tf_logging

if TYPE_CHECKING:
    from pathlib import Path

    from headrace.core.graph import Graph
    from headrace.core.typing import SessionLike
    from headrace.runtime.session import Session


def maybe_saved_model_directory(export_dir: str) -> bool:
    """Whether a folder looks like a SavedModel."""
    folder = as_path(export_dir)
    return any(
        file_io.file_exists(os.path.join(folder, name))
        for name in (names.SAVED_MODEL_FILENAME_PB, names.SAVED_MODEL_FILENAME_PBTXT)
    )


def contains_saved_model(export_dir: str) -> bool:
    """Whether a folder looks like a SavedModel."""
    return maybe_saved_model_directory(export_dir)


def parse_saved_model(export_dir: str | Path) -> Any:
    """The `SavedModel` message of a folder.

    Raises:
        OSError: if there is none, or the file holds something else.
    """
    path = saved_model_path(export_dir)
    try:
        found = read_message(path, protos.SavedModel(), path.endswith(names.SAVED_MODEL_FILENAME_PBTXT))
    except errors.DataLossError as error:
        what = error.message.partition(f"{path}: ")[2]
        raise OSError(f"Cannot parse file {path}: {what}") from None
    for meta_graph in found.meta_graphs:
        name_as_classes(meta_graph)
    return found


def saved_model_path(export_dir: str | Path) -> str:
    """The file of a SavedModel that has its graphs.

    Raises:
        OSError: if there is none.
    """
    folder = as_path(export_dir)
    for name in (names.SAVED_MODEL_FILENAME_PB, names.SAVED_MODEL_FILENAME_PBTXT):
        path = os.path.join(folder, name)
        if file_io.file_exists(path):
            return path
    raise OSError(
        f"SavedModel file does not exist at: {folder}/{{{names.SAVED_MODEL_FILENAME_PBTXT}|{names.SAVED_MODEL_FILENAME_PB}}}"
    )


def meta_graph_of_tags(saved_model: Any, tags: Iterable[str]) -> protos.MetaGraphDef:
    """The MetaGraphDef that has just these tags.

    Raises:
        RuntimeError: if there is none, naming those that are there.
    """
    tag_set = set(tags)
    for meta_graph in saved_model.meta_graphs:
        if set(meta_graph.meta_info_def.tags) == tag_set:
            return meta_graph
    there = [sorted(meta_graph.meta_info_def.tags) for meta_graph in saved_model.meta_graphs]
    raise RuntimeError(
        f"MetaGraphDef associated with tags {str(sorted(tag_set)).strip('[]')} could not be found in SavedModel. To inspect "
        f"available tag-sets in the SavedModel, please use the SavedModel CLI: `headrace saved-model show`\n"
        f"available_tags: {there}"
    )


def load(
    sess: Session, tags: Iterable[str], export_dir: str | Path, import_scope: str | None = None, **saver_kwargs: Any
) -> protos.MetaGraphDef:
    """Loads a SavedModel into the graph of a session.

    Args:
        sess: the session.
        tags: the tags of the graph to load.
        export_dir: the folder.
        import_scope: a name scope for the graph.
        **saver_kwargs: further arguments of `tf.train.import_meta_graph`.

    Returns:
        the `MetaGraphDef`, whose `signature_def` tells inputs and outputs.

    Raises:
        OSError: if there is no SavedModel; RuntimeError: if it has no such tags.
        InvalidArgumentError: if it calls Python functions, or writes or names files outside of its folder.

    Example:
        >>> tf.saved_model.simple_save(sess, "model", inputs={"x": x}, outputs={"y": y})
        >>> with tf.Graph().as_default(), tf.Session() as serving:
        ...     model = tf.saved_model.loader.load(serving, ["serve"], "model")
        ...     signature = model.signature_def["serving_default"]
        ...     serving.run(signature.outputs["y"].name, {signature.inputs["x"].name: np.ones([4, 3])}).shape
        (4, 2)
    """
    return SavedModelLoader(export_dir).load(sess, tags, import_scope, **saver_kwargs)


class SavedModelLoader:
    """Loads the graphs of a SavedModel.

    Args:
        export_dir: the folder.
    """

    def __init__(self, export_dir: str | Path) -> None:
        self._export_dir = as_path(export_dir)
        self._path = saved_model_path(export_dir)
        self._saved_model = parse_saved_model(export_dir)

    @property
    def export_dir(self) -> str:
        """The folder."""
        return self._export_dir

    @property
    def saved_model(self) -> Any:
        """The `SavedModel` message."""
        return self._saved_model

    @property
    def variables_path(self) -> str:
        """The path of the checkpoint with the variables."""
        return folders.get_variables_path(self._export_dir)

    def get_meta_graph_def_from_tags(self, tags: Iterable[str]) -> protos.MetaGraphDef:
        """The MetaGraphDef that has just these tags."""
        return meta_graph_of_tags(self._saved_model, tags)

    def load_graph(
        self, graph: Graph, tags: Iterable[str], import_scope: str | None = None, **saver_kwargs: Any
    ) -> tuple[Saver | None, Any]:
        """Adds a graph of the model to a graph; returns the saver for its variables, and elements asked for."""
        message = self.get_meta_graph_def_from_tags(tags)
        refuse_python(message, self._export_dir)
        with graph.as_default(), faults_in(self._path, protos.SavedModel):
            return import_meta_graph_with_return_elements(message, import_scope=import_scope, **saver_kwargs)

    def restore_variables(self, sess: Session, saver: Saver | None, import_scope: str | None = None) -> None:
        """Gives the variables of a loaded graph their values."""
        with sess.graph.as_default():
            if saver is None and not _all_saveable_objects(scope=import_scope):
                tf_logging.info("The specified SavedModel has no variables; no checkpoints were restored.")
                return
            if not isinstance(saver, Saver):
                raise ValueError(f"Load does not accept saver of type {type(saver)}")
            if not file_io.get_matching_files(f"{self.variables_path}.*") and not _all_saveable_objects(import_scope):
                return
            with faults_in(self._path):
                if saver.saver_def is not None:
                    restoring = sess.graph.as_graph_element(saver.saver_def.restore_op_name)
                    filename = sess.graph.as_graph_element(saver.saver_def.filename_tensor_name)
                    refuse_writing([getattr(restoring, "op", restoring)], self._export_dir, [filename])
                saver.restore(sess, self.variables_path)

    def run_init_ops(self, sess: SessionLike, tags: Iterable[str], import_scope: str | None = None) -> None:
        """Runs what the model asks to be run when it is loaded."""
        message = self.get_meta_graph_def_from_tags(tags)
        with sess.graph.as_default():
            with faults_in(self._path):
                assets = asset_tensors(self._export_dir, message, import_scope)
                op = _init_op(sess.graph, message, import_scope)
            if op is not None:
                fed = [sess.graph.as_graph_element(name) for name in assets]
                refuse_writing([op], self._export_dir, fed)
                with faults_in(self._path):
                    sess.run(op, feed_dict=assets)

    def load(
        self, sess: Session, tags: Iterable[str], import_scope: str | None = None, **saver_kwargs: Any
    ) -> protos.MetaGraphDef:
        """Adds a graph of the model to that of a session and restores its variables; returns the MetaGraphDef."""
        tags = list(tags)
        saver, _ = self.load_graph(sess.graph, tags, import_scope, **saver_kwargs)
        self.restore_variables(sess, saver, import_scope)
        self.run_init_ops(sess, tags, import_scope)
        message = self.get_meta_graph_def_from_tags(tags)
        add_graph_default_valued_attrs(message)
        return message


def refuse_python(meta_graph_def: protos.MetaGraphDef, where: str) -> None:
    """Raises InvalidArgumentError if a graph from a file calls Python functions, naming the nodes."""
    python_ops = {kind for kind in ops_used(meta_graph_def) if (decl := find_public(kind)) and decl.runs_python}
    if not python_ops:
        return
    found = [f"{node.name} ({node.op})" for node in meta_graph_def.graph_def.node if node.op in python_ops]
    found += [
        f"{function.signature.name}/{node.name} ({node.op})"
        for function in meta_graph_def.graph_def.library.function
        for node in function.node_def
        if node.op in python_ops
    ]
    raise errors.InvalidArgumentError(
        None,
        None,
        f"The SavedModel in {where} calls Python functions, which a file cannot hold: {', '.join(found[:5])}. Export it "
        "without tf.py_func.",
    )


def refuse_writing(operations: Iterable[Operation], where: str, fed: Iterable[Any] = ()) -> None:
    """Raises InvalidArgumentError if running operations would write files, in functions that they call too.

    Args:
        operations: those that are to run when a model is loaded; what they need is looked at too.
        where: the model's folder.
        fed: the tensors that are given values then.
    """
    found = find_writer(operations, fed)
    if found is not None:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"The SavedModel in {where} would write files when it is loaded, by {found.name} ({found.type}).",
        )


def _scoped(name: str, import_scope: str | None) -> str:
    return f"{import_scope}/{name}" if import_scope else name


def asset_tensors(
    export_dir: str, meta_graph_def: protos.MetaGraphDef, import_scope: str | None = None
) -> dict[str, str]:
    """The files that go with a model, by the names of the tensors that hold their paths.

    Raises:
        InvalidArgumentError: for a name that leads outside of the model's folder.
    """
    folder = folders.get_assets_dir(export_dir)
    found = _assets(export_dir, meta_graph_def)
    return {_scoped(d.tensor_info.name, import_scope): os.path.join(folder, d.filename) for d in found}


def asset_paths(export_dir: str, meta_graph_def: protos.MetaGraphDef) -> list[str]:
    """The files that go with a model, in their order; errors as above."""
    return [os.path.join(folders.get_assets_dir(export_dir), d.filename) for d in _assets(export_dir, meta_graph_def)]


def _assets(export_dir: str, meta_graph_def: protos.MetaGraphDef) -> list[Any]:
    found = list(meta_graph_def.asset_file_def)
    if names.ASSETS_KEY in meta_graph_def.collection_def:
        for packed in meta_graph_def.collection_def[names.ASSETS_KEY].any_list.value:
            if packed.type_url.endswith("AssetFileDef"):
                found.append(_asset(packed.value, export_dir))
    for described in found:
        name = described.filename
        if os.path.isabs(name) or ".." in name.replace("\\", "/").split("/"):
            raise errors.InvalidArgumentError(
                None, None, f"The SavedModel in {export_dir} names a file outside of its folder: {name!r}."
            )
    return found


def _asset(data: bytes, where: str) -> protos.AssetFileDef:
    from google.protobuf.message import DecodeError

    try:
        return protos.AssetFileDef.FromString(data)
    except DecodeError as error:
        raise errors.DataLossError(None, None, f"The SavedModel in {where} has a damaged asset: {error}") from None


def _init_op(graph: Graph, meta_graph_def: protos.MetaGraphDef, import_scope: str | None) -> Operation | None:
    found = _op_of_signature(graph, meta_graph_def, names.INIT_OP_SIGNATURE_KEY, import_scope)
    if found is not None:
        return found
    for key in (names.MAIN_OP_KEY, names.LEGACY_INIT_OP_KEY):
        if key in meta_graph_def.collection_def:
            listed = meta_graph_def.collection_def[key].node_list.value
            if len(listed) != 1:
                raise RuntimeError(f"Expected exactly one SavedModel init op. Found: {list(listed)}")
            return _op_of(graph.as_graph_element(_scoped(listed[0], import_scope)))
    return None


def _op_of_signature(
    graph: Graph, meta_graph_def: protos.MetaGraphDef, key: str, import_scope: str | None
) -> Operation | None:
    if key not in meta_graph_def.signature_def:
        return None
    return _op_of(graph.as_graph_element(_scoped(meta_graph_def.signature_def[key].outputs[key].name, import_scope)))


def _op_of(element: Any) -> Operation:
    operation: Operation = element if isinstance(element, Operation) else element.op
    return operation


def get_init_op(meta_graph_def: protos.MetaGraphDef, import_scope: str | None = None) -> Operation | None:
    """The operation of the default graph that is to be run when a model has been loaded, or None.

    Args:
        meta_graph_def: what was loaded.
        import_scope: the name scope it was loaded into.

    Raises:
        RuntimeError: if there are several.
    """
    return _init_op(get_default_graph(), meta_graph_def, import_scope)


def get_train_op(meta_graph_def: protos.MetaGraphDef, import_scope: str | None = None) -> Any:
    """The operation or tensor of the default graph that a step of training runs, or None.

    Args:
        meta_graph_def: what was loaded.
        import_scope: the name scope it was loaded into.
    """
    found = get_collection(names.TRAIN_OP_KEY)
    if found:
        return found[0]
    key = names.TRAIN_OP_SIGNATURE_KEY
    if key not in meta_graph_def.signature_def:
        return None
    name = meta_graph_def.signature_def[key].outputs[key].name
    return get_default_graph().as_graph_element(_scoped(name, import_scope))
