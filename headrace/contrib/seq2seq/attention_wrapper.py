"""A cell around a cell that attends to a memory in every step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.framework.tensor_util import with_same_shape
from headrace.contrib.seq2seq.attention import AttentionMechanism
from headrace.contrib.seq2seq.attention import BaseAttentionMechanism as _BaseAttentionMechanism  # noqa: F401
from headrace.contrib.seq2seq.attention import bahdanau_score as _bahdanau_score  # noqa: F401
from headrace.contrib.seq2seq.attention import luong_score as _luong_score  # noqa: F401
from headrace.contrib.seq2seq.attention import mask_score as _maybe_mask_score  # noqa: F401
from headrace.contrib.seq2seq.attention import prepare_memory as _prepare_memory  # noqa: F401
from headrace.contrib.seq2seq.monotonic import BaseMonotonicAttentionMechanism as _BaseMonotonicAttentionMechanism  # noqa: F401
from headrace.contrib.seq2seq.monotonic import monotonic_probability_fn as _monotonic_probability_fn  # noqa: F401
from headrace.core import nest
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import int32
from headrace.core.eager import executing_eagerly
from headrace.core.shapes import TensorShape, dimension_value
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_equal
from headrace.functions.flow.tensor_array import TensorArray
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat, identity
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.layers.classic.core import Dense
from headrace.layers.engine import Layer
from headrace.recurrent.cell import RNNCell, assert_like_rnn_cell
from headrace.recurrent.sizes import zero_state_tensors

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.recurrent.lstm_cells import LSTMStateTuple


class AttentionWrapperState(NamedTuple):
    """The state of an `AttentionWrapper`.

    Args:
        cell_state: the state of the cell inside.
        attention: the attention of the last step.
        time: int32 scalar: the number of steps made.
        alignments: the alignments of the last step; a tuple of them for several mechanisms.
        alignment_history: TensorArrays of all alignments; () where they are not kept.
        attention_state: the states of the mechanisms.
    """

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """This state with some parts replaced by others of the same shapes.

        Raises:
            ValueError: if a shape is another.

        Example:
            >>> attention = tf.contrib.seq2seq.LuongAttention(16, inputs)
            >>> cell = tf.contrib.seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(16), attention)
            >>> encoder_state = tf.ones([2, 16])
            >>> state = cell.zero_state(2, tf.float32).clone(cell_state=encoder_state)
        """

        def checked(old: Tensor | TensorArray, new: Tensor | TensorArray) -> Tensor | TensorArray:
            if not isinstance(old, Tensor) or not isinstance(new, Tensor):
                return new
            if not executing_eagerly():
                return with_same_shape(old, new)
            if not old.shape.is_compatible_with(new.shape):
                raise ValueError(
                    "The shape of the AttentionWrapperState is expected to be same as the one to clone. "
                    f"self.shape: {old.shape}, input.shape: {new.shape}"
                )
            return new

        return nest.map_structure(checked, self, self._replace(**kwargs))


def compute_attention(
    mechanism: Any, cell_output: Tensor, attention_state: Tensor, attention_layer: Dense | None
) -> tuple[Tensor, Tensor, Tensor]:
    """What a cell's output attends to.

    Args:
        mechanism: an attention mechanism.
        cell_output: [batch, depth].
        attention_state: the mechanism's state.
        attention_layer: a layer applied to the output and what it attends to together, or None.

    Returns:
        the attention, the alignments and the next state of the mechanism.
    """
    if isinstance(mechanism, Layer):
        alignments, next_state = mechanism([cell_output, attention_state])
    else:
        alignments, next_state = mechanism(cell_output, state=attention_state)
    seen = squeeze(matmul(expand_dims(alignments, 1), mechanism.values), [1])
    attention = seen if attention_layer is None else attention_layer(concat([cell_output, seen], 1))
    return attention, alignments, next_state


_compute_attention = compute_attention

_TILE = "tf.contrib.seq2seq.tile_batch"
_IN_CONSTRUCTION = (
    "Non-matching batch sizes between the memory (encoder output) and initial_cell_state.  Are you using the "
    f"BeamSearchDecoder?  You may need to tile your initial state via the {_TILE} function with argument "
    "multiple=beam_width."
)
_IN_ZERO_STATE = (
    "Non-matching batch sizes between the memory (encoder output) and the requested batch size.  Are you using the "
    f"BeamSearchDecoder?  If so, make sure your encoder output has been tiled to beam_width via {_TILE}, and the "
    "batch_size= argument passed to zero_state is batch_size * beam_width."
)
_IN_CALL = (
    "Non-matching batch sizes between the memory (encoder output) and the query (decoder output).  Are you using the "
    f"BeamSearchDecoder?  You may need to tile your memory input via the {_TILE} function with argument "
    "multiple=beam_width."
)


class AttentionWrapper(RNNCell):
    """A cell that attends to a memory, and is fed what it attended to in the step before (arXiv:1508.04025).

    Args:
        cell: the cell inside.
        attention_mechanism: a mechanism, or a list of them.
        attention_layer_size: the depth of a layer that makes the attention of the cell's output and the context
            together; a list for several mechanisms. The attention is the context where there is no layer.
        alignment_history: whether the alignments of all steps are kept in the state.
        cell_input_fn: takes the inputs and the attention, returns the cell's inputs; joins them by default.
        output_attention: whether the output is the attention (Luong) or the cell's output (Bahdanau).
        initial_cell_state: the cell's state in `zero_state`; that of the cell by default.
        name: the name of its scope.
        attention_layer: a layer, or a list of them, in place of `attention_layer_size`.
        attention_fn: what computes the attention; `compute_attention` by default.
        dtype: the type of its variables.

    Raises:
        TypeError: if an argument is not what it is to be.
        ValueError: if there are not as many layers as mechanisms, or layers and sizes are both given.

    Example:
        >>> cell, attention = tf.nn.rnn_cell.GRUCell(128), tf.contrib.seq2seq.LuongAttention(128, inputs)
        >>> cell = tf.contrib.seq2seq.AttentionWrapper(cell, attention, attention_layer_size=128)
        >>> encoder_state = tf.ones([2, 128])
        >>> state = cell.zero_state(2, tf.float32).clone(cell_state=encoder_state)
    """

    def __init__(
        self,
        cell: RNNCell,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Callable[[Any, Any], Any] | None = None,
        output_attention: bool = True,
        initial_cell_state: LSTMStateTuple | Sequence[Tensor] | None = None,
        name: str | None = None,
        attention_layer: Any = None,
        attention_fn: Callable[..., Any] | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        assert_like_rnn_cell("cell", cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = attention_mechanism if self._is_multi else (attention_mechanism,)
        for mechanism in mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                requirement = (
                    "contain only instances of AttentionMechanism"
                    if self._is_multi
                    else "be an AttentionMechanism or list of multiple AttentionMechanism instances"
                )
                raise TypeError(f"attention_mechanism must {requirement}, saw type: {type(mechanism).__name__}")
        if cell_input_fn is None:
            cell_input_fn = _joined
        elif not callable(cell_input_fn):
            raise TypeError(f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}")
        if attention_layer_size is not None and attention_layer is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        self._attention_layers: tuple[Any, ...] | None = None
        if attention_layer_size is not None:
            sizes = _one_each(attention_layer_size, mechanisms, "attention_layer_size", "integer")
            self._attention_layers = tuple(
                Dense(size, name="attention_layer", use_bias=False, dtype=mechanism.dtype)
                for size, mechanism in zip(sizes, mechanisms, strict=True)
            )
            self._attention_layer_size = sum(sizes)
        elif attention_layer is not None:
            self._attention_layers = _one_each(attention_layer, mechanisms, "attention_layer", "layer")
            self._attention_layer_size = sum(
                dimension_value(layer.compute_output_shape([None, cell.output_size + _depth(mechanism)])[-1])
                for layer, mechanism in zip(self._attention_layers, mechanisms, strict=True)
            )
        else:
            self._attention_layer_size = sum(_depth(mechanism) for mechanism in mechanisms)
        self._attention_fn = compute_attention if attention_fn is None else attention_fn
        self._cell = cell
        self._attention_mechanisms = mechanisms
        self._cell_input_fn = cell_input_fn
        self._output_attention = output_attention
        self._alignment_history = alignment_history
        with name_scope(name, "AttentionWrapperInit"):
            self._initial_cell_state = None
            if initial_cell_state is not None:
                last = nest.flatten(initial_cell_state)[-1]
                batch = dimension_value(last.shape[0]) or shape(last)[0]
                error = f"When constructing AttentionWrapper {self._base_name}: {_IN_CONSTRUCTION}"
                self._initial_cell_state = self._checked(initial_cell_state, batch, error, "check_initial_cell_state")

    def _batch_size_checks(self, batch_size: int | Tensor, error_message: str) -> list[Any]:
        return [
            assert_equal(batch_size, mechanism.batch_size, message=error_message)
            for mechanism in self._attention_mechanisms
        ]

    def _checked(
        self, values: Tensor | LSTMStateTuple | Sequence[Tensor], batch_size: int | Tensor, error: str, name: str
    ) -> Any:
        with control_dependencies(self._batch_size_checks(batch_size, error)):
            return nest.map_structure(lambda value: identity(value, name=name), values)

    def _item_or_tuple(self, values: Iterable[Any]) -> Any:
        items = tuple(values)
        return items if self._is_multi else items[0]

    @property
    def output_size(self) -> Any:
        """The depth of the attention, or of the cell's output."""
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        """The sizes of the state's parts."""
        mechanisms = self._attention_mechanisms
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._item_or_tuple(mechanism.alignments_size for mechanism in mechanisms),
            attention_state=self._item_or_tuple(mechanism.state_size for mechanism in mechanisms),
            alignment_history=self._item_or_tuple(
                mechanism.alignments_size if self._alignment_history else () for mechanism in mechanisms
            ),
        )

    def zero_state(self, batch_size: Any, dtype: DTypeLike) -> AttentionWrapperState:
        """The state before the first step.

        Args:
            batch_size: an int or int32 scalar, which has to be that of the memory.
            dtype: the element type.
        """
        mechanisms = self._attention_mechanisms
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            if self._initial_cell_state is not None:
                cell_state = self._initial_cell_state
            else:
                cell_state = self._cell.get_initial_state(batch_size=batch_size, dtype=dtype)
            error = f"When calling zero_state of AttentionWrapper {self._base_name}: {_IN_ZERO_STATE}"
            cell_state = self._checked(cell_state, batch_size, error, "checked_cell_state")
            alignments = [mechanism.initial_alignments(batch_size, dtype) for mechanism in mechanisms]
            return AttentionWrapperState(
                cell_state=cell_state,
                time=zeros([], dtype=int32),
                attention=zero_state_tensors(self._attention_layer_size, batch_size, dtype),
                alignments=self._item_or_tuple(alignments),
                attention_state=self._item_or_tuple(
                    mechanism.initial_state(batch_size, dtype) for mechanism in mechanisms
                ),
                alignment_history=self._item_or_tuple(
                    TensorArray(dtype, size=0, dynamic_size=True, element_shape=item.shape)
                    if self._alignment_history
                    else ()
                    for item in alignments
                ),
            )

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> Any:
        """One step: the cell on the inputs and the last attention, then the attention of its output."""
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                f"Expected state to be instance of AttentionWrapperState. Received type {type(state)} instead."
            )
        output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        batch = dimension_value(output.shape[0]) or shape(output)[0]
        error = f"When applying AttentionWrapper {self.name}: {_IN_CALL}"
        output = self._checked(output, batch, error, "checked_cell_output")
        states = state.attention_state if self._is_multi else (state.attention_state,)
        histories = state.alignment_history if self._is_multi else (state.alignment_history,)
        attentions, alignments, next_states, next_histories = [], [], [], []
        for i, mechanism in enumerate(self._attention_mechanisms):
            layer = None if self._attention_layers is None else self._attention_layers[i]
            attention, aligned, next_state = self._attention_fn(mechanism, output, states[i], layer)
            attentions.append(attention)
            alignments.append(aligned)
            next_states.append(next_state)
            next_histories.append(histories[i].write(state.time, aligned) if self._alignment_history else ())
        attention = concat(attentions, 1)
        following = AttentionWrapperState(
            time=state.time + 1,
            cell_state=cell_state,
            attention=attention,
            attention_state=self._item_or_tuple(next_states),
            alignments=self._item_or_tuple(alignments),
            alignment_history=self._item_or_tuple(next_histories),
        )
        return attention if self._output_attention else output, following


def _joined(inputs: TensorLike, attention: Tensor) -> Tensor:
    return concat([inputs, attention], -1)


def _depth(mechanism: Any) -> Any:
    return dimension_value(mechanism.values.shape[-1])


def _one_each(given: int | Dense | Sequence[int], mechanisms: Any, name: str, kind: str) -> tuple[Any, ...]:
    items = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    if len(items) != len(mechanisms):
        raise ValueError(
            f"If provided, {name} must contain exactly one {kind} per attention_mechanism, saw: "
            f"{len(items)} vs {len(mechanisms)}"
        )
    return items
