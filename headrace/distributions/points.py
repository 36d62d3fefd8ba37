"""Distributions that have one value only, and those rounded to whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.distributions.base import NOT_REPARAMETERIZED, Distribution
from headrace.distributions.parameters import assert_integer_form, scalar_event
from headrace.functions.flow.checks import assert_equal, assert_less, assert_non_negative, assert_same_float_dtype
from headrace.functions.flow.rank_checks import assert_rank_at_least
from headrace.functions.math.reduction import reduce_all
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class _Point(Distribution):
    """The base of distributions of one value."""

    def _begin(self, arguments: dict[str, Any], vector: bool) -> None:
        validate_args, atol, rtol = arguments["validate_args"], arguments["atol"], arguments["rtol"]
        with name_scope(arguments["name"], values=[arguments["loc"], atol, rtol]) as scope:
            loc = convert_to_tensor(arguments["loc"], name="loc")
            if vector and validate_args:
                message = "Argument loc must be at least rank 1."
                rank = loc.get_shape().ndims
                if rank is None:
                    loc = with_dependencies([assert_rank_at_least(loc, 1, message=message)], loc)
                elif rank < 1:
                    raise ValueError(message)
            self._loc = loc
            self._validate_args = validate_args
            Distribution.__init__(
                self,
                loc.dtype,
                NOT_REPARAMETERIZED,
                validate_args,
                arguments["allow_nan_stats"],
                arguments,
                [loc],
                scope,
            )
            self._atol, self._rtol = self._tolerance(atol), self._tolerance(rtol)
            self._slack = self._atol if rtol is None else self._atol + self._rtol * raw.Abs(loc)

    def _tolerance(self, value: TensorLike | None) -> Tensor:
        tensor = convert_to_tensor(0 if value is None else value, self._loc.dtype)
        if self._validate_args and value is not None:
            message = "Argument 'tol' must be non-negative"
            tensor = with_dependencies([assert_non_negative(tensor, message=message)], tensor)
        return tensor

    @property
    def loc(self) -> Tensor:
        """The value."""
        return self._loc

    @property
    def atol(self) -> Tensor:
        """How far from it a value may be to count as the same."""
        return self._atol

    @property
    def rtol(self) -> Tensor:
        """The same, in proportion to the value."""
        return self._rtol

    def _entropy(self) -> Tensor:
        return composing.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _mean(self) -> Tensor:
        return identity(self._loc)

    def _variance(self) -> Tensor:
        return composing.zeros_like(self._loc)

    def _mode(self) -> Tensor:
        return self.mean()

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        rank = self._loc.get_shape().ndims
        ones: Any = [1] * rank if rank is not None else composing.ones_like(shape_internal(self._loc))
        times = composing.concat([[n], ones], 0) if rank != 0 else [n]
        return raw.Tile(composing.expand_dims(self._loc, 0), times)


class Deterministic(_Point):
    """The distribution of a number that is always `loc`.

    Args:
        loc: a tensor of numbers.
        atol, rtol: how far from it a value may be to have probability 1; 0 by default.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        loc: TensorLike,
        atol: TensorLike | None = None,
        rtol: float | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Deterministic",
    ) -> None:
        self._begin(dict(locals()), vector=False)

    def _batch_shape_tensor(self) -> Tensor:
        return shape_internal(self._loc)

    def _batch_shape(self) -> TensorShape:
        return self._loc.get_shape()

    def _event_shape_tensor(self) -> Tensor:
        return scalar_event()

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _prob(self, x: Tensor) -> Tensor:
        return cast(raw.Abs(x - self._loc) <= self._slack, self.dtype)

    def _cdf(self, x: Tensor) -> Tensor:
        return cast(x >= self._loc - self._slack, self.dtype)


class VectorDeterministic(_Point):
    """The distribution of a vector that is always `loc`, of shape [..., k]. Arguments as for `Deterministic`."""

    def __init__(
        self,
        loc: TensorLike,
        atol: Any = None,
        rtol: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDeterministic",
    ) -> None:
        self._begin(dict(locals()), vector=True)

    def _batch_shape_tensor(self) -> Tensor:
        return shape_internal(self._loc)[:-1]

    def _batch_shape(self) -> TensorShape:
        return self._loc.get_shape()[:-1]

    def _event_shape_tensor(self) -> Tensor:
        return shape_internal(self._loc)[-1:]

    def _event_shape(self) -> TensorShape:
        return self._loc.get_shape()[-1:]

    def _prob(self, x: Tensor) -> Tensor:
        if self.validate_args:
            message = "Argument 'x' not defined in the same space R^k as this distribution"
            with control_dependencies([assert_rank_at_least(x, 1)]):
                fits = assert_equal(self.event_shape_tensor(), shape_internal(x)[-1:], message=message)
            x = with_dependencies([fits], x)
        return cast(reduce_all(raw.Abs(x - self._loc) <= self._slack, axis=-1), self.dtype)


