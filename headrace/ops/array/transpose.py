"""Permuting axes: Transpose, ConjugateTranspose, InvertPermutation."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.core.shapes import element_count, unknown_dims
from headrace.ops.array.common import constants, invalid, is_text, numbers, rank_is
from headrace.ops.array.join import concat
from headrace.ops.array.shape import rank
from headrace.ops.ranks import check_rank

transpose_op = op("Transpose", "x: T, perm: Tperm, *, Tperm: index = int32 -> y: T").aliases().on_host("perm")
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
    turned = transpose_kernel(node)
    if not node.inputs[0].dtype.base_dtype.is_complex:
        return turned
    return lambda x, perm: torch.conj_physical(turned(x, perm))


@transpose_op.gradient
def transpose_gradient(op, grad):
    return [transpose(grad, raw.InvertPermutation(op.inputs[1])), None]


@conjugate_transpose_op.gradient
def conjugate_transpose_gradient(op, grad):
    return [transpose(grad, raw.InvertPermutation(op.inputs[1]), conjugate=True), None]


transpose_op.accepts([2, 3, 4], np.array([2, 0, 1], np.int32)).accepts([2, 0], np.array([1, 0], np.int32))
transpose_op.rejects([2, 3], np.array([0, 2], np.int32), error=ValueError)

invert_permutation_op = op("InvertPermutation", "x: T, *, T: index = int32 -> y: T")
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


def transpose(a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False) -> Tensor:
    """`a` with its axes in another order: axis i of the result is axis `perm[i]` of `a`.

    Args:
        a: a tensor.
        perm: int32 or int64 vector; the reverse order by default.
        name: a name for the operation.
        conjugate: whether to conjugate complex elements as well.

    Example:
        >>> tf.transpose(tf.zeros([2, 3, 4]), [1, 0, 2]).get_shape()
        TensorShape([Dimension(3), Dimension(2), Dimension(4)])
    """
    with name_scope(name, "transpose", [a]) as scope:
        turned = raw.ConjugateTranspose if conjugate and a.dtype.is_complex else raw.Transpose
        if perm is not None:
            return turned(a, perm, name=scope)
        a = convert_to_tensor(a, name="a")
        if not a.dims:
            count = raw.Rank(a)
            last = raw.Sub(count, 1, name="sub")
            perm = raw.Sub(last, raw.Range(0, count, 1), name="sub")
        else:
            perm = np.arange(len(a.dims))[::-1]
        result = turned(a, perm, name=scope)
        if a.dims is not None:
            result.set_shape(a.dims[::-1])
        return result


def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """`a` with its last two axes exchanged.

    Args:
        a: a tensor of rank 2 or more.
        name: a name for the operations.
        conjugate: whether to conjugate complex elements as well.

    Raises:
        ValueError: if the rank is known to be less than 2.
    """
    with name_scope(name, values=[a]):
        a = convert_to_tensor(a, name="a")
        if a.dims is not None:
            count = len(a.dims)
            if count < 2:
                raise ValueError(f"Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: {a.get_shape()}")
            perm: Any = [*range(count - 2), count - 1, count - 2]
        else:
            total = rank(a)
            front = raw.Range(0, raw.Sub(total, 2, name="sub"), 1)
            perm = concat((front, [raw.Sub(total, 1, name="sub"), raw.Sub(total, 2, name="sub")]), 0)
        return transpose(a, perm=perm, conjugate=conjugate)


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation that undoes the permutation `x`, an int vector."""
    return raw.InvertPermutation(x, name=name)
