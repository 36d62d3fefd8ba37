"""Paddings with which blocks divide space evenly."""

from __future__ import annotations

from typing import Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.filling import zeros


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings that make `block_shape` divide `input_shape`, and the crops that undo them.

    Args:
        input_shape: int32 vector.
        block_shape: int32 vector of a known length n.
        base_paddings: the least paddings, an int32 matrix of shape [n, 2]; zeros by default.
        name: a name for the operations.

    Returns:
        a tuple (paddings, crops) of int32 matrices of shape [n, 2].
    """
    with name_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
        size = convert_to_tensor(input_shape, int32, "input_shape")
        block = convert_to_tensor(block_shape, int32, "block_shape")
        block.get_shape().assert_is_fully_defined()
        block.get_shape().assert_has_rank(1)
        count = int(block.get_shape()[0])
        if count == 0:
            return zeros([0, 2], int32), zeros([0, 2], int32)
        size.get_shape().assert_is_compatible_with([count])
        if base_paddings is None:
            base = zeros([count, 2], int32)
        else:
            base = convert_to_tensor(base_paddings, int32, "base_paddings")
            base.get_shape().assert_is_compatible_with([count, 2])
        known = [constant_value(part) for part in (size, block, base)]
        if all(part is not None for part in known):
            start, end, extra = _paddings_of(*known)
        else:
            start, end = base[:, 0], base[:, 1]
            full = raw.AddV2(raw.AddV2(size, start, name="add"), end, name="add")
            rest = raw.FloorMod(full, block, name="mod")
            extra = raw.FloorMod(raw.Sub(block, rest, name="sub"), block, name="mod")
            end = raw.AddV2(end, extra, name="add")
        paddings = stack([[start[i], end[i]] for i in range(count)], name="paddings")
        crops = stack([[0, extra[i]] for i in range(count)], name="crops")
        return paddings, crops


def _paddings_of(size: Any, block: Any, base: Any) -> tuple[Any, Any, Any]:
    full = size + base[:, 0] + base[:, 1]
    extra = (block - full % block) % block
    return base[:, 0], base[:, 1] + extra, extra
