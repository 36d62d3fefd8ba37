"""`keras.utils` and its modules, with what Keras 1 had in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.keras.layers import serialization
from headrace.keras.saving.weight_conversions import convert_kernel as convert_kernel
from headrace.keras.standalone.renames import Renames, accepting
from headrace.keras.utils import generic_utils, np_utils, vis_utils
from headrace.keras.utils.layer_utils import print_summary as print_summary

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike

to_categorical = accepting(Renames({"nb_classes": "num_classes", "y": "y"}))(np_utils.to_categorical)


def probas_to_classes(y_pred: ArrayLike) -> np.ndarray:
    """The classes of predicted probabilities: the most probable one, or 1 above one half.

    Args:
        y_pred: a row of probabilities for each sample, or one probability.
    """
    array = np.asarray(y_pred)
    if array.ndim > 1 and array.shape[1] > 1:
        return categorical_probas_to_classes(array)
    return (array > 0.5).astype(int).reshape(-1)


def categorical_probas_to_classes(p: ArrayLike) -> np.ndarray:
    """The most probable class of each row."""
    return np.argmax(np.asarray(p), axis=1)


def plot(model: Any, to_file: str = "model.png", show_shapes: bool = False, show_layer_names: bool = True) -> Any:
    """Draws a model; `plot_model` is its name today.

    Args:
        model: the model.
        to_file: the image's path.
        show_shapes, show_layer_names: what the boxes tell.
    """
    return vis_utils.plot_model(model, to_file=to_file, show_shapes=show_shapes, show_layer_names=show_layer_names)


def layer_from_config(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """A layer from its configuration; `keras.layers.deserialize` is its name today."""
    return serialization.deserialize(config, custom_objects=custom_objects)


def convert_all_kernels_in_model(model: Any) -> None:
    """Turns the kernels of a model's convolutions round, for weights that Theano's convolutions were trained with.

    Args:
        model: the model.
    """
    for layer in model.layers:
        if type(layer).__name__ in ("Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose"):
            kernel, *rest = layer.get_weights()
            layer.set_weights([convert_kernel(kernel), *rest])


def get_from_module(
    identifier: Any,
    module_params: dict[str, Any],
    module_name: str,
    instantiate: bool = False,
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """The object of a name among a module's.

    Args:
        identifier: the name; anything else is given back.
        module_params: the objects by name.
        module_name: what the kind is called in errors.
        instantiate: whether to call it.
        kwargs: what to call it with.

    Raises:
        ValueError: if nothing has the name.
    """
    if not isinstance(identifier, str):
        return identifier
    found: Callable[..., Any] | None = generic_utils.get_custom_objects().get(identifier) or module_params.get(
        identifier
    )
    if found is None:
        raise ValueError(f"Invalid {module_name}: {identifier}")
    return found(**(kwargs or {})) if instantiate else found


def make_tuple(*args: Any) -> tuple[Any, ...]:
    """The arguments as a tuple."""
    return args
