"""Distributions of counts.

Johnson, Kemp and Kotz, "Univariate discrete distributions" (2005), chapters 3 (binomial) and 5 (negative binomial,
geometric).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.distributions.base import NOT_REPARAMETERIZED, Distribution
from headrace.distributions.parameters import (
    assert_integer_form,
    embed_check_nonnegative_integer_form,
    gen_new_seed,
    get_logits_and_probs,
    scalar_event,
)
from headrace.functions.flow.checks import assert_less, assert_less_equal, assert_non_negative, assert_positive
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.special import betainc
from headrace.ops.math.unary import log_sigmoid, sigmoid
from headrace.ops.nn.activations import softplus
from headrace.ops.random.sampling import random_gamma, random_poisson
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class WithOdds(Distribution):
    """The base of distributions with probabilities, given as such or as logits."""

    _logits: Tensor
    _probs: Tensor

    @property
    def logits(self) -> Tensor:
        """The log-odds (for vectors: log-probabilities up to a constant)."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._probs

    def _event_shape_tensor(self) -> Tensor:
        return scalar_event()

    def _event_shape(self) -> TensorShape:
        return TensorShape([])

    def _checked_counts(self, x: Tensor) -> Tensor:
        """`x`, checked to be whole numbers that are not negative."""
        return embed_check_nonnegative_integer_form(x) if self.validate_args else x


class _Counts(WithOdds):
    """Those with a `total_count`."""

    _total_count: Tensor

    @property
    def total_count(self) -> Tensor:
        """The number of draws, or of failures to wait for."""
        return self._total_count

    def _batch_shape_tensor(self) -> Tensor:
        return broadcast_dynamic_shape(shape_internal(self._total_count), shape_internal(self._probs))

    def _batch_shape(self) -> TensorShape:
        return broadcast_static_shape(self._total_count.get_shape(), self._probs.get_shape())


class Binomial(_Counts):
    """The distribution of how often something of probability `probs` happens in `total_count` draws.

    Args:
        total_count: floating tensor, how many draws.
        logits, probs: as for `Bernoulli`.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: unless exactly one of `logits` and `probs` is given.

    Example:
        >>> tf.contrib.distributions.Binomial(total_count=4.0, probs=0.5).prob(2.0)  # 0.375
    """

    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Binomial",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as scope:
            count = convert_to_tensor(total_count, name="total_count")
            if validate_args:
                checks = [
                    assert_non_negative(count, message="total_count must be non-negative."),
                    assert_integer_form(count, message="total_count cannot contain fractional components."),
                ]
                count = with_dependencies(checks, count)
            self._total_count = count
            self._logits, self._probs = get_logits_and_probs(logits, probs, validate_args=validate_args, name=scope)
        parents = [self._total_count, self._logits, self._probs]
        dtype = self._probs.dtype
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, parents, scope)

    def _checked_counts(self, x: Tensor) -> Tensor:
        if not self.validate_args:
            return x
        message = "counts are not less than or equal to n."
        x = super()._checked_counts(x)
        return with_dependencies([assert_less_equal(x, self._total_count, message=message)], x)

    def _log_prob(self, counts: Tensor) -> Tensor:
        given, n = counts, self._total_count
        counts = self._checked_counts(given)
        ordered = counts * raw.Log(self._probs) + (n - counts) * raw.Log1p(-self._probs)
        counts = self._checked_counts(given)
        return ordered - (raw.Lgamma(1.0 + n - counts) + raw.Lgamma(1.0 + counts) - raw.Lgamma(1.0 + n))

    def _cdf(self, counts: Tensor) -> Tensor:
        counts = self._checked_counts(counts)
        probs, n = self._probs, self._total_count
        shapes = counts.get_shape(), probs.get_shape()
        if not (all(shape.is_fully_defined() for shape in shapes) and shapes[0].is_compatible_with(shapes[1])):
            probs = probs + composing.zeros_like(counts)
            counts = counts + composing.zeros_like(self._probs)
        ones = composing.ones_like(n - counts)
        all_of_them = raw.Equal(counts, n)
        others = where_v2(all_of_them, ones, n - counts)
        return where_v2(all_of_them, ones, betainc(others, counts + 1, 1 - probs))

    def _mean(self) -> Tensor:
        return self._total_count * self._probs

    def _variance(self) -> Tensor:
        return self._mean() * (1.0 - self._probs)

    def _mode(self) -> Tensor:
        return raw.Floor((1.0 + self._total_count) * self._probs)


