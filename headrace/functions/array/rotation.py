"""The dimensions of tensors, rotated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.functions.flow.checks import assert_integer
from headrace.kernels import composing
from headrace.ops.array.where import where_v2

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def rotate_transpose(x: Any, shift: TensorLike, name: str = "rotate_transpose") -> Tensor:
    """`x` with its dimensions moved to the right by `shift`, those that leave coming in again at the left."""
    with name_scope(name, values=[x, shift]):
        x, shift = convert_to_tensor(x, name="x"), convert_to_tensor(shift, name="shift")
        assert_integer(shift)
        steps, rank = constant_value(shift), x.get_shape().ndims
        if rank is not None and steps is not None:
            if rank < 2 or int(steps) % rank == 0:
                return x
            return composing.transpose(x, np.roll(np.arange(rank), int(steps)))
        rank = composing.rank(x)
        left = where_v2(raw.Less(shift, 0), raw.FloorMod(-shift, rank), rank - raw.FloorMod(shift, rank))
        first, last = composing.range_(0, left), composing.range_(left, rank)
        return composing.transpose(x, composing.concat([last, first], 0))
