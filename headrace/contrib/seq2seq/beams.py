"""Tensors of beams: [batch, width, ...] beside [batch * width, ...], and the choice of beams."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.seq2seq.attention_wrapper import AttentionWrapperState
from headrace.core.constant_value import constant_value
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
        # Made here, once, not in every step of a loop.
        self._rows = expand_dims(integers(batch_size), 1)
        self._first_beams = self._rows * width

    def _reshaped(
        self, t: Tensor, outer: list[Any], inner_from: int, static: list[int | None], size: TensorLike
    ) -> Tensor:
        """`t` with other outer axes; the inner ones, from `inner_from` on, stay."""
        inner = None if t.dims is None else t.dims[inner_from:]
        if inner is None or None in inner:
            new_shape: Any = concat((outer, shape(t)[inner_from:]), 0)
        else:
            new_shape = [*outer, *inner]
        made = reshape(t, new_shape)
        expected = TensorShape(static).concatenate(_depth(size))
        if not made.shape.is_compatible_with(expected):
            raise ValueError(
                "Unexpected behavior when reshaping between beam width and batch size.  The reshaped tensor has shape: "
                f"{made.shape}.  We expected it to have shape (batch_size, beam_width, depth) == {expected}.  Perhaps "
                "you forgot to create a zero_state with batch_size=encoder_batch_size * beam_width?"
            )
        made.set_shape(expected)
        return made

    def merge(self, t: Tensor, size: TensorLike) -> Tensor:
        """[batch, width, ...] as [batch * width, ...]; `size` is what is known of the inner axes."""
        static = None if self.static_batch is None else self.static_batch * self.width
        return self._reshaped(t, [-1], 2, [static], size)

    def split(self, t: Tensor, size: TensorLike) -> Tensor:
        """[batch * width, ...] as [batch, width, ...]; `size` is what is known of the inner axes.

        Raises:
            ValueError: if `t` has another shape.
        """
        return self._reshaped(t, [self.batch_size, self.width], 1, [self.static_batch, self.width], size)

    def maybe_split(self, t: Tensor | TensorArray, size: TensorLike) -> Tensor | TensorArray:
        """`split` of what has a batch: not of TensorArrays and scalars."""
        return t if isinstance(t, TensorArray) or known_rank(t) < 1 else self.split(t, size)

    def maybe_merge(self, t: Tensor | TensorArray, size: TensorLike) -> Tensor | TensorArray:
        """`merge` of what has beams: not of TensorArrays and scalars."""
        return t if isinstance(t, TensorArray) or known_rank(t) < 2 else self.merge(t, size)

    def pick_each(self, t: Tensor, places: Tensor, count: TensorLike, name: str | None = None) -> Tensor:
        """Elements of each sequence.

        Args:
            t: [batch, ...] with `count` elements for each sequence.
            places: [batch, width]: the numbers of the elements to take of each sequence.
            count: an int32 scalar.
            name: a name scope.

        Returns:
            [batch, width].
        """
        with name_scope(name, "pick_each"):
            picked = gather(reshape(t, [-1]), places + self._rows * count)
            picked.set_shape([self.static_batch, self.width])
            return picked

    def picker(self, parents: Tensor) -> Callable[[Tensor | TensorArray], Tensor | TensorArray]:
        """A function that puts the beams of tensors [batch, width, ...] in another order; what has no beams stays.

        Args:
            parents: [batch, width]: the number of the beam that comes to each place.
        """
        places = parents + self._first_beams

        def pick(t: Tensor | TensorArray) -> Tensor | TensorArray:
            if isinstance(t, TensorArray) or known_rank(t) < 2:
                return t
            with name_scope(None, "pick_beams"):
                picked = gather(self.merge(t, t.shape[2:]), places)
                picked.set_shape(t.dims)
                return picked

        return pick


def length_penalty(lengths: Tensor, weight: Tensor) -> Tensor:
    """`((5 + lengths) / 6) ** weight` (Wu et al., arXiv:1609.08144, equation 14)."""
    return div((5.0 + cast(lengths, float32)) ** weight, (5.0 + 1.0) ** weight)


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
