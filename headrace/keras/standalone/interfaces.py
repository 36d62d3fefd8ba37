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
        preprocessor: from (args, kwargs) to (args, kwargs, names that it changed), called first; `args` begins with the
            object.
        value_conversions: old name to what its values became.
        object_type: "class" or "method"; what warnings call the owner by.
    """
    prepare = None if preprocessor is None else _past_the_object(preprocessor)
    return _of_method(Renames(dict(conversions or ()), value_conversions or {}, prepare=prepare))


def _past_the_object(preprocessor: Callable[..., Any]) -> Callable[[list[Any], dict[str, Any]], Any]:
    """A preprocessor, whose positional arguments begin with the object and which tells what it changed, as `Renames` has them."""

    def prepare(given: list[Any], named: dict[str, Any]) -> Any:
        args, kwargs, _ = preprocessor((None, *given), named)
        return list(args[1:]), kwargs

    return prepare


def raise_duplicate_arg_error(old_arg: str, new_arg: str) -> None:
    """Says that an argument was passed under two names.

    Raises:
        TypeError: always.
    """
    raise TypeError(
        f"For the `{new_arg}` argument, the layer received both the legacy keyword argument `{old_arg}` and the Keras 2 "
        f"keyword argument `{new_arg}`. Stick to the latter!"
    )


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


def _name_first(given: list[Any], named: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of `add_weight`, whose first one is the name in Keras 2 and was the shape in Keras 1."""
    if given and isinstance(given[0], (tuple, list)):
        shape, *rest = given
        named = {"shape": shape, **dict(zip(("initializer", "name"), rest)), **named}
        given = [named.pop("name", None)]
    return given, named


_OF_METHODS = {
    "generator_methods": Renames(
        {
            "samples_per_epoch": "steps_per_epoch",
            "val_samples": "steps",
            "nb_epoch": "epochs",
            "nb_val_samples": "validation_steps",
            "nb_worker": "workers",
            "max_q_size": "max_queue_size",
            "pickle_safe": "use_multiprocessing",
        }
    ),
    "add_weight": Renames(prepare=_name_first),
    "input": Renames({"input_dtype": "dtype"}),
    "model_constructor": Renames({"input": "inputs", "output": "outputs"}),
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
    """The decorator `legacy_<layer or method>_support`."""
    kind = name.removeprefix("legacy_").removesuffix("_support")
    if kind in _OF_METHODS:
        return _of_method(_OF_METHODS[kind])
    layer = _OF_LAYERS.get(kind)
    if layer is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _of_method(LAYERS[layer])
