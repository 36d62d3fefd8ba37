"""Distributions of what a bijector makes of another distribution's samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value, constant_value_as_shape
from headrace.distributions.base import Distribution
from headrace.distributions.bijector import Bijector, Identity
from headrace.distributions.static_logic import all_of, equal, joined, negated, pick_vector, rank_of, value_of
from headrace.functions.flow.checks import assert_equal, assert_positive
from headrace.functions.math.reduction import reduce_logsumexp, reduce_prod, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import broadcast_static_shape, reshape
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_Condition = dict[str, Any] | None


class TransformedDistribution(Distribution):
    """The distribution of y = `bijector.forward(x)` for samples x of another: log p(y) = log p(x) - log |det dy/dx|.

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
        batch_shape: TensorLike | None = None,
        event_shape: TensorLike | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        arguments = dict(locals())
        name = name or ("" if bijector is None else bijector.name) + distribution.name
        with name_scope(name, values=[event_shape, batch_shape]) as scope:
            self._zero = constant(0, "int32", name="zero")
            self._empty = constant([], "int32", name="empty")
            bijector = Identity(validate_args=validate_args) if bijector is None else bijector
            self._own_batch = self._override(batch_shape, distribution.is_scalar_batch(), validate_args, "batch_shape")
            self._has_batch = negated(equal(rank_of(self._own_batch), self._zero))
            self._own_event = self._override(event_shape, distribution.is_scalar_event(), validate_args, "event_shape")
            self._has_event = negated(equal(rank_of(self._own_event), self._zero))
            # Drawn values have the new event dimensions before the old batch, and are turned around.
            self._needs_rotation = all_of(
                self._has_event, negated(self._has_batch), negated(distribution.is_scalar_batch())
            )
            rank = rank_of(self._own_event)
            needs_rotation = value_of(self._needs_rotation)
            self._rotation: Any = (
                where_v2(self._needs_rotation, rank, 0) if needs_rotation is None else rank if needs_rotation else 0
            )
            self._event_axes = composing.range_(self._rotation - rank, self._rotation)
        self._distribution, self._bijector = distribution, bijector
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

    def _override(self, shape: TensorLike | None, alone: Tensor, validate_args: bool, name: str) -> Tensor:
        """A shape to draw with, empty where there is none.

        Raises:
            ValueError: if the distribution has such a shape of its own. TypeError: if it is not of integers.
        """
        tensor = convert_to_tensor([] if shape is None else shape, "int32", name=name)
        none = equal(rank_of(tensor), 0)
        if constant_value(none):
            return self._empty
        checks: list[Any] = []
        message = "shape override must have positive elements"
        sizes = constant_value(tensor)
        if sizes is None:
            checks.append(lambda: assert_positive(tensor, message=message))
        elif (sizes <= 0).any():
            raise ValueError(message)
        both = all_of(negated(alone), negated(none))
        clash = constant_value(both)
        if clash is None:
            checks.append(lambda: assert_equal(both, False, message="base distribution not scalar"))
        elif clash:
            raise ValueError("base distribution not scalar")
        if not validate_args or not checks:
            return tensor
        return with_dependencies([check() for check in checks], tensor)

    @staticmethod
    def _given(override: Tensor) -> bool:
        """Whether there is a shape to draw with, or may be."""
        value = constant_value(override)
        return value is None or value.size != 0

    def _event_shape(self) -> TensorShape:
        own = self._given(self._own_event)
        return self._bijector.forward_event_shape(
            constant_value_as_shape(self._own_event) if own else self._distribution.event_shape
        )

    def _event_shape_tensor(self) -> Tensor:
        own = pick_vector(self._has_event, self._own_event, self._distribution.event_shape_tensor())
        return self._bijector.forward_event_shape_tensor(own)

    def _batch_shape(self) -> TensorShape:
        own = self._given(self._own_batch)
        return constant_value_as_shape(self._own_batch) if own else self._distribution.batch_shape

    def _batch_shape_tensor(self) -> Tensor:
        return pick_vector(self._has_batch, self._own_batch, self._distribution.batch_shape_tensor())

    # The arguments of conditions below are those of `ConditionalTransformedDistribution`.

    def _sample_n(self, n: TensorLike, seed: int | None = None, distribution_kwargs: _Condition = None) -> Tensor:
        shape = joined(
            pick_vector(self._needs_rotation, self._empty, [n]),
            self._own_batch,
            self._own_event,
            pick_vector(self._needs_rotation, [n], self._empty),
        )
        return self._rotate(self._distribution.sample(shape, seed=seed, **(distribution_kwargs or {})))

    def _call_sample_n(
        self,
        sample_shape: TensorLike,
        seed: int | None,
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

    def _rotate(self, x: Tensor, right: bool = False) -> Tensor:
        """`x` with the event's dimensions brought from the front to the end, or to the right back again."""
        needs_rotation = constant_value(self._needs_rotation)
        if needs_rotation is not None and not needs_rotation:
            return x
        rank = composing.rank(x)
        steps = rank - self._rotation if right else self._rotation
        return composing.transpose(x, joined(composing.range_(steps, rank), composing.range_(0, steps)))

    def _value_rank(self) -> int | Tensor:
        """How many dimensions one value of this distribution has."""
        static = self.event_shape.ndims
        return shape_internal(self.event_shape_tensor())[0] if static is None else static

    def _fibers(self, y: Tensor, condition: _Condition) -> list[tuple[Tensor, Tensor]]:
        """The values before that become `y`, each with the log-determinant there."""
        condition = condition or {}
        x = self._bijector.inverse(y, **condition)
        logs = self._bijector.inverse_log_det_jacobian(y, event_ndims=self._value_rank(), **condition)
        return [(x, logs)] if self._bijector._is_injective else list(zip(x, logs))

    def _log_prob(
        self, y: Tensor, bijector_kwargs: _Condition = None, distribution_kwargs: _Condition = None
    ) -> Tensor:
        found = []
        for x, log in self._fibers(y, bijector_kwargs):
            value = self._distribution.log_prob(self._rotate(x, right=True), **(distribution_kwargs or {}))
            if self._given(self._own_event):
                value = reduce_sum(value, self._event_axes)
            found.append(self._shaped(value + cast(log, value.dtype), y))
        return found[0] if len(found) == 1 else reduce_logsumexp(composing.stack(found), axis=0)

    def _prob(self, y: Tensor, bijector_kwargs: _Condition = None, distribution_kwargs: _Condition = None) -> Tensor:
        found = []
        for x, log in self._fibers(y, bijector_kwargs):
            value = self._distribution.prob(self._rotate(x, right=True), **(distribution_kwargs or {}))
            if self._given(self._own_event):
                value = reduce_prod(value, self._event_axes)
            found.append(self._shaped(value * raw.Exp(cast(log, value.dtype)), y))
        return found[0] if len(found) == 1 else sum(found)  # type: ignore[return-value]  # 0 is the sum of nothing only

    def _shaped(self, value: Tensor, y: Tensor) -> Tensor:
        """`value`, told what is known of its shape when its last dimensions were summed."""
        rank = self._value_rank()
        if self._given(self._own_event) and isinstance(rank, int):
            outer = y.get_shape().with_rank_at_least(1)[:-rank]
            value.set_shape(broadcast_static_shape(outer, self.batch_shape))
        return value

    def _scalar_inverse(self, y: Tensor, what: str, condition: _Condition) -> Tensor:
        if self._given(self._own_event):
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
        if self._given(self._own_event):
            raise NotImplementedError("quantile is not implemented when overriding event_shape")
        if not self._bijector._is_injective:
            raise NotImplementedError("quantile is not implemented when bijector is not injective.")
        before = self._distribution.quantile(value, **(distribution_kwargs or {}))
        return self._bijector.forward(before, **(bijector_kwargs or {}))

    def _entropy(self) -> Tensor:
        if not self._bijector.is_constant_jacobian:
            raise NotImplementedError("entropy is not implemented")
        if not self._bijector._is_injective:
            raise NotImplementedError("entropy is not implemented when bijector is not injective.")
        entropy = self._distribution.entropy()
        if self._given(self._own_event):
            entropy = entropy * cast(reduce_prod(self._own_event), entropy.dtype)
        if self._given(self._own_batch):
            own = self._own_batch
            ones = _ones_like(own)
            entropy = reshape(entropy, composing.concat([ones, self._distribution.batch_shape_tensor()], 0))
            base = self._distribution.batch_shape_tensor()
            entropy = raw.Tile(entropy, composing.concat([own, _ones_like(base)], 0))
        full_shape = composing.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
        dummy = composing.zeros(full_shape, dtype=self.dtype)
        log = self._bijector.inverse_log_det_jacobian(dummy, event_ndims=self._value_rank())
        entropy = entropy - cast(log, entropy.dtype)
        entropy.set_shape(self.batch_shape)
        return entropy


def _ones_like(shape: Tensor) -> Tensor:
    static = shape.get_shape()
    return composing.ones(static.as_list(), shape.dtype) if static.is_fully_defined() else composing.ones_like(shape)
