"""MobileNet (Howard et al., "MobileNets: Efficient Convolutional Neural Networks for Mobile Vision Applications", 2017)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.keras.applications import building
from headrace.keras.applications.building import Request, Shape, Weights
from headrace.keras.backend_config import image_data_format
from headrace.keras.layers.advanced_activations import ReLU
from headrace.keras.layers.convolutional import DepthwiseConv2D
from headrace.keras.layers.core import Activation, Reshape
from headrace.keras.layers.cropping import ZeroPadding2D
from headrace.keras.layers.pooling import GlobalAveragePooling2D
from headrace.layers.convolutional import Conv2D
from headrace.layers.core import Dropout
from headrace.layers.normalization import BatchNormalization
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.keras.engine.training import Model

_FOLDER = "https://github.com/fchollet/deep-learning-models/releases/download/v0.6/"
# Filters and strides of the blocks.
_BLOCKS = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *((512, 1),) * 5, (1024, 2), (1024, 1))
_SIZES = (128, 160, 192, 224)
_WIDTHS = {1.0: "1_0", 0.75: "7_5", 0.5: "5_0", 0.25: "2_5"}


def spatial(shape: Shape) -> tuple[int | None, int | None]:
    """The height and the width in the shape of an image."""
    return (shape[1], shape[2]) if image_data_format() == "channels_first" else (shape[0], shape[1])


def default_size_of(input_shape: Shape | None, sizes: tuple[int, ...]) -> int:
    """The size of images: the one asked for, if there are trained weights for it, or 224."""
    if input_shape is None or len(input_shape) != 3:
        return 224
    rows, columns = spatial(input_shape)
    return rows if rows is not None and rows == columns and rows in sizes else 224


def trained_size(request: Request, shape: Shape, sizes: tuple[int, ...]) -> int:
    """The size of images for which trained weights are taken.

    Args:
        request: what the program asks for.
        shape: the shape of an image.
        sizes: the sizes there are weights for.
    """
    rows, columns = spatial(shape)
    if rows is not None and rows == columns and rows in sizes:
        return rows
    tf_logging.warning(
        "`input_shape` is undefined or non-square, or `rows` is not in %s. Weights for input shape (224, 224) will be "
        "loaded as the default.",
        list(sizes),
    )
    return 224


def _active(x: Tensor, name: str) -> Tensor:
    x = BatchNormalization(axis=building.channel_axis(), name=f"{name}_bn")(x)
    return ReLU(6.0, name=f"{name}_relu")(x)


def _block(x: Tensor, filters: int, stride: int, multiplier: int, number: int) -> Tensor:
    """A depthwise convolution, then one of 1 by 1."""
    if stride != 1:
        x = ZeroPadding2D(((0, 1), (0, 1)), name=f"conv_pad_{number}")(x)
    x = DepthwiseConv2D(
        (3, 3),
        padding="same" if stride == 1 else "valid",
        depth_multiplier=multiplier,
        strides=(stride, stride),
        use_bias=False,
        name=f"conv_dw_{number}",
    )(x)
    x = _active(x, f"conv_dw_{number}")
    x = Conv2D(filters, (1, 1), padding="same", use_bias=False, name=f"conv_pw_{number}")(x)
    return _active(x, f"conv_pw_{number}")


def MobileNet(
    input_shape: Shape | None = None,
    alpha: float = 1.0,
    depth_multiplier: int = 1,
    dropout: float = 1e-3,
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """MobileNet: 13 blocks of a depthwise convolution and one of 1 by 1.

    Args:
        input_shape: the shape of an image.
        alpha: how wide it is: a factor of the numbers of filters.
        depth_multiplier: how many filters a channel has in depthwise convolutions.
        dropout: the part that is left out before the top.
        include_top: whether it ends with layers that classify.
        weights: "imagenet" for trained ones, which are fetched; a path; or None for random ones.
        input_tensor: a tensor to begin with.
        pooling: without the top: "avg" or "max" over each channel, or None.
        classes: how many classes the top knows.

    Returns:
        a `Model`.

    Raises:
        ValueError: for weights that are not there and shapes that it cannot have.
    """
    request = Request(include_top, weights, input_tensor, input_shape, pooling, classes)
    if weights == "imagenet" and (depth_multiplier != 1 or alpha not in _WIDTHS):
        raise ValueError(
            "If imagenet weights are being loaded, depth multiplier must be 1 and alpha can be one of `0.25`, `0.50`, "
            f"`0.75` or `1.0` only; they were {depth_multiplier} and {alpha}."
        )
    shape = building.shape_of_input(request, default_size_of(input_shape, _SIZES), 32)
    rows: int | None = spatial(shape)[0]
    if weights == "imagenet":
        rows = trained_size(request, shape, _SIZES)
    start = building.input_of(request, shape)
    x = ZeroPadding2D(((0, 1), (0, 1)), name="conv1_pad")(start)
    x = Conv2D(int(32 * alpha), (3, 3), strides=(2, 2), use_bias=False, name="conv1")(x)
    x = _active(x, "conv1")
    for number, (filters, stride) in enumerate(_BLOCKS, 1):
        x = _block(x, int(filters * alpha), stride, depth_multiplier, number)
    if include_top:
        x = _top(x, int(1024 * alpha), dropout, classes)
    else:
        x = building.pooled(x, pooling)

    def files() -> Weights:
        file = f"mobilenet_{_WIDTHS[alpha]}_{rows}_tf"
        return Weights(_FOLDER, (f"{file}.h5", None), (f"{file}_no_top.h5", None))

    return building.model_of(request, start, x, f"mobilenet_{alpha:0.2f}_{rows}", files)


def _top(x: Tensor, channels: int, dropout: float, classes: int) -> Tensor:
    first = image_data_format() == "channels_first"
    x = GlobalAveragePooling2D()(x)
    x = Reshape((channels, 1, 1) if first else (1, 1, channels), name="reshape_1")(x)
    x = Dropout(dropout, name="dropout")(x)
    x = Conv2D(classes, (1, 1), padding="same", name="conv_preds")(x)
    x = Reshape((classes,), name="reshape_2")(x)
    return Activation("softmax", name="act_softmax")(x)
