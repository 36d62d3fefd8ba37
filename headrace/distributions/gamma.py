"""The gamma distribution and its relatives: exponential, beta, Dirichlet.

Densities, distribution functions and moments: Johnson, Kotz and Balakrishnan, "Continuous univariate distributions",
volume 1 (1994), chapters 17 and 19, and volume 2 (1995), chapter 25; Kotz, Balakrishnan and Johnson, "Continuous
multivariate distributions", volume 1 (2000), chapter 49. Entropies: Cover and Thomas, "Elements of information theory"
(2006), table 17.1; Bishop, "Pattern recognition and machine learning" (2006), appendix B. Divergences: Gil,
Alajaji and Linder, "Rényi divergence measures for commonly used univariate continuous distributions", Information
Sciences 249 (2013).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.distributions.base import FULLY_REPARAMETERIZED, Distribution
from headrace.distributions.divergence import RegisterKL
from headrace.distributions.elementwise import Elementwise
from headrace.distributions.parameters import gen_new_seed, nans
from headrace.functions.flow.checks import assert_less, assert_near, assert_positive, assert_same_float_dtype
from headrace.functions.flow.rank_checks import assert_rank_at_least
from headrace.functions.math.reduction import reduce_all, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast
from headrace.ops.math.special import betainc, igamma, lbeta, xlogy
from headrace.ops.nn.activations import softplus
from headrace.ops.random.sampling import random_gamma
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_POSITIVE = "Concentration parameter must be positive."


class Gamma(Elementwise):
    """The gamma distribution.

    Args:
        concentration: floating tensor, the shape parameter.
        rate: floating tensor, the inverse scale.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Example:
        >>> tf.distributions.Gamma(concentration=3.0, rate=2.0).mean()  # 1.5
    """

    _names = ("concentration", "rate")
    _concentration: Tensor
    _rate: Tensor

    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        self._begin(dict(locals()), positive=("concentration", "rate"))

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        return random_gamma([n], self._concentration, self._rate, dtype=self.dtype, seed=seed)

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        x = self._checked(x)
        return xlogy(self._concentration - 1.0, x) - self._rate * x

    def _log_normalization(self) -> Tensor:
        return raw.Lgamma(self._concentration) - self._concentration * raw.Log(self._rate)

    def _cdf(self, x: Tensor) -> Tensor:
        return igamma(self._concentration, self._rate * self._checked(x))

    def _entropy(self) -> Tensor:
        a = self._concentration
        return a - raw.Log(self._rate) + raw.Lgamma(a) + (1.0 - a) * raw.Digamma(a)

    def _mean(self) -> Tensor:
        return self._concentration / self._rate

    def _variance(self) -> Tensor:
        return self._concentration / raw.Square(self._rate)

    def _stddev(self) -> Tensor:
        return raw.Sqrt(self._concentration) / self._rate

    def _mode(self) -> Tensor:
        mode = (self._concentration - 1.0) / self._rate
        if self.allow_nan_stats:
            nan = nans(self.batch_shape_tensor(), self.dtype)
            return where_v2(self._concentration > 1.0, mode, nan)
        message = "mode not defined when any concentration <= 1"
        check = assert_less(composing.ones([], self.dtype), self._concentration, message=message)
        return with_dependencies([check], mode)

    def _checked(self, x: Tensor) -> Tensor:
        assert_same_float_dtype([x], self.dtype)
        return with_dependencies([assert_positive(x)], x) if self.validate_args else x


class GammaWithSoftplusConcentrationRate(Gamma):
    """As `Gamma`, with softplus of both parameters."""

    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "GammaWithSoftplusConcentrationRate",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[concentration, rate]) as scope:
            a = softplus(concentration, name="softplus_concentration")
            super().__init__(a, softplus(rate, name="softplus_rate"), validate_args, allow_nan_stats, scope)
        self._parameters = arguments


@RegisterKL(Gamma, Gamma)
def _gamma_from_gamma(a: Gamma, b: Gamma, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_gamma_gamma", [a.concentration, a.rate, b.concentration, b.rate]):
        return (
            (a.concentration - b.concentration) * raw.Digamma(a.concentration)
            + raw.Lgamma(b.concentration)
            - raw.Lgamma(a.concentration)
            + b.concentration * raw.Log(a.rate)
            - b.concentration * raw.Log(b.rate)
            + a.concentration * (b.rate / a.rate - 1.0)
        )


class Exponential(Gamma):
    """The exponential distribution.

    Args:
        rate: floating tensor, the inverse of the mean.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self, rate: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Exponential"
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[rate]) as scope:
            rate = convert_to_tensor(rate, name="rate")
        super().__init__(composing.ones([], dtype=rate.dtype), rate, validate_args, allow_nan_stats, scope)
        self._graph_parents.append(self._rate)
        self._parameters = arguments

    def _log_survival_function(self, value: Tensor) -> Tensor:
        return self._log_prob(value) - raw.Log(self._rate)

    @classmethod
    def _param_shapes(cls, sample_shape: Sequence[int]) -> dict[str, Tensor]:
        return {"rate": convert_to_tensor(sample_shape, "int32")}

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        shape = composing.concat([[n], shape_internal(self._rate)], 0)
        # 0 would become infinite.
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        drawn = random_uniform(shape, least, 1.0, self.dtype, seed=seed)
        return -raw.Log(drawn) / self._rate


