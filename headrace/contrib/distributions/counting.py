"""Distributions of counts and of one-hot vectors, and their relaxations."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.contrib.distributions.elementwise import Logistic
from headrace.contrib.distributions.elementwise_bijectors import Exp, Sigmoid
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import as_dtype, int32
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.distributions.base import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    ReparameterizationType,
)
from headrace.distributions.common import (
    assert_integer_form,
    embed_check_nonnegative_integer_form,
    gen_new_seed,
    get_logits_and_probs,
    scalar_event,
)
from headrace.distributions.divergence import RegisterKL
from headrace.distributions.transformed import TransformedDistribution
from headrace.ops import composing
from headrace.ops.array.constant import constant
from headrace.ops.array.identity import identity
from headrace.ops.array.shape import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    rank_internal,
    reshape,
    shape_internal,
)
from headrace.ops.array.transpose import transpose
from headrace.ops.array.where import one_hot, where_v2
from headrace.ops.flow.checks import (
    assert_less,
    assert_less_equal,
    assert_near,
    assert_non_negative,
    assert_non_positive,
    assert_positive,
)
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast
from headrace.ops.math.division import div
from headrace.ops.math.matmul import matmul
from headrace.ops.math.reduction import reduce_logsumexp, reduce_sum
from headrace.ops.math.special import betainc
from headrace.ops.math.unary import log_sigmoid, sigmoid
from headrace.ops.nn.activations import softplus
from headrace.ops.nn.cross_entropy import softmax_cross_entropy_with_logits
from headrace.ops.nn.softmax import log_softmax, softmax
from headrace.ops.random.sampling import multinomial, random_gamma, random_poisson
from headrace.ops.random.uniform import random_uniform


class _WithOdds(Distribution):
    """The base of these: probabilities, given as such or as logits."""

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

    def _whole(self, x: Tensor) -> Tensor:
        """`x`, checked to be whole numbers that are not negative."""
        return embed_check_nonnegative_integer_form(x) if self.validate_args else x


class _Counts(_WithOdds):
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
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
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

    def _whole(self, x: Tensor) -> Tensor:
        if not self.validate_args:
            return x
        message = "counts are not less than or equal to n."
        x = super()._whole(x)
        return with_dependencies([assert_less_equal(x, self._total_count, message=message)], x)

    def _log_prob(self, counts: Tensor) -> Tensor:
        given, n = counts, self._total_count
        counts = self._whole(given)
        ordered = counts * raw.Log(self._probs) + (n - counts) * raw.Log1p(-self._probs)
        counts = self._whole(given)
        return ordered - (raw.Lgamma(1.0 + n - counts) + raw.Lgamma(1.0 + counts) - raw.Lgamma(1.0 + n))

    def _cdf(self, counts: Tensor) -> Tensor:
        counts = self._whole(counts)
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
        total_count: Any,
        logits: Any = None,
        probs: Any = None,
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

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        # A Poisson distribution whose rate is drawn from a gamma distribution.
        rate = random_gamma([n], self._total_count, raw.Exp(-self._logits), dtype=self.dtype, seed=seed)
        return random_poisson(rate, [], dtype=self.dtype, seed=gen_new_seed(seed, "negative_binom"))

    def _cdf(self, x: Tensor) -> Tensor:
        return betainc(self._total_count, 1.0 + self._whole(x), sigmoid(-self._logits))

    def _log_prob(self, x: Tensor) -> Tensor:
        given, n = x, self._total_count
        x = self._whole(given)
        ordered = n * log_sigmoid(-self._logits) + x * log_sigmoid(self._logits)
        x = self._whole(given)
        return ordered - (-raw.Lgamma(n + x) + raw.Lgamma(1.0 + x) + raw.Lgamma(n))

    def _mean(self) -> Tensor:
        return self._total_count * raw.Exp(self._logits)

    def _mode(self) -> Tensor:
        n = self._total_count
        return raw.Floor(where_v2(n > 1.0, n - 1.0, composing.zeros_like(n)) * raw.Exp(self._logits))

    def _variance(self) -> Tensor:
        return self._mean() / sigmoid(-self._logits)


class Geometric(_WithOdds):
    """The distribution of how many failures come before the first success.

    Args:
        logits, probs: of a success, as for `Bernoulli`.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
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

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        shape = composing.concat([[n], shape_internal(self._probs)], 0)
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        drawn = random_uniform(shape, least, 1.0, self.dtype, seed=seed)
        return raw.Floor(raw.Log(drawn) / raw.Log1p(-self._probs))

    def _beside(self, x: Tensor) -> Tensor:
        x = self._whole(x) if self.validate_args else raw.Floor(x)
        return x * composing.ones_like(self._probs)

    def _cdf(self, x: Tensor) -> Tensor:
        x = self._beside(x)
        negative, nothing = x < 0.0, composing.zeros_like(x)
        below = -raw.Expm1((1.0 + x) * raw.Log1p(-self._probs))
        return raw.Select(negative, nothing, below)

    def _log_prob(self, x: Tensor) -> Tensor:
        x = self._beside(x)
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


