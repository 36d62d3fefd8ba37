"""NASNet (Zoph et al., "Learning Transferable Architectures for Scalable Image Recognition", 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.keras.applications import building
from headrace.keras.applications.building import Request, Shape, Weights
from headrace.keras.backend_config import image_data_format
from headrace.keras.layers.core import Activation
from headrace.keras.layers.cropping import Cropping2D, ZeroPadding2D
from headrace.keras.layers.merge import Add, Concatenate
from headrace.layers.convolutional import Conv2D
from headrace.layers.normalization import BatchNormalization
from headrace.layers.pooling import AveragePooling2D, MaxPooling2D
from headrace.layers.separable import SeparableConv2D

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.keras.engine.training import Model

_FOLDER = "https://github.com/titu1994/Keras-NASNet/releases/download/v1.2/"
# A cell joins six results of so many filters; four times as many cells are in the last part.
_JOINED = 24
_WIDER = 2


@dataclass(frozen=True)
class _Plan:
    """What differs between the networks.

    Attributes:
        size: the height and the width of an image.
        last_filters: how many channels come out.
        cells: how many normal cells each of the three parts has.
        first_filters: how many filters the first convolution has.
        skips_reduction: whether a cell after a reduction looks past it.
        weights: where trained weights are.
    """

    size: int
    last_filters: int
    cells: int
    first_filters: int
    skips_reduction: bool
    weights: Weights


def _axis() -> int:
    return 1 if image_data_format() == "channels_first" else -1


def _normalized(x: Tensor, name: str) -> Tensor:
    return BatchNormalization(axis=building.channel_axis(), momentum=0.9997, epsilon=1e-3, name=name)(x)


def _relu(x: Tensor, name: str | None = None) -> Tensor:
    return Activation("relu", name=name)(x)


def _conv(x: Tensor, filters: int, name: str) -> Tensor:
    return Conv2D(filters, (1, 1), padding="same", use_bias=False, kernel_initializer="he_normal", name=name)(x)


def _separable(x: Tensor, filters: int, size: int, name: str, stride: int = 1) -> Tensor:
    """Two separable convolutions, activation first."""
    for i in (1, 2):
        x = _relu(x)
        narrows = i == 1 and stride == 2
        if narrows:
            padding = building.padding_before_stride(x, size)
            x = ZeroPadding2D(padding=padding, name=f"separable_conv_1_pad_{name}")(x)
        x = SeparableConv2D(
            filters,
            (size, size),
            strides=(2, 2) if narrows else (1, 1),
            padding="valid" if narrows else "same",
            use_bias=False,
            depthwise_initializer="he_normal",
            pointwise_initializer="he_normal",
            name=f"separable_conv_{i}_{name}",
        )(x)
        x = _normalized(x, f"separable_conv_{i}_bn_{name}")
    return x


def _adjusted(previous: Tensor | None, x: Tensor, filters: int, name: str) -> Tensor:
    """What came before the last cell, in the shape of what came of it."""
    if previous is None:
        return x
    axis = building.channel_axis()
    one, other = building.static_shape(previous), building.static_shape(x)
    row = 2 if axis == 1 else 1
    if one[row] != other[row]:
        return _halved(previous, filters, name)
    if one[axis] != filters:
        return _normalized(_conv(_relu(previous), filters, f"adjust_conv_projection_{name}"), f"adjust_bn_{name}")
    return previous


def _halved(x: Tensor, filters: int, name: str) -> Tensor:
    """Images of half the size: every second point, and beside it every second one shifted by one."""
    x = _relu(x, f"adjust_relu_1_{name}")
    first = AveragePooling2D((1, 1), strides=(2, 2), name=f"adjust_avg_pool_1_{name}")(x)
    first = _conv(first, filters // 2, f"adjust_conv_1_{name}")
    second = ZeroPadding2D(padding=((0, 1), (0, 1)))(x)
    second = Cropping2D(cropping=((1, 0), (1, 0)))(second)
    second = AveragePooling2D((1, 1), strides=(2, 2), name=f"adjust_avg_pool_2_{name}")(second)
    second = _conv(second, filters // 2, f"adjust_conv_2_{name}")
    return _normalized(Concatenate(axis=_axis())([first, second]), f"adjust_bn_{name}")


def _averaged(x: Tensor, name: str) -> Tensor:
    return AveragePooling2D((3, 3), strides=(1, 1), padding="same", name=name)(x)


def _normal(x: Tensor, previous: Tensor | None, filters: int, name: str) -> tuple[Tensor, Tensor]:
    """A cell that keeps the size. Returns what comes out, and what came in."""
    p = _adjusted(previous, x, filters, name)
    h = _normalized(_conv(_relu(x), filters, f"normal_conv_1_{name}"), f"normal_bn_1_{name}")

    def add(number: int, left: Tensor, right: Tensor) -> Tensor:
        return Add(name=f"normal_add_{number}_{name}")([left, right])

    first = add(
        1,
        _separable(h, filters, 5, f"normal_left1_{name}"),
        _separable(p, filters, 3, f"normal_right1_{name}"),
    )
    second = add(
        2,
        _separable(p, filters, 5, f"normal_left2_{name}"),
        _separable(p, filters, 3, f"normal_right2_{name}"),
    )
    third = add(3, _averaged(h, f"normal_left3_{name}"), p)
    fourth = add(4, _averaged(p, f"normal_left4_{name}"), _averaged(p, f"normal_right4_{name}"))
    fifth = add(5, _separable(h, filters, 3, f"normal_left5_{name}"), h)
    joined = Concatenate(axis=_axis(), name=f"normal_concat_{name}")([p, first, second, third, fourth, fifth])
    return joined, x


def _reduction(x: Tensor, previous: Tensor | None, filters: int, name: str) -> tuple[Tensor, Tensor]:
    """A cell that halves the size. Returns what comes out, and what came in."""
    p = _adjusted(previous, x, filters, name)
    h = _normalized(_conv(_relu(x), filters, f"reduction_conv_1_{name}"), f"reduction_bn_1_{name}")
    padded = ZeroPadding2D(padding=building.padding_before_stride(h, 3), name=f"reduction_pad_1_{name}")(h)

    def largest(which: str) -> Tensor:
        return MaxPooling2D((3, 3), strides=(2, 2), name=f"reduction_{which}_{name}")(padded)

    left = _separable(h, filters, 5, f"reduction_left1_{name}", stride=2)
    right = _separable(p, filters, 7, f"reduction_right1_{name}", stride=2)
    first = Add(name=f"reduction_add_1_{name}")([left, right])
    left = largest("left2")
    right = _separable(p, filters, 7, f"reduction_right2_{name}", stride=2)
    second = Add(name=f"reduction_add_2_{name}")([left, right])
    left = AveragePooling2D((3, 3), strides=(2, 2), name=f"reduction_left3_{name}")(padded)
    right = _separable(p, filters, 5, f"reduction_right3_{name}", stride=2)
    third = Add(name=f"reduction_add3_{name}")([left, right])
    fourth = Add()([second, _averaged(first, f"reduction_left4_{name}")])
    left = _separable(first, filters, 3, f"reduction_left4_{name}")
    fifth = Add(name=f"reduction_add4_{name}")([left, largest("right5")])
    joined = Concatenate(axis=_axis(), name=f"reduction_concat_{name}")([second, third, fourth, fifth])
    return joined, x


def _nasnet(plan: _Plan, request: Request) -> Model:
    shape = building.shape_of_input(request, plan.size, 32, require_flatten=True)
    start = building.input_of(request, shape)
    filters = plan.last_filters // _JOINED
    x = Conv2D(
        plan.first_filters,
        (3, 3),
        strides=(2, 2),
        use_bias=False,
        kernel_initializer="he_normal",
        name="stem_conv1",
    )(start)
    x = _normalized(x, "stem_bn1")
    previous: Tensor | None = None
    x, previous = _reduction(x, previous, filters // _WIDER**2, "stem_1")
    x, previous = _reduction(x, previous, filters // _WIDER, "stem_2")
    for part in range(3):
        if part:
            x, before = _reduction(x, previous, filters * _WIDER**part, f"reduce_{part * plan.cells}")
            previous = previous if plan.skips_reduction else before
        for i in range(plan.cells):
            number = part * plan.cells + i + (1 if part else 0)
            x, previous = _normal(x, previous, filters * _WIDER**part, str(number))
    x = _relu(x)
    if request.include_top:
        x = building.classified(x, request.classes, average=None)
    else:
        x = building.pooled(x, request.pooling)
    return building.model_of(request, start, x, "NASNet", lambda: plan.weights)


def NASNetLarge(
    input_shape: Shape | None = None,
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """NASNet-A (6 @ 4032).

    Args:
        input_shape: the shape of an image.
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
    files = Weights(
        _FOLDER,
        ("NASNet-large.h5", "11577c9a518f0070763c2b964a382f17"),
        ("NASNet-large-no-top.h5", "d81d89dc07e6e56530c4e77faddd61b5"),
        "nasnet_large.h5",
        "nasnet_large_no_top.h5",
    )
    request = Request(include_top, weights, input_tensor, input_shape, pooling, classes)
    return _nasnet(_Plan(331, 4032, 6, 96, True, files), request)


def NASNetMobile(
    input_shape: Shape | None = None,
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """NASNet-A (4 @ 1056).

    Args:
        input_shape, include_top, weights, input_tensor, pooling, classes: as for `NASNetLarge`.

    Returns:
        a `Model`.

    Raises:
        ValueError: for weights that are not there and shapes that it cannot have.
    """
    files = Weights(
        _FOLDER,
        ("NASNet-mobile.h5", "020fb642bf7360b370c678b08e0adf61"),
        ("NASNet-mobile-no-top.h5", "1ed92395b5b598bdda52abe5c0dbfd63"),
        "nasnet_mobile.h5",
        "nasnet_mobile_no_top.h5",
    )
    request = Request(include_top, weights, input_tensor, input_shape, pooling, classes)
    return _nasnet(_Plan(224, 1056, 4, 32, False, files), request)
