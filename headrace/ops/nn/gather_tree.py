"""The beams that steps and their parents spell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.dims import merge_dim, merge_dims
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid, rank_is, shape_text

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


gather_tree_op = op(
    "GatherTree",
    "step_ids: T, parent_ids: T, max_sequence_lengths: int32, end_token: T, *, T: {int32} -> beams: T",
).touches(outputs=True)


@gather_tree_op.shape
def gather_tree_shape(op):
    steps, parents, lengths, end = (x.dims for x in op.inputs)
    beams = merge_dims(rank_is(steps, 3), rank_is(parents, 3))
    rank_is(end, 0)
    return [(beams[0], merge_dim(beams[1], rank_is(lengths, 1)[0]), beams[2])]


@gather_tree_op.kernel
def gather_tree_kernel(node):
    def trace(steps, parents, lengths, end):
        _check(steps, parents, lengths, end)
        time, batch, width = steps.shape
        beams = end.expand(time, batch, width).clone()
        if not beams.numel():
            return beams
        own = torch.arange(width, device=steps.device, dtype=torch.int64).expand(batch, width)
        path, last = own, lengths.clamp(max=time)[:, None] - 1
        for level in range(time - 1, -1, -1):
            # A sequence's own beams begin at its last step; from there its path goes from parent to parent.
            begun = last >= level
            beams[level] = torch.where(begun, steps[level].gather(1, path), beams[level])
            above = parents[level].long().gather(1, path)
            wrong = begun & ((above < 0) | (above >= width)) if level else None
            if wrong is not None and wrong.any():
                b, w = (int(i) for i in wrong.nonzero()[0])
                raise invalid(
                    f"Saw invalid parent id {int(above[b, w])} at (batch, time, beam) == ({b}, {level - 1}, {w})"
                )
            path = torch.where(begun, above, own)
        # What comes after an end token is end tokens.
        ended = (beams == end).cumsum(0) > 0
        return torch.where(ended, end, beams)

    return trace


def _check(steps: torch.Tensor, parents: torch.Tensor, lengths: torch.Tensor, end: torch.Tensor) -> None:
    for name, value, rank, kind in (
        ("step_ids", steps, 3, "a 3-tensor"),
        ("parent_ids", parents, 3, "a 3-tensor"),
        ("max_sequence_lengths", lengths, 1, "a vector"),
        ("end_token", end, 0, "a scalar"),
    ):
        if value.dim() != rank:
            raise invalid(f"{name} must be {kind}, saw shape: {shape_text(value.shape)}")
    if steps.shape != parents.shape:
        raise invalid(
            f"step_ids.shape must match parent_ids.shape.  but shapes are: {shape_text(steps.shape)} and "
            f"{shape_text(parents.shape)}"
        )
    if steps.shape[1] != lengths.shape[0]:
        raise invalid(
            "batch size dimensions step_ids.shape[1] and max_sequence_lengths.shape[0] must match.  but shapes are: "
            f"{shape_text(steps.shape)} and {shape_text(lengths.shape)}"
        )


_STEPS, _PARENTS = np.array([[[1, 2]], [[3, 4]]], np.int32), np.array([[[0, 0]], [[1, 0]]], np.int32)
gather_tree_op.accepts(_STEPS, _PARENTS, np.array([2], np.int32), np.array(9, np.int32))
gather_tree_op.rejects(_STEPS, _PARENTS, np.array([2, 2], np.int32), np.array(9, np.int32), error=ValueError)


def gather_tree(
    step_ids: TensorLike,
    parent_ids: TensorLike,
    max_sequence_lengths: TensorLike,
    end_token: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The whole beams of the ids of steps and of the beams that they go on from.

    Args:
        step_ids: int32 [time, batch, width].
        parent_ids: int32 [time, batch, width]: the beam of the step before that each id follows.
        max_sequence_lengths: int32 [batch].
        end_token: int32 scalar: fills what comes after the end.
        name: a name for the operation.

    Returns:
        int32 [time, batch, width].

    Raises:
        InvalidArgumentError: when run, for a parent that is no beam.

    Example:
        >>> tf.contrib.seq2seq.gather_tree([[[1, 2]], [[3, 4]]], [[[0, 0]], [[1, 0]]], [2], 9)  # [[[2, 1]], [[3, 4]]]
    """
    return raw.GatherTree(step_ids, parent_ids, max_sequence_lengths, end_token, name=name)
