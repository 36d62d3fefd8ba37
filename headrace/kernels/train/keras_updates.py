"""Updates of Keras' optimizers for many small variables at once: kernel rules of fused ops.

torch's fused kernels go over the memory of lists; what has none of those is computed on all tensors in one piece.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from headrace.kernels.train.multi_tensor_updates import decayed, locking, scale, tensor_lists

if TYPE_CHECKING:
    from headrace.core.typing import NodeView

_joined = torch._C._nn.flatten_dense_tensors  # type: ignore[attr-defined]  # torch's own, without stubs
_unflat = torch._C._nn.unflatten_dense_tensors  # type: ignore[attr-defined]  # torch's own, without stubs
# So many steps that no bias towards 0 is left: torch's Adam corrects nothing then.
_SETTLED = 1e9
# Up to as many elements together, one piece of memory costs less than a call for each tensor.
_SMALL = 200_000


def _flat(tensors: Any) -> torch.Tensor:
    """All elements of some tensors in memory of their own: torch hands on a single tensor as it is."""
    return _joined(tensors) if len(tensors) > 1 else tensors[0].flatten().clone()


def _sizes(node: NodeView) -> Callable[[Any], list[int]]:
    """A function that tells how many elements each gradient has, which is known before if their shapes are."""
    shapes = [value.dims for value in node.inputs[-node.attrs["N"] :]]
    if any(None in (shape or (None,)) for shape in shapes if shape != ()):
        return lambda gradients: [gradient.numel() for gradient in gradients]
    known = [math.prod(size or 0 for size in shape or ()) for shape in shapes]
    return lambda gradients: known


def _pieces(flat: torch.Tensor, sizes: list[int], like: Any) -> Any:
    """`flat` in parts for torch's fused kernels, which ask for no shapes on the CPU."""
    return _unflat(flat, like) if flat.is_cuda else flat.split_with_sizes(sizes)


def _adam(
    values: Any, gradients: Any, first: Any, second: Any, step: float, rate: float, b1: float, b2: float, eps: float
) -> None:
    steps = [torch.scalar_tensor(step, dtype=torch.float32, device=values[0].device)] * len(values)
    torch._fused_adam_(
        values,
        gradients,
        first,
        second,
        [],
        steps,
        lr=rate,
        beta1=b1,
        beta2=b2,
        weight_decay=0.0,
        eps=eps,
        amsgrad=False,
        maximize=False,
    )


def rms_prop_by_root(node: NodeView) -> Callable[..., None]:
    """RMSprop without momentum, epsilon beside the root: Adam whose first moment is the gradient itself."""
    split, sizes_of = tensor_lists(node, 2), _sizes(node)

    def update(lr, rho, epsilon, *inputs):
        values, squares, gradients = split(inputs)
        rate, kept, eps = lr.item(), rho.item(), epsilon.item()
        if 0.0 <= kept < 1.0 - 1e-7:
            sizes = sizes_of(gradients)
            moments = _pieces(values[0].new_zeros(sum(sizes)), sizes, gradients)
            _adam(values, gradients, moments, squares, _SETTLED, rate, 0.0, kept, eps)
            return
        scale(squares, rho)
        torch._foreach_addcmul_(squares, gradients, gradients, value=1.0 - kept)
        roots = torch._foreach_sqrt(squares)
        torch._foreach_add_(roots, eps)
        torch._foreach_addcdiv_(values, gradients, roots, value=-rate)

    return update


def nadam(node: NodeView) -> Callable[..., None]:
    """Nadam: `own` and `ahead` are what the gradient and the first moment count, `left` is 1 - beta2 ** step."""
    split, sizes_of = tensor_lists(node, 3), _sizes(node)

    def update(lr, beta1, beta2, own, own_left, ahead, ahead_left, left, epsilon, *inputs):
        values, first, second, gradients = split(inputs)
        rate, b1, b2, eps = lr.item(), beta1.item(), beta2.item(), epsilon.item()
        by_gradient = _ratio(own.item(), own_left.item())
        by_moment = _ratio(ahead.item(), ahead_left.item())
        correction = left.item()
        torch._foreach_lerp_(first, gradients, 1.0 - b1)
        both = by_gradient + by_moment
        if both > 0.0 and 0.0 <= by_moment < both and 0.0 < b2 < 1.0 and 0.0 < correction <= 1.0:
            # The step goes along by_gradient * g + by_moment * m: a moment of its own, which Adam takes one step.
            share = by_moment / both
            step = math.log1p(-correction) / math.log(b2) if correction < 1.0 else _SETTLED
            moments = _pieces(_flat(first), sizes_of(gradients), first)
            _adam(values, gradients, moments, second, step, rate * both * (1.0 - share**step), share, b2, eps)
            return
        scale(second, beta2)
        torch._foreach_addcmul_(second, gradients, gradients, value=1.0 - b2)
        roots = torch._foreach_div(second, correction)
        torch._foreach_sqrt_(roots)
        torch._foreach_add_(roots, eps)
        ways = torch._foreach_mul(gradients, by_gradient)
        torch._foreach_add_(ways, first, alpha=by_moment)
        torch._foreach_addcdiv_(values, ways, roots, value=-rate)

    return update


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


