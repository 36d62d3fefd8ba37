"""`tf.train.Saver`: checkpoints of variables."""

from __future__ import annotations

import numbers
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from headrace.checkpoints import checkpoint_state
from headrace.checkpoints.checkpoint_state import V2, meta_graph_filename
from headrace.checkpoints.kept_checkpoints import KeptCheckpoints
from headrace.checkpoints.object_graph import object_graph_key_mapping
from headrace.checkpoints.saveables import SaveableObject, validate_and_slice_inputs
from headrace.checkpoints.saver_builder import BaseSaverBuilder, BulkSaverBuilder
from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, get_collection, get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.core.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError, OpError
from headrace.core.file_effects import find_writer
from headrace.core.framework_ops import prepend_name_scope, register_proto_function, strip_name_scope
from headrace.files.paths import as_path
from headrace.interop.meta_graph import export_scoped_meta_graph
from headrace.messages import protos
from headrace.runtime.session_interface import SessionInterface
from headrace.state.collecting import _all_saveable_objects
from headrace.state.global_step import global_step as step_of
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.typing import SessionLike, TensorLike


class Saver(KeptCheckpoints):
    """Saves variables to checkpoint files and restores them.

    A checkpoint is complete or absent: its files take their names when they are on the disk, and the `checkpoint` file,
    which `latest_checkpoint` reads, names it after that.

    Args:
        var_list: the variables: a list, saved under their names, or a dict from the name in the checkpoint to the variable.
            By default all global variables and other saveable objects.
        reshape: whether to give what is restored the shape of its variable, where only the number of elements agrees.
        sharded: whether to write a file for each device.
        max_to_keep: how many of the latest checkpoints are kept; None or 0 keeps all.
        keep_checkpoint_every_n_hours: keeps one checkpoint for good every so many hours besides.
        name: a name scope for the operations; "save" by default.
        restore_sequentially: whether to restore one variable after the other, as is always done here.
        saver_def: the `SaverDef` of operations that the graph has, instead of making them.
        builder: what makes the operations; a `BulkSaverBuilder` by default.
        defer_build: whether to leave that to a call of `build`.
        allow_empty: whether there may be nothing to save; `save` and `restore` then do nothing.
        write_version: `SaverDef.V2`, or `SaverDef.V1` for the format of TensorFlow before 0.12. Both are restored.
        pad_step_number: whether to write the global step with 8 digits.
        save_relative_paths: whether the `checkpoint` file has paths that hold when the folder is moved.
        filename: the path that the operations use when none is fed.

    Raises:
        TypeError: if `var_list` is no list or dict of variables.
        ValueError: if a variable or name is there twice, or there is nothing to save.

    Example:
        >>> saver = tf.train.Saver()
        >>> path = saver.save(sess, "train/model.ckpt", global_step=100)
        >>> saver.restore(sess, tf.train.latest_checkpoint("train"))
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: BaseSaverBuilder | None = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: Any = None,
    ) -> None:
        super().__init__()
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set defer_build=False or var_list=None."
            )
        self._var_list = var_list
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._name = name
        self._restore_sequentially = restore_sequentially
        self.saver_def = saver_def
        self._builder = builder
        self._is_built = False
        self._allow_empty = allow_empty
        self._is_empty: bool | None = None
        self._write_version = write_version
        self._pad_step_number = pad_step_number
        self._filename = filename
        self._save_relative_paths = save_relative_paths
        self._object_restore_saver: Saver | None = None
        self._saves_eagerly = False
        # The restoring operation that has been looked at.
        self._harmless: str | None = None
        # One save after the other: what the `checkpoint` file names last is what was begun last.
        self._saving = threading.RLock()
        if executing_eagerly():
            self._begin_eagerly()
        elif not defer_build:
            self.build()
        if self.saver_def:
            self._check_saver_def()
            self._write_version = self.saver_def.version

    def _begin_eagerly(self) -> None:
        """What `build` does in a graph: here saving and restoring are done at once, by no operations of a graph."""
        if self._var_list is None:
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or dict of variables to save"
            )
        self._builder = self._builder or BulkSaverBuilder(self._write_version)
        self._is_built, self._is_empty, self._saves_eagerly = True, False, True
        self.saver_def = protos.SaverDef(
            # Nothing has these names; a definition has to give some.
            filename_tensor_name="none",
            save_tensor_name="none",
            restore_op_name="none",
            max_to_keep=self._max_to_keep or 0,
            keep_checkpoint_every_n_hours=self._keep_checkpoint_every_n_hours,
            version=self._write_version,
        )
        self._next_checkpoint_time = time.time() + self._keep_checkpoint_every_n_hours * 3600

    def _eager_saveables(self) -> list[SaveableObject]:
        """What is saved, made anew each time: some objects give values of the moment they are asked.

        Raises:
            ValueError: if there is nothing to save.
        """
        if not self._var_list and not self._allow_empty:
            raise ValueError("No variables to save")
        return validate_and_slice_inputs(self._var_list)

    def build(self) -> None:
        """Makes the operations, if `defer_build` left them out.

        Raises:
            ValueError: if there is nothing to save.
        """
        if executing_eagerly():
            raise RuntimeError("Use save/restore instead of build in eager mode.")
        if self._is_built:
            return
        self._is_built = True
        if not self.saver_def:
            if self._builder is None:
                self._builder = BulkSaverBuilder(self._write_version)
            if self._var_list is None:
                self._var_list = _all_saveable_objects()
            if not self._var_list:
                if not self._allow_empty:
                    raise ValueError("No variables to save")
                self._is_empty = True
                return
            self._is_empty = False
            self.saver_def = self._builder.build(
                self._var_list,
                reshape=self._reshape,
                sharded=self._sharded,
                max_to_keep=self._max_to_keep,
                keep_checkpoint_every_n_hours=self._keep_checkpoint_every_n_hours,
                name=self._name,
                restore_sequentially=self._restore_sequentially,
                filename=self._filename,
            )
        elif self._name:
            for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
                setattr(self.saver_def, field, prepend_name_scope(getattr(self.saver_def, field), self._name))
        self._check_saver_def()
        self._next_checkpoint_time = time.time() + self.saver_def.keep_checkpoint_every_n_hours * 3600

    def _check_saver_def(self) -> None:
        if not isinstance(self.saver_def, protos.SaverDef):
            raise ValueError(f"saver_def must be a saver_pb2.SaverDef: {self.saver_def}")
        if not self.saver_def.save_tensor_name:
            raise ValueError(f"saver_def must specify the save_tensor_name: {self.saver_def}")
        if not self.saver_def.restore_op_name:
            raise ValueError(f"saver_def must specify the restore_op_name: {self.saver_def}")

    # ---- messages ----

    def as_saver_def(self) -> protos.SaverDef:
        """It as a `SaverDef`."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """It as a `SaverDef` without the leading `export_scope`; None if it is not below that."""
        if export_scope is None:
            return self.saver_def
        fields = ("filename_tensor_name", "save_tensor_name", "restore_op_name")
        if not all(getattr(self.saver_def, field).startswith(export_scope) for field in fields):
            return None
        stripped = protos.SaverDef()
        stripped.CopyFrom(self.saver_def)
        for field in fields:
            setattr(stripped, field, strip_name_scope(getattr(stripped, field), export_scope))
        return stripped

    @staticmethod
    def from_proto(saver_def: protos.SaverDef, import_scope: str | None = None) -> Saver:
        """The saver of a `SaverDef` whose operations are in the default graph, below `import_scope`."""
        return Saver(saver_def=saver_def, name=import_scope)

    # ---- saving and restoring ----

    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: TensorLike | None = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Saves the variables.

        Args:
            sess: a session that has their values.
            save_path: the path of the checkpoint, to which the files' suffixes are added.
            global_step: a number, tensor or name of one that is added to the path, as in "model.ckpt-100".
            latest_filename: another name for the `checkpoint` file.
            meta_graph_suffix: what the name of the MetaGraphDef ends in.
            write_meta_graph: whether to write the graph beside it.
            write_state: whether to note it in the `checkpoint` file, and to delete those that are too many.
            strip_default_attrs: whether to leave attributes with default values out of the graph.
            save_debug_info: whether to write where operations were made beside the graph.

        Returns:
            the path of the checkpoint, for `restore`; None if there is nothing to save.

        Raises:
            TypeError: if `sess` is no session.
            ValueError: if `latest_filename` has folders in it or is `save_path` too, or the folder does not exist.
            RuntimeError: if the operations were not made yet.
            FailedPreconditionError: if a variable has no value.
        """
        if not self._is_built:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest_filename = "checkpoint" if latest_filename is None else latest_filename
        if self._write_version != V2:
            tf_logging.warning(
                "Writing a checkpoint in the V1 format, which is deprecated; write_version=tf.train.SaverDef.V2 is better."
            )
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        with self._saving:
            save_path = as_path(save_path)
            path = self._numbered(sess, save_path, global_step, latest_filename)
            if not self._saves_eagerly and not isinstance(sess, SessionInterface):
                raise TypeError(f"'sess' must be a Session; {sess}")
            written = None if self._is_empty else self._write(sess, path, save_path)
            # Before the `checkpoint` file: what that calls the newest checkpoint has its graph.
            if write_meta_graph and not self._saves_eagerly:
                with sess.graph.as_default():
                    self.export_meta_graph(
                        meta_graph_filename(path, meta_graph_suffix),
                        strip_default_attrs=strip_default_attrs,
                        save_debug_info=save_debug_info,
                    )
            if written is not None and write_state:
                self._note(written, os.path.dirname(save_path), latest_filename, meta_graph_suffix)
            return written

    def _numbered(self, sess: SessionLike, save_path: str, global_step: Any, latest_filename: str) -> str:
        """The path of a checkpoint: with the step, if it is given."""
        if global_step is not None:
            step = global_step if isinstance(global_step, numbers.Integral) else step_of(sess, global_step)
            return f"{save_path}-{step:08d}" if self._pad_step_number else f"{save_path}-{step:d}"
        if os.path.basename(save_path) == latest_filename and not self._sharded:
            raise ValueError(f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{save_path}'")
        return save_path

    def _write(self, sess: SessionLike, path: str, save_path: str) -> str:
        """Writes the files of a checkpoint and returns its path, as the operation that saves calls it."""
        try:
            if self._saves_eagerly:
                assert self._builder is not None
                self._builder.save_op(path, self._eager_saveables())
                return path
            saved = sess.run(self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: os.fsencode(path)})
            return as_path(saved)
        except (FailedPreconditionError, NotFoundError):
            folder = os.path.dirname(save_path)
            # A bare name has no folder, which 1.15 does not find either.
            if not os.path.isdir(folder):
                raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.") from None
            raise

    def _note(self, written: str, folder: str, latest_filename: str, meta_graph_suffix: str) -> None:
        """Has the `checkpoint` file name a new checkpoint, and deletes one that is too many."""
        self._record(written)
        checkpoint_state.update_checkpoint_state_internal(
            save_dir=folder,
            model_checkpoint_path=written,
            all_model_checkpoint_paths=self.last_checkpoints,
            latest_filename=latest_filename,
            save_relative_paths=self._save_relative_paths,
        )
        self._delete_old(meta_graph_suffix, folder)

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: Any = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> protos.MetaGraphDef:
        """The default graph with this saver as a `MetaGraphDef`; arguments as in `tf.train.export_meta_graph`."""
        made, _ = export_scoped_meta_graph(
            filename=filename,
            graph_def=get_default_graph().as_graph_def(add_shapes=True),
            saver_def=self.saver_def,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
            save_debug_info=save_debug_info,
        )
        return made

    def restore(self, sess: Any, save_path: str | None) -> None:
        """Gives the variables the values they have in a checkpoint; they need not be initialized.

        Args:
            sess: a session.
            save_path: what `save` or `latest_checkpoint` returned.

        Raises:
            ValueError: if there is no checkpoint there.
            NotFoundError: if it lacks a variable.
            InvalidArgumentError: if a variable has another shape or type in it.
            DataLossError: if its files are damaged.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        prefix = as_path(save_path)
        if not checkpoint_state.checkpoint_exists(prefix):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {prefix}")
        tf_logging.info("Restoring parameters from %s", prefix)
        try:
            if self._saves_eagerly:
                assert self._builder is not None
                self._builder._AddRestoreOps(prefix, self._eager_saveables(), self._restore_sequentially, self._reshape)
            else:
                self._refuse_writing(sess.graph, prefix)
                sess.run(self.saver_def.restore_op_name, {self.saver_def.filename_tensor_name: os.fsencode(prefix)})
        except NotFoundError as error:
            try:
                names_to_keys = object_graph_key_mapping(prefix)
            except NotFoundError:
                raise _explained(error, prefix, "a Variable name or other graph key that is missing") from None
            tf_logging.warning(
                "Restoring an object-based checkpoint using a name-based saver. This may be somewhat fragile, and will "
                "re-build the Saver. Instead, consider loading object-based checkpoints using tf.train.Checkpoint()."
            )
            self._object_restore_saver = saver_from_object_based_checkpoint(
                prefix, self._var_list, self._builder, names_to_keys, self._object_restore_saver
            )
            self._object_restore_saver.restore(sess, prefix)
        except InvalidArgumentError as error:
            raise _explained(error, prefix, "a mismatch between the current graph and the graph") from None

    def _refuse_writing(self, graph: Graph, prefix: str) -> None:
        """Looks once at what restores, where that came with a graph from a file."""
        name = self.saver_def.restore_op_name
        if self._builder is not None or self._harmless == name:
            return
        try:
            restoring = graph.as_graph_element(name)
            filename = graph.as_graph_element(self.saver_def.filename_tensor_name)
        except KeyError:
            # The session says that its graph is another one.
            return
        found = find_writer([getattr(restoring, "op", restoring)], [filename])
        if found is not None:
            raise InvalidArgumentError(
                None, None, f"Restoring {prefix} by {name} would write files, by {found.name} ({found.type})."
            )
        self._harmless = name


def _explained(error: OpError, prefix: str, reason: str) -> OpError:
    message = (
        f"Restoring from checkpoint failed. This is most likely due to {reason} from the checkpoint. Please ensure that "
        f"you have not altered the graph expected based on the checkpoint. Original error:\n\n{error.message}\n\n"
        f"The checkpoint is {prefix}."
    )
    return type(error)(error.node_def, error.op, message)  # type: ignore[call-arg]  # these classes have their code


def _get_saver_or_default() -> Saver:
    """The saver in the collection `SAVERS`, or a new one that is put there."""
    savers = get_collection(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to use by passing it to the "
            "constructor."
        )
    if savers:
        return savers[0]
    saver = Saver(sharded=True, allow_empty=True)
    add_to_collection(GraphKeys.SAVERS, saver)
    return saver


def _saver_to_proto(saver: Saver, export_scope: str | None = None) -> protos.SaverDef:
    return saver.to_proto(export_scope)


register_proto_function(
    GraphKeys.SAVERS, proto_type=protos.SaverDef, to_proto=_saver_to_proto, from_proto=Saver.from_proto
)


# ---- checkpoints of objects ----


def saver_from_object_based_checkpoint(
    checkpoint_path: str,
    var_list: Any = None,
    builder: BaseSaverBuilder | None = None,
    names_to_keys: dict[str, str] | None = None,
    cached_saver: Saver | None = None,
) -> Saver:
    """A saver that restores variables by name from a checkpoint of objects.

    Args:
        checkpoint_path: the checkpoint.
        var_list: the variables; all by default.
        builder: what makes the operations.
        names_to_keys: from the names to the keys in the checkpoint; read from it by default.
        cached_saver: one this function made before, so that no new operations are.

    Raises:
        ValueError: if it is no such checkpoint.
        NotFoundError: if a variable is not in it.
    """
    if names_to_keys is None:
        try:
            names_to_keys = object_graph_key_mapping(checkpoint_path)
        except NotFoundError:
            raise ValueError(f"Checkpoint in {checkpoint_path} not an object-based checkpoint.") from None
    saveables = validate_and_slice_inputs(_all_saveable_objects() if var_list is None else var_list)
    specs = [spec for saveable in saveables for spec in saveable.specs]
    current, previous = {spec.name for spec in specs}, set(names_to_keys)
    missing = current - previous
    if missing:
        raise NotFoundError(
            None,
            None,
            f"\n\nExisting variables not in the checkpoint: {', '.join(sorted(missing))}\n\nVariables names when this "
            f"checkpoint was written which don't exist now: {', '.join(sorted(previous - current))}\n\n"
            f"({len(previous & current)} variable name(s) did match)\n\nThe checkpoint was written by tf.train.Checkpoint "
            "or save_weights and is being restored by the names its variables had then. Give Saver(var_list=...) the "
            "variables that existed, as a dict with their old names as keys where those have changed.",
        )
    for spec in specs:
        spec.name = names_to_keys[spec.name]
    return Saver(saveables, builder=builder) if cached_saver is None else cached_saver
