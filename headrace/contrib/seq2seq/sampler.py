"""Samplers: helpers that get their inputs when decoding begins, for decoders that are layers."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.seq2seq.helper import (
    CustomHelper,
    GreedyEmbeddingHelper,
    Helper,
    InferenceHelper,
    SampleEmbeddingHelper,
    TrainingHelper,
    _unstack_ta,
)
from headrace.contrib.seq2seq.sampling import bernoulli_sample, categorical_sample
from headrace.contrib.seq2seq.scheduled import ScheduledEmbeddingTrainingHelper, ScheduledOutputTrainingHelper
from headrace.core.dtypes import int32
from headrace.core.shapes import TensorShape

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike

__all__ = [
    "CustomSampler",
    "GreedyEmbeddingSampler",
    "InferenceSampler",
    "SampleEmbeddingSampler",
    "Sampler",
    "ScheduledEmbeddingTrainingSampler",
    "ScheduledOutputTrainingSampler",
    "TrainingSampler",
    "_unstack_ta",
    "bernoulli_sample",
    "categorical_sample",
]


class Sampler(abc.ABC):
    """What a `BasicDecoderV2` samples with and takes its inputs from; `initialize` gets them."""

    @abc.abstractmethod
    def initialize(self, inputs: Any, **kwargs: Any) -> tuple[Any, Any]:
        """(finished: bool [batch], the first inputs)."""

    @abc.abstractmethod
    def sample(self, time: TensorLike, outputs: Any, state: object) -> Any:
        """The samples of a step."""

    @abc.abstractmethod
    def next_inputs(self, time: TensorLike, outputs: Any, state: object, sample_ids: Any) -> tuple[Any, Any, Any]:
        """(finished: bool [batch], the next inputs, the next state)."""

    @property
    @abc.abstractmethod
    def batch_size(self) -> Tensor:
        """The batch size: an int32 scalar."""

    @property
    @abc.abstractmethod
    def sample_ids_shape(self) -> Any:
        """The shape of a sample, without the batch."""

    @property
    @abc.abstractmethod
    def sample_ids_dtype(self) -> Any:
        """The element type of a sample."""


class _OfHelper(Sampler):
    """A sampler that makes a helper of its inputs, and is that helper from then on."""

    _helper: Helper | None = None

    def _begun(self) -> Helper:
        if self._helper is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._helper

    def sample(self, time: TensorLike, outputs: Any, state: object) -> Any:
        """What the helper samples."""
        return self._begun().sample(time, outputs, state)

    def next_inputs(self, time: TensorLike, outputs: Any, state: object, sample_ids: Any) -> tuple[Any, Any, Any]:
        """What the helper gives the cell next."""
        return self._begun().next_inputs(time, outputs, state, sample_ids)

    @property
    def batch_size(self) -> Tensor:
        """The batch size.

        Raises:
            ValueError: before `initialize` was called.
        """
        return self._begun().batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of a sample: a scalar."""
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        """The element type of a sample: int32."""
        return int32


