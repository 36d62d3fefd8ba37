"""Distributions that are others with their parameters made from something else."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.contrib.distributions.bijectors import Affine, AffineLinearOperator, AffineScalar, Chain
from headrace.contrib.distributions.elementwise import InverseGamma
from headrace.contrib.distributions.mvn import (
    MultivariateNormalLinearOperator,
    _diagonal_scale,
    _is_diagonal,
    shapes_from_loc_and_scale,
)
from headrace.contrib.distributions.scalar_bijectors import Kumaraswamy as KumaraswamyBijector
from headrace.contrib.distributions.scalar_bijectors import SinhArcsinh as SinhArcsinhBijector
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.distributions.base import FULLY_REPARAMETERIZED, Distribution
from headrace.distributions.common import nan_unless
from headrace.distributions.gamma import Exponential, Gamma
from headrace.distributions.normal import Laplace, Normal, Uniform
from headrace.distributions.transformed import TransformedDistribution
from headrace.ops import composing
from headrace.ops.array.identity import identity
from headrace.ops.array.shape import broadcast_static_shape, shape_internal
from headrace.ops.flow.checks import assert_positive
from headrace.ops.linalg.combined import LinearOperatorLowRankUpdate
from headrace.ops.linalg.operator import LinearOperator
from headrace.ops.math.special import lbeta
from headrace.ops.nn.activations import softplus


class Chi2(Gamma):
    """The distribution of the sum of `df` squares of standard normal numbers.

    Args:
        df: floating tensor, above 0.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    _names = ("concentration", "rate")

    def __init__(self, df: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Chi2") -> None:
        arguments = dict(locals())
        with name_scope(name, values=[df]) as scope:
            with control_dependencies([assert_positive(df)] if validate_args else []):
                self._df = identity(df, name="df")
            half = convert_to_tensor(0.5, self._df.dtype)
            super().__init__(half * self._df, half, validate_args, allow_nan_stats, scope)
        self._parameters = arguments

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict[str, Tensor]:  # type: ignore[override]
        return {"df": convert_to_tensor(sample_shape, "int32")}

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self._df


class Chi2WithAbsDf(Chi2):
    """`Chi2` with `floor(abs(df))` degrees of freedom."""

    _names = ("concentration", "rate")

    def __init__(
        self, df: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Chi2WithAbsDf"
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[df]) as scope:
            whole = raw.Floor(raw.Abs(df, name="abs_df"), name="floor_abs_df")
            super().__init__(whole, validate_args, allow_nan_stats, scope)
        self._parameters = arguments


class InverseGammaWithSoftplusConcentrationRate(InverseGamma):
    """`InverseGamma` with the softplus of both parameters."""

    _names = ("concentration", "rate")

    def __init__(
        self,
        concentration: Any,
        rate: Any,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGammaWithSoftplusConcentrationRate",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[concentration, rate]) as scope:
            super().__init__(
                softplus(concentration, name="softplus_concentration"),
                softplus(rate, name="softplus_rate"),
                validate_args,
                allow_nan_stats,
                scope,
            )
        self._parameters = arguments


class Kumaraswamy(TransformedDistribution):
    """Kumaraswamy's distribution over numbers between 0 and 1, much like a beta distribution.

    Args:
        concentration1, concentration0: floating tensors, above 0.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Kumaraswamy",
    ) -> None:
        with name_scope(name, values=[concentration1, concentration0]) as scope:
            a = convert_to_tensor(concentration1, name="concentration1")
            b = convert_to_tensor(concentration0, name="concentration0")
        shape = broadcast_static_shape(a.get_shape(), b.get_shape())
        super().__init__(
            Uniform(
                composing.zeros([], dtype=a.dtype),
                composing.ones([], dtype=a.dtype),
                allow_nan_stats=allow_nan_stats,
            ),
            KumaraswamyBijector(a, b, validate_args=validate_args),
            batch_shape=shape.as_list() if shape.is_fully_defined() else shape_internal(a * b),
            validate_args=validate_args,
            name=scope,
        )
        self._reparameterization_type = FULLY_REPARAMETERIZED
        self._allow_nan_stats = allow_nan_stats
        self._a, self._b = a, b

    @property
    def concentration1(self) -> Tensor:
        """The first parameter."""
        return self._a

    @property
    def concentration0(self) -> Tensor:
        """The second parameter."""
        return self._b

    def _entropy(self) -> Tensor:
        one = composing.ones([], dtype=self.dtype)
        harmonic = raw.Digamma(self._b + one) - raw.Digamma(one)
        return 1 - 1.0 / self._a + (1 - 1.0 / self._b) * harmonic + raw.Log(self._a) + raw.Log(self._b)

    def _moment(self, n: int) -> Tensor:
        ones = composing.ones_like(self._a + self._b)
        a, b = ones * self._a, ones * self._b
        return raw.Exp(raw.Log(b) + lbeta(composing.stack([1 + n / a, b], -1)))

    def _mean(self) -> Tensor:
        return self._moment(1)

    def _variance(self) -> Tensor:
        return self._moment(2) - raw.Square(self._moment(1))

    def _mode(self) -> Tensor:
        a, b = self._a, self._b
        mode = ((a - 1) / (a * b - 1)) ** (1.0 / a)
        if self.allow_nan_stats:
            return nan_unless(raw.LogicalAnd(a > 1.0, b > 1.0), mode, self.batch_shape_tensor())
        message = "Mode undefined for concentration1 <= 1 and concentration0 <= 1."
        with control_dependencies(
            [assert_positive(a - 1.0, message=message), assert_positive(b - 1.0, message=message)]
        ):
            return identity(mode)


def _sinh_arcsinh(skewness: Any, tailweight: Any, dtype: Any) -> tuple[Any, Any, Any, Any]:
    """The bijector, what it makes of 2 without skewness, and both parameters."""
    tailweight = convert_to_tensor(1.0 if tailweight is None else tailweight, dtype, name="tailweight")
    symmetric = skewness is None
    skewness = convert_to_tensor(0.0 if symmetric else skewness, dtype, name="skewness")
    bijector = SinhArcsinhBijector(skewness=skewness, tailweight=tailweight)
    even = bijector if symmetric else SinhArcsinhBijector(np.array(0.0, dtype.as_numpy_dtype), tailweight)
    return bijector, even.forward(convert_to_tensor(2, dtype)), skewness, tailweight


def _standard(distribution: Distribution | None, dtype: Any, allow_nan_stats: bool) -> Distribution:
    if distribution is not None:
        if distribution.dtype != dtype:
            raise TypeError(f"dtype mismatch; distribution.dtype={distribution.dtype.name} is not {dtype.name}.")
        for scalar, what in ((distribution.event_shape, "event"), (distribution.batch_shape, "batch")):
            if scalar.ndims not in (None, 0):
                raise ValueError(f"distribution must be a scalar; distribution.{what}_shape={scalar} is not ().")
        return distribution
    zero, one = composing.zeros([], dtype=dtype), composing.ones([], dtype=dtype)
    return Normal(zero, one, allow_nan_stats=allow_nan_stats)


class SinhArcsinh(TransformedDistribution):
    """A normal distribution (or another) made skew, its tails lighter or heavier.

    Args:
        loc, scale: floating tensors.
        skewness: floating tensor, 0 by default.
        tailweight: floating tensor above 0, 1 by default.
        distribution: what is transformed, a scalar distribution; the standard normal one by default.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        loc: Any,
        scale: Any,
        skewness: Any = None,
        tailweight: Any = None,
        distribution: Distribution | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "SinhArcsinh",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[loc, scale, skewness, tailweight]) as scope:
            loc = convert_to_tensor(loc, name="loc")
            scale = convert_to_tensor(scale, loc.dtype, name="scale")
            bijector, two, skewness, tailweight = _sinh_arcsinh(skewness, tailweight, loc.dtype)
            shape = loc.get_shape()
            for part in (scale, tailweight, skewness):
                shape = broadcast_static_shape(shape, part.get_shape())
            known = shape.is_fully_defined()
            super().__init__(
                _standard(distribution, loc.dtype, allow_nan_stats),
                Chain([AffineScalar(shift=loc, scale=2 * scale / two, validate_args=validate_args), bijector]),
                batch_shape=shape.as_list() if known else shape_internal(loc + scale + tailweight + skewness),
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = arguments
        self._loc, self._scale, self._skewness, self._tailweight = loc, scale, skewness, tailweight

    @property
    def loc(self) -> Tensor:
        """The location."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The scale."""
        return self._scale

    @property
    def tailweight(self) -> Tensor:
        """How heavy the tails are."""
        return self._tailweight

    @property
    def skewness(self) -> Tensor:
        """The skewness."""
        return self._skewness


class VectorSinhArcsinhDiag(TransformedDistribution):
    """`SinhArcsinh` for each element of a vector.

    Args:
        loc: floating tensor of shape [..., k]; zeros by default.
        scale_diag, scale_identity_multiplier: as for `MultivariateNormalDiag`.
        skewness, tailweight: floating tensors that broadcast to [..., k].
        distribution, validate_args, allow_nan_stats, name: as for `SinhArcsinh`.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        skewness: Any = None,
        tailweight: Any = None,
        distribution: Distribution | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        arguments = dict(locals())
        values = [loc, scale_diag, scale_identity_multiplier, skewness, tailweight]
        with name_scope(name, values=values) as scope:
            loc = None if loc is None else convert_to_tensor(loc, name="loc")
            scale = _diagonal_scale(loc, scale_diag, scale_identity_multiplier)
            batch_shape, event_shape = shapes_from_loc_and_scale(loc, scale)
            diag = scale.diag_part()
            bijector, two, skewness, tailweight = _sinh_arcsinh(skewness, tailweight, diag.dtype)
            super().__init__(
                _standard(distribution, diag.dtype, allow_nan_stats),
                Chain([Affine(shift=loc, scale_diag=2 * diag / two, validate_args=validate_args), bijector]),
                batch_shape=batch_shape,
                event_shape=event_shape,
                validate_args=validate_args,
                name=scope,
            )
        self._parameters = arguments
        self._loc, self._scale, self._skewness, self._tailweight = loc, scale, skewness, tailweight

    @property
    def loc(self) -> Tensor | None:
        """The location; None for zeros."""
        return self._loc

    @property
    def scale(self) -> LinearOperator:
        """The scale, a diagonal operator."""
        return self._scale

    @property
    def tailweight(self) -> Tensor:
        """How heavy the tails are."""
        return self._tailweight

    @property
    def skewness(self) -> Tensor:
        """The skewness."""
        return self._skewness


class _AffineVector(TransformedDistribution):
    """Vectors of independent numbers of one distribution, scaled by a diagonal and shifted."""

    def _begin(self, arguments: dict[str, Any], base: Any, variance: float, nested: bool = False) -> None:
        self._variance_of_one = variance
        loc, name = arguments["loc"], arguments["name"]
        parts = arguments["scale_diag"], arguments["scale_identity_multiplier"]
        with name_scope(name) as scope, name_scope("init", values=[loc, *parts]):
            scale = _diagonal_scale(loc, *parts)
        with name_scope(name if nested else scope, values=[loc, *scale.graph_parents]) as scope:
            loc = None if loc is None else convert_to_tensor(loc, name="loc")
            batch_shape, event_shape = shapes_from_loc_and_scale(loc, scale)
            TransformedDistribution.__init__(
                self,
                base(scale.dtype, arguments["allow_nan_stats"]),
                AffineLinearOperator(shift=loc, scale=scale, validate_args=arguments["validate_args"]),
                batch_shape=batch_shape,
                event_shape=event_shape,
                validate_args=arguments["validate_args"],
                name=name if nested else scope,
            )
        self._parameters = arguments

    @property
    def loc(self) -> Tensor | None:
        """What is added; None for zeros."""
        return self._bijector.shift  # type: ignore[attr-defined]

    @property
    def scale(self) -> LinearOperator:
        """The operator that scales."""
        return self._bijector.scale  # type: ignore[attr-defined]

    def _whole(self) -> Any:
        """The shape of a sample, as a list if it is known."""
        static = self.batch_shape.concatenate(self.event_shape)
        if static.is_fully_defined():
            return static.as_list()
        return composing.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)

    def _at(self, vectors: Tensor) -> Tensor:
        """What the bijector makes of vectors."""
        scaled = self.scale.matvec(vectors)
        return scaled if self.loc is None else identity(self.loc) + scaled

    def _covariance(self) -> Tensor:
        assert _is_diagonal(self.scale)
        return self._times(self._variance_of_one, raw.MatrixDiag(raw.Square(self.scale.diag_part()), name="diag"))

    def _variance(self) -> Tensor:
        return self._times(self._variance_of_one, raw.Square(self.scale.diag_part()))

    def _stddev(self) -> Tensor:
        return self._times(np.sqrt(self._variance_of_one), raw.Abs(self.scale.diag_part()))

    @staticmethod
    def _times(factor: float, value: Tensor) -> Tensor:
        return value if factor == 1.0 else factor * value


class VectorExponentialDiag(_AffineVector):
    """Vectors of exponential numbers, scaled and shifted. Arguments as for `MultivariateNormalDiag`."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorExponentialDiag",
    ) -> None:
        def base(dtype: Any, nan: bool) -> Distribution:
            return Exponential(composing.ones([], dtype=dtype), allow_nan_stats=nan)

        arguments = {key: value for key, value in locals().items() if key not in ("base", "__class__")}
        self._begin(arguments, base, 1.0)

    def _mean(self) -> Tensor:
        return self._at(composing.ones(self._whole(), self.dtype))

    def _mode(self) -> Tensor:
        return self._at(composing.zeros(self._whole(), self.dtype))


class VectorLaplaceDiag(_AffineVector):
    """Vectors of Laplace's numbers, scaled and shifted. Arguments as for `MultivariateNormalDiag`."""

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorLaplaceDiag",
    ) -> None:
        def base(dtype: Any, nan: bool) -> Distribution:
            zero, one = composing.zeros([], dtype=dtype), composing.ones([], dtype=dtype)
            return Laplace(zero, one, allow_nan_stats=nan)

        arguments = {key: value for key, value in locals().items() if key not in ("base", "__class__")}
        # Its name comes twice in TensorFlow.
        self._begin(arguments, base, 2.0, nested=True)

    def _mean(self) -> Tensor:
        whole = self._whole()
        if self.loc is None:
            return composing.zeros(whole, self.dtype)
        if whole == self.loc.get_shape():
            return identity(self.loc)
        return identity(self.loc) + composing.zeros(whole, self.dtype)

    def _mode(self) -> Tensor:
        return self._mean()


