"""And, or, not and exclusive or of bools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.math.elementwise import broadcast_shape, checked, function_of, same_shape
from headrace.kernels.native import named

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


logical_and_op = op("LogicalAnd", "x: bool, y: bool -> z: bool").not_differentiable().scalar("{0} & {1}")
logical_or_op = op("LogicalOr", "x: bool, y: bool -> z: bool").not_differentiable().scalar("{0} | {1}")
logical_not_op = op("LogicalNot", "x: bool -> y: bool").not_differentiable().keeps_shape().scalar("~{0}")

logical_and_op.shape(broadcast_shape)
logical_or_op.shape(broadcast_shape)
logical_not_op.shape(same_shape)

for _decl in (logical_and_op, logical_or_op):
    _decl.accepts(np.array([[True], [False]]), np.array([True, False]))
    _decl.rejects(np.array([True, False]), np.array([True] * 3), error=ValueError)
logical_not_op.accepts(np.array([True, False]))


@logical_and_op.kernel
def logical_and_kernel(node):
    return checked(node, torch.logical_and)


@logical_or_op.kernel
def logical_or_kernel(node):
    return checked(node, torch.logical_or)


@logical_not_op.kernel
def logical_not_kernel(node):
    return torch.logical_not


logical_and = function_of(logical_and_op, "logical_and", "Where both x and y hold.")
logical_or = function_of(logical_or_op, "logical_or", "Where x or y holds.")
logical_not = function_of(logical_not_op, "logical_not", "Where x does not hold.")


def logical_xor(x: TensorLike, y: TensorLike, name: str = "LogicalXor") -> Tensor:
    """Where exactly one of x and y holds: (x | y) & ~(x & y).

    Args:
        x, y: bool tensors of shapes that broadcast.
        name: a name for the last operation.
    """
    return raw.LogicalAnd(raw.LogicalOr(x, y), raw.LogicalNot(raw.LogicalAnd(x, y)), name=name)


# ---- native instructions

named((logical_and_op, "logical_and"), (logical_or_op, "logical_or"), (logical_not_op, "logical_not"))
