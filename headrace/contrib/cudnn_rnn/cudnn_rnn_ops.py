"""Networks in one op as functions and as the objects that 1.x had before the layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.cudnn_rnn.cells import CudnnCompatibleGRUCell, CudnnCompatibleLSTMCell
from headrace.core.dtypes import float32, int32
from headrace.core.random_seed import get_seed
from headrace.core.registry import raw
from headrace.kernels.composing.shapes import shape
from headrace.kernels.nn.cudnn_layout import GATES
from headrace.ops.array.constant import constant
from headrace.ops.array.fill import fill

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.state.variables import Variable


__all__ = ["CudnnCompatibleGRUCell", "CudnnCompatibleLSTMCell"]

CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION = "unidirectional", "bidirectional"
CUDNN_LSTM, CUDNN_GRU, CUDNN_RNN_RELU, CUDNN_RNN_TANH = "lstm", "gru", "rnn_relu", "rnn_tanh"
CUDNN_LSTM_PARAMS_PER_LAYER, CUDNN_GRU_PARAMS_PER_LAYER = 8, 6
CUDNN_RNN_TANH_PARAMS_PER_LAYER = CUDNN_RNN_RELU_PARAMS_PER_LAYER = 2
CUDNN_INPUT_LINEAR_MODE, CUDNN_INPUT_SKIP_MODE = "linear_input", "skip_input"
CUDNN_INPUT_AUTO_MODE = "auto_select"


def _one_of(what: str, value: str, *allowed: str) -> None:
    if value not in allowed:
        raise ValueError(f"Invalid {what}: {value}, expecting one of {', '.join(allowed)}")


def check_direction(direction: str) -> None:
    """Raises ValueError for what is no direction."""
    _one_of("direction", direction, CUDNN_RNN_UNIDIRECTION, CUDNN_RNN_BIDIRECTION)


def check_input_mode(input_mode: str) -> None:
    """Raises ValueError for what is no mode of taking inputs."""
    _one_of("input_mode", input_mode, CUDNN_INPUT_LINEAR_MODE, CUDNN_INPUT_SKIP_MODE, CUDNN_INPUT_AUTO_MODE)


def _settings(rnn_mode: str, input_mode: str, direction: str, dropout: float, seed: int | None) -> dict[str, Any]:
    _one_of("rnn_mode", rnn_mode, *GATES)
    check_direction(direction)
    check_input_mode(input_mode)
    first, second = get_seed(seed)
    return {
        "rnn_mode": rnn_mode,
        "input_mode": input_mode,
        "direction": direction,
        "dropout": dropout,
        "seed": first or 0,
        "seed2": second or 0,
    }


def run_network(
    inputs: TensorLike,
    input_h: TensorLike,
    input_c: TensorLike,
    params: Tensor | Variable,
    is_training: bool,
    rnn_mode: str,
    sequence_lengths: TensorLike | None = None,
    time_major: bool = True,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dropout: float = 0.0,
    seed: int | None = 0,
    num_proj: int | None = None,
    name: str | None = None,
) -> tuple[Any, Any, Any]:
    """Runs a network of several layers.

    Args:
        inputs: [time, batch, depth], or [batch, time, depth] where not `time_major`.
        input_h, input_c: the states to start with, [layers * directions, batch, units] or batch first where not
            `time_major`; `input_c` is that of an LSTM, empty for others.
        params: all weights in one vector.
        is_training: whether it can be differentiated, and drops.
        rnn_mode: "lstm", "gru", "rnn_relu" or "rnn_tanh".
        sequence_lengths: int32 [batch], from 1 up; all sequences are whole by default.
        time_major: whether time is the first axis.
        input_mode: whether the inputs are multiplied: "linear_input", or "skip_input", or "auto_select".
        direction: "unidirectional" or "bidirectional".
        dropout: the share of values dropped between layers.
        seed: the seed of what is dropped.
        num_proj: the size of an LSTM's output when it is projected, or None.
        name: a name for the operation.

    Returns:
        the outputs, and the final states.

    Raises:
        ValueError: for a mode or direction that is none.
    """
    settings = _settings(rnn_mode, input_mode, direction, dropout, seed)
    if sequence_lengths is None and time_major and not num_proj:
        return tuple(raw.CudnnRNN(inputs, input_h, input_c, params, is_training=is_training, name=name, **settings)[:3])
    if sequence_lengths is None:
        steps, batch = (0, 1) if time_major else (1, 0)
        sizes = shape(inputs)
        sequence_lengths = fill([sizes[batch]], sizes[steps])
    made = raw.CudnnRNNV3(
        inputs,
        input_h,
        input_c,
        params,
        sequence_lengths,
        is_training=is_training,
        time_major=time_major,
        num_proj=num_proj or 0,
        name=name,
        **settings,
    )
    return tuple(made[:3])


def cudnn_lstm(
    inputs: TensorLike,
    input_h: TensorLike,
    input_c: TensorLike,
    params: Tensor,
    is_training: bool,
    sequence_lengths: Any = None,
    time_major: bool = True,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dropout: float = 0.0,
    seed: int | None = 0,
    num_proj: int | None = None,
    name: str | None = None,
) -> tuple[Any, Any, Any]:
    """An LSTM; arguments and results as for `run_network`."""
    return run_network(
        inputs, input_h, input_c, params, is_training, CUDNN_LSTM, sequence_lengths, time_major, input_mode, direction,
        dropout, seed, num_proj, name,
    )  # fmt: skip


def _without_memory(
    inputs: TensorLike, input_h: Any, params: Tensor, is_training: bool, rnn_mode: str, **options: Any
) -> tuple[Any, Any]:
    nothing = constant([], dtype=input_h.dtype)
    return run_network(inputs, input_h, nothing, params, is_training, rnn_mode, **options)[:2]


def cudnn_gru(
    inputs: TensorLike,
    input_h: Tensor,
    params: Tensor,
    is_training: bool,
    sequence_lengths: Any = None,
    time_major: bool = True,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dropout: float = 0.0,
    seed: int | None = 0,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Gated recurrent units; arguments as for `run_network`, returns outputs and final state."""
    return _without_memory(
        inputs, input_h, params, is_training, CUDNN_GRU, sequence_lengths=sequence_lengths, time_major=time_major,
        input_mode=input_mode, direction=direction, dropout=dropout, seed=seed, name=name,
    )  # fmt: skip


