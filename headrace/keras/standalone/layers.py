"""`keras.layers`: layers with the defaults of Keras 2.3, which take the arguments of Keras 1 too.

A layer without a row is that of `tf.keras`.
"""

from __future__ import annotations

from typing import Any

from headrace.keras.engine.input_layer import Input as TfInput
from headrace.keras.layers.serialization import layer_class
from headrace.keras.standalone.legacy_base import Layer
from headrace.keras.standalone.renames import LAYERS, Renames, accepting
from headrace.keras.standalone.stand_in import stand_in

# Keras 2.3 computes the gates of recurrent layers so, and their kernels at once.
_GATED = {"recurrent_activation": "sigmoid", "implementation": 2}
_DEFAULTS: dict[str, dict[str, object]] = {"GRU": _GATED, "GRUCell": _GATED, "LSTM": _GATED, "LSTMCell": _GATED}

# Names of Keras 1, and the layers that they are today.
_SPELLED = {
    "Convolution1D": "Conv1D",
    "Convolution2D": "Conv2D",
    "Convolution3D": "Conv3D",
    "Convolution2DTranspose": "Conv2DTranspose",
    "Deconv2D": "Conv2DTranspose",
    "Deconv3D": "Conv3DTranspose",
    "Deconvolution2D": "Conv2DTranspose",
    "Deconvolution3D": "Conv3DTranspose",
    "Conv2DTranspose": "Conv2DTranspose",
    "SeparableConvolution2D": "SeparableConv2D",
    "SeparableConvolution1D": "SeparableConv1D",
    "AvgPool1D": "AveragePooling1D",
    "AvgPool2D": "AveragePooling2D",
    "AvgPool3D": "AveragePooling3D",
    "MaxPool1D": "MaxPooling1D",
    "MaxPool2D": "MaxPooling2D",
    "MaxPool3D": "MaxPooling3D",
}

Input = accepting(Renames({"input_dtype": "dtype"}))(TfInput)

__all__ = ["Input", "Layer"]


def __getattr__(name: str) -> Any:
    """A layer with a row, made when it is first asked for."""
    public = _SPELLED.get(name, name)
    if public not in LAYERS and public not in _DEFAULTS:
        if public != name:
            return layer_class(public)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = globals().get(public)
    if made is None:
        made = stand_in(layer_class(public), LAYERS.get(public), _DEFAULTS.get(public))
        globals()[public] = made
    globals()[name] = made
    return made


def __dir__() -> list[str]:
    return sorted({*__all__, *LAYERS, *_DEFAULTS, *_SPELLED})


def legacy_objects() -> dict[str, Any]:
    """Every class here by its names, for configurations that Keras 1 and 2 wrote."""
    return {name: __getattr__(name) for name in (*LAYERS, *_DEFAULTS, *_SPELLED)}
