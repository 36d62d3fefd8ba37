"""The states that connectionist temporal classification goes through: forwards and backwards over the frames.

L. Rabiner, "A tutorial on hidden Markov models and selected applications in speech recognition", Proceedings of the
IEEE 77 (1989), section III, by logarithms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.where import sequence_mask
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.reduction import reduce_logsumexp
from headrace.functions.nn.ctc_functions import size_of
from headrace.kernels import composing
from headrace.ops.array.where import one_hot

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def scan(
    fn: Callable[[Any, Any], Any],
    elems: TensorLike,
    initial: TensorLike,
    reverse: bool = False,
    inclusive: bool = False,
    final_only: bool = False,
) -> Any:
    """The values that `fn(accumulators, element)` gives one after the other.

    Args:
        fn: takes and returns accumulators of the structure of `initial`.
        elems: tensors, in any structure, whose first dimensions are as long: the elements.
        initial: the accumulators before the first element.
        reverse: whether to begin with the last element; the results stand where their elements do.
        inclusive: whether `initial` is among the results, before the first or, in reverse, after the last.
        final_only: whether only the last accumulators are wanted.

    Returns:
        in the structure of `initial` the results, along a new first dimension unless `final_only`.

    Example:
        >>> sess.run(scan(lambda total, x: total + x, tf.constant([1.0, 2.0, 3.0]), tf.constant(1.0)))
        array([2., 4., 7.], dtype=float32)
    """
    flat_elems = [convert_to_tensor(item) for item in nest.flatten(elems)]
    flat_initial = [convert_to_tensor(item) for item in nest.flatten(initial)]
    count = composing.shape(flat_elems[0])[0]
    first = count - 1 if reverse else convert_to_tensor(0, "int32")
    # Where the result of element 0 goes.
    offset = 1 if inclusive and not reverse else 0

    def going_on(i: Tensor, *_: Any) -> Tensor:
        return raw.GreaterEqual(i, 0) if reverse else raw.Less(i, count)

    def step(i: Tensor, accumulated: list[Tensor], kept: list[TensorArray]) -> tuple[Any, ...]:
        element = nest.pack_sequence_as(elems, [composing.gather(item, i) for item in flat_elems])
        values = nest.flatten(fn(nest.pack_sequence_as(initial, accumulated), element))
        kept = [array.write(i + offset, value) for array, value in zip(kept, values, strict=bool(kept))]
        return (i - 1 if reverse else i + 1), values, kept

    arrays = []
    if not final_only:
        arrays = [
            TensorArray(item.dtype, size=count + int(inclusive), element_shape=item.shape) for item in flat_initial
        ]
        if inclusive:
            place = count if reverse else 0
            arrays = [array.write(place, item) for array, item in zip(arrays, flat_initial, strict=True)]
    _, accumulated, kept = while_loop(going_on, step, (first, flat_initial, arrays))
    results = accumulated if final_only else [array.stack() for array in kept]
    return nest.pack_sequence_as(initial, results)


def ctc_state_log_probs(seq_lengths: TensorLike, max_seq_length: int) -> tuple[Tensor, Tensor]:
    """The log probabilities of beginning and of ending in each state.

    The states are the place before all labels, each label, and as many blanks after them.

    Args:
        seq_lengths: int vector [batch]: how many labels each sequence has.
        max_seq_length: the greatest number there can be.

    Returns:
        two float32 tensors [batch, states]; what cannot be is about log(1e-307).
    """
    seq_lengths = convert_to_tensor(seq_lengths)
    batch, labels = size_of(seq_lengths, 0), max_seq_length + 1
    impossible = composing.cast(raw.Log(composing.cast(0, "float64") + 1e-307), "float32")
    begins = one_hot(composing.zeros([batch], "int32"), depth=2 * labels, on_value=0.0, off_value=impossible, axis=1)
    ends = composing.ones([2, 1, batch]) * one_hot(seq_lengths, depth=labels, axis=0)
    log_ends = raw.Reshape((1.0 - ends) * impossible, [2 * labels, batch])
    return begins, composing.transpose(log_ends)


def labels_of_states(labels: TensorLike, num_labels: int, states: TensorLike) -> Tensor:
    """The log probabilities of labels, of those of states.

    Args:
        labels: int matrix [batch, longest]: the labels of each sequence; 0 is the blank and fills up.
        num_labels: how many labels there are, with the blank.
        states: [frames, batch, 2 * (longest + 1)]: log probabilities of the states.

    Returns:
        [frames, batch, num_labels].
    """
    labels, states = convert_to_tensor(labels), convert_to_tensor(states)
    count = size_of(labels, 1) + 1
    of_labels, of_blanks = states[:, :, 1:count], states[:, :, count:]
    places = one_hot(labels - 1, depth=num_labels - 1, on_value=0.0, off_value=raw.Log(0.0))
    expanded = composing.expand_dims(of_labels, 3) + composing.expand_dims(places, 0)
    summed = reduce_logsumexp(expanded, axis=2)
    return composing.concat([reduce_logsumexp(of_blanks, axis=2, keepdims=True), summed], -1)


def forward_backward_log(
    state_trans_log_probs: TensorLike,
    initial_state_log_probs: TensorLike,
    final_state_log_probs: TensorLike,
    observed_log_probs: TensorLike,
    sequence_length: TensorLike,
) -> tuple[Tensor, Tensor]:
    """The log probabilities of states given all frames, and of the frames.

    Args:
        state_trans_log_probs: [states, states], or [batch, states, states]: of going into the state of the row from that
            of the column.
        initial_state_log_probs, final_state_log_probs: [batch, states]: of beginning and of ending in each.
        observed_log_probs: [frames, batch, states]: of each frame in each state.
        sequence_length: int vector [batch]: how many frames there are of each sequence.

    Returns:
        float32 tensors [frames, batch, states] and [batch].

    Raises:
        ValueError: if the rank of `state_trans_log_probs` is not 2 or 3.
    """
    into, observed = convert_to_tensor(state_trans_log_probs), convert_to_tensor(observed_log_probs)
    final = convert_to_tensor(final_state_log_probs)
    rank = into.shape.ndims
    if rank not in (2, 3):
        raise ValueError(f"state_trans_log_probs rank must be known and == 2 or 3, is: {rank}")
    out_of = composing.transpose(into, [1, 0] if rank == 2 else [0, 2, 1])
    mask = composing.transpose(sequence_mask(sequence_length, size_of(observed, 0), "float32"), [1, 0])

    def moved(states: Tensor, transitions: Tensor) -> Tensor:
        return reduce_logsumexp(composing.expand_dims(states, 1) + transitions, axis=-1)

    def forward(states: Tensor, frame: Tensor) -> Tensor:
        states = moved(states, into) + frame
        return states - reduce_logsumexp(states, axis=-1, keepdims=True)

    def backward(before: tuple[Tensor, Tensor], element: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        (states, likelihood), (frame, there) = before, element
        states = moved(states + frame, out_of)
        total = reduce_logsumexp(states, axis=-1, keepdims=True)
        column = composing.expand_dims(there, 1)
        # Frames after a sequence's end leave it at its end.
        states = (states - total) * column + final * (1.0 - column)
        return states, likelihood + composing.squeeze(total, [-1]) * there

    forwards = scan(forward, observed, initial_state_log_probs, inclusive=True)
    nothing = composing.zeros([size_of(observed, 1)])
    backwards, likelihoods = scan(backward, (observed, mask), (final, nothing), reverse=True, inclusive=True)
    both = forwards[1:] + backwards[1:]
    both = both - reduce_logsumexp(both, axis=2, keepdims=True) + raw.Log(composing.expand_dims(mask, 2))
    return both, backwards[0, :, 0] + likelihoods[0]
