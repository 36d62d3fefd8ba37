"""GRU and LSTM of cuDNN: whole sequences in one op, which computes the same on every device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core import nest
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.keras.layers.recurrent_base import RNN
from headrace.keras.layers.recurrent_cells import take_settings
from headrace.kernels.composing.arranging import concat, transpose
from headrace.kernels.composing.shapes import expand_dims
from headrace.layers import named
from headrace.layers.input_spec import InputSpec
from headrace.ops.array.constant import constant
from headrace.ops.array.reverse import reverse
from headrace.ops.array.shape import reshape
from headrace.state.initializers import Ones

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier


class _CellSizes(NamedTuple):
    """What a cell would say of its state."""

    state_size: Any


class _CuDNNRNN(RNN):
    """The base of both: a recurrent layer without a cell that can be run by itself."""

    units: int
    kernel_initializer: Any
    recurrent_initializer: Any
    bias_initializer: Any

    GATES = 1
    MODE = ""
    SETTINGS = ""

    def __init__(
        self,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        time_major: bool = False,
        **kwargs: Any,
    ) -> None:
        # The same attributes as of other recurrent layers; the cell is a property here.
        super(RNN, self).__init__(**kwargs)
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.time_major = time_major
        self.supports_masking = False
        self.input_spec = [InputSpec(ndim=3)]  # type: ignore[assignment]  # a list: states follow
        self.state_spec = None
        self.constants_spec = None
        self._num_constants = 0

    @property
    def cell(self) -> Any:  # type: ignore[override]  # an attribute of other recurrent layers
        """The sizes of the states."""
        return _CellSizes([self.units, self.units] if self.MODE == "lstm" else self.units)

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, `recurrent_kernel` and `bias`, which has a row for the inputs and one for the states."""
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        with name_scope(None):
            self._vector_shape = constant([-1])
        depth = TensorShape(input_shape).as_list()[-1]
        columns = self.GATES * self.units
        self.kernel = self._weight("kernel", (depth, columns), self.kernel_initializer)
        self.recurrent_kernel = self._weight("recurrent_kernel", (self.units, columns), self.recurrent_initializer)
        self.bias = self._weight("bias", (2 * columns,), self._bias_start())
        super().build(input_shape)

    def _bias_start(self) -> Any:
        return self.bias_initializer

    def _weight(self, name: str, shape: tuple[Any, ...], initializer: Any) -> Any:
        kind = name.removesuffix("_kernel")
        return self.add_weight(
            name,
            shape=shape,
            initializer=initializer,
            regularizer=getattr(self, f"{kind}_regularizer"),
            constraint=getattr(self, f"{kind}_constraint"),
        )

    def call(  # type: ignore[override]  # takes no constants
        self, inputs: Any, mask: Any = None, training: Any = None, initial_state: Any = None
    ) -> Any:
        """Runs over the inputs; `training` changes nothing.

        Raises:
            ValueError: if there is a mask.
        """
        if mask is not None and any(part is not None for part in nest.flatten(mask)):
            raise ValueError("Masking is not supported for CuDNN RNNs.")
        inputs, initial_state, _ = self._process_inputs(inputs, initial_state, None)
        if self.go_backwards:
            inputs = reverse(inputs, [0 if self.time_major else 1])
        if not self.time_major:
            inputs = transpose(inputs, perm=(1, 0, 2))
        states = [expand_dims(state, axis=0) for state in initial_state]
        outputs, h, c, _, _ = raw.CudnnRNNV2(
            inputs,
            states[0],
            states[1] if len(states) > 1 else 0.0,
            self._parameters(),
            is_training=True,
            rnn_mode=self.MODE,
        )
        last_states: list[Any] = []
        if self.stateful or self.return_state:
            last_states = [h[0], c[0]] if len(states) > 1 else [h[0]]
        if not self.return_sequences:
            return self._returned(outputs[-1], None, last_states)
        return self._returned(None, outputs if self.time_major else transpose(outputs, perm=[1, 0, 2]), last_states)

    def _parameters(self) -> Tensor:
        """All weights in one vector: the matrices of the gates, of inputs first, then their biases."""
        order = self._gate_order()
        units, count = self.units, self.GATES
        parts = [
            self._columns(matrix, gate, count) for matrix in (self.kernel, self.recurrent_kernel) for gate in order
        ]
        for row in range(2):
            for gate in order:
                begin = (row * count + gate) * units
                last = row == 1 and gate == count - 1
                parts.append(self.bias[begin:] if last else self.bias[begin : begin + units])
        return concat([reshape(part, self._vector_shape) for part in parts], axis=0)

    def _gate_order(self) -> Sequence[int]:
        """In which order the op has the gates."""
        return range(self.GATES)

    def _columns(self, matrix: Any, gate: int, count: int) -> Tensor:
        begin = gate * self.units
        if gate == count - 1:
            return matrix[:, begin:]
        return matrix[:, begin : begin + self.units] if begin else matrix[:, : self.units]

    def get_losses_for(self, inputs: Any = None) -> list[Any]:
        """The losses that depend on these inputs; for None those that depend on none."""
        return super().get_losses_for(inputs)

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        config = {
            name: getattr(self, name)
            for name in ("return_sequences", "return_state", "go_backwards", "stateful", "time_major")
        }
        for name in self.SETTINGS.split():
            config[name] = named.setting(getattr(self, name))
        return {**super(RNN, self).get_config(), **config}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """The layer that `get_config` describes."""
        return cls(**config)


