"""Variables by resource handle: making, reading, assigning, asking and gathering."""

from __future__ import annotations

import numpy as np
import torch

from headrace.core.argument_errors import no_kernel
from headrace.core.cases import made, resource, result
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.dims import is_fully_defined
from headrace.core.dtypes import dtype_text
from headrace.core.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError, OutOfRangeError
from headrace.core.native import applied, handed_on
from headrace.core.planning_facts import Role
from headrace.core.registry import op, raw
from headrace.kernels import composing
from headrace.kernels.native import same_shape, source
from headrace.kernels.state.handles import (
    assigner,
    check_handle_dtype,
    handle_dims,
    in_place,
    invalid,
    merge_shapes,
    missing,
    shape_text,
)
from headrace.kernels.state.indices import check_rows, flat_rows, rows_at

var_handle_op = op(
    "VarHandleOp", "*, container='', shared_name='', dtype: type, shape: shape -> resource: resource", stateful=True
).variable_with("dtype")


@var_handle_op.shape
def var_handle_shape(op):
    return [()]


@var_handle_op.binding
def var_handle_binding(node):
    attrs = node.attrs
    name = attrs["shared_name"] or node.name
    return [node.runtime.buffer(attrs["container"], name, attrs["dtype"], attrs["shape"], node.device, True)]


read_variable_op = op("ReadVariableOp", "resource: resource, *, dtype: type -> value: dtype", stateful=True)
read_variable_op.reads("resource").is_value()


@read_variable_op.shape
def read_variable_shape(op):
    check_handle_dtype(op.inputs[0], op.attrs["dtype"])
    return [handle_dims(op.inputs[0])]


@read_variable_op.kernel
def read_variable_kernel(node):
    dtype = node.attrs["dtype"]

    def read(buffer):
        if buffer.dtype is not dtype:
            expected, got = dtype_text(dtype), dtype_text(buffer.dtype)
            raise invalid(f"Trying to read variable with wrong dtype. Expected {expected} got {got}")
        return buffer.read()

    return read


@read_variable_op.gradient
def read_variable_gradient(op, grad):
    return [grad]


assign_variable_op = op("AssignVariableOp", "resource: resource, value: dtype ->", stateful=True).writes("resource")


@assign_variable_op.kernel
def assign_variable_kernel(node):
    assign = assigner(node, 1)
    dtype = node.attrs["dtype"]

    def checked(buffer, value):
        if buffer.dtype is not dtype:
            expected, got = dtype_text(buffer.dtype), dtype_text(dtype)
            raise invalid(f"Trying to assign variable with wrong dtype. Expected {expected} got {got}")
        assign(buffer, value)

    return checked


assign_add_variable_op = op("AssignAddVariableOp", "resource: resource, value: dtype ->", stateful=True).writes(
    "resource"
)
assign_sub_variable_op = op("AssignSubVariableOp", "resource: resource, value: dtype ->", stateful=True).writes(
    "resource"
)


def _update_kernel(node, name):
    if node.inputs[1].dtype.base_dtype.name in ("bool", "string"):
        raise no_kernel(node, 1)
    update = in_place(node, name)

    def updated(buffer, value):
        with buffer.lock:
            target = buffer.value
            if target is None:
                raise missing(buffer)
            if target.shape != value.shape:
                raise invalid(
                    f"Cannot update variable with shape {shape_text(target.shape)} using a Tensor with shape "
                    f"{shape_text(value.shape)}, shapes must be equal."
                )
            update(target, value)

    return updated


@assign_variable_op.shape
@assign_add_variable_op.shape
@assign_sub_variable_op.shape
def update_variable_shape(op):
    check_handle_dtype(op.inputs[0], op.inputs[1].dtype.base_dtype)
    merge_shapes(handle_dims(op.inputs[0]), op.inputs[1].dims)
    return []


@assign_add_variable_op.kernel
def assign_add_variable_kernel(node):
    return _update_kernel(node, "add_")


@assign_sub_variable_op.kernel
def assign_sub_variable_kernel(node):
    return _update_kernel(node, "sub_")


var_is_initialized_op = op("VarIsInitializedOp", "resource: resource -> is_initialized: bool", stateful=True)
var_is_initialized_op.reads("resource").fresh().not_differentiable()


@var_is_initialized_op.shape
def var_is_initialized_shape(op):
    return [()]


