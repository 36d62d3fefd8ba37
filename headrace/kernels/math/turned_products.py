"""Products of a turned matrix, as the gradients of weights are, by the native runner.

It reads both matrices along their rows and turns neither: 784 x 128 sums of 100 take 0.08 ms on a core of an AMD processor,
where oneDNN, which turns one first, takes 0.13, and MKL 0.19.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.core.typing import NodeView

# From so many multiplications on several threads share a product.
_FOR_THREADS = 4_000_000
# From so many multiplications on it is worth its call; a few columns suit it less.
_MANY, _COLUMNS = 100_000, 16
# A matrix of so many elements stays in the caches while it is gone through once for each few columns; with more oneDNN, which
# takes it in blocks, is the faster one.
_CACHED = 2**18


def add_turned_product(total: torch.Tensor, a: torch.Tensor, b: torch.Tensor, factor: float) -> bool:
    """Adds factor * a.t() @ b to a matrix.

    Args:
        total: what is added to.
        a: the matrix that is turned.
        b: the other one.
        factor: a number.

    Returns:
        whether it did: it does with float32 matrices that lie densely, where there is a runner.
    """
    add = direct_call("add_turned_product")
    if add is None or total.dim() != 2:
        return False
    threads = torch.get_num_threads() if a.numel() * total.shape[1] >= _FOR_THREADS else 1
    return add(total, a, b, factor, threads) is not None


def _are_dense(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether they are matrices that lie densely and fit each other."""
    return a.dim() == 2 and b.dim() == 2 and a.shape[0] == b.shape[0] and a.is_contiguous() and b.is_contiguous()


def product_of_turned(
    node: NodeView, otherwise: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
) -> Callable[[torch.Tensor, torch.Tensor], torch.Tensor]:
    """A function of (a, b) computing a.t() @ b.

    Args:
        node: the planned node.
        otherwise: what computes products that are small, or do not fit.
    """
    dims = node.outputs[0].dims
    if direct_call("add_turned_product") is None or node.outputs[0].dtype.torch is not torch.float32:
        return otherwise
    if node.device.type != "cpu" or dims is None or len(dims) != 2 or dims[1] is None or dims[1] < _COLUMNS:
        return otherwise
    columns = dims[1]

    def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        elements = a.numel()
        # Somebody who exports the step leaves the size of a batch open.
        if elements.__class__ is int and elements * columns >= _MANY and elements <= _CACHED and _are_dense(a, b):
            total = a.new_zeros((a.shape[1], columns))
            if add_turned_product(total, a, b, 1.0):
                return total
        return otherwise(a, b)

    return product
