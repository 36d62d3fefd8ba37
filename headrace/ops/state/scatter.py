"""Sparse updates of variables: rows by number and slices by index vector, by reference and by resource handle."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.argument_errors import no_kernel
from headrace.core.dims import Dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import REGISTRY, OpDecl, op
from headrace.kernels.native import source
from headrace.kernels.state.handles import (
    SIGNED,
    check_handle_dtype,
    handle_dims,
    invalid,
    merge_shapes,
    missing,
    shape_text,
)
from headrace.kernels.state.indices import check_rows, combine_rows, flat_rows


def _numpy_form(ufunc: np.ufunc) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    return lambda rows, update: torch.from_numpy(ufunc(rows.numpy(), update.numpy()))


def _quotient(dtype: torch.dtype) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    if dtype.is_floating_point or dtype.is_complex:
        return torch.div

    def divide(rows, update):
        if bool((update == 0).any()):
            raise invalid("Integer division by zero")
        return torch.div(rows, update, rounding_mode="trunc")

    return divide


_UFUNCS = {"Mul": np.multiply, "Div": np.floor_divide, "Min": np.minimum, "Max": np.maximum}
_COMBINE = {"Mul": torch.mul, "Min": torch.minimum, "Max": torch.maximum}


def _applier(kind: str, dtype: torch.dtype | None) -> Callable[[Any, Any, Any], None]:
    """A function (rows, row numbers, updates) that updates rows in place."""
    if dtype is None:

        def write(rows, indices, updates):
            # NumPy writes in order, so the last one stays.
            rows[indices.numpy()] = updates

        return write
    signed = SIGNED.get(dtype)
    if kind in ("Add", "Sub"):
        sign = -1 if kind == "Sub" else 1

        def add(rows, indices, updates):
            if signed is not None:
                rows, updates = rows.view(signed), updates.view(signed)
            rows.index_add_(0, indices, updates, alpha=sign)

        return add
    combine = None
    if kind != "Update":
        if signed is not None:
            combine = _numpy_form(_UFUNCS[kind])
        else:
            combine = _quotient(dtype) if kind == "Div" else _COMBINE[kind]
    return lambda rows, indices, updates: combine_rows(rows, indices, updates, combine)


def _unaliased(updates: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """`updates`, copied where they are the variable's own memory, which is about to change."""
    if (
        isinstance(updates, torch.Tensor)
        and updates.untyped_storage().data_ptr() == target.untyped_storage().data_ptr()
    ):
        return updates.clone()
    return updates


# ---- rows by number ----


def _rows_dims(params: Dims, indices: Dims, updates: Dims) -> None:
    if updates is not None and len(updates) == 0:
        return
    if params is None or indices is None:
        return
    # A variable that is a scalar has no rows, which is found when the operation runs.
    merge_shapes(updates, (*indices, *params[1:]))


def _is_own(value: Any) -> bool:
    """Whether a planned value is memory that no variable has."""
    return value.index in value.node.decl.fresh_outputs


def scatter_rows(
    target: torch.Tensor,
    indices: torch.Tensor,
    updates: torch.Tensor,
    apply: Callable[..., Any],
    resource: bool,
    own: bool = False,
) -> None:
    """Updates the rows `indices` of `target`; everything is checked before the first is written.

    Args:
        target: the variable's tensor, or array of strings.
        indices: row numbers, of any shape.
        updates: indices.shape + target.shape[1:], or a scalar.
        apply: what `_applier` returns.
        resource: whether errors are put as for resource variables.
        own: whether `updates` is known not to be the variable's memory.

    Raises:
        InvalidArgumentError: if shapes do not fit, or naming the first index that is outside.
    """
    if own and target.ndim and indices.ndim == 1 and tuple(updates.shape) == (*indices.shape, *target.shape[1:]):
        check_rows(indices, target.shape[0])
        apply(target, indices, updates)
        return
    if not target.ndim and resource:
        # A scalar is a row then.
        target = target.reshape(1)
    if not target.ndim:
        raise invalid(f"params must be at least 1-D, got shape {shape_text(target.shape)}")
    expected = (*indices.shape, *target.shape[1:])
    scalar = not updates.shape
    if resource and not scalar and math.prod(updates.shape) == math.prod(expected):
        # Where no shapes were known, it is the number of elements that counts.
        updates = updates.reshape(expected)
    if not scalar and tuple(updates.shape) != expected:
        if resource:
            raise invalid(
                f"shape of indices ({shape_text(indices.shape)}) is not compatible with the shape of updates "
                f"({shape_text(updates.shape)})"
            )
        raise invalid(
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape "
            f"{shape_text(updates.shape)}, indices.shape {shape_text(indices.shape)}, params.shape "
            f"{shape_text(target.shape)}"
        )
    check_rows(indices, target.shape[0])
    if not indices.numel():
        return
    rows = indices.reshape(-1)
    if isinstance(target, np.ndarray):
        apply(target, rows, updates if scalar else updates.reshape(-1, *target.shape[1:]))
        return
    updates = _unaliased(updates, target)
    count = rows.shape[0]
    updates = updates.expand(count, *target.shape[1:]) if scalar else updates.reshape(count, *target.shape[1:])
    if scalar and updates.dtype in SIGNED:
        updates = updates.contiguous()
    apply(target, rows, updates)


