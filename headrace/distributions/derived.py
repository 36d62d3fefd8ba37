"""Distributions that are others with their parameters made from something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distributions.affine_bijectors import Affine, AffineScalar
from headrace.distributions.base import FULLY_REPARAMETERIZED, Distribution
from headrace.distributions.composed_bijectors import Chain
from headrace.distributions.gamma import Gamma
from headrace.distributions.location_scale import InverseGamma
from headrace.distributions.mvn import MultivariateNormalLinearOperator
from headrace.distributions.normal import Normal, Uniform
from headrace.distributions.parameters import nans
from headrace.distributions.scalar_bijectors import Kumaraswamy as KumaraswamyBijector
from headrace.distributions.scalar_bijectors import SinhArcsinh as SinhArcsinhBijector
from headrace.distributions.scales import (
    get_broadcast_shape,
    make_diag_scale,
    maybe_check_scalar_distribution,
    shapes_from_loc_and_scale,
)
from headrace.distributions.transformed import TransformedDistribution
from headrace.functions.flow.checks import assert_less, assert_positive
from headrace.functions.linalg.low_rank import LinearOperatorLowRankUpdate
from headrace.functions.linalg.operator import LinearOperator
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.ops.array.constant import constant
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.special import lbeta
from headrace.ops.nn.activations import softplus

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.dtypes import DType
    from headrace.core.typing import TensorLike


class Chi2(Gamma):
    """The distribution of the sum of `df` squares of standard normal numbers: Gamma(df / 2, 1 / 2).

    Args:
        df: floating tensor, above 0.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    _names = ("concentration", "rate")

    def __init__(
        self,
        df: TensorLike | np.ndarray | Sequence[float],
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[df]) as scope:
            with control_dependencies([assert_positive(df)] if validate_args else []):
                self._df = identity(df, name="df")
            concentration = 0.5 * self._df
            super().__init__(concentration, constant(0.5, self._df.dtype), validate_args, allow_nan_stats, scope)
        self._parameters = arguments

    @classmethod
    def _param_shapes(cls, sample_shape: Sequence[int]) -> dict[str, Tensor]:
        return {"df": convert_to_tensor(sample_shape, "int32")}

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self._df