@var_is_initialized_op.kernel
def var_is_initialized_kernel(node):
    return lambda buffer: torch.tensor(buffer.value is not None)


destroy_resource_op = op(
    "DestroyResourceOp", "resource: resource, *, ignore_lookup_error=True ->", stateful=True
).writes("resource")


@destroy_resource_op.shape
def destroy_resource_shape(op):
    return []


@destroy_resource_op.kernel
def destroy_resource_kernel(node):
    lenient = node.attrs["ignore_lookup_error"]

    def destroy(buffer):
        if buffer.value is None and not lenient:
            raise missing(buffer)
        buffer.value = None

    return destroy


variable_shape_op = op(
    "VariableShape", "input: resource, *, out_type: index = int32 -> output: out_type", stateful=True
).on_host(outputs=True)
variable_shape_op.reads("input").fresh().not_differentiable()


@variable_shape_op.shape
def variable_shape_shape(op):
    dims = handle_dims(op.inputs[0])
    return [(None if dims is None else len(dims),)]


@variable_shape_op.kernel
def variable_shape_kernel(node):
    dtype = node.outputs[0].dtype.torch

    def shape(buffer):
        if buffer.value is None:
            raise missing(buffer)
        return torch.tensor(tuple(buffer.value.shape), dtype=dtype)

    return shape


resource_count_up_to = op(
    "ResourceCountUpTo", "resource: resource, *, limit: int, T: index -> output: T", stateful=True
).writes("resource")
resource_count_up_to.shape(var_is_initialized_shape)


@resource_count_up_to.kernel
def resource_count_up_to_kernel(node):
    limit = node.attrs["limit"]

    def count(buffer):
        with buffer.lock:
            value = buffer.value
            if value is None:
                raise missing(buffer)
            if value.ndim:
                raise invalid(f"ResourceCountUpTo: input is not a scalar: {shape_text(value.shape)}")
            if value.item() >= limit:
                raise OutOfRangeError(None, None, f"Reached limit of {limit}")
            before = value.clone()
            value.add_(1)
        return before

    return count


# ---- gathering ----

resource_gather = op(
    "ResourceGather",
    "resource: resource, indices: Tindices, *, batch_dims=0, validate_indices=True, dtype: type, Tindices: index"
    " -> output: dtype",
    stateful=True,
).touches(outputs=True)
resource_gather.reads("resource").fresh()


@resource_gather.shape
def resource_gather_shape(op):
    params, indices, batch = handle_dims(op.inputs[0]), op.inputs[1].dims, op.attrs["batch_dims"]
    check_handle_dtype(op.inputs[0], op.attrs["dtype"])
    if params is None or indices is None:
        return [None]
    if not params:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    merge_shapes(params[:batch], indices[:batch])
    return [(*indices, *params[batch + 1 :])]


@resource_gather.kernel
def resource_gather_kernel(node):
    batch = node.attrs["batch_dims"]

    def gather(buffer, indices):
        params = buffer.read()
        check_rows(indices, params.shape[batch] if params.ndim > batch else 0)
        if not batch:
            return rows_at(params, indices)
        batch_shape = tuple(params.shape[:batch])
        rows = params.shape[batch]
        flat = params.reshape(-1, *params.shape[batch + 1 :])
        count = flat.shape[0] // max(rows, 1)
        offsets = (torch.arange(count, device=indices.device) * rows).reshape(
            *batch_shape, *[1] * (indices.ndim - batch)
        )
        return rows_at(flat, indices + offsets)

    return gather


@resource_gather.gradient
def resource_gather_gradient(op, grad):
    handle, indices = op.inputs
    params_shape = variable_shape(handle)
    size = raw.ExpandDims(composing.size(indices), 0)
    values_shape = raw.ConcatV2([size, params_shape[1:]], 0, name="concat")
    values = raw.Reshape(grad, values_shape)
    indices = raw.Reshape(indices, size)
    return [IndexedSlices(values, indices, params_shape), None]


def variable_shape(handle):
    """The shape of the variable behind `handle` as an int32 tensor, a constant where it is known.

    As in TensorFlow, a handle that comes into a branch or a loop is asked when it runs.
    """
    enters = handle._is_graph_tensor and handle.op.decl.role in (Role.SWITCH, Role.ENTER)
    dims = None if enters else handle_dims(handle)
    if is_fully_defined(dims):
        return convert_to_tensor(list(dims), "int32")
    return raw.VariableShape(handle)


