"""Distributions made of others: batches seen as events, and mixtures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, dimension_at_index
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.distributions.base import NOT_REPARAMETERIZED, Distribution
from headrace.distributions.divergence import RegisterKL, kl_divergence
from headrace.distributions.mixing import pad_mixture_dimensions
from headrace.functions.flow.checks import assert_equal, assert_less_equal
from headrace.functions.math.reduction import reduce_logsumexp, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import one_hot
from headrace.ops.nn.softmax import log_softmax

if TYPE_CHECKING:
    from headrace.distributions.discrete import Categorical


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
        with name_scope(name or "Independent" + distribution.name) as scope:
            count: int | Tensor | None = reinterpreted_batch_ndims
            if count is None:
                static = distribution.batch_shape.ndims
                count = raw.Maximum(0, self._batch_rank() - 1) if static is None else max(0, static - 1)
            number = convert_to_tensor(count, "int32", name="reinterpreted_batch_ndims")
            known = constant_value(number)
            self._count: Tensor | np.ndarray = number if known is None else known
            self._known = None if known is None else int(known)
            super().__init__(
                distribution.dtype,
                distribution.reparameterization_type,
                validate_args,
                distribution.allow_nan_stats,
                arguments,
                [number, *distribution._graph_parents],
                scope,
            )
            self._checks = self._checks_of(number, validate_args)

    def _checks_of(self, number: Tensor, validate_args: bool) -> list[Any]:
        """What checks that the distribution has so many batch dimensions, where that is not known."""
        rank = self._distribution.batch_shape.ndims
        if rank is not None and self._known is not None:
            if self._known > rank:
                names = f"reinterpreted_batch_ndims({self._known}) cannot exceed distribution.batch_ndims({rank})"
                raise ValueError(names)
            return []
        if not validate_args:
            return []
        message = "reinterpreted_batch_ndims cannot exceed distribution.batch_ndims"
        return [assert_less_equal(number, self._length(self._distribution.batch_shape_tensor()), message=message)]

    def _batch_rank(self) -> Tensor:
        return shape_internal(self._distribution.batch_shape_tensor())[0]

    @staticmethod
    def _length(shape: Tensor) -> Tensor:
        """How many elements a shape has."""
        known = shape.get_shape().with_rank_at_least(1)[0].value
        return shape_internal(shape)[0] if known is None else known

    @property
    def distribution(self) -> Distribution:
        """The distribution."""
        return self._distribution

    @property
    def reinterpreted_batch_ndims(self) -> Any:
        """How many batch dimensions count as the value's."""
        return self._count

    def _batch_shape(self) -> TensorShape:
        batch = self._distribution.batch_shape
        if self._known is None or batch.ndims is None:
            return TensorShape(None)
        return batch[: batch.ndims - self._known]

    def _batch_shape_tensor(self) -> Tensor:
        with control_dependencies(self._checks):
            batch = self._distribution.batch_shape_tensor()
            return batch[: self._length(batch) - self._count]

    def _event_shape(self) -> TensorShape:
        batch = self._distribution.batch_shape
        if self._known is None or batch.ndims is None:
            return TensorShape(None)
        return batch[batch.ndims - self._known :].concatenate(self._distribution.event_shape)

    def _event_shape_tensor(self) -> Tensor:
        with control_dependencies(self._checks):
            batch = self._distribution.batch_shape_tensor()
            inner = batch[self._length(batch) - self._count :]
            return composing.concat([inner, self._distribution.event_shape_tensor()], 0)

    def _total(self, value: Tensor) -> Tensor:
        axes = composing.range_(self._count) if self._known is None else np.arange(self._known)
        return reduce_sum(value, axis=-1 - axes)

    def _sample_n(self, n: Tensor | np.integer[Any], seed: int | None = None) -> Tensor:
        with control_dependencies(self._checks):
            return self._distribution.sample(n, seed=seed)

    def _log_prob(self, x: Tensor) -> Tensor:
        with control_dependencies(self._checks):
            return self._total(self._distribution.log_prob(x))

    def _entropy(self) -> Tensor:
        with control_dependencies(self._checks):
            return self._total(self._distribution.entropy())

    def _mean(self) -> Tensor:
        with control_dependencies(self._checks):
            return self._distribution.mean()

    def _variance(self) -> Tensor:
        with control_dependencies(self._checks):
            return self._distribution.variance()

    def _stddev(self) -> Tensor:
        with control_dependencies(self._checks):
            return self._distribution.stddev()

    def _mode(self) -> Tensor:
        with control_dependencies(self._checks):
            return self._distribution.mode()


