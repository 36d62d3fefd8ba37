"""`keras.layers`: layers with the defaults of Keras 2.3, which take the arguments of Keras 1 too."""

from __future__ import annotations

from typing import Any

from headrace.keras.engine.input_layer import Input as TfInput
from headrace.keras.layers.serialization import is_known, layer_class
from headrace.keras.standalone.layer_classes import layer_stand_in
from headrace.keras.standalone.legacy_base import Layer
from headrace.keras.standalone.renames import LAYERS, Renames, accepting

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

# Functions that combine tensors, and their layers.
_MERGING = {
    "add": "Add",
    "average": "Average",
    "concatenate": "Concatenate",
    "dot": "Dot",
    "maximum": "Maximum",
    "minimum": "Minimum",
    "multiply": "Multiply",
    "subtract": "Subtract",
}
_AS_THEY_ARE = {"Layer", "Merge", "Model", "Network", "Sequential"}

Input = accepting(Renames({"input_dtype": "dtype"}))(TfInput)

__all__ = ["Input", "Layer"]


def __getattr__(name: str) -> Any:
    """A layer, made when it is first asked for."""
    public = _SPELLED.get(name, name)
    if public in _MERGING:
        made: Any = _merging(public)
    elif public in _AS_THEY_ARE or not is_known(public):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        made = globals().get(public) or layer_stand_in(layer_class(public), LAYERS.get(public), _DEFAULTS.get(public))
    globals()[public] = made
    globals()[name] = made
    return made


def _merging(name: str) -> Any:
    """A function that combines tensors by its layer."""

    def function(inputs: Any, *args: Any, **kwargs: Any) -> Any:
        return __getattr__(_MERGING[name])(*args, **kwargs)(inputs)

    function.__name__, function.__doc__ = name, f"What a new `{_MERGING[name]}` layer makes of tensors."
    return function


def __dir__() -> list[str]:
    return sorted({*__all__, *LAYERS, *_DEFAULTS, *_SPELLED, *_MERGING})


def legacy_objects() -> dict[str, Any]:
    """Every class here by its names, for configurations that Keras 1 and 2 wrote."""
    return {name: __getattr__(name) for name in (*LAYERS, *_DEFAULTS, *_SPELLED)}
