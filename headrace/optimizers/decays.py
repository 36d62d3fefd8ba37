"""Learning rates that follow the global step."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from typing import cast as type_cast

from headrace.core.convert import convert_n_to_tensor, convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import DType, int32, int64
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.case import case
from headrace.functions.flow.cond import cond
from headrace.ops.array.constant import constant
from headrace.ops.math.binary import minimum, pow
from headrace.ops.math.cast import cast
from headrace.ops.math.division import divide
from headrace.ops.random.normal import random_normal

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_Decay = TypeVar("_Decay", bound=Callable[..., Any])


def _computed_when_called(decay: _Decay) -> _Decay:
    """While executing eagerly a decay is a function of no arguments, which optimizers call at each step."""

    @functools.wraps(decay)
    def made(*args: Any, **kwargs: Any) -> Any:
        if not executing_eagerly():
            return decay(*args, **kwargs)

        def rate() -> Tensor:
            value = decay(*args, **kwargs)
            # One decay may be made of another.
            return value if isinstance(value, Tensor) else value()

        return rate

    return type_cast(_Decay, made)


def _start(learning_rate: TensorLike) -> tuple[Tensor, DType]:
    rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
    return rate, rate.dtype


def _require_step(global_step: TensorLike, of: str) -> None:
    if global_step is None:
        raise ValueError(f"global_step is required for {of}.")


@_computed_when_called
def exponential_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """learning_rate * decay_rate ^ (global_step / decay_steps).

    Args:
        learning_rate: a scalar float tensor or number.
        global_step: a scalar integer tensor, variable or number.
        decay_steps: the steps in which the rate falls once by `decay_rate`.
        decay_rate: a number or tensor.
        staircase: whether the exponent is rounded down.
        name: the name scope.

    Raises:
        ValueError: if `global_step` is None.

    Example:
        >>> rate = tf.train.exponential_decay(0.1, global_step, 1000, 0.96, staircase=True)
        >>> train_op = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=global_step)
    """
    _require_step(global_step, "exponential_decay")
    with get_default_graph().name_scope(name or "ExponentialDecay") as scope:
        rate, dtype = _start(learning_rate)
        steps = cast(decay_steps, dtype)
        factor = cast(decay_rate, dtype)
        times = cast(global_step, dtype) / steps
        if staircase:
            times = raw.Floor(times)
        return raw.Mul(rate, pow(factor, times), name=scope)


@_computed_when_called
def natural_exp_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """learning_rate * e ^ (-decay_rate * global_step / decay_steps); arguments as in `exponential_decay`."""
    _require_step(global_step, "natural_exp_decay")
    factor = raw.Exp(raw.Neg(decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, factor, staircase=staircase, name=name)


@_computed_when_called
def inverse_time_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    decay_rate: TensorLike,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """learning_rate / (1 + decay_rate * global_step / decay_steps); arguments as in `exponential_decay`."""
    _require_step(global_step, "inverse_time_decay")
    with get_default_graph().name_scope(name or "InverseTimeDecay") as scope:
        rate, dtype = _start(learning_rate)
        steps = cast(decay_steps, dtype)
        factor = cast(decay_rate, dtype)
        times = cast(global_step, dtype) / steps
        if staircase:
            times = raw.Floor(times)
        one = cast(constant(1), dtype)
        return divide(rate, raw.Add(one, raw.Mul(factor, times)), name=scope)


@_computed_when_called
def polynomial_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    end_learning_rate: TensorLike = 0.0001,
    power: TensorLike = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Tensor:
    """(learning_rate - end_learning_rate) * (1 - global_step / decay_steps) ^ power + end_learning_rate.

    Args:
        learning_rate: a scalar float tensor or number.
        global_step: a scalar integer tensor, variable or number.
        decay_steps: the step at which the end is reached.
        end_learning_rate: the rate from then on.
        power: the power of the polynomial, 1 for a straight line.
        cycle: whether to begin again, over the first multiple of `decay_steps` not yet passed.
        name: the name scope.

    Raises:
        ValueError: if `global_step` is None.

    Example:
        >>> rate = tf.train.polynomial_decay(0.1, global_step, 10000, 0.01, power=0.5)
    """
    _require_step(global_step, "polynomial_decay")
    with get_default_graph().name_scope(name or "PolynomialDecay") as scope:
        rate, dtype = _start(learning_rate)
        end = cast(end_learning_rate, dtype)
        exponent = cast(power, dtype)
        step = cast(global_step, dtype)
        steps = cast(decay_steps, dtype)
        if cycle:
            rounds = cond(raw.Equal(step, 0), lambda: 1.0, lambda: raw.Ceil(step / decay_steps))
            steps = raw.Mul(steps, rounds)
        else:
            step = minimum(step, decay_steps)
        gone = divide(step, steps)
        return raw.Add(raw.Mul(rate - end, pow(1 - gone, exponent)), end, name=scope)


def piecewise_constant(
    x: TensorLike, boundaries: Sequence[Any], values: Sequence[Any], name: str | None = None
) -> Tensor:
    """values[0] while x <= boundaries[0], values[1] while boundaries[0] < x <= boundaries[1], and so on.

    Args:
        x: a scalar integer tensor, usually the global step.
        boundaries: rising numbers or tensors of the type of `x`.
        values: one more number or tensor than boundaries.
        name: the name scope.

    Raises:
        ValueError: if the lengths or types do not fit.

    Example:
        >>> rate = tf.train.piecewise_constant(global_step, [100000, 110000], [1.0, 0.5, 0.1])
    """
    return _piecewise(x, *_checked_pieces(x, boundaries, values), name)


def _checked_pieces(x: TensorLike, boundaries: Any, values: Any) -> tuple[list[Tensor], list[Tensor]]:
    """Boundaries and values as tensors, the boundaries of the type of `x`. Raises ValueError where they do not fit."""
    boundaries = convert_n_to_tensor(boundaries)
    values = convert_n_to_tensor(values)
    at = convert_to_tensor(x)
    dtype = at.dtype.base_dtype
    for i, bound in enumerate(boundaries):
        if bound.dtype.base_dtype == dtype:
            continue
        if bound.dtype.base_dtype != int32 or dtype != int64:
            raise ValueError(f"Boundaries ({bound.dtype.base_dtype}) must have the same dtype as x ({dtype}).")
        # Python integers are int32, the global step is int64.
        boundaries[i] = cast(bound, dtype)
    for value in values[1:]:
        if value.dtype.base_dtype != values[0].dtype.base_dtype:
            raise ValueError(
                "Values must have elements all with the same dtype "
                f"({values[0].dtype.base_dtype} vs {value.dtype.base_dtype})."
            )
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    return boundaries, values


@_computed_when_called
def _piecewise(x: TensorLike, boundaries: list[Tensor], values: list[Tensor], name: str | None) -> Tensor:
    with get_default_graph().name_scope(name or "PiecewiseConstant"):
        # Once more within the scope: the first was for its type.
        at = convert_to_tensor(x)
        pairs = [(at <= boundaries[0], _giving(values[0])), (at > boundaries[-1], _giving(values[-1]))]
        for low, high, value in zip(boundaries[:-1], boundaries[1:], values[1:-1], strict=True):
            pairs.append(((at > low) & (at <= high), _giving(value)))
        return case(pairs, _giving(values[0]), exclusive=True)


def _giving(value: Tensor) -> Callable[[], Any]:
    return lambda: value


piecewise_constant_decay = piecewise_constant


@_computed_when_called
def cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    alpha: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Half a cosine wave from `learning_rate` down to alpha * learning_rate (Loshchilov and Hutter, arXiv:1608.03983).

    Args:
        learning_rate: a scalar float tensor or number.
        global_step: a scalar integer tensor, variable or number.
        decay_steps: the step at which the end is reached.
        alpha: the end, as a part of `learning_rate`.
        name: the name scope.

    Raises:
        ValueError: if `global_step` is None.

    Example:
        >>> rate = tf.train.cosine_decay(0.1, global_step, 10000)
    """
    _require_step(global_step, "cosine decay")
    with get_default_graph().name_scope(name or "CosineDecay"):
        rate, dtype = _start(learning_rate)
        steps = cast(decay_steps, dtype)
        step = minimum(cast(global_step, dtype), steps)
        wave = _half_wave(step / steps)
        return raw.Mul(rate, (1 - alpha) * wave + alpha)


