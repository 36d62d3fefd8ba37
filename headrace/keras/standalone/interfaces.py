"""`keras.legacy.interfaces`: decorators that let functions take arguments of Keras 1.

Programs that define layers use them by these names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from headrace.keras.standalone.renames import LAYERS, Renames

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def generate_legacy_interface(
    allowed_positional_args: Iterable[str] | None = None,
    conversions: Iterable[tuple[str, str]] | None = None,
    preprocessor: Any = None,
    value_conversions: Mapping[str, Mapping[Any, Any]] | None = None,
    object_type: str = "class",
) -> Decorator:
    """A decorator of a method that takes arguments by old names too.

    Args:
        allowed_positional_args: the arguments that may be given without a name; None for all.
        conversions: pairs of old and new name.
        preprocessor: not supported.
        value_conversions: old name to what its values became.
        object_type: "class" or "method"; what warnings call the owner by.
    """
    if preprocessor is not None:
        raise NotImplementedError("generate_legacy_interface(preprocessor=…) is not supported; use conversions.")
    return _of_method(Renames(dict(conversions or ()), value_conversions or {}))


def _of_method(renames: Renames) -> Decorator:
    """Past `self`, which is the first argument."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def method(self: Any, *args: Any, **kwargs: Any) -> Any:
            given, named = renames.convert(type(self).__name__, args, kwargs, 2)
            return function(self, *given, **named)

        method.__name__, method.__doc__ = function.__name__, function.__doc__
        method.__dict__["__wrapped__"] = function
        return method

    return decorate


generate_legacy_method_interface = generate_legacy_interface

_OF_LAYERS = {
    "batchnorm": "BatchNormalization",
    "conv1d": "Conv1D",
    "conv2d": "Conv2D",
    "conv3d": "Conv3D",
    "convlstm2d": "ConvLSTM2D",
    "cropping2d": "Cropping2D",
    "cropping3d": "Cropping3D",
    "deconv2d": "Conv2DTranspose",
    "dense": "Dense",
    "dropout": "Dropout",
    "embedding": "Embedding",
    "gaussiandropout": "GaussianDropout",
    "gaussiannoise": "GaussianNoise",
    "global_pooling": "GlobalMaxPooling2D",
    "pooling1d": "MaxPooling1D",
    "pooling2d": "MaxPooling2D",
    "pooling3d": "MaxPooling3D",
    "prelu": "PReLU",
    "recurrent": "LSTM",
    "separable_conv2d": "SeparableConv2D",
    "spatialdropout1d": "SpatialDropout1D",
    "spatialdropoutNd": "SpatialDropout2D",
    "upsampling1d": "UpSampling1D",
    "upsampling2d": "UpSampling2D",
    "upsampling3d": "UpSampling3D",
    "zeropadding2d": "ZeroPadding2D",
    "zeropadding3d": "ZeroPadding3D",
}


def legacy_get_updates_support(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of `Optimizer.get_updates`, whose arguments Keras 1 had as (params, constraints, loss)."""

    def get_updates(self: Any, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 3 or "constraints" in kwargs:
            given = dict(zip(("params", "constraints", "loss"), args, strict=False)) | kwargs
            return function(self, given["loss"], given["params"])
        return function(self, *args, **kwargs)

    return get_updates


def __getattr__(name: str) -> Any:
    """The decorator `legacy_<layer>_support`."""
    layer = _OF_LAYERS.get(name.removeprefix("legacy_").removesuffix("_support"))
    if layer is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _of_method(LAYERS[layer])
