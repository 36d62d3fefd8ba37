"""Evenly spaced numbers: Range and LinSpace."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.native import TYPE_CODES
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid
from headrace.kernels.native import is_sized

if TYPE_CHECKING:
    from headrace.core.building_facts import PythonValues
    from headrace.core.operation import Operation
    from headrace.core.typing import IntLike, TensorLike

# More elements are better made when they are wanted.
_MOST_NATIVE = 1 << 16

range_op = op(
    "Range",
    "start: Tidx, limit: Tidx, delta: Tidx, *, Tidx: {bfloat16, float, double, int32, int64} = int32 -> output: Tidx",
)
range_op.on_host("start", "limit", "delta").not_differentiable()


def _count(
    start: IntLike | np.floating[Any], limit: IntLike | np.floating[Any], delta: IntLike | np.floating[Any]
) -> int:
    """How many numbers there are; floats are divided in their own precision, as it decides at the boundary."""
    if delta == 0:
        raise ValueError("Requires delta != 0")
    if delta > 0 and start > limit:
        raise ValueError(f"Requires start <= limit when delta > 0: {start}/{limit}")
    if delta < 0 and start < limit:
        raise ValueError(f"Requires start >= limit when delta < 0: {start}/{limit}")
    if isinstance(start, (int, np.integer)):
        return -(-abs(int(limit) - int(start)) // abs(int(delta)))
    return math.ceil(abs((limit - start) / delta))


def _scalars(op: Any) -> list[Any] | None:
    values = [op.constant(i) for i in (0, 1, 2)]
    if any(value is None for value in values):
        return None
    return [value.reshape(-1)[0] for value in values]


@range_op.shape
def range_shape(op):
    for tensor in op.inputs:
        if tensor.dims:
            raise ValueError(f"Shape must be rank 0 but is rank {len(tensor.dims)}")
    values = _scalars(op)
    return [(None if values is None else _count(*values),)]


@range_op.python_value
def range_in_python(op: Operation, known: PythonValues) -> np.ndarray | None:
    bounds = known.all(op.inputs)
    return None if bounds is None else np.arange(*bounds, dtype=op.outputs[0].dtype.as_numpy_dtype)


@range_op.kernel
def range_kernel(node):
    dtype, device = node.outputs[0].dtype.torch, node.device
    whole = not dtype.is_floating_point
    arange = torch.arange

    def numbers_from(start, limit, delta):
        try:
            if whole:
                first, last, step = start.item(), limit.item(), delta.item()
                count = _count(first, last, step)
                return arange(first, first + count * step, step, dtype=dtype, device=device)
            parts = [value.float() if dtype is torch.bfloat16 else value for value in (start, limit, delta)]
            first, last, step = (value.numpy()[()] for value in parts)
            count = _count(first, last, step)
        except ValueError as error:
            raise invalid(str(error)) from None
        return (arange(count, dtype=parts[0].dtype, device=device) * parts[2] + parts[0]).to(dtype)

    return numbers_from


def _counted(b, inputs):
    """As many numbers as follow from sizes; a step of 0 is refused by the division."""
    start, limit, delta = inputs
    (difference,) = b.apply("sub", [limit, start])
    (sign,) = b.apply("sign", [delta])
    b.apply("not_negative", b.apply("mul", [difference, sign]))
    (last,) = b.apply("sub", [*b.apply("add", [difference, delta]), sign])
    (count,) = b.apply("floordiv", [last, delta])
    return b.apply("range", [start, delta], [b.contents(count)])


@range_op.native
def range_native(node):
    """Whole numbers of which all is known by now, though not when the graph was built."""
    values = _scalars(node)
    if values is None and is_sized(node, 0, 1, 2) and node.outputs[0].dtype.name in ("int32", "int64"):
        return _counted
    if values is None or node.outputs[0].dtype.name not in TYPE_CODES or node.outputs[0].dtype.is_floating:
        return None
    try:
        count = _count(*values)
    except ValueError:
        return None
    first, _, step = map(int, values)
    numbers = (first + step * np.arange(count, dtype=np.int64)).astype(node.outputs[0].dtype.as_numpy_dtype)
    return (lambda b, inputs: [b.constant(numbers)]) if count <= _MOST_NATIVE else None


range_op.accepts(np.int32(0), np.int32(5), np.int32(2)).accepts(np.int32(3), np.int32(0), np.int32(-1))
range_op.rejects(np.int32(3), np.int32(0), np.int32(1), error=ValueError)

lin_space_op = op(
    "LinSpace", "start: T, stop: T, num: Tidx, *, T: {bfloat16, float, double}, Tidx: index = int32 -> output: T"
)
lin_space_op.on_host("num").not_differentiable()


@lin_space_op.shape
def lin_space_shape(op):
    for tensor in op.inputs:
        if tensor.dims:
            raise ValueError(f"Shape must be rank 0 but is rank {len(tensor.dims)}")
    num = op.constant(2)
    if num is None:
        return [(None,)]
    if num <= 0:
        raise ValueError(f"Requires num > 0: {int(num)}")
    return [(int(num),)]


@lin_space_op.kernel
def lin_space_kernel(node):
    device = node.device

    def spaced(start, stop, num):
        count = int(num)
        if count <= 0:
            raise invalid(f"Requires num > 0: {count}")
        if count == 1:
            return start.reshape(1).clone()
        step = (stop - start) / (count - 1)
        result = torch.arange(count, dtype=start.dtype, device=device) * step + start
        # An infinite step times 0 is no number.
        result[0], result[-1] = start, stop
        return result

    return spaced


lin_space_op.accepts(np.float32(0), np.float32(1), np.int32(5))


def linspace(start: TensorLike, stop: TensorLike, num: TensorLike, name: str | None = None) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`, both included.

    Example:
        >>> tf.linspace(10.0, 12.0, 3)  # [10, 11, 12]
    """
    return raw.LinSpace(start, stop, num, name=name)


lin_space = linspace