class NegativeBinomial(_Counts):
    """The distribution of how many successes come before `total_count` failures.

    Args:
        total_count: floating tensor, how many failures.
        logits, probs: of a success, as for `Bernoulli`.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NegativeBinomial",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[total_count, logits, probs]) as scope:
            self._logits, self._probs = get_logits_and_probs(logits, probs, validate_args=validate_args, name=scope)
            with control_dependencies([assert_positive(total_count)] if validate_args else []):
                self._total_count = identity(total_count)
        parents = [self._total_count, self._probs, self._logits]
        dtype = self._probs.dtype
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, parents, scope)

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        # A Poisson distribution whose rate is drawn from a gamma distribution.
        rate = random_gamma([n], self._total_count, raw.Exp(-self._logits), dtype=self.dtype, seed=seed)
        return random_poisson(rate, [], dtype=self.dtype, seed=gen_new_seed(seed, "negative_binom"))

    def _cdf(self, x: Tensor) -> Tensor:
        return betainc(self._total_count, 1.0 + self._checked_counts(x), sigmoid(-self._logits))

    def _log_prob(self, x: Tensor) -> Tensor:
        given, n = x, self._total_count
        x = self._checked_counts(given)
        ordered = n * log_sigmoid(-self._logits) + x * log_sigmoid(self._logits)
        x = self._checked_counts(given)
        return ordered - (-raw.Lgamma(n + x) + raw.Lgamma(1.0 + x) + raw.Lgamma(n))

    def _mean(self) -> Tensor:
        return self._total_count * raw.Exp(self._logits)

    def _mode(self) -> Tensor:
        n = self._total_count
        return raw.Floor(where_v2(n > 1.0, n - 1.0, composing.zeros_like(n)) * raw.Exp(self._logits))

    def _variance(self) -> Tensor:
        return self._mean() / sigmoid(-self._logits)


class Geometric(WithOdds):
    """The distribution of how many failures come before the first success.

    Args:
        logits, probs: of a success, as for `Bernoulli`.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Geometric",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[logits, probs]) as scope:
            self._logits, self._probs = get_logits_and_probs(logits, probs, validate_args=validate_args, name=scope)
            with control_dependencies([assert_positive(self._probs)] if validate_args else []):
                self._probs = identity(self._probs, name="probs")
        parents = [self._probs, self._logits]
        dtype = self._probs.dtype
        super().__init__(dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats, arguments, parents, scope)

    def _batch_shape_tensor(self) -> Tensor:
        return shape_internal(self._probs)

    def _batch_shape(self) -> TensorShape:
        return self._probs.get_shape()

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        shape = composing.concat([[n], shape_internal(self._probs)], 0)
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        drawn = random_uniform(shape, least, 1.0, self.dtype, seed=seed)
        return raw.Floor(raw.Log(drawn) / raw.Log1p(-self._probs))

    def _broadcast(self, x: Tensor) -> Tensor:
        x = self._checked_counts(x) if self.validate_args else raw.Floor(x)
        return x * composing.ones_like(self._probs)

    def _cdf(self, x: Tensor) -> Tensor:
        x = self._broadcast(x)
        negative, nothing = x < 0.0, composing.zeros_like(x)
        below = -raw.Expm1((1.0 + x) * raw.Log1p(-self._probs))
        return raw.Select(negative, nothing, below)

    def _log_prob(self, x: Tensor) -> Tensor:
        x = self._broadcast(x)
        probs = self._probs * composing.ones_like(x)
        # 0 log(1 - probs) is 0 even for a probability of 1.
        failing = raw.Select(raw.Equal(x, 0.0), composing.zeros_like(probs), probs)
        return x * raw.Log1p(-failing) + raw.Log(probs)

    def _entropy(self) -> Tensor:
        probs = self._probs
        if self.validate_args:
            one = constant(1.0, probs.dtype)
            message = "Entropy is undefined when logits = inf or probs = 1."
            probs = with_dependencies([assert_less(probs, one, message=message)], probs)
        return softplus(self._logits) / probs - self._logits

    def _mean(self) -> Tensor:
        return raw.Exp(-self._logits)

    def _variance(self) -> Tensor:
        return self._mean() / self._probs

    def _mode(self) -> Tensor:
        return composing.zeros(self.batch_shape_tensor(), dtype=self.dtype)
