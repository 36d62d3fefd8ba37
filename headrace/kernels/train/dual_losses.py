"""The losses of stochastic dual coordinate ascent: primal and dual values, and the best dual variable of one example.

Shalev-Shwartz and Zhang, "Stochastic dual coordinate ascent methods for regularized loss minimization",
arXiv:1209.1873. Where the best dual variable has no closed form, it is found by Newton's method.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from headrace.kernels.array.arguments import invalid

_NEWTON_STEPS = 10
# What a dual value outside its range costs.
_INFINITE = math.inf


@dataclass(frozen=True)
class DualLoss:
    """A loss of one example, its label y, its prediction p, its dual variable a; `c` is how far a unit of a moves p.

    Attributes:
        label: checks and converts a label.
        primal: loss of (y, p).
        dual: conjugate loss of (y, a).
        best: the dual variable that is best of (y, p, a, c).
        derivative: derivative of the primal loss by p, of (y, p).
        smoothness: how smooth the loss is, which adaptive sampling takes into account.
    """

    label: Callable[[float], float]
    primal: Callable[[float, float], float]
    dual: Callable[[float, float], float]
    best: Callable[[float, float, float, float], float]
    derivative: Callable[[float, float], float]
    smoothness: float


def _sign(label: float) -> float:
    if label not in (0.0, 1.0):
        raise invalid(f"Only labels of 0.0 or 1.0 are supported right now. Found example with label: {label:g}")
    return 2.0 * label - 1.0


def _count(label: float) -> float:
    if label < 0.0:
        raise invalid(
            f"Only non-negative labels can be used with the Poisson log loss. Found example with label: {label:g}"
        )
    return label


def _ratio(a: float, b: float) -> float:
    return float(np.float64(a) / np.float64(b))


def _in_unit(y: float, a: float) -> float:
    """The dual variable nearest to `a` for which y * a is in [0, 1]."""
    return 0.0 if y * a < 0 else y if y * a > 1 else a


def _newton(step: Callable[[float], float]) -> float:
    x = 0.0
    for _ in range(_NEWTON_STEPS):
        x -= step(x)
    return x


def _xlogx(x: float) -> float:
    return x * math.log(x) if x > 0 else 0.0


def _logistic_primal(y: float, p: float) -> float:
    return math.log1p(math.exp(-y * p)) if y * p > 0 else math.log1p(math.exp(y * p)) - y * p


def _logistic_dual(y: float, a: float) -> float:
    return _xlogx(y * a) + _xlogx(1 - y * a)


def _logistic_best(y: float, p: float, a: float, c: float) -> float:
    # The dual variable is a tanh of x, which keeps it in its range.
    def step(x: float) -> float:
        t = math.tanh(x)
        value = -2 * y * x - p - c * (0.5 * (1 + t) / y - a)
        return value / (-2 * y - c * (1 - t * t) * 0.5 / y)

    return 0.5 * (1 + math.tanh(_newton(step))) / y


def _hinge_dual(y: float, a: float) -> float:
    return -y * a if 0 <= y * a <= 1 else _INFINITE


def _smooth_hinge_primal(y: float, p: float) -> float:
    left = 1 - y * p
    return 0.0 if left <= 0 else left - 0.5 if left >= 1 else 0.5 * left * left


def _smooth_hinge_dual(y: float, a: float) -> float:
    return -y * a + 0.5 * (y * a) ** 2 if 0 <= y * a <= 1 else _INFINITE


def _poisson_dual(y: float, a: float) -> float:
    left = y - a
    return _xlogx(left) - left if left >= 0 else _INFINITE


def _poisson_best(y: float, p: float, a: float, c: float) -> float:
    def step(x: float) -> float:
        e = math.exp(x)
        return (x - p - c * (y - a - e)) / (1 + c * e)

    return y - math.exp(_newton(step))


LOSSES: dict[str, DualLoss] = {
    "squared_loss": DualLoss(
        label=lambda y: y,
        primal=lambda y, p: 0.5 * (y - p) ** 2,
        dual=lambda y, a: a * (0.5 * a - y),
        best=lambda y, p, a, c: a + (y - a - p) / (1 + c),
        derivative=lambda y, p: p - y,
        smoothness=1.0,
    ),
    "logistic_loss": DualLoss(
        label=_sign,
        primal=_logistic_primal,
        dual=_logistic_dual,
        best=_logistic_best,
        derivative=lambda y, p: -y / (1 + math.exp(y * p)) if y * p < 700 else 0.0,
        smoothness=4.0,
    ),
    "hinge_loss": DualLoss(
        label=_sign,
        primal=lambda y, p: max(0.0, 1 - y * p),
        dual=_hinge_dual,
        best=lambda y, p, a, c: _in_unit(y, a + _ratio(y - p, c)),
        derivative=lambda y, p: -y if y * p < 1 else 0.0,
        smoothness=0.0,
    ),
    "smooth_hinge_loss": DualLoss(
        label=_sign,
        primal=_smooth_hinge_primal,
        dual=_smooth_hinge_dual,
        best=lambda y, p, a, c: _in_unit(y, a + (y - p - a) / (c + 1)),
        derivative=lambda y, p: -y * min(1.0, max(0.0, 1 - y * p)),
        smoothness=1.0,
    ),
    "poisson_loss": DualLoss(
        label=_count,
        primal=lambda y, p: math.exp(p) - p * y,
        dual=_poisson_dual,
        best=_poisson_best,
        derivative=lambda y, p: math.exp(p) - y,
        smoothness=0.0,
    ),
}
