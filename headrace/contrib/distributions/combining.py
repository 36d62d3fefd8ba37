"""Distributions made of others: batches seen as events, and mixtures."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, dimension_at_index
from headrace.distributions.base import NOT_REPARAMETERIZED, Distribution
from headrace.distributions.divergence import RegisterKL, kl_divergence
from headrace.ops import composing
from headrace.ops.array.shape import reshape, shape_internal
from headrace.ops.array.where import one_hot
from headrace.ops.math.reduction import reduce_logsumexp, reduce_sum
from headrace.ops.nn.softmax import log_softmax


class Independent(Distribution):
    """A distribution whose last batch dimensions count as dimensions of one value.

    Args:
        distribution: the distribution.
        reinterpreted_batch_ndims: how many; all but the first by default.
        validate_args, name: as for `Distribution`.

    Raises:
        ValueError: if there are not so many.
    """

    def __init__(
        self,
        distribution: Distribution,
        reinterpreted_batch_ndims: int | None = None,
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        arguments = dict(locals())
        self._distribution = distribution
        rank = distribution.batch_shape.ndims
        if rank is None:
            raise NotImplementedError("Independent needs a distribution whose batch has a known number of dimensions")
        with name_scope(name or "Independent" + distribution.name) as scope:
            count = max(0, rank - 1) if reinterpreted_batch_ndims is None else reinterpreted_batch_ndims
            number = convert_to_tensor(count, "int32", name="reinterpreted_batch_ndims")
            value = constant_value(number)
            if value is None:
                raise NotImplementedError(
                    "reinterpreted_batch_ndims: Independent needs a number known without a session"
                )
            count = int(value)
            if count > rank:
                raise ValueError(f"reinterpreted_batch_ndims({count}) cannot exceed distribution.batch_ndims({rank})")
            self._count, self._outer = count, rank - count
        super().__init__(
            distribution.dtype,
            distribution.reparameterization_type,
            validate_args,
            distribution.allow_nan_stats,
            arguments,
            distribution._graph_parents,
            scope,
        )

    @property
    def distribution(self) -> Distribution:
        """The distribution."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self) -> int:
        """How many batch dimensions count as the value's."""
        return self._count

    def _batch_shape(self) -> TensorShape:
        return self._distribution.batch_shape[: self._outer]

    def _batch_shape_tensor(self) -> Tensor:
        return self._distribution.batch_shape_tensor()[: self._outer]

    def _event_shape(self) -> TensorShape:
        return self._distribution.batch_shape[self._outer :].concatenate(self._distribution.event_shape)

    def _event_shape_tensor(self) -> Tensor:
        inner = self._distribution.batch_shape_tensor()[self._outer :]
        return composing.concat([inner, self._distribution.event_shape_tensor()], 0)

    def _total(self, value: Tensor) -> Tensor:
        return reduce_sum(value, axis=list(-1 - np.arange(self._count)))

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        return self._distribution.sample(n, seed=seed)

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._total(self._distribution.log_prob(x))

    def _entropy(self) -> Tensor:
        return self._total(self._distribution.entropy())

    def _mean(self) -> Tensor:
        return self._distribution.mean()

    def _variance(self) -> Tensor:
        return self._distribution.variance()

    def _stddev(self) -> Tensor:
        return self._distribution.stddev()

    def _mode(self) -> Tensor:
        return self._distribution.mode()


@RegisterKL(Independent, Independent)
def _independent_from_independent(a: Independent, b: Independent, name: str = "kl_independent") -> Tensor:
    if a.event_shape != b.event_shape:
        raise ValueError("Event shapes do not match.")
    if a.distribution.event_shape != b.distribution.event_shape:
        raise NotImplementedError("KL between Independents with different event shapes not supported.")
    inner = kl_divergence(a.distribution, b.distribution, name=name)
    count = len(a.event_shape.as_list()) - len(a.distribution.event_shape.as_list())
    return reduce_sum(inner, axis=[-index - 1 for index in range(count)])


