"""Distributions of what a bijector makes of another distribution's samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.distributions.base import Distribution
from headrace.distributions.bijector import Bijector, Identity
from headrace.distributions.common import known
from headrace.ops import composing
from headrace.ops.array.shape import reshape, shape_internal
from headrace.ops.math.cast import cast
from headrace.ops.math.reduction import reduce_logsumexp, reduce_prod, reduce_sum

_Condition = dict[str, Any] | None


class TransformedDistribution(Distribution):
    """The distribution of `bijector.forward(x)` for samples x of another.

    Args:
        distribution: the other distribution.
        bijector: a Bijector; the identity by default.
        batch_shape, event_shape: int32 vectors, the shapes to draw a scalar distribution with.
        validate_args: whether to check values when the graph runs.
        name: a name for the operations.

    Raises:
        ValueError: if a shape is given although the distribution has one.

    Example:
        >>> ds = tf.contrib.distributions
        >>> ds.TransformedDistribution(ds.Normal(0.0, 1.0), ds.bijectors.Exp()).prob(2.0)
    """

    def __init__(
        self,
        distribution: Distribution,
        bijector: Bijector | None = None,
        batch_shape: Any = None,
        event_shape: Any = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        arguments = dict(locals())
        name = name or ("" if bijector is None else bijector.name) + distribution.name
        with name_scope(name, values=[event_shape, batch_shape]) as scope:
            bijector = Identity(validate_args=validate_args) if bijector is None else bijector
            self._own_batch = _override(batch_shape, distribution.batch_shape, "batch_shape")
            self._own_event = _override(event_shape, distribution.event_shape, "event_shape")
        self._distribution, self._bijector = distribution, bijector
        # Drawn values have the new event dimensions before the old batch, and are turned around.
        self._turned = self._event_rank() > 0 and self._own_batch is None and distribution.batch_shape.ndims != 0
        super().__init__(
            distribution.dtype,
            distribution.reparameterization_type,
            validate_args,
            distribution.allow_nan_stats,
            arguments,
            distribution._graph_parents + bijector.graph_parents,
            scope,
        )

    @property
    def distribution(self) -> Distribution:
        """The distribution before."""
        return self._distribution

    @property
    def bijector(self) -> Bijector:
        """The bijector."""
        return self._bijector

    def _event_rank(self) -> int:
        return 0 if self._own_event is None else int((self._own_event.dims or (0,))[0] or 0)

    def _event_shape(self) -> TensorShape:
        base = self._distribution.event_shape if self._own_event is None else _static(self._own_event)
        return self._bijector.forward_event_shape(base)

    def _event_shape_tensor(self) -> Tensor:
        own = self._distribution.event_shape_tensor() if self._own_event is None else self._own_event
        return self._bijector.forward_event_shape_tensor(own)

    def _batch_shape(self) -> TensorShape:
        return self._distribution.batch_shape if self._own_batch is None else _static(self._own_batch)

    def _batch_shape_tensor(self) -> Tensor:
        return self._distribution.batch_shape_tensor() if self._own_batch is None else self._own_batch

    # The arguments of conditions below are those of `ConditionalTransformedDistribution`.

    def _sample_n(self, n: Any, seed: int | None = None, distribution_kwargs: _Condition = None) -> Tensor:
        parts = [part for part in (self._own_batch, self._own_event) if part is not None]
        count = [[n]]
        shape: Any = count[0]
        if parts:
            shape = composing.concat([*parts, *count] if self._turned else [*count, *parts], 0)
        return self._turn(
            self._distribution.sample(shape, seed=seed, **(distribution_kwargs or {})), -self._event_rank()
        )

    def _call_sample_n(
        self,
        sample_shape: Any,
        seed: Any,
        name: str,
        bijector_kwargs: _Condition = None,
        distribution_kwargs: _Condition = None,
        **kwargs: Any,
    ) -> Tensor:
        with self._name_scope(name, values=[sample_shape]):
            sample_shape = convert_to_tensor(sample_shape, "int32", name="sample_shape")
            sample_shape, n = self._expand_sample_shape_to_vector(sample_shape, "sample_shape")
            x = self._sample_n(n, seed, distribution_kwargs, **kwargs)
            x = reshape(x, composing.concat([sample_shape, shape_internal(x)[1:]], 0))
            y = self._bijector._call_forward(x, "forward", **(bijector_kwargs or {}), **kwargs)
            return self._set_sample_static_shape(y, sample_shape)

    def _turn(self, x: Tensor, steps: int) -> Tensor:
        """`x` with its dimensions rotated to the right."""
        if not self._turned:
            return x
        rank = len(x.dims or ())
        return raw.Transpose(x, np.roll(np.arange(rank), steps).astype(np.int32))

    def _value_rank(self) -> Any:
        """How many dimensions one value of this distribution has."""
        static = self.event_shape.ndims
        return shape_internal(self.event_shape_tensor())[0] if static is None else static

    def _fibers(self, y: Tensor, condition: _Condition) -> list[tuple[Tensor, Tensor]]:
        """The values before that become `y`, each with the log-determinant there."""
        condition = condition or {}
        x = self._bijector.inverse(y, **condition)
        logs = self._bijector.inverse_log_det_jacobian(y, event_ndims=self._value_rank(), **condition)
        return [(x, logs)] if self._bijector._is_injective else list(zip(x, logs))

    def _event_axes(self) -> list[int]:
        return list(range(-self._event_rank(), 0))

    def _log_prob(
        self, y: Tensor, bijector_kwargs: _Condition = None, distribution_kwargs: _Condition = None
    ) -> Tensor:
        found = []
        for x, log in self._fibers(y, bijector_kwargs):
            value = self._distribution.log_prob(self._turn(x, self._event_rank()), **(distribution_kwargs or {}))
            if self._event_rank():
                axes = list(range(self._event_rank())) if self._turned else self._event_axes()
                value = reduce_sum(value, axes)
            found.append(value + cast(log, value.dtype))
        return found[0] if len(found) == 1 else reduce_logsumexp(composing.stack(found), axis=0)

    def _prob(self, y: Tensor, bijector_kwargs: _Condition = None, distribution_kwargs: _Condition = None) -> Tensor:
        found = []
        for x, log in self._fibers(y, bijector_kwargs):
            value = self._distribution.prob(self._turn(x, self._event_rank()), **(distribution_kwargs or {}))
            if self._event_rank():
                axes = list(range(self._event_rank())) if self._turned else self._event_axes()
                value = reduce_prod(value, axes)
            found.append(value * raw.Exp(cast(log, value.dtype)))
        total = found[0]
        for more in found[1:]:
            total += more
        return total

    def _scalar_inverse(self, y: Tensor, what: str, condition: _Condition) -> Tensor:
        if self._own_event is not None:
            raise NotImplementedError(f"{what} is not implemented when overriding event_shape")
        if not self._bijector._is_injective:
            raise NotImplementedError(f"{what} is not implemented when bijector is not injective.")
        return self._bijector.inverse(y, **(condition or {}))

    def _log_cdf(self, y: Tensor, bijector_kwargs: _Condition = None, distribution_kwargs: _Condition = None) -> Tensor:
        before = self._scalar_inverse(y, "log_cdf", bijector_kwargs)
        return self._distribution.log_cdf(before, **(distribution_kwargs or {}))

    def _cdf(self, y: Tensor, bijector_kwargs: _Condition = None, distribution_kwargs: _Condition = None) -> Tensor:
        before = self._scalar_inverse(y, "cdf", bijector_kwargs)
        return self._distribution.cdf(before, **(distribution_kwargs or {}))

    def _log_survival_function(
        self, y: Tensor, bijector_kwargs: _Condition = None, distribution_kwargs: _Condition = None
    ) -> Tensor:
        before = self._scalar_inverse(y, "log_survival_function", bijector_kwargs)
        return self._distribution.log_survival_function(before, **(distribution_kwargs or {}))

    def _survival_function(
        self, y: Tensor, bijector_kwargs: _Condition = None, distribution_kwargs: _Condition = None
    ) -> Tensor:
        before = self._scalar_inverse(y, "survival_function", bijector_kwargs)
        return self._distribution.survival_function(before, **(distribution_kwargs or {}))

    def _quantile(
        self, value: Tensor, bijector_kwargs: _Condition = None, distribution_kwargs: _Condition = None
    ) -> Tensor:
        if self._own_event is not None:
            raise NotImplementedError("quantile is not implemented when overriding event_shape")
        if not self._bijector._is_injective:
            raise NotImplementedError("quantile is not implemented when bijector is not injective.")
        before = self._distribution.quantile(value, **(distribution_kwargs or {}))
        return self._bijector.forward(before, **(bijector_kwargs or {}))

    def _whole_shape(self) -> Tensor:
        return composing.concat(
            [self.batch_shape_tensor(), self._bijector.inverse_event_shape_tensor(self.event_shape_tensor())], 0
        )

    def _entropy(self) -> Tensor:
        if not self._bijector.is_constant_jacobian:
            raise NotImplementedError("entropy is not implemented")
        if not self._bijector._is_injective:
            raise NotImplementedError("entropy is not implemented when bijector is not injective.")
        entropy = self._distribution.entropy()
        if self._own_event is not None:
            entropy = entropy * cast(reduce_prod(self._own_event), entropy.dtype)
        if self._own_batch is not None:
            entropy = entropy + composing.zeros(self.batch_shape_tensor(), dtype=entropy.dtype)
        dummy = composing.zeros(self._whole_shape(), dtype=self.dtype)
        log = self._bijector.inverse_log_det_jacobian(dummy, event_ndims=self._value_rank())
        entropy = entropy - cast(log, entropy.dtype)
        entropy.set_shape(self.batch_shape)
        return entropy


def _override(shape: Any, static: TensorShape, name: str) -> Tensor | None:
    """A shape to draw with, None where there is none.

    Raises:
        ValueError: if the distribution has such a shape of its own. TypeError: if it is not of integers.
    """
    if shape is None:
        return None
    tensor = convert_to_tensor(shape if not isinstance(shape, TensorShape) else shape.as_list(), "int32", name=name)
    if not tensor.dtype.is_integer:
        raise TypeError("shape override must be an integer")
    if tensor.get_shape().ndims not in (None, 1):
        raise ValueError("shape override must be a vector")
    if tensor.dims == (0,):
        return None
    if static.ndims not in (None, 0):
        raise ValueError("base distribution not scalar")
    return tensor


def _static(shape: Tensor) -> TensorShape:
    value = known(shape)
    if value is not None:
        return TensorShape(value.tolist())
    rank = shape.dims[0] if shape.dims else None
    return TensorShape(None if rank is None else [None] * rank)
