"""Products of second derivatives with vectors, without the matrix of them.

H v is the gradient of (the gradient · v): B. Pearlmutter, "Fast exact multiplication by the Hessian", Neural
Computation 6 (1994).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.autodiff.gradients import gradients, is_trainable
from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.core.tensor import Tensor


def _hessian_vector_product(ys: Any, xs: Sequence[Tensor], v: Sequence[Tensor]) -> list[Any]:
    """The Hessian of the sum of `ys` with respect to `xs`, multiplied by the vector `v`.

    Args:
        ys: a scalar, or tensors to be summed.
        xs: tensors to differentiate by.
        v: one tensor for each of `xs`, of its shape.

    Returns:
        a list of tensors of the shapes of `xs`.

    Raises:
        ValueError: if `xs` and `v` are not equally many.
    """
    if len(v) != len(xs):
        raise ValueError("xs and v must have the same length.")
    first_gradients = gradients(ys, xs)
    products = [
        raw.Mul(gradient, raw.StopGradient(along))
        for gradient, along in zip(first_gradients, v, strict=True)
        if gradient is not None
    ]
    return gradients(products, xs)


def IsTrainable(tensor_or_dtype: Any) -> bool:
    """Whether gradients flow through a tensor, or values of a type."""
    return is_trainable(as_dtype(getattr(tensor_or_dtype, "dtype", tensor_or_dtype)))
