"""Updates of many variables in one call each, by torch's multi-tensor (foreach) kernels: kernel rules of fused ops."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.buffers import VariableBuffer, replacements
from headrace.kernels.math.turned_products import add_turned_product
from headrace.kernels.state.handles import invalid, shape_text

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import NodeView, TensorLike


# Of variables with as many elements together, reading each costs as much as the update.
_SMALL = 1_000_000
_is_contiguous = torch.Tensor.is_contiguous


def tensor_lists(node: Any, states: int) -> Callable[[Any], list[list[Any]]]:
    """A function that takes the inputs that are lists apart: tensors of each state, then the gradients.

    Args:
        node: an update of N variables; its last inputs are lists of N: the states, then the gradients.
        states: how many lists of states there are.

    torch's multi-tensor kernels go over memory as it lies and look at no shapes, so those are seen to here.
    """
    count = node.attrs["N"]
    total = count * (states + 1)
    values = node.inputs[-total:]
    dims = [value.dims for value in values[states * count :]]
    known = all(
        None not in (shape or (None,)) and getattr(value.bound, "dims", None) == shape
        for position, value in enumerate(values[: states * count])
        for shape in (dims[position % count],)
    )
    small = known and sum(math.prod(shape) for shape in dims) <= _SMALL
    kept: tuple[int, list[list[Any]]] = (-1, [])

    def read(inputs: Tensor) -> list[list[Any]]:
        """The tensors of the states; those of many small variables are kept until any buffer gets another one."""
        nonlocal kept
        seen, lists = kept
        if seen == replacements.latest:
            return lists
        # First: what changes from here on is looked up again.
        latest = replacements.latest
        lists = [
            [buffer.read() for buffer in inputs[start : start + count]] for start in range(0, states * count, count)
        ]
        if small:
            kept = latest, lists
        return lists

    def split(inputs: Any) -> list[list[Any]]:
        lists = [*read(inputs)]
        gradients = inputs[states * count :]
        if not known:
            for tensors in (*lists[1:], gradients):
                for value, tensor in zip(lists[0], tensors, strict=True):
                    if value.shape != tensor.shape:
                        raise invalid(
                            f"var and {'grad' if tensors is gradients else 'slot'} do not have the same shape"
                            f"{shape_text(value.shape)} {shape_text(tensor.shape)}"
                        )
        if not all(map(_is_contiguous, gradients)):
            gradients = [g.contiguous() for g in gradients]
        lists.append(gradients)
        return lists

    return split


_Rule = Callable[["NodeView"], Callable[..., None]]


def locking(rule: _Rule) -> _Rule:
    """A rule whose updates hold the locks of what they write where the node asks for it."""

    @functools.wraps(rule)
    def with_locks(node: NodeView) -> Callable[..., None]:
        update = rule(node)
        if not node.attrs["use_locking"]:
            return update

        # The buffers are the same ones nearly always: the locks of the last call are kept.
        kept: tuple[list[Any], list[Any]] = ([], [])

        def locked(*inputs: Any) -> None:
            nonlocal kept
            buffers = [value for value in inputs if value.__class__ is VariableBuffer]
            known, locks = kept
            if buffers != known:
                # In one order everywhere, so that two steps never wait for each other.
                locks = sorted({buffer.lock for buffer in buffers}, key=id)
                kept = buffers, locks
            taken = 0
            try:
                for lock in locks:
                    lock.acquire()
                    taken += 1
                update(*inputs)
            finally:
                for lock in locks[:taken]:
                    lock.release()

        return locked

    return with_locks


@locking
def descent(node: NodeView) -> Callable[..., None]:
    """Takes alpha times the gradients off the variables."""
    split, decay = tensor_lists(node, 1), node.attrs["decay"]

    def update(alpha, *inputs):
        values, gradients = split(inputs)
        if decay:
            _momentum(values, gradients, [], alpha.item(), 0.0, decay, False)
        else:
            torch._foreach_add_(values, gradients, alpha=-alpha.item())

    return update


def _momentum(
    values: Any, gradients: Any, accumulators: Any, rate: float, momentum: float, decay: float, nesterov: bool
) -> None:
    torch._fused_sgd_(
        values,
        gradients,
        accumulators,
        weight_decay=decay,
        momentum=momentum,
        lr=rate,
        dampening=0.0,
        nesterov=nesterov,
        maximize=False,
        is_first_step=False,
    )


def scale(tensors: Any, number: torch.Tensor) -> None:
    """Multiplies tensors by a number of the host.

    On the CPU as a tensor of one element: torch takes five times as long with one of Python's numbers.
    """
    torch._foreach_mul_(tensors, number if tensors[0].is_cpu else number.item())


def decayed(values: Any, gradients: Any, decay: float) -> Any:
    """The gradients and what the decay adds to them, for updates torch has no kernel with a decay for."""
    return torch._foreach_add(gradients, values, alpha=decay) if decay else gradients


@locking
def momentum(node: NodeView) -> Callable[..., None]:
    """As ApplyMomentum."""
    split, nesterov, decay = tensor_lists(node, 2), node.attrs["use_nesterov"], node.attrs["decay"]

    def update(lr, momentum, *inputs):
        values, accumulators, gradients = split(inputs)
        weight = momentum.item()
        if weight == 0.0:
            # To torch a momentum of 0 means that there is no accumulator.
            gradients = decayed(values, gradients, decay)
            torch._foreach_copy_(accumulators, gradients)
            torch._foreach_add_(values, gradients, alpha=-lr.item())
        else:
            _momentum(values, gradients, accumulators, lr.item(), weight, decay, nesterov)

    return update


@locking
def keras_momentum(node: NodeView) -> Callable[..., None]:
    """As ResourceApplyKerasMomentum: the accumulators hold steps, with the learning rate of the time."""
    split, nesterov, decay = tensor_lists(node, 2), node.attrs["use_nesterov"], node.attrs["decay"]

    def update(lr, momentum, *inputs):
        values, steps, gradients = split(inputs)
        rate, kept = lr.item(), momentum.item()
        gradients = decayed(values, gradients, decay)
        scale(steps, momentum)
        torch._foreach_add_(steps, gradients, alpha=-rate)
        if nesterov:
            torch._foreach_add_(values, steps, alpha=kept)
            torch._foreach_add_(values, gradients, alpha=-rate)
        else:
            torch._foreach_add_(values, steps)

    return update


def _adagrad(node: NodeView) -> Callable[..., None]:
    split, decay = tensor_lists(node, 2), node.attrs["decay"]
    steps: list[Any] = []

    def update(rate: float, epsilon: float, inputs: TensorLike) -> None:
        values, accumulators, gradients = split(inputs)
        if not steps:
            # Counted for a decay of the rate, which there is none of.
            steps.extend([torch.ones((), device=values[0].device)] * len(values))
        torch._fused_adagrad_(
            values,
            gradients,
            accumulators,
            steps,
            lr=rate,
            lr_decay=0.0,
            weight_decay=decay,
            eps=epsilon,
            maximize=False,
        )

    return update


@locking
def adagrad(node: NodeView) -> Callable[..., None]:
    """As ApplyAdagrad."""
    step = _adagrad(node)
    return lambda lr, *inputs: step(lr.item(), 0.0, inputs)


@locking
def adagrad_v2(node: NodeView) -> Callable[..., None]:
    """As ApplyAdagradV2."""
    step = _adagrad(node)
    return lambda lr, epsilon, *inputs: step(lr.item(), epsilon.item(), inputs)


@locking
def adam(node: NodeView) -> Callable[..., None]:
    """As ApplyAdam."""
    split, nesterov, decay = tensor_lists(node, 3), node.attrs["use_nesterov"], node.attrs["decay"]

    def update(beta1_power, beta2_power, lr, beta1, beta2, epsilon, *inputs):
        values, first, second, gradients = split(inputs)
        power1, power2 = beta1_power.item(), beta2_power.item()
        b1, b2, rate, eps = beta1.item(), beta2.item(), lr.item(), epsilon.item()
        step = _steps(power1, power2, b1, b2)
        correction = math.sqrt(max(1.0 - power2, 0.0))
        if step is None or nesterov or correction == 0.0:
            left = 1.0 - power1
            rate = rate * correction / left if left else math.nan
            gradients = decayed(values, gradients, decay)
            _adam_by_lists(values, first, second, gradients, rate, b1, b2, eps, nesterov)
            return
        # torch divides sqrt(v) by the correction before it adds epsilon; Kingma and Ba's "epsilon hat" form, which
        # this op has, adds epsilon to sqrt(v) itself.
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
            weight_decay=decay,
            eps=eps / correction,
            amsgrad=False,
            maximize=False,
        )

    return update


def _steps(power1: float, power2: float, b1: float, b2: float) -> float | None:
    """How many steps the powers of the betas have seen, or None where they do not belong together."""
    if not (0.0 < b1 < 1.0 and 0.0 < b2 < 1.0 and 0.0 < power2 < 1.0):
        return None
    exact = math.log(power2) / math.log(b2)
    step = float(round(exact))
    # The powers are kept as float32, so a little off is on.
    if step < 1 or abs(exact - step) > 1e-3 * step or abs(b1**step - power1) > 1e-5:
        return None
    return step


def _adam_by_lists(
    values: Any, first: Any, second: Any, gradients: Any, rate: float, b1: float, b2: float, eps: float, nesterov: bool
) -> None:
    torch._foreach_lerp_(first, gradients, 1.0 - b1)
    torch._foreach_mul_(second, b2)
    torch._foreach_addcmul_(second, gradients, gradients, value=1.0 - b2)
    roots = torch._foreach_sqrt(second)
    torch._foreach_add_(roots, eps)
    if nesterov:
        directions = torch._foreach_mul(first, b1)
        torch._foreach_add_(directions, gradients, alpha=1.0 - b1)
    else:
        directions = first
    torch._foreach_addcdiv_(values, directions, roots, value=-rate)


@locking
def descent_by_product(node: NodeView) -> Callable[..., None]:
    """Takes alpha * (a @ b + decay * var) off the variable, without the product in memory of its own."""
    a_turned, b_turned, decay = node.attrs["transpose_a"], node.attrs["transpose_b"], node.attrs["decay"]

    def update(alpha, buffer, a, b):
        rate = alpha.item()
        if a_turned and not b_turned and not decay and add_turned_product(buffer.read(), a, b, -rate):
            return
        a, b = a.t() if a_turned else a, b.t() if b_turned else b
        buffer.read().addmm_(a, b, beta=1.0 - rate * decay, alpha=-rate)

    return update
