"""Writing SavedModels."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from google.protobuf.any_pb2 import Any as AnyProto

from headrace.checkpoints.saver import Saver
from headrace.core.collections import GraphKeys
from headrace.core.constant_value import constant_value
from headrace.core.defaults import add_to_collection, get_collection, get_default_graph
from headrace.core.dtypes import string
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.messages import protos
from headrace.messages.graph_files import write_message
from headrace.runtime.session_interface import SessionInterface
from headrace.saved_model import folders, names
from headrace.saved_model.signatures import predict_signature_def, require_mapping
from headrace.state.collecting import _all_saveable_objects
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.runtime.session import Session


class SavedModelBuilder:
    """Writes a SavedModel: one or more graphs with tags and signatures, and their variables.

    Args:
        export_dir: the folder, which must be new or empty.

    Raises:
        AssertionError: if the folder has something in it.

    Example:
        >>> builder = tf.saved_model.builder.SavedModelBuilder("model")
        >>> signature = tf.saved_model.signature_def_utils.predict_signature_def({"x": x}, {"y": y})
        >>> builder.add_meta_graph_and_variables(sess, ["serve"], {"serving_default": signature})
        >>> builder.save()
    """

    def __init__(self, export_dir: str) -> None:
        self._export_dir = as_path(export_dir)
        self._saved_model = protos.SavedModel(saved_model_schema_version=names.SAVED_MODEL_SCHEMA_VERSION)
        self._has_saved_variables = False
        if file_io.file_exists(self._export_dir):
            if file_io.list_directory(self._export_dir):
                raise AssertionError(
                    "Export directory already exists, and isn't empty. Please choose a different export directory, or "
                    f"delete all the contents of the specified directory: {self._export_dir}"
                )
        else:
            file_io.recursive_create_dir(self._export_dir)

    def add_meta_graph_and_variables(
        self,
        sess: Session,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Tensor] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph, and writes the variables' values; to be called once, first.

        Args:
            sess: the session with the values.
            tags: what the graph is for, such as `tf.saved_model.tag_constants.SERVING`.
            signature_def_map: keys to signatures.
            assets_collection: string constants with the paths of files that go with the model.
            legacy_init_op: the older way to give `main_op`.
            clear_devices: leave out where nodes are placed.
            main_op: an operation to run when the model is loaded, after the variables are restored.
            strip_default_attrs: leave out attributes with their default values.
            saver: the saver to use; by default one for all variables.

        Raises:
            AssertionError: if it was called before, or a signature is incomplete.
            TypeError: for assets that are no string constants and for other init operations; ValueError: for an empty
                path, or if the graph has an init operation already.
        """
        assets = self.begin_graph(signature_def_map, assets_collection, is_first=True)
        _collect(assets, legacy_init_op, main_op)
        folders.get_or_create_variables_dir(self._export_dir)
        saver = saver_or_default(saver)
        saver.save(sess, folders.get_variables_path(self._export_dir), write_meta_graph=False, write_state=False)
        self.add_graph(saver, tags, signature_def_map, clear_devices, strip_default_attrs)

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Iterable[Tensor] | None = None,
        legacy_init_op: Operation | None = None,
        clear_devices: bool = False,
        main_op: Operation | None = None,
        strip_default_attrs: bool = False,
        saver: Saver | None = None,
    ) -> None:
        """Adds the default graph, whose variables are those that were written; arguments as above.

        Raises:
            AssertionError: if no variables were written yet; else as above.
        """
        assets = self.begin_graph(signature_def_map, assets_collection, is_first=False)
        _collect(assets, legacy_init_op, main_op)
        self.add_graph(saver_or_default(saver), tags, signature_def_map, clear_devices, strip_default_attrs)

    def save(self, as_text: bool = False) -> bytes:
        """Writes the description of the model.

        Args:
            as_text: whether to write text.

        Returns:
            the path of the file, as bytes.
        """
        if not file_io.file_exists(self._export_dir):
            file_io.recursive_create_dir(self._export_dir)
        name = names.SAVED_MODEL_FILENAME_PBTXT if as_text else names.SAVED_MODEL_FILENAME_PB
        path = os.path.join(self._export_dir, name)
        write_message(path, self._saved_model, as_text)
        tf_logging.info("SavedModel written to: %s", path)
        return path.encode()

    @property
    def export_dir(self) -> str:
        """The folder."""
        return self._export_dir

    def begin_graph(
        self, signatures: Mapping[str, Any] | None, assets: Iterable[Tensor] | None, *, is_first: bool
    ) -> list[protos.AssetFileDef]:
        """Checks that a graph may be added, and writes its assets.

        Args:
            signatures: keys to signatures.
            assets: string constants with the paths of files.
            is_first: whether the variables' values are to be written with it.

        Returns:
            which tensors are to hold the paths of which files.

        Raises:
            AssertionError: if they have been, or have not been yet; KeyError, TypeError, ValueError: for signatures and
                assets.
        """
        if is_first and self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` instead."
            )
        if not is_first and not self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        check_signatures(signatures)
        return self._write_assets(assets)

    def _write_assets(self, assets: Iterable[Tensor] | None) -> list[protos.AssetFileDef]:
        found: dict[str, str] = {}  # name in the model to path
        described = []
        for tensor in assets or ():
            path = _asset_path(tensor)
            name = asset_name(path, found)
            found[name] = path
            asset = protos.AssetFileDef(filename=name)
            asset.tensor_info.name = tensor.name
            described.append(asset)
        tf_logging.info("No assets to save." if assets is None else "Assets added to graph.")
        if not found:
            tf_logging.info("No assets to write.")
            return described
        folder = folders.get_or_create_assets_dir(self._export_dir)
        for name, path in found.items():
            target = os.path.join(folder, name)
            if not file_io.file_exists(target):
                file_io.copy(path, target)
        tf_logging.info("Assets written to: %s", folder)
        return described

    def add_graph(
        self,
        saver: Saver,
        tags: Iterable[str],
        signatures: Mapping[str, Any] | None,
        clear_devices: bool,
        strip_default_attrs: bool,
        assets: Iterable[protos.AssetFileDef] = (),
    ) -> None:
        """Adds the default graph as it is, with assets of its own; arguments as of `add_meta_graph_and_variables`."""
        made = saver.export_meta_graph(clear_devices=clear_devices, strip_default_attrs=strip_default_attrs)
        made.meta_info_def.tags.extend(tags)
        for key, signature in (signatures or {}).items():
            made.signature_def[key].CopyFrom(signature)
        made.asset_file_def.extend(assets)
        self._saved_model.meta_graphs.append(made)
        self._has_saved_variables = True


def _asset_path(tensor: object) -> str:
    """The path that a constant holds."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"Asset path tensor must be a Tensor, got {tensor!r}.")
    if tensor.op.type != "Const":
        raise TypeError(f"Asset path tensor must be of type constant, got {tensor.name} ({tensor.op.type}).")
    if tensor.dtype != string:
        raise TypeError(f"Asset path tensor must be of dtype string, got {tensor.name} of {tensor.dtype.name}.")
    value = constant_value(tensor)
    if value is None or value.size != 1 or not value.item():
        raise ValueError(f"Invalid asset filepath tensor {tensor}: expected one path.")
    return as_path(value.item())


def _collect(
    assets: Iterable[protos.AssetFileDef], legacy_init_op: Operation | None, main_op: Operation | None
) -> None:
    """Puts into collections of the default graph what is to be found when the model is loaded."""
    for asset in assets:
        packed = AnyProto()
        packed.Pack(asset)
        add_to_collection(names.ASSETS_KEY, packed)
    op = legacy_init_op if main_op is None else main_op
    if op is None:
        return
    if not isinstance(op, Operation):
        raise TypeError(f"main_op needs to be an Operation: {op!r}")
    for key in (names.MAIN_OP_KEY, names.LEGACY_INIT_OP_KEY):
        if get_collection(key):
            raise ValueError(f"Graph already contains one or more main ops under the collection {key}.")
    add_to_collection(names.MAIN_OP_KEY, op)


def saver_or_default(saver: Saver | None) -> Saver:
    """The saver to use; by default one for all that can be saved."""
    if saver is not None:
        return saver
    return Saver(_all_saveable_objects(), sharded=True, write_version=protos.SaverDef.V2, allow_empty=True)


def asset_name(path: str, taken: Mapping[str, str]) -> str:
    """The name of a file in the model: its own, numbered where a file of other contents has that."""
    base = name = os.path.basename(path)
    number = 0
    while name in taken and taken[name] != path and not file_io.filecmp(taken[name], path):
        number += 1
        name = f"{base}_{number}"
    return name


def check_signatures(signatures: Mapping[str, Any] | None) -> None:
    """Refuses signatures that are incomplete, or have names that are kept for operations to run.

    Raises:
        TypeError: for what is no mapping; KeyError: for such a name; AssertionError: for tensors without a name or type.
    """
    require_mapping("signature_def_map", signatures)
    for key, signature in (signatures or {}).items():
        if key in (names.INIT_OP_SIGNATURE_KEY, names.TRAIN_OP_SIGNATURE_KEY):
            raise KeyError(f"SignatureDef map key {key} is reserved for internal use.")
        for info in [*signature.inputs.values(), *signature.outputs.values()]:
            _check_info(info)


def _check_info(info: protos.TensorInfo) -> None:
    encoding = info.WhichOneof("encoding")
    if encoding is None or (encoding == "name" and not info.name):
        raise AssertionError(
            "All TensorInfo protos used in the SignatureDefs must have one of the 'encoding' fields (e.g., name or "
            f"coo_sparse) set: {info}"
        )
    if encoding == "composite_tensor":
        # The parts have types, the whole has none of its own.
        for part in info.composite_tensor.components:
            _check_info(part)
    elif not info.dtype:
        raise AssertionError(f"All TensorInfo protos used in the SignatureDefs must have the dtype field set: {info}")


def simple_save(
    session: Session,
    export_dir: str,
    inputs: Mapping[str, Any],
    outputs: Mapping[str, Any],
    legacy_init_op: Operation | None = None,
) -> None:
    """Writes a SavedModel with one signature for serving.

    Args:
        session: the session with the variables' values.
        export_dir: the folder, which must be new or empty.
        inputs, outputs: names to tensors.
        legacy_init_op: an operation to run when the model is loaded.

    Raises:
        AssertionError: if the folder has something in it.
        ValueError: if there are no inputs or no outputs.

    Example:
        >>> tf.saved_model.simple_save(sess, "model", inputs={"x": x}, outputs={"y": y})
    """
    if session is not None and not isinstance(session, SessionInterface):
        raise TypeError(f"'sess' must be a Session; {session}")
    graph = get_default_graph() if session is None else session.graph
    with graph.as_default():
        signature = predict_signature_def(inputs, outputs)
        builder = SavedModelBuilder(export_dir)
        builder.add_meta_graph_and_variables(
            session,
            [names.SERVING],
            {names.DEFAULT_SERVING_SIGNATURE_DEF_KEY: signature},
            assets_collection=get_collection(GraphKeys.ASSET_FILEPATHS),
            main_op=legacy_init_op,
            clear_devices=True,
        )
    builder.save()
