"""CheckNumerics and what is built on it: finding the operation that made a NaN or an infinity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.devices.numpy_loops import all_finite

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


check_numerics_op = (
    op("CheckNumerics", "tensor: T, *, T: floating, message: string -> output: T", stateful=True)
    .aliases()
    .keeps_shape()
    .forwards_memory()
)


@check_numerics_op.shape
def check_numerics_shape(op):
    return [op.inputs[0].dims]


@check_numerics_op.kernel
def check_numerics_kernel(node):
    message = node.attrs["message"]

    def check(value):
        if not all_finite(value):
            found = [name for name, test in (("Inf", torch.isinf), ("NaN", torch.isnan)) if test(value).any()]
            raise InvalidArgumentError(None, None, f"{message} : Tensor had {' and '.join(found)} values")
        return value

    return check


# The same with a message that tells the signs of infinities apart.
check_numerics_v2_op = op(
    "CheckNumericsV2", "tensor: T, *, T: floating, message: string -> output: T", stateful=True
).aliases()
check_numerics_v2_op.shape_rule = check_numerics_op.shape_rule
check_numerics_v2_op.gradient(lambda op, grad: raw.CheckNumericsV2(grad, message=op.attrs["message"]))


@check_numerics_v2_op.kernel
def check_numerics_v2_kernel(node):
    message = node.attrs["message"]

    def check(value):
        if not all_finite(value):
            tests = (("-Inf", torch.isneginf), ("+Inf", torch.isposinf), ("NaN", torch.isnan))
            found = [name for name, test in tests if test(value).any()]
            raise InvalidArgumentError(None, None, f"{message} : Tensor had {', '.join(found)} values")
        return value

    return check


@check_numerics_op.gradient
def check_numerics_gradient(op, grad):
    return raw.CheckNumerics(grad, message="Not a number (NaN) or infinity (Inf) values detected in gradient.")


check_numerics_op.accepts(np.ones([2, 3], np.float32), message="bad")
check_numerics_op.rejects(np.array([np.nan]), message="bad", error=InvalidArgumentError, match="NaN")
check_numerics_v2_op.accepts([2, 3], message="bad")
check_numerics_v2_op.rejects(np.array([np.inf]), message="bad", error=InvalidArgumentError, match="Inf")


def check_numerics(tensor: TensorLike, message: str, name: str | None = None) -> Tensor:
    """`tensor` again; its run fails where that holds a NaN or an infinity.

    Args:
        tensor: floating tensor of any shape.
        message: what the error begins with.
        name: a name for the operation.

    Raises:
        InvalidArgumentError: at run time.

    Example:
        >>> loss = tf.check_numerics(loss, "loss")
    """
    return raw.CheckNumerics(tensor, message=message, name=name)
