"""Long sequences in segments of one length: a queue of segments in which each waits for the states of the one before."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.training.sequence_checks import multiple_of, of_rank, of_shape, of_sizes, with_checks
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, name_scope
from headrace.core.dtypes import int32, int64, string
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.checks import assert_greater_equal
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.queues.barriers import Barrier
from headrace.functions.queues.queues import FIFOQueue
from headrace.kernels.composing.arithmetic import range as range_
from headrace.kernels.composing.arranging import concat, identity, stack
from headrace.kernels.composing.filling import ones
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.array.gather import gather
from headrace.ops.array.shape import reshape
from headrace.ops.array.slice import slice as slice_of
from headrace.ops.array.tile import tile
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import group
from headrace.ops.math.binary import maximum, minimum
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import less_equal
from headrace.ops.math.division import div
from headrace.ops.math.logical import logical_not
from headrace.ops.string.conversion import as_string
from headrace.ops.string.joining import string_join

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_FIXED = ("length", "total_length", "next_key", "sequence", "sequence_count")
_TOKEN = 1


def _named_tensors(values: Any, what: str, may_be_empty: bool = True) -> OrderedDict[str, Tensor]:
    """A dict's values as tensors, in the order of its keys.

    Raises:
        TypeError, ValueError: if it is no dict, a key is not fit, or it is empty.
    """
    if not isinstance(values, Mapping):
        raise TypeError(f"{what} must be a dictionary, got {type(values).__name__}")
    if not values and not may_be_empty:
        raise ValueError(f"{what} may not be empty: at least one is needed")
    for key in values:
        if not isinstance(key, str):
            raise TypeError(f"{what}: key must be string: {key}")
        if ":" in key:
            raise ValueError(f"{what}: key may not have a colon: '{key}'")
    converted = {key: convert_to_tensor(value, name=f"{what}_{key}") for key, value in values.items()}
    return OrderedDict(sorted(converted.items()))


def _require_shapes(tensors: Mapping[str, Tensor], what: str, first: int = 0) -> None:
    for key, tensor in tensors.items():
        if tensor.shape.ndims is None or not tensor.shape[first:].is_fully_defined():
            ignored = "(ignoring first dimension)" if first else ""
            raise ValueError(f"Shape for {what} {key} is not fully defined {ignored}: {tensor.shape}")


class _SequenceInputWrapper:
    """A sequence as tensors: its length, its key, what it has at each step, and what belongs to it as a whole."""

    def __init__(
        self, length: Any, key: TensorLike | None, sequences: Mapping[str, Any], context: Mapping[str, Any]
    ) -> None:
        self.length = convert_to_tensor(length, name="length")
        self.key = convert_to_tensor(key, name="key")
        self.sequences = _named_tensors(sequences, "sequence", may_be_empty=False)
        self.context = _named_tensors(context, "context")


class SequenceQueueingStateSaver:
    """Cuts sequences into segments, gives batches of segments, and keeps states from one segment to the next.

    A segment is given only when the states of the one before it have been saved, so that the segments of one sequence
    follow one another in batches of one or more steps.

    Args:
        batch_size: how many segments make a batch, an int or a scalar tensor.
        num_unroll: how many time steps make a segment.
        input_length: int32 scalar tensor, the length of the sequence without its padding.
        input_key: string scalar tensor, a name of its own for each sequence.
        input_sequences: name to tensor whose first dimension is time, a multiple of `num_unroll`.
        input_context: name to tensor that belongs to the sequence as a whole.
        initial_states: name to the state before the first segment; at least one.
        capacity: how many sequences may be under way; no bound by default.
        allow_small_batch: whether batches may be smaller once the saver is closed.
        name: a name scope.

    Raises:
        TypeError: if something is not a dict, a key not a string, or `input_length` and `input_key` of other types.
        ValueError: for a capacity below the batch size, shapes that are not known, and keys with a colon.

    Example:
        >>> saver = tf.contrib.training.SequenceQueueingStateSaver(
        ...     batch_size=8, num_unroll=20, input_length=40, input_key="key", input_context={},
        ...     input_sequences={"input": tf.zeros([40, 3])}, initial_states={"count": tf.zeros([])})
        >>> runner = tf.train.QueueRunner(saver, [saver.prefetch_op] * 2)
        >>> batch = saver.next_batch
        >>> save = batch.save_state("count", batch.state("count") + 1.0)
    """

    def __init__(
        self,
        batch_size: int | Tensor,
        num_unroll: int,
        input_length: Any,
        input_key: TensorLike | None,
        input_sequences: Mapping[str, Any],
        input_context: Mapping[str, Any],
        initial_states: Mapping[str, Any],
        capacity: int | None = None,
        allow_small_batch: bool = False,
        name: str | None = None,
    ) -> None:
        if capacity is not None and isinstance(batch_size, Tensor):
            enough = assert_greater_equal(
                cast(capacity, int64), cast(batch_size, int64), message="capacity needs to be >= batch_size."
            )
            with control_dependencies([enough]):
                input_key = identity(input_key)
        elif capacity is not None and capacity < batch_size:
            raise ValueError(f"capacity {capacity} needs to be >= batch_size {batch_size}")
        bound = -1 if capacity is None else capacity
        # A token for each sequence that is under way.
        self._capacity_queue = FIFOQueue(bound, [int32], shapes=[[]])
        with colocate_with(self._capacity_queue.queue_ref), name_scope(name, "InputQueueingStateSaver") as scope:
            self._batch_size = batch_size
            self._num_unroll = num_unroll
            self._name = self._scope = scope
            given = _SequenceInputWrapper(input_length, input_key, input_sequences, input_context)
            length, key, sequences, self._context = given.length, given.key, given.sequences, given.context
            self._states = states = _named_tensors(initial_states, "state", may_be_empty=False)
            _require_shapes(states, "state")
            _require_shapes(self._context, "context")
            _require_shapes(sequences, "sequence", 1)
            length, self._key = of_rank(length, 0), of_rank(key, 0)
            if length.dtype != int32:
                raise TypeError(f"length dtype must be int32, but received: {length.dtype}")
            if key.dtype != string:
                raise TypeError(f"key dtype must be string, but received: {key.dtype}")
            padded = identity(shape(next(iter(sequences.values())))[0], name="padded_length")
            self._padded_length = multiple_of(padded, num_unroll)
            self._sequences = OrderedDict(
                (label, of_sizes(value, [self._padded_length], f"sorted_sequences_{label}"))
                for label, value in sequences.items()
            )
            said = ["Input length should be <= than length from sequences:", length, " vs. ", self._padded_length]
            self._length = with_checks([Assert(less_equal(length, self._padded_length), said)], length)
            self._barrier = self._make_barrier()
        self._allow_small_batch = allow_small_batch
        self._prefetch_op: Operation | None = None
        self._next_batch: NextQueuedSequenceBatch | None = None

    def _make_barrier(self) -> Barrier:
        groups = (("sequence", self._sequences), ("context", self._context), ("state", self._states))
        names = [("", name) for name in _FIXED] + [(kind, label) for kind, tensors in groups for label in tensors]
        self._components = {name: i for i, name in enumerate(names)}
        types = [int32, int32, string, int32, int32]
        types += [tensor.dtype.base_dtype for _, tensors in groups for tensor in tensors.values()]
        shapes: list[Any] = [()] * len(_FIXED)
        shapes += [[self._num_unroll, *tensor.shape.as_list()[1:]] for tensor in self._sequences.values()]
        shapes += [tensor.shape.as_list() for _, tensors in groups[1:] for tensor in tensors.values()]
        return Barrier(types=types, shapes=shapes)

    @property
    def name(self) -> str:
        """The name scope."""
        return self._name

    @property
    def barrier(self) -> Barrier:
        """The barrier that holds the segments."""
        return self._barrier

    @property
    def batch_size(self) -> Any:
        """How many segments make a batch."""
        return self._batch_size

    @property
    def num_unroll(self) -> int:
        """How many time steps make a segment."""
        return self._num_unroll

    @property
    def prefetch_op(self) -> Operation:
        """The operation that puts the segments of one sequence into the barrier."""
        if self._prefetch_op is None:
            with name_scope(None), name_scope(self._scope):
                self._prefetch_op = self._make_prefetch_op()
        return self._prefetch_op

    @property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """The tensors of the next batch of segments."""
        if self._next_batch is None:
            assert self.prefetch_op is not None
            with name_scope(None), name_scope(self._scope):
                self._next_batch = self._make_next_batch()
        return self._next_batch

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Closes the saver: sequences that are under way go on to their ends, no more come in.

        Args:
            cancel_pending_enqueues: whether those under way are given up.
            name: a name for the operation.
        """
        with name_scope(name, "SQSSClose") as scope:
            closed = self._barrier.close(cancel_pending_enqueues, "BarrierClose")
            no_tokens = self._capacity_queue.close(cancel_pending_enqueues, "FIFOClose")
            return group(closed, no_tokens, name=scope)

    def _insert(self, kind: str, label: str, keys: Tensor, values: Tensor, name: str) -> Operation:
        return self._barrier.insert_many(self._components[kind, label], keys, values, name=name)

    def _make_prefetch_op(self) -> Operation:
        unroll = self._num_unroll
        count = div(self._padded_length, unroll)
        each = ones(expand_dims(count, 0), dtype=int32)
        number = range_(count)
        lengths = minimum(unroll, maximum(0, self._length - unroll * number))
        totals, counts = self._length * each, count * each
        parts = [as_string(number, width=5, fill="0"), "_of_", as_string(count, width=5, fill="0"), ":", self._key]
        keys = string_join(parts, name="StringJoinCurrentKeys")
        others = slice_of(keys, [1], [-1])
        stop = string_join(["STOP:", self._key], name="StringJoinStop")
        next_keys = concat([others, expand_dims(stop, 0)], 0, name="concat_next_keys")
        segments = {label: self._cut(label, value, count) for label, value in self._sequences.items()}
        contexts = {label: self._repeated(label, value, count) for label, value in self._context.items()}

        first = self._insert("", "sequence", keys, number, "BarrierInsertSequence")
        inserts = [
            first,
            self._insert("", "sequence_count", keys, counts, "BarrierInsertSequenceCount"),
            self._insert("", "next_key", keys, next_keys, "BarrierInsertNextKey"),
            self._insert("", "length", keys, lengths, "BarrierInsertLength"),
            self._insert("", "total_length", keys, totals, "BarrierInsertTotalLength"),
        ]
        for label, value in contexts.items():
            inserts.append(self._insert("context", label, keys, value, f"BarrierInsertContext_{label}"))
        for label, value in segments.items():
            inserts.append(self._insert("sequence", label, keys, value, f"BarrierInsertSequences_{label}"))
        token = self._capacity_queue.enqueue((_TOKEN,))
        # The first segment is whole with its states: not before the sequence has its place.
        with control_dependencies([first, token]):
            for label, value in self._states.items():
                name = f"BarrierInitialInsertState_{label}"
                inserts.append(self._insert("state", label, stack([keys[0]]), stack([value]), name))
        return group(*inserts, token, name="StateSaverPrefetchGroup")

    def _cut(self, label: str, value: Tensor, count: Tensor) -> Tensor:
        """A sequence in segments."""
        sizes: list[Any] = value.shape.as_list()[1:]
        parts = [expand_dims(count, 0), expand_dims(self._num_unroll, 0), sizes]
        cut = reshape(value, concat(parts, 0, name=f"concat_sequences_{label}"), name=f"reshape_sequences_{label}")
        return of_sizes(cut, [count, self._num_unroll, *sizes], f"reshaped_sequences_{label}")

    def _repeated(self, label: str, value: Tensor, count: Tensor) -> Tensor:
        """A context for each segment."""
        row = expand_dims(value, 0)
        times = concat([expand_dims(count, 0), [1] * (value.shape.ndims or 0)], 0, name=f"concat_context_{label}")
        tiled = tile(row, times, name=f"tile_context_{label}")
        return of_sizes(tiled, [count, *value.shape.as_list()], f"expanded_context_{label}")

    def _make_next_batch(self) -> NextQueuedSequenceBatch:
        indices, keys, values = self._barrier.take_many(
            self._batch_size, self._allow_small_batch, name="BarrierTakeMany"
        )
        received = {name: values[i] for name, i in self._components.items()}
        count = squeeze(shape(received["", "length"]))
        done = received["", "sequence"] + 1 >= received["", "sequence_count"]
        freed = self._capacity_queue.dequeue_many(reduce_sum(cast(done, int32)))
        with control_dependencies([freed]):
            states = OrderedDict((label, identity(received["state", label])) for label in self._states)
        return NextQueuedSequenceBatch(self, indices, keys, received, states, done, count)


