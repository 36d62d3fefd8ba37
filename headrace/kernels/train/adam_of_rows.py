"""What Adam does to a whole variable where only some of its rows have gradients: kernel rules of fused ops.

A large variable, such as the embedding of a vocabulary, does not stay in the caches. In 1.15 each operation goes over all of
it; here the moments decay where they lie, and the variable changes by pieces that stay in the caches from the first operation
to the last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

from headrace.devices.parallel_for import parallel_blocks
from headrace.native.direct import direct_call

if TYPE_CHECKING:
    from headrace.core.buffers import VariableBuffer
    from headrace.core.typing import NodeView

# Five pieces of so many elements lie in the second cache of a core.
_PIECE = 2**15


def decay(node: NodeView) -> Callable[..., None]:
    """The variable times a number."""

    def scaled(buffer: VariableBuffer, by: torch.Tensor) -> None:
        buffer.read().mul_(by)

    return scaled


def step_by_root(node: NodeView) -> Callable[..., None]:
    """The variable less rate * m / (sqrt(v) + epsilon), each operation rounded as if it were alone."""
    asked = direct_call("adam_step")

    def step(
        buffer: VariableBuffer, rate: torch.Tensor, m: torch.Tensor, v: torch.Tensor, epsilon: torch.Tensor
    ) -> None:
        values, moments, squares = buffer.read().view(-1), m.reshape(-1), v.reshape(-1)
        numbers = rate.item(), epsilon.item()

        def some(first: int, last: int) -> None:
            if asked is not None and asked(values, moments, squares, *numbers, first, last) is not None:
                return
            root = squares[first:last].sqrt().add_(epsilon)
            values[first:last].sub_(torch.mul(moments[first:last], rate).div_(root))

        parallel_blocks(some, values.shape[0], _PIECE)

    return step