resource_gather_nd = op(
    "ResourceGatherNd",
    "resource: resource, indices: Tindices, *, dtype: type, Tindices: index -> output: dtype",
    stateful=True,
).touches(outputs=True)
resource_gather_nd.reads("resource").fresh()


@resource_gather_nd.shape
def resource_gather_nd_shape(op):
    params, indices = handle_dims(op.inputs[0]), op.inputs[1].dims
    if params is None or indices is None or indices[-1] is None:
        return [None]
    if indices[-1] > len(params):
        raise ValueError(
            f"indices.shape[-1] must be <= params.rank, but saw indices shape: {shape_text(indices)} and params shape: "
            f"{shape_text(params)}"
        )
    return [(*indices[:-1], *params[indices[-1] :])]


@resource_gather_nd.kernel
def resource_gather_nd_kernel(node):
    def gather(buffer, indices):
        params = buffer.read()
        rows, flat = flat_rows(params, indices)
        return rows_at(rows, flat)

    return gather


@resource_gather_nd.gradient
def resource_gather_nd_gradient(op, grad):
    handle, indices = op.inputs
    shape = raw.VariableShape(handle, out_type=indices.dtype)
    if indices.dims is not None and len(indices.dims) == 2 and indices.dims[-1] == 1:
        return [IndexedSlices(grad, raw.Squeeze(indices, squeeze_dims=[-1]), shape), None]
    return [raw.ScatterNd(indices, grad, shape), None]


_matrix = {"dtype": "float32", "shape": [2, 3]}
_handle = made("VarHandleOp", **_matrix, shared_name="v")
var_handle_op.accepts(**_matrix, after=[made("VarIsInitializedOp", result)])
read_variable_op.accepts([2, 3], dtype="float32").accepts(np.array([b"a"], object), dtype="string")
read_variable_op.rejects(resource([2, 3]), dtype="int32", error=ValueError)
read_variable_op.rejects(_handle, dtype="float32", error=FailedPreconditionError)
assign_variable_op.accepts([2, 3], [2, 3]).rejects([2, 3], [3], error=ValueError)
assign_variable_op.accepts(_handle, [2, 3], after=[made("ReadVariableOp", _handle, dtype="float32")])
for _op in (assign_add_variable_op, assign_sub_variable_op):
    _op.accepts([2, 3], [2, 3]).accepts(np.int64(5), np.int64(2)).rejects([2, 3], [3], error=ValueError)
    _op.rejects(_handle, [2, 3], error=NotFoundError)
var_is_initialized_op.accepts([2]).accepts(_handle)
destroy_resource_op.accepts(_handle).rejects(_handle, ignore_lookup_error=False, error=NotFoundError)
variable_shape_op.accepts([2, 3]).accepts([], out_type="int64").rejects(_handle, error=NotFoundError)
resource_count_up_to.accepts(np.int32(2), limit=3, T="int32")
resource_count_up_to.rejects(np.int32(3), limit=3, T="int32", error=OutOfRangeError)
resource_gather.accepts([4, 2], np.array([[0, 3], [3, 1]]), dtype="float32").accepts([4], np.int32(2), dtype="float32")
resource_gather.accepts([2, 3], np.array([[0, 2], [1, 1]]), dtype="float32", batch_dims=1)
resource_gather.rejects([4, 2], np.array([4]), dtype="float32", error=InvalidArgumentError)
resource_gather_nd.accepts([4, 2], np.array([[0, 1], [3, 0]]), dtype="float32").accepts(
    [4], np.array([2]), dtype="float32"
)
resource_gather_nd.rejects([4, 2], np.array([[0, 2]]), dtype="float32", error=InvalidArgumentError)


# ---- native instructions

read_variable_op.native(handed_on)


def _written_native(name):
    def rule(node):
        def lower(b, inputs):
            value = source(b, node, inputs, 1)
            same_shape(b, inputs[0], value)
            b.apply(name, [inputs[0], value])
            return []

        return lower

    return rule


assign_variable_op.native(_written_native("assign"))
assign_add_variable_op.native(_written_native("assign_add"))
assign_sub_variable_op.native(_written_native("assign_sub"))


@resource_gather.native
def _resource_gather_native(node):
    return applied("gather", [0, 0]) if not node.attrs["batch_dims"] else None