@locking
def ada_max(node: NodeView) -> Callable[..., None]:
    """As ApplyAdaMax."""
    split, decay = tensor_lists(node, 3), node.attrs["decay"]

    def update(beta1_power, lr, beta1, beta2, epsilon, *inputs):
        values, moments, largest, gradients = split(inputs)
        gradients = decayed(values, gradients, decay)
        left = 1.0 - beta1_power.item()
        torch._foreach_lerp_(moments, gradients, 1.0 - beta1.item())
        flat = _flat(largest).mul_(beta2.item())
        torch.maximum(flat, _flat(gradients).abs_(), out=flat)
        sizes = _unflat(flat, largest)
        torch._foreach_copy_(largest, sizes)
        flat.add_(epsilon.item())
        torch._foreach_addcdiv_(values, moments, sizes, value=-lr.item() / left if left else -math.inf)

    return update


@locking
def adadelta(node: NodeView) -> Callable[..., None]:
    """As ApplyAdadelta."""
    split, sizes_of, decay = tensor_lists(node, 3), _sizes(node), node.attrs["decay"]

    def update(lr, rho, epsilon, *inputs):
        values, squares, moves, gradients = split(inputs)
        gradients = decayed(values, gradients, decay)
        kept, eps, rate = rho.item(), epsilon.item(), lr.item()
        if sum(sizes_of(gradients)) <= _SMALL:
            flat, averages, before = _flat(gradients), _flat(squares), _flat(moves)
            averages.mul_(kept).addcmul_(flat, flat, value=1.0 - kept)
            torch._foreach_copy_(squares, _unflat(averages, squares))
            steps = before.add(eps).div_(averages.add_(eps)).sqrt_().mul_(flat)
            torch._foreach_add_(values, _unflat(steps, values), alpha=-rate)
            before.mul_(kept).addcmul_(steps, steps, value=1.0 - kept)
            torch._foreach_copy_(moves, _unflat(before, moves))
            return
        scale(squares, rho)
        torch._foreach_addcmul_(squares, gradients, gradients, value=1.0 - kept)
        steps = torch._foreach_add(moves, eps)
        torch._foreach_div_(steps, torch._foreach_add(squares, eps))
        torch._foreach_sqrt_(steps)
        torch._foreach_mul_(steps, gradients)
        torch._foreach_add_(values, steps, alpha=-rate)
        scale(moves, rho)
        torch._foreach_addcmul_(moves, steps, steps, value=1.0 - kept)

    return update


@locking
def rms_prop(node: NodeView) -> Callable[..., None]:
    """As ApplyRMSProp."""
    split, sizes_of, decay = tensor_lists(node, 3), _sizes(node), node.attrs["decay"]

    def update(lr, rho, momentum, epsilon, *inputs):
        values, squares, moves, gradients = split(inputs)
        gradients = decayed(values, gradients, decay)
        kept, going_on, rate = rho.item(), momentum.item(), lr.item()
        sizes = sizes_of(gradients)
        if going_on and sum(sizes) <= _SMALL:
            flat = _flat(gradients)
            averages = _flat(squares).mul_(kept).addcmul_(flat, flat, value=1.0 - kept)
            torch._foreach_copy_(squares, _unflat(averages, squares))
            steps = flat.mul_(rate).div_(averages.add_(epsilon.item()).sqrt_())
            # The accumulators of torch's momentum hold these steps, and go off the variables as they are.
            torch._fused_sgd_(
                values,
                _pieces(steps, sizes, values),
                moves,
                weight_decay=0.0,
                momentum=going_on,
                lr=1.0,
                dampening=0.0,
                nesterov=False,
                maximize=False,
                is_first_step=False,
            )
            return
        scale(squares, rho)
        torch._foreach_addcmul_(squares, gradients, gradients, value=1.0 - kept)
        roots = torch._foreach_add(squares, epsilon.item())
        torch._foreach_sqrt_(roots)
        scale(moves, momentum)
        torch._foreach_addcdiv_(moves, gradients, roots, value=rate)
        torch._foreach_sub_(values, moves)

    return update
