"""TensorArrays of a cell's state, in the order of the beams that were found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.contrib.seq2seq.beams import Beams
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import int32
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.array.gather import gather_nd
from headrace.functions.array.where import sequence_mask
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.math.reduction import reduce_max
from headrace.kernels.composing.arithmetic import range as integers
from headrace.kernels.composing.arranging import stack, transpose
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.array.where import where
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal
from headrace.ops.math.logical import logical_and, logical_or
from headrace.ops.nn.gather_tree import gather_tree
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike


_ADVICE = "Consider setting reorder_tensor_arrays to False to disable TensorArray reordering during the beam search."


def gather_tree_from_array(t: TensorLike, parent_ids: Tensor, sequence_length: TensorLike) -> Tensor:
    """What steps left behind, along the beams that were found.

    Args:
        t: [time, batch, width, ...] or [time, batch * width, ...].
        parent_ids: int32 [time, batch, width]: the beam of the step before that each beam went on from.
        sequence_length: [batch, width].

    Returns:
        a tensor of the shape of `t`.
    """
    sizes = parent_ids.shape.as_list()
    time, batch, width = (known or shape(parent_ids)[i] for i, known in enumerate(sizes))
    own = tile(expand_dims(expand_dims(integers(width), 0), 0), [time, batch, 1])
    found = gather_tree(
        step_ids=own,
        parent_ids=parent_ids,
        max_sequence_lengths=cast(reduce_max(sequence_length, axis=1), int32),
        end_token=width + 1,
    )
    # Past its end a beam is itself.
    within = transpose(sequence_mask(sequence_length, maxlen=time), perm=[2, 0, 1])
    found = where(within, found, own)
    times = tile(reshape(integers(time), [-1, 1, 1]), [1, batch, width])
    sequences = transpose(tile(reshape(integers(batch), [-1, 1, 1]), [1, time, width]), perm=[1, 0, 2])
    places = stack([times, sequences, found], -1)
    sizes_of_t = shape(t)
    rows = reshape(t, [time, batch, width, -1])
    return reshape(gather_nd(rows, places), sizes_of_t)


def sorted_array(value: TensorLike | TensorArray, parent_ids: Tensor, sequence_length: TensorLike, beams: Beams) -> Any:
    """A TensorArray as a tensor in the order of the beams, where it holds beams; anything else as it is."""
    if not isinstance(value, TensorArray):
        return value
    element = value.element_shape
    if element.ndims is None or element.ndims < 1:
        tf_logging.warn(
            f"The TensorArray {value.handle.name} in the cell state is not amenable to sorting based on the beam "
            "search result. For a TensorArray to be sorted, its elements shape must be defined and have at least a "
            f"rank of 1, but saw shape: {element}"
        )
        return value
    if not may_hold_beams(element, beams):
        return value
    stacked = value.stack()
    with control_dependencies([check_holds_beams(stacked, beams)]):
        return gather_tree_from_array(stacked, parent_ids, sequence_length)


def may_hold_beams(element: TensorShape, beams: Beams) -> bool:
    """Whether elements of a static shape may be those of beams; says so where they may not."""
    batch, width = beams.static_batch, beams.width
    sizes = element.as_list()
    if batch is None or sizes[0] is None:
        return True
    # As 1.15 has it: elements [batch * width, depth] are taken for beams only where their depth is not known.
    inner_known = len(sizes) >= 2 and sizes[1] is not None
    if sizes[0] == batch * width and (not inner_known or sizes[:2] == [batch, width]):
        return True
    tf_logging.warn(
        f"TensorArray reordering expects elements to be reshapable to {TensorShape([batch, width, None])} which is "
        f"incompatible with the current shape {element}. {_ADVICE}"
    )
    return False


def check_holds_beams(t: Tensor, beams: Beams) -> Operation:
    """The assertion that the elements of a stacked array are those of beams."""
    sizes = shape(t)
    holds = equal(sizes[1], beams.batch_size * beams.width)
    if t.shape.ndims != 2:
        split = logical_and(equal(sizes[1], beams.batch_size), equal(sizes[2], beams.width))
        holds = logical_or(holds, split)
    message = (
        "TensorArray reordering expects elements to be reshapable to [batch_size, beam_size, -1] which is incompatible "
        f"with the dynamic shape of {t.name} elements. {_ADVICE}"
    )
    return Assert(holds, [message])
