"""From the one vector of weights to the variables of cells, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.cudnn_rnn import cudnn_rnn_ops as network
from headrace.kernels.composing.arranging import concat, transpose
from headrace.ops.array.shape import reshape
from headrace.ops.array.split import split

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class CudnnParamsFormatConverter:
    """Converts the weights of a network; the base of one class a kind.

    Args:
        num_layers, num_units, input_size: the sizes of the network.
        num_proj: the size of an LSTM's output when it is projected, or None.
        input_mode, direction: as for the network.
    """

    _rnn_mode: str
    # Where the gates of cells lie in the network's order.
    _order: tuple[int, ...] = (0,)

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_size: int,
        num_proj: int | None = None,
        input_mode: str = network.CUDNN_INPUT_LINEAR_MODE,
        direction: str = network.CUDNN_RNN_UNIDIRECTION,
    ) -> None:
        self._num_layers, self._num_units, self._input_size = num_layers, num_units, input_size
        self._num_proj, self._input_mode, self._direction = num_proj, input_mode, direction
        self._num_dirs = 1 if direction == network.CUDNN_RNN_UNIDIRECTION else 2

    @property
    def _outputs(self) -> int:
        return self._num_proj or self._num_units

    def _sizes(self, layer: int) -> list[int]:
        """The sizes of a layer's inputs and of its state."""
        return [self._outputs * self._num_dirs if layer else self._input_size, self._outputs]

    def opaque_to_tf_canonical(self, opaque_param: TensorLike) -> tuple[list[Any], ...]:
        """The kernels and the biases of cells, and the projections where there are any.

        Args:
            opaque_param: the vector of all weights.
        """
        cu_weights, cu_biases = network.cudnn_rnn_opaque_params_to_canonical(
            self._rnn_mode,
            self._num_layers,
            self._num_units,
            self._input_size,
            opaque_param,
            self._input_mode,
            self._direction,
            num_proj=self._num_proj,
        )
        count = self._num_layers * self._num_dirs
        width, bias_width = len(cu_weights) // count, len(cu_biases) // count
        weights: list[Any] = []
        biases: list[Any] = []
        projections = []
        for i in range(count):
            own = cu_weights[i * width : (i + 1) * width]
            if self._num_proj:
                projections.append(transpose(own.pop()))
            weights += self._kernels(own)
            biases += self._biases(cu_biases[i * bias_width : (i + 1) * bias_width])
        return (weights, biases, projections) if self._num_proj else (weights, biases)

    def tf_canonical_to_opaque(self, tf_canonicals: list[Any], weights_proj: Sequence[Tensor] | None = None) -> Tensor:
        """The vector of all weights.

        Args:
            tf_canonicals: the kernels of all cells and then their biases.
            weights_proj: the projections of all cells, where there are any.
        """
        half, count = len(tf_canonicals) // 2, self._num_layers * self._num_dirs
        width = half // count
        cu_weights: list[Any] = []
        cu_biases: list[Any] = []
        for i in range(count):
            span = slice(i * width, (i + 1) * width)
            cu_weights += self._from_kernels(i // self._num_dirs, *tf_canonicals[:half][span])
            if weights_proj is not None:
                cu_weights.append(transpose(weights_proj[i]))
            cu_biases += self._from_biases(*tf_canonicals[half:][span])
        return network.cudnn_rnn_canonical_to_opaque_params(
            self._rnn_mode,
            self._num_layers,
            self._num_units,
            self._input_size,
            [reshape(weights, [-1]) for weights in cu_weights],
            cu_biases,
            self._input_mode,
            self._direction,
            num_proj=self._num_proj,
        )

    def _kernels(self, weights: list[Any]) -> list[Any]:
        """The kernels of a cell from the gates' matrices for inputs and for the state."""
        half = len(weights) // 2
        gates = [concat([weights[i], weights[half + i]], axis=1) for i in self._order]
        return [transpose(concat(gates, axis=0))]

    def _from_kernels(self, layer: int, *kernels: Any) -> list[Any]:
        count = len(self._order)
        gates = split(transpose(kernels[0]), count, axis=0)
        pairs = [split(gates[self._order.index(i)], self._sizes(layer), axis=1) for i in range(count)]
        return [pair[0] for pair in pairs] + [pair[1] for pair in pairs]

    def _biases(self, biases: list[Any]) -> list[Any]:
        """The biases of a cell: those for inputs and for the state only ever add up."""
        half = len(biases) // 2
        return [concat([biases[i] + biases[half + i] for i in self._order], axis=0)]

    def _from_biases(self, *biases: Any) -> list[Any]:
        count = len(self._order)
        gates = split(biases[0], count, axis=0)
        return [gates[self._order.index(i)] * 0.5 for i in range(count)] * 2


class CudnnParamsFormatConverterLSTM(CudnnParamsFormatConverter):
    """Converts the weights of an LSTM to those of `CudnnCompatibleLSTMCell`."""

    _rnn_mode = network.CUDNN_LSTM
    _order = (0, 2, 1, 3)


class CudnnParamsFormatConverterGRU(CudnnParamsFormatConverter):
    """Converts the weights of gated recurrent units to those of `CudnnCompatibleGRUCell`."""

    _rnn_mode = network.CUDNN_GRU
    # The candidate's products stay apart, since the reset gate is applied to one of them.
    _order = (0, 1)

    def _kernels(self, weights: list[Any]) -> list[Any]:
        of_inputs, of_state = weights[2], weights[5]
        gates = super()._kernels([weights[0], weights[1], weights[3], weights[4]])
        return [*gates, transpose(of_inputs), transpose(of_state)]

    def _from_kernels(self, layer: int, *kernels: Any) -> list[Any]:
        gates = super()._from_kernels(layer, kernels[0])
        return [*gates[:2], transpose(kernels[1]), *gates[2:], transpose(kernels[2])]

    def _biases(self, biases: list[Any]) -> list[Any]:
        return [*super()._biases([biases[0], biases[1], biases[3], biases[4]]), biases[2], biases[5]]

    def _from_biases(self, *biases: Any) -> list[Any]:
        gates = super()._from_biases(biases[0])
        return [*gates[:2], biases[1], *gates[2:], biases[2]]


class CudnnParamsFormatConverterTanh(CudnnParamsFormatConverter):
    """Converts the weights of a simple network to those of `BasicRNNCell`."""

    _rnn_mode = network.CUDNN_RNN_TANH


class CudnnParamsFormatConverterRelu(CudnnParamsFormatConverter):
    """Converts the weights of a simple network with relus to those of `BasicRNNCell`."""

    _rnn_mode = network.CUDNN_RNN_RELU
