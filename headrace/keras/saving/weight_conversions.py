"""Weights from files of older Keras, or written by Keras on Theano, as the layers here keep them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.keras.saving.rnn_weights import convert_rnn_weights

if TYPE_CHECKING:
    from headrace.layers.engine import Layer

    Array = np.ndarray
    Convert = Callable[[Any, list[Array]], list[Array]]

_CONVOLUTIONS = ("Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose", "ConvLSTM2D")


def preprocess_weights_for_loading(
    layer: Layer,
    weights: Sequence[Array],
    original_keras_version: str | None = None,
    original_backend: str | None = None,
) -> list[Array]:
    """The arrays of a file as `layer.set_weights` takes them.

    Args:
        layer: the layer they are for.
        weights: the arrays, in the order of the file.
        original_keras_version: the version that wrote them; only its first number matters.
        original_backend: what it ran on; Theano's convolutions are true ones, with kernels turned round.

    Raises:
        ValueError: if weights of one recurrent layer cannot be those of the other.
    """
    weights = list(weights)
    kind = type(layer).__name__
    if kind in _WRAPPERS:
        return _WRAPPERS[kind](layer, weights, original_keras_version, original_backend)
    if (original_keras_version or "").startswith("1") and kind in _KERAS_1 and weights:
        weights = _KERAS_1[kind](layer, weights)
    if kind in _CONVOLUTIONS and weights:
        weights = _convolution(kind, layer, weights, original_backend)
    return convert_rnn_weights(layer, weights)


# ---- layers around layers


def _bidirectional(layer: Any, weights: list[Array], version: str | None, backend: str | None) -> list[Array]:
    half = len(weights) // 2
    forward = preprocess_weights_for_loading(layer.forward_layer, weights[:half], version, backend)
    return forward + preprocess_weights_for_loading(layer.backward_layer, weights[half:], version, backend)


def _time_distributed(layer: Any, weights: list[Array], version: str | None, backend: str | None) -> list[Array]:
    return preprocess_weights_for_loading(layer.layer, weights, version, backend)


def _network(layer: Any, weights: list[Array], version: str | None, backend: str | None) -> list[Array]:
    """Trainable weights of all layers come before the others, as in the file."""
    converted: list[Array] = []
    for trainable in (True, False):
        for inner in layer.layers:
            own = inner.trainable_weights if trainable else inner.non_trainable_weights
            if own:
                part, weights = weights[: len(own)], weights[len(own) :]
                converted.extend(preprocess_weights_for_loading(inner, part, version, backend))
    return converted


_WRAPPERS: dict[str, Callable[[Any, list[Array], str | None, str | None], list[Array]]] = {
    "Bidirectional": _bidirectional,
    "TimeDistributed": _time_distributed,
    "Model": _network,
    "Sequential": _network,
    "Functional": _network,
}


# ---- Keras 1


def _conv1d(layer: Any, weights: list[Array]) -> list[Array]:
    kernel = weights[0]
    if kernel.ndim != 4:
        raise ValueError(f"The kernel of layer '{layer.name}' must have 4 axes in Keras 1, got shape {kernel.shape}")
    if kernel.shape[:2] != (layer.kernel_size[0], 1) or kernel.shape[3] != layer.filters:
        # The older layout: filters, channels, length, 1.
        kernel = np.transpose(kernel, (2, 3, 1, 0))
    return [kernel[:, 0, :, :], *weights[1:]]


def _channels_first(axes: tuple[int, ...]) -> Convert:
    """Kernels that had their filters first where the data had its channels first."""

    def convert(layer: Any, weights: list[Array]) -> list[Array]:
        if layer.data_format != "channels_first":
            return weights
        return [np.transpose(weights[0], axes), *weights[1:]]

    return convert


def _conv2d_transpose(layer: Any, weights: list[Array]) -> list[Array]:
    axes = (0, 1, 3, 2) if layer.data_format == "channels_last" else (2, 3, 0, 1)
    return [np.transpose(weights[0], axes), *weights[1:]]


def _gates(weights: list[Array], order: Sequence[int]) -> list[Array]:
    """Kernel, recurrent kernel and bias, each of all gates in `order`, from those of each gate."""
    return [np.concatenate([weights[3 * gate + part] for gate in order], axis=-1) for part in range(3)]


def _gru(layer: Any, weights: list[Array]) -> list[Array]:
    return _gates(weights, (0, 1, 2)) if len(weights) == 9 else weights


def _lstm(layer: Any, weights: list[Array]) -> list[Array]:
    # It had input, candidate, forget and output gate; today candidate and forget gate are the other way round.
    return _gates(weights, (0, 2, 1, 3)) if len(weights) == 12 else weights


def _conv_lstm(layer: Any, weights: list[Array]) -> list[Array]:
    if len(weights) != 12:
        return weights
    kernel, recurrent, bias = _gates_of_filters(layer, weights)
    return [kernel, recurrent, bias]


def _gates_of_filters(layer: Any, weights: list[Array]) -> list[Array]:
    if layer.data_format == "channels_first":
        weights = [np.transpose(value, (2, 3, 1, 0)) if value.ndim == 4 else value for value in weights]
    return _gates(weights, (0, 2, 1, 3))


_KERAS_1: dict[str, Convert] = {
    "Conv1D": _conv1d,
    "Conv2D": _channels_first((2, 3, 1, 0)),
    "Conv2DTranspose": _conv2d_transpose,
    "Conv3D": _channels_first((2, 3, 4, 1, 0)),
    "ConvLSTM2D": _conv_lstm,
    "GRU": _gru,
    "LSTM": _lstm,
}


# ---- convolutions


def convert_kernel(kernel: Array) -> Array:
    """A convolution's kernel turned round along its spatial axes, from Theano's meaning to TensorFlow's or back.

    Args:
        kernel: spatial axes first, then channels and filters.

    Raises:
        ValueError: if it has not 3 to 5 axes.
    """
    if not 3 <= kernel.ndim <= 5:
        raise ValueError(f"Invalid kernel shape: {kernel.shape}")
    return np.copy(np.flip(kernel, axis=tuple(range(kernel.ndim - 2))))


def _convolution(kind: str, layer: Any, weights: list[Array], backend: str | None) -> list[Array]:
    kernels = 2 if kind == "ConvLSTM2D" else 1
    if backend == "theano":
        weights = [*map(convert_kernel, weights[:kernels]), *weights[kernels:]]
    if tuple(layer.weights[0].shape.as_list()) != weights[0].shape and weights[0].ndim == 4:
        # Filters and channels came first once, whatever the data's format.
        weights = [*(np.transpose(kernel, (3, 2, 0, 1)) for kernel in weights[:kernels]), *weights[kernels:]]
    return weights
