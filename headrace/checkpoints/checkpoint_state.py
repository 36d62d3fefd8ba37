"""Which checkpoints a folder has: the `checkpoint` file, its reading and writing, and the files of a checkpoint."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Sequence
from typing import Any

from headrace.core.errors import OpError
from headrace.files import file_io
from headrace.files.checkpoint import atomic
from headrace.files.paths import as_path, local_path
from headrace.messages import protos
from headrace.util import tf_logging

# The formats of checkpoints, as `SaverDef` numbers them: tables of slices, and tensor bundles.
V1, V2 = 1, 2


def _state_file(save_dir: str, latest_filename: str | None) -> str:
    return os.path.join(save_dir, "checkpoint" if latest_filename is None else latest_filename)


def generate_checkpoint_state_proto(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> protos.CheckpointState:
    """The `CheckpointState` that says which checkpoints a folder has.

    Args:
        save_dir: the folder.
        model_checkpoint_path: the newest checkpoint.
        all_model_checkpoint_paths: the checkpoints that are kept, oldest first; the newest is added where it is missing.
        all_model_checkpoint_timestamps: when each of them was written, in seconds since 1970.
        last_preserved_timestamp: when the last one that is kept for good was written.

    Returns:
        the message, with paths relative to `save_dir` where that is relative.

    Raises:
        ValueError: if there are not as many times as paths.
    """
    # A list of the program's own also gets what is missing, as in 1.15.
    paths: Any = [] if all_model_checkpoint_paths is None else all_model_checkpoint_paths
    if not paths or paths[-1] != model_checkpoint_path:
        tf_logging.info("%s is not in all_model_checkpoint_paths. Manually adding it.", model_checkpoint_path)
        paths.append(model_checkpoint_path)
    if all_model_checkpoint_timestamps and len(all_model_checkpoint_timestamps) != len(paths):
        raise ValueError(
            f"Checkpoint timestamps, if provided, must match checkpoint paths (got paths {paths} and timestamps "
            f"{all_model_checkpoint_timestamps})"
        )
    if not os.path.isabs(save_dir):

        def relative(path: str) -> str:
            return path if os.path.isabs(path) else os.path.relpath(path, save_dir or ".")

        model_checkpoint_path = relative(model_checkpoint_path)
        paths = [relative(path) for path in paths]
    return protos.CheckpointState(
        model_checkpoint_path=model_checkpoint_path,
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the `checkpoint` file of a folder.

    Args:
        latest_filename: another name for the file.
        save_dir, model_checkpoint_path, all_model_checkpoint_paths, all_model_checkpoint_timestamps,
            last_preserved_timestamp: as in `generate_checkpoint_state_proto`.

    Raises:
        RuntimeError: if the checkpoint has the very path of the file.
    """
    update_checkpoint_state_internal(
        save_dir=save_dir,
        model_checkpoint_path=model_checkpoint_path,
        all_model_checkpoint_paths=all_model_checkpoint_paths,
        latest_filename=latest_filename,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def update_checkpoint_state_internal(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] | None = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """`update_checkpoint_state`, with a choice of how paths are written.

    Args:
        save_relative_paths: whether paths are relative to the folder, so that they hold when it is moved.
        save_dir, model_checkpoint_path, all_model_checkpoint_paths, latest_filename, all_model_checkpoint_timestamps,
            last_preserved_timestamp: as in `update_checkpoint_state`.

    Raises:
        RuntimeError: if the checkpoint has the very path of the file.
    """
    path = _state_file(save_dir, latest_filename)
    newest, kept = model_checkpoint_path, list(all_model_checkpoint_paths or [])
    if save_relative_paths:
        newest, *kept = (os.path.relpath(item, save_dir) if os.path.isabs(item) else item for item in (newest, *kept))
    state = generate_checkpoint_state_proto(
        save_dir,
        newest,
        all_model_checkpoint_paths=kept,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
        last_preserved_timestamp=last_preserved_timestamp,
    )
    if path == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{model_checkpoint_path}' conflicts with path used for checkpoint state.  Please use a different "
            "save path."
        )
    from google.protobuf import text_format

    atomic.write(path, text_format.MessageToString(state).encode())


def get_checkpoint_state(checkpoint_dir: str, latest_filename: str | None = None) -> protos.CheckpointState | None:
    """What the `checkpoint` file of a folder says.

    Args:
        checkpoint_dir: the folder.
        latest_filename: another name for the file.

    Returns:
        a `CheckpointState` with paths that lead from here, None if there is no such file or it cannot be read.

    Raises:
        ValueError: if it names no checkpoint.

    Example:
        >>> state = tf.train.get_checkpoint_state("train")
        >>> if state and state.model_checkpoint_path:
        ...     saver.restore(sess, state.model_checkpoint_path)
    """
    from google.protobuf import text_format

    path = _state_file(os.fspath(checkpoint_dir), latest_filename)
    if not file_io.file_exists(path):
        return None
    state = protos.CheckpointState()
    try:
        text_format.Merge(file_io.read_file_to_string(path), state)
    except (OpError, text_format.ParseError, UnicodeDecodeError, RecursionError) as error:
        tf_logging.warning("%s: %.1000s", type(error).__name__, error)
        tf_logging.warning("%s: Checkpoint ignored", path)
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {checkpoint_dir}")
    if not os.path.isabs(state.model_checkpoint_path):
        state.model_checkpoint_path = _below(checkpoint_dir, state.model_checkpoint_path)
    for i, kept in enumerate(state.all_model_checkpoint_paths):
        if not os.path.isabs(kept):
            state.all_model_checkpoint_paths[i] = _below(checkpoint_dir, kept)
    return state