def _declare_rows_rules(by_ref: OpDecl, by_handle: OpDecl, kind: str) -> None:
    """Declares the rules of the two forms of an op that updates rows."""
    by_ref.writes("ref").touches("indices", "updates")
    by_handle.writes("resource").touches("indices", "updates")

    @by_ref.shape
    def by_ref_shape(op):
        _rows_dims(*[t.dims for t in op.inputs])
        return [op.inputs[0].dims]

    @by_handle.shape
    def by_handle_shape(op):
        check_handle_dtype(op.inputs[0], op.inputs[2].dtype.base_dtype)
        _rows_dims(handle_dims(op.inputs[0]), op.inputs[1].dims, op.inputs[2].dims)
        return []

    @by_ref.kernel
    def by_ref_kernel(node):
        apply, own = _applier(kind, node.inputs[2].dtype.torch), _is_own(node.inputs[2])

        def scatter(buffer, indices, updates):
            scatter_rows(buffer.read(), indices, updates, apply, False, own)
            return buffer

        return scatter

    @by_handle.kernel
    def by_handle_kernel(node):
        apply, own = _applier(kind, node.inputs[2].dtype.torch), _is_own(node.inputs[2])

        def scatter(buffer, indices, updates):
            if buffer.value is None:
                raise missing(buffer)
            scatter_rows(buffer.value, indices, updates, apply, True, own)

        return scatter

    for decl in (by_ref, by_handle):
        _declare_cases(decl, [2, 0, 2], [3, 3], wrong=[3, 2])
        # One number for all of them.
        decl.accepts([4, 3], np.array([[1, 2]]), np.float32(2))


def _declare_cases(
    decl: OpDecl, indices: Sequence[int | Sequence[int]], updates: Sequence[int], wrong: Sequence[int]
) -> None:
    """Rows or slices of a matrix, one of them twice; none; an index beyond it; updates of a wrong shape."""
    at = np.array(indices)
    decl.accepts([4, 3], at, updates).accepts([4, 3], at[:0], [0, *updates[1:]])
    decl.accepts(np.arange(1, 13).reshape(4, 3), at.astype(np.int32), np.full(updates, 2))
    decl.rejects([4, 3], at + 3, updates, error=InvalidArgumentError).rejects([4, 3], at, wrong, error=ValueError)


def _declare_rows(ref_type: str, resource_type: str, kind: str, types: str) -> OpDecl:
    """Declares an op that computes with rows in both forms, and returns the form on references."""
    by_ref = op(
        ref_type,
        f"ref: ref T, indices: Tindices, updates: T, *, T: {types}, Tindices: index, use_locking=False -> output_ref: ref T",
    )
    by_handle = op(
        resource_type,
        "resource: resource, indices: Tindices, updates: dtype, *, dtype: numeric, Tindices: index ->",
        stateful=True,
    )
    _declare_rows_rules(by_ref, by_handle, kind)
    return by_ref


_declare_rows_rules(
    op(
        "ScatterUpdate",
        "ref: ref T, indices: Tindices, updates: T, *, Tindices: index, use_locking=True -> output_ref: ref T",
    ),
    op(
        "ResourceScatterUpdate",
        "resource: resource, indices: Tindices, updates: dtype, *, Tindices: index ->",
        stateful=True,
    ),
    "Update",
)
_declare_rows("ScatterAdd", "ResourceScatterAdd", "Add", "numeric").not_differentiable()
_declare_rows("ScatterSub", "ResourceScatterSub", "Sub", "numeric").not_differentiable()
_declare_rows("ScatterMul", "ResourceScatterMul", "Mul", "numeric").not_differentiable()
_declare_rows("ScatterDiv", "ResourceScatterDiv", "Div", "numeric").not_differentiable()
_ORDERED = "{half, bfloat16, float, double, int32, int64}"
_declare_rows("ScatterMin", "ResourceScatterMin", "Min", _ORDERED)
_declare_rows("ScatterMax", "ResourceScatterMax", "Max", _ORDERED)


# ---- slices by index vector ----


def _slices_dims(params: Dims, indices: Dims, updates: Dims) -> None:
    if indices == () or updates == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    if indices is None or updates is None or params is None or not indices or indices[-1] is None:
        return
    outer, depth = len(indices) - 1, indices[-1]
    # Vectors longer than the rank are refused when they are used.
    for name, mine, theirs, what, count in (
        ("indices", indices[:-1], updates[:outer], "outer", outer),
        ("input", params[depth:], updates[outer:], "inner", max(len(params) - depth, 0)),
    ):
        try:
            merge_shapes(mine, theirs)
        except ValueError as error:
            shape = indices if name == "indices" else params
            raise ValueError(
                f"The {what} {count} dimensions of {name}.shape={shape_text(shape)} must match the {what} {count} "
                f"dimensions of updates.shape={shape_text(updates)}: {error}"
            ) from None