class ExponentialWithSoftplusRate(Exponential):
    """As `Exponential`, with `softplus(rate)`."""

    def __init__(
        self,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExponentialWithSoftplusRate",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[rate]) as scope:
            super().__init__(softplus(rate, name="softplus_rate"), validate_args, allow_nan_stats, scope)
        self._parameters = arguments


class Beta(Elementwise):
    """The beta distribution over (0, 1).

    Args:
        concentration1, concentration0: floating tensors, the parameters of x and of 1 - x.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    _names = ("concentration1", "concentration0")
    _concentration1: Tensor
    _concentration0: Tensor

    def __init__(
        self,
        concentration1: TensorLike | None = None,
        concentration0: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as scope:
            self._concentration1 = _checked_concentration(concentration1, "concentration1", validate_args)
            self._concentration0 = _checked_concentration(concentration0, "concentration0", validate_args)
            assert_same_float_dtype([self._concentration1, self._concentration0])
            self._total_concentration = self._concentration1 + self._concentration0
        Distribution.__init__(
            self,
            self._total_concentration.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            arguments,
            [self._concentration1, self._concentration0, self._total_concentration],
            scope,
        )

    @property
    def total_concentration(self) -> Tensor:
        """The sum of both."""
        return self._total_concentration

    def _batch_shape_tensor(self) -> Tensor:
        return composing.shape(self._total_concentration)

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        seeds = (seed, gen_new_seed(seed, "beta"))
        parts = [
            composing.ones_like(self._total_concentration, dtype=self.dtype) * part
            for part in (self._concentration1, self._concentration0)
        ]
        a, b = (random_gamma([n], part, dtype=self.dtype, seed=own) for part, own in zip(parts, seeds))
        return a / (a + b)

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        x = self._checked(x)
        return xlogy(self._concentration1 - 1.0, x) + (self._concentration0 - 1.0) * raw.Log1p(-x)

    def _log_normalization(self) -> Tensor:
        both = raw.Lgamma(self._concentration1) + raw.Lgamma(self._concentration0)
        return both - raw.Lgamma(self._total_concentration)

    def _cdf(self, x: Tensor) -> Tensor:
        return betainc(self._concentration1, self._concentration0, x)

    def _entropy(self) -> Tensor:
        a, b, total = self._concentration1, self._concentration0, self._total_concentration
        whole = self._log_normalization() - (a - 1.0) * raw.Digamma(a) - (b - 1.0) * raw.Digamma(b)
        return whole + (total - 2.0) * raw.Digamma(total)

    def _mean(self) -> Tensor:
        return self._concentration1 / self._total_concentration

    def _variance(self) -> Tensor:
        return self._mean() * (1.0 - self._mean()) / (1.0 + self._total_concentration)

    def _mode(self) -> Tensor:
        mode = (self._concentration1 - 1.0) / (self._total_concentration - 2.0)
        if self.allow_nan_stats:
            nan = nans(self.batch_shape_tensor(), self.dtype)
            defined = raw.LogicalAnd(self._concentration1 > 1.0, self._concentration0 > 1.0)
            return where_v2(defined, mode, nan)
        one = composing.ones([], dtype=self.dtype)
        checks = [
            assert_less(one, self._concentration1, message="Mode undefined for concentration1 <= 1."),
            assert_less(one, self._concentration0, message="Mode undefined for concentration0 <= 1."),
        ]
        return with_dependencies(checks, mode)

    def _checked(self, x: Tensor) -> Tensor:
        if not self.validate_args:
            return x
        checks = [
            assert_positive(x, message="sample must be positive"),
            assert_less(x, composing.ones([], self.dtype), message="sample must be less than `1`."),
        ]
        return with_dependencies(checks, x)


def _checked_concentration(value: Any, name: str, validate_args: bool) -> Tensor:
    value = convert_to_tensor(value, name=name)
    return checked_positive(value) if validate_args else value


def checked_positive(concentration: Tensor) -> Tensor:
    """A parameter, with a check that it is positive."""
    return with_dependencies([assert_positive(concentration, message=_POSITIVE)], concentration)


class BetaWithSoftplusConcentration(Beta):
    """As `Beta`, with softplus of both parameters."""

    def __init__(
        self,
        concentration1: TensorLike,
        concentration0: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "BetaWithSoftplusConcentration",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[concentration1, concentration0]) as scope:
            a = softplus(concentration1, name="softplus_concentration1")
            b = softplus(concentration0, name="softplus_concentration0")
            super().__init__(a, b, validate_args, allow_nan_stats, scope)
        self._parameters = arguments


@RegisterKL(Beta, Beta)
def _beta_from_beta(a: Beta, b: Beta, name: str | None = None) -> Tensor:
    parts = ("concentration1", "concentration0", "total_concentration")
    mine, others = [getattr(a, part) for part in parts], [getattr(b, part) for part in parts]
    with name_scope(name, "kl_beta_beta", mine + others):
        divergence = b._log_normalization() - a._log_normalization()
        for one, other, sign in zip(mine, others, (-1, -1, 1)):
            step = raw.Digamma(one) * (other - one)
            divergence = divergence + step if sign > 0 else divergence - step
        return divergence


class DirichletParameters(Distribution):
    """What distributions over the simplex, and of counts drawn from it, have in common: the parameters of a Dirichlet."""

    _concentration: Tensor
    _total_concentration: Tensor

    @property
    def concentration(self) -> Tensor:
        """The parameters of the Dirichlet."""
        return self._concentration

    @property
    def total_concentration(self) -> Tensor:
        """Their sum."""
        return self._total_concentration

    def _batch_shape_tensor(self) -> Tensor:
        return shape_internal(self._total_concentration)

    def _batch_shape(self) -> TensorShape:
        return self._total_concentration.get_shape()

    def _event_shape_tensor(self) -> Tensor:
        return shape_internal(self._concentration)[-1:]

    def _event_shape(self) -> TensorShape:
        return self._concentration.get_shape().with_rank_at_least(1)[-1:]


def _checked_class_concentration(concentration: TensorLike, validate_args: bool) -> Tensor:
    value = convert_to_tensor(concentration, name="concentration")
    if not validate_args:
        return value
    checks = [
        assert_positive(value, message=_POSITIVE),
        assert_rank_at_least(value, 1, message="Concentration parameter must have >=1 dimensions."),
        assert_less(1, shape_internal(value)[-1], message="Concentration parameter must have event_size >= 2."),
    ]
    return with_dependencies(checks, value)


class Dirichlet(DirichletParameters):
    """The Dirichlet distribution over vectors of positive numbers that sum to 1.

    Args:
        concentration: floating tensor, a parameter for each element of the last dimension.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        concentration: TensorLike | np.ndarray | Sequence[float | Sequence[float]],
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[concentration]) as scope:
            self._concentration = _checked_class_concentration(concentration, validate_args)
            self._total_concentration = reduce_sum(self._concentration, -1)
        super().__init__(
            self._concentration.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            arguments,
            [self._concentration, self._total_concentration],
            scope,
        )

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        drawn = random_gamma([n], self._concentration, dtype=self.dtype, seed=seed)
        return drawn / reduce_sum(drawn, -1, keepdims=True)

    def _log_prob(self, x: Tensor) -> Tensor:
        return self._log_unnormalized_prob(x) - self._log_normalization()

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        if self.validate_args:
            near = "sample last-dimension must sum to `1`"
            checks = [
                assert_positive(x, message="samples must be positive"),
                assert_near(composing.ones([], dtype=self.dtype), reduce_sum(x, -1), message=near),
            ]
            x = with_dependencies(checks, x)
        return reduce_sum(xlogy(self._concentration - 1.0, x), -1)

    def _log_normalization(self) -> Tensor:
        return lbeta(self._concentration)

    def _classes(self) -> Tensor:
        return cast(self.event_shape_tensor()[0], self.dtype)

    def _entropy(self) -> Tensor:
        total, classes = self._total_concentration, self._classes()
        whole = self._log_normalization() + (total - classes) * raw.Digamma(total)
        return whole - reduce_sum((self._concentration - 1.0) * raw.Digamma(self._concentration), -1)

    def _mean(self) -> Tensor:
        return self._concentration / self._total_concentration[..., None]

    def _scaled_mean(self) -> Tensor:
        return raw.Rsqrt(1.0 + self._total_concentration[..., None]) * self._mean()

    def _covariance(self) -> Tensor:
        x = self._scaled_mean()
        outer = matmul(x[..., None], x[..., None, :])
        return raw.MatrixSetDiag(-outer, self._variance(), name="set_diag")

    def _variance(self) -> Tensor:
        scale = raw.Rsqrt(1.0 + self._total_concentration[..., None])
        x = scale * self._mean()
        return x * (scale - x)

    def _mode(self) -> Tensor:
        k = self._classes()
        mode = (self._concentration - 1.0) / (self._total_concentration[..., None] - k)
        if self.allow_nan_stats:
            nan = nans(shape_internal(mode), self.dtype)
            return where_v2(reduce_all(self._concentration > 1.0, axis=-1), mode, nan)
        message = "Mode undefined when any concentration <= 1"
        check = assert_less(composing.ones([], self.dtype), self._concentration, message=message)
        return with_dependencies([check], mode)


@RegisterKL(Dirichlet, Dirichlet)
def _dirichlet_from_dirichlet(a: Dirichlet, b: Dirichlet, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_dirichlet_dirichlet", values=[a.concentration, b.concentration]):
        total = raw.Digamma(reduce_sum(a.concentration, axis=-1, keepdims=True))
        digammas = raw.Digamma(a.concentration) - total
        differences = a.concentration - b.concentration
        return reduce_sum(differences * digammas, axis=-1) - lbeta(a.concentration) + lbeta(b.concentration)