@RegisterKL(Independent, Independent)
def _independent_from_independent(a: Independent, b: Independent, name: str = "kl_independent") -> Tensor:
    p, q = a.distribution, b.distribution
    if not a.event_shape.is_fully_defined() or not b.event_shape.is_fully_defined():
        shapes = [(one.event_shape_tensor(), other.event_shape_tensor()) for one, other in ((a, b), (p, q))]
        with control_dependencies([assert_equal(one, other) for one, other in shapes]):
            more = shape_internal(shapes[0][0])[0] - shape_internal(shapes[1][0])[0]
            return reduce_sum(kl_divergence(p, q, name=name), axis=composing.range_(-more, 0))
    if a.event_shape != b.event_shape:
        raise ValueError("Event shapes do not match.")
    if p.event_shape != q.event_shape:
        raise NotImplementedError("KL between Independents with different event shapes not supported.")
    count = len(a.event_shape.as_list()) - len(p.event_shape.as_list())
    inner = kl_divergence(p, q, name=name)
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
        mixture_distribution: Categorical,
        components_distribution: Distribution,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MixtureSameFamily",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name) as scope:
            self._mixture, self._components = mixture_distribution, components_distribution
            event = components_distribution.event_shape_tensor()
            size = event.get_shape()[0].value
            self._rank: Any = shape_internal(event)[0] if size is None else size
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

    def _broadcast_weights(self, weights: Tensor) -> Tensor:
        """Weights [..., count] with dimensions for the values, and for the batch where they have none."""
        return pad_mixture_dimensions(weights, self, self._mixture, self._event_shape().ndims)

    def _sample_n(self, n: Tensor | np.integer[Any], seed: int | None = None) -> Tensor:
        # As in TensorFlow the seed is not used: the two drawings would share it.
        drawn = self._components.sample(n)
        number = self.dtype.as_numpy_dtype
        chosen = self._mixture.sample(n)
        mask = one_hot(chosen, depth=self._count, on_value=np.ones([], number), off_value=np.zeros([], number))
        return reduce_sum(drawn * self._broadcast_weights(mask), axis=-1 - self._rank)

    def _with_component_dim(self, x: Tensor) -> Tensor:
        """`x` with a dimension of 1 for the components."""
        with name_scope("pad_sample_dims", values=[x]):
            shape = shape_internal(x)
            rank = x.get_shape().ndims
            outer = (rank_internal(x) if rank is None else rank) - self._rank
            return reshape(x, composing.concat([shape[:outer], [1], shape[outer:]], 0))

    def _mixed(self, logs: Tensor) -> Tensor:
        return reduce_logsumexp(logs + log_softmax(self._mixture.logits, axis=-1), axis=-1)

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._mixed(self._components.log_prob(self._with_component_dim(x)))

    def _log_cdf(self, x: Tensor) -> Tensor:
        return self._mixed(self._components.log_cdf(self._with_component_dim(x)))

    def _mean(self) -> Tensor:
        return reduce_sum(self._broadcast_weights(self._mixture.probs) * self._components.mean(), axis=-1 - self._rank)

    def _variance(self) -> Tensor:
        probs, axis = self._broadcast_weights(self._mixture.probs), -1 - self._rank
        within = reduce_sum(probs * self._components.variance(), axis=axis)
        distance = raw.SquaredDifference(self._components.mean(), self._with_component_dim(self._mean()))
        return within + reduce_sum(probs * distance, axis=axis)

    def _covariance(self) -> Tensor:
        if self.event_shape.ndims != 1:
            raise NotImplementedError("covariance is not implemented")
        probs = self._broadcast_weights(self._broadcast_weights(self._mixture.probs))
        within = reduce_sum(probs * self._components.covariance(), axis=-3)
        difference = self._components.mean() - self._with_component_dim(self._mean())
        squares = difference[..., None, :] * difference[..., None]
        return within + reduce_sum(probs * squares, axis=-3)
