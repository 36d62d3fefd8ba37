"""Running a step over the time axis of sequences, with masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core import nest
from headrace.core.dtypes import as_dtype
from headrace.core.dtypes import bool as bool_type
from headrace.core.tensor import Tensor
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.kernels.composing.arranging import stack, transpose
from headrace.kernels.composing.filling import zeros_like
from headrace.kernels.composing.shapes import expand_dims
from headrace.kernels.composing.shapes import shape as shape_of
from headrace.ops.array.constant import constant
from headrace.ops.array.join import unstack
from headrace.ops.array.reverse import reverse
from headrace.ops.array.tile import tile
from headrace.ops.array.where import where, where_v2
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    # Takes the input and the states at a time, gives the output and the new states.
    Step = Callable[[Any, tuple[Any, ...]], tuple[Any, Sequence[Any]]]
    # The last output, all outputs, the last states.
    Result = tuple[Any, Any, Any]


class _Sequences(NamedTuple):
    """What a step is run over, time first.

    Attributes:
        inputs: the structure of the inputs; `flat`: its tensors.
        mask: None, or which samples count at which time.
        constants: further arguments of the step, after the states.
        go_backwards: whether the last time comes first.
        zero_output_for_mask: whether masked outputs are zeros rather than the output before.
    """

    inputs: Any
    flat: list[Tensor]
    mask: Tensor | None
    constants: tuple[Any, ...]
    go_backwards: bool
    zero_output_for_mask: bool


def rnn(
    step_function: Step,
    inputs: Any,
    initial_states: Sequence[Any],
    go_backwards: bool = False,
    mask: Tensor | None = None,
    constants: Sequence[Any] | None = None,
    unroll: bool = False,
    input_length: int | Tensor | None = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
) -> Result:
    """Runs a step over the time axis of `inputs`.

    Args:
        step_function: takes the input at a time and a tuple of the states and `constants`, returns the output and a list
            of the new states.
        inputs: a tensor (batch, time, ...), or a structure of such.
        initial_states: the states before the first step.
        go_backwards: whether the steps begin at the last time; the outputs are in the order of the steps.
        mask: a tensor (batch, time) of bools: where it is False, the states stay as they are.
        constants: tensors passed to each step after the states.
        unroll: whether each step gets operations of its own rather than being one loop.
        input_length: the greatest number of steps.
        time_major: whether time is the first axis of inputs, mask and outputs.
        zero_output_for_mask: whether masked outputs are zeros; by default they are the output before.

    Returns:
        the last output, all outputs (batch, time, ...), and the list of the last states.

    Raises:
        ValueError: if `unroll` and the number of times is not known.

    Example:
        >>> def add(x, states):
        ...     total = x + states[0]
        ...     return total, [total]
        >>> last, sums, states = tf.keras.backend.rnn(add, inputs, [tf.zeros_like(inputs[:, 0])])
    """
    if not time_major:
        inputs = nest.map_structure(swap_batch_and_time, inputs)
    flat = nest.flatten(inputs)
    for tensor in flat:
        tensor.shape.with_rank_at_least(3)
    times, batch = flat[0].dims[:2]
    count = shape_of(flat[0])[0]
    if mask is not None:
        mask = _time_first(mask, time_major)
    over = _Sequences(inputs, flat, mask, tuple(constants or ()), go_backwards, zero_output_for_mask)
    if unroll:
        if not times:
            raise ValueError("Unrolling requires a fixed number of timesteps.")
        last, outputs, states = _unrolled(step_function, over, initial_states, times)
    else:
        last, outputs, states = _looped(step_function, over, initial_states, count, input_length)

    def known(output: Any) -> Any:
        if isinstance(output, Tensor):
            output.set_shape([times, batch, *output.dims[2:]] if output.dims is not None else None)
        return output

    outputs = nest.map_structure(known, outputs)
    if not time_major:
        outputs = nest.map_structure(swap_batch_and_time, outputs)
    return last, outputs, states


def swap_batch_and_time(tensor: Tensor) -> Tensor:
    """A tensor with its first two axes in each other's place.

    Raises:
        IndexError: if it has fewer.
    """
    if len(tensor.shape) < 2:
        raise IndexError(f"rnn: sequences and masks have axes of the batch and of time, got shape {tensor.shape}.")
    return transpose(tensor, [1, 0, *range(2, len(tensor.shape))])


def _time_first(mask: Tensor, time_major: bool) -> Tensor:
    if as_dtype(mask.dtype) != bool_type:
        mask = cast(mask, bool_type)
    if len(mask.shape) == 2:
        mask = expand_dims(mask, -1)
    return mask if time_major else swap_batch_and_time(mask)


def _spread(mask: Any, over: Any, fixed: int = 1) -> Tensor:
    """The mask for each element of a tensor: its first `fixed` axes are the same."""
    for _ in range(len(over.shape) - len(mask.shape)):
        mask = expand_dims(mask, -1)
    return tile(mask, [1] * fixed + over.shape.as_list()[fixed:])


def _chosen(mask: Tensor, taken: Sequence[Any], others: Sequence[Any], like: Sequence[Any] | None = None) -> list[Any]:
    """What of `taken` the mask lets through, else of `others`; it is spread over `like`, which is `taken` by default."""
    spread = [_spread(mask, tensor) for tensor in (taken if like is None else like)]
    return [where(m, tensor, other) for m, tensor, other in zip(spread, taken, others)]


# ---- each step by operations of its own


def _parts(tensor: Tensor, go_backwards: bool) -> list[Tensor]:
    parts = unstack(tensor)
    return parts[::-1] if go_backwards else parts


def _unrolled(step: Step, over: _Sequences, initial_states: Sequence[Any], times: int) -> Result:
    inputs = [_parts(tensor, over.go_backwards) for tensor in over.flat]
    masks = None if over.mask is None else _parts(over.mask, over.go_backwards)
    states: Any = tuple(initial_states)
    outputs: list[Any] = []
    for time in range(times):
        now = nest.pack_sequence_as(over.inputs, [parts[time] for parts in inputs])
        output, new_states = step(now, (*states, *over.constants))
        if masks is None:
            states = new_states
        else:
            flat = nest.flatten(output)
            spread = [_spread(masks[time], tensor) for tensor in flat]
            before = nest.flatten(outputs[-1]) if outputs else [zeros_like(tensor) for tensor in flat]
            output = nest.pack_sequence_as(output, [where(m, x, y) for m, x, y in zip(spread, flat, before)])
            flat_states, flat_new = nest.flatten(states), nest.flatten(new_states)
            states = nest.pack_sequence_as(new_states, _chosen(masks[time], flat_new, flat_states))
        outputs.append(output)
    last, stacked = outputs[-1], nest.map_structure(lambda *each: stack(list(each)), *outputs)
    if masks is not None and over.zero_output_for_mask:
        last = nest.map_structure(lambda x: where_v2(_spread(masks[-1], x), x, zeros_like(x)), last)
        # As in 1.15 the mask is in the order of the inputs here, also where these go backwards.
        stacked = nest.map_structure(lambda x: where_v2(_spread(over.mask, x, 2), x, zeros_like(x)), stacked)
    return last, stacked, states


# ---- one loop


def _array(tensor: Tensor, count: Tensor, name: str) -> Any:
    return TensorArray(dtype=tensor.dtype, size=count, tensor_array_name=name)


def _looped(
    step: Step, over: _Sequences, initial_states: Sequence[Any], count: Tensor, limit: int | Tensor | None
) -> Result:
    states = tuple(initial_states)
    arrays = [_array(tensor, count, f"input_ta_{i}") for i, tensor in enumerate(over.flat)]
    read_from = [
        array.unstack(reverse(tensor, [0]) if over.go_backwards else tensor) for array, tensor in zip(arrays, over.flat)
    ]
    # The first step says what kinds of outputs there are; its own values are not used.
    first = nest.pack_sequence_as(over.inputs, [tensor[0] for tensor in over.flat])
    sample, _ = step(first, (*states, *over.constants))
    flat_sample = nest.flatten(sample)
    written = tuple(_array(tensor, count, f"output_ta_{i}") for i, tensor in enumerate(flat_sample))
    time = constant(0, dtype="int32", name="time")
    masks: Any = None
    zeros: tuple[Tensor, ...] = ()
    if over.mask is not None:
        mask = reverse(over.mask, [0]) if over.go_backwards else over.mask
        masks = TensorArray(dtype=bool_type, size=count, tensor_array_name="mask_ta").unstack(mask)
        zeros = tuple(zeros_like(tensor) for tensor in flat_sample)
    skipped = 2 if masks is None else 3

    def body(now: Tensor, outputs: Any, *kept: Any) -> tuple[Any, ...]:
        current = nest.pack_sequence_as(over.inputs, [array.read(now) for array in read_from])
        before = kept if masks is None else kept[1:]
        mask_now = None if masks is None else masks.read(now)
        output, new_states = step(current, (*before, *over.constants))
        flat = nest.flatten(output)
        if mask_now is not None:
            flat = _chosen(mask_now, flat, zeros if over.zero_output_for_mask else kept[0])
        old, new = nest.flatten(before), nest.flatten(new_states)
        for one, other in zip(old, new):
            if isinstance(other, Tensor):
                other.set_shape(one.shape)
        if mask_now is not None:
            new = _chosen(mask_now, new, old, old)
        outputs = tuple(array.write(now, tensor) for array, tensor in zip(outputs, flat))
        middle = () if masks is None else (tuple(flat),)
        like = initial_states if masks is None else new_states
        return (now + 1, outputs, *middle, *nest.pack_sequence_as(like, new))

    final = while_loop(
        lambda now, *_: now < count,
        body,
        (time, written, *(() if masks is None else (zeros,)), *states),
        maximum_iterations=limit,
        parallel_iterations=32,
        swap_memory=True,
    )
    outputs = [array.stack() for array in final[1]]
    last = nest.pack_sequence_as(sample, [tensor[-1] for tensor in outputs])
    return last, nest.pack_sequence_as(sample, outputs), final[skipped:]
