"""One operation's value for given inputs, outside any session: what static shape inference asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from headrace.plan.ir import Node, Value
from headrace.plan.values import to_numpy, to_torch


def evaluate(op: Any, values: Sequence[np.ndarray]) -> list[np.ndarray]:
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
