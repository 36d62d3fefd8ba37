"""Expectations estimated from samples.

E_p[f] = E_q[f p / q], and the gradient of E_p[f] is E_p[f grad log p + grad f]: Mohamed, Rosca, Figurnov and Mnih,
"Monte Carlo gradient estimation in machine learning", arXiv:1906.10652.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_logsumexp, reduce_max, reduce_mean
from headrace.kernels import composing
from headrace.ops.array.identity import stop_gradient

if TYPE_CHECKING:
    from headrace.core.typing import AxisLike, TensorLike
    from headrace.distributions.base import Distribution


Function = Callable[[Tensor], Tensor]


def _samples(distribution: Distribution, z: TensorLike | None, n: int | None, seed: int | None) -> Tensor:
    """The samples `z`, or `n` of them drawn now."""
    if (n is None) == (z is None):
        raise ValueError(f"Must specify exactly one of arguments 'n' and 'z'.  Found: n = {n}, z = {z}")
    return distribution.sample(n, seed=seed) if z is None else convert_to_tensor(z, name="z")


def expectation_importance_sampler(
    f: Function,
    log_p: Function,
    sampling_dist_q: Distribution,
    z: TensorLike | None = None,
    n: int | None = None,
    seed: int | None = None,
    name: str = "expectation_importance_sampler",
) -> Tensor:
    """The mean of `f` under density `p`, from samples of another distribution.

    Args:
        f: takes samples, and returns a number for each (and for each of the batch).
        log_p: takes samples, and returns the logarithm of the density.
        sampling_dist_q: the distribution to draw from.
        z: samples drawn from it.
        n: how many to draw; one of `z` and `n` is given.
        seed: the seed of the drawing.
        name: a name scope.

    Returns:
        the mean over the samples, the first dimension.

    Raises:
        ValueError: unless exactly one of `z` and `n` is given.

    Example:
        >>> normal = tf.contrib.distributions.Normal(0.0, 1.0)
        >>> monte_carlo = tf.contrib.bayesflow.monte_carlo
        >>> monte_carlo.expectation_importance_sampler(tf.square, normal.log_prob, normal, n=1000)
    """
    with name_scope(name, values=[z, n]):
        z = _samples(sampling_dist_q, z, n, seed)
        logs = log_p(z) - sampling_dist_q.log_prob(z)
        # The largest weight is taken out, so that none overflows.
        most = stop_gradient(reduce_max(logs, axis=[0], keepdims=True))
        total = reduce_mean(f(z) * raw.Exp(logs - most), axis=[0])
        return total * raw.Exp(composing.squeeze(most, [0]))


def expectation_importance_sampler_logspace(
    log_f: Function,
    log_p: Function,
    sampling_dist_q: Distribution,
    z: TensorLike | None = None,
    n: int | None = None,
    seed: int | None = None,
    name: str = "expectation_importance_sampler_logspace",
) -> Tensor:
    """The logarithm of the mean of exp(log_f). Arguments as for `expectation_importance_sampler`."""
    with name_scope(name, values=[z, n]):
        z = _samples(sampling_dist_q, z, n, seed)
        logs = log_f(z) + log_p(z) - sampling_dist_q.log_prob(z)
        count = composing.cast(composing.shape(logs)[0], logs.dtype)
        return reduce_logsumexp(logs, axis=[0]) - raw.Log(count)


def expectation(
    f: Function,
    samples: Tensor,
    log_prob: Function | None = None,
    use_reparametrization: bool = True,
    axis: AxisLike = 0,
    keep_dims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The mean of `f` over samples, with the gradient of the expectation.

    Args:
        f: takes samples.
        samples: the samples.
        log_prob: takes samples, and returns the logarithm of their probability; needed without reparametrization.
        use_reparametrization: whether gradients flow through the samples; else they are those of the score function.
        axis: the dimensions of the samples.
        keep_dims: whether these stay, of size 1.
        name: a name scope.

    Raises:
        ValueError: if `f` cannot be called, or `log_prob` where it is needed.
    """
    with name_scope(name, "expectation", [samples]):
        if not callable(f):
            raise ValueError("`f` must be a callable function.")
        if use_reparametrization:
            return reduce_mean(f(samples), axis=axis, keepdims=keep_dims)
        if not callable(log_prob):
            raise ValueError("`log_prob` must be a callable function.")
        x = stop_gradient(samples)
        logs, value = log_prob(x), f(x)
        # 1 in value, the score in its gradient.
        weight = raw.Exp(logs - stop_gradient(logs))
        return reduce_mean(value * weight, axis=axis, keepdims=keep_dims)
