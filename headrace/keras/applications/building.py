"""What all the applications have in common: the shape of the input, the top, the weights."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.keras.backend_config import image_data_format
from headrace.keras.engine.input_layer import Input
from headrace.keras.engine.training import Model
from headrace.keras.layers.pooling import GlobalAveragePooling2D, GlobalMaxPooling2D
from headrace.keras.utils.downloads import get_file
from headrace.keras.utils.layer_utils import get_source_inputs
from headrace.layers.core import Dense
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

Shape = tuple[int | None, ...]

_CLASSES = 1000


@dataclass(frozen=True)
class Weights:
    """Where weights trained on ImageNet are.

    Attributes:
        folder: the address of the folder.
        whole, notop: the name and the checksum of the file of the whole model, and of that without the top.
        kept_as, kept_notop_as: what the files are called where they are kept, if not the same.
    """

    folder: str
    whole: tuple[str, str | None]
    notop: tuple[str, str | None]
    kept_as: str | None = None
    kept_notop_as: str | None = None

    def fetched(self, include_top: bool) -> str:
        """The path of the file, fetched if it is not there.

        Raises:
            OSError: if it cannot be fetched.
        """
        name, checksum = self.whole if include_top else self.notop
        kept = (self.kept_as if include_top else self.kept_notop_as) or name
        return get_file(kept, self.folder + name, cache_subdir="models", file_hash=checksum)


@dataclass(frozen=True)
class Request:
    """What a program asks of an application; the fields are the arguments of its function."""

    include_top: bool
    weights: str | None
    input_tensor: Any
    input_shape: Shape | None
    pooling: str | None
    classes: int

    def __post_init__(self) -> None:
        if self.weights not in ("imagenet", None) and not os.path.exists(self.weights):
            raise ValueError(
                "The `weights` argument should be either `None` (random initialization), `imagenet` (pre-training on "
                f"ImageNet), or the path to the weights file to be loaded. It was {self.weights!r}."
            )
        if self.weights == "imagenet" and self.include_top and self.classes != _CLASSES:
            raise ValueError(
                'If using `weights` as `"imagenet"` with `include_top` as true, `classes` should be 1000; '
                f"it was {self.classes}."
            )


def channel_axis() -> int:
    """The axis of channels of a batch of images."""
    return 1 if image_data_format() == "channels_first" else 3


def static_shape(x: Tensor) -> tuple[int | None, ...]:
    """The shape of a tensor, None for sizes that are not known."""
    return tuple(x.shape.as_list())


def padding_before_stride(x: Tensor, kernel: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """What is to be added to images so that a kernel that moves two points at a time gives half their size.

    Args:
        x: the images.
        kernel: the size of the kernel.
    """
    first = 2 if image_data_format() == "channels_first" else 1
    rows, columns = static_shape(x)[first : first + 2]
    half = kernel // 2
    return (half - _odd(rows), half), (half - _odd(columns), half)


def _odd(size: int | None) -> int:
    return 1 if size is None or size % 2 == 0 else 0


def shape_of_input(
    request: Request, default_size: int, min_size: int, require_flatten: bool | None = None
) -> tuple[int | None, ...]:
    """The shape of an image.

    Args:
        request: what the program asks for.
        default_size: the height and the width where it says nothing.
        min_size: the smallest that the model can have.
        require_flatten: whether the shape has to be known; without it that depends on `include_top`.

    Raises:
        ValueError: for a shape that the model cannot have.
    """
    first = image_data_format() == "channels_first"
    known = request.include_top if require_flatten is None else require_flatten
    shape, pretrained = request.input_shape, request.weights == "imagenet"
    channels: int | None = 3
    if not pretrained and shape and len(shape) == 3:
        channels = shape[0 if first else 2]
        if channels not in (1, 3):
            tf_logging.warning("This model usually expects 1 or 3 input channels. It was passed %s.", channels)
    default = (channels, default_size, default_size) if first else (default_size, default_size, channels)
    if pretrained and known:
        if shape is not None and tuple(shape) != default:
            raise ValueError(
                f"When setting `include_top=True` and loading `imagenet` weights, `input_shape` should be {default}."
            )
        return default
    if not shape:
        return default if known else ((3, None, None) if first else (None, None, 3))
    _check_shape(tuple(shape), first, pretrained, min_size)
    if known and None in shape:
        raise ValueError(
            f"If `include_top` is True, you should specify a static `input_shape`. Got `input_shape={tuple(shape)}`"
        )
    return tuple(shape)


def _check_shape(shape: Shape, first: bool, pretrained: bool, min_size: int) -> None:
    if len(shape) != 3:
        raise ValueError(f"`input_shape` must be a tuple of three integers. Got {shape}")
    if shape[0 if first else 2] != 3 and pretrained:
        raise ValueError(f"The input must have 3 channels; got `input_shape={shape}`")
    sizes = shape[1:] if first else shape[:2]
    if any(size is not None and size < min_size for size in sizes):
        raise ValueError(f"Input size must be at least {min_size}x{min_size}; got `input_shape={shape}`")


def input_of(request: Request, shape: Shape) -> Any:
    """The tensor that the model begins with."""
    given = request.input_tensor
    if given is None:
        return Input(shape=shape)
    return given if hasattr(given, "_keras_history") else Input(tensor=given, shape=shape)


def classified(x: Tensor, classes: int, name: str = "predictions", average: str | None = "avg_pool") -> Tensor:
    """The usual top: the average of each channel, and a layer that says how likely each class is.

    Args:
        x: the images.
        classes: how many.
        name: of the layer.
        average: the name of what averages.
    """
    x = GlobalAveragePooling2D(name=average)(x)
    return Dense(classes, activation="softmax", name=name)(x)


def pooled(x: Tensor, pooling: str | None, prefix: bool = False) -> Tensor:
    """What there is instead of a top.

    Args:
        x: the images.
        pooling: "avg", "max", or None for the images themselves.
        prefix: whether the layers are called `avg_pool` and `max_pool`.
    """
    if pooling == "avg":
        return GlobalAveragePooling2D(name="avg_pool" if prefix else None)(x)
    if pooling == "max":
        return GlobalMaxPooling2D(name="max_pool" if prefix else None)(x)
    return x


def model_of(request: Request, start: Any, x: Tensor, name: str, weights: Callable[[], Weights]) -> Model:
    """The model, with the weights that are asked for.

    Args:
        request: what the program asks for.
        start: the tensor it begins with.
        x: what it gives.
        name: its name.
        weights: says where those trained on ImageNet are.
    """
    inputs = start if request.input_tensor is None else get_source_inputs(request.input_tensor)
    model = Model(inputs, x, name=name)
    if request.weights == "imagenet":
        model.load_weights(weights().fetched(request.include_top))
    elif request.weights is not None:
        model.load_weights(request.weights)
    return model
