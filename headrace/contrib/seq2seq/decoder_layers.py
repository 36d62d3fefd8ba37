"""Decoders that are layers: they get their inputs when they are called, and decode then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.seq2seq.basic_decoder import BasicDecoderOutput, check_output_layer, output_size_of
from headrace.contrib.seq2seq.beam_search import BeamSearchDecoderOutput
from headrace.contrib.seq2seq.beam_search_decoder import BeamSearchDecoder
from headrace.contrib.seq2seq.decoder import decode
from headrace.contrib.seq2seq.sampler import Sampler, checked_embedding_fn
from headrace.core import nest
from headrace.core.dtypes import int32
from headrace.core.shapes import TensorShape
from headrace.layers.engine import Layer
from headrace.recurrent.cell import assert_like_rnn_cell

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class BaseDecoder(Layer):
    """A decoder that is a layer: a call decodes until every sequence has ended.

    Subclasses define the properties and `initialize` and `step`; `finalize` where outputs are to be changed at the end.

    Args:
        output_time_major, impute_finished, maximum_iterations, parallel_iterations, swap_memory: as for
            `tf.contrib.seq2seq.dynamic_decode`.
        **kwargs: as for layers: `name`, `dtype`, `trainable`.
    """

    def __init__(
        self,
        output_time_major: bool = False,
        impute_finished: bool = False,
        maximum_iterations: Any = None,
        parallel_iterations: int = 32,
        swap_memory: bool = False,
        **kwargs: Any,
    ) -> None:
        self.output_time_major = output_time_major
        self.impute_finished = impute_finished
        self.maximum_iterations = maximum_iterations
        self.parallel_iterations = parallel_iterations
        self.swap_memory = swap_memory
        super().__init__(**kwargs)

    def call(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> Any:
        """Decodes; `initialize` gets the arguments.

        Returns:
            the outputs of all steps, the final state, and the lengths of the sequences, int32 [batch].
        """
        return self._decoded(inputs, {"initial_state": initial_state, **kwargs})

    def _decoded(self, inputs: Any, arguments: dict[str, Any]) -> Any:
        return decode(
            self,
            lambda: self.initialize(inputs, **arguments),
            self.output_time_major,
            self.impute_finished,
            self.maximum_iterations,
            self.parallel_iterations,
            self.swap_memory,
        )

    @property
    def batch_size(self) -> Any:
        """The batch size: an int or a scalar tensor."""
        raise NotImplementedError

    @property
    def output_size(self) -> Any:
        """The sizes of a step's outputs, without the batch: ints or shapes in their structure."""
        raise NotImplementedError

    @property
    def output_dtype(self) -> Any:
        """The element types of a step's outputs, in their structure."""
        raise NotImplementedError

    def initialize(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> tuple[Any, Any, Any]:
        """What decoding begins with: (finished: bool [batch], the first inputs, the first state)."""
        raise NotImplementedError

    def step(self, time: TensorLike, inputs: Any, state: Any) -> Any:
        """One step: (outputs, next state, next inputs, finished: bool [batch])."""
        raise NotImplementedError

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """What decoding gives of the stacked outputs and the last state; they themselves by default."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `step` itself remembers which sequences have ended."""
        return False


class BasicDecoderV2(BaseDecoder):
    """Runs a cell whose inputs a sampler reads or samples.

    Args:
        cell: a cell of `tf.keras.layers` or `tf.nn.rnn_cell`.
        sampler: a `Sampler`.
        output_layer: a layer applied to the cell's outputs.
        **kwargs: as for `BaseDecoder`.

    Raises:
        TypeError: if an argument is not what it is to be.

    Example:
        >>> from headrace.contrib.seq2seq.decoder_layers import BasicDecoderV2
        >>> from headrace.contrib.seq2seq.sampler import TrainingSampler
        >>> cell = tf.keras.layers.LSTMCell(16)
        >>> decoder = BasicDecoderV2(cell, TrainingSampler(), tf.keras.layers.Dense(7))
        >>> state = cell.get_initial_state(batch_size=2, dtype=tf.float32)
        >>> outputs, state, lengths = decoder(tf.ones([2, 5, 4]), initial_state=state, sequence_length=[5, 3])
    """

    def __init__(self, cell: Any, sampler: Sampler, output_layer: Any = None, **kwargs: Any) -> None:
        assert_like_rnn_cell("cell", cell)
        if not isinstance(sampler, Sampler):
            raise TypeError(f"sampler must be a Sampler, received: {sampler}")
        if output_layer is not None and not isinstance(output_layer, Layer):
            raise TypeError(f"output_layer must be a Layer, received: {output_layer}")
        super().__init__(**kwargs)
        self.cell = cell
        self.sampler = sampler
        self.output_layer = output_layer
        self._cell_dtype: Any = None

    def initialize(self, inputs: Any, initial_state: Any = None, **kwargs: Any) -> tuple[Any, Any, Any]:
        """The sampler's beginning, and the first state."""
        # The outputs have the type of the state.
        self._cell_dtype = nest.flatten(initial_state)[0].dtype
        return (*self.sampler.initialize(inputs, **kwargs), initial_state)

    @property
    def batch_size(self) -> Tensor:
        """The sampler's batch size."""
        return self.sampler.batch_size

    def _rnn_output_size(self) -> Any:
        return output_size_of(self.cell, self.output_layer)

    @property
    def output_size(self) -> BasicDecoderOutput:
        """The sizes of the cell's output, after the output layer, and of a sample."""
        sizes = nest.map_structure(TensorShape, self._rnn_output_size())
        return BasicDecoderOutput(sizes, self.sampler.sample_ids_shape)

    @property
    def output_dtype(self) -> BasicDecoderOutput:
        """The element types of the cell's output, which is that of its state, and of a sample."""
        dtypes = nest.map_structure(lambda _: self._cell_dtype, self._rnn_output_size())
        return BasicDecoderOutput(dtypes, self.sampler.sample_ids_dtype)

    def step(self, time: TensorLike, inputs: Any, state: Any) -> Any:
        """One step of the cell; see `BaseDecoder.step`."""
        outputs, state = self.cell(inputs, state)
        if self.output_layer is not None:
            outputs = self.output_layer(outputs)
        samples = self.sampler.sample(time=time, outputs=outputs, state=state)
        finished, next_inputs, next_state = self.sampler.next_inputs(
            time=time, outputs=outputs, state=state, sample_ids=samples
        )
        return BasicDecoderOutput(outputs, samples), next_state, next_inputs, finished


class BeamSearchDecoderV2(BaseDecoder):
    """Follows the `beam_width` best beginnings of each sequence; see `BeamSearchDecoder`.

    Args:
        cell, beam_width, output_layer, length_penalty_weight, coverage_penalty_weight, reorder_tensor_arrays: as for
            `BeamSearchDecoder`.
        embedding_fn: a function from ids to inputs; a call gets the parameters of the embedding otherwise.
        **kwargs: as for `BaseDecoder`.

    Raises:
        TypeError: if `cell` is no cell or `output_layer` no layer.
        ValueError: if `embedding_fn` is no function.
    """

    def __init__(
        self,
        cell: Any,
        beam_width: int,
        embedding_fn: Callable[[Any], Any] | None = None,
        output_layer: Any = None,
        length_penalty_weight: TensorLike = 0.0,
        coverage_penalty_weight: float = 0.0,
        reorder_tensor_arrays: bool = True,
        **kwargs: Any,
    ) -> None:
        assert_like_rnn_cell("cell", cell)
        check_output_layer(output_layer)
        super().__init__(**kwargs)
        self._cell, self._output_layer = cell, output_layer
        self._beam_width = beam_width
        self._weights_of_penalties = (length_penalty_weight, coverage_penalty_weight)
        self._reorder_tensor_arrays = reorder_tensor_arrays
        self._embedding_fn = checked_embedding_fn(embedding_fn)
        self._decoder: BeamSearchDecoder | None = None

    def _begun(self) -> BeamSearchDecoder:
        if self._decoder is None:
            raise ValueError("BeamSearchDecoderV2: initialize has to be called first.")
        return self._decoder

    def _chosen(self, embedding: Any) -> Any:
        if self._embedding_fn is None and embedding is None:
            raise TypeError("BeamSearchDecoderV2 needs an embedding or an embedding_fn, received None for both")
        if self._embedding_fn is not None and embedding is not None:
            raise ValueError("embedding and embedding_fn cannot be provided at same time")
        return embedding if self._embedding_fn is None else self._embedding_fn

    def initialize(self, embedding: Any, start_tokens: Any, end_token: Any, initial_state: Any) -> tuple[Any, Any, Any]:  # type: ignore[override]  # 1.15 calls its inputs so
        """The start tokens' embeddings, and beams of which all but the first have probability 0.

        Args:
            embedding: the parameters of the embedding; None where there is a function for it.
            start_tokens, end_token, initial_state: as for `BeamSearchDecoder`.

        Raises:
            ValueError: if `start_tokens` is not a vector or `end_token` not a scalar, or if there are two embeddings.
            TypeError: if there is no embedding.
        """
        self._decoder = BeamSearchDecoder(
            self._cell,
            self._chosen(embedding),
            start_tokens,
            end_token,
            initial_state,
            self._beam_width,
            self._output_layer,
            *self._weights_of_penalties,
            self._reorder_tensor_arrays,
        )
        return self._decoder.initialize()

    def call(self, embedding: Any, start_tokens: Any, end_token: Any, initial_state: Any, **kwargs: Any) -> Any:  # type: ignore[override]  # 1.15 calls its inputs so
        """Decodes; see `initialize` for the arguments."""
        beginning = {"start_tokens": start_tokens, "end_token": end_token, "initial_state": initial_state}
        return self._decoded(embedding, {**beginning, **kwargs})

    @property
    def batch_size(self) -> Tensor:
        """The number of start tokens."""
        return self._begun().batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True: beams change places."""
        return True

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        """The sizes of the outputs: [width] each."""
        width = TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(width, width, width)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        """The element types of the outputs: that of the cell's state, and int32."""
        return BeamSearchDecoderOutput(self._begun().output_dtype.scores, int32, int32)

    def step(self, time: TensorLike, inputs: Any, state: Any) -> Any:
        """One step of all beams; see `BaseDecoder.step`."""
        return self._begun().step(time, inputs, state)

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """The whole beams; `sequence_lengths` does not count, the lengths are in the state."""
        return self._begun().finalize(outputs, final_state, sequence_lengths)
