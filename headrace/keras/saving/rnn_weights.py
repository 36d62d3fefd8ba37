"""Weights of recurrent layers between cuDNN's layout and the plain one.

cuDNN keeps each gate's kernels transposed, with the elements of an input kernel in the other order of memory, and two
biases, one for the input and one for the state, which it adds (https://docs.nvidia.com/deeplearning/cudnn, RNN modes).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from headrace.layers.engine import Layer

    Array = np.ndarray

_GATES = {"LSTM": 4, "CuDNNLSTM": 4, "GRU": 3, "CuDNNGRU": 3}


def convert_rnn_weights(layer: Layer, weights: Sequence[Array]) -> list[Array]:
    """The weights of a recurrent layer as `layer` keeps them, from those of the other layer of its kind.

    Args:
        layer: an LSTM, GRU, CuDNNLSTM or CuDNNGRU; those of other layers are given back as they are.
        weights: input kernel, recurrent kernel and bias.

    Raises:
        ValueError: if the bias is that of no such layer, or the two layers compute different things.
    """
    kind = type(layer).__name__
    if kind not in _GATES or len(weights) != 3:
        return list(weights)
    kernel, recurrent, bias = (np.asarray(value) for value in weights)
    if kernel.ndim != 2 or recurrent.ndim != 2:
        raise ValueError(
            f"The kernels of layer '{layer.name}' ({kind}) must be matrices, got shapes {kernel.shape} and {recurrent.shape}"
        )
    gates, units = _GATES[kind], recurrent.shape[0]
    if gates == 4:
        return _lstm(kind, kernel, recurrent, bias, units)
    return _gru(layer, kind, kernel, recurrent, bias, units)


def _lstm(kind: str, kernel: Array, recurrent: Array, bias: Array, units: int) -> list[Array]:
    if bias.shape == (8 * units,):
        source = "CuDNNLSTM"
    elif bias.shape == (4 * units,):
        source = "LSTM"
    else:
        raise ValueError(f"Invalid bias shape: {bias.shape}")
    if source == kind:
        return [kernel, recurrent, bias]
    # The plain one has the sum of both biases; back, each gets half.
    bias = np.sum(np.split(bias, 2, axis=0), axis=0) if kind == "LSTM" else np.tile(0.5 * bias, 2)
    return [*_kernels(kernel, recurrent, 4, source == "CuDNNLSTM"), bias.astype(kernel.dtype, copy=False)]


def _gru(layer: Layer, kind: str, kernel: Array, recurrent: Array, bias: Array, units: int) -> list[Array]:
    shapes = {
        (6 * units,): "CuDNNGRU",
        (2, 3 * units): "GRU(reset_after=True)",
        (3 * units,): "GRU(reset_after=False)",
    }
    source = shapes.get(bias.shape)
    if source is None:
        raise ValueError(f"Invalid bias shape: {bias.shape}")
    target = kind if kind == "CuDNNGRU" else f"GRU(reset_after={bool(getattr(layer, 'reset_after', False))})"
    if source == target:
        return [kernel, recurrent, bias]
    if "GRU(reset_after=False)" in (source, target):
        # It applies the reset gate before the recurrent product, which cuDNN does not.
        raise ValueError(f"{source} is not compatible with {target}")
    shape = (2, 3 * units) if source == "CuDNNGRU" else (6 * units,)
    return [*_kernels(kernel, recurrent, 3, source == "CuDNNGRU"), bias.reshape(shape)]


def _kernels(kernel: Array, recurrent: Array, gates: int, from_cudnn: bool) -> list[Array]:
    def each_gate(kernels: Array, change: Callable[[Array], Array]) -> Array:
        return np.hstack([change(part) for part in np.hsplit(kernels, gates)])

    def transposed(part: Array) -> Array:
        return part.T.reshape(part.shape, order="F" if from_cudnn else "C")

    return [each_gate(kernel, transposed), each_gate(recurrent, lambda part: part.T)]
