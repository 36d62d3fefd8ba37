"""The ops only the planner makes: they stand in plans, never in graphs."""

from __future__ import annotations

import math
from typing import Any

import torch

from headrace.core.registry import op

feed = op("_Feed", "*, dtype: type -> output: dtype", stateful=True)


@feed.kernel
def feed_kernel(node):
    return None


read_ref = op("_ReadRef", "ref: ref T, *, T: type -> value: T").reads("ref").aliases()


@read_ref.kernel
def read_ref_kernel(node):
    return _read


def _read(buffer):
    return buffer.read()


# ---- shapes of gradients ----

sum_to_shape = op("_SumToShape", "gradient: T, *, shape: shape -> output: T").aliases()


@sum_to_shape.kernel
def sum_to_shape_kernel(node):
    shape = torch.Size(node.attrs["shape"])
    rank = len(shape)
    if node.inputs[0].dims is not None and None not in shape:
        dims = node.inputs[0].dims
        lead = len(dims) - rank
        inner_equal = lead >= 0 and all(d is not None and d == s for d, s in zip(dims[lead:], shape, strict=True))
        if inner_equal and lead == 1:
            return lambda gradient: gradient.sum(0)
        if inner_equal and lead > 1:
            axes = tuple(range(lead))
            return lambda gradient: gradient.sum(axes)

    def to_shape(gradient):
        return gradient if gradient.shape == shape else gradient.sum_to_size(shape)

    return to_shape


sum_like = op("_SumLike", "gradient: T, like: U, *, T: type, U: type -> output: T").aliases()


@sum_like.kernel
def sum_like_kernel(node):
    def to_like(gradient, like):
        shape = like.shape
        return gradient if gradient.shape == shape else gradient.sum_to_size(shape)

    return to_like


# ---- sizes known only at run time ----

expand_like = op("_ExpandLike", "x: T, like: U, *, T: type, U: type -> output: T").aliases()


@expand_like.kernel
def expand_like_kernel(node):
    return lambda x, like: x.expand(like.shape)


divide_by_count = op("_DivideByCount", "x: T, counted: U, *, divisor: int, T: type, U: type -> output: T")


@divide_by_count.kernel
def divide_by_count_kernel(node):
    divisor = node.attrs["divisor"]
    return lambda x, counted: x / (counted.numel() // divisor)


# ---- sums of rows ----

add_rows = op("_AddRows", "start: T, x: T, *, rows: list(int), T: type -> output: T")


@add_rows.kernel
def add_rows_kernel(node):
    rows = node.attrs["rows"]
    first, count = min(rows), len(rows)
    if sorted(rows) == list(range(first, first + count)):
        dims = node.inputs[1].dims
        if first == 0 and dims is not None and dims[0] == count:
            return lambda start, x: x.sum(0, dtype=x.dtype).add_(start)
        return lambda start, x: x[first : first + count].sum(0, dtype=x.dtype).add_(start)
    picked = torch.tensor(rows, device=node.device)
    return lambda start, x: x.index_select(0, picked).sum(0, dtype=x.dtype).add_(start)


# ---- matrix product and bias ----

matmul_bias = op(
    "_MatMulBias", "a: T, b: T, bias: T, *, transpose_a=False, transpose_b=False, T: {float, double} -> output: T"
)


@matmul_bias.kernel
def matmul_bias_kernel(node):
    addmm = torch.addmm
    match node.attrs["transpose_a"], node.attrs["transpose_b"]:
        case False, False:
            return lambda a, b, bias: addmm(bias, a, b)
        case True, False:
            return lambda a, b, bias: addmm(bias, a.t(), b)
        case False, True:
            return lambda a, b, bias: addmm(bias, a, b.t())
        case _:
            return lambda a, b, bias: addmm(bias, a.t(), b.t())


# ---- updates of many variables ----

descent_many = op(
    "_ApplyGradientDescentMany",
    "alpha: T, var: N * ref T, delta: N * T, *, use_nesterov=False, T: type -> ",
    stateful=True,
).writes("var")


@descent_many.kernel
def descent_many_kernel(node):
    count = node.attrs["N"]

    def update(alpha, *lists):
        values = [buffer.read() for buffer in lists[:count]]
        torch._foreach_add_(values, list(lists[count:]), alpha=-alpha.item())

    return update


momentum_many = op(
    "_ApplyMomentumMany",
    "lr: T, momentum: T, var: N * ref T, accum: N * ref T, grad: N * T, *, use_nesterov=False, T: type -> ",
    stateful=True,
).writes("var", "accum")


@momentum_many.kernel
def momentum_many_kernel(node):
    count, nesterov = node.attrs["N"], node.attrs["use_nesterov"]

    def update(lr, momentum, *lists):
        values = [buffer.read() for buffer in lists[:count]]
        accumulators = [buffer.read() for buffer in lists[count : 2 * count]]
        gradients = list(lists[2 * count :])
        torch._foreach_mul_(accumulators, momentum.item())
        torch._foreach_add_(accumulators, gradients)
        rate = -lr.item()
        if nesterov:
            torch._foreach_add_(values, gradients, alpha=rate)
            rate *= momentum.item()
        torch._foreach_add_(values, accumulators, alpha=rate)

    return update


adam_many = op(
    "_ApplyAdamMany",
    "beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, "
    "var: N * ref T, m: N * ref T, v: N * ref T, grad: N * T, *, use_nesterov=False, T: type -> ",
    stateful=True,
).writes("var", "m", "v")


@adam_many.kernel
def adam_many_kernel(node):
    count, nesterov = node.attrs["N"], node.attrs["use_nesterov"]

    def update(beta1_power, beta2_power, lr, beta1, beta2, epsilon, *lists):
        values = [buffer.read() for buffer in lists[:count]]
        first = [buffer.read() for buffer in lists[count : 2 * count]]
        second = [buffer.read() for buffer in lists[2 * count : 3 * count]]
        gradients = list(lists[3 * count :])
        power1, power2 = beta1_power.item(), beta2_power.item()
        b1, b2, rate, eps = beta1.item(), beta2.item(), lr.item(), epsilon.item()
        step = _steps(power1, power2, b1, b2)
        correction = math.sqrt(1.0 - power2)
        if step is None or nesterov or correction == 0.0:
            _adam_by_lists(values, first, second, gradients, rate * correction / (1.0 - power1), b1, b2, eps, nesterov)
            return
        # torch divides sqrt(v) by the correction before it adds epsilon; Kingma and Ba's "epsilon hat" form, which
        # this op has, adds epsilon to sqrt(v) itself.
        steps = [torch.tensor(step, dtype=torch.float32, device=values[0].device)] * count
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


# ---- devices ----

transfer = op("_Transfer", "x: T, *, T: type -> y: T")


@transfer.kernel
def transfer_kernel(node):
    device = node.device
    if device.type == "cpu":
        return lambda x: x.to(device)
    # Kernels of one stream run in order, so the copy need not be waited for here.
    return lambda x: x.to(device, non_blocking=True)