class CustomSampler(_OfHelper):
    """A sampler made of functions.

    Args:
        initialize_fn: takes the inputs and what `initialize` gets beside them, returns (finished, first inputs).
        sample_fn, next_inputs_fn, sample_ids_shape, sample_ids_dtype: as for `CustomHelper`.
    """

    def __init__(
        self,
        initialize_fn: Callable[..., Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn = initialize_fn
        self._rest = (sample_fn, next_inputs_fn, sample_ids_shape, sample_ids_dtype)

    def initialize(self, inputs: Any, **kwargs: Any) -> tuple[Any, Any]:
        """What the function gives."""
        self._helper = CustomHelper(lambda: self._initialize_fn(inputs, **kwargs), *self._rest)
        return self._helper.initialize()

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of a sample."""
        return TensorShape(self._rest[2] or [])

    @property
    def sample_ids_dtype(self) -> Any:
        """The element type of a sample."""
        return self._rest[3] or int32


class TrainingSampler(_OfHelper):
    """Reads the inputs, and samples the largest outputs.

    Args:
        time_major: whether inputs are [time, batch, ...].
    """

    def __init__(self, time_major: bool = False) -> None:
        self.time_major = time_major

    def initialize(self, inputs: Any, sequence_length: Any = None) -> tuple[Any, Any]:  # type: ignore[override]  # keywords by name, as 1.15
        """The inputs of the first step.

        Args:
            inputs: [batch, time, ...].
            sequence_length: int32 [batch].

        Raises:
            ValueError: if `sequence_length` is missing or no vector.
        """
        self._helper = TrainingHelper(inputs, self._checked_length(sequence_length), self.time_major)
        return self._helper.initialize()

    def _checked_length(self, sequence_length: Any) -> Any:
        if sequence_length is None:
            raise ValueError(f"sequence_length is required for {type(self).__name__}")
        return sequence_length


class ScheduledEmbeddingTrainingSampler(TrainingSampler):
    """A training sampler that sometimes takes embeddings of drawn ids instead of the inputs.

    Args:
        sampling_probability, time_major, seed, scheduling_seed: as for `ScheduledEmbeddingTrainingHelper`.
        embedding_fn: a function from ids to inputs; `initialize` gets the parameters of the embedding otherwise.

    Raises:
        ValueError: if `embedding_fn` is no function.
    """

    def __init__(
        self,
        sampling_probability: TensorLike,
        embedding_fn: Callable[[Any], Any] | None = None,
        time_major: bool = False,
        seed: int | None = None,
        scheduling_seed: int | None = None,
    ) -> None:
        super().__init__(time_major=time_major)
        self.embedding_fn = checked_embedding_fn(embedding_fn)
        self.sampling_probability = sampling_probability
        self.seed = seed
        self.scheduling_seed = scheduling_seed

    def initialize(self, inputs: Any, sequence_length: Any = None, embedding: Any = None) -> tuple[Any, Any]:  # type: ignore[override]  # keywords by name, as 1.15
        """The inputs of the first step.

        Args:
            inputs, sequence_length: as for `TrainingSampler`.
            embedding: the parameters of the embedding, where there is no function for it.

        Raises:
            ValueError: if neither was given.
        """
        if self.embedding_fn is None and embedding is None:
            raise ValueError(f"embedding is required as a keyword argument for {type(self).__name__}")
        self._helper = ScheduledEmbeddingTrainingHelper(
            inputs,
            self._checked_length(sequence_length),
            embedding if self.embedding_fn is None else self.embedding_fn,
            self.sampling_probability,
            time_major=self.time_major,
            seed=self.seed,
            scheduling_seed=self.scheduling_seed,
        )
        return self._helper.initialize()


class ScheduledOutputTrainingSampler(TrainingSampler):
    """A training sampler that sometimes takes the cell's outputs instead of the inputs.

    Args:
        sampling_probability, time_major, seed, next_inputs_fn: as for `ScheduledOutputTrainingHelper`.
    """

    def __init__(
        self,
        sampling_probability: TensorLike,
        time_major: bool = False,
        seed: int | None = None,
        next_inputs_fn: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(time_major=time_major)
        self.sampling_probability = sampling_probability
        self.seed = seed
        self.next_inputs_fn = next_inputs_fn

    def initialize(self, inputs: Any, sequence_length: Any = None, auxiliary_inputs: Any = None) -> tuple[Any, Any]:  # type: ignore[override]  # keywords by name, as 1.15
        """The inputs of the first step.

        Args:
            inputs, sequence_length: as for `TrainingSampler`.
            auxiliary_inputs: what is appended to inputs and outputs alike, of the layout of `inputs`.
        """
        self._helper = ScheduledOutputTrainingHelper(
            inputs,
            self._checked_length(sequence_length),
            self.sampling_probability,
            time_major=self.time_major,
            seed=self.seed,
            next_inputs_fn=self.next_inputs_fn,
            auxiliary_inputs=auxiliary_inputs,
        )
        return self._helper.initialize()


def checked_embedding_fn(function: Any) -> Any:
    """`function`, None or callable.

    Raises:
        ValueError: for anything else.
    """
    if function is not None and not callable(function):
        raise ValueError(f"embedding_fn is expected to be a callable, got {type(function)}")
    return function


class GreedyEmbeddingSampler(_OfHelper):
    """Takes the ids with the largest outputs, and their embeddings as the next inputs.

    Args:
        embedding_fn: a function from ids to inputs; `initialize` gets the parameters of the embedding otherwise.

    Raises:
        ValueError: if `embedding_fn` is no function.
    """

    def __init__(self, embedding_fn: Callable[[Any], Any] | None = None) -> None:
        self.embedding_fn = checked_embedding_fn(embedding_fn)

    def initialize(self, embedding: Any, start_tokens: Any = None, end_token: Any = None) -> tuple[Any, Any]:  # type: ignore[override]  # 1.15 calls its inputs so
        """The embeddings of the start tokens.

        Args:
            embedding: the parameters of the embedding; None where there is a function for it.
            start_tokens: int32 [batch]: the first ids.
            end_token: int32 scalar: the id that ends a sequence.

        Raises:
            ValueError: if `start_tokens` is not a vector or `end_token` not a scalar, or if there is no embedding.
        """
        # The function goes before parameters that are given as well.
        chosen = embedding if self.embedding_fn is None else self.embedding_fn
        if chosen is None:
            raise ValueError("params must be specified")
        self._helper = self._made(chosen, start_tokens, end_token)
        return self._helper.initialize()

    def _made(self, embedding: Any, start_tokens: Any, end_token: Any) -> Helper:
        return GreedyEmbeddingHelper(embedding, start_tokens, end_token)


class SampleEmbeddingSampler(GreedyEmbeddingSampler):
    """Draws ids from the distributions whose logits the outputs are; their embeddings are the next inputs.

    Args:
        embedding_fn: as for `GreedyEmbeddingSampler`.
        softmax_temperature, seed: as for `SampleEmbeddingHelper`.
    """

    def __init__(
        self,
        embedding_fn: Callable[[Any], Any] | None = None,
        softmax_temperature: float | None = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding_fn)
        self.softmax_temperature = softmax_temperature
        self.seed = seed

    def _made(self, embedding: Any, start_tokens: Any, end_token: Any) -> Helper:
        return SampleEmbeddingHelper(embedding, start_tokens, end_token, self.softmax_temperature, self.seed)


class InferenceSampler(_OfHelper):
    """Samples with a function, and feeds the samples back.

    Args:
        sample_fn, sample_shape, sample_dtype, end_fn, next_inputs_fn: as for `InferenceHelper`.
    """

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: ShapeLike,
        sample_dtype: DTypeLike,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Callable[[Any], Any] | None = None,
    ) -> None:
        self.sample_fn = sample_fn
        self.sample_shape = TensorShape(sample_shape)
        self.sample_dtype = sample_dtype
        self.end_fn = end_fn
        self.next_inputs_fn = next_inputs_fn

    def initialize(self, start_inputs: Any) -> tuple[Any, Any]:  # type: ignore[override]  # 1.15 calls its inputs so
        """The first inputs."""
        self._helper = InferenceHelper(
            self.sample_fn, self.sample_shape, self.sample_dtype, start_inputs, self.end_fn, self.next_inputs_fn
        )
        return self._helper.initialize()

    @property
    def sample_ids_shape(self) -> Any:
        """The shape of a sample."""
        return self.sample_shape

    @property
    def sample_ids_dtype(self) -> Any:
        """The element type of a sample."""
        return self.sample_dtype