class MixtureSameFamily(Distribution):
    """A mixture of the distributions along the last batch dimension of one object.

    Args:
        mixture_distribution: a Categorical, the weights.
        components_distribution: a Distribution whose last batch dimension is that of the components.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: if the two do not fit together.
    """

    def __init__(
        self,
        mixture_distribution: Any,
        components_distribution: Distribution,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MixtureSameFamily",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name) as scope:
            self._mixture, self._components = mixture_distribution, components_distribution
            rank = components_distribution.event_shape.ndims
            if rank is None:
                raise NotImplementedError(
                    "MixtureSameFamily needs components whose values have a known number of dimensions"
                )
            self._rank = rank
            # One more op of the graph where the shape is known.
            components_distribution.event_shape_tensor()
            if not mixture_distribution.dtype.is_integer:
                kind = mixture_distribution.dtype.name
                raise ValueError(f"`mixture_distribution.dtype` ({kind}) is not over integers")
            if mixture_distribution.event_shape.ndims not in (None, 0):
                raise ValueError("`mixture_distribution` must have scalar `event_dim`s")
            own, inner = mixture_distribution.batch_shape, components_distribution.batch_shape.with_rank_at_least(1)
            if own.is_fully_defined() and inner[:-1].is_fully_defined() and own.ndims != 0 and own != inner[:-1]:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` (`{own.as_list()}`) is not compatible with "
                    f"`components_distribution.batch_shape` (`{inner[:-1].as_list()}`)"
                )
            weights = mixture_distribution.logits
            counts = tuple(
                dimension_at_index(shape, -1).value for shape in (weights.get_shape().with_rank_at_least(1), inner)
            )
            if None not in counts and counts[0] != counts[1]:
                raise ValueError(
                    f"`mixture_distribution components` ({counts[0]}) does not equal "
                    f"`components_distribution.batch_shape[-1]` ({counts[1]})"
                )
            self._count = shape_internal(weights)[-1] if counts[0] is None else counts[0]
        super().__init__(
            components_distribution.dtype,
            NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            arguments,
            mixture_distribution._graph_parents + components_distribution._graph_parents,
            scope,
        )

    @property
    def mixture_distribution(self) -> Any:
        """The weights."""
        return self._mixture

    @property
    def components_distribution(self) -> Distribution:
        """The components."""
        return self._components

    def _batch_shape(self) -> TensorShape:
        return self._components.batch_shape.with_rank_at_least(1)[:-1]

    def _batch_shape_tensor(self) -> Tensor:
        return self._components.batch_shape_tensor()[:-1]

    def _event_shape(self) -> TensorShape:
        return self._components.event_shape

    def _event_shape_tensor(self) -> Tensor:
        return self._components.event_shape_tensor()

    def _beside(self, weights: Tensor) -> Tensor:
        """Weights [..., count] with dimensions for the values, and for the batch where they have none."""
        for _ in range(self._rank):
            weights = weights[..., None]
        return weights

    def _mask(self, n: Any) -> Tensor:
        chosen = self._mixture.sample(n)
        if self._mixture.batch_shape.ndims == 0:
            # One choice for each sample, whatever the batch.
            batch = self.batch_shape.ndims or 0
            for _ in range(batch):
                chosen = chosen[..., None]
        return self._beside(one_hot(chosen, depth=self._count, dtype=self.dtype))

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        # As in TensorFlow the seed is not used: the two drawings would share it.
        drawn = self._components.sample(n)
        return reduce_sum(drawn * self._mask(n), axis=-1 - self._rank)

    def _spread(self, x: Tensor) -> Tensor:
        """`x` with a dimension of 1 for the components."""
        with name_scope("pad_sample_dims", values=[x]):
            shape = shape_internal(x)
            outer = len(x.get_shape().as_list()) - self._rank
            return reshape(x, composing.concat([shape[:outer], [1], shape[outer:]], 0))

    def _mixed(self, logs: Tensor) -> Tensor:
        return reduce_logsumexp(logs + log_softmax(self._mixture.logits, axis=-1), axis=-1)

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._mixed(self._components.log_prob(self._spread(x)))

    def _log_cdf(self, x: Tensor) -> Tensor:
        return self._mixed(self._components.log_cdf(self._spread(x)))

    def _mean(self) -> Tensor:
        return reduce_sum(self._beside(self._mixture.probs) * self._components.mean(), axis=-1 - self._rank)

    def _variance(self) -> Tensor:
        probs, axis = self._beside(self._mixture.probs), -1 - self._rank
        within = reduce_sum(probs * self._components.variance(), axis=axis)
        distance = raw.SquaredDifference(self._components.mean(), self._spread(self._mean()))
        return within + reduce_sum(probs * distance, axis=axis)
