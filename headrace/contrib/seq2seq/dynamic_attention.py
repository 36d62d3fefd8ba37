"""The attending cell of TensorFlow 1.1, which `AttentionWrapper` took the place of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.seq2seq.attention import BaseAttentionMechanism
from headrace.contrib.seq2seq.attention_wrapper import compute_attention
from headrace.core.defaults import name_scope
from headrace.kernels.composing.arranging import concat
from headrace.layers.classic.core import Dense
from headrace.recurrent.cell import RNNCell, assert_like_rnn_cell
from headrace.recurrent.sizes import zero_state_tensors

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike


class DynamicAttentionWrapperState(NamedTuple):
    """The state of a `DynamicAttentionWrapper`.

    Args:
        cell_state: the state of the cell inside.
        attention: the attention of the last step.
    """

    cell_state: Any
    attention: Any


class DynamicAttentionWrapper(RNNCell):
    """A cell that attends to a memory in every step, with a state of two parts only.

    It takes the mechanisms of `AttentionWrapper`; they mask what is past the sequences' ends, and their layers have no
    biases, other than in 1.1.

    Args:
        cell: the cell inside.
        attention_mechanism: a `LuongAttention` or `BahdanauAttention`.
        attention_size: the depth of the layer that makes the attention of the cell's output and the context.
        cell_input_fn: takes the inputs and the attention, returns the cell's inputs; joins them by default.
        probability_fn: turns scores into alignments; as the mechanism does by default.
        output_attention: whether the output is the attention (Luong) or the cell's output (Bahdanau).
        name: the name of its scope.

    Raises:
        TypeError: if an argument is not what it is to be.

    Example:
        >>> attention = tf.contrib.seq2seq.LuongAttention(4, tf.ones([2, 6, 3]))
        >>> cell = tf.contrib.seq2seq.DynamicAttentionWrapper(tf.nn.rnn_cell.GRUCell(4), attention, 4)
        >>> output, state = cell(tf.ones([2, 5]), cell.zero_state(2, tf.float32))
    """

    def __init__(
        self,
        cell: RNNCell,
        attention_mechanism: BaseAttentionMechanism,
        attention_size: int,
        cell_input_fn: Callable[[Any, Any], Any] | None = None,
        probability_fn: Callable[[Any], Any] | None = None,
        output_attention: bool = True,
        name: str | None = None,
    ) -> None:
        super().__init__(name=name)
        assert_like_rnn_cell("cell", cell)
        if not isinstance(attention_mechanism, BaseAttentionMechanism):
            raise TypeError(
                "DynamicAttentionWrapper: `attention_mechanism` must be a LuongAttention or BahdanauAttention, got "
                f"{type(attention_mechanism).__name__}."
            )
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError(f"DynamicAttentionWrapper: `cell_input_fn` must be callable, got {cell_input_fn!r}.")
        if probability_fn is not None:
            if not callable(probability_fn):
                raise TypeError(f"DynamicAttentionWrapper: `probability_fn` must be callable, got {probability_fn!r}.")
            attention_mechanism = attention_mechanism.by(probability_fn)
        self._cell = cell
        self._attention_mechanism = attention_mechanism
        self._attention_size = attention_size
        self._attention_layer = Dense(attention_size, bias_initializer=None)  # type: ignore[arg-type]  # the scope's, as in 1.1
        self._cell_input_fn = cell_input_fn or (lambda inputs, attention: concat([inputs, attention], -1))
        self._output_attention = output_attention

    @property
    def output_size(self) -> Any:
        """The depth of the attention, or of the cell's output."""
        return self._attention_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> DynamicAttentionWrapperState:
        """The sizes of the state's parts."""
        return DynamicAttentionWrapperState(self._cell.state_size, self._attention_size)

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> DynamicAttentionWrapperState:
        """The state before the first step.

        Args:
            batch_size: an int or int32 scalar, that of the memory.
            dtype: the element type.
        """
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            attention = zero_state_tensors(self._attention_size, batch_size, dtype)
            return DynamicAttentionWrapperState(self._cell.zero_state(batch_size, dtype), attention)

    def call(self, inputs: Tensor, state: Any) -> tuple[Tensor, DynamicAttentionWrapperState]:
        """One step: the cell on the inputs and the last attention, then the attention of its output."""
        cell_inputs = self._cell_input_fn(inputs, state.attention)
        output, cell_state = self._cell(cell_inputs, state.cell_state)
        attention, _, _ = compute_attention(self._attention_mechanism, output, state.attention, self._attention_layer)
        return attention if self._output_attention else output, DynamicAttentionWrapperState(cell_state, attention)