def cudnn_rnn_relu(
    inputs: TensorLike,
    input_h: Tensor,
    params: Tensor,
    is_training: bool,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dropout: float = 0.0,
    seed: int | None = 0,
    sequence_lengths: Any = None,
    time_major: bool = True,
    name: str | None = None,
) -> tuple[Any, Any]:
    """A simple network with relus; arguments as for `run_network`, returns outputs and final state."""
    return _without_memory(
        inputs, input_h, params, is_training, CUDNN_RNN_RELU, sequence_lengths=sequence_lengths,
        time_major=time_major, input_mode=input_mode, direction=direction, dropout=dropout, seed=seed, name=name,
    )  # fmt: skip


def cudnn_rnn_tanh(
    inputs: TensorLike,
    input_h: Tensor,
    params: Tensor,
    is_training: bool,
    sequence_lengths: Any = None,
    time_major: bool = True,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dropout: float = 0.0,
    seed: int | None = 0,
    name: str | None = None,
) -> tuple[Any, Any]:
    """A simple network with tanh; arguments as for `run_network`, returns outputs and final state."""
    return _without_memory(
        inputs, input_h, params, is_training, CUDNN_RNN_TANH, sequence_lengths=sequence_lengths,
        time_major=time_major, input_mode=input_mode, direction=direction, dropout=dropout, seed=seed, name=name,
    )  # fmt: skip


def _num_params(rnn_mode: str, num_layers: int, direction: str) -> int:
    return 2 * GATES[rnn_mode] * num_layers * (1 if direction == CUDNN_RNN_UNIDIRECTION else 2)


def cudnn_rnn_opaque_params_to_canonical(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    params: TensorLike,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dropout: float = 0,
    seed: int | None = 0,
    num_proj: int | None = None,
    name: str | None = None,
) -> tuple[list[Any], list[Any]]:
    """The matrices and biases of the gates in a vector of all weights; arguments as for `run_network`."""
    settings = _settings(rnn_mode, input_mode, direction, dropout, seed)
    count = _num_params(rnn_mode, num_layers, direction)
    sizes = (num_layers, num_units, input_size)
    if not num_proj:
        weights, biases = raw.CudnnRNNParamsToCanonical(*sizes, params, num_params=count, name=name, **settings)
        return list(weights), list(biases)
    directions = 1 if direction == CUDNN_RNN_UNIDIRECTION else 2
    weights, biases = raw.CudnnRNNParamsToCanonicalV2(
        *sizes,
        params,
        num_params_weights=count + num_layers * directions,
        num_params_biases=count,
        num_proj=num_proj,
        name=name,
        **settings,
    )
    return list(weights), list(biases)


