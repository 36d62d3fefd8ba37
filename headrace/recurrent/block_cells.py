"""Cells whose step, or whole sequence, is one op: LSTMBlockCell, LSTMBlockFusedCell, GRUBlockCell."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import int64
from headrace.core.registry import raw
from headrace.functions.array.gather import gather_nd
from headrace.functions.array.where import sequence_mask
from headrace.functions.math.reduction import reduce_max
from headrace.kernels.composing.arithmetic import range as integers
from headrace.kernels.composing.arranging import concat, stack, transpose
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.layers.base import Layer
from headrace.layers.input_spec import InputSpec
from headrace.ops.array.join import unstack
from headrace.ops.array.tile import tile
from headrace.ops.math.cast import cast
from headrace.recurrent.cell_arguments import depth_of
from headrace.recurrent.gated import SizedLayerCell
from headrace.recurrent.lstm_cells import LSTMStateTuple
from headrace.state.initializers import constant_initializer
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


class _LSTMVariables:
    """The variables of an LSTM in one op."""

    _kernel: Any
    _bias: Any


def _make_lstm_variables(layer: Any, depth: int, units: int, peephole: bool) -> None:
    layer._kernel = layer.add_variable("kernel", [depth + units, 4 * units])
    layer._bias = layer.add_variable("bias", [4 * units], initializer=constant_initializer(0.0))
    if peephole:
        layer._w_i_diag, layer._w_f_diag, layer._w_o_diag = (
            layer.add_variable(name, [units]) for name in ("w_i_diag", "w_f_diag", "w_o_diag")
        )
    layer.built = True


def _peepholes(layer: Any, units: int, peephole: bool, dtype: Any) -> tuple[Any, Any, Any]:
    """The weights of the peepholes; zeros for a layer without."""
    if peephole:
        return layer._w_i_diag, layer._w_f_diag, layer._w_o_diag
    nothing = zeros([units], dtype=dtype)
    return nothing, nothing, nothing


class LSTMBlockCell(_LSTMVariables, SizedLayerCell):
    """An LSTM (Zaremba et al., arXiv:1409.2329) whose step is one op: faster than `LSTMCell`, with the same variables.

    Args:
        num_units: the size of memory and output.
        forget_bias: added to the forget gate.
        cell_clip: the bound that the memory is clipped to, or None.
        use_peephole: whether the gates see the memory.
        dtype: the type of its variables; that of the first input by default.
        reuse: whether to share variables that are there.
        name: the name of its scope.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        dtype: DTypeLike | None = None,
        reuse: bool | None = None,
        name: str = "lstm_cell",
    ) -> None:
        super().__init__(_reuse=reuse, dtype=dtype, name=name)
        self._has_memory(num_units)
        self._forget_bias, self._use_peephole = forget_bias, use_peephole
        self._cell_clip = -1 if cell_clip is None else cell_clip
        self.input_spec = InputSpec(ndim=2)

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel`, `bias` and the weights of the peepholes."""
        _make_lstm_variables(self, depth_of(inputs_shape), self._num_units, self._use_peephole)

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> Any:
        """One step."""
        if len(state) != 2:
            raise ValueError("Expecting state to be a tuple with length 2.")
        wci, wcf, wco = _peepholes(self, self._num_units, self._use_peephole, self.dtype)
        c, h = state
        _, new_c, _, _, _, _, new_h = raw.LSTMBlockCell(
            inputs,
            c,
            h,
            self._kernel,
            wci,
            wcf,
            wco,
            self._bias,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return new_h, LSTMStateTuple(new_c, new_h)


class LSTMBlockWrapper(Layer, metaclass=abc.ABCMeta):
    """The base of LSTMs that run over whole sequences: reads the arguments, masks what lies past the ends.

    Subclasses have `num_units` and `_call_cell`.
    """

    @property
    @abc.abstractmethod
    def num_units(self) -> int:
        """The size of memory and output."""

    @abc.abstractmethod
    def _call_cell(
        self,
        inputs: TensorLike,
        initial_cell_state: TensorLike,
        initial_output: TensorLike,
        dtype: DTypeLike,
        sequence_length: Tensor | None,
    ) -> tuple[Any, Any]:
        """The memories and the outputs of all steps."""

    def call(
        self,
        inputs: Any,
        initial_state: Sequence[Tensor] | None = None,
        dtype: DType | None = None,
        sequence_length: Tensor | Sequence[int] | None = None,
    ) -> tuple[Any, Any]:
        """Runs over a sequence.

        Args:
            inputs: [time, batch, depth], or a list of `time` matrices [batch, depth].
            initial_state: the pair of memory and output to start with; zeros by default.
            dtype: the element type, needed without an initial state.
            sequence_length: int [batch], the sequences' lengths; all are whole by default.

        Returns:
            the outputs, in the layout of the inputs, and the final `LSTMStateTuple`.
        """
        is_list = isinstance(inputs, list)
        if is_list:
            inputs = stack(inputs)
        time, batch, depth = inputs.get_shape().with_rank(3).as_list()
        if not depth:
            raise ValueError(f"Expecting inputs_shape[2] to be set: {inputs.get_shape()}")
        batch = shape(inputs)[1] if batch is None else batch
        time = shape(inputs)[0] if time is None else time
        if initial_state is None:
            if dtype is None:
                raise ValueError("Either initial_state or dtype needs to be specified")
            nothing = zeros(stack([batch, self.num_units]), dtype=dtype)
            initial_state = (nothing, nothing)
        elif len(initial_state) != 2:
            raise ValueError("Expecting initial_state to be a tuple with length 2 or None")
        elif dtype is None:
            dtype = initial_state[0].dtype
        if sequence_length is not None:
            sequence_length = convert_to_tensor(sequence_length)
        first_c, first_h = initial_state
        memories, outputs = self._call_cell(inputs, first_c, first_h, dtype, sequence_length)
        if sequence_length is None:
            final_c, final_h = memories[-1], outputs[-1]
        else:
            mask = transpose(sequence_mask(sequence_length, time, dtype=dtype), [1, 0])
            outputs *= tile(expand_dims(mask, [-1]), [1, 1, self.num_units])
            steps = [
                concat([expand_dims(first, [0]), later], 0)
                for first, later in ((first_c, memories), (first_h, outputs))
            ]
            final_c, final_h = (gather_nd(each, stack([sequence_length, integers(batch)], axis=1)) for each in steps)
        return (unstack(outputs) if is_list else outputs), LSTMStateTuple(final_c, final_h)


class LSTMBlockFusedCell(_LSTMVariables, LSTMBlockWrapper):
    """An LSTM over a whole sequence in one op: the fastest there is, with the variables of `LSTMCell`.

    Args:
        num_units: the size of memory and output.
        forget_bias: added to the forget gate.
        cell_clip: the bound that the memory is clipped to, or None.
        use_peephole: whether the gates see the memory.
        reuse: whether to share variables that are there.
        dtype: the type of its variables; that of the first input by default.
        name: the name of its scope.

    Example:
        >>> time_major_inputs = tf.transpose(inputs, [1, 0, 2])
        >>> outputs, state = tf.contrib.rnn.LSTMBlockFusedCell(128)(time_major_inputs, dtype=tf.float32)
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        cell_clip: float | None = None,
        use_peephole: bool = False,
        reuse: bool | None = None,
        dtype: DType | None = None,
        name: str = "lstm_fused_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self._num_units, self._forget_bias, self._use_peephole = num_units, forget_bias, use_peephole
        self._cell_clip = -1 if cell_clip is None else cell_clip
        self.input_spec = InputSpec(ndim=3)

    @property
    def num_units(self) -> int:
        """The size of memory and output."""
        return self._num_units

    def build(self, input_shape: ShapeLike) -> None:
        """Makes `kernel`, `bias` and the weights of the peepholes."""
        _make_lstm_variables(self, depth_of(input_shape), self._num_units, self._use_peephole)

    def _call_cell(
        self,
        inputs: Any,
        initial_cell_state: Any = None,
        initial_output: Any = None,
        dtype: Any = None,
        sequence_length: Any = None,
    ) -> tuple[Any, Any]:
        time = inputs.get_shape().as_list()[0]
        time = shape(inputs)[0] if time is None else time
        wci, wcf, wco = _peepholes(self, self._num_units, self._use_peephole, dtype)
        longest = time if sequence_length is None else reduce_max(sequence_length)
        _, memories, _, _, _, _, outputs = raw.BlockLSTM(
            cast(longest, int64),
            inputs,
            initial_cell_state,
            initial_output,
            self._kernel,
            wci,
            wcf,
            wco,
            self._bias,
            forget_bias=self._forget_bias,
            cell_clip=self._cell_clip,
            use_peephole=self._use_peephole,
        )
        return memories, outputs


class GRUBlockCell(SizedLayerCell):
    """A gated recurrent unit (Cho et al., arXiv:1406.1078) whose step is one op.

    Args:
        num_units: the size of state and output.
        cell_size: the older name of `num_units`.
        reuse: whether to share variables that are there.
        name: the name of its scope.

    Raises:
        ValueError: unless exactly one of the sizes is given.
    """

    _names = ("w_ru", "b_ru", "w_c", "b_c")

    def __init__(
        self,
        num_units: int | None = None,
        cell_size: int | None = None,
        reuse: bool | None = None,
        name: str = "gru_cell",
    ) -> None:
        super().__init__(_reuse=reuse, name=name)
        if (cell_size is None) == (num_units is None):
            raise ValueError("Exactly one of num_units or cell_size must be provided.")
        if cell_size is not None:
            tf_logging.warn("GRUBlockCell: cell_size is deprecated, use num_units instead.")
        units = cell_size if num_units is None else num_units
        assert units is not None
        self._has_units(units)
        self.input_spec = InputSpec(ndim=2)

    def build(self, input_shape: Any) -> None:
        """Makes the variables of the gates and of the candidate."""
        units, rows = self._num_units, depth_of(input_shape) + self._num_units
        gate_kernel, gate_bias, kernel, bias = self._names
        self._gate_kernel = self.add_variable(gate_kernel, [rows, 2 * units])
        self._gate_bias = self.add_variable(gate_bias, [2 * units], initializer=constant_initializer(1.0))
        self._candidate_kernel = self.add_variable(kernel, [rows, units])
        self._candidate_bias = self.add_variable(bias, [units], initializer=constant_initializer(0.0))
        self.built = True

    def call(self, inputs: TensorLike, h_prev: Tensor) -> Any:
        """One step."""
        units = h_prev.get_shape().with_rank(2).as_list()[1]
        if units != self._num_units:
            raise ValueError(f"Shape of h_prev[1] incorrect: cell_size {self._num_units} vs {units}")
        new = raw.GRUBlockCell(
            inputs, h_prev, self._gate_kernel, self._candidate_kernel, self._gate_bias, self._candidate_bias
        )[3]
        return new, new


class GRUBlockCellV2(GRUBlockCell):
    """`GRUBlockCell` with the variables' names of `GRUCell`."""

    _names = ("gates/kernel", "gates/bias", "candidate/kernel", "candidate/bias")