class _OneHot(_WithOdds):
    """Those over vectors with one element for each class."""

    def _begin(
        self,
        arguments: dict[str, Any],
        scope: str,
        dtype: Any,
        parents: list[Tensor],
        reparameterized: ReparameterizationType,
    ) -> None:
        rank = self._logits.get_shape().with_rank_at_least(1).ndims
        if rank is None:
            with name_scope("batch_rank"):
                self._batch_rank = rank_internal(self._logits) - 1
        else:
            self._batch_rank = convert_to_tensor(rank - 1, "int32", name="batch_rank")
        with name_scope("event_size"):
            self._event_size = shape_internal(self._logits)[-1]
        Distribution.__init__(
            self,
            as_dtype(dtype),
            reparameterized,
            arguments["validate_args"],
            arguments["allow_nan_stats"],
            arguments,
            parents,
            scope,
        )

    @property
    def event_size(self) -> Tensor:
        """How many classes there are, an int32 scalar."""
        return self._event_size

    def _batch_shape_tensor(self) -> Tensor:
        return shape_internal(self._logits)[:-1]

    def _batch_shape(self) -> TensorShape:
        return self._logits.get_shape()[:-1]

    def _event_shape_tensor(self) -> Tensor:
        return shape_internal(self._logits)[-1:]

    def _event_shape(self) -> TensorShape:
        return self._logits.get_shape().with_rank_at_least(1)[-1:]

    def _rows(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Values and logits broadcast against each other, as rows of matrices, and the shape of a number for each."""
        logits = self._logits
        fixed = x.get_shape().is_fully_defined() and logits.get_shape().is_fully_defined()
        if not fixed or x.get_shape() != logits.get_shape():
            logits = composing.ones_like(x, dtype=logits.dtype) * logits
            x = composing.ones_like(logits, dtype=x.dtype) * x
        shape = shape_internal(reduce_sum(logits, -1))
        return reshape(x, [-1, self._event_size]), reshape(logits, [-1, self._event_size]), shape

    def _checked_logs(self, x: Tensor) -> Tensor:
        """`x`, checked to be logarithms of probabilities."""
        if not self.validate_args:
            return x
        negative = assert_non_positive(x)
        whole = assert_near(composing.zeros([], dtype=self.dtype), reduce_logsumexp(x, axis=[-1]))
        return with_dependencies([negative, whole], x)


class OneHotCategorical(_OneHot):
    """The distribution of one-hot vectors. Arguments as for `Categorical`."""

    def __init__(
        self,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "OneHotCategorical",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[logits, probs]) as scope:
            self._logits, self._probs = get_logits_and_probs(logits, probs, True, validate_args, scope)
            self._begin(arguments, scope, dtype, [self._logits, self._probs], NOT_REPARAMETERIZED)

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        shape = composing.concat([[n], shape_internal(self._logits)], 0)
        rows = self._logits
        if rows.get_shape().ndims != 2:
            rows = reshape(rows, [-1, self._event_size])
        drawn = transpose(multinomial(rows, n, seed=seed))
        return reshape(one_hot(drawn, self._event_size, dtype=self.dtype), shape)

    def _log_prob(self, x: Tensor) -> Tensor:
        rows, logits, shape = self._rows(self._checked_logs(x))
        return reshape(-softmax_cross_entropy_with_logits(labels=rows, logits=logits), shape)

    def _entropy(self) -> Tensor:
        return -reduce_sum(log_softmax(self._logits) * self._probs, axis=-1)

    def _mode(self) -> Tensor:
        mode = one_hot(raw.ArgMax(self._logits, self._batch_rank), self._event_size, dtype=self.dtype)
        mode.set_shape(self._logits.get_shape())
        return mode

    def _covariance(self) -> Tensor:
        outer = matmul(self._probs[..., None], self._probs[..., None, :])
        return raw.MatrixSetDiag(-outer, self._variance(), name="set_diag")

    def _variance(self) -> Tensor:
        return self._probs * (1.0 - self._probs)


@RegisterKL(OneHotCategorical, OneHotCategorical)
def _one_hot_from_one_hot(a: OneHotCategorical, b: OneHotCategorical, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_categorical_categorical", values=[a.logits, b.logits]):
        return reduce_sum(softmax(a.logits) * (log_softmax(a.logits) - log_softmax(b.logits)), axis=-1)


class ExpRelaxedOneHotCategorical(_OneHot):
    """The distribution of the logarithms of vectors that are one-hot in the limit of temperature 0.

    Maddison, Mnih and Teh, "The Concrete Distribution" (2016).

    Args:
        temperature: floating scalar (or a number for each distribution), above 0.
        logits, probs: as for `Categorical`.
        dtype: the type of the samples, that of `logits` by default.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExpRelaxedOneHotCategorical",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[logits, probs, temperature]) as scope:
            self._logits, self._probs = get_logits_and_probs(logits, probs, True, validate_args, scope)
            if dtype is None:
                dtype = self._logits.dtype
                if not validate_args:
                    temperature = cast(temperature, dtype)
            with control_dependencies([assert_positive(temperature)] if validate_args else []):
                self._temperature = identity(temperature, name="temperature")
                self._column = reshape(temperature, [-1, 1], name="temperature_2d")
            parents = [self._logits, self._probs, self._temperature]
            self._begin(arguments, scope, dtype, parents, FULLY_REPARAMETERIZED)

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self._temperature

    def _sample_n(self, n: Any, seed: int | None = None) -> Tensor:
        shape = composing.concat([[n], shape_internal(self._logits)], 0)
        rows = reshape(self._logits * composing.ones(shape, dtype=self.dtype), [-1, self._event_size])
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        uniform = random_uniform(shape_internal(rows), least, 1.0, self.dtype, seed=seed)
        gumbel = -raw.Log(-raw.Log(uniform))
        return reshape(log_softmax(div(gumbel + rows, self._column)), shape)

    def _log_prob(self, x: Tensor) -> Tensor:
        rows, logits, shape = self._rows(self._checked_logs(x))
        count = cast(self._event_size, rows.dtype)
        constant = raw.Lgamma(count) + (count - 1.0) * raw.Log(self._temperature)
        return reshape(constant + reduce_sum(log_softmax(logits - rows * self._column), [-1]), shape)


class RelaxedOneHotCategorical(TransformedDistribution):
    """The distribution of vectors of probabilities that are one-hot in the limit of temperature 0.

    Arguments as for `ExpRelaxedOneHotCategorical`.

    Example:
        >>> tf.contrib.distributions.RelaxedOneHotCategorical(0.5, logits=[1.0, 2.0, 3.0]).sample(seed=1)
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        dtype: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedOneHotCategorical",
    ) -> None:
        logs = ExpRelaxedOneHotCategorical(temperature, logits, probs, dtype, validate_args, allow_nan_stats)
        super().__init__(logs, Exp(), name=name)

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self._distribution.temperature  # type: ignore[attr-defined]

    @property
    def event_size(self) -> Tensor:
        """How many classes there are."""
        return self._distribution.event_size  # type: ignore[attr-defined]

    @property
    def logits(self) -> Tensor:
        """Log-probabilities, up to a constant."""
        return self._distribution.logits  # type: ignore[attr-defined]

    @property
    def probs(self) -> Tensor:
        """The probabilities."""
        return self._distribution.probs  # type: ignore[attr-defined]


class RelaxedBernoulli(TransformedDistribution):
    """The distribution of numbers between 0 and 1 that are 0 or 1 in the limit of temperature 0.

    Args:
        temperature: floating tensor, above 0.
        logits, probs: as for `Bernoulli`.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        temperature: Any,
        logits: Any = None,
        probs: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedBernoulli",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[logits, probs, temperature]) as scope:
            with control_dependencies([assert_positive(temperature)] if validate_args else []):
                self._temperature = identity(temperature, name="temperature")
            self._logits, self._probs = get_logits_and_probs(logits, probs, validate_args=validate_args)
            super().__init__(
                Logistic(
                    self._logits / self._temperature,
                    1.0 / self._temperature,
                    validate_args=validate_args,
                    allow_nan_stats=allow_nan_stats,
                    name=f"{scope}/Logistic",  # TensorFlow has two slashes
                ),
                Sigmoid(validate_args=validate_args),
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = arguments

    @property
    def temperature(self) -> Tensor:
        """The temperature."""
        return self._temperature

    @property
    def logits(self) -> Tensor:
        """The log-odds of 1."""
        return self._logits

    @property
    def probs(self) -> Tensor:
        """The probabilities of 1."""
        return self._probs
