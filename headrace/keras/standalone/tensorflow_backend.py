"""`keras.backend.tensorflow_backend`: what programs took from it besides the functions of `keras.backend`."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from headrace.core.dtypes import DType, as_dtype
from headrace.core.tensor import Tensor
from headrace.devices.listing import list_local_devices
from headrace.keras.backend.devices import has_nchw_support
from headrace.keras.backend_config import epsilon
from headrace.ops.array.transpose import transpose

if TYPE_CHECKING:
    from collections.abc import Sequence

# Python's own functions, which the functions of the backend hide in its module.
py_all, py_any, py_sum, py_slice = builtins.all, builtins.any, builtins.sum, builtins.slice

_EPSILON = epsilon()


def _get_available_gpus() -> list[str]:
    """The names of the devices that are GPUs."""
    return [str(device.name) for device in list_local_devices() if device.device_type == "GPU"]


def _is_tf_1() -> bool:
    """Whether it is TensorFlow 1 that computes; here it always is."""
    return True


def is_symbolic(x: object) -> bool:
    """Whether something is a tensor of a graph."""
    return isinstance(x, Tensor) and x._is_graph_tensor


def _convert_string_dtype(dtype: str) -> DType:
    """The type that a name stands for."""
    return as_dtype(dtype)


# ---- layouts of convolutions


def _preprocess_padding(padding: str) -> str:
    """How TensorFlow writes a padding.

    Args:
        padding: "same" or "valid".

    Raises:
        ValueError: for another one.
    """
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return padding.upper()


def _as_laid_out(x: Tensor, data_format: str, force_transpose: bool, last: str, first: str) -> tuple[Tensor, str]:
    if data_format != "channels_first":
        return x, last
    if has_nchw_support() and not force_transpose:
        return x, first
    rank = len(last)
    return transpose(x, [0, *range(2, rank), 1]), last


def _preprocess_conv1d_input(x: Tensor, data_format: str) -> tuple[Tensor, str]:
    """A sequence as convolutions take it, and the layout's name in TensorFlow."""
    return _as_laid_out(x, data_format, False, "NWC", "NCW")


def _preprocess_conv2d_input(x: Tensor, data_format: str, force_transpose: bool = False) -> tuple[Tensor, str]:
    """An image as convolutions take it, and the layout's name in TensorFlow.

    Args:
        x: the images.
        data_format: "channels_last" or "channels_first".
        force_transpose: whether channels come last in any case.
    """
    return _as_laid_out(x, data_format, force_transpose, "NHWC", "NCHW")


def _preprocess_conv3d_input(x: Tensor, data_format: str) -> tuple[Tensor, str]:
    """A volume as convolutions take it, and the layout's name in TensorFlow."""
    return _as_laid_out(x, data_format, False, "NDHWC", "NCDHW")


def _channels_first(x: Tensor, data_format: str, order: Sequence[int]) -> Tensor:
    return transpose(x, order) if data_format == "channels_first" else x


def _postprocess_conv2d_output(x: Tensor, data_format: str) -> Tensor:
    """An image whose channels come last in the layout of the program."""
    return _channels_first(x, data_format, [0, 3, 1, 2])


def _postprocess_conv3d_output(x: Tensor, data_format: str) -> Tensor:
    """A volume whose channels come last in the layout of the program."""
    return _channels_first(x, data_format, [0, 4, 1, 2, 3])
