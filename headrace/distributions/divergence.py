"""Kullback-Leibler divergences, registered by the classes of two distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.math.reduction import reduce_any
from headrace.kernels.composing.arranging import identity

if TYPE_CHECKING:
    from headrace.distributions.base import Distribution


Rule = Callable[..., Tensor]
_rules: dict[tuple[type, type], Rule] = {}


def _rule_for(a: type, b: type) -> Rule | None:
    """The rule of the nearest base classes: the fewest steps up in all, then the fewest from the first class."""
    found = [
        (steps_a + steps_b, steps_a, _rules[base_a, base_b])
        for steps_a, base_a in enumerate(a.__mro__)
        for steps_b, base_b in enumerate(b.__mro__)
        if (base_a, base_b) in _rules
    ]
    return min(found, key=lambda entry: entry[:2])[2] if found else None


def kl_divergence(
    distribution_a: Distribution, distribution_b: Distribution, allow_nan_stats: bool = True, name: str | None = None
) -> Tensor:
    """The Kullback-Leibler divergence E_a[log(a(x) / b(x))] of one distribution from another.

    Args:
        distribution_a, distribution_b: the distributions.
        allow_nan_stats: whether NaN may come out; else that is an error when the graph runs.
        name: a name for the operations.

    Returns:
        a tensor of the shape of the batch.

    Raises:
        NotImplementedError: if no rule is registered for the two classes.

    Example:
        >>> tf.distributions.kl_divergence(tf.distributions.Normal(0.0, 1.0), tf.distributions.Normal(1.0, 2.0))
    """
    rule = _rule_for(type(distribution_a), type(distribution_b))
    if rule is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}"
        )
    with name_scope("KullbackLeibler"):
        result = rule(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return result
        result = identity(result, name="kl")
        message = (
            f"KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN values (and was "
            "called with allow_nan_stats=False). Values:"
        )
        check = Assert(raw.LogicalNot(reduce_any(raw.IsNan(result))), [message, result])
        with control_dependencies([check]):
            return identity(result, name="checked_kl")


def cross_entropy(
    ref: Distribution, other: Distribution, allow_nan_stats: bool = True, name: str | None = None
) -> Tensor:
    """The cross entropy -E_ref[log(other(x))]: the entropy of `ref` plus its divergence from `other`.

    Args:
        ref, other: the distributions.
        allow_nan_stats, name: as for `kl_divergence`.

    Raises:
        NotImplementedError: if no divergence is registered for the two classes.
    """
    with name_scope(name, "cross_entropy"):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)


class RegisterKL:
    """A decorator that registers how to compute the divergence of one class from another.

    Args:
        dist_cls_a, dist_cls_b: the classes.

    Raises:
        TypeError: if what is decorated cannot be called.
        ValueError: if the pair has a rule already.

    Example:
        >>> class Point(tf.distributions.Normal):
        ...     pass
        >>> @tf.distributions.RegisterKL(Point, Point)
        ... def _divergence(a, b, name=None):
        ...     return tf.zeros([])
        >>> sess.run(tf.distributions.kl_divergence(Point(0.0, 1.0), Point(5.0, 1.0)))
        0.0
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Rule) -> Rule:
        if not callable(kl_fn):
            raise TypeError(f"kl_fn must be callable, received: {kl_fn}")
        if self._key in _rules:
            a, b = (cls.__name__ for cls in self._key)
            raise ValueError(f"KL({a} || {b}) has already been registered to: {_rules[self._key]}")
        _rules[self._key] = kl_fn
        return kl_fn