class QuantizedDistribution(Distribution):
    """The distribution of another one's samples rounded up to whole numbers: P(Y = y) = P(X <= y) - P(X <= y - 1).

    Args:
        distribution: the other one, over numbers.
        low, high: floating tensors of whole numbers, the bounds where what lies beyond is collected; None for none.
        validate_args, name: as for `Distribution`.

    Raises:
        TypeError: if the types differ.
    """

    def __init__(
        self,
        distribution: Distribution,
        low: float | None = None,
        high: float | None = None,
        validate_args: bool = False,
        name: str = "QuantizedDistribution",
    ) -> None:
        arguments = dict(locals())
        self._dist = distribution
        self._validate_args = validate_args
        with name_scope(name, values=[*distribution.parameters.values(), low, high]) as scope:
            bounds = [
                None if bound is None else convert_to_tensor(bound, name=key)
                for key, bound in (("low", low), ("high", high))
            ]
            given = [bound for bound in bounds if bound is not None]
            assert_same_float_dtype(given, dtype=distribution.dtype)
            checks = []
            if validate_args and len(given) == 2:
                checks = [assert_less(given[0], given[1], message="low must be strictly less than high.")]
            with control_dependencies(checks):
                self._low, self._high = (None if bound is None else self._checked_integer(bound) for bound in bounds)
        super().__init__(
            distribution.dtype,
            NOT_REPARAMETERIZED,
            validate_args,
            distribution.allow_nan_stats,
            arguments,
            [*distribution._graph_parents, *(bound for bound in (self._low, self._high) if bound is not None)],
            scope,
        )

    def _checked_integer(self, value: Tensor) -> Tensor:
        with name_scope("check_integer", values=[value]):
            value = convert_to_tensor(value, name="value")
            return with_dependencies([assert_integer_form(value)], value) if self._validate_args else value

    @property
    def distribution(self) -> Distribution:
        """The distribution that is rounded."""
        return self._dist

    @property
    def low(self) -> Tensor | None:
        """The least value."""
        return self._low

    @property
    def high(self) -> Tensor | None:
        """The greatest value."""
        return self._high

    def _batch_shape_tensor(self) -> Tensor:
        return self._dist.batch_shape_tensor()

    def _batch_shape(self) -> TensorShape:
        return self._dist.batch_shape

    def _event_shape_tensor(self) -> Tensor:
        return self._dist.event_shape_tensor()

    def _event_shape(self) -> TensorShape:
        return self._dist.event_shape

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        with name_scope("transform"):
            result = raw.Ceil(self._dist.sample(convert_to_tensor(n, name="n"), seed=seed))
            if self._low is not None:
                result = raw.Maximum(result, self._low)
            return result if self._high is None else raw.Minimum(result, self._high)

    def _bounded(self, of_number: Callable[..., Any], number: Tensor, below: float, above: float) -> Tensor:
        """A function at a whole number, and what it is outside of the bounds."""
        result = of_number(number)
        number = number + composing.zeros_like(result)
        if self._low is not None:
            result = where_v2(number < self._low, composing.zeros_like(result) + below, result)
        if self._high is not None:
            result = where_v2(number >= self._high, composing.zeros_like(result) + above, result)
        return result

    def _log_cdf(self, y: Tensor) -> Tensor:
        return self._bounded(self._dist.log_cdf, raw.Floor(y), -np.inf, 0.0)

    def _cdf(self, y: Tensor) -> Tensor:
        return self._bounded(self._dist.cdf, raw.Floor(y), 0.0, 1.0)

    def _log_survival_function(self, y: Tensor) -> Tensor:
        # 1.15 takes the whole number above here.
        return self._bounded(self._dist.log_survival_function, raw.Ceil(y), 0.0, -np.inf)

    def _survival_function(self, y: Tensor) -> Tensor:
        return self._bounded(self._dist.survival_function, raw.Ceil(y), 1.0, 0.0)

    def _prob(self, y: Tensor) -> Tensor:
        y = self._checked_integer(y)
        at, before = self.cdf(y), self.cdf(y - 1)
        try:
            above, from_here = self.survival_function(y), self.survival_function(y - 1)
        except NotImplementedError:
            return at - before
        # The smaller of the two tails has more digits.
        return where_v2(above < at, from_here - above, at - before)

    def _log_prob(self, y: Tensor) -> Tensor:
        y = self._checked_integer(y)
        big, small = self.log_cdf(y), self.log_cdf(y - 1)
        try:
            above, from_here = self.log_survival_function(y), self.log_survival_function(y - 1)
        except NotImplementedError:
            pass
        else:
            upper = above < big
            big, small = where_v2(upper, from_here, big), where_v2(upper, above, small)
        return raw.Log(1.0 - raw.Exp(small - big)) + big
