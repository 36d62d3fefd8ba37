"""Variables that begin with zeros without a tensor of zeros being made first."""

from __future__ import annotations

from typing import Any

import torch

from headrace.core.buffers import VariableBuffer
from headrace.core.registry import op
from headrace.ops.state.common import invalid

zero_initializer_op = op("ZeroInitializer", "ref: ref T, *, T: type -> output_ref: ref T").writes("ref")
zero_var_initializer_op = op(
    "ZeroVarInitializer", "var: resource, *, dtype: type, shape: shape -> output_var: resource", stateful=True
).writes("var")


@zero_initializer_op.shape
def zero_initializer_shape(op):
    return [op.inputs[0].dims]


@zero_var_initializer_op.shape
def zero_var_initializer_shape(op):
    return [()]


def _zeros(buffer: VariableBuffer, dims: Any, dtype: Any) -> VariableBuffer:
    if buffer.value is not None:
        raise invalid("input is already initialized")
    buffer.value = torch.zeros(dims, dtype=dtype.torch, device=buffer.device)
    return buffer


@zero_initializer_op.kernel
def zero_initializer_kernel(node):
    return lambda buffer: _zeros(buffer, buffer.dims, buffer.dtype)


@zero_var_initializer_op.kernel
def zero_var_initializer_kernel(node):
    dims, dtype = node.attrs["shape"], node.attrs["dtype"]
    return lambda buffer: _zeros(buffer, dims, dtype)
