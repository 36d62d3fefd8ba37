"""CheckNumerics and what is built on it: finding the operation that made a NaN or an infinity."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, get_default_graph, name_scope
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation, Tensor
from headrace.core.registry import op, raw
from headrace.ops.array.common import either
from headrace.ops.flow.grouping import group, with_dependencies
from headrace.ops.math.numpy_loops import all_finite

check_numerics_op = op(
    "CheckNumerics", "tensor: T, *, T: floating, message: string -> output: T", stateful=True
).aliases()


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


def check_numerics(tensor: Any, message: str, name: str | None = None) -> Tensor:
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


def verify_tensor_all_finite(
    t: Any = None, msg: str | None = None, name: str | None = None, x: Any = None, message: str | None = None
) -> Tensor:
    """`t` again, there only after all its elements proved finite.

    Args:
        t: floating tensor of any shape.
        msg: what the error begins with.
        name: a name for the operation.
        x, message: the later names of `t` and `msg`.

    Raises:
        ValueError: if an argument is given under both its names, or under none.
        InvalidArgumentError: at run time.
    """
    value = either("x", x, "t", t)
    text = either("message", message, "msg", msg)
    with name_scope(name, "VerifyFinite", [value]):
        value = convert_to_tensor(value, name="x")
        with colocate_with(value):
            verified = raw.CheckNumerics(value, message=text)
            return with_dependencies([verified], value)


def add_check_numerics_ops() -> Operation:
    """An operation that checks every floating tensor made so far in the default graph, in the order they were made.

    Raises:
        ValueError: if a tensor lies in a branch or loop.

    Example:
        >>> sess.run([train_op, check_op])
    """
    checks: list[Any] = []
    for operation in get_default_graph().get_operations():
        for output in operation.outputs:
            if output.dtype.name not in ("float16", "float32", "float64"):
                continue
            if operation._get_control_flow_context() is not None:
                raise ValueError(
                    "`tf.add_check_numerics_ops() is not compatible with TensorFlow control flow operations such as "
                    "`tf.cond()` or `tf.while_loop()`."
                )
            with control_dependencies(checks):
                checks = [raw.CheckNumerics(output, message=output.name)]
    return group(*checks)
