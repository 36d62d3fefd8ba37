"""Models and weights in HDF5 files, in the format of Keras 2 as TensorFlow 1.15 writes it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import h5py
import numpy as np

from headrace.core.serialization import get_json_type
from headrace.keras.backend.sessions import batch_get_value, batch_set_value
from headrace.keras.optimizers.update_lists import TFOptimizer
from headrace.keras.saving import model_config as model_config_lib
from headrace.keras.saving import saving_utils
from headrace.keras.saving.hdf5_attributes import HDF5_OBJECT_HEADER_LIMIT as HDF5_OBJECT_HEADER_LIMIT
from headrace.keras.saving.hdf5_attributes import (
    load_attributes_from_hdf5_group,
    save_attributes_to_hdf5_group,
    text_of,
)
from headrace.keras.saving.hdf5_reading import array_of, damage_told, member, opened
from headrace.keras.saving.rnn_weights import convert_rnn_weights as _convert_rnn_weights  # noqa: F401  (1.15's name)
from headrace.keras.saving.weight_conversions import preprocess_weights_for_loading
from headrace.keras.utils.stored_settings import MissingEntryError
from headrace.optimizers.optimizer import Optimizer as TrainOptimizer
from headrace.state.scoping import makes_eager_variables
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from headrace.keras.engine.network import Network
    from headrace.keras.engine.training import Model
    from headrace.layers.engine import Layer

    Array = np.ndarray

KERAS_VERSION = "2.2.4-tf"


def save_model_to_hdf5(
    model: Model, filepath: str | h5py.File, overwrite: bool = True, include_optimizer: bool = True
) -> None:
    """Writes a model to a file: its configuration, its weights, how it is compiled and what its optimizer keeps.

    Args:
        model: a Sequential or functional model.
        filepath: the file's path, or an open file.
        overwrite: whether a file there is replaced without asking.
        include_optimizer: whether to write how it is trained.

    Raises:
        NotImplementedError: if the model has no configuration, as those that are Python code.
    """
    # A Sequential model without an input shape yet is saved without weights.
    if model.built and len(model.weights) != len(getattr(model, "_undeduplicated_weights", model.weights)):
        logging.warning(
            "Found duplicated `Variable`s in Model's `weights`. This is usually caused by `Variable`s being shared by "
            "Layers in the Model. These `Variable`s will be treated as separate `Variable`s when the Model is restored. "
            'To avoid this, please save with `save_format="tf"`.'
        )
    if not isinstance(filepath, h5py.File) and not saving_utils.should_overwrite(filepath, overwrite):
        return
    # Before the file is opened, so that none is left of a model that cannot be written.
    metadata = saving_utils.model_metadata(model, include_optimizer)
    file = filepath if isinstance(filepath, h5py.File) else opened(filepath, "w")
    try:
        for key, value in metadata.items():
            if isinstance(value, dict | list | tuple):
                file.attrs[key] = json.dumps(value, default=get_json_type).encode("utf8")
            else:
                file.attrs[key] = value
        save_weights_to_hdf5_group(file.create_group("model_weights"), model.layers)
        if include_optimizer and model.optimizer and not isinstance(model.optimizer, TrainOptimizer | TFOptimizer):
            save_optimizer_weights_to_hdf5_group(file, model.optimizer)
        file.flush()
    finally:
        if file is not filepath:
            file.close()


def load_model_from_hdf5(
    filepath: str | h5py.File, custom_objects: Mapping[str, Any] | None = None, compile: bool = True
) -> Model:
    """The model that `save_model_to_hdf5` wrote.

    Args:
        filepath: the file's path, or an open file.
        custom_objects: classes and functions of the program's own by name.
        compile: whether to compile it as it was.

    Raises:
        OSError: if the file is not there or is not HDF5.
        ValueError: if it holds no model, or is damaged.
    """
    if isinstance(filepath, h5py.File):
        with damage_told(filepath.filename):
            return _model_of(filepath, custom_objects, compile)
    with damage_told(os.fspath(filepath)), opened(filepath, "r") as file:
        return _model_of(file, custom_objects, compile)


def _model_of(file: h5py.File, custom_objects: Mapping[str, Any] | None, compiled: bool) -> Model:
    config = file.attrs.get("model_config")
    if config is None:
        raise ValueError("No model found in config file.")
    model = model_config_lib.model_from_config(_json_of(config, "model_config"), custom_objects)
    weights = member(file, "model_weights")
    if not isinstance(weights, h5py.Group):
        raise MissingEntryError("The HDF5 file has the configuration of a model and no group 'model_weights'.")
    load_weights_from_hdf5_group(weights, model.layers)
    if compiled:
        _compile(model, file, custom_objects)
    return model


def _compile(model: Model, file: h5py.File, custom_objects: Mapping[str, Any] | None) -> None:
    training_config = file.attrs.get("training_config")
    if training_config is None:
        logging.warning(
            "No training configuration found in save file: the model was *not* compiled. Compile it manually."
        )
        return
    arguments = saving_utils.compile_args_from_training_config(
        _json_of(training_config, "training_config"), custom_objects
    )
    model.compile(**arguments)
    if member(file, "optimizer_weights") is None:
        return
    if not model._is_graph_network:
        logging.warning(
            "Sequential models without an `input_shape` passed to the first layer cannot reload their optimizer state. As "
            "a result, your model is starting with a freshly initialized optimizer."
        )
        return
    # Slots are made here, as the first step of training would.
    model._make_optimizer_weights()
    values = load_optimizer_weights_from_hdf5_group(file)
    try:
        model.optimizer.set_weights(values)
    except ValueError:
        logging.warning(
            "Error in loading the saved optimizer state. As a result, your model is starting with a freshly initialized "
            "optimizer."
        )


def save_optimizer_weights_to_hdf5_group(hdf5_group: h5py.Group, optimizer: Any) -> None:
    """Writes what an optimizer keeps to a new group `optimizer_weights`."""
    weights = getattr(optimizer, "weights", None)
    if weights:
        _write(hdf5_group.create_group("optimizer_weights"), weights)


def load_optimizer_weights_from_hdf5_group(hdf5_group: h5py.Group) -> list[Array]:
    """The arrays that `save_optimizer_weights_to_hdf5_group` wrote, in the order of `optimizer.weights`."""
    group = _group(hdf5_group, "optimizer_weights")
    return _read(group, load_attributes_from_hdf5_group(group, "weight_names"), "optimizer_weights")


def save_weights_to_hdf5_group(f: h5py.Group, layers: Sequence[Layer]) -> None:
    """Writes the weights of layers, a group for each.

    Args:
        f: where they go.
        layers: the layers, in order.
    """
    save_attributes_to_hdf5_group(f, "layer_names", [layer.name.encode("utf8") for layer in layers])
    f.attrs["backend"] = b"tensorflow"
    f.attrs["keras_version"] = KERAS_VERSION.encode("utf8")
    weights = [_legacy_weights(layer) for layer in layers]
    # All in one run of the session.
    values = iter(batch_get_value([weight for own in weights for weight in own]))
    for layer, own in zip(layers, weights, strict=True):
        _write(f.create_group(layer.name), own, [next(values) for _ in own])


def load_weights_from_hdf5_group(f: h5py.Group, layers: Sequence[Layer]) -> None:
    """Sets the weights of layers to those of a file, in order.

    Args:
        f: the group `save_weights_to_hdf5_group` wrote to.
        layers: the layers.

    Raises:
        ValueError: if their number, or that of a layer's weights, or a rank differs, eagerly also for another shape. No
            weight is set then.
    """
    version, backend = _origin(f)
    owners = [(layer, weights) for layer in layers if (weights := _legacy_weights(layer))]
    saved = [(name, names) for name in load_attributes_from_hdf5_group(f, "layer_names") if (names := _in(f, name))]
    if len(saved) != len(owners):
        raise ValueError(
            f"You are trying to load a weight file containing {len(saved)} layers into a model with {len(owners)} layers."
        )
    pairs = []
    for number, ((layer, weights), (name, names)) in enumerate(zip(owners, saved, strict=True)):
        values = preprocess_weights_for_loading(layer, _read(_group(f, name), names, name), version, backend)
        if len(values) != len(weights):
            raise ValueError(
                f'Layer #{number} (named "{layer.name}" in the current model) was found to correspond to layer {name} in '
                f"the save file. However the new layer {layer.name} expects {len(weights)} weights, but the saved weights "
                f"have {len(values)} elements."
            )
        for weight, value in zip(weights, values, strict=True):
            if not _fits(weight, value):
                # In graphs variables take values of other sizes, as `K.set_value` gives them too.
                if makes_eager_variables() or weight.shape.ndims != np.ndim(value):
                    raise ValueError(_other_shape(number, layer, weight, value))
                logging.warning("The variable takes the saved shape: %s", _other_shape(number, layer, weight, value))
            pairs.append((weight, value))
    batch_set_value(pairs)


def load_weights_from_hdf5_group_by_name(f: h5py.Group, layers: Sequence[Layer], skip_mismatch: bool = False) -> None:
    """Sets the weights of those layers whose names a file has.

    Args:
        f: the group `save_weights_to_hdf5_group` wrote to.
        layers: the layers.
        skip_mismatch: whether layers with other weights are left out, with a warning, instead of an error.

    Raises:
        ValueError: if the number of a layer's weights or a shape differs. No weight is set then.
    """
    version, backend = _origin(f)
    index: dict[str, list[Layer]] = {}
    for layer in layers:
        if layer.name:
            index.setdefault(layer.name, []).append(layer)
    pairs: list[tuple[Any, Array]] = []
    for number, name in enumerate(load_attributes_from_hdf5_group(f, "layer_names")):
        names = _in(f, name)
        arrays = _read(_group(f, name), names, name) if name in index else []
        for layer in index.get(name, []):
            weights = _legacy_weights(layer)
            values = preprocess_weights_for_loading(layer, arrays, version, backend)
            wrong = None
            if len(values) != len(weights):
                wrong = (
                    f'Layer #{number} (named "{layer.name}") expects {len(weights)} weight(s), but the saved weights have '
                    f"{len(values)} element(s)."
                )
            for weight, value in zip(weights, values, strict=False):
                if wrong is None and not _fits(weight, value):
                    wrong = _other_shape(number, layer, weight, value)
            if wrong is not None:
                if not skip_mismatch:
                    raise ValueError(wrong)
                logging.warning("Skipping loading of weights for layer %s: %s", layer.name, wrong)
                continue
            pairs.extend(zip(weights, values, strict=True))
    batch_set_value(pairs)


def save_network_weights(network: Network, filepath: str) -> None:
    """Writes the weights of a network to a new HDF5 file."""
    with opened(filepath, "w") as file:
        save_weights_to_hdf5_group(file, network.layers)


def load_network_weights(network: Network, filepath: str, by_name: bool = False, skip_mismatch: bool = False) -> None:
    """Sets the weights of a network to those of an HDF5 file, of weights or of a whole model.

    Args:
        network: the network.
        filepath: the file.
        by_name: whether layers are found by name; by their order else.
        skip_mismatch: with `by_name`, whether layers with other weights are left out.

    Raises:
        OSError: if the file is not there or is not HDF5.
        ValueError: if the weights do not fit.
    """
    with damage_told(os.fspath(filepath)), opened(filepath, "r") as file:
        of_model = "layer_names" not in file.attrs and member(file, "model_weights") is not None
        group = _group(file, "model_weights") if of_model else file
        if by_name:
            load_weights_from_hdf5_group_by_name(group, network.layers, skip_mismatch)
        else:
            load_weights_from_hdf5_group(group, network.layers)


def is_hdf5(filepath: str | os.PathLike[str]) -> bool:
    """Whether a path is that of an HDF5 file."""
    return bool(h5py.is_hdf5(filepath))


# ---- groups


def _legacy_weights(layer: Any) -> list[Any]:
    """A layer's weights in the order of files: the trainable ones first."""
    return [*layer.trainable_weights, *layer.non_trainable_weights]


