"""Assert: an operation that fails unless a condition holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.errors import InvalidArgumentError
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.summarize import summary

assert_op = op("Assert", "condition: bool, data: *T, *, T: list(type) >= 1, summarize=3 ->", stateful=True).on_host(
    "condition", "data"
)


@assert_op.shape
def assert_shape(op):
    return []


@assert_op.native
def assert_native(node):
    """What a failing one says, its kernel does."""
    return applied("assert_true", take=[0]) if node.inputs[0].dims == () else None


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
            values = "".join(f" [{summary(value, limit)}]" for value in data)
            raise InvalidArgumentError(None, None, f"assertion failed:{values}")

    return check


assert_op.not_differentiable()
assert_op.accepts(True, [np.float32(1.0), b"text"])


def summarized(tensor: Any, summarize: int | None) -> str:
    """The first elements of an eager tensor: three, or `summarize` of them, all if that is negative."""
    flat = np.asarray(tensor.numpy(), object if tensor.dtype.name == "string" else None).reshape(-1)
    count = 3 if summarize is None else flat.size if summarize < 0 else summarize
    return ", ".join([str(item) for item in flat[:count]] + (["..."] if tensor.dims and count < flat.size else []))


def all_of(flags: Tensor) -> Tensor:
    """Whether all of a bool tensor's elements are true, with the operations `reduce_all` makes."""
    if flags.dims is not None:
        axes: Tensor = convert_to_tensor(np.arange(len(flags.dims), dtype=np.int32), name="Const")
    else:
        axes = composing.range_(0, composing.rank(flags))
    return raw.All(flags, axes, name="All")
