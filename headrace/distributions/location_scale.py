"""More distributions of single numbers.

Densities, distribution functions and moments: Johnson, Kotz and Balakrishnan, "Continuous univariate distributions",
volume 1 (1994), chapters 13, 16 and 17, and volume 2 (1995), chapter 23; of Poisson's distribution: Johnson, Kemp and
Kotz, "Univariate discrete distributions" (2005), chapter 4. Entropies: Cover and Thomas, "Elements of information
theory" (2006), table 17.1; half a normal distribution has log 2 less than the whole, and 1 / x has that of x less the
mean of 2 log x.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distributions.base import NOT_REPARAMETERIZED, Distribution
from headrace.distributions.elementwise import Elementwise, LocationScale
from headrace.distributions.gamma import Gamma
from headrace.distributions.parameters import embed_check_nonnegative_integer_form, nans
from headrace.distributions.special import erfinv
from headrace.functions.flow.checks import assert_less, assert_positive
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.ops.array.constant import constant
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.special import igammac
from headrace.ops.math.unary import sigmoid
from headrace.ops.nn.activations import softplus
from headrace.ops.random.normal import random_normal
from headrace.ops.random.sampling import random_gamma, random_poisson
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _uniform(distribution: Elementwise, n: Any, seed: int | None, least: float | None = None) -> Tensor:
    """Numbers of (0, 1), 0 left out unless `least` says so."""
    low = np.finfo(distribution.dtype.as_numpy_dtype).tiny if least is None else least
    return random_uniform(distribution._sample_dims(n), low, 1.0, distribution.dtype, seed=seed)


class Cauchy(LocationScale):
    """The Cauchy distribution. Arguments as for `Normal`; mean and variance are NaN."""

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Cauchy",
    ) -> None:
        self._begin(dict(locals()), positive=("scale",))

    def _sample_n(self, n: Tensor | np.integer[Any], seed: int | None = None) -> Tensor:
        return self._quantile(_uniform(self, n, seed, 0.0))

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        return -raw.Log1p(raw.Square(self._z(x)))

    def _log_normalization(self) -> Tensor:
        return np.log(np.pi) + raw.Log(self._scale)

    def _cdf(self, x: Tensor) -> Tensor:
        return raw.Atan(self._z(x)) / np.pi + 0.5

    def _log_cdf(self, x: Tensor) -> Tensor:
        return raw.Log1p(2 / np.pi * raw.Atan(self._z(x))) - np.log(2)

    def _quantile(self, p: Tensor) -> Tensor:
        return self._loc + self._scale * raw.Tan(np.pi * (p - 0.5))

    def _entropy(self) -> Tensor:
        entropy = np.log(4 * np.pi) + raw.Log(self._scale)
        return entropy * composing.ones_like(self._loc)

    def _mode(self) -> Tensor:
        return self._loc * composing.ones_like(self._scale)

    def _undefined(self, what: str) -> Tensor:
        if self.allow_nan_stats:
            return raw.Fill(self.batch_shape_tensor(), self.dtype.as_numpy_dtype(np.nan))
        raise ValueError(f"`{what}` is undefined for Cauchy distribution.")

    def _mean(self) -> Tensor:
        return self._undefined("mean")

    def _stddev(self) -> Tensor:
        return self._undefined("stddev")


class Logistic(LocationScale):
    """The logistic distribution. Arguments as for `Normal`."""

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Logistic",
    ) -> None:
        self._begin(dict(locals()), positive=("scale",))

    def _sample_n(self, n: Tensor | np.integer[Any], seed: int | None = None) -> Tensor:
        drawn = _uniform(self, n, seed)
        return (raw.Log(drawn) - raw.Log1p(-1 * drawn)) * self._scale + self._loc

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        z = self._z(x)
        return -z - 2.0 * softplus(-z)

    def _log_cdf(self, x: Tensor) -> Tensor:
        return -softplus(-self._z(x))

    def _cdf(self, x: Tensor) -> Tensor:
        return sigmoid(self._z(x))

    def _log_survival_function(self, x: Tensor) -> Tensor:
        return -softplus(self._z(x))

    def _survival_function(self, x: Tensor) -> Tensor:
        return sigmoid(-self._z(x))

    def _entropy(self) -> Tensor:
        return 2 + raw.Log(self._broadcast(self._scale, self._loc))

    def _stddev(self) -> Tensor:
        return self._broadcast(self._scale, self._loc) * math.pi / math.sqrt(3)


class HalfNormal(Elementwise):
    """The distribution of the absolute value of a normal number of mean 0 and deviation `scale`."""

    _names = ("scale",)
    _scale: Tensor

    def __init__(
        self, scale: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "HalfNormal"
    ) -> None:
        self._begin(dict(locals()), positive=("scale",))

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        drawn = random_normal(self._sample_dims(n), mean=0.0, stddev=1.0, dtype=self.dtype, seed=seed)
        return raw.Abs(drawn * self._scale)

    def _prob(self, x: Tensor) -> Tensor:
        factor = np.sqrt(2) / self._scale / np.sqrt(np.pi)
        density = factor * raw.Exp(-0.5 * (x / self._scale) ** 2)
        return density * composing.cast(x >= 0, self.dtype)

    def _cdf(self, x: Tensor) -> Tensor:
        return raw.Erf(raw.Relu(x) / self._scale / np.sqrt(2.0))

    def _quantile(self, p: Tensor) -> Tensor:
        return np.sqrt(2.0) * self._scale * erfinv(p)

    def _entropy(self) -> Tensor:
        return 0.5 * raw.Log(np.pi * self._scale**2.0 / 2.0) + 0.5

    def _mean(self) -> Tensor:
        return self._scale * np.sqrt(2.0) / np.sqrt(np.pi)

    def _mode(self) -> Tensor:
        return composing.zeros(self.batch_shape_tensor(), dtype=self.dtype)

    def _variance(self) -> Tensor:
        return self._scale**2.0 * (1.0 - 2.0 / np.pi)


class InverseGamma(Gamma):
    """The distribution of 1 / x for x of a gamma distribution. Arguments as for `Gamma`."""

    _names = ("concentration", "rate")

    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGamma",
    ) -> None:
        self._begin(dict(locals()), positive=("concentration", "rate"), reparameterized=NOT_REPARAMETERIZED)

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        return 1.0 / random_gamma([n], self._concentration, self._rate, dtype=self.dtype, seed=seed)

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        x = self._checked(x)
        return -(1.0 + self._concentration) * raw.Log(x) - self._rate / x

    def _cdf(self, x: Tensor) -> Tensor:
        return igammac(self._concentration, self._rate / self._checked(x))

    def _entropy(self) -> Tensor:
        a = self._concentration
        return a + raw.Log(self._rate) + raw.Lgamma(a) - (1.0 + a) * raw.Digamma(a)

    def _mean(self) -> Tensor:
        mean = self._rate / (self._concentration - 1.0)
        return self._defined_above(1.0, mean, "mean")

    def _variance(self) -> Tensor:
        a = self._concentration
        variance = raw.Square(self._rate) / raw.SquaredDifference(a, 1.0) / (a - 2.0)
        return self._defined_above(2.0, variance, "variance")

    def _defined_above(self, bound: float, value: Tensor, what: str) -> Tensor:
        if self.allow_nan_stats:
            nan = nans(self.batch_shape_tensor(), self.dtype)
            return where_v2(self._concentration > bound, value, nan)
        least = composing.ones([], self.dtype) if bound == 1.0 else constant(bound, dtype=self.dtype)
        message = f"{what} undefined when any concentration <= {bound:g}"
        return with_dependencies([assert_less(least, self._concentration, message=message)], value)

    def _stddev(self) -> Tensor:
        return raw.Sqrt(self._variance())

    def _mode(self) -> Tensor:
        return self._rate / (1.0 + self._concentration)


class Poisson(Elementwise):
    """The Poisson distribution.

    Args:
        rate: floating tensor, the mean.
        log_rate: its logarithm; one of the two is given.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: unless exactly one of the two is given.
    """

    _names = ("rate",)
    _rate: Tensor

    def __init__(
        self,
        rate: TensorLike | None = None,
        log_rate: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        arguments = {key: value for key, value in locals().items() if key not in ("self", "__class__")}
        with name_scope(name, values=[rate]) as scope:
            if (rate is None) == (log_rate is None):
                raise ValueError("Must specify exactly one of `rate` and `log_rate`.")
            which = "rate" if log_rate is None else "log_rate"
            given = convert_to_tensor(rate if log_rate is None else log_rate, name=which)
            if not given.dtype.is_floating:
                raise TypeError(f"{which}.dtype ({given.dtype.name}) is a not a float-type.")
            if log_rate is None:
                with control_dependencies([assert_positive(given)] if validate_args else []):
                    self._rate = identity(given, name="rate")
                    self._log_rate = raw.Log(given, name="log_rate")
            else:
                self._rate, self._log_rate = raw.Exp(given, name="rate"), given
        Distribution.__init__(
            self,
            dtype=self._rate.dtype,
            reparameterization_type=NOT_REPARAMETERIZED,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            parameters=arguments,
            graph_parents=[self._rate],
            name=scope,
        )

    @property
    def log_rate(self) -> Tensor:
        """The logarithm of the rate."""
        return self._log_rate

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        return random_poisson(self._rate, [n], dtype=self.dtype, seed=seed)

    def _counted(self, x: Tensor) -> Tensor:
        """`x`, which is to be whole and not negative where arguments are checked."""
        return embed_check_nonnegative_integer_form(x) if self.validate_args else x

    def _log_prob(self, x: Tensor) -> Tensor:
        x = self._counted(x)
        return x * self._log_rate - raw.Lgamma(1.0 + x) - self._rate

    def _cdf(self, x: Tensor) -> Tensor:
        return igammac(1.0 + self._counted(x), self._rate)

    def _log_cdf(self, x: Tensor) -> Tensor:
        return raw.Log(self.cdf(x))

    def _mean(self) -> Tensor:
        return identity(self._rate)

    def _variance(self) -> Tensor:
        return identity(self._rate)

    def _mode(self) -> Tensor:
        return raw.Floor(self._rate)
