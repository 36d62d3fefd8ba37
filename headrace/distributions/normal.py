"""The normal and Laplace distributions, Student's t, and the uniform one.

Densities, distribution functions and moments: Johnson, Kotz and Balakrishnan, "Continuous univariate distributions",
volume 1 (1994), chapter 13, and volume 2 (1995), chapters 24, 26 and 28. Entropies: Cover and Thomas, "Elements of
information theory" (2006), table 17.1. The divergence of normal distributions: Kullback, "Information theory and
statistics" (1959), chapter 9.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distributions import special
from headrace.distributions.divergence import RegisterKL
from headrace.distributions.elementwise import Elementwise, LocationScale
from headrace.distributions.parameters import gen_new_seed, nan_unless
from headrace.functions.flow.checks import assert_less
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import broadcast_dynamic_shape
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.special import betainc, lbeta
from headrace.ops.nn.activations import softplus
from headrace.ops.random.normal import random_normal
from headrace.ops.random.sampling import random_gamma
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class Normal(LocationScale):
    """The normal distribution.

    Args:
        loc: floating tensor, the mean.
        scale: floating tensor, the standard deviation.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        TypeError: if the two are of different types.

    Example:
        >>> tf.distributions.Normal(loc=0.0, scale=[1.0, 2.0]).prob(0.0)  # [0.3989, 0.1995]
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:
        self._begin(dict(locals()), positive=("scale",))

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        drawn = random_normal(self._sample_dims(n), mean=0.0, stddev=1.0, dtype=self.dtype, seed=seed)
        return drawn * self._scale + self._loc

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        return -0.5 * raw.Square(self._z(x))

    def _log_normalization(self) -> Tensor:
        return 0.5 * math.log(2.0 * math.pi) + raw.Log(self._scale)

    def _cdf(self, x: Tensor) -> Tensor:
        return special.ndtr(self._z(x))

    def _log_cdf(self, x: Tensor) -> Tensor:
        return special.log_ndtr(self._z(x))

    def _survival_function(self, x: Tensor) -> Tensor:
        return special.ndtr(-self._z(x))

    def _log_survival_function(self, x: Tensor) -> Tensor:
        return special.log_ndtr(-self._z(x))

    def _quantile(self, p: Tensor) -> Tensor:
        z = special.ndtri(p)
        with name_scope("reconstruct", values=[z]):
            return z * self._scale + self._loc

    def _entropy(self) -> Tensor:
        return 0.5 * math.log(2.0 * math.pi * math.e) + raw.Log(self._broadcast(self._scale, self._loc))

    def _stddev(self) -> Tensor:
        return self._broadcast(self._scale, self._loc)


class NormalWithSoftplusScale(Normal):
    """As `Normal`, the deviation `softplus(scale)`."""

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NormalWithSoftplusScale",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[scale]) as scope:
            super().__init__(loc, softplus(scale, name="softplus_scale"), validate_args, allow_nan_stats, scope)
        self._parameters = arguments


@RegisterKL(Normal, Normal)
def _normal_from_normal(a: Normal, b: Normal, name: str | None = None) -> Tensor:
    with name_scope(name, "kl_normal_normal", [a.loc, b.loc]):
        one, two, half = (constant(number, dtype=a.dtype) for number in (1, 2, 0.5))
        squares = raw.Square(a.scale), raw.Square(b.scale)
        ratio = squares[0] / squares[1]
        return raw.SquaredDifference(a.loc, b.loc) / (two * squares[1]) + half * (ratio - one - raw.Log(ratio))


