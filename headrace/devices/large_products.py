"""Large float32 matrix products on the CPU, through oneDNN.

torch.mm calls the BLAS torch was built with, usually MKL, which runs at half the speed of oneDNN on processors that are
not Intel's: 64x3136 by 3136x512 in 2.5 ms there and 1.2 ms here, on one core; 50x3872 by 3872x10, whose few columns
suit MKL less, in 0.18 and 0.04 ms. oneDNN takes 12 microseconds to begin, so it is for products of a million
multiplications and more, and of half as many with few columns. A single row is the BLAS's: nothing is reused then, and
oneDNN puts the other matrix in an order of its own first: 1x1024 by 1024x1024 in 0.14 ms there and 0.06 ms in MKL.

MKL's half speed is that of its AVX2 kernels on processors with AVX-512. Where there is no AVX-512 both are as fast, and
of many rows oneDNN is the slower one: 1024x768 by 768x3072 at 28 billion operations a second there and 72 in MKL.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


Linear = Callable[..., Any]

# From so many multiplications on oneDNN is worth its beginning; and from so many elements on of the matrix that meets
# one of few columns.
_MANY = 1_000_000
_FEW_COLUMNS = 15
_MANY_COLUMNS = 128
_MANY_ELEMENTS = 50_000
# From so many rows of the result on the BLAS is the faster one on a processor without AVX-512.
_MANY_ROWS = 512


def large_product(node: NodeView) -> Callable[[Any, Any, Any], Any] | None:
    """A function of (a, b, bias or None) computing a @ b + bias for a node that may be worth it, else None.

    Args:
        node: the planned node; its inputs must be known to fit.
    """
    linear = _linear_of(node)
    if linear is None:
        return None
    mm, addmm, rows = torch.mm, torch.addmm, _rows_of_linear()
    if node.heavy:

        def heavy(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
            if 1 < a.shape[0] < rows:
                return linear(a, b.t(), bias, "none", [], "")
            return mm(a, b) if bias is None else addmm(bias, a, b)

        return heavy
    if any(value.dims is None or len(value.dims) != 2 for value in node.inputs[:2]):
        return None

    def by_size(a: torch.Tensor, b: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
        # Which size a batch has is known when it is there.
        elements, columns = a.numel(), b.shape[1]
        # Somebody who exports the step leaves the size of a batch open.
        if (
            elements.__class__ is int
            and 1 < a.shape[0] < rows
            and (elements * columns >= _MANY or (1 < columns <= _FEW_COLUMNS and elements >= _MANY_ELEMENTS))
        ):
            return linear(a, b.t(), bias, "none", [], "")
        return mm(a, b) if bias is None else addmm(bias, a, b)

    return by_size


def turned_product(node: NodeView, otherwise: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any] | None:
    """A function of (a, b) computing a.t() @ b for a node that may be worth it, else None.

    oneDNN has the left matrix copied where it is turned. With few columns it computes b.t() @ a instead, of which the
    result is turned; with more that costs as much as it saves, until there are many.

    Args:
        node: the planned node.
        otherwise: what computes products that are small, or do not fit.
    """
    linear, dims = _linear_of(node), node.outputs[0].dims
    if linear is None or dims is None or len(dims) != 2 or dims[-1] is None:
        return None
    columns = dims[-1]
    if 1 < columns <= _FEW_COLUMNS:

        def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return linear(b.t(), a.t(), None, "none", [], "").t().contiguous()

    elif node.heavy and columns >= _MANY_COLUMNS and (dims[0] or 0) < _rows_of_linear():

        def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            return linear(a.t(), b.t(), None, "none", [], "")

    else:
        return None

    def by_size(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        # Which size a batch has is known when it is there.
        if a.numel() >= _MANY_ELEMENTS and a.dim() == 2 and a.shape[0] == b.shape[0]:
            return product(a, b)
        return otherwise(a, b)

    return by_size


def product_with_turned(node: NodeView) -> Callable[[Any, Any], Any]:
    """A function of float32 matrices (a, b) computing a @ b.t(), for products that are large in most steps.

    Args:
        node: the planned node.
    """
    linear = _linear() if node.device.type == "cpu" else None
    if linear is None:
        return lambda a, b: torch.mm(a, b.t())
    return lambda a, b: linear(a, b, None, "none", [], "")


def _rows_of_linear() -> float:
    """Up to how many rows of the result, less one, oneDNN is for."""
    return math.inf if torch.backends.cpu.get_cpu_capability().startswith("AVX512") else _MANY_ROWS


def _linear_of(node: NodeView) -> Linear | None:
    """oneDNN's function for a node that it can compute."""
    if node.device.type != "cpu" or node.outputs[0].dtype.torch is not torch.float32:
        return None
    return _linear()


def _linear() -> Linear | None:
    """torch's oneDNN linear layer: x, weight [out, in], bias, and what to apply afterwards."""
    if not torch.backends.mkldnn.is_available():
        return None
    packet = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    return None if packet is None else packet.default
