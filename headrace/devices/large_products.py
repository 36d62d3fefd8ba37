"""Large float32 matrix products on the CPU, through oneDNN.

torch.mm calls the BLAS torch was built with, usually MKL, which runs at half the speed of oneDNN on processors that are
not Intel's: 64x3136 by 3136x512 in 2.5 ms there and 1.2 ms here, on one core. oneDNN takes 12 microseconds to begin, so
it is for products of a million multiplications and more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


Linear = Callable[..., Any]


def large_product(node: NodeView) -> Callable[[Any, Any, Any], Any] | None:
    """A function of (a, b, bias or None) computing a @ b + bias for a node worth it, else None.

    Args:
        node: the planned node; its inputs must be known to fit.
    """
    if not node.heavy or node.device.type != "cpu" or node.outputs[0].dtype.torch is not torch.float32:
        return None
    linear = _linear()
    if linear is None:
        return None
    return lambda a, b, bias: linear(a, b.t(), bias, "none", [], "")


def _linear() -> Linear | None:
    """torch's oneDNN linear layer: x, weight [out, in], bias, and what to apply afterwards."""
    if not torch.backends.mkldnn.is_available():
        return None
    packet = getattr(torch.ops.mkldnn, "_linear_pointwise", None)
    return None if packet is None else packet.default
