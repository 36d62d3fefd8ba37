"""Decoding step by step until every sequence has ended."""

from __future__ import annotations

import abc
import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import int32
from headrace.core.shapes import TensorShape
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.reduction import reduce_all
from headrace.kernels.composing.filling import zeros_like
from headrace.kernels.composing.shapes import shape
from headrace.layers.engine import Layer
from headrace.ops.array.constant import constant
from headrace.ops.array.fill import fill
from headrace.ops.array.where import where
from headrace.ops.math.logical import logical_not, logical_or
from headrace.recurrent.sizes import zero_state_tensors
from headrace.recurrent.steps import cache_variables
from headrace.recurrent.steps import transpose_batch_time as _transpose_batch_time
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.contrib.seq2seq.beam_search import BeamSearchDecoderState
    from headrace.contrib.seq2seq.beam_search_decoder import FinalBeamSearchDecoderOutput
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Nested, ShapeLike, TensorLike
    from headrace.state.current_scope import VariableScope


class Decoder(abc.ABC):
    """What `dynamic_decode` calls: once to begin, then for each step.

    Subclasses define the properties and `initialize` and `step`; `finalize` where outputs are to be changed at the end.
    """

    @property
    def batch_size(self) -> Tensor:
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

    @abc.abstractmethod
    def initialize(self, name: str | None = None) -> tuple[Tensor, Tensor, Any]:
        """What decoding begins with: (finished: bool [batch], the first inputs, the first state)."""
        raise NotImplementedError

    @abc.abstractmethod
    def step(self, time: TensorLike, inputs: TensorLike, state: object, name: str | None = None) -> Any:
        """One step.

        Args:
            time: int32 scalar, the number of the step.
            inputs, state: what the last step, or `initialize`, returned.
            name: a name for the operations.

        Returns:
            (outputs, next state, next inputs, finished: bool [batch]).
        """
        raise NotImplementedError

    def finalize(
        self, outputs: Nested[Tensor], final_state: object, sequence_lengths: TensorLike
    ) -> tuple[FinalBeamSearchDecoderOutput, BeamSearchDecoderState]:
        """What `dynamic_decode` returns of the stacked outputs and the last state; they themselves by default."""
        raise NotImplementedError

    @property
    def tracks_own_finished(self) -> bool:
        """Whether `step` itself remembers which sequences have ended, as decoders that reorder the batch must."""
        return False


def dynamic_decode(
    decoder: Decoder,
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: TensorLike | None = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: str | VariableScope | None = None,
    **kwargs: Any,
) -> tuple[Any, Any, Any]:
    """Decodes until every sequence has ended.

    Args:
        decoder: a `Decoder`.
        output_time_major: whether outputs are [time, batch, ...]; [batch, time, ...] by default.
        impute_finished: whether a sequence that has ended gives zeros and keeps its state.
        maximum_iterations: int32 scalar: the largest number of steps.
        parallel_iterations, swap_memory: as in `tf.while_loop`.
        scope: the variable scope, "decoder" by default.
        **kwargs: for decoders that are layers: `decoder_init_input` and the dictionary `decoder_init_kwargs`, which
            their `initialize` gets.

    Returns:
        the outputs of all steps, the final state, and the lengths of the sequences, int32 [batch].

    Raises:
        TypeError: if `decoder` is no decoder, or if it does not take what `kwargs` hold.
        ValueError: if `maximum_iterations` is not a scalar.

    Example:
        >>> cell = tf.nn.rnn_cell.GRUCell(16)
        >>> helper = tf.contrib.seq2seq.TrainingHelper(inputs, sequence_length=[5, 3])
        >>> decoder = tf.contrib.seq2seq.BasicDecoder(cell, helper, cell.zero_state(2, tf.float32))
        >>> outputs, state, lengths = tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=50)
    """
    settings = (output_time_major, impute_finished, maximum_iterations, parallel_iterations, swap_memory, scope)
    if isinstance(decoder, Decoder):
        if kwargs:
            raise TypeError(f"{type(decoder).__name__} takes no arguments to begin with, received: {sorted(kwargs)}")
        return decode(decoder, decoder.initialize, *settings)
    # Those that are layers: what decodes in a call of theirs.
    if not isinstance(decoder, Layer) or not hasattr(decoder, "tracks_own_finished"):
        raise TypeError(f"Expected decoder to be type Decoder, but saw: {type(decoder)}")
    inputs, arguments = kwargs.pop("decoder_init_input", None), kwargs.pop("decoder_init_kwargs", {})
    if kwargs:
        raise TypeError(f"dynamic_decode() got unexpected keyword arguments {sorted(kwargs)}")
    return decode(decoder, lambda: decoder.initialize(inputs, **arguments), *settings)


