"""Writing elements by index into new tensors: ScatterNd, TensorScatterUpdate, SparseToDense."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import Dims, element_count, merge_dims
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import (
    constants,
    filled_text,
    invalid,
    is_text,
    not_negative,
    numbers,
    rank_is,
    shape_text,
    sizes_of,
    view_dtype_of,
)
from headrace.kernels.array.positions import flat_positions
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.filling import zeros_like
from headrace.kernels.ranks import ranked
from headrace.native.direct import directly

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl
    from headrace.core.typing import TensorLike


scatter_nd_op = op(
    "ScatterNd", "indices: Tindices, updates: T, shape: Tindices, *, Tindices: index -> output: T"
).touches("updates", "shape")
scatter_nd_op.on_host("shape")


def _check_update_dims(indices: Dims, updates: Dims, output: Dims) -> None:
    if indices is None or updates is None or not indices:
        return
    depth, outer = indices[-1], len(indices) - 1
    try:
        merge_dims(indices[:-1], updates[:outer])
    except ValueError as error:
        raise ValueError(
            f"The outer {outer} dimensions of indices.shape={shape_text(indices)} must match the outer "
            f"{outer} dimensions of updates.shape={shape_text(updates)}: {error}"
        ) from None
    if output is None or depth is None:
        return
    try:
        merge_dims(output[depth:], updates[outer:])
    except ValueError as error:
        inner = len(output) - depth
        raise ValueError(
            f"The inner {inner} dimensions of output.shape={shape_text(output)} must match the inner "
            f"{len(updates) - outer} dimensions of updates.shape={shape_text(updates)}: {error}"
        ) from None


@scatter_nd_op.shape
@ranked((1, None), (1, None), 1)
def scatter_nd_shape(op):
    output = op.constant_dims(2)
    indices, updates = (op.inputs[i].dims for i in (0, 1))
    _require_place(indices, updates, output)
    _check_update_dims(indices, updates, output)
    return [output]


def _require_place(indices: Dims, updates: Dims, output: Dims) -> None:
    """Raises ValueError if something is written into what has no elements."""
    if output is not None and 0 in output and element_count(indices) and element_count(updates):
        raise ValueError("Indices and updates specified for empty output shape")


def _flat_updates(
    indices: torch.Tensor, updates: np.ndarray | torch.Tensor, shape: tuple[int, ...]
) -> tuple[Any, Any, tuple[int, int]]:
    """Positions among the slices that are written, the slices to write, and the flattened shape of the whole."""
    depth = indices.shape[-1] if indices.ndim else 1
    if depth > len(shape):
        raise invalid(
            "Inner dimensions of output shape must match inner dimensions of updates shape. Output: "
            f"{shape_text(shape)} updates: {shape_text(updates.shape)}"
        )
    outer = tuple(indices.shape[:-1])
    if tuple(updates.shape[: len(outer)]) != outer:
        raise invalid(
            f"Outer dimensions of indices and update must match. Indices shape: {shape_text(indices.shape)}, "
            f"updates shape:{shape_text(updates.shape)}"
        )
    if tuple(updates.shape[len(outer) :]) != shape[depth:]:
        raise invalid(
            f"The inner {len(shape) - depth} dimensions of output.shape={shape_text(shape)} must match the inner "
            f"{len(updates.shape) - len(outer)} dimensions of updates.shape={shape_text(updates.shape)}"
        )
    leading, rest = math.prod(shape[:depth]), math.prod(shape[depth:])
    if depth:
        positions = flat_positions(indices, shape[:depth], f"shape {shape_text(shape)}")
    else:
        positions = torch.zeros(math.prod(indices.shape[:-1]), dtype=torch.int64, device=indices.device)
    return positions, updates.reshape((positions.shape[0], rest)), (leading, rest)


# Types for which torch lacks kernels, and those of their width that have them.
_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


def _added(out: torch.Tensor, positions: torch.Tensor, slices: torch.Tensor) -> torch.Tensor:
    if out.dtype is torch.bool:
        return out.view(torch.uint8).index_add_(0, positions, slices.view(torch.uint8)).ne(0)
    signed = _SIGNED.get(out.dtype)
    if signed is not None:
        # Adding modulo two to the width is the same for signed numbers.
        out.view(signed).index_add_(0, positions, slices.view(signed))
        return out
    return out.index_add_(0, positions, slices)


def _joined(out: np.ndarray, positions: torch.Tensor, slices: np.ndarray) -> np.ndarray:
    """The sums of strings: one after the other."""
    for position, texts in zip(positions.tolist(), slices):
        out[position] = out[position] + texts
    return out


def _put(out: torch.Tensor, positions: torch.Tensor, slices: torch.Tensor) -> torch.Tensor:
    if isinstance(out, np.ndarray):
        out[positions.numpy()] = slices
        return out
    signed = _SIGNED.get(out.dtype)
    if signed is not None:
        out.view(signed).index_copy_(0, positions, slices.view(signed))
        return out
    return out.index_copy_(0, positions, slices)


def _subtracted(out: torch.Tensor, positions: torch.Tensor, slices: torch.Tensor) -> torch.Tensor:
    signed = _SIGNED.get(out.dtype)
    return _added(out, positions, -slices if signed is None else slices.view(signed).neg().view(out.dtype))


@scatter_nd_op.kernel
def scatter_nd_kernel(node):
    known, dtype, device, text = constants(node, 2), node.outputs[0].dtype.torch, node.device, is_text(node.inputs[1])

    def scatter(indices, updates, shape):
        if not indices.ndim:
            raise invalid("Indices shape must have rank at least one. Found:[]")
        target = tuple(not_negative(known) if known is not None else sizes_of(shape, "Shape"))
        positions, slices, flat = _flat_updates(indices, updates, target)
        if text:
            return _joined(filled_text(flat), positions, slices).reshape(target)
        return _added(torch.zeros(flat, dtype=dtype, device=device), positions, slices).reshape(target)

    return scatter


@scatter_nd_op.gradient
def scatter_nd_gradient(op, grad):
    return [None, raw.GatherNd(grad, op.inputs[0]), None]


scatter_nd_op.accepts(np.array([[1], [3]], np.int32), [2], np.array([5], np.int32))
scatter_nd_op.accepts(np.array([[1], [1]], np.int32), [2, 3], np.array([4, 3], np.int32))
scatter_nd_op.rejects(np.array([[1], [3]], np.int32), [3], np.array([5], np.int32), error=ValueError)


def _scatter(declared: OpDecl, write: Callable[..., Any]) -> None:
    @declared.shape
    @ranked(None, (1, None), (1, None))
    def scatter_shape(op):
        tensor, indices, updates = (part.dims for part in op.inputs)
        _require_place(indices, updates, tensor)
        _check_update_dims(indices, updates, tensor)
        return [tensor]

    @declared.kernel
    def scatter_kernel(node):
        def scatter(tensor, indices, updates):
            shape = tuple(tensor.shape)
            positions, slices, flat = _flat_updates(indices, updates, shape)
            own = (
                tensor.copy() if isinstance(tensor, np.ndarray) else tensor.clone(memory_format=torch.contiguous_format)
            )
            return write(own.reshape(flat), positions, slices).reshape(shape)

        return scatter


tensor_scatter_update_op = op(
    "TensorScatterUpdate", "tensor: T, indices: Tindices, updates: T, *, Tindices: index -> output: T"
)
tensor_scatter_add_op = op(
    "TensorScatterAdd", "tensor: T, indices: Tindices, updates: T, *, Tindices: index -> output: T"
)
tensor_scatter_sub_op = op(
    "TensorScatterSub", "tensor: T, indices: Tindices, updates: T, *, Tindices: index -> output: T"
)
scatter_nd_non_aliasing_add_op = op(
    "ScatterNdNonAliasingAdd",
    "input: T, indices: Tindices, updates: T, *, T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, "
    "quint8, qint32, bfloat16, uint16, complex128, half, uint32, uint64, bool}, Tindices: index -> output: T",
).touches("indices", "updates")
_scatter(tensor_scatter_update_op, _put)
_scatter(tensor_scatter_add_op, _added)
_scatter(tensor_scatter_sub_op, _subtracted)
_scatter(scatter_nd_non_aliasing_add_op, _added)

# Ops of TensorFlow 2, for graphs it has written.
_OF_TENSORFLOW_2 = "tensor: T, indices: Tindices, updates: T, *, Tindices: index, bad_indices_policy='' -> output: T"
tensor_scatter_max_op = op("TensorScatterMax", _OF_TENSORFLOW_2).not_differentiable()
tensor_scatter_min_op = op("TensorScatterMin", _OF_TENSORFLOW_2).not_differentiable()


def _extreme(out: torch.Tensor, positions: torch.Tensor, slices: torch.Tensor, how: str) -> torch.Tensor:
    """Rows of `out` with the extremes of what they are given."""
    with warnings.catch_warnings():
        # torch says once a process that the interface may change.
        warnings.simplefilter("ignore", UserWarning)
        return out.index_reduce_(0, positions, slices, how)


_scatter(tensor_scatter_max_op, lambda out, positions, slices: _extreme(out, positions, slices, "amax"))
_scatter(tensor_scatter_min_op, lambda out, positions, slices: _extreme(out, positions, slices, "amin"))


@tensor_scatter_update_op.gradient
def tensor_scatter_update_gradient(op, grad):
    indices = op.inputs[1]
    updates = raw.GatherNd(grad, indices)
    kept = raw.TensorScatterUpdate(identity(grad), indices, zeros_like(op.inputs[2], dtype=grad.dtype))
    return [kept, None, updates]


@tensor_scatter_add_op.gradient
def tensor_scatter_add_gradient(op, grad):
    updates = raw.GatherNd(grad, op.inputs[1])
    return [identity(grad), None, updates]


@tensor_scatter_sub_op.gradient
def tensor_scatter_sub_gradient(op, grad):
    updates = raw.GatherNd(grad, op.inputs[1])
    return [identity(grad), None, raw.Neg(updates)]


@scatter_nd_non_aliasing_add_op.gradient
def scatter_nd_non_aliasing_add_gradient(op, grad):
    return [grad, None, raw.GatherNd(grad, op.inputs[1])]


tensor_scatter_update_op.accepts([5], np.array([[1], [3]], np.int32), [2])
tensor_scatter_add_op.accepts([5, 2], np.array([[1], [1]], np.int32), [2, 2])
for _decl in (tensor_scatter_sub_op, scatter_nd_non_aliasing_add_op, tensor_scatter_max_op, tensor_scatter_min_op):
    _decl.accepts([4, 2], np.array([[1], [3], [1]], np.int32), [3, 2]).accepts(
        [4], np.array([[3]], np.int64), [1], T="int32"
    )
    _decl.rejects([4, 2], np.array([[1], [1]], np.int32), [3, 2], error=ValueError)

sparse_to_dense_op = op(
    "SparseToDense",
    "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T, *, validate_indices=True, "
    "Tindices: index -> dense: T",
)
sparse_to_dense_op.on_host("sparse_indices", "output_shape")


@sparse_to_dense_op.shape
def sparse_to_dense_shape(op):
    rank_is(op.inputs[1].dims, 1)
    shape = op.constant(1)
    if shape is not None and shape.min(initial=0) < -1:
        raise ValueError(f"Invalid value in tensor used for shape: {shape.min()}")
    return [op.constant_dims(1)]


@sparse_to_dense_op.gradient
def sparse_to_dense_gradient(op, grad):
    """The stored elements take their own gradients, the default value all the others."""
    indices, shape = op.inputs[0], op.inputs[1]
    for_values = raw.GatherNd(grad, indices)
    for_default = _total(grad) - _total(for_values)
    return [zeros_like(indices), zeros_like(shape), for_values, for_default]


def _total(x: Tensor) -> Tensor:
    return raw.Sum(x, composing.all_axes(x))


def _check_sparse_indices(rows: np.ndarray, target: tuple[int, ...], ordered: bool) -> None:
    outside = ((rows < 0) | (rows >= np.asarray(target, rows.dtype))).any(axis=1)
    if outside.any():
        i = int(outside.argmax())
        if not ordered:
            raise invalid(f"Indices are not valid (out of bounds).  Shape: {shape_text(target)}")
        raise invalid(
            f"indices[{i}] = {shape_text(rows[i].tolist())} is out of bounds: need 0 <= index < {shape_text(target)}"
        )
    if not ordered or len(rows) < 2:
        return
    places = np.ravel_multi_index(tuple(rows.T), target) if rows.shape[1] else np.zeros(len(rows), np.int64)
    steps = np.diff(places)
    if (steps <= 0).any():
        i = int((steps <= 0).argmax()) + 1
        if steps[i - 1] == 0:
            raise invalid(f"indices[{i}] = {shape_text(rows[i].tolist())} is repeated")
        raise invalid(
            f"indices[{i}] = {shape_text(rows[i].tolist())} is out of order. Many sparse ops require sorted indices."
        )


@sparse_to_dense_op.kernel
def sparse_to_dense_kernel(node):
    checked, device, text = node.attrs["validate_indices"], node.device, is_text(node.inputs[2])
    view_dtype = None if text else view_dtype_of(node.inputs[2].dtype.torch)

    def dense(indices, shape, values, default):
        target = tuple(numbers(shape))
        if indices.ndim > 2:
            raise invalid(
                f"sparse_indices should be a scalar, vector, or matrix, got shape {shape_text(indices.shape)}"
            )
        if default.ndim:
            raise invalid("default_value should be a scalar.")
        vectors = indices.reshape(-1, 1) if indices.ndim < 2 else indices
        if vectors.shape[1] != len(target):
            raise invalid(f"output_shape has incorrect number of elements: {len(target)} should be: {vectors.shape[1]}")
        count = vectors.shape[0]
        if values.ndim > 1 or (values.ndim and values.shape[0] != count):
            raise invalid(f"sparse_values has incorrect shape {shape_text(values.shape)}, should be [] or [{count}]")
        _check_sparse_indices(vectors.numpy(), target, checked)
        where = tuple(vectors.long().unbind(1))
        if text:
            out = filled_text(target, default[()])
            out[tuple(part.numpy() for part in where)] = values
            return out
        out = torch.empty(target, dtype=values.dtype, device=device).copy_(default)
        out.view(view_dtype)[where] = values.view(view_dtype)
        return out

    if text or device.type != "cpu":
        return dense
    return directly("sparse_to_dense", dense, bool(checked))


sparse_to_dense_op.accepts(np.array([1, 3], np.int32), np.array([5], np.int32), [2], np.float32(0))


def scatter_nd(indices: TensorLike, updates: TensorLike, shape: TensorLike, name: str | None = None) -> Tensor:
    """Zeros of `shape` to which `updates` are added at `indices`.

    Args:
        indices: int32 or int64 tensor of shape [..., k]: vectors over the first k axes.
        updates: tensor of shape `indices.shape[:-1] + shape[k:]`.
        shape: vector of the type of `indices`.
        name: a name for the operation.

    Example:
        >>> tf.scatter_nd([[4], [1]], [9, 10], [6])  # [0, 10, 0, 0, 9, 0]
    """
    return raw.ScatterNd(indices, updates, shape, name=name)


def scatter_nd_non_aliasing_add(
    input: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of `input` with `updates` added at the index vectors `indices`."""
    return raw.ScatterNdNonAliasingAdd(input, indices, updates, name=name)