class MultivariateNormalDiagPlusLowRank(MultivariateNormalLinearOperator):
    """The normal distribution over vectors whose scale is a diagonal and an update of low rank.

    Args:
        loc, scale_diag, scale_identity_multiplier: as for `MultivariateNormalDiag`.
        scale_perturb_factor: floating tensor of shape [..., k, r].
        scale_perturb_diag: floating tensor of shape [..., r]; ones by default.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_diag: Any = None,
        scale_identity_multiplier: Any = None,
        scale_perturb_factor: Any = None,
        scale_perturb_diag: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagPlusLowRank",
    ) -> None:
        arguments = dict(locals())
        values = [loc, scale_diag, scale_identity_multiplier, scale_perturb_factor, scale_perturb_diag]
        with name_scope(name) as scope, name_scope("init", values=values):
            like = loc
            if loc is None and scale_diag is None and scale_perturb_factor is not None:
                like = convert_to_tensor(scale_perturb_factor)[..., 0]
            scale = _diagonal_scale(like, scale_diag, scale_identity_multiplier)
            if scale_perturb_factor is not None:
                factor = convert_to_tensor(scale_perturb_factor, name="scale_perturb_factor")
                diag = scale_perturb_diag
                diag = None if diag is None else convert_to_tensor(diag, name="scale_perturb_diag")
                scale = LinearOperatorLowRankUpdate(
                    scale,
                    u=factor,
                    diag_update=diag,
                    is_diag_update_positive=diag is None,
                    is_non_singular=True,
                    is_self_adjoint=True,
                    is_positive_definite=True,
                    is_square=True,
                )
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = arguments
