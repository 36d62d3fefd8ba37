"""Helpers: where a decoder's inputs come from, and how it samples."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.seq2seq.sampling import categorical_sample
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.math.reduction import reduce_all
from headrace.functions.nn.embedding import embedding_lookup
from headrace.kernels.composing.filling import zeros_like
from headrace.kernels.composing.shapes import shape, size
from headrace.ops.array.tile import tile
from headrace.ops.math.argmax import argmax
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal
from headrace.recurrent.steps import transpose_batch_time as _transpose_batch_time

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike
    from headrace.recurrent.lstm_cells import LSTMStateTuple


def _unstack_ta(x: Tensor) -> TensorArray:
    """A TensorArray of the rows of `x`."""
    return TensorArray(x.dtype, size=shape(x)[0], element_shape=x.get_shape()[1:]).unstack(x)


def embedding_function(embedding: TensorLike | Callable[..., Any]) -> Callable[[Any], Any]:
    """The function from ids to inputs that a function, or the parameters of `embedding_lookup`, stand for."""
    return embedding if callable(embedding) else lambda ids: embedding_lookup(embedding, ids)


class Helper(abc.ABC):
    """What `BasicDecoder` samples with and takes its inputs from."""

    @property
    @abc.abstractmethod
    def batch_size(self) -> Tensor:
        """The batch size: an int32 scalar."""
        raise NotImplementedError("batch_size has not been implemented")

    @property
    @abc.abstractmethod
    def sample_ids_shape(self) -> Any:
        """The shape of a sample, without the batch."""
        raise NotImplementedError("sample_ids_shape has not been implemented")

    @property
    @abc.abstractmethod
    def sample_ids_dtype(self) -> DType:
        """The element type of a sample."""
        raise NotImplementedError("sample_ids_dtype has not been implemented")

    @abc.abstractmethod
    def initialize(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """(finished: bool [batch], the first inputs)."""

    @abc.abstractmethod
    def sample(self, time: TensorLike, outputs: TensorLike, state: object, name: str | None = None) -> Tensor:
        """The samples of a step."""

    @abc.abstractmethod
    def next_inputs(
        self, time: TensorLike, outputs: TensorLike, state: object, sample_ids: TensorLike, name: str | None = None
    ) -> tuple[Tensor, Tensor, Any]:
        """(finished: bool [batch], the next inputs, the next state)."""


class CustomHelper(Helper):
    """A helper made of functions.

    Args:
        initialize_fn: returns (finished, first inputs).
        sample_fn: takes (time, outputs, state), by name, returns samples.
        next_inputs_fn: takes (time, outputs, state, sample_ids), by name, returns (finished, next inputs, next state).
        sample_ids_shape: the shape of a sample, scalar by default.
        sample_ids_dtype: its type, int32 by default.
    """

    def __init__(
        self,
        initialize_fn: Callable[[], Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size: Tensor | None = None
        self._sample_ids_shape = TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or int32

    @property
    def batch_size(self) -> Tensor:
        """The batch size.

        Raises:
            ValueError: before `initialize` was called.
        """
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The shape of a sample."""
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self) -> DType:
        """The element type of a sample."""
        return self._sample_ids_dtype

    def initialize(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """What the function gives."""
        with name_scope(name, f"{type(self).__name__}Initialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = size(finished)
        return finished, inputs

    def sample(self, time: TensorLike, outputs: TensorLike, state: object, name: str | None = None) -> Tensor:
        """What the function gives."""
        with name_scope(name, f"{type(self).__name__}Sample", (time, outputs, state)):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: TensorLike, outputs: TensorLike, state: object, sample_ids: TensorLike, name: str | None = None
    ) -> tuple[Tensor, Tensor, LSTMStateTuple]:
        """What the function gives."""
        with name_scope(name, f"{type(self).__name__}NextInputs", (time, outputs, state)):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class _ScalarIds(Helper):
    """A helper whose samples are single int32 ids."""

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The shape of a sample: a scalar."""
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> DType:
        """The element type of a sample: int32."""
        return int32


class TrainingHelper(_ScalarIds):
    """Reads the inputs, and samples the largest outputs.

    Args:
        inputs: [batch, time, ...].
        sequence_length: int32 [batch].
        time_major: whether inputs are [time, batch, ...].
        name: a name for the operations.

    Raises:
        ValueError: if `sequence_length` is not a vector.
    """

    def __init__(
        self, inputs: TensorLike, sequence_length: TensorLike, time_major: bool = False, name: str | None = None
    ) -> None:
        with name_scope(name, "TrainingHelper", [inputs, sequence_length]):
            inputs = convert_to_tensor(inputs, name="inputs")
            self._inputs = inputs
            if not time_major:
                inputs = _transpose_batch_time(inputs)
            self._input_tas = _unstack_ta(inputs)
            self._sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.get_shape().ndims != 1:
                raise ValueError(
                    f"Expected sequence_length to be a vector, but received shape: {self._sequence_length.get_shape()}"
                )
            self._zero_inputs = zeros_like(inputs[0, :])
            self._batch_size = size(sequence_length)

    @property
    def inputs(self) -> Any:
        """The inputs, in the layout that they were given in."""
        return self._inputs

    @property
    def sequence_length(self) -> Tensor:
        """The lengths of the sequences."""
        return self._sequence_length

    @property
    def batch_size(self) -> Tensor:
        """The number of sequences."""
        return self._batch_size

    def initialize(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """The inputs of the first step."""
        with name_scope(name, "TrainingHelperInitialize"):
            finished = equal(0, self._sequence_length)
            return finished, self._inputs_at(0, finished)

    def _inputs_at(self, time: TensorLike, finished: TensorLike) -> Tensor:
        return cond(
            reduce_all(finished),
            lambda: self._zero_inputs,
            lambda: self._input_tas.read(time),
        )

    def sample(self, time: TensorLike, outputs: TensorLike, state: object = None, name: str | None = None) -> Tensor:
        """The ids with the largest outputs."""
        with name_scope(name, "TrainingHelperSample", [time, outputs]):
            return cast(argmax(outputs, axis=-1), int32)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None) -> Any:
        """The inputs of the next step."""
        with name_scope(name, "TrainingHelperNextInputs", [time, outputs, state]):
            following = time + 1
            finished = following >= self._sequence_length
            return finished, self._inputs_at(following, finished), state


class GreedyEmbeddingHelper(_ScalarIds):
    """Takes the ids with the largest outputs, and their embeddings as the next inputs.

    Args:
        embedding: a function from int32 [batch] ids to inputs, or the parameters of `embedding_lookup`.
        start_tokens: int32 [batch]: the first ids.
        end_token: int32 scalar: the id that ends a sequence.

    Raises:
        ValueError: if `start_tokens` is not a vector or `end_token` not a scalar.
    """

    def __init__(
        self, embedding: TensorLike | Callable[..., Any], start_tokens: TensorLike, end_token: TensorLike
    ) -> None:
        self._embedding_fn = embedding_function(embedding)
        self._start_tokens = convert_to_tensor(start_tokens, dtype=int32, name="start_tokens")
        self._end_token = convert_to_tensor(end_token, dtype=int32, name="end_token")
        if self._start_tokens.get_shape().ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._batch_size = size(start_tokens)
        if self._end_token.get_shape().ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self) -> Tensor:
        """The number of start tokens."""
        return self._batch_size

    def initialize(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """The embeddings of the start tokens."""
        return tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: TensorLike, outputs: TensorLike, state: object, name: str | None = None) -> Tensor:
        """The ids with the largest outputs."""
        return argmax(_single(outputs), axis=-1, output_type=int32)

    def next_inputs(
        self, time: TensorLike, outputs: TensorLike, state: object, sample_ids: TensorLike, name: str | None = None
    ) -> tuple[Tensor, Tensor, Any]:
        """The embeddings of the samples."""
        finished = equal(sample_ids, self._end_token)
        # Once all have ended the inputs do not matter.
        inputs = cond(reduce_all(finished), lambda: self._start_inputs, lambda: self._embedding_fn(sample_ids))
        return finished, inputs, state


def _single(outputs: TensorLike) -> Tensor:
    if not isinstance(outputs, Tensor):
        raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
    return outputs


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Draws ids from the distributions whose logits the outputs are; their embeddings are the next inputs.

    Args:
        embedding, start_tokens, end_token: as for `GreedyEmbeddingHelper`.
        softmax_temperature: float32 scalar by which outputs are divided first; 1 by default.
        seed: the seed of the draws.
    """

    def __init__(
        self,
        embedding: TensorLike,
        start_tokens: TensorLike,
        end_token: TensorLike,
        softmax_temperature: float | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature = softmax_temperature
        self._seed = seed

    def sample(self, time: TensorLike, outputs: TensorLike, state: object, name: str | None = None) -> Tensor:
        """Drawn ids."""
        logits = _single(outputs)
        if self._softmax_temperature is not None:
            logits = logits / self._softmax_temperature
        return categorical_sample(logits=logits, seed=self._seed)


class InferenceHelper(Helper):
    """Samples with a function, and feeds the samples back.

    Args:
        sample_fn: takes the outputs, returns samples.
        sample_shape: the shape of a sample, without the batch.
        sample_dtype: its element type.
        start_inputs: the first inputs.
        end_fn: takes the samples, returns bool [batch]: whether they end their sequences.
        next_inputs_fn: takes the samples, returns the next inputs; the samples themselves by default.
    """

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: ShapeLike,
        sample_dtype: DTypeLike,
        start_inputs: TensorLike,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Callable[[Any], Any] | None = None,
    ) -> None:
        self._sample_fn = sample_fn
        self._end_fn = end_fn
        self._sample_shape = TensorShape(sample_shape)
        self._sample_dtype = sample_dtype
        self._next_inputs_fn = next_inputs_fn
        self._batch_size = shape(start_inputs)[0]
        self._start_inputs = convert_to_tensor(start_inputs, name="start_inputs")

    @property
    def batch_size(self) -> Tensor:
        """The number of first inputs."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> TensorShape:
        """The shape of a sample."""
        return self._sample_shape

    @property
    def sample_ids_dtype(self) -> Any:
        """The element type of a sample."""
        return self._sample_dtype

    def initialize(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """The first inputs."""
        return tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time: TensorLike, outputs: TensorLike, state: object, name: str | None = None) -> Tensor:
        """What the function draws."""
        return self._sample_fn(outputs)

    def next_inputs(
        self, time: TensorLike, outputs: TensorLike, state: object, sample_ids: TensorLike, name: str | None = None
    ) -> Any:
        """The samples, or what the function makes of them."""
        inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state