def cudnn_rnn_canonical_to_opaque_params(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    weights: Sequence[TensorLike],
    biases: Sequence[TensorLike],
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dropout: float = 0,
    seed: int | None = 0,
    num_proj: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The vector of all weights from the gates' matrices and biases; arguments as for `run_network`."""
    settings = _settings(rnn_mode, input_mode, direction, dropout, seed)
    given = (num_layers, num_units, input_size, weights, biases)
    if num_proj:
        return raw.CudnnRNNCanonicalToParamsV2(*given, num_proj=num_proj, name=name, **settings)
    return raw.CudnnRNNCanonicalToParams(*given, name=name, **settings)


def cudnn_rnn_opaque_params_size(
    rnn_mode: str,
    num_layers: int,
    num_units: int,
    input_size: int,
    input_mode: str = CUDNN_INPUT_LINEAR_MODE,
    direction: str = CUDNN_RNN_UNIDIRECTION,
    dtype: DTypeLike = float32,
    dropout: float = 0,
    seed: int | None = 0,
    num_proj: int | None = None,
    name: str | None = None,
) -> Tensor:
    """How many numbers the vector of all weights holds, an int32 scalar; arguments as for `run_network`."""
    settings = _settings(rnn_mode, input_mode, direction, dropout, seed)
    sizes = (num_layers, num_units, input_size)
    return raw.CudnnRNNParamsSize(*sizes, T=dtype, S=int32, num_proj=num_proj or 0, name=name, **settings)[0]


class _CudnnRNN:
    """A network whose weights are the caller's: sizes and settings, as for `run_network`."""

    _rnn_mode: str

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_size: int,
        input_mode: str = CUDNN_INPUT_LINEAR_MODE,
        direction: str = CUDNN_RNN_UNIDIRECTION,
        dtype: DType = float32,
        dropout: float = 0.0,
        seed: int | None = 0,
        num_proj: int | None = None,
    ) -> None:
        check_direction(direction)
        check_input_mode(input_mode)
        self.num_layers, self.num_units, self.input_size = num_layers, num_units, input_size
        self.input_mode, self.direction, self.num_proj = input_mode, direction, num_proj
        self._dtype, self._dropout, self._seed = dtype, dropout, seed

    @property
    def rnn_mode(self) -> str:
        """The kind of network."""
        return self._rnn_mode

    @property
    def _options(self) -> dict[str, Any]:
        return {
            "input_mode": self.input_mode,
            "direction": self.direction,
            "dropout": self._dropout,
            "seed": self._seed,
        }

    @property
    def _sizes(self) -> tuple[str, int, int, int]:
        return (self._rnn_mode, self.num_layers, self.num_units, self.input_size)

    def params_size(self) -> Tensor:
        """How many numbers the vector of all weights holds."""
        return cudnn_rnn_opaque_params_size(*self._sizes, dtype=self._dtype, num_proj=self.num_proj, **self._options)

    def params_to_canonical(self, params: Tensor) -> tuple[list[Any], list[Any]]:
        """The gates' matrices and biases."""
        return cudnn_rnn_opaque_params_to_canonical(*self._sizes, params, num_proj=self.num_proj, **self._options)

    def canonical_to_params(self, weights: Sequence[Tensor], biases: Sequence[Tensor]) -> Tensor:
        """The vector of all weights."""
        return cudnn_rnn_canonical_to_opaque_params(
            *self._sizes, weights, biases, num_proj=self.num_proj, **self._options
        )


class CudnnLSTM(_CudnnRNN):
    """An LSTM whose weights are the caller's."""

    _rnn_mode = CUDNN_LSTM

    def __call__(
        self,
        input_data: Any,
        input_h: Any,
        input_c: TensorLike,
        params: Tensor,
        sequence_lengths: Any = None,
        time_major: bool = True,
        is_training: bool = True,
    ) -> tuple[Any, Any, Any]:
        """Outputs and final states; see `run_network`."""
        return run_network(
            input_data,
            input_h,
            input_c,
            params,
            is_training,
            self._rnn_mode,
            sequence_lengths,
            time_major,
            num_proj=self.num_proj,
            **self._options,
        )


class _WithoutMemory(_CudnnRNN):
    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_size: int,
        input_mode: str = CUDNN_INPUT_LINEAR_MODE,
        direction: str = CUDNN_RNN_UNIDIRECTION,
        dtype: DType = float32,
        dropout: float = 0.0,
        seed: int | None = 0,
    ) -> None:
        super().__init__(num_layers, num_units, input_size, input_mode, direction, dtype, dropout, seed)

    def __call__(
        self,
        input_data: Any,
        input_h: Any,
        params: Tensor,
        sequence_lengths: Any = None,
        time_major: bool = True,
        is_training: bool = True,
    ) -> tuple[Any, Any]:
        """Outputs and final state; see `run_network`."""
        return _without_memory(
            input_data,
            input_h,
            params,
            is_training,
            self._rnn_mode,
            sequence_lengths=sequence_lengths,
            time_major=time_major,
            **self._options,
        )


class CudnnGRU(_WithoutMemory):
    """Gated recurrent units whose weights are the caller's."""

    _rnn_mode = CUDNN_GRU


class CudnnRNNTanh(_WithoutMemory):
    """A simple network with tanh whose weights are the caller's."""

    _rnn_mode = CUDNN_RNN_TANH


class CudnnRNNRelu(_WithoutMemory):
    """A simple network with relus whose weights are the caller's."""

    _rnn_mode = CUDNN_RNN_RELU
