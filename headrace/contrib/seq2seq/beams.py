"""Tensors of beams: [batch, width, ...] beside [batch * width, ...], and the choice of beams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.contrib.seq2seq.attention_wrapper import AttentionWrapperState
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.math.reduction import reduce_mean
from headrace.kernels.composing.arithmetic import range as integers
from headrace.kernels.composing.arranging import concat, stack
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.ops.array.gather import gather
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.ops.math.division import div

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def known_rank(tensor: Tensor) -> int:
    """The rank of a tensor.

    Raises:
        ValueError: if it is not known.
    """
    rank = tensor.shape.ndims
    if rank is None:
        raise ValueError(f"Expected tensor ({tensor}) to have known rank, but ndims == None.")
    return rank


def _depth(size: TensorLike) -> TensorShape:
    """What is known of inner axes whose sizes may be a tensor."""
    if isinstance(size, Tensor):
        known = constant_value(size)
        return TensorShape(None if known is None else [int(part) for part in known.reshape(-1)])
    return TensorShape(size)


class Beams:
    """The layout of beams.

    Args:
        batch_size: the number of sequences, an int32 scalar.
        width: the number of beams of each.
    """

    def __init__(self, batch_size: Tensor, width: int) -> None:
        self.batch_size, self.width = batch_size, width
        known = constant_value(batch_size)
        self.static_batch = None if known is None else int(known)

    def merge(self, t: Tensor, size: TensorLike) -> Tensor:
        """[batch, width, ...] as [batch * width, ...]; `size` is what is known of the inner axes."""
        sizes = shape(t)
        made = reshape(t, concat(([self.batch_size * self.width], sizes[2:]), 0))
        made.set_shape(TensorShape([self._static_count()]).concatenate(_depth(size)))
        return made

    def split(self, t: Tensor, size: TensorLike) -> Tensor:
        """[batch * width, ...] as [batch, width, ...]; `size` is what is known of the inner axes.

        Raises:
            ValueError: if `t` has another shape.
        """
        sizes = shape(t)
        made = reshape(t, concat(([self.batch_size, self.width], sizes[1:]), 0))
        expected = TensorShape([self.static_batch, self.width]).concatenate(_depth(size))
        if not made.shape.is_compatible_with(expected):
            raise ValueError(
                "Unexpected behavior when reshaping between beam width and batch size.  The reshaped tensor has shape: "
                f"{made.shape}.  We expected it to have shape (batch_size, beam_width, depth) == {expected}.  Perhaps "
                "you forgot to create a zero_state with batch_size=encoder_batch_size * beam_width?"
            )
        made.set_shape(expected)
        return made

    def _static_count(self) -> int | None:
        return None if self.static_batch is None else self.static_batch * self.width

    def maybe_split(self, t: Tensor | TensorArray, size: TensorLike) -> Tensor | TensorArray:
        """`split` of what has a batch: not of TensorArrays and scalars."""
        return t if isinstance(t, TensorArray) or known_rank(t) < 1 else self.split(t, size)

    def maybe_merge(self, t: Tensor | TensorArray, size: TensorLike) -> Tensor | TensorArray:
        """`merge` of what has beams: not of TensorArrays and scalars."""
        return t if isinstance(t, TensorArray) or known_rank(t) < 2 else self.merge(t, size)

    def pick(
        self,
        t: Tensor,
        places: Tensor,
        count: TensorLike,
        rows: Sequence[TensorLike],
        name: str = "tensor_gather_helper",
    ) -> Tensor:
        """Entries of each sequence.

        Args:
            t: a tensor of the batch, with `count` entries for each sequence.
            places: [batch, width]: the numbers of the entries to take of each sequence.
            count: an int32 scalar.
            rows: the shape of `t` with an entry a row.
            name: a name scope.

        Returns:
            a tensor with as many axes of `t` as `rows` has and one more, of the sizes of `t`.
        """
        with name_scope(name):
            first_places = expand_dims(integers(self.batch_size) * count, 1)
            flat_places = reshape(places + first_places, [-1])
            picked = gather(reshape(t, rows), flat_places)
            kept = 1 + len(rows)
            made = reshape(picked, shape(t)[:kept], name="output")
            made.set_shape(TensorShape([self.static_batch, *t.shape[1:kept]]))
            return made

    def reorder(
        self, t: Tensor | TensorArray, parents: Tensor, name: str = "tensor_gather_helper"
    ) -> Tensor | TensorArray:
        """A state [batch, width, ...] with its beams in another order; what has no beams as it is.

        Args:
            t: the state.
            parents: [batch, width]: the number of the beam that comes to each place.
            name: a name scope.
        """
        rows: list[TensorLike] = [self.batch_size * self.width, -1]
        if isinstance(t, TensorArray) or known_rank(t) < len(rows):
            return t
        return self.pick(t, parents, self.width, rows, name)


def length_penalty(lengths: Tensor, weight: TensorLike) -> Tensor | float:
    """`((5 + lengths) / 6) ** weight` (Wu et al., arXiv:1609.08144, equation 14); 1 where the weight is known to be 0."""
    exponent = convert_to_tensor(weight, name="penalty_factor")
    exponent.set_shape(())
    known = constant_value(exponent)
    if known is not None and known == 0:
        return 1.0
    return div((5.0 + cast(lengths, float32)) ** exponent, (5.0 + 1.0) ** exponent)


def _mean(parts: list[Tensor]) -> Tensor:
    return parts[0] if len(parts) == 1 else reduce_mean(stack(parts, axis=-1), -1)


def attention_probs_of(cell_state: object, coverage_penalty_weight: float) -> Tensor | None:
    """The alignments in a cell's state, the mean of those of several mechanisms; None where they are not needed.

    Raises:
        ValueError: if they are needed and no cell attends to anything.
    """
    if not isinstance(coverage_penalty_weight, Tensor) and coverage_penalty_weight == 0.0:
        return None
    if isinstance(cell_state, AttentionWrapperState):
        states = [cell_state]
    else:
        parts = cell_state if isinstance(cell_state, tuple) else ()
        states = [part for part in parts if isinstance(part, AttentionWrapperState)]
    if not states:
        raise ValueError("coverage_penalty_weight must be 0.0 if no cell is attentional.")
    return _mean(
        [_mean(list(state.alignments)) if isinstance(state.alignments, tuple) else state.alignments for state in states]
    )
