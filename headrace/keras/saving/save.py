"""`tf.keras.models.save_model` and `load_model`: which format a path is of."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.config import tf2
from headrace.keras.engine.sequential import Sequential
from headrace.keras.saving import hdf5_format
from headrace.keras.saving.network_weights import is_hdf5_path
from headrace.keras.saving.saved_model import load as saved_model_load
from headrace.keras.saving.saved_model import save as saved_model_save
from headrace.saved_model.loading import parse_saved_model

if TYPE_CHECKING:
    import h5py

    from headrace.keras.engine.training import Model


def save_model(
    model: Model,
    filepath: str | os.PathLike[str] | h5py.File,
    overwrite: bool = True,
    include_optimizer: bool = True,
    save_format: str | None = None,
    signatures: Any = None,
) -> None:
    """Writes a model to an HDF5 file or a SavedModel.

    Both hold its configuration, its weights, how it is compiled and the state of its optimizer, so that training goes
    on from there.

    Args:
        model: the model.
        filepath: the path, or an open `h5py.File`.
        overwrite: whether what is there is replaced without asking.
        include_optimizer: whether to write the optimizer's state.
        save_format: "h5" or "tf", a SavedModel; HDF5 by default, and SavedModels under TensorFlow 2's behaviour. Paths
            that end in `.h5`, `.hdf5` or `.keras` are HDF5 whatever is said.
        signatures: the signatures of a SavedModel, as for `tf.saved_model.save`.

    Raises:
        NotImplementedError: for models that are written in Python, in HDF5.
        ImportError: if h5py is missing, in HDF5.

    Example:
        >>> tf.keras.models.save_model(model, "model.h5")
        >>> again = tf.keras.models.load_model("model.h5")
    """
    path = os.fspath(filepath) if isinstance(filepath, str | os.PathLike) else filepath
    is_file = isinstance(path, hdf5_format.h5py.File) or (isinstance(path, str) and is_hdf5_path(path))
    if (save_format or ("tf" if tf2.enabled() else "h5")) != "h5" and not is_file:
        if not isinstance(path, str):
            raise TypeError(f"A SavedModel is a folder, told by its path as text; {path!r} is none.")
        saved_model_save.save(model, path, overwrite, include_optimizer, signatures)
        return
    if not model._is_graph_network and not isinstance(model, Sequential):
        raise NotImplementedError(
            "Saving the model to HDF5 format requires the model to be a Functional model or a Sequential model. It does "
            "not work for subclassed models, because such models are defined via the body of a Python method, which "
            "isn't safely serializable. Consider saving to the Tensorflow SavedModel format (by setting "
            'save_format="tf") or using `save_weights`.'
        )
    hdf5_format.save_model_to_hdf5(model, path, overwrite, include_optimizer)


def load_model(
    filepath: str | os.PathLike[str] | h5py.File, custom_objects: Mapping[str, Any] | None = None, compile: bool = True
) -> Model:
    """The model that `save_model` wrote, by TensorFlow 1.15 too.

    Args:
        filepath: the path, or an open `h5py.File`.
        custom_objects: classes and functions of the program's own by name.
        compile: whether to compile it as it was.

    Raises:
        OSError: if nothing is there.
        ValueError: if the file holds no model, or is damaged.

    Example:
        >>> class Scaled(tf.keras.layers.Layer):
        ...     def call(self, inputs):
        ...         return 2.0 * inputs
        >>> tf.keras.Sequential([Scaled(input_shape=(3,))]).save("model.h5")
        >>> model = tf.keras.models.load_model("model.h5", custom_objects={"Scaled": Scaled})
    """
    path = os.fspath(filepath) if isinstance(filepath, str | os.PathLike) else filepath
    if not isinstance(path, str) or (os.path.isfile(path) and hdf5_format.is_hdf5(path)):
        return hdf5_format.load_model_from_hdf5(path, custom_objects, compile)
    parse_saved_model(path)
    return saved_model_load.load(path, compile)