def tensor_scatter_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of `tensor` with `updates` written at the index vectors `indices`.

    Example:
        >>> tf.tensor_scatter_update([1, 1, 1], [[0]], [5])  # [5, 1, 1]
    """
    return raw.TensorScatterUpdate(tensor, indices, updates, name=name)


def tensor_scatter_add(tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
    """A copy of `tensor` with `updates` added at the index vectors `indices`."""
    return raw.TensorScatterAdd(tensor, indices, updates, name=name)


def tensor_scatter_sub(tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None) -> Tensor:
    """A copy of `tensor` with `updates` subtracted at the index vectors `indices`."""
    return raw.TensorScatterSub(tensor, indices, updates, name=name)


def sparse_to_dense(
    sparse_indices: TensorLike,
    output_shape: TensorLike,
    sparse_values: TensorLike,
    default_value: TensorLike = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A tensor of `output_shape` that is `default_value` but for `sparse_values` at `sparse_indices`.

    Args:
        sparse_indices: a scalar, a vector of positions, or a matrix whose rows are index vectors.
        output_shape: vector of the type of the indices.
        sparse_values: a scalar or a vector with one value for each index.
        default_value: a scalar.
        validate_indices: whether the indices must be in order and different.
        name: a name for the operation.

    Example:
        >>> tf.sparse_to_dense([1, 3], [4], [5, 6])  # [0, 5, 0, 6]
    """
    return raw.SparseToDense(
        sparse_indices, output_shape, sparse_values, default_value, validate_indices=validate_indices, name=name
    )
