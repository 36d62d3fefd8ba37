"""Assert: an operation that fails unless a condition holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.convert import convert_n_to_tensor, convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.eager import executing_eagerly
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation, Tensor
from headrace.core.registry import op, raw
from headrace.ops import composing
from headrace.ops.flow.cond import cond
from headrace.ops.flow.grouping import no_op
from headrace.ops.summarize import summary

assert_op = op("Assert", "condition: bool, data: *T, *, T: list(type) >= 1, summarize=3 ->", stateful=True).on_host(
    "condition", "data"
)


@assert_op.shape
def assert_shape(op):
    return []


@assert_op.kernel
def assert_kernel(node):
    known = node.constant(0)
    if known is not None and known.ndim == 0 and known:
        return None
    limit = node.attrs["summarize"]

    def check(condition, *data):
        if condition.dim():
            raise InvalidArgumentError(None, None, f"In[0] should be a scalar: {list(condition.shape)}")
        if not condition:
            told = "".join(f" [{summary(value, limit)}]" for value in data)
            raise InvalidArgumentError(None, None, f"assertion failed:{told}")

    return check


assert_op.not_differentiable()
assert_op.accepts(True, [np.float32(1.0), b"text"])


def summarized(tensor: Any, summarize: int | None) -> str:
    """The first elements of an eager tensor: three, or `summarize` of them, all if that is negative."""
    flat = np.asarray(tensor.numpy(), object if tensor.dtype.name == "string" else None).reshape(-1)
    count = 3 if summarize is None else flat.size if summarize < 0 else summarize
    return ", ".join([str(item) for item in flat[:count]] + (["..."] if tensor.dims and count < flat.size else []))


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> Operation:
    """An operation that fails, telling `data`, unless `condition` is true; make others depend on it.

    Args:
        condition: a bool scalar tensor.
        data: a list of tensors to tell.
        summarize: how many elements of each are told; 3 by default, all if negative.
        name: a name for the operation.

    Returns:
        the operation. It raises InvalidArgumentError at run time.

    Example:
        >>> with tf.control_dependencies([tf.Assert(tf.reduce_max(x) <= 1.0, [x])]):
        ...     y = tf.identity(x)
    """
    with name_scope(name, "Assert", [condition, data]):
        tensors = convert_n_to_tensor(data)
        if executing_eagerly():
            if not condition:
                told = "\n".join(summarized(tensor, summarize) for tensor in tensors)
                raise InvalidArgumentError(None, None, f"Expected '{condition!s}' to be true. Summarized data: {told}")
            return None  # type: ignore[return-value]
        if all(tensor.dtype.name in ("string", "int32") for tensor in tensors):
            return raw.Assert(condition, data, summarize=summarize, name="Assert")
        # Values that may lie on another device are only fetched from there when there is something to tell.
        condition = convert_to_tensor(condition, name="Condition")
        guarded = cond(
            condition,
            no_op,
            lambda: raw.Assert(condition, data, summarize=summarize, name="Assert"),
            name="AssertGuard",
        )
        return guarded.op


def all_of(flags: Tensor) -> Tensor:
    """Whether all of a bool tensor's elements are true, with the operations `reduce_all` makes."""
    if flags.dims is not None:
        axes: Any = convert_to_tensor(np.arange(len(flags.dims), dtype=np.int32), name="Const")
    else:
        axes = composing.range_(0, composing.rank(flags))
    return raw.All(flags, axes, name="All")
