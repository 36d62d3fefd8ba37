"""Scheduled sampling: training on inputs some of which are the model's own (Bengio et al., arXiv:1506.03099)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.seq2seq.helper import TrainingHelper, _unstack_ta, embedding_function
from headrace.contrib.seq2seq.sampling import bernoulli_sample, categorical_sample
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import bool as bool_dtype
from headrace.core.dtypes import int32
from headrace.core.tensor import Tensor
from headrace.functions.array.gather import gather_nd
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_all, reduce_any
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.fill import fill
from headrace.ops.array.scatter import scatter_nd
from headrace.ops.array.where import where
from headrace.ops.math.cast import cast
from headrace.ops.math.logical import logical_not, logical_or
from headrace.recurrent.steps import transpose_batch_time

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.functions.flow.tensor_array import TensorArray


def _checked_probability(value: TensorLike) -> Tensor:
    """The probability as a tensor, which has to be a scalar or a vector."""
    probability = convert_to_tensor(value, name="sampling_probability")
    if probability.get_shape().ndims not in (0, 1):
        raise ValueError(
            f"sampling_probability must be either a scalar or a vector. saw shape: {probability.get_shape()}"
        )
    return probability


def _places(mask: Tensor) -> Tensor:
    """The indices of the elements that are true, int32 [count, rank]."""
    return cast(where(mask), int32)


def _scattered(shaped_like: Tensor, *rows: tuple[Tensor, Tensor]) -> Tensor:
    """A tensor of the shape of `shaped_like`, put together from two pairs of places and the rows for them."""
    full_shape = shape(shaped_like)
    first, second = (scatter_nd(indices=places, updates=updates, shape=full_shape) for places, updates in rows)
    return first + second


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """A training helper that sometimes takes embeddings of drawn ids instead of the inputs.

    Samples are ids where they were drawn, -1 elsewhere.

    Args:
        inputs, sequence_length: as for `TrainingHelper`.
        embedding: a function from ids to inputs, or the parameters of `embedding_lookup`.
        sampling_probability: float32 scalar or [batch]: how often ids are drawn.
        time_major: whether inputs are [time, batch, ...].
        seed, scheduling_seed: the seeds of the draws of ids, and of whether they are used.
        name: a name for the operations.

    Raises:
        ValueError: if `sampling_probability` is neither a scalar nor a vector.
    """

    def __init__(
        self,
        inputs: TensorLike,
        sequence_length: TensorLike,
        embedding: TensorLike | Callable[[Any], Any],
        sampling_probability: TensorLike,
        time_major: bool = False,
        seed: int | None = None,
        scheduling_seed: int | None = None,
        name: str | None = None,
    ) -> None:
        with name_scope(name, "ScheduledEmbeddingSamplingWrapper", [embedding, sampling_probability]):
            self._embedding_fn = embedding_function(embedding)
            self._sampling_probability = _checked_probability(sampling_probability)
            self._seed = seed
            self._scheduling_seed = scheduling_seed
            super().__init__(inputs=inputs, sequence_length=sequence_length, time_major=time_major, name=name)

    def sample(self, time: TensorLike, outputs: TensorLike, state: object = None, name: str | None = None) -> Tensor:
        """Drawn ids, -1 where the inputs are to be used."""
        with name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time, outputs, state]):
            chosen = bernoulli_sample(
                probs=self._sampling_probability,
                dtype=bool_dtype,
                sample_shape=self.batch_size,
                seed=self._scheduling_seed,
            )
            drawn = categorical_sample(logits=outputs, seed=self._seed)
            return where(chosen, drawn, fill([self.batch_size], -1))

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None) -> Any:
        """The next inputs, with embeddings where ids were drawn."""
        with name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs", [time, outputs, state, sample_ids]):
            finished, read, state = super().next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids, name=name
            )

            def mixed() -> Tensor:
                drawn, others = _places(sample_ids > -1), _places(sample_ids <= -1)
                ids, kept = gather_nd(sample_ids, drawn), gather_nd(read, others)
                return _scattered(read, (drawn, self._embedding_fn(ids)), (others, kept))

            return finished, cond(reduce_all(finished), lambda: read, mixed), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """A training helper that sometimes takes the cell's outputs instead of the inputs.

    Samples are bools: whether the outputs are taken.

    Args:
        inputs, sequence_length: as for `TrainingHelper`.
        sampling_probability: float32 scalar or [batch]: how often outputs are taken.
        time_major: whether inputs are [time, batch, ...].
        seed: the seed of the draws.
        next_inputs_fn: takes outputs, returns inputs; the outputs themselves by default.
        auxiliary_inputs: tensors of the layout of `inputs`, appended to inputs and outputs alike.
        name: a name for the operations.

    Raises:
        ValueError: if `sampling_probability` is neither a scalar nor a vector.
    """

    def __init__(
        self,
        inputs: TensorLike,
        sequence_length: TensorLike,
        sampling_probability: TensorLike,
        time_major: bool = False,
        seed: int | None = None,
        next_inputs_fn: Callable[[Any], Any] | None = None,
        auxiliary_inputs: TensorLike | None = None,
        name: str | None = None,
    ) -> None:
        with name_scope(name, "ScheduledOutputTrainingHelper", [inputs, auxiliary_inputs, sampling_probability]):
            self._sampling_probability = _checked_probability(sampling_probability)
            self._auxiliary_input_tas: TensorArray | None = None
            if auxiliary_inputs is not None:
                inputs = convert_to_tensor(inputs, name="inputs")
                auxiliary_inputs = convert_to_tensor(auxiliary_inputs, name="auxiliary_inputs")
                inputs = concat((inputs, auxiliary_inputs), -1)
                if not time_major:
                    auxiliary_inputs = transpose_batch_time(auxiliary_inputs)
                self._auxiliary_input_tas = _unstack_ta(auxiliary_inputs)
            self._seed = seed
            self._next_inputs_fn = next_inputs_fn
            super().__init__(inputs=inputs, sequence_length=sequence_length, time_major=time_major, name=name)

    def sample(self, time: TensorLike, outputs: TensorLike, state: object = None, name: str | None = None) -> Tensor:
        """Whether outputs are taken: int32 [batch], 1 or 0."""
        with name_scope(name, "ScheduledOutputTrainingHelperSample", [time, outputs, state]):
            return bernoulli_sample(probs=self._sampling_probability, sample_shape=self.batch_size, seed=self._seed)

    def next_inputs(self, time: Any, outputs: Any, state: Any, sample_ids: Any = None, name: str | None = None) -> Any:
        """The next inputs, with outputs where they were chosen."""
        with name_scope(name, "ScheduledOutputTrainingHelperNextInputs", [time, outputs, state, sample_ids]):
            finished, read, state = super().next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids, name=name
            )
            chosen = cast(sample_ids, bool_dtype)

            def appended(values: TensorLike, places: Tensor | None = None) -> Any:
                if self._auxiliary_input_tas is None:
                    return values
                auxiliary = self._auxiliary_input_tas.read(time + 1)
                if places is not None:
                    auxiliary = gather_nd(auxiliary, places)
                return nest.map_structure(lambda x, y: concat((x, y), -1), values, auxiliary)

            def mixed() -> Tensor:
                if self._next_inputs_fn is None:
                    return where(chosen, appended(outputs), read)
                drawn, others = _places(chosen), _places(logical_not(chosen))
                taken, kept = gather_nd(outputs, drawn), gather_nd(read, others)
                return _scattered(read, (drawn, appended(self._next_inputs_fn(taken), drawn)), (others, kept))

            ended = reduce_all(finished)
            none = logical_not(reduce_any(chosen))
            return finished, cond(logical_or(ended, none), lambda: read, mixed), state
