"""Layers and models as configurations and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.config import tf2
from headrace.feature_column import features_layer
from headrace.keras.engine import ancillary_layers, input_layer, network, op_layer, sequential, training
from headrace.keras.layers import (
    advanced_activations,
    bidirectional,
    convolutional,
    convolutional_recurrent,
    core,
    cropping,
    cudnn_recurrent,
    dense_attention,
    embeddings,
    kernelized,
    lambda_layer,
    local,
    merge,
    noise,
    normalization,
    normalization_v2,
    pooling,
    recurrent_base,
    recurrent_cells,
    recurrent_gru,
    recurrent_lstm,
    recurrent_simple,
    recurrent_stacked,
    recurrent_v2,
    upsampling,
    wrappers,
)
from headrace.keras.premade import linear, wide_deep
from headrace.keras.utils.generic_utils import deserialize_keras_object
from headrace.layers import convolutional as convolutions
from headrace.layers import core as dense
from headrace.layers import engine, separable, transposed
from headrace.layers import normalization as batch_normalization
from headrace.layers import pooling as window_pooling

_MODULES = (
    engine,
    dense,
    convolutions,
    separable,
    transposed,
    window_pooling,
    batch_normalization,
    ancillary_layers,
    input_layer,
    network,
    op_layer,
    sequential,
    training,
    advanced_activations,
    bidirectional,
    convolutional,
    convolutional_recurrent,
    core,
    cropping,
    cudnn_recurrent,
    dense_attention,
    embeddings,
    kernelized,
    lambda_layer,
    local,
    merge,
    noise,
    normalization,
    pooling,
    recurrent_base,
    recurrent_cells,
    recurrent_simple,
    recurrent_gru,
    recurrent_lstm,
    recurrent_stacked,
    upsampling,
    wrappers,
    linear,
    wide_deep,
    features_layer,
)
# Second names of classes in configurations.
_SPELLED = {
    "AvgPool1D": "AveragePooling1D",
    "AvgPool2D": "AveragePooling2D",
    "AvgPool3D": "AveragePooling3D",
    "BatchNormalizationV1": "BatchNormalization",
    "BatchNormalizationV2": "BatchNormalization",
    "Convolution1D": "Conv1D",
    "Convolution2D": "Conv2D",
    "Convolution2DTranspose": "Conv2DTranspose",
    "Convolution3D": "Conv3D",
    "Convolution3DTranspose": "Conv3DTranspose",
    "Deconv2D": "Conv2DTranspose",
    "Deconv3D": "Conv3DTranspose",
    "Deconvolution2D": "Conv2DTranspose",
    "Deconvolution3D": "Conv3DTranspose",
    "GlobalAvgPool1D": "GlobalAveragePooling1D",
    "GlobalAvgPool2D": "GlobalAveragePooling2D",
    "GlobalAvgPool3D": "GlobalAveragePooling3D",
    "GlobalMaxPool1D": "GlobalMaxPooling1D",
    "GlobalMaxPool2D": "GlobalMaxPooling2D",
    "GlobalMaxPool3D": "GlobalMaxPooling3D",
    "MaxPool1D": "MaxPooling1D",
    "MaxPool2D": "MaxPooling2D",
    "MaxPool3D": "MaxPooling3D",
    "SeparableConvolution1D": "SeparableConv1D",
    "SeparableConvolution2D": "SeparableConv2D",
}


def _classes() -> dict[str, Any]:
    """All layers and models by the names that configurations give them."""
    found = {}
    for module in _MODULES:
        for name, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, engine.Layer) and not name.startswith("_"):
                found[name] = value
    for name, target in _SPELLED.items():
        found[name] = found[target]
    return found


_V1 = _classes()
# What TensorFlow 2's behaviour makes of names that stand for two classes.
_V2 = {
    **_V1,
    **dict.fromkeys(
        ("BatchNormalization", "BatchNormalizationV1", "BatchNormalizationV2"), normalization_v2.BatchNormalization
    ),
    **{name: getattr(recurrent_v2, name) for name in ("GRU", "GRUCell", "LSTM", "LSTMCell")},
}


def layer_class(class_name: str) -> type:
    """The class of layers that configurations call so.

    Raises:
        ValueError: if there is none.
    """
    found = (_V2 if tf2.enabled() else _V1).get(class_name)
    if found is None:
        raise ValueError(f"Unknown layer: {class_name}")
    return found


def is_known(class_name: str) -> bool:
    """Whether configurations may name a class of layers or models so."""
    return class_name in _V1


def serialize(layer: Any) -> Any:
    """What stands for a layer or a model in configurations.

    Args:
        layer: the layer.

    Returns:
        {"class_name": ..., "config": ...}.

    Example:
        >>> tf.keras.layers.serialize(tf.keras.layers.Flatten())["class_name"]
        'Flatten'
    """
    return {"class_name": type(layer).__name__, "config": layer.get_config()}


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The layer or model that a configuration describes.

    Args:
        config: what `serialize` gave.
        custom_objects: classes and functions of the program, by name.

    Raises:
        ValueError: if nothing has the name of its class.
        KeyError: if it names none.

    Example:
        >>> layer = tf.keras.layers.deserialize({"class_name": "Dense", "config": {"units": 3}})
    """
    config["class_name"]
    return deserialize_keras_object(
        config,
        module_objects=_V2 if tf2.enabled() else _V1,
        custom_objects=custom_objects,
        printable_module_name="layer",
    )
