"""Derivatives in forward direction, by differentiating twice backwards.

Townsend, "A new trick for calculating Jacobian vector products", 2017: https://j-towns.github.io/2017/06/12/A-new-trick.html.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.autodiff.gradients import gradients
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.functions.flow.assertion import Assert
from headrace.kernels.composing.filling import zeros_like
from headrace.ops.array.identity import identity_n

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def fwd_gradients(
    ys: Sequence[Any], xs: Sequence[Any], grad_xs: Sequence[Tensor] | None = None, assert_unused: bool = False
) -> list[Any]:
    """How `ys` change when `xs` change by `grad_xs`: the product of the Jacobian and a vector.

    The gradient of `ys` is a linear function of the gradients put in; what is returned is that function's own gradient.

    Args:
        ys: list of tensors.
        xs: list of tensors they are computed from.
        grad_xs: the change of each of `xs`; ones by default.
        assert_unused: whether to make sure that the backward pass, of which only the graph is needed, is not run.

    Returns:
        a list with the change of each of `ys`; None for one that does not depend on `xs`.

    Example:
        >>> fwd_gradients([x * x], [x])  # [2 * x]
    """
    # NaN, so that it shows if these values should be used after all.
    seeds = [zeros_like(y) + float("nan") for y in ys]
    backward = gradients(ys, xs, grad_ys=seeds)
    backward = [convert_to_tensor(dx) if isinstance(dx, IndexedSlices) else dx for dx in backward]
    if assert_unused:
        with control_dependencies(backward):
            check = Assert(False, [1], name="fwd_gradients")
        with control_dependencies([check]):
            backward = identity_n(backward)
    backward = [zeros_like(x) if dx is None else dx for x, dx in zip(xs, backward, strict=True)]
    for x, dx in zip(xs, backward, strict=True):
        dx.set_shape(x.shape)
    return gradients(backward, seeds, grad_ys=grad_xs)