def _below(folder: str, path: str) -> str:
    """A relative path of a `checkpoint` file in its folder; what looks like a URL is a path there as well."""
    return os.path.join(folder or ("." if "://" in path else ""), path)


def latest_checkpoint(checkpoint_dir: str, latest_filename: str | None = None) -> str | None:
    """The path of the newest checkpoint in a folder, None if there is none.

    Args:
        checkpoint_dir: the folder.
        latest_filename: another name for the `checkpoint` file; see `Saver.save`.

    Example:
        >>> saver.save(sess, "./model.ckpt", global_step=10)
        './model.ckpt-10'
        >>> tf.train.latest_checkpoint(".")
        './model.ckpt-10'
        >>> saver.restore(sess, tf.train.latest_checkpoint("."))
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    tf_logging.error("Couldn't match files for checkpoint %.1000s", state.model_checkpoint_path)
    return None


# What the path of a checkpoint of the V1 format in several files ends in: the only pattern that a path is.
_SHARDS = re.compile(r"(-\?{5}-of-\d{5})?\Z")


def _pattern(prefix: str) -> str:
    """The pattern of a checkpoint's path. It may come from a file, and so is taken letter by letter, but for the shards."""
    shards = _SHARDS.search(prefix)
    assert shards is not None
    return file_io.escaped(prefix[: shards.start()]) + shards[0]


def _matching(checkpoint_prefix: str) -> list[str]:
    """The files that show that a checkpoint is there: its index, or, of the V1 format, itself."""
    pattern = _pattern(os.fspath(checkpoint_prefix))
    return file_io.get_matching_files(pattern + ".index") or file_io.get_matching_files(pattern)


def lies_in(checkpoint_prefix: str, folder: str) -> bool:
    """Whether a checkpoint is in a folder or below it, wherever links may lead.

    Args:
        checkpoint_prefix: its path.
        folder: the folder.
    """
    parent, folder = os.path.dirname(as_path(checkpoint_prefix)), as_path(folder)
    here, there = local_path(parent), local_path(folder)
    if here is not None and there is not None:
        here, there, slash = os.path.realpath(here), os.path.realpath(there), os.sep
    else:
        here, there, slash = posixpath.normpath(parent), posixpath.normpath(folder), "/"
    return f"{here}{slash}".startswith(f"{there.rstrip(slash)}{slash}")


def prefix_to_checkpoint_path(prefix: str, format_version: int) -> str:
    """The file whose existence says that a checkpoint does: the index, or the table of the first format."""
    return f"{prefix}.index" if format_version == V2 else prefix


def checkpoint_exists(checkpoint_prefix: str) -> bool:
    """Whether there is a checkpoint of either format with this path.

    Args:
        checkpoint_prefix: what `Saver.save` or `latest_checkpoint` returned.
    """
    return bool(_matching(checkpoint_prefix))


def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[str]) -> list[float]:
    """When checkpoints were written, in seconds since 1970; those that do not exist are left out.

    Args:
        checkpoint_prefixes: their paths.
    """
    found = [_matching(prefix) for prefix in checkpoint_prefixes]
    return [file_io.stat(files[0]).mtime_nsec / 1e9 for files in found if files]


def remove_checkpoint(
    checkpoint_prefix: str, checkpoint_format_version: int = V2, meta_graph_suffix: str = "meta"
) -> None:
    """Deletes the files of a checkpoint.

    Args:
        checkpoint_prefix: its path.
        checkpoint_format_version: `SaverDef.V1` or `V2`.
        meta_graph_suffix: what the name of its MetaGraphDef ends in.
    """
    _delete(file_io.escaped(meta_graph_filename(checkpoint_prefix, meta_graph_suffix)))
    pattern = _pattern(checkpoint_prefix)
    if checkpoint_format_version == V2:
        # The index first: without it the rest is no checkpoint any more, rather than a damaged one.
        _delete(pattern + ".index")
        _delete(pattern + ".data-?????-of-?????")
    else:
        _delete(pattern)


def _delete(pattern: str) -> None:
    for path in file_io.get_matching_files(pattern):
        file_io.delete_file(path)


def meta_graph_filename(checkpoint_filename: str, meta_graph_suffix: str = "meta") -> str:
    """The path of the MetaGraphDef beside a checkpoint, whose number of shards it leaves out."""
    return re.sub(r"-[\d\?]+-of-\d+$", "", checkpoint_filename) + "." + meta_graph_suffix
