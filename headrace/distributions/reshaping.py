"""A distribution whose batch has another shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value_as_shape
from headrace.distributions.base import Distribution
from headrace.functions.flow.checks import (
    assert_equal,
    assert_greater_equal,
    assert_less_equal,
    assert_positive,
)
from headrace.functions.flow.rank_checks import assert_rank
from headrace.functions.math.reduction import count_nonzero, reduce_prod
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape_internal, size
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import where_v2

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class BatchReshape(Distribution):
    """A distribution with its batch in another shape.

    Args:
        distribution: the distribution.
        batch_shape: int32 vector, the new shape of the batch; one dimension may be -1.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: if `batch_shape` is no vector, has negative dimensions but -1, or another number of elements.

    Example:
        >>> ds = tf.contrib.distributions
        >>> ds.BatchReshape(ds.Normal(tf.zeros([6]), 1.0), [2, 3]).sample([4])   # [4, 2, 3]
    """

    def __init__(
        self,
        distribution: Distribution,
        batch_shape: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        arguments = dict(locals())
        with name_scope(name or "BatchReshape" + distribution.name, values=[batch_shape]) as scope:
            new_shape = convert_to_tensor(batch_shape, "int32", name="batch_shape")
            static = _checked(distribution, new_shape)
            self._new_shape, self._static = new_shape, static
            self._new_batch_shape: Any = np.array(static.as_list(), np.int32) if static.is_fully_defined() else None
            self._assertions: list[Operation] = []
            if self._new_batch_shape is None:
                self._new_batch_shape, self._assertions = _resolved(
                    distribution.batch_shape_tensor(), new_shape, validate_args
                )
        self._distribution = distribution
        super().__init__(
            distribution.dtype,
            distribution.reparameterization_type,
            validate_args,
            allow_nan_stats,
            arguments,
            [new_shape, *distribution._graph_parents],
            scope,
        )

    @property
    def distribution(self) -> Distribution:
        """The distribution before."""
        return self._distribution

    def _batch_shape_tensor(self) -> Tensor:
        with control_dependencies(self._assertions):
            return identity(self._new_batch_shape)

    def _batch_shape(self) -> TensorShape:
        return self._static

    def _event_shape_tensor(self) -> Tensor:
        with control_dependencies(self._assertions):
            return identity(self._distribution.event_shape_tensor())

    def _event_shape(self) -> TensorShape:
        return self._distribution.event_shape

    def _sample_n(self, n: Tensor | np.integer[Any], seed: int | None = None) -> Tensor:
        with control_dependencies(self._assertions):
            x = self._distribution.sample(sample_shape=n, seed=seed)
            return reshape(x, composing.concat([[n], self._new_shape, self.event_shape_tensor()], 0))

    def _ranks(self, x: Tensor) -> tuple[Any, Any]:
        """How many dimensions `x` has, and how many of them are the batch's and the value's."""
        rank = x.get_shape().ndims
        event: Any = self.event_shape.ndims
        batch: int | Tensor | None = self.batch_shape.ndims
        event = size(self.event_shape_tensor()) if event is None else event
        batch = size(self._new_shape) if batch is None else batch
        return (composing.rank(x) if rank is None else rank), batch + event

    def _value_checks(self, x: Tensor) -> list[Operation]:
        """Refuses values that would have to be broadcast."""
        with name_scope("validate_sample_arg", values=[x]):
            rank, inner = self._ranks(x)
            ranks: list[Operation] = []
            if isinstance(rank, int) and isinstance(inner, int):
                if rank < inner:
                    raise NotImplementedError(
                        "Broadcasting is not supported; too few batch and event dims "
                        f"(expected at least {inner}, saw {rank})."
                    )
            elif self.validate_args:
                message = "Broadcasting is not supported; too few batch and event dims."
                ranks.append(assert_greater_equal(rank, inner, message=message))
            outer = rank - inner
            shape, expected = x.get_shape(), self.batch_shape.concatenate(self.event_shape)
            if isinstance(outer, int) and shape[outer:].is_fully_defined() and expected.is_fully_defined():
                if shape[outer:].as_list() != expected.as_list():
                    raise NotImplementedError(
                        "Broadcasting is not supported; unexpected batch and event shape "
                        f"(expected {expected.as_list()}, saw {shape[outer:].as_list()})."
                    )
                return ranks
            if not self.validate_args:
                return []
            with control_dependencies(ranks):
                whole = composing.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)
                start = max(outer, 0) if isinstance(outer, int) else raw.Maximum(outer, 0)
                message = "Broadcasting is not supported; unexpected batch and event shape."
                return [assert_equal(whole, shape_internal(x)[start:], message=message)]

    def _of_values(self, function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        """`function` of `x` in the old shape, the result in the new one."""
        with control_dependencies(self._assertions + self._value_checks(x)):
            rank, inner = self._ranks(x)
            outer = rank - inner
            static = x.get_shape()[:outer] if isinstance(outer, int) else TensorShape(None)
            known = static.is_fully_defined()
            sample: Tensor | np.ndarray = np.array(static.as_list(), np.int32) if known else shape_internal(x)[:outer]
            before = [sample, self._distribution.batch_shape_tensor(), self.event_shape_tensor()]
            result = function(reshape(x, composing.concat(before, 0)))
            result = reshape(result, composing.concat([sample, self._new_shape], 0))
            if static.ndims is not None and self.batch_shape.ndims is not None:
                result.set_shape(static.concatenate(self.batch_shape))
            return result

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._of_values(self._distribution.log_prob, x)

    def _prob(self, x: Tensor) -> Tensor:
        return self._of_values(self._distribution.prob, x)

    def _log_cdf(self, x: Tensor) -> Tensor:
        return self._of_values(self._distribution.log_cdf, x)

    def _cdf(self, x: Tensor) -> Tensor:
        return self._of_values(self._distribution.cdf, x)

    def _log_survival_function(self, x: Tensor) -> Tensor:
        return self._of_values(self._distribution.log_survival_function, x)

    def _survival_function(self, x: Tensor) -> Tensor:
        return self._of_values(self._distribution.survival_function, x)

    def _statistic(self, function: Callable[[], Tensor], events: int = 1) -> Tensor:
        """What `function` gives, in the new shape; it has the shape of a value `events` times."""
        with control_dependencies(self._assertions):
            shape = self._new_shape
            if events:
                shape = composing.concat([shape, *[self._event_shape_tensor()] * events], 0)
            result = reshape(function(), shape)
            if self.batch_shape.ndims is not None and self.event_shape.ndims is not None:
                static = self.batch_shape
                for _ in range(events):
                    static = static.concatenate(self.event_shape)
                result.set_shape(static)
            return result

    def _entropy(self) -> Tensor:
        return self._statistic(self._distribution.entropy, events=0)

    def _mean(self) -> Tensor:
        return self._statistic(self._distribution.mean)

    def _mode(self) -> Tensor:
        return self._statistic(self._distribution.mode)

    def _stddev(self) -> Tensor:
        return self._statistic(self._distribution.stddev)

    def _variance(self) -> Tensor:
        return self._statistic(self._distribution.variance)

    def _covariance(self) -> Tensor:
        return self._statistic(self._distribution.covariance, events=2)


def _checked(distribution: Distribution, new_shape: Tensor) -> TensorShape:
    """What is known of the new shape, -1 being unknown."""
    if new_shape.get_shape().ndims not in (None, 1):
        raise ValueError(f"`batch_shape` must be a vector (saw rank: {new_shape.get_shape().ndims}).")
    static = constant_value_as_shape(new_shape)
    new, old = static.num_elements(), distribution.batch_shape.num_elements()
    if new is not None and old is not None and new != old:
        raise ValueError(f"`batch_shape` size ({new}) must match `distribution.batch_shape` size ({old}).")
    if static.dims is not None and any(dim.value is not None and dim.value < 1 for dim in static.dims):
        raise ValueError("`batch_shape` elements must be >=-1.")
    return static


def _resolved(old: Tensor, new: Tensor, validate: bool) -> tuple[Tensor, list[Operation]]:
    """The new shape without -1, and the checks of it."""
    with name_scope(None, "calculate_reshape", [old, new]):
        count = reduce_prod(old)
        implicit = raw.Equal(new, -1)
        # Of one -1 the product is minus that of the others.
        left = count // raw.Maximum(1, -reduce_prod(new))
        whole = where_v2(implicit, raw.Fill(shape_internal(new), left), new)
        if not validate:
            return whole, []
        unknown = count_nonzero(implicit, dtype="int32")
        return whole, [
            assert_rank(old, 1, message="Original shape must be a vector."),
            assert_rank(new, 1, message="New shape must be a vector."),
            assert_less_equal(unknown, 1, message="At most one dimension can be unknown."),
            assert_positive(whole, message="Shape elements must be >=-1."),
            assert_equal(reduce_prod(whole), count, message="Shape sizes do not match."),
        ]
