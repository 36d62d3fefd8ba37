"""`save_weights` and `load_weights` of networks: in checkpoints by the names of objects, or in HDF5 files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.checkpoint import ObjectSaver
from headrace.checkpoints.checkpoint_state import update_checkpoint_state_internal
from headrace.checkpoints.graph_view import streaming_restore
from headrace.checkpoints.tracking import is_trackable
from headrace.core.eager import executing_eagerly
from headrace.keras.backend.sessions import get_session
from headrace.keras.saving import hdf5_format
from headrace.keras.saving.hdf5_format import is_hdf5
from headrace.keras.utils.io_utils import ask_to_proceed_with_overwrite
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from headrace.keras.engine.network import Network

_HDF5_ENDINGS = (".h5", ".keras", ".hdf5")
_FORMATS = {"tf": "tf", "tensorflow": "tf", "h5": "h5", "hdf5": "h5", "keras": "h5"}


def is_hdf5_path(path: str) -> bool:
    """Whether a path ends as those of HDF5 files do."""
    return path.endswith(_HDF5_ENDINGS)


def _path_text(filepath: str | os.PathLike[str]) -> str:
    """A path as text; AttributeError, as of what is no text, for anything else."""
    if not isinstance(filepath, str | os.PathLike):
        raise AttributeError(
            f"{type(filepath).__name__!r} object has no attribute 'endswith': the path of weights is text, got {filepath!r}"
        )
    return os.fspath(filepath)


def save_weights(
    network: Network, filepath: str | os.PathLike[str], overwrite: bool = True, save_format: str | None = None
) -> None:
    """Writes the weights of a network.

    Args:
        network: the network.
        filepath: an HDF5 file, or the prefix of a checkpoint's files.
        overwrite: whether what is there is replaced without asking.
        save_format: "tf" for a checkpoint, "h5" for HDF5; by the path's ending if None.

    Raises:
        ValueError: for other formats, or a checkpoint at a path that ends in `.h5`.
    """
    network._assert_weights_created()
    path = _path_text(filepath)
    if save_format is None:
        chosen = "h5" if is_hdf5_path(path) else "tf"
    else:
        wanted = save_format.lower().strip()
        if wanted not in _FORMATS:
            raise ValueError(f'Unknown format "{save_format}". Was expecting one of {{"tf", "h5"}}.')
        chosen = _FORMATS[wanted]
    if chosen == "tf" and is_hdf5_path(path):
        raise ValueError(
            f'save_weights got save_format="tf"/"tensorflow", but the filepath ("{path}") looks like an HDF5 file. Omit the '
            '".h5"/".keras" when saving in TensorFlow format.'
        )
    there = path if chosen == "h5" else f"{path}.index"
    if not overwrite and os.path.isfile(there) and not ask_to_proceed_with_overwrite(there):
        return
    if chosen == "h5":
        hdf5_format.save_network_weights(network, path)
        return
    optimizer = getattr(network, "optimizer", None)
    if optimizer and not is_trackable(optimizer):
        logging.warning(
            "This model was compiled with a Keras optimizer (%s) but is being saved in TensorFlow format with "
            "`save_weights`. The model's weights will be saved, but unlike with TensorFlow optimizers in the TensorFlow "
            "format the optimizer's state will not be saved.",
            optimizer,
        )
    saver = _saver_of(network)
    if executing_eagerly():
        saver.save_now(path)
    else:
        saver.save(path, get_session())
    # The newest checkpoint of the folder, as `tf.train.latest_checkpoint` finds it.
    update_checkpoint_state_internal(
        save_dir=os.path.dirname(path),
        model_checkpoint_path=path,
        all_model_checkpoint_paths=[path],
        save_relative_paths=True,
    )


def load_weights(
    network: Network, filepath: str | os.PathLike[str], by_name: bool = False, skip_mismatch: bool = False
) -> Any:
    """Sets the weights of a network to those of a file.

    Args:
        network: the network.
        filepath: an HDF5 file of weights or of a model, or the prefix of a checkpoint.
        by_name: whether layers of an HDF5 file are found by their names; by their order else.
        skip_mismatch: with `by_name`, whether layers whose weights have other shapes are left as they are.

    Returns:
        the status of the restoration for a checkpoint, None for HDF5.

    Raises:
        OSError: if an HDF5 file is not there; NotFoundError: if a checkpoint is not.
        NotImplementedError: for `by_name` with a checkpoint.
        ValueError: if the weights do not fit, or the network has none yet.
    """
    path = _path_text(filepath)
    if skip_mismatch and not by_name:
        raise ValueError("When calling model.load_weights, skip_mismatch can only be set to True when by_name is True.")
    # A file is HDF5, whatever it is called: the files of a checkpoint have its path as the beginning of theirs.
    has_index = os.path.isfile(f"{path}.index")
    if is_hdf5_path(path) or (os.path.exists(path) and not has_index):
        if not os.path.isfile(path):
            raise OSError(f"Unable to open the HDF5 file {path}: there is no such file.")
        if path.endswith(".index") and not is_hdf5(path):
            # 1.15 takes it for a checkpoint of the first releases, in which it finds nothing.
            raise (AssertionError if executing_eagerly() else NotImplementedError)(
                f"{path} is one of the files of a checkpoint, which is told by what their paths begin with: "
                f"load_weights({path.removesuffix('.index')!r})."
            )
        if not network._is_graph_network and not network.built:
            if by_name:
                # Layers without weights take none of the same name.
                return None
            raise ValueError(
                "Unable to load weights saved in HDF5 format into a subclassed Model which has not created its variables "
                "yet. Call the Model first, then load the weights."
            )
        network._assert_weights_created()
        hdf5_format.load_network_weights(network, path, by_name, skip_mismatch)
        return None
    status = _saver_of(network).restore(path)
    if by_name:
        raise NotImplementedError(
            "Weights may only be loaded based on topology into Models when loading TensorFlow-formatted weights (got "
            "by_name=True to load_weights)."
        )
    if not executing_eagerly():
        streaming_restore(status, get_session())
    status.assert_nontrivial_match()
    return status


def _saver_of(network: Any) -> ObjectSaver:
    """What keeps the operations of saving and restoring between calls."""
    saver = network.__dict__.get("_object_saver")
    if saver is None:
        # Past __setattr__, which would look for variables in it.
        saver = network.__dict__["_object_saver"] = ObjectSaver(network)
    return saver
