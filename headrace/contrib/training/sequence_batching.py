"""Batches of segments of sequences, sparse ones as well, from tensors of one sequence."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.training.sequence_checks import multiple_of, with_checks
from headrace.contrib.training.sequence_states import NextQueuedSequenceBatch, SequenceQueueingStateSaver
from headrace.core import errors
from headrace.core.composite import SparseTensor, SparseTensorValue
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import float32, int32, int64
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.math.reduction import reduce_max
from headrace.kernels.composing.arithmetic import range as range_
from headrace.kernels.composing.arranging import concat, identity, stack
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.ops.array.constant import constant
from headrace.ops.array.fill import fill
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal
from headrace.ops.random.uniform import random_uniform
from headrace.ops.sparse.maps import add_many_sparse_to_tensors_map, take_many_sparse_from_tensors_map
from headrace.ops.sparse.reshape import sparse_reshape
from headrace.ops.string.conversion import as_string
from headrace.ops.string.joining import string_join
from headrace.sessions.queue_runner import QueueRunner, add_queue_runner
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike


_CONTEXT = "_context_in_seq_"
_ENDS = (errors.OutOfRangeError, errors.CancelledError)


def batch_sequences_with_states(
    input_key: TensorLike | None,
    input_sequences: Mapping[str, Any],
    input_context: Mapping[str, Any],
    input_length: TensorLike | None,
    initial_states: Mapping[str, Any],
    num_unroll: int,
    batch_size: Any,
    num_threads: int = 3,
    capacity: int = 1000,
    allow_small_batch: bool = True,
    pad: bool = True,
    make_keys_unique: bool = False,
    make_keys_unique_seed: int | None = None,
    name: str | None = None,
) -> NextQueuedSequenceBatch:
    """Batches of segments of sequences, with states that are kept from one segment to the next.

    Args:
        input_key: string scalar tensor, a name of its own for each sequence.
        input_sequences: name to Tensor or SparseTensor whose first dimension is time.
        input_context: name to Tensor or SparseTensor that belongs to the sequence as a whole.
        input_length: int32 scalar tensor, the sequence's length; None takes the longest one's, where `pad` is set.
        initial_states: name to the state before the first segment; at least one.
        num_unroll: how many time steps make a segment.
        batch_size: how many segments make a batch.
        num_threads: how many threads read sequences.
        capacity: how many sequences may be under way.
        allow_small_batch: whether batches may be smaller when no more sequences come.
        pad: whether to fill sequences up to a multiple of `num_unroll`; they must have such a length otherwise.
        make_keys_unique: whether to append a random number to `input_key`.
        make_keys_unique_seed: the seed of that number.
        name: a name scope.

    Returns:
        the batch, a `NextQueuedSequenceBatch`; a queue runner for it is added to the graph.

    Raises:
        TypeError, ValueError: as `SequenceQueueingStateSaver`.

    Example:
        >>> frames, label = tf.random_normal([50, 3]), tf.constant(1)
        >>> batch = tf.contrib.training.batch_sequences_with_states(
        ...     "key", {"input": frames}, {"label": label}, 50, {"gru": tf.zeros([64])}, num_unroll=20, batch_size=8)
        >>> cell = tf.nn.rnn_cell.GRUCell(64)
        >>> outputs, state = tf.nn.dynamic_rnn(cell, batch.sequences["input"], batch.length, batch.state("gru"))
    """
    with name_scope(name, "batch_sequences_with_states"):
        sequences = {key: _as_tensor(value, key) for key, value in input_sequences.items()}
        context = {key: _as_tensor(value, key) for key, value in input_context.items()}
        if pad:
            length, sequences = padding(sequences, num_unroll)
            input_length = length if input_length is None else input_length
        else:
            sequences = {key: _cut_evenly(value, num_unroll) for key, value in sequences.items()}
        sparse = sorted(key for key, value in context.items() if isinstance(value, SparseTensor))
        steps = _time_steps(sequences)
        for key in sparse:
            sequences[_CONTEXT + key] = _each_segment(context.pop(key), steps, num_unroll)
        sequences, sparse_keys, storing = deconstruct_sparse_tensor_seq(sequences)
        input_key = _numbered(input_key, make_keys_unique_seed) if make_keys_unique else input_key
        saver = SequenceQueueingStateSaver(
            batch_size,
            num_unroll,
            input_length=input_length,
            input_key=input_key,
            input_sequences=sequences,
            input_context=context,
            initial_states=initial_states,
            capacity=capacity,
            allow_small_batch=allow_small_batch,
        )
        scalar(f"queue/{saver.barrier.name}/ready_segment_batches_", cast(saver.barrier.ready_size(), float32))
        add_queue_runner(QueueRunner(saver, [saver.prefetch_op] * num_threads, queue_closed_exception_types=_ENDS))
        batch = saver.next_batch
        reconstruct_sparse_tensor_seq(batch.sequences, sparse_keys, storing, None, num_unroll)
        for key in sparse:
            batch.context[key] = _without_time(batch.sequences.pop(_CONTEXT + key))
        return batch


def _numbered(key: Any, seed: int | None) -> Tensor:
    """The key with a random number behind it."""
    number = random_uniform((), minval=0, maxval=100000000, dtype=int32, seed=seed)
    return string_join([key, as_string(number)])


def _as_tensor(value: SparseTensor | Tensor | np.ndarray, key: str) -> Any:
    if isinstance(value, SparseTensorValue):
        return SparseTensor(*value)
    if isinstance(value, SparseTensor):
        return value
    try:
        return convert_to_tensor(value)
    except TypeError:
        raise TypeError(
            f"Unsupported input_sequences expected Tensor or SparseTensor values, got: {type(value)} for key {key}"
        ) from None


def _time_steps(sequences: Mapping[str, Any]) -> Tensor:
    """The first dimension of the sequences, int64."""
    # Without sequences it is this one, which 1.15 makes in any case: seeds of later initializers are numbers of ops.
    none = constant(1)
    for value in sequences.values():
        return cast(value.dense_shape[0] if isinstance(value, SparseTensor) else shape(value)[0], int64)
    return cast(none, int64)


def padding(sequences: Mapping[str, Any], num_unroll: int) -> tuple[Any, dict[str, Any]]:
    """Fills sequences up to a multiple of a length with zeros or empty strings.

    Args:
        sequences: name to Tensor or SparseTensor whose first dimension is time.
        num_unroll: the length.

    Returns:
        (their length as it was, the filled ones by name).

    Raises:
        TypeError, ValueError: if `sequences` is no dict with strings as keys, or `num_unroll` no int.
        InvalidArgumentError: when run, if dense ones have different lengths.
    """
    if not isinstance(num_unroll, numbers.Integral):
        raise ValueError(f"Unsupported num_unroll expected int, got: {num_unroll}")
    if not isinstance(sequences, Mapping):
        raise TypeError(f"Unsupported sequences expected dict, got: {sequences}")
    for key in sequences:
        if not isinstance(key, str):
            raise TypeError(f"Unsupported sequences key expected string, got: {key}")
    if not sequences:
        return 0, {}
    sequences = {key: _as_tensor(value, key) for key, value in sorted(sequences.items())}
    dense = [shape(value)[0] for value in sequences.values() if not isinstance(value, SparseTensor)]
    if dense:
        # All of one length; sparse ones follow.
        same = []
        for other in dense:
            holds = equal(other, dense[0])
            same.append(
                Assert(
                    holds, [string_join(["All sequence lengths must match, but received lengths: ", as_string(dense)])]
                )
            )
        length = with_checks(same, dense[0], "control_dependency")
    else:
        length = reduce_max(cast([value.dense_shape[0] for value in sequences.values()], int32))
    step = constant(num_unroll)
    total = length + ((step - (length % step)) % step)
    padded: dict[str, Any] = {}
    for key, value in sequences.items():
        if isinstance(value, SparseTensor):
            dims = concat([[cast(total, int64)], value.dense_shape[1:]], 0)
            padded[key] = SparseTensor(value.indices, value.values, dims)
        else:
            rows = concat([[total - shape(value)[0]], shape(value)[1:]], 0)
            blank = constant("" if value.dtype.name == "string" else 0, dtype=value.dtype)
            padded[key] = concat([value, fill(rows, blank)], 0)
    return length, padded


def _cut_evenly(value: Any, unroll: int) -> Any:
    """A sequence whose length is checked to be a multiple of `unroll`."""
    if isinstance(value, SparseTensor):
        with control_dependencies([multiple_of(value.dense_shape[0], unroll)]):
            return SparseTensor(identity(value.indices), identity(value.values), identity(value.dense_shape))
    with control_dependencies([multiple_of(shape(value)[0], unroll)]):
        return identity(value, name="multiple_of_checked")


def _each_segment(value: SparseTensor, steps: Tensor, unroll: int) -> SparseTensor:
    """A sparse context as a sequence that has it at the first time step of each segment."""
    count = cast(steps // unroll, int32)
    entries, dims = shape(value.indices)[0], shape(value.indices)[1]
    starts = range_(0, steps, convert_to_tensor(unroll, dtype=int64))
    time = tile(reshape(starts, [-1, 1, 1]), stack([1, entries, 1]))
    places = tile(expand_dims(value.indices, 0), stack([count, 1, 1]))
    return SparseTensor(
        indices=reshape(concat([time, places], 2), stack([entries * count, dims + 1])),
        values=tile(value.values, expand_dims(count, 0)),
        dense_shape=concat([expand_dims(steps, 0), value.dense_shape], 0),
    )


def _without_time(value: SparseTensor) -> SparseTensor:
    """A batch of what `_each_segment` made, one time step left, without that dimension."""
    batch, rest = value.dense_shape[:1], value.dense_shape[2:]
    one_step = SparseTensor(value.indices, value.values, concat([batch, convert_to_tensor([1], dtype=int64), rest], 0))
    return sparse_reshape(one_step, concat([batch, rest], 0))


def deconstruct_sparse_tensor_seq(
    input_sequence: Mapping[str, Any], shared_name: str | None = None
) -> tuple[dict[str, Any], list[str] | None, list[Operation]]:
    """Sequences with a number for each time step of sparse ones.

    Args:
        input_sequence: from key to tensor or SparseTensor, time first.
        shared_name: of the map that keeps the sparse ones; one for each sequence by default.

    Returns:
        the sequences as tensors; the keys of sparse ones, None if there are none; the operations that keep them.
    """
    sequence = dict(input_sequence)
    keys = [key for key in sorted(sequence) if isinstance(sequence[key], (SparseTensor, SparseTensorValue))]
    for key in keys:
        sequence[key] = add_many_sparse_to_tensors_map(sequence[key], shared_name=shared_name)
    return sequence, keys or None, [sequence[key].op for key in keys]


def reconstruct_sparse_tensor_seq(
    sequence: dict[str, Any],
    sparse_tensor_keys: Sequence[str] | None,
    tensor_op_list: Sequence[Operation],
    batch_size: int | Tensor | None,
    num_unroll: int,
) -> None:
    """Puts sparse tensors of shape (batch, unroll, …) in the place of the numbers of their time steps.

    Args:
        sequence: from key to tensor; changed.
        sparse_tensor_keys, tensor_op_list: what `deconstruct_sparse_tensor_seq` gave.
        batch_size, num_unroll: how many examples of how many time steps there are; None for as many as there are numbers.
    """
    for key, storing in zip(sparse_tensor_keys or (), tensor_op_list, strict=True):
        rank = storing.inputs[2].shape[0].value if storing.inputs[2].shape.ndims else None
        flat = take_many_sparse_from_tensors_map(storing, reshape(sequence[key], [-1]), rank=rank)
        row = flat.indices[:, :1]
        examples = shape(sequence[key])[0] if batch_size is None else batch_size
        sizes = [cast([size], int64) for size in (examples, num_unroll)]
        sequence[key] = SparseTensor(
            indices=concat([row // num_unroll, row % num_unroll, flat.indices[:, 1:]], 1),
            values=flat.values,
            dense_shape=concat([*sizes, flat.dense_shape[1:]], 0),
        )