def _half_wave(fraction: Tensor) -> Tensor:
    return 0.5 * (1.0 + raw.Cos(constant(math.pi) * fraction))


@_computed_when_called
def cosine_decay_restarts(
    learning_rate: TensorLike,
    global_step: TensorLike,
    first_decay_steps: TensorLike,
    t_mul: TensorLike = 2.0,
    m_mul: TensorLike = 1.0,
    alpha: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Cosine decays one after the other (Loshchilov and Hutter, arXiv:1608.03983).

    Args:
        learning_rate: a scalar float tensor or number.
        global_step: a scalar integer tensor, variable or number.
        first_decay_steps: the length of the first decay.
        t_mul: how many times as long each is as the one before.
        m_mul: how many times as high each begins as the one before.
        alpha: the ends, as a part of `learning_rate`.
        name: the name scope.

    Raises:
        ValueError: if `global_step` is None.

    Example:
        >>> rate = tf.train.cosine_decay_restarts(0.1, global_step, 1000)
    """
    _require_step(global_step, "cosine decay restarts")
    with get_default_graph().name_scope(name or "SGDRDecay") as scope:
        rate, dtype = _start(learning_rate)
        first = cast(first_decay_steps, dtype)
        lowest = cast(alpha, dtype)
        longer = cast(t_mul, dtype)
        higher = cast(m_mul, dtype)
        periods = cast(global_step, dtype) / first

        def equal_lengths() -> tuple[Any, Any]:
            restarts = raw.Floor(periods)
            return restarts, periods - restarts

        def growing_lengths() -> tuple[Any, Any]:
            restarts = raw.Floor(raw.Log(1.0 - periods * (1.0 - longer)) / raw.Log(longer))
            before = (1.0 - longer**restarts) / (1.0 - longer)
            return restarts, (periods - before) / longer**restarts

        restarts, fraction = cond(raw.Equal(longer, 1.0), equal_lengths, growing_lengths)
        height = higher**restarts
        wave = 0.5 * height * (1.0 + raw.Cos(constant(math.pi) * fraction))
        return raw.Mul(rate, (1 - lowest) * wave + lowest, name=scope)


@_computed_when_called
def linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> Tensor:
    """learning_rate * ((alpha + linear) * cosine + beta), of a falling line and a cosine (arXiv:1709.07417).

    Args:
        learning_rate: a scalar float tensor or number.
        global_step: a scalar integer tensor, variable or number.
        decay_steps: the step at which the end is reached.
        num_periods: how many waves the cosine has until then.
        alpha, beta: as in the formula.
        name: the name scope.

    Raises:
        ValueError: if `global_step` is None.

    Example:
        >>> rate = tf.train.linear_cosine_decay(0.1, global_step, 1000)
    """
    _require_step(global_step, "linear cosine decay")
    with get_default_graph().name_scope(name or "LinearCosineDecay") as scope:
        rate, dtype = _start(learning_rate)
        steps = cast(decay_steps, dtype)
        periods = cast(num_periods, dtype)
        alpha = cast(alpha, dtype)
        beta = cast(beta, dtype)
        step = minimum(cast(global_step, dtype), steps)
        line = (steps - step) / steps
        fraction = step / steps
        wave = _half_wave(2.0 * periods * fraction)
        return raw.Mul(rate, (alpha + line) * wave + beta, name=scope)


@_computed_when_called
def noisy_linear_cosine_decay(
    learning_rate: TensorLike,
    global_step: TensorLike,
    decay_steps: TensorLike,
    initial_variance: TensorLike = 1.0,
    variance_decay: TensorLike = 0.55,
    num_periods: TensorLike = 0.5,
    alpha: TensorLike = 0.0,
    beta: TensorLike = 0.001,
    name: str | None = None,
) -> Tensor:
    """`linear_cosine_decay` with normal noise on the line (Bello et al., arXiv:1709.07417).

    Args:
        learning_rate, global_step, decay_steps, num_periods, alpha, beta, name: as there.
        initial_variance, variance_decay: the noise has variance initial_variance / (1 + global_step)^variance_decay.

    Raises:
        ValueError: if `global_step` is None.
    """
    _require_step(global_step, "noisy linear cosine decay")
    with get_default_graph().name_scope(name or "NoisyLinearCosineDecay") as scope:
        rate, dtype = _start(learning_rate)
        steps = cast(decay_steps, dtype)
        variance_start = cast(initial_variance, dtype)
        variance_power = cast(variance_decay, dtype)
        periods = cast(num_periods, dtype)
        alpha = cast(alpha, dtype)
        beta = cast(beta, dtype)
        step = minimum(cast(global_step, dtype), steps)
        line = (steps - step) / steps
        variance = variance_start / pow(1.0 + step, variance_power)
        noisy = line + random_normal(line.shape, stddev=raw.Sqrt(variance))
        fraction = step / steps
        wave = _half_wave(2.0 * periods * fraction)
        return raw.Mul(rate, (alpha + noisy) * wave + beta, name=scope)