class Chi2WithAbsDf(Chi2):
    """`Chi2` with `floor(abs(df))` degrees of freedom."""

    _names = ("concentration", "rate")

    def __init__(
        self, df: TensorLike, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Chi2WithAbsDf"
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
        concentration: TensorLike,
        rate: TensorLike,
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

    M. Jones, "Kumaraswamy's distribution: a beta-type distribution with some tractability advantages", Statistical
    Methodology 6 (2009), with its moments and mode.

    Args:
        concentration1, concentration0: floating tensors, above 0.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        concentration1: TensorLike | None = None,
        concentration0: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Kumaraswamy",
    ) -> None:
        with name_scope(name, values=[concentration1, concentration0]) as scope:
            a = convert_to_tensor(concentration1, name="concentration1")
            b = convert_to_tensor(concentration0, name="concentration0")
        super().__init__(
            Uniform(
                composing.zeros([], dtype=a.dtype),
                composing.ones([], dtype=a.dtype),
                allow_nan_stats=allow_nan_stats,
            ),
            KumaraswamyBijector(a, b, validate_args=validate_args),
            batch_shape=get_broadcast_shape(a, b),
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
        # With the harmonic number of the second parameter.
        rest, factor = 1 - 1.0 / self._a, 1 - 1.0 / self._b
        one = composing.ones([], dtype=self.dtype)
        rest = rest + factor * (raw.Digamma(self._b + one) - raw.Digamma(one))
        return rest + raw.Log(self._a) + raw.Log(self._b)

    def _moment(self, n: int) -> Tensor:
        total = self._a + self._b
        a = composing.ones_like(total, dtype=self.dtype) * self._a
        b = composing.ones_like(total, dtype=self.dtype) * self._b
        both = composing.stack([1 + n / a, b], -1)
        return raw.Exp(raw.Log(b) + lbeta(both))

    def _mean(self) -> Tensor:
        return self._moment(1)

    def _variance(self) -> Tensor:
        return self._moment(2) - raw.Square(self._moment(1))

    def _mode(self) -> Tensor:
        a, b = self._a, self._b
        mode = ((a - 1) / (a * b - 1)) ** (1.0 / a)
        if self.allow_nan_stats:
            nan = nans(self.batch_shape_tensor(), self.dtype)
            return where_v2((a > 1.0) & (b > 1.0), mode, nan)
        checks = [
            assert_less(composing.ones([], part.dtype), part, message=f"Mode undefined for concentration{i} <= 1.")
            for i, part in ((1, a), (0, b))
        ]
        return with_dependencies(checks, mode)


def _sinh_arcsinh(skewness: TensorLike, tailweight: Tensor, symmetric: bool, scale: Tensor) -> tuple[Any, Tensor]:
    """The bijector, and the scale over what one without skewness makes of 2, times 2."""
    dtype = tailweight.dtype
    bijector = even = SinhArcsinhBijector(skewness=skewness, tailweight=tailweight)
    if not symmetric:
        even = SinhArcsinhBijector(skewness=dtype.as_numpy_dtype(0.0), tailweight=tailweight)
    doubled = 2 * scale
    return bijector, doubled / even.forward(convert_to_tensor(2, dtype))


def _standard(
    distribution: Distribution | None, dtype: DType, validate_args: bool, allow_nan_stats: bool
) -> tuple[Distribution, list[Any]]:
    """What is transformed, the standard normal one by default, and what checks that it is one of numbers."""
    if distribution is not None:
        return distribution, maybe_check_scalar_distribution(distribution, dtype, validate_args)
    zero, one = composing.zeros([], dtype=dtype), composing.ones([], dtype=dtype)
    return Normal(zero, one, allow_nan_stats=allow_nan_stats), []


class SinhArcsinh(TransformedDistribution):
    """A normal distribution (or another) made skew, its tails lighter or heavier.

    Jones and Pewsey, "Sinh-arcsinh distributions", Biometrika 96 (2009).

    Args:
        loc, scale: floating tensors.
        skewness: floating tensor, 0 by default.
        tailweight: floating tensor above 0, 1 by default.
        distribution: what is transformed, a scalar distribution; the standard normal one by default.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        skewness: TensorLike | None = None,
        tailweight: TensorLike | None = None,
        distribution: Distribution | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "SinhArcsinh",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[loc, scale, skewness, tailweight]) as scope:
            loc = convert_to_tensor(loc, name="loc")
            scale = convert_to_tensor(scale, loc.dtype, name="scale")
            symmetric = skewness is None
            tailweight = convert_to_tensor(1.0 if tailweight is None else tailweight, loc.dtype, name="tailweight")
            skewness = convert_to_tensor(0.0 if symmetric else skewness, loc.dtype, name="skewness")
            batch_shape = get_broadcast_shape(loc, scale, tailweight, skewness)
            base, checks = _standard(distribution, loc.dtype, validate_args, allow_nan_stats)
            loc = with_dependencies(checks, loc) if checks else loc
            bijector, factor = _sinh_arcsinh(skewness, tailweight, symmetric, scale)
            super().__init__(
                base,
                Chain([AffineScalar(shift=loc, scale=factor, validate_args=validate_args), bijector]),
                batch_shape=batch_shape,
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
        loc: TensorLike | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: Any = None,
        skewness: TensorLike | None = None,
        tailweight: TensorLike | None = None,
        distribution: Distribution | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        arguments = dict(locals())
        values = [loc, scale_diag, scale_identity_multiplier, skewness, tailweight]
        with name_scope(name, values=values) as scope:
            loc = None if loc is None else convert_to_tensor(loc, name="loc")
            symmetric = skewness is None
            scale = make_diag_scale(loc, scale_diag, scale_identity_multiplier)
            batch_shape, event_shape = shapes_from_loc_and_scale(loc, scale)
            diag = scale.diag_part()
            dtype = diag.dtype
            base, checks = _standard(distribution, dtype, validate_args, allow_nan_stats)
            diag = with_dependencies(checks, diag) if checks else diag
            skewness = convert_to_tensor(0.0 if symmetric else skewness, dtype, name="skewness")
            tailweight = convert_to_tensor(1.0 if tailweight is None else tailweight, dtype, name="tailweight")
            bijector, factor = _sinh_arcsinh(skewness, tailweight, symmetric, diag)
            super().__init__(
                base,
                Chain([Affine(shift=loc, scale_diag=factor, validate_args=validate_args), bijector]),
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
        loc: TensorLike | np.ndarray | Sequence[float] | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: Any = None,
        scale_perturb_factor: TensorLike | np.ndarray | Sequence[Sequence[float]] | None = None,
        scale_perturb_diag: TensorLike | Sequence[float] | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagPlusLowRank",
    ) -> None:
        arguments = dict(locals())
        values = [loc, scale_diag, scale_identity_multiplier, scale_perturb_factor, scale_perturb_diag]
        with name_scope(name) as scope, name_scope("init", values=values):
            low_rank = scale_perturb_factor is not None or scale_perturb_diag is not None
            scale = make_diag_scale(
                loc, scale_diag, scale_identity_multiplier, validate_args=validate_args, assert_positive=low_rank
            )
            factor, diag = scale_perturb_factor, scale_perturb_diag
            factor = None if factor is None else convert_to_tensor(factor, name="scale_perturb_factor")
            diag = None if diag is None else convert_to_tensor(diag, name="scale_perturb_diag")
            if low_rank:
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
