"""The decoder that samples from a cell's outputs, and what decoders that hold a cell share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.seq2seq.decoder import Decoder
from headrace.contrib.seq2seq.helper import Helper
from headrace.core import nest
from headrace.core.defaults import name_scope
from headrace.core.shapes import TensorShape
from headrace.layers.engine import Layer
from headrace.recurrent.cell import assert_like_rnn_cell

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.layers.classic.core import Dense
    from headrace.recurrent.cell import RNNCell


class BasicDecoderOutput(NamedTuple):
    """The outputs of a step of `BasicDecoder`."""

    rnn_output: Any
    sample_id: Any


def check_output_layer(layer: int | Dense | None) -> None:
    """Raises TypeError unless `layer` is None or a layer."""
    if layer is not None and not isinstance(layer, Layer):
        raise TypeError(f"output_layer must be a Layer, received: {type(layer)}")


def output_size_of(cell: RNNCell, layer: Any) -> Any:
    """The size of a cell's outputs after an output layer, where there is one."""
    size = cell.output_size
    if layer is None:
        return size
    shapes = nest.map_structure(lambda part: TensorShape([None]).concatenate(part), size)
    return nest.map_structure(lambda part: part[1:], layer.compute_output_shape(shapes))


class BasicDecoder(Decoder):
    """Runs a cell whose inputs a helper reads or samples.

    Args:
        cell: an `RNNCell`.
        helper: a `Helper`.
        initial_state: the cell's first state.
        output_layer: a layer applied to the cell's outputs, such as `tf.layers.Dense`.

    Raises:
        TypeError: if an argument is not what it is to be.

    Example:
        >>> cell = tf.nn.rnn_cell.GRUCell(16)
        >>> helper = tf.contrib.seq2seq.TrainingHelper(inputs, sequence_length=[5, 3])
        >>> decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32), tf.layers.Dense(7))
    """

    def __init__(self, cell: RNNCell, helper: Helper, initial_state: object, output_layer: Any = None) -> None:
        assert_like_rnn_cell("cell", cell)
        if not isinstance(helper, Helper):
            raise TypeError(f"helper must be a Helper, received: {type(helper)}")
        check_output_layer(output_layer)
        self._cell = cell
        self._helper = helper
        self._initial_state = initial_state
        self._output_layer = output_layer

    @property
    def batch_size(self) -> Tensor:
        """The helper's batch size."""
        return self._helper.batch_size

    def _rnn_output_size(self) -> int | TensorShape:
        return output_size_of(self._cell, self._output_layer)

    @property
    def output_size(self) -> BasicDecoderOutput:
        """The sizes of the cell's output, after the output layer, and of a sample."""
        return BasicDecoderOutput(self._rnn_output_size(), self._helper.sample_ids_shape)

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        """The element types of the cell's output, which is that of its state, and of a sample."""
        dtype = nest.flatten(self._initial_state)[0].dtype
        return BasicDecoderOutput(
            nest.map_structure(lambda _: dtype, self._rnn_output_size()), self._helper.sample_ids_dtype
        )

    def initialize(self, name: str | None = None) -> tuple[Tensor, Tensor, Any]:
        """The helper's beginning, and the first state."""
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time: TensorLike, inputs: TensorLike, state: Any, name: str | None = None) -> Any:
        """One step of the cell; see `Decoder.step`."""
        with name_scope(name, "BasicDecoderStep", (time, inputs, state)):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            samples = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=samples
            )
        return BasicDecoderOutput(outputs, samples), next_state, next_inputs, finished
