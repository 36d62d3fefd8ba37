"""Writing session bundles."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.meta_graphs import export_meta_graph
from headrace.contrib.session_bundle import constants
from headrace.contrib.session_bundle.signatures import (
    classification_signature,
    generic_signature,
    regression_signature,
)
from headrace.core.defaults import add_to_collection, get_default_graph, get_default_session
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.estimator.gc import Chooser, Path, get_paths, negation
from headrace.estimator.util import removed
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.messages import protos, session_bundle_protos
from headrace.state.global_step import global_step

if TYPE_CHECKING:
    from headrace.checkpoints.saver import Saver
    from headrace.runtime.session import Session

__all__ = [
    "Exporter",
    "classification_signature",
    "generic_signature",
    "gfile_copy_callback",
    "regression_signature",
]


def gfile_copy_callback(files_to_copy: Mapping[Any, str], export_dir_path: str) -> None:
    """Copies assets into an export.

    Args:
        files_to_copy: from paths to the names they get.
        export_dir_path: the folder of the export.
    """
    folder = os.path.join(os.fsdecode(export_dir_path), constants.ASSETS_DIRECTORY)
    file_io.recursive_create_dir(folder)
    for source, name in files_to_copy.items():
        file_io.copy(os.fsdecode(source), os.path.join(folder, name))


class Exporter:
    """Writes a model as a session bundle: a folder named by the step, with the graph, signatures, variables and assets.

    Args:
        saver: writes the variables; a sharded one.

    Example:
        >>> exporter = tf.contrib.session_bundle.exporter.Exporter(tf.train.Saver(sharded=True))
        >>> exporter.init(default_graph_signature=tf.contrib.session_bundle.exporter.regression_signature(x, y))
        >>> path = exporter.export("bundles", tf.constant(1), sess)
    """

    def __init__(self, saver: Saver) -> None:
        self._saver = saver
        # Its operations have to be in the graph that is written.
        saver.as_saver_def()
        self._initialized = False
        self._assets: dict[str, str] = {}
        self._assets_callback: Callable[..., None] | None = None

    def init(
        self,
        graph_def: protos.GraphDef | None = None,
        init_op: Operation | None = None,
        clear_devices: bool = False,
        default_graph_signature: Any = None,
        named_graph_signatures: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Tensor] | None = None,
        assets_callback: Callable[..., None] | None = gfile_copy_callback,
    ) -> None:
        """Says what to write beside the graph; once, before the first export.

        Args:
            graph_def: a graph to serve in the place of the default graph.
            init_op: what runs when the bundle has been loaded.
            clear_devices: whether nodes of the graph to serve lose their devices.
            default_graph_signature: the signature of requests that name none.
            named_graph_signatures: further signatures by name.
            assets_collection: constants that hold paths of files the model reads.
            assets_callback: takes a dict from paths to names, and the folder, and copies the files; None for nothing.

        Raises:
            RuntimeError: when called a second time.
            TypeError: for an `init_op` that is none, or for assets that are no constants.
        """
        if self._initialized:
            raise RuntimeError("init should be called only once")
        if init_op is not None and not isinstance(init_op, Operation):
            raise TypeError(f"init_op needs to be an Operation: {init_op}")
        files = [(tensor, _path_in(tensor)) for tensor in assets_collection or ()]
        if graph_def or clear_devices:
            copy = protos.GraphDef()
            copy.CopyFrom(graph_def or get_default_graph().as_graph_def())
            if clear_devices:
                for node in copy.node:
                    node.device = ""
            add_to_collection(constants.GRAPH_KEY, _packed(copy))
        if init_op is not None:
            add_to_collection(constants.INIT_OP_KEY, init_op)
        signatures = session_bundle_protos.Signatures()
        if default_graph_signature is not None:
            signatures.default_signature.CopyFrom(default_graph_signature)
        for name, signature in (named_graph_signatures or {}).items():
            signatures.named_signatures[name].CopyFrom(signature)
        add_to_collection(constants.SIGNATURES_KEY, _packed(signatures))
        for tensor, path in files:
            name = os.path.basename(path)
            asset = session_bundle_protos.AssetFile(filename=name)
            asset.tensor_binding.tensor_name = tensor.name
            add_to_collection(constants.ASSETS_KEY, _packed(asset))
            self._assets[path] = name
        self._assets_callback = assets_callback
        self._initialized = True

    def export(
        self,
        export_dir_base: str,
        global_step_tensor: Any,
        sess: Session | None = None,
        exports_to_keep: Chooser | None = None,
    ) -> bytes:
        """Writes the model.

        Args:
            export_dir_base: the folder of exports.
            global_step_tensor: the step, by which the export is named.
            sess: holds the variables; the default session by default.
            exports_to_keep: a function of `tf.contrib.session_bundle.gc` that chooses the exports to keep.

        Returns:
            the export's folder.

        Raises:
            RuntimeError: before `init`, or if there is an export of that step.
        """
        if not self._initialized:
            raise RuntimeError("init must be called first")
        session = sess or get_default_session()
        if session is None:
            raise RuntimeError("there is no default session: give export one as sess")
        step = global_step(session, global_step_tensor)
        base = as_path(export_dir_base)
        final = os.path.join(base, constants.VERSION_FORMAT_SPECIFIER % step)
        if file_io.file_exists(final):
            raise RuntimeError(
                f"Overwriting exports can cause corruption and are not allowed. Duplicate export dir: {final}"
            )
        # Readers take any folder of a number for a whole export.
        unfinished = f"{final}-tmp"
        if file_io.file_exists(unfinished):
            removed(unfinished)
        file_io.recursive_create_dir(unfinished)
        try:
            # Without a state: an export is no checkpoint of the saver's, which would remove it after a few more.
            self._saver.save(
                session, os.path.join(unfinished, constants.EXPORT_BASE_NAME), write_meta_graph=False, write_state=False
            )
            export_meta_graph(
                os.path.join(unfinished, constants.META_GRAPH_DEF_FILENAME),
                graph=session.graph,
                saver_def=self._saver.as_saver_def(),
            )
            if self._assets_callback is not None and self._assets:
                self._assets_callback(self._assets, unfinished)
            file_io.rename(unfinished, final)
        except BaseException:
            removed(unfinished)
            raise
        if exports_to_keep is not None:
            _remove_others(base, exports_to_keep)
        return os.fsencode(final)


def _remove_others(base: str, exports_to_keep: Chooser) -> None:
    for path in negation(exports_to_keep)(get_paths(base, _version)):
        removed(os.fsdecode(path.path))


def _version(path: Path) -> Path | None:
    name = os.path.basename(os.fsdecode(path.path))
    return path._replace(export_version=int(name)) if name.isdecimal() else None


def _packed(message: Any) -> Any:
    from google.protobuf import any_pb2

    packed = any_pb2.Any()
    packed.Pack(message)
    return packed


def _path_in(tensor: Tensor) -> str:
    """The path that a constant holds."""
    if not isinstance(tensor, Tensor) or tensor.op.type != "Const":
        raise TypeError(f"Only constants tensor are supported, got {tensor}")
    return os.fsdecode(tensor.op.get_attr("value").string_val[0])
