"""`keras.backend`: what stand-alone Keras had in it besides, from Keras 1 to 2.3."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.core import eager
from headrace.core.defaults import control_dependencies as control_dependencies
from headrace.core.registry import raw
from headrace.core.tensor_util import is_tensor as is_tensor
from headrace.functions.math.reduction import reduce_logsumexp
from headrace.keras import backend_config
from headrace.keras.backend.arrays import batch_flatten as flatten
from headrace.keras.backend.arrays import int_shape, spatial_2d_padding, temporal_padding
from headrace.keras.standalone.layer_classes import pass_flattening
from headrace.kernels.composing.shapes import size as size
from headrace.layers.context import get_graph
from headrace.layers.sizes import normalize_data_format as _normalize_data_format
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike

_ORDERINGS = {"channels_first": "th", "channels_last": "tf"}


def image_dim_ordering() -> str:
    """Where the channels of images are, as Keras 1 says it: "tf" for last, "th" for first."""
    return _ORDERINGS[backend_config.image_data_format()]


def set_image_dim_ordering(dim_ordering: str) -> None:
    """Says where the channels of images are.

    Args:
        dim_ordering: "tf" for last, "th" for first.

    Raises:
        ValueError: for anything else.
    """
    for data_format, ordering in _ORDERINGS.items():
        if ordering == dim_ordering:
            backend_config.set_image_data_format(data_format)
            return
    raise ValueError(f"Unknown dim_ordering: {dim_ordering}; 'tf' or 'th' was expected.")


def normalize_data_format(value: str | None) -> str:
    """A data format; that of the settings for None.

    Raises:
        ValueError: for anything else than "channels_first" and "channels_last".
    """
    return _normalize_data_format(value or backend_config.image_data_format())


def is_variable(x: object) -> bool:
    """Whether something is a variable."""
    return isinstance(x, Variable)


def logsumexp(x: TensorLike, axis: Any = None, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))) over axes."""
    return reduce_logsumexp(x, axis=axis, keepdims=keepdims)


def slice(x: TensorLike, start: TensorLike, size: TensorLike) -> Tensor:
    """A part of a tensor.

    Args:
        x: the tensor.
        start, size: where it begins and how large it is along each axis.
    """
    return raw.Slice(x, start, size)


def batch_flatten(x: Any) -> Tensor:
    """The examples of a batch as vectors."""
    pass_flattening()
    return flatten(x)


def get_variable_shape(x: Any) -> tuple[int | None, ...] | None:
    """The static shape of a variable or tensor; `int_shape` is its name today."""
    return int_shape(x)


def asymmetric_temporal_padding(x: TensorLike, left_pad: int = 1, right_pad: int = 1) -> Tensor:
    """Zeros before and after the steps of a sequence, as Keras 1 called it."""
    return temporal_padding(x, (left_pad, right_pad))


def asymmetric_spatial_2d_padding(
    x: TensorLike,
    top_pad: int = 1,
    bottom_pad: int = 1,
    left_pad: int = 1,
    right_pad: int = 1,
    dim_ordering: str | None = None,
) -> Tensor:
    """Zeros around images, as Keras 1 called it.

    Args:
        x: the images.
        top_pad, bottom_pad, left_pad, right_pad: how many rows and columns there are on each side.
        dim_ordering: where the channels are: "tf" for last, "th" for first, None for the settings.
    """
    data_format = {"th": "channels_first", "tf": "channels_last"}.get(str(dim_ordering))
    return spatial_2d_padding(x, ((top_pad, bottom_pad), (left_pad, right_pad)), data_format)


@contextlib.contextmanager
def _graph_of_layers() -> Iterator[None]:
    if eager.executing_eagerly():
        with get_graph().as_default():
            yield
    else:
        yield


def symbolic(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: the function runs in the graph that symbolic tensors belong to."""

    def run(*args: Any, **kwargs: Any) -> Any:
        with _graph_of_layers():
            return function(*args, **kwargs)

    return run
