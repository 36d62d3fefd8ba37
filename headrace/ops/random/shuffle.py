"""Rows in random order, and random crops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.random_seed import get_seed
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import is_text, moving
from headrace.kernels.random.sampling import generator_for, is_seeded, stream_of

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


random_shuffle_op = (
    op("RandomShuffle", "value: T, *, seed=0, seed2=0 -> output: T", stateful=True).aliases().no_side_effects()
)


@random_shuffle_op.shape
def random_shuffle_shape(op):
    return [op.inputs[0].dims]


@random_shuffle_op.kernel
def random_shuffle_kernel(node):
    device = node.device
    if is_seeded(node) or is_text(node.inputs[0]):
        stream = stream_of(node)

        def order(count):
            return torch.from_numpy(stream.shuffle_permutation(count)).to(device)
    else:
        generator = generator_for(device)

        def order(count):
            return torch.randperm(count, generator=generator, device=device)

    if is_text(node.inputs[0]):
        return lambda value: value if value.ndim == 0 or value.size <= 1 else value[order(len(value)).numpy()]

    def shuffle(value):
        # Where there is nothing to shuffle the stream stays where it is.
        if value.dim() == 0 or value.numel() <= 1 or value.shape[0] <= 1:
            return value
        return value.index_select(0, order(value.shape[0]))

    return moving(node, shuffle)


random_shuffle_op.accepts(np.arange(6.0).reshape(3, 2), seed=1).accepts([0, 3], seed=1).accepts(1.0)


def random_shuffle(value: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """`value` with its rows in random order.

    Args:
        value: tensor of any shape and type; the first dimension is shuffled.
        seed: the op's seed.
        name: a name for the operation.

    Returns:
        a tensor of the same shape and type.

    Example:
        >>> tf.random_shuffle([[1, 2], [3, 4], [5, 6]], seed=1)
        <tf.Tensor 'RandomShuffle:0' shape=(3, 2) dtype=int32>
    """
    seed1, seed2 = get_seed(seed)
    return raw.RandomShuffle(value, seed=seed1, seed2=seed2, name=name)
