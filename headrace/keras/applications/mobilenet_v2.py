"""MobileNetV2 (Sandler et al., "MobileNetV2: Inverted Residuals and Linear Bottlenecks", 2018)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.keras.applications import building
from headrace.keras.applications.building import Request, Shape, Weights
from headrace.keras.applications.mobilenet import default_size_of, spatial, trained_size
from headrace.keras.layers.advanced_activations import ReLU
from headrace.keras.layers.convolutional import DepthwiseConv2D
from headrace.keras.layers.cropping import ZeroPadding2D
from headrace.keras.layers.merge import Add
from headrace.keras.layers.pooling import GlobalAveragePooling2D
from headrace.layers.convolutional import Conv2D
from headrace.layers.core import Dense
from headrace.layers.normalization import BatchNormalization

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.keras.engine.training import Model

_FOLDER = "https://github.com/JonathanCMitchell/mobilenet_v2_keras/releases/download/v1.1/"
# Filters, the stride of the first block, and how many blocks; the paper's table 2.
_STAGES = ((16, 1, 1), (24, 2, 2), (32, 2, 3), (64, 2, 4), (96, 1, 3), (160, 2, 3), (320, 1, 1))
_EXPANSION = 6
_LAST = 1280
_SIZES = (96, 128, 160, 192, 224)
_WIDTHS = (0.35, 0.50, 0.75, 1.0, 1.3, 1.4)


def _divisible(value: float, divisor: int = 8) -> int:
    """The multiple of `divisor` that is nearest, but not less than nine tenths of it."""
    near = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return near + divisor if near < 0.9 * value else near


def _normalized(x: Tensor, name: str) -> Tensor:
    return BatchNormalization(axis=building.channel_axis(), epsilon=1e-3, momentum=0.999, name=name)(x)


def _block(x: Tensor, filters: int, stride: int, number: int) -> Tensor:
    """A wider layer, a depthwise convolution, a narrower layer; what came in is added where it has the same shape."""
    before, channels = x, building.static_shape(x)[building.channel_axis()] or 0
    prefix = f"block_{number}_" if number else "expanded_conv_"
    if number:
        x = Conv2D(_EXPANSION * channels, 1, padding="same", use_bias=False, name=f"{prefix}expand")(x)
        x = ReLU(6.0, name=f"{prefix}expand_relu")(_normalized(x, f"{prefix}expand_BN"))
    if stride == 2:
        x = ZeroPadding2D(padding=building.padding_before_stride(x, 3), name=f"{prefix}pad")(x)
    x = DepthwiseConv2D(
        3,
        strides=stride,
        use_bias=False,
        padding="same" if stride == 1 else "valid",
        name=f"{prefix}depthwise",
    )(x)
    x = ReLU(6.0, name=f"{prefix}depthwise_relu")(_normalized(x, f"{prefix}depthwise_BN"))
    x = Conv2D(filters, 1, padding="same", use_bias=False, name=f"{prefix}project")(x)
    x = _normalized(x, f"{prefix}project_BN")
    return Add(name=f"{prefix}add")([before, x]) if channels == filters and stride == 1 else x


def MobileNetV2(
    input_shape: Shape | None = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """MobileNetV2: 17 blocks that are wide inside and narrow between.

    Args:
        input_shape: the shape of an image.
        alpha: how wide it is: a factor of the numbers of filters.
        include_top: whether it ends with a dense layer that classifies.
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
    if weights == "imagenet" and alpha not in _WIDTHS:
        raise ValueError(
            "If imagenet weights are being loaded, alpha can be one of `0.35`, `0.50`, `0.75`, `1.0`, `1.3` or `1.4` "
            f"only; it was {alpha}."
        )
    shape = building.shape_of_input(request, default_size_of(input_shape, _SIZES), 32)
    rows: int | None = spatial(shape)[0]
    if weights == "imagenet":
        rows = trained_size(request, shape, _SIZES)
    start = building.input_of(request, shape)
    x = _body(start, alpha)
    if include_top:
        x = GlobalAveragePooling2D()(x)
        x = Dense(classes, activation="softmax", use_bias=True, name="Logits")(x)
    else:
        x = building.pooled(x, pooling)
    file = f"mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{alpha}_{rows}"
    files = Weights(_FOLDER, (f"{file}.h5", None), (f"{file}_no_top.h5", None))
    return building.model_of(request, start, x, f"mobilenetv2_{alpha:0.2f}_{rows}", lambda: files)


def _body(start: Tensor, alpha: float) -> Tensor:
    x = ZeroPadding2D(padding=building.padding_before_stride(start, 3), name="Conv1_pad")(start)
    x = Conv2D(_divisible(32 * alpha), 3, strides=(2, 2), use_bias=False, name="Conv1")(x)
    x = ReLU(6.0, name="Conv1_relu")(_normalized(x, "bn_Conv1"))
    number = 0
    for filters, stride, count in _STAGES:
        for i in range(count):
            x = _block(x, _divisible(int(filters * alpha)), stride if i == 0 else 1, number)
            number += 1
    # The last layer is not made narrower.
    last = _divisible(_LAST * alpha) if alpha > 1.0 else _LAST
    x = Conv2D(last, 1, use_bias=False, name="Conv_1")(x)
    return ReLU(6.0, name="out_relu")(_normalized(x, "Conv_1_bn"))