def scatter_slices(
    target: torch.Tensor, indices: torch.Tensor, updates: torch.Tensor, apply: Callable[..., Any]
) -> None:
    """Updates the slices of `target` that the vectors in `indices` lead to."""
    if indices.ndim == 1:
        # As TensorFlow's kernels do: so many vectors of one index.
        indices = indices[:, None]
    depth = indices.shape[-1] if indices.ndim else 0
    outer = tuple(indices.shape[:-1])
    if not indices.ndim or not target.ndim:
        raise invalid("Output must be at least 1-D, got shape: []" if indices.ndim else "Indices must be at least 1-D")
    if tuple(updates.shape[: len(outer)]) != outer:
        raise invalid(
            f"The outermost dimension of updates and indices must match. Got indices.shape {shape_text(indices.shape)}, "
            f"updates.shape {shape_text(updates.shape)}"
        )
    if depth > target.ndim:
        raise invalid(
            f"The last dimension of indices is at most the rank of what they lead into, got indices.shape "
            f"{shape_text(indices.shape)} and params_shape {shape_text(target.shape)}"
        )
    if tuple(updates.shape) != (*outer, *target.shape[depth:]):
        raise invalid(
            f"The inner {target.ndim - depth} dimensions of output.shape={shape_text(target.shape)} must match the inner "
            f"{len(updates.shape) - len(outer)} dimensions of updates.shape={shape_text(updates.shape)}"
        )
    rows, flat = flat_rows(target, indices)
    if not flat.numel():
        return
    flat = flat.reshape(-1)
    if not isinstance(target, np.ndarray):
        updates = _unaliased(updates, target)
    apply(rows, flat, updates.reshape(flat.shape[0], *target.shape[depth:]))


def _declare_slices(by_ref: OpDecl, by_handle: OpDecl, kind: str) -> None:
    """Declares the rules of the two forms of an op that updates slices."""
    by_ref.writes("ref").not_differentiable().touches("indices", "updates")
    by_handle.writes("ref").touches("indices", "updates")

    @by_ref.shape
    def by_ref_shape(op):
        _slices_dims(*[t.dims for t in op.inputs])
        return [op.inputs[0].dims]

    @by_handle.shape
    def by_handle_shape(op):
        _slices_dims(handle_dims(op.inputs[0]), op.inputs[1].dims, op.inputs[2].dims)
        return []

    @by_ref.kernel
    def by_ref_kernel(node):
        apply = _applier(kind, node.inputs[2].dtype.torch)

        def scatter(buffer, indices, updates):
            scatter_slices(buffer.read(), indices, updates, apply)
            return buffer

        return scatter

    @by_handle.kernel
    def by_handle_kernel(node):
        if kind != "Update" and node.inputs[2].dtype.base_dtype.name == "string":
            raise no_kernel(node, 2)
        apply = _applier(kind, node.inputs[2].dtype.torch)

        def scatter(buffer, indices, updates):
            if buffer.value is None:
                raise missing(buffer)
            scatter_slices(buffer.value, indices, updates, apply)

        return scatter

    for decl in (by_ref, by_handle):
        _declare_cases(decl, [[2], [0], [2]], [3, 3], wrong=[3, 2])
        decl.accepts([4, 3], np.array([[1, 2], [3, 0]]), [2])


_SET = "ref: ref T, indices: Tindices, updates: T, *, Tindices: index, use_locking=True -> output_ref: ref T"
_COMPUTED = (
    "ref: ref T, indices: Tindices, updates: T, *, T: numeric, Tindices: index, use_locking=False -> output_ref: ref T"
)
_BY_HANDLE = "ref: resource, indices: Tindices, updates: T, *, Tindices: index, use_locking=True ->"
_declare_slices(op("ScatterNdUpdate", _SET), op("ResourceScatterNdUpdate", _BY_HANDLE, stateful=True), "Update")
_declare_slices(op("ScatterNdAdd", _COMPUTED), op("ResourceScatterNdAdd", _BY_HANDLE, stateful=True), "Add")
_declare_slices(op("ScatterNdSub", _COMPUTED), op("ResourceScatterNdSub", _BY_HANDLE, stateful=True), "Sub")


# ---- native instructions


def _scatter_native(name, decl):
    """Rows of variables by number, where the updates come as rows."""

    @decl.native
    def rule(node):
        if node.inputs[2].dims in (None, ()):
            return None

        def lower(b, inputs):
            made = b.apply(name, [inputs[0], inputs[1], source(b, node, inputs, 2)])
            return made[: len(node.outputs)]

        return lower


for _kind in ("Add", "Sub", "Update"):
    for _form in ("Scatter", "ResourceScatter"):
        _scatter_native(f"scatter_{_kind.lower()}", REGISTRY[f"{_form}{_kind}"])
