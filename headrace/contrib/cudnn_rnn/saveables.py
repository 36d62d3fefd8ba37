"""Networks in one op, saved as the variables of the cells that compute the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saveables import SaveableObject, SaveSpec
from headrace.contrib.cudnn_rnn import converters
from headrace.contrib.cudnn_rnn import cudnn_rnn_ops as network
from headrace.kernels.composing.arranging import identity
from headrace.state.updates import assign
from headrace.state.variable_scope import VariableScope

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.core.tensor import Tensor
    from headrace.state.variables import Variable


class CudnnOpaqueParamsSaveable(SaveableObject):
    """The vector of a network's weights, which checkpoints hold as kernels and biases of cells.

    Args:
        opaque_params: the variable.
        num_layers, num_units, input_size, input_mode, direction: as for the network.
        scope: the variable scope, or its name, that the cells' names begin with.
        name: the name it is saved under.
    """

    _converter: type[converters.CudnnParamsFormatConverter]
    _cell: str
    _kernels: tuple[str, ...] = ("",)

    def __init__(
        self,
        opaque_params: Variable,
        num_layers: int,
        num_units: int,
        input_size: int,
        input_mode: str = network.CUDNN_INPUT_LINEAR_MODE,
        direction: str = network.CUDNN_RNN_UNIDIRECTION,
        scope: str | VariableScope | None = None,
        name: str = "cudnn_rnn_saveable",
    ) -> None:
        self._variables = opaque_params
        self.format_converter = self._converter(
            num_layers, num_units, input_size, input_mode=input_mode, direction=direction
        )
        weights, biases = self.format_converter.opaque_to_tf_canonical(opaque_params)
        cells = [f"{prefix}/{self._cell}" for prefix in _prefixes(num_layers, direction)]
        names = [f"{cell}{part}/{kind}" for kind in ("kernel", "bias") for cell in cells for part in self._kernels]
        scope_name = scope.name if isinstance(scope, VariableScope) else scope
        if scope_name:
            names = [f"{scope_name}/{own}" for own in names]
        specs = [SaveSpec(value, "", own) for value, own in zip(weights + biases, names, strict=True)]
        super().__init__(identity(opaque_params), specs, name)

    def restore(self, restored_tensors: Sequence[Tensor], restored_shapes: Sequence[TensorShape] | None) -> Any:
        """Makes one vector of the kernels and biases that were read, and assigns it."""
        opaque = self.format_converter.tf_canonical_to_opaque(list(restored_tensors))
        return assign(self._variables, opaque, validate_shape=False)


def _prefixes(layers: int, direction: str) -> list[str]:
    """The variable scopes of the cells under `dynamic_rnn` or `stack_bidirectional_dynamic_rnn`, layer by layer."""
    if direction == network.CUDNN_RNN_UNIDIRECTION:
        return [f"rnn/multi_rnn_cell/cell_{i}" for i in range(layers)]
    return [f"stack_bidirectional_rnn/cell_{i}/bidirectional_rnn/{way}" for i in range(layers) for way in ("fw", "bw")]


class CudnnLSTMSaveable(CudnnOpaqueParamsSaveable):
    """An LSTM, saved as `CudnnCompatibleLSTMCell`s."""

    _converter = converters.CudnnParamsFormatConverterLSTM
    _cell = "cudnn_compatible_lstm_cell"


class CudnnGRUSaveable(CudnnOpaqueParamsSaveable):
    """Gated recurrent units, saved as `CudnnCompatibleGRUCell`s."""

    _converter = converters.CudnnParamsFormatConverterGRU
    _cell = "cudnn_compatible_gru_cell"
    _kernels = ("/gates", "/candidate/input_projection", "/candidate/hidden_projection")


class CudnnRNNTanhSaveable(CudnnOpaqueParamsSaveable):
    """A simple network, saved as `BasicRNNCell`s."""

    _converter = converters.CudnnParamsFormatConverterTanh
    _cell = "basic_rnn_cell"


class CudnnRNNReluSaveable(CudnnOpaqueParamsSaveable):
    """A simple network with relus, saved as `BasicRNNCell`s."""

    _converter = converters.CudnnParamsFormatConverterRelu
    _cell = "basic_rnn_cell"
