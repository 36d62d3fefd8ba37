"""Variables by reference: the memory itself, whether it has a value, and counting up in it."""

from __future__ import annotations

import itertools

import numpy as np
import torch

from headrace.core.buffers import VariableBuffer
from headrace.core.cases import made
from headrace.core.errors import FailedPreconditionError, OutOfRangeError
from headrace.core.registry import op
from headrace.kernels.array.arguments import filled_text, rank_is
from headrace.kernels.state.handles import invalid

_SIGNATURE = "*, shape: shape, dtype: type, container='', shared_name='' -> ref: ref dtype"

variable_v2 = op("VariableV2", _SIGNATURE, stateful=True).variable_with("dtype")
variable_op = op("Variable", _SIGNATURE, stateful=True).variable_with("dtype")
for _decl in (variable_v2, variable_op):
    _decl.only_in_graphs("tf.Variable(use_resource=False) is not supported when eager execution is enabled.")


@variable_v2.shape
def variable_v2_shape(op):
    return [op.attrs["shape"]]


@variable_op.shape
def variable_shape(op):
    # The older op writes an unknown shape as that of a scalar.
    return [op.attrs["shape"] or None]


@variable_v2.binding
@variable_op.binding
def variable_binding(node):
    attrs = node.attrs
    name = attrs["shared_name"] or node.name
    return [node.runtime.buffer(attrs["container"], name, attrs["dtype"], attrs["shape"], node.device, False)]


temporary_variable = op(
    "TemporaryVariable", "*, shape: shape, dtype: type, var_name='' -> ref: ref dtype", stateful=True
)
temporary_variable.shape(variable_v2_shape)

_temporaries = itertools.count()


@temporary_variable.kernel
def temporary_variable_kernel(node):
    dtype, dims, device = node.attrs["dtype"], node.attrs["shape"], node.device
    name = node.attrs["var_name"] or node.name
    text = dtype.name == "string"
    if dims is None or None in dims or (dtype.torch is None and not text):
        raise invalid(f"TemporaryVariable '{name}' needs a known shape, and a type of numbers or strings.")

    def make():
        buffer = VariableBuffer(f"{name}_{next(_temporaries)}", dtype, dims, device, False)
        buffer.value = filled_text(dims) if text else torch.empty(dims, dtype=dtype.torch, device=device)
        return buffer

    return make


destroy_temporary_variable = op("DestroyTemporaryVariable", "ref: ref T, *, var_name: string -> value: T").writes("ref")


@destroy_temporary_variable.shape
def destroy_temporary_variable_shape(op):
    return [op.inputs[0].dims]


@destroy_temporary_variable.kernel
def destroy_temporary_variable_kernel(node):
    def destroy(buffer):
        value, buffer.value = buffer.read(), None
        return value

    return destroy


is_variable_initialized_op = op("IsVariableInitialized", "ref: ref dtype -> is_initialized: bool")


@is_variable_initialized_op.shape
def is_variable_initialized_shape(op):
    return [()]


@is_variable_initialized_op.kernel
def is_variable_initialized_kernel(node):
    return lambda buffer: torch.tensor(buffer.value is not None)


count_up_to_op = op("CountUpTo", "ref: ref T, *, limit: int, T: index -> output: T").writes("ref")


@count_up_to_op.shape
def count_up_to_shape(op):
    rank_is(op.inputs[0].dims, 0)
    return [()]


@count_up_to_op.kernel
def count_up_to_kernel(node):
    limit = node.attrs["limit"]

    def count(buffer):
        with buffer.lock:
            value = buffer.read()
            if value.ndim:
                raise invalid("input is not a scalar: ")
            if value.item() >= limit:
                raise OutOfRangeError(None, None, f"Reached limit of {limit}")
            before = value.clone()
            value.add_(1)
        return before

    return count


_matrix = {"dtype": "float32", "shape": [2, 3]}
_assigned = made("Assign", made("VariableV2", **_matrix, shared_name="v"), [2, 3])
for _op in (variable_v2, variable_op):
    _op.accepts(**_matrix, shared_name="v", before=[_assigned]).rejects(**_matrix, error=FailedPreconditionError)
temporary_variable.accepts(**_matrix, var_name="t", varies="it has no value yet")
temporary_variable.accepts(shape=[2], dtype="string", var_name="t")
destroy_temporary_variable.accepts(
    made("Assign", made("TemporaryVariable", **_matrix, var_name="t"), [2, 3]), var_name="t"
)
is_variable_initialized_op.accepts([2]).accepts(made("VariableV2", **_matrix))
count_up_to_op.accepts(np.int32(2), limit=3).accepts(np.int64(0), limit=1)
count_up_to_op.rejects(np.int32(3), limit=3, error=OutOfRangeError).rejects(np.array([1, 2]), limit=3, error=ValueError)
