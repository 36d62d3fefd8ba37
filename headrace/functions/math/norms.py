"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.renamed_arguments import first_given

if TYPE_CHECKING:
    from headrace.core.registry import OpDecl
    from headrace.core.typing import TensorLike


def norm(
    tensor: TensorLike,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: Any = None,
) -> Tensor:
    """The norms of vectors, of matrices or of a whole tensor.

    Args:
        tensor: floating or complex numbers of any shape.
        ord: 'euclidean', 1, 2, np.inf or another positive number; for matrices 'euclidean' or 'fro', 1, 2 (the
            greatest singular value) or np.inf.
        axis: an int, the axis of the vectors; two different ints in a list, those of the matrices; None for the whole
            tensor as one vector.
        keepdims: keep those axes with size 1; `keep_dims` is its older name.
        name: a name scope.

    Raises:
        ValueError: if `ord` or `axis` is none of these.

    Example:
        >>> tf.Session().run(tf.norm([[3.0, 4.0], [0.0, 1.0]], axis=1))
        array([5., 1.], dtype=float32)
    """
    keepdims = first_given("keepdims", keepdims, "keep_dims", keep_dims) or False
    of_matrices = isinstance(axis, (list, tuple)) and len(axis) == 2
    if of_matrices:
        axis = tuple(axis)
        if not all(isinstance(a, int) for a in axis) or axis[0] == axis[1]:
            raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers")
        known = ["euclidean", "fro", 1, 2, np.inf]
        if ord not in known:
            raise ValueError(f"'ord' must be a supported matrix norm in {known}, got {ord}")
    else:
        if not (isinstance(axis, int) or axis is None):
            raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers")
        if ord not in ["euclidean", 1, 2, np.inf] and (isinstance(ord, str) or not np.isreal(ord) or ord <= 0):
            raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
        if axis is not None:
            axis = (axis,)
    with name_scope(name, "norm", [tensor]):
        tensor = convert_to_tensor(tensor)
        if of_matrices and ord in (2, 2.0):
            result = _spectral(tensor, axis)
        elif ord in ("fro", "euclidean", 2, 2.0):
            squares = tensor * composing.conj(tensor)
            result = raw.Sqrt(_over(raw.Sum, squares, axis))
        else:
            result = _other(_magnitude(tensor), ord, axis, of_matrices)
        return result if keepdims else composing.squeeze(result, axis)


def _over(reduce: OpDecl, x: Tensor, axis: Any) -> Tensor:
    if axis is None:
        axis = _all_axes(x)
    return reduce(x, axis, keep_dims=True)


def _all_axes(x: Tensor) -> Tensor:
    if x.dims is None:
        return composing.range_(0, composing.rank(x))
    return convert_to_tensor(np.arange(len(x.dims)), "int32")


def _magnitude(x: Tensor) -> Tensor:
    with name_scope(None, "Abs", [x]) as scope:
        if x.dtype.is_complex:
            return raw.ComplexAbs(x, Tout=x.dtype.real_dtype, name=scope)
        return raw.Abs(x, name=scope)


def _other(magnitude: Tensor, ord: Any, axis: Any, of_matrices: bool) -> Tensor:
    if ord == 1:
        result = _over(raw.Sum, magnitude, None if axis is None else axis[0])
        return _over(raw.Max, result, axis[-1]) if of_matrices else result
    if ord == math.inf:
        result = _over(raw.Sum, magnitude, axis[1]) if of_matrices else magnitude
        return _over(raw.Max, result, None if axis is None else axis[0])
    total = _over(raw.Sum, _power(magnitude, ord), axis)
    return _power(total, 1.0 / ord)


def _power(x: Tensor, exponent: TensorLike) -> Tensor:
    with name_scope(None, "Pow", [x]) as scope:
        return raw.Pow(x, exponent, name=scope)


def _spectral(x: Tensor, axis: tuple[int, int]) -> Tensor:
    """The greatest singular values over two axes, which stay with size 1."""
    where: Tensor | list[int]
    last: Tensor | list[int]
    back: Tensor | list[int]
    if x.dims is None:
        rank = composing.rank(x)
        where = raw.FloorMod(convert_to_tensor(axis), rank)
        last = composing.concat([raw.ListDiff(composing.range_(rank), where).out, where], 0)
        back = raw.InvertPermutation(last)
    else:
        axes = range(len(x.dims))
        if any(not -len(axes) <= a < len(axes) for a in axis):
            raise ValueError(f"tf.norm: axes {axis} are not in [-{len(axes)}, {len(axes)})")
        where = [axes[a] for a in axis]
        last = [i for i in axes if i not in where] + where
        back = [last.index(i) for i in axes]
    singular = raw.Svd(composing.transpose(x, last), compute_uv=False).s
    greatest = raw.Max(_magnitude(singular), -1, keep_dims=True)
    return composing.transpose(composing.expand_dims(greatest, -1), back)