_COMMON = (
    "kernel_regularizer recurrent_regularizer bias_regularizer activity_regularizer kernel_constraint "
    "recurrent_constraint bias_constraint"
)


class CuDNNGRU(_CuDNNRNN):
    """A `GRU` with the weights of cuDNN; it runs on every device. The reset gate comes after the product of the state.

    Args:
        units: the size of state and output.
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: as in `add_weight`.
        activity_regularizer: a function of the outputs whose value becomes a loss.
        return_sequences, return_state, go_backwards, stateful: as in `RNN`.
    """

    GATES = 3
    MODE = "gru"
    SETTINGS = f"units kernel_initializer recurrent_initializer bias_initializer {_COMMON}"

    def __init__(
        self,
        units: int,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        recurrent_initializer: FunctionIdentifier | None = "orthogonal",
        bias_initializer: FunctionIdentifier | None = "zeros",
        kernel_regularizer: FunctionIdentifier | None = None,
        recurrent_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        recurrent_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        take_settings(
            self,
            units=units,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
        )

    def _gate_order(self) -> Sequence[int]:
        # Keras has the update gate first, the op the reset gate.
        return (1, 0, 2)


class CuDNNLSTM(_CuDNNRNN):
    """An `LSTM` with the weights of cuDNN; it runs on every device.

    Args:
        units: the size of memory and output.
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: as in `add_weight`.
        unit_forget_bias: whether the bias of the forget gate starts at 1.
        activity_regularizer: a function of the outputs whose value becomes a loss.
        return_sequences, return_state, go_backwards, stateful: as in `RNN`.
    """

    GATES = 4
    MODE = "lstm"
    SETTINGS = f"units kernel_initializer recurrent_initializer bias_initializer unit_forget_bias {_COMMON}"

    unit_forget_bias: bool

    def __init__(
        self,
        units: int,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        recurrent_initializer: FunctionIdentifier | None = "orthogonal",
        bias_initializer: FunctionIdentifier | None = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: FunctionIdentifier | None = None,
        recurrent_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        recurrent_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        take_settings(
            self,
            units=units,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            unit_forget_bias=unit_forget_bias,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
        )

    def _bias_start(self) -> Any:
        units, given = self.units, self.bias_initializer
        if not self.unit_forget_bias:
            return given

        def biases(_: Any, *args: Any, **kwargs: Any) -> Tensor:
            first = given((5 * units,), *args, **kwargs)
            return concat([first, Ones()((units,), *args, **kwargs), given((2 * units,), *args, **kwargs)], 0)

        return biases
