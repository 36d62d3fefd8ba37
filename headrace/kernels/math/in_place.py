"""Rules by which element-wise ops compute in the memory of an input: see `plan.reuse`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from headrace.core.registry import ReuseRule
    from headrace.core.typing import NodeView


# torch's own kernels serve these; the other types are computed by way of wider ones.
_NATIVE = frozenset(
    [
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
        *(torch.complex64, torch.complex128, torch.int32, torch.int64),
    ]
)
# Below this many elements a call with `out=` saves too little: on a core of an AMD EPYC a difference of 1,024 float32 takes 1.0
# microseconds without and 0.8 with it, of 16,384 1.9 and 1.7, of 65,536 6.4 and 4.7.
_LARGE = 16384


def is_native(node: NodeView) -> bool:
    """Whether the node computes in the type of its inputs."""
    return node.inputs[0].dtype.torch in _NATIVE


def unary_in_place(function: Callable[[Any], Any]) -> ReuseRule:
    """The rule of an op on one tensor, from the function that changes its argument."""
    return lambda node, index: function if is_native(node) else None


def binary_in_place(
    into_first: Callable[[Any, Any], Any],
    into_second: Callable[[Any, Any], Any] | None = None,
    out: Callable[..., Any] | None = None,
) -> ReuseRule:
    """The rule of an op on two tensors that broadcast.

    Args:
        into_first: changes its first argument, into which the second must broadcast.
        into_second: changes its second argument.
        out: the function with a parameter `out`, where there is no `into_second`.
    """

    def rule(node: NodeView, index: int) -> Callable[..., Any] | None:
        if not is_native(node):
            return None
        target, dims = node.inputs[index].dims, node.outputs[0].dims
        if target is None or dims is None or len(target) != len(dims):
            return None
        if None in target or None in dims:
            return _if_it_fits(node, index, into_first if index == 0 else into_second, target, dims)
        if target != dims:
            return None
        if index == 0:
            return into_first
        if into_second is not None:
            return into_second
        if out is None or prod(dims) < _LARGE:  # type: ignore[arg-type]  # no size is None: it has been asked
            return None
        return lambda x, y: out(x, y, out=y)

    return rule


def _if_it_fits(
    node: NodeView,
    index: int,
    function: Callable[[Any, Any], Any] | None,
    target: Sequence[int | None],
    dims: Sequence[int | None],
) -> Callable[..., Any] | None:
    """`function`, or the kernel where what is to be overwritten turns out to be too small for the result."""
    if function is None or any(m is not None and n is not None and m != n for m, n in zip(target, dims, strict=True)):
        return None
    kernel = node.kernel()

    def compute(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        try:
            return function(x, y)
        except RuntimeError:
            # torch looks at the shapes before it writes anything.
            return kernel(x, y)

    return compute


def gradient_in_place(backward: Callable[..., Any], *settings: Any) -> ReuseRule:
    """The rule of an activation's gradient, from torch's function of gradient, features and `settings`."""

    def rule(node: NodeView, index: int) -> Callable[..., Any] | None:
        dims = node.outputs[0].dims
        if index or node.inputs[0].dtype.torch not in (torch.float32, torch.float64):
            return None
        if dims is not None and None not in dims and prod(dims) < _LARGE:  # type: ignore[arg-type]  # no size is None: it has been asked
            return None
        return lambda gradients, features: backward(gradients, features, *settings, grad_input=gradients)

    return rule
