"""Variables that begin with zeros without a tensor of zeros being made first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch

from headrace.core.buffers import VariableBuffer
from headrace.core.cases import made
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.state.handles import invalid

if TYPE_CHECKING:
    from headrace.core.dtypes import DType


zero_initializer_op = op("ZeroInitializer", "ref: ref T, *, T: realnumeric -> output_ref: ref T").writes("ref")
zero_var_initializer_op = op(
    "ZeroVarInitializer", "var: resource, *, dtype: type, shape: shape -> output_var: resource", stateful=True
).writes("var")


@zero_initializer_op.shape
def zero_initializer_shape(op):
    return [op.inputs[0].dims]


@zero_var_initializer_op.shape
def zero_var_initializer_shape(op):
    return [()]


def _zeros(buffer: VariableBuffer, dims: Sequence[int], dtype: DType) -> VariableBuffer:
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


_matrix = {"dtype": "float32", "shape": [2, 3]}
zero_initializer_op.accepts(made("VariableV2", **_matrix)).rejects([2, 3], error=InvalidArgumentError)
_handle = made("VarHandleOp", **_matrix, shared_name="v")
zero_var_initializer_op.accepts(_handle, **_matrix, after=[made("ReadVariableOp", _handle, dtype="float32")])
zero_var_initializer_op.rejects([2, 3], **_matrix, error=InvalidArgumentError)
