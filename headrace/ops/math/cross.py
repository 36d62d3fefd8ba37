"""The cross product of vectors of three."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from headrace.core.dims import merge_dims
from headrace.core.errors import FailedPreconditionError, InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


cross_op = op("Cross", "a: T, b: T, *, T: realnumeric -> product: T")
cross_op.accepts([3], [3]).accepts([2, 3], [2, 3]).rejects([2], [2], error=ValueError)
_WIDER = {torch.uint16: torch.int32, torch.uint32: torch.int64, torch.uint64: torch.int64}


@cross_op.shape
def cross_shape(op):
    dims = merge_dims(op.inputs[0].dims, op.inputs[1].dims)
    if dims is not None:
        if not dims:
            raise ValueError("Shape must be at least rank 1 but is rank 0")
        if dims[-1] not in (3, None):
            raise ValueError(f"Dimension must be 3 but is {dims[-1]}")
    return [dims]


@cross_op.kernel
def cross_kernel(node):
    def cross(a, b):
        if a.shape != b.shape or a.dim() < 1:
            raise InvalidArgumentError(
                None, None, f"Both inputs must have shape [..., 3]: {list(a.shape)} and {list(b.shape)}"
            )
        if a.shape[-1] != 3:
            raise FailedPreconditionError(
                None, None, f"Cross-products are only defined for vectors of 3 elements, got shape {list(a.shape)}"
            )
        return torch.linalg.cross(a, b)

    dtype = node.inputs[0].dtype.torch
    wider = _WIDER.get(dtype)
    return cross if wider is None else lambda a, b: cross(a.to(wider), b.to(wider)).to(dtype)


@cross_op.gradient
def cross_gradient(op, grad):
    a, b = op.inputs
    return [raw.Cross(b, grad), raw.Cross(grad, a)]


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross products of vectors of three.

    Args:
        a: real numbers of shape (..., 3).
        b: the same shape and type.
        name: a name for the operation.

    Raises:
        ValueError: if the shapes differ or do not end in 3.

    Example:
        >>> tf.Session().run(tf.cross([1, 0, 0], [0, 1, 0]))
        array([0, 0, 1], dtype=int32)
    """
    return raw.Cross(a, b, name=name)