class NextQueuedSequenceBatch:
    """A batch of segments; `SequenceQueueingStateSaver.next_batch` makes it."""

    def __init__(
        self,
        state_saver: SequenceQueueingStateSaver,
        indices: Tensor,
        keys: Tensor,
        received: dict[tuple[str, str], Tensor],
        states: OrderedDict[str, Tensor],
        done: Tensor,
        count: Tensor,
    ) -> None:
        self._state_saver = state_saver
        self._indices = indices
        self._keys = keys
        self._received = received
        self._states = states
        self._done = done
        self._context = self._of_kind("context")
        self._sequences = self._of_kind("sequence")
        self._count = count

    def _of_kind(self, selected: str) -> OrderedDict[str, Any]:
        return OrderedDict((label, tensor) for (kind, label), tensor in self._received.items() if kind == selected)

    @property
    def total_length(self) -> Tensor:
        """The lengths of the whole sequences, int32 of shape (batch,)."""
        return self._received["", "total_length"]

    @property
    def length(self) -> Tensor:
        """How many time steps of each segment are not padding, int32 of shape (batch,)."""
        return self._received["", "length"]

    @property
    def batch_size(self) -> Tensor:
        """How many segments the batch has, an int32 scalar."""
        return self._count

    @property
    def insertion_index(self) -> Tensor:
        """Which of the sequences came first, int64 of shape (batch,)."""
        return self._indices

    @property
    def key(self) -> Tensor:
        """The segments' keys, "00000_of_00003:key of the sequence"."""
        return self._keys

    @property
    def next_key(self) -> Tensor:
        """The keys of the segments that follow, "STOP:key of the sequence" after the last."""
        return self._received["", "next_key"]

    @property
    def sequence(self) -> Tensor:
        """The segments' numbers within their sequences, int32 of shape (batch,)."""
        return self._received["", "sequence"]

    @property
    def sequence_count(self) -> Tensor:
        """How many segments their sequences have, int32 of shape (batch,)."""
        return self._received["", "sequence_count"]

    @property
    def context(self) -> OrderedDict[str, Any]:
        """Name to batch of what belongs to whole sequences."""
        return self._context

    @property
    def sequences(self) -> OrderedDict[str, Any]:
        """Name to batch of segments, of shape (batch, num_unroll, …)."""
        return self._sequences

    def state(self, state_name: str) -> Tensor:
        """The states after the segments before these, or the initial ones.

        Raises:
            KeyError: if there is no such state.
        """
        return self._states[state_name]

    def save_state(self, state_name: str, value: TensorLike, name: str | None = None) -> Operation:
        """Keeps states for the segments that follow.

        Args:
            state_name: which state.
            value: a tensor like `state(state_name)`.
            name: a name scope.

        Raises:
            KeyError: if there is no such state.
        """
        if state_name not in self._states:
            raise KeyError(f"state was not declared: {state_name}")
        saver = self._state_saver
        with name_scope(name, "InputQueueingStateSaver_SaveState"), colocate_with(saver._capacity_queue.queue_ref):
            going_on = reshape(where_v2(logical_not(self._done)), [-1])
            keys = gather(self.next_key, going_on)
            value = identity(value, name=f"convert_{state_name}")
            value = of_shape(value, shape(self._states[state_name]))
            label = f"BarrierInsertState_{state_name}"
            return saver._insert("state", state_name, keys, gather(value, going_on), label)


__all__: Sequence[str] = ("NextQueuedSequenceBatch", "SequenceQueueingStateSaver")
