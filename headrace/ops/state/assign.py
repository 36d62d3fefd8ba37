"""Giving a variable a new value through its reference, and adding to it or taking from it."""

from __future__ import annotations

import numpy as np

from headrace.core.registry import op
from headrace.kernels.native import same_shape, source
from headrace.kernels.state.handles import assigner, in_place, invalid, merge_shapes, shape_text

assign_op = op("Assign", "ref: ref T, value: T, *, validate_shape=True, use_locking=True -> output_ref: ref T").writes(
    "ref"
)
assign_op.not_differentiable()


@assign_op.shape
def assign_shape(op):
    if not op.attrs["validate_shape"]:
        return [op.inputs[1].dims]
    return [merge_shapes(op.inputs[0].dims, op.inputs[1].dims)]


@assign_op.kernel
def assign_kernel(node):
    assign = assigner(node, 1)

    def unchecked(buffer, value):
        assign(buffer, value)
        return buffer

    if not node.attrs["validate_shape"]:
        return unchecked

    def checked(buffer, value):
        old = buffer.value
        if old is not None:
            expected = old.shape
        else:
            # Memory of an unknown shape starts out as a scalar's.
            dims = buffer.dims
            expected = dims if dims is not None and None not in dims else ()
        if tuple(expected) != tuple(value.shape):
            raise invalid(
                "Assign requires shapes of both tensors to match. lhs shape= "
                f"{shape_text(expected)} rhs shape= {shape_text(value.shape)}"
            )
        assign(buffer, value)
        return buffer

    return checked


assign_add_op = op("AssignAdd", "ref: ref T, value: T, *, T: numeric, use_locking=False -> output_ref: ref T").writes(
    "ref"
)
assign_sub_op = op("AssignSub", "ref: ref T, value: T, *, T: numeric, use_locking=False -> output_ref: ref T").writes(
    "ref"
)
assign_add_op.not_differentiable()
assign_sub_op.not_differentiable()


@assign_add_op.shape
@assign_sub_op.shape
def update_shape(op):
    return [merge_shapes(op.inputs[0].dims, op.inputs[1].dims)]


def _update_kernel(node, name):
    update = in_place(node, name)

    def updated(buffer, value):
        target = buffer.read()
        if target.shape != value.shape:
            raise invalid("Parameters and update must be the same size")
        update(target, value)
        return buffer

    if not node.attrs["use_locking"]:
        return updated

    def locked(buffer, value):
        with buffer.lock:
            return updated(buffer, value)

    return locked


@assign_add_op.kernel
def assign_add_kernel(node):
    return _update_kernel(node, "add_")


@assign_sub_op.kernel
def assign_sub_kernel(node):
    return _update_kernel(node, "sub_")


_text = np.array([b"a", b"b"], object)
assign_op.accepts([2, 3], [2, 3]).accepts([2], [3], validate_shape=False).accepts(_text, _text[::-1])
assign_op.rejects([2], [3], error=ValueError)
for _op in (assign_add_op, assign_sub_op):
    _op.accepts([2, 3], [2, 3]).accepts(np.int32(5), np.int32(2)).rejects([2, 3], [3], error=ValueError)


# ---- native instructions


def _written_native(name):
    def rule(node):
        def lower(b, inputs):
            value = source(b, node, inputs, 1)
            same_shape(b, inputs[0], value)
            return b.apply(name, [inputs[0], value])

        return lower

    return rule


assign_op.native(_written_native("assign"))
assign_add_op.native(_written_native("assign_add"))
assign_sub_op.native(_written_native("assign_sub"))
