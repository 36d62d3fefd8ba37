"""One operation's value for given inputs, outside any session: what static shape inference asks for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.dims import Dims
from headrace.plan.ir import Node, Value
from headrace.plan.late_shapes import Given
from headrace.plan.values import to_numpy, to_torch

if TYPE_CHECKING:
    from headrace.core.operation import Operation


def evaluate(op: Operation, values: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The outputs of the stateless operation `op` for the input arrays `values`, on the CPU."""
    device = torch.device("cpu")
    inputs = []
    for tensor, array in zip(op.inputs, values, strict=True):
        source = Node(tensor.op.decl, tensor.op.name, [], tensor.op.attrs, tensor.op, None, device)
        value = Value(source, tensor.value_index, tensor.dtype.base_dtype, array.shape)
        value.constant = array
        value.bound = to_torch(array, value.dtype)
        inputs.append(value)
    node = Node(op.decl, op.name, inputs, op.attrs, op, None, device)
    node.outputs = [Value(node, i, t.dtype, t.dims) for i, t in enumerate(op.outputs)]
    with np.errstate(all="ignore"):
        result = node.kernel()(*[value.bound for value in inputs])
    results = result if isinstance(result, (tuple, list)) else (result,)
    return [to_numpy(item, value.dtype) for item, value in zip(results, node.outputs, strict=True)]


def is_bounded(op: Operation, values: Sequence[np.ndarray], limit: int) -> bool:
    """Whether the outputs of `op` for the input arrays `values` have no more than `limit` elements each.

    Its own shape rule tells, for these very values: what the graph says of shapes may come from a file. Where that
    does not tell, the op must be one whose outputs are no longer than its inputs.
    """
    if op.decl.shape_rule is None:
        return False
    try:
        shapes = op.decl.shape_rule(Given(op, [array.shape for array in values], values))
    except (ValueError, TypeError, IndexError, ArithmeticError):
        # What does not fit is refused when the graph runs.
        return False
    most = op.decl.most_elements_rule
    sizes = [_size(dims) for dims in shapes]
    if None in sizes and (most is None or most(op, values) > limit):
        return False
    if any(size is not None and size > limit for size in sizes):
        return False
    # Sizes among the attributes, such as paddings that a stride skips again, are no output's.
    known = most is not None or op.decl.sized_by_shapes
    return known or not any(abs(number) > limit for number in _integers(op))


def _size(dims: Dims) -> int | None:
    return None if dims is None or None in dims else math.prod(dims)  # type: ignore[arg-type]  # none is None here


def _integers(op: Operation) -> Sequence[int]:
    numbers: list[int] = []
    for attr in op.decl.signature.attrs.values():
        if attr.kind == "int":
            numbers.append(op.attrs[attr.name])
        elif attr.kind == "list(int)":
            numbers += op.attrs[attr.name]
    return numbers