class Laplace(LocationScale):
    """The Laplace distribution.

    Args:
        loc: floating tensor, the mean.
        scale: floating tensor, the mean distance from it.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:
        self._begin(dict(locals()), positive=("scale",))

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        number = self.dtype.as_numpy_dtype
        # -1 itself would become infinite.
        least = np.nextafter(number(-1.0), number(0.0))
        drawn = random_uniform(self._sample_dims(n), least, 1.0, self.dtype, seed=seed)
        return self._loc - self._scale * raw.Sign(drawn) * raw.Log1p(-raw.Abs(drawn))

    def _z(self, x: Tensor) -> Tensor:
        return (x - self._loc) / self._scale

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        return -raw.Abs(self._z(x))

    def _log_normalization(self) -> Tensor:
        return math.log(2.0) + raw.Log(self._scale)

    def _cdf(self, x: Tensor) -> Tensor:
        z = self._z(x)
        return 0.5 + 0.5 * raw.Sign(z) * (1.0 - raw.Exp(-raw.Abs(z)))

    def _log_cdf(self, x: Tensor) -> Tensor:
        return special.log_cdf_laplace(self._z(x))

    def _log_survival_function(self, x: Tensor) -> Tensor:
        return special.log_cdf_laplace(-self._z(x))

    def _entropy(self) -> Tensor:
        scale = self._scale + composing.zeros_like(self._loc)
        return math.log(2.0) + 1.0 + raw.Log(scale)

    def _mean(self) -> Tensor:
        return self._loc + composing.zeros_like(self._scale)

    def _stddev(self) -> Tensor:
        return math.sqrt(2.0) * self._scale + composing.zeros_like(self._loc)


class LaplaceWithSoftplusScale(Laplace):
    """As `Laplace`, the scale `softplus(scale)`."""

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "LaplaceWithSoftplusScale",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[loc, scale]) as scope:
            super().__init__(loc, softplus(scale, name="softplus_scale"), validate_args, allow_nan_stats, scope)
        self._parameters = arguments


class StudentT(LocationScale):
    """Student's t-distribution, shifted and scaled.

    Args:
        df: floating tensor, the degrees of freedom.
        loc: floating tensor, the mean where there is one.
        scale: floating tensor, a factor; its sign does not matter.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    _names = ("df", "loc", "scale")
    _df: Tensor

    def __init__(
        self,
        df: TensorLike,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:
        self._begin(dict(locals()), positive=("df",))

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        normal = random_normal(self._sample_dims(n), dtype=self.dtype, seed=seed)
        df = self._df * composing.ones(self.batch_shape_tensor(), dtype=self.dtype)
        drawn = random_gamma([n], 0.5 * df, beta=0.5, dtype=self.dtype, seed=gen_new_seed(seed, "student_t"))
        return normal * raw.Rsqrt(drawn / df) * self._scale + self._loc

    def _log_unnormalized_prob(self, x: Tensor) -> Tensor:
        y = (x - self._loc) / self._scale
        return -0.5 * (self._df + 1.0) * raw.Log1p(y**2.0 / self._df)

    def _log_normalization(self) -> Tensor:
        df = self._df
        scales = raw.Log(raw.Abs(self._scale)) + 0.5 * raw.Log(df) + 0.5 * math.log(math.pi)
        return scales + raw.Lgamma(0.5 * df) - raw.Lgamma(0.5 * (df + 1.0))

    def _cdf(self, x: Tensor) -> Tensor:
        y = (x - self._loc) / raw.Abs(self._scale)
        share = self._df / (y**2.0 + self._df)
        tail = 0.5 * betainc(0.5 * self._df, 0.5, share)
        return where_v2(y < 0.0, tail, 1.0 - tail)

    def _entropy(self) -> Tensor:
        ones = composing.ones(self.batch_shape_tensor(), dtype=self.dtype)[..., None]
        both = composing.concat([ones * self._df[..., None], ones], -1) / 2.0
        scales = raw.Log(raw.Abs(self._scale)) + 0.5 * raw.Log(self._df) + lbeta(both)
        half = 0.5 * (self._df + 1.0)
        return scales + half * (raw.Digamma(0.5 * (self._df + 1.0)) - raw.Digamma(0.5 * self._df))

    def _mean(self) -> Tensor:
        mean = self._loc * composing.ones(self.batch_shape_tensor(), dtype=self.dtype)
        if self.allow_nan_stats:
            return self._defined_above_one(mean)
        check = assert_less(
            composing.ones([], self.dtype), self._df, message="mean not defined for components of df <= 1"
        )
        return with_dependencies([check], mean)

    def _variance(self) -> Tensor:
        number = self.dtype.as_numpy_dtype
        two = where_v2(self._df > 2.0, self._df - 2.0, composing.ones_like(self._df))
        ones = composing.ones(self.batch_shape_tensor(), dtype=self.dtype)
        variance = ones * raw.Square(self._scale) * self._df / two
        finite = self._df > raw.Fill(self.batch_shape_tensor(), number(2.0))
        infinity = raw.Fill(self.batch_shape_tensor(), np.array(np.inf, number), name="inf")
        variance = where_v2(finite, variance, infinity)
        if self.allow_nan_stats:
            return self._defined_above_one(variance)
        message = "variance not defined for components of df <= 1"
        return with_dependencies([assert_less(composing.ones([], self.dtype), self._df, message=message)], variance)

    def _defined_above_one(self, value: Tensor) -> Tensor:
        defined = self._df > composing.ones(self.batch_shape_tensor(), dtype=self.dtype)
        return nan_unless(defined, value, self.batch_shape_tensor())

    def _mode(self) -> Tensor:
        return identity(self._loc)


class StudentTWithAbsDfSoftplusScale(StudentT):
    """As `StudentT`, with `floor(abs(df))` and `softplus(scale)`."""

    def __init__(
        self,
        df: TensorLike,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "StudentTWithAbsDfSoftplusScale",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[df, scale]) as scope:
            whole = raw.Floor(raw.Abs(convert_to_tensor(df)))
            positive = softplus(scale, name="softplus_scale")
            super().__init__(whole, loc, positive, validate_args, allow_nan_stats, scope)
        self._parameters = arguments


class Uniform(Elementwise):
    """The uniform distribution over [low, high).

    Args:
        low, high: floating tensors, the bounds.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    _names = ("low", "high")
    _low: Tensor
    _high: Tensor

    def __init__(
        self,
        low: TensorLike = 0.0,
        high: TensorLike = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        self._begin(
            dict(locals()), checks=lambda: [assert_less(low, high, message="uniform not defined when low >= high.")]
        )

    def range(self, name: str = "range") -> Tensor:
        """`high - low`."""
        with self._name_scope(name):
            return self._high - self._low

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        drawn = random_uniform(self._sample_dims(n), dtype=self.dtype, seed=seed)
        return self._low + self.range() * drawn

    def _prob(self, x: Tensor) -> Tensor:
        x = x * composing.ones(self.batch_shape_tensor(), dtype=x.dtype)
        missing = raw.IsNan(x)
        outside = raw.LogicalOr(x < self._low, x >= self._high)
        return where_v2(missing, x, where_v2(outside, composing.zeros_like(x), composing.ones_like(x) / self.range()))

    def _cdf(self, x: Tensor) -> Tensor:
        shape = broadcast_dynamic_shape(shape_internal(x), self.batch_shape_tensor())
        zeros, ones = composing.zeros(shape, dtype=self.dtype), composing.ones(shape, dtype=self.dtype)
        broadcast_x = x * ones
        inside = where_v2(x < self._low, zeros, (broadcast_x - self._low) / self.range())
        return where_v2(x >= self._high, ones, inside)

    def _entropy(self) -> Tensor:
        return raw.Log(self.range())

    def _mean(self) -> Tensor:
        return (self._low + self._high) / 2.0

    def _variance(self) -> Tensor:
        return raw.Square(self.range()) / 12.0

    def _stddev(self) -> Tensor:
        return self.range() / math.sqrt(12.0)
