"""Permuting axes: Transpose, ConjugateTranspose, InvertPermutation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.dims import element_count, unknown_dims
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import constants, invalid, is_text, numbers, rank_is
from headrace.kernels.composing.arranging import transpose
from headrace.kernels.native import integers
from headrace.kernels.ranks import check_rank

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, TensorLike


transpose_op = (
    op("Transpose", "x: T, perm: Tperm, *, Tperm: index = int32 -> y: T")
    .aliases()
    .on_host("perm")
    .never_fails()
    .passes_text()
)


def _keeps_layout(node: NodeView) -> bool:
    """Whether it moves axes of size 1 only."""
    dims, perm = node.inputs[0].dims, node.constant_dims(1)
    if dims is None or perm is None:
        return False
    moved = [axis for axis in perm if axis is not None and dims[axis] != 1]
    return moved == sorted(moved)


transpose_op.forwards_memory(when=_keeps_layout)
conjugate_transpose_op = op("ConjugateTranspose", "x: T, perm: Tperm, *, Tperm: index = int32 -> y: T")
conjugate_transpose_op.aliases().on_host("perm")


@transpose_op.shape
def transpose_shape(op):
    dims, perm = op.inputs[0].dims, op.constant(1)
    if dims is None and element_count(op.inputs[1].dims) is None:
        return [None]
    check_rank(op.inputs[1].dims, 1)
    count = element_count(op.inputs[1].dims)
    if dims is not None:
        if count is not None and len(dims) != count:
            raise ValueError(f"Dimension must be {len(dims)} but is {count}")
        count = len(dims)
    if dims is None and count is not None and count < 2:
        # There is nothing to permute: as in 1.15, the shape is that of the input, which is not known.
        return [None]
    if perm is None or dims is None:
        return [unknown_dims(count) if dims != () else ()]
    axes = [int(axis) for axis in perm]
    for axis in axes:
        if not -len(dims) <= axis < len(dims):
            raise ValueError(f"perm dim {axis} is out of range of input rank {len(dims)}")
    return [tuple(dims[axis] for axis in axes)]


conjugate_transpose_op.shape(transpose_shape)


def _checked(perm: list[int], count: int) -> list[int]:
    if len(perm) != count:
        raise invalid(f"transpose expects a vector of size {count}. But input(1) is a vector of size {len(perm)}")
    axes = [axis + count if axis < 0 else axis for axis in perm]
    for axis in axes:
        if not 0 <= axis < count:
            raise invalid(f"{axis} is out of range [0 .. {count})")
    if len(set(axes)) != count:
        missing = next(axis for axis in range(count) if axis not in axes)
        raise invalid(f"{missing} is missing from {{{','.join(map(str, axes))}}}.")
    return axes


@transpose_op.same_as
def transpose_same(node):
    perm = constants(node, 1)
    plain = perm is not None and perm == list(range(len(perm))) and not node.inputs[0].dtype._is_ref_dtype
    return node.inputs[0] if plain and node.inputs[0].dims is not None else None


@transpose_op.kernel
def transpose_kernel(node):
    perm, dims = constants(node, 1), node.inputs[0].dims
    text = is_text(node.inputs[0])
    if perm is not None and dims is not None:
        axes = tuple(_checked(perm, len(dims)))
        return (lambda x, _: x.transpose(axes)) if text else (lambda x, _: x.permute(axes))
    if text:
        return lambda x, perm: x.transpose(_checked(numbers(perm), x.ndim))
    return lambda x, perm: x.permute(_checked(numbers(perm), x.ndim))


@conjugate_transpose_op.kernel
def conjugate_transpose_kernel(node):
    transposed = transpose_kernel(node)
    if not node.inputs[0].dtype.base_dtype.is_complex:
        return transposed
    return lambda x, perm: torch.conj_physical(transposed(x, perm))


@transpose_op.gradient
def transpose_gradient(op, grad):
    return [transpose(grad, raw.InvertPermutation(op.inputs[1])), None]


@conjugate_transpose_op.gradient
def conjugate_transpose_gradient(op, grad):
    return [transpose(grad, raw.InvertPermutation(op.inputs[1]), conjugate=True), None]


transpose_op.accepts([2, 3, 4], np.array([2, 0, 1], np.int32)).accepts([2, 0], np.array([1, 0], np.int32))
transpose_op.rejects([2, 3], np.array([0, 2], np.int32), error=ValueError)
conjugate_transpose_op.accepts(np.array([[1 + 2j, 3j], [0.5, 1 - 1j]], np.complex64), np.array([1, 0], np.int32))
conjugate_transpose_op.accepts([2, 3, 2], np.array([2, 0, 1], np.int64)).rejects(
    [2, 3], np.array([0, 2], np.int32), error=ValueError
)

invert_permutation_op = op("InvertPermutation", "x: T, *, T: index = int32 -> y: T").counts_by_shapes()
invert_permutation_op.on_host("x", outputs=True).not_differentiable()


@invert_permutation_op.shape
def invert_permutation_shape(op):
    return [rank_is(op.inputs[0].dims, 1)]


@invert_permutation_op.kernel
def invert_permutation_kernel(node):
    def invert(x):
        perm = numbers(x)
        result = [-1] * len(perm)
        for i, at in enumerate(perm):
            if not 0 <= at < len(perm):
                raise invalid(f"{at} is not between 0 and {len(perm)}")
            if result[at] != -1:
                raise invalid(f"{at} is duplicated in the input.")
            result[at] = i
        return torch.tensor(result, dtype=x.dtype)

    return invert


invert_permutation_op.accepts(np.array([2, 0, 1], np.int32))


def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The permutation that undoes the permutation `x`, an int vector."""
    return raw.InvertPermutation(x, name=name)


# ---- native instructions


@transpose_op.native
@conjugate_transpose_op.native
def _transpose_native(node):
    perm = integers(node, 1)
    return None if perm is None or sorted(perm) != list(range(len(perm))) else applied("transpose", perm, take=[0])
