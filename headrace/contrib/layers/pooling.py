"""Layers of pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import add_arg_scope
from headrace.contrib.layers import utils
from headrace.contrib.layers.scoped import NCDHW, NCHW, NDHWC, NHWC, check_data_format
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.functions.nn import pooling_functions
from headrace.layers.classic.pooling import AveragePooling2D, AveragePooling3D, MaxPooling2D, MaxPooling3D

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import CollectionNames, TensorLike


def _pooled(
    layer: type,
    name: str,
    layouts: tuple[str, str],
    inputs: TensorLike,
    kernel_size: int | Sequence[int],
    stride: int,
    padding: str,
    data_format: str,
    outputs_collections: CollectionNames | None,
    scope: str | None,
) -> Tensor:
    layout = check_data_format(data_format, layouts)
    with name_scope(scope, name, [inputs]) as opened:
        inputs = convert_to_tensor(inputs)
        made = layer(pool_size=kernel_size, strides=stride, padding=padding, data_format=layout, _scope=opened)
        return utils.collect_named_outputs(outputs_collections, opened, made.apply(inputs))


@add_arg_scope
def avg_pool2d(
    inputs: TensorLike,
    kernel_size: Sequence[int],
    stride: int = 2,
    padding: str = "VALID",
    data_format: str = NHWC,
    outputs_collections: CollectionNames | None = None,
    scope: str | None = None,
) -> Tensor:
    """The mean of every window of images.

    Args:
        inputs: [batch, height, width, channels], or "NCHW".
        kernel_size: the window: an int or two.
        stride: by how much it moves, likewise.
        padding: "VALID" or "SAME".
        data_format: "NHWC" or "NCHW".
        outputs_collections: collections for the outputs.
        scope: a name scope.

    Returns:
        images.

    Raises:
        ValueError: for another layout.
    """
    return _pooled(
        AveragePooling2D,
        "AvgPool2D",
        (NCHW, NHWC),
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def avg_pool3d(
    inputs: TensorLike,
    kernel_size: int,
    stride: int = 2,
    padding: str = "VALID",
    data_format: str = NDHWC,
    outputs_collections: CollectionNames | None = None,
    scope: Any = None,
) -> Tensor:
    """The mean of every window of volumes, "NDHWC" or "NCDHW"; arguments as in `avg_pool2d`."""
    return _pooled(
        AveragePooling3D,
        "AvgPool3D",
        (NCDHW, NDHWC),
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def max_pool2d(
    inputs: TensorLike,
    kernel_size: int | Sequence[int],
    stride: int = 2,
    padding: str = "VALID",
    data_format: str = NHWC,
    outputs_collections: CollectionNames | None = None,
    scope: str | None = None,
) -> Tensor:
    """The largest value of every window of images; arguments as in `avg_pool2d`."""
    return _pooled(
        MaxPooling2D,
        "MaxPool2D",
        (NCHW, NHWC),
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def max_pool3d(
    inputs: TensorLike,
    kernel_size: Sequence[int],
    stride: int = 2,
    padding: str = "VALID",
    data_format: str = NDHWC,
    outputs_collections: CollectionNames | None = None,
    scope: Any = None,
) -> Tensor:
    """The largest value of every window of volumes, "NDHWC" or "NCDHW"; arguments as in `avg_pool2d`."""
    return _pooled(
        MaxPooling3D,
        "MaxPool3D",
        (NCDHW, NDHWC),
        inputs,
        kernel_size,
        stride,
        padding,
        data_format,
        outputs_collections,
        scope,
    )


@add_arg_scope
def pool(
    inputs: TensorLike,
    kernel_size: Any,
    pooling_type: str,
    padding: str = "VALID",
    data_format: str | None = None,
    dilation_rate: Any = 1,
    stride: int = 1,
    outputs_collections: CollectionNames | None = None,
    scope: str | None = None,
) -> Tensor:
    """Pooling over one, two or three axes.

    Args:
        inputs: of rank 3 to 5.
        kernel_size: the window: an int or one for each spatial axis.
        pooling_type: "AVG" or "MAX".
        padding: "VALID" or "SAME".
        data_format: "NWC", "NHWC", "NDHWC", or the same with "NC" first.
        dilation_rate: how far apart the elements of windows are; not together with strides.
        stride: by how much the window moves.
        outputs_collections: collections for the outputs.
        scope: a name scope.

    Raises:
        ValueError: if the rank is not known or below 3.
    """
    with name_scope(scope, f"{pooling_type.lower()}_pool", [inputs]) as opened:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("Rank of inputs must be known")
        if rank < 3:
            raise ValueError("Rank of inputs must be >= 3")
        spatial = rank - 2
        outputs = pooling_functions.pool(
            input=inputs,
            window_shape=utils.n_positive_integers(spatial, kernel_size),
            pooling_type=pooling_type,
            padding=padding,
            data_format=data_format,
            dilation_rate=utils.n_positive_integers(spatial, dilation_rate),
            strides=utils.n_positive_integers(spatial, stride),
            name=opened,
        )
        return utils.collect_named_outputs(outputs_collections, opened, outputs)
