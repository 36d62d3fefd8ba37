"""Rows in random order, and random crops."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.operation import Tensor
from headrace.core.random_seed import get_seed
from headrace.core.registry import op, raw
from headrace.ops import composing
from headrace.ops.array.common import is_text, moving
from headrace.ops.flow.assertion import Assert, all_of
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.random.common import generator_for, is_seeded, stream_of
from headrace.ops.random.uniform import random_uniform

random_shuffle_op = op("RandomShuffle", "value: T, *, seed=0, seed2=0 -> output: T", stateful=True).aliases()


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


def random_shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
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


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """A part of `value` of shape `size`, from a place chosen at random.

    Args:
        value: the tensor to crop.
        size: int32 vector of the rank of `value`; a dimension is left whole by giving its full size.
        seed: the op's seed.
        name: a name for the operation.

    Returns:
        a tensor of shape `size`.

    Raises:
        InvalidArgumentError: at run time, if `value` is smaller than `size`.

    Example:
        >>> tf.random_crop(image, [24, 24, 3])
    """
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, "int32", name="size")
        shape = composing.shape(value)
        fits = raw.GreaterEqual(shape, size)
        check = Assert(all_of(fits), ["Need value.shape >= size, got ", shape, size], summarize=1000)
        shape = with_dependencies([check], shape)
        limit = raw.AddV2(raw.Sub(shape, size, name="sub"), 1, name="add")
        highest = size.dtype.max
        offset = random_uniform(composing.shape(shape), dtype=size.dtype, maxval=highest, seed=seed)
        return raw.Slice(value, raw.FloorMod(offset, limit, name="mod"), size, name=scope)