def decode(
    decoder: Any,
    initialize: Callable[[], tuple[Any, Any, Any]],
    output_time_major: bool = False,
    impute_finished: bool = False,
    maximum_iterations: TensorLike | None = None,
    parallel_iterations: int = 32,
    swap_memory: bool = False,
    scope: str | VariableScope | None = None,
) -> tuple[Any, Any, Any]:
    """`dynamic_decode` of what has the methods of a decoder.

    Args:
        decoder: makes the steps.
        initialize: gives (finished, the first inputs, the first state).
        output_time_major, impute_finished, maximum_iterations, parallel_iterations, swap_memory, scope: as for
            `dynamic_decode`.
    """
    with variable_scope(scope, "decoder") as entered:
        cache_variables(entered)
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(maximum_iterations, dtype=int32, name="maximum_iterations")
            if maximum_iterations.get_shape().ndims != 0:
                raise ValueError("maximum_iterations must be a scalar")
        finished, inputs, state = initialize()
        nothing = _of_each_output(decoder, lambda size, dtype: zero_state_tensors(size, decoder.batch_size, dtype))
        if maximum_iterations is not None:
            finished = logical_or(finished, maximum_iterations <= 0)
        lengths = zeros_like(finished, dtype=int32)
        time = constant(0, dtype=int32)
        arrays = _of_each_output(
            decoder,
            lambda size, dtype: TensorArray(
                dtype, size=0, dynamic_size=True, element_shape=_element_shape(decoder.batch_size, size)
            ),
        )
        _, arrays, state, _, _, lengths = while_loop(
            lambda time, arrays, state, inputs, finished, lengths: logical_not(reduce_all(finished)),
            _step(decoder, nothing if impute_finished else None),
            loop_vars=(time, arrays, state, inputs, finished, lengths),
            parallel_iterations=parallel_iterations,
            maximum_iterations=maximum_iterations,
            swap_memory=swap_memory,
        )
        outputs = nest.map_structure(lambda array: array.stack(), arrays)
        # Decoders of users need not define `finalize`.
        with contextlib.suppress(NotImplementedError):
            outputs, state = decoder.finalize(outputs, state, lengths)
        if not output_time_major:
            outputs = nest.map_structure(_transpose_batch_time, outputs)
    return outputs, state, lengths


def _of_each_output(decoder: Any, make: Callable[[Any, Any], Any]) -> Any:
    """What is made of the size and type of each of a decoder's outputs."""
    return nest.map_structure(make, decoder.output_size, decoder.output_dtype)


def _step(decoder: Any, nothing: Any) -> Callable[..., Any]:
    """The body of the loop.

    Args:
        decoder: makes the step.
        nothing: what a sequence that has ended gives, and then its state stays; None for whatever the decoder gives.
    """

    def body(time: Tensor, arrays: Any, state: Any, inputs: TensorLike, finished: Tensor, lengths: Tensor) -> Any:
        outputs, next_state, next_inputs, ended = decoder.step(time, inputs, state)
        if not decoder.tracks_own_finished:
            ended = logical_or(ended, finished)
        lengths = where(logical_not(finished), fill(shape(lengths), time + 1), lengths)
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(arrays, outputs)
        nest.assert_same_structure(inputs, next_inputs)

        def kept(new: Any, old: Any) -> Any:
            if isinstance(old, TensorArray):
                return new
            new.set_shape(old.shape)
            return new if new.shape.ndims == 0 else where(finished, old, new)

        if nothing is not None:
            outputs = nest.map_structure(lambda new, zero: where(finished, zero, new), outputs, nothing)
            next_state = nest.map_structure(kept, next_state, state)
        arrays = nest.map_structure(lambda array, new: array.write(time, new), arrays, outputs)
        return time + 1, arrays, next_state, next_inputs, ended, lengths

    return body


def _element_shape(batch_size: Tensor, size: ShapeLike) -> TensorShape | None:
    if not isinstance(size, TensorShape) or size.ndims == 0:
        return None
    batch = constant_value(convert_to_tensor(batch_size, name="batch_size"))
    return TensorShape([None if batch is None else int(batch)]).concatenate(size)
