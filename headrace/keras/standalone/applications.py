"""What programs took from the modules of `keras.applications` to write networks of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.keras.applications.building import Request, Shape, shape_of_input
from headrace.keras.backend.activations import relu
from headrace.keras.backend_config import image_data_format
from headrace.keras.standalone import layers

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def __getattr__(name: str) -> Any:
    """The layer that the module of MobileNet had before `keras.layers` had it."""
    if name != "DepthwiseConv2D":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return layers.__getattr__(name)


def relu6(x: Tensor) -> Tensor:
    """What is between 0 and 6 as it is, 0 for what is less, 6 for what is more."""
    return relu(x, max_value=6)


def _obtain_input_shape(
    input_shape: Shape | None,
    default_size: int,
    min_size: int,
    data_format: str | None = None,
    require_flatten: bool = True,
    weights: str | None = None,
    include_top: bool | None = None,
    dim_ordering: str | None = None,
) -> Shape:
    """The shape of a network's images.

    Args:
        input_shape: what the program asks for, or None.
        default_size: the height and the width where it says nothing.
        min_size: the smallest that the network can have.
        data_format: where the channels are; only that of the settings.
        require_flatten: whether the shape has to be known.
        weights: "imagenet", or None for a network without trained weights.
        include_top: what `require_flatten` was called before.
        dim_ordering: the data format as Keras 1 said it.

    Raises:
        ValueError: for a shape that the network cannot have.
        NotImplementedError: for another data format than that of the settings.
    """
    asked = {"tf": "channels_last", "th": "channels_first", "default": None}.get(str(dim_ordering), data_format)
    if asked is not None and asked != image_data_format():
        raise NotImplementedError(
            f"data_format={asked!r}: the settings say {image_data_format()!r}; call keras.backend.set_image_data_format."
        )
    known = require_flatten if include_top is None else include_top
    request = Request(known, weights, None, input_shape, None, 1000)
    return shape_of_input(request, default_size, min_size, known)
