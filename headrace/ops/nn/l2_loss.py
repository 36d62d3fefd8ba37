"""Half the squared norm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.native import named

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


l2_loss_op = op("L2Loss", "t: T, *, T: floating -> output: T")


@l2_loss_op.shape
def l2_loss_shape(op):
    return [()]


@l2_loss_op.kernel
def l2_loss_kernel(node):
    if node.inputs[0].dtype.name in ("float16", "bfloat16"):
        # A sum of squares leaves the range of the short types early.
        def half_square_wide(t):
            t = t.reshape(-1).float()
            return (torch.dot(t, t) * 0.5).to(node.inputs[0].dtype.torch)

        return half_square_wide

    def half_square(t):
        t = t.reshape(-1)
        return torch.dot(t, t).mul_(0.5)

    return half_square


@l2_loss_op.gradient
def l2_loss_gradient(op, grad):
    return [op.inputs[0] * grad]


l2_loss_op.accepts([2, 3]).accepts([]).accepts([0])


def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """sum(t ** 2) / 2.

    Args:
        t: floats of any shape.
        name: a name for the operation.

    Returns:
        a scalar of the type of `t`.

    Example:
        >>> tf.Session().run(tf.nn.l2_loss([3.0, 4.0]))
        12.5
    """
    return raw.L2Loss(t, name=name)


# ---- native instructions

named((l2_loss_op, "l2_loss"))