def _origin(group: h5py.Group) -> tuple[str, str | None]:
    """The version of Keras that wrote the weights, and what it ran on."""
    version = text_of(group.attrs["keras_version"], "keras_version") if "keras_version" in group.attrs else "1"
    backend = text_of(group.attrs["backend"], "backend") if "backend" in group.attrs else None
    return version, backend


def _in(group: h5py.Group, layer_name: str) -> list[str]:
    if member(group, layer_name) is None:
        raise KeyError(f"The HDF5 file lists a layer {layer_name!r} and has no weights of it.")
    return load_attributes_from_hdf5_group(_group(group, layer_name), "weight_names")


def _group(group: h5py.Group, name: str) -> h5py.Group:
    found = member(group, name)
    if not isinstance(found, h5py.Group):
        raise ValueError(f"The HDF5 file has no group {name!r} in {group.name!r}.")
    return found


def _read(group: h5py.Group, names: Iterable[str], owner: str) -> list[Array]:
    arrays = []
    for name in names:
        dataset = member(group, name)
        if not isinstance(dataset, h5py.Dataset):
            raise KeyError(f"The HDF5 file lists a weight {name!r} of {owner!r} and does not have it.")
        arrays.append(array_of(dataset))
    return arrays


def _write(group: h5py.Group, weights: Sequence[Any], values: Sequence[Any] | None = None) -> None:
    """Datasets of the weights' names, which are paths of groups."""
    names = [str(weight.name).encode("utf8") for weight in weights]
    save_attributes_to_hdf5_group(group, "weight_names", names)
    for name, value in zip(names, batch_get_value(weights) if values is None else values, strict=True):
        array = np.asarray(value)
        group.create_dataset(name, array.shape, dtype=array.dtype, data=array)


def _json_of(value: Any, what: str) -> dict[str, Any]:
    try:
        found = json.loads(text_of(value, what))
    except UnicodeDecodeError as error:
        raise ValueError(f"The HDF5 attribute {what!r} holds no text: {error}") from None
    except json.JSONDecodeError as error:
        text = f"The HDF5 attribute {what!r} holds no JSON: {error.msg}"
        raise json.JSONDecodeError(text, error.doc, error.pos) from None
    except RecursionError as error:
        raise ValueError(f"The HDF5 attribute {what!r} holds no JSON: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"The HDF5 attribute {what!r} holds a {type(found).__name__}; a dictionary was expected.")
    return found


def _fits(weight: Any, value: Array) -> bool:
    return tuple(weight.shape.as_list()) == tuple(np.shape(value))


def _other_shape(number: int, layer: Layer, weight: Any, value: Array) -> str:
    return (
        f'Layer #{number} (named "{layer.name}"), weight {weight!r} has shape {tuple(weight.shape.as_list())}, but the '
        f"saved weight has shape {np.shape(value)}."
    )
