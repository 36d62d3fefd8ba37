"""Multivariate normal distributions, by how their scale is given.

Kotz, Balakrishnan and Johnson, "Continuous multivariate distributions", volume 1 (2000), chapter 45. The divergence:
Kullback, "Information theory and statistics" (1959), chapter 9.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distributions.affine_bijectors import AffineLinearOperator
from headrace.distributions.divergence import RegisterKL
from headrace.distributions.normal import Normal
from headrace.distributions.scales import is_diagonal_scale, make_diag_scale, shapes_from_loc_and_scale
from headrace.distributions.static_logic import dimension_size
from headrace.distributions.transformed import TransformedDistribution
from headrace.functions.flow.checks import assert_near
from headrace.functions.linalg.identity import LinearOperatorIdentity
from headrace.functions.linalg.low_rank import LinearOperatorLowRankUpdate
from headrace.functions.linalg.operator import LinearOperator
from headrace.functions.linalg.simple import LinearOperatorLowerTriangular
from headrace.functions.math.linalg_functions import cholesky
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity
from headrace.ops.array.shape import broadcast_static_shape
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.nn.activations import softplus

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike


class MultivariateNormalLinearOperator(TransformedDistribution):
    """The normal distribution over vectors whose covariance is scale scale^T.

    Args:
        loc: floating tensor of shape [..., k], the mean; zeros by default.
        scale: a LinearOperator of shape [..., k, k].
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: if there is no scale. TypeError: if it is not floating.
    """

    _bijector: AffineLinearOperator

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale: LinearOperator | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalLinearOperator",
    ) -> None:
        arguments = dict(locals())
        if scale is None:
            raise ValueError("Missing required `scale` parameter.")
        if not scale.dtype.is_floating:
            raise TypeError("`scale` parameter must have floating-point dtype.")
        with name_scope(name, values=[loc, *scale.graph_parents]) as scope:
            loc = None if loc is None else convert_to_tensor(loc, name="loc")
            batch_shape, event_shape = shapes_from_loc_and_scale(loc, scale)
        zero, one = composing.zeros([], dtype=scale.dtype), composing.ones([], dtype=scale.dtype)
        super().__init__(
            Normal(zero, one),
            AffineLinearOperator(shift=loc, scale=scale, validate_args=validate_args),
            batch_shape=batch_shape,
            event_shape=event_shape,
            validate_args=validate_args,
            name=scope,
        )
        self._parameters = arguments
        self._allow_nan_stats = allow_nan_stats

    @property
    def loc(self) -> Tensor | None:
        """The mean; None for zeros."""
        return self._bijector.shift

    @property
    def scale(self) -> LinearOperator:
        """The operator that makes the covariance."""
        return self._bijector.scale  # type: ignore[return-value]  # there is one

    def _full_shape(self) -> tuple[bool, Any]:
        static = self.batch_shape.concatenate(self.event_shape)
        if static.is_fully_defined():
            return True, static.as_list()
        return False, composing.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)

    def _mean(self) -> Tensor:
        known, shape = self._full_shape()
        if self.loc is None:
            return composing.zeros(shape, dtype=self.dtype)
        if known and list(self.loc.dims or ()) == shape:
            return identity(self.loc)
        return identity(self.loc) + composing.zeros(shape, dtype=self.dtype)

    def _covariance(self) -> Tensor:
        if is_diagonal_scale(self.scale):
            return raw.MatrixDiag(raw.Square(self.scale.diag_part()), name="diag")
        return self.scale.matmul(self.scale.to_dense(), adjoint_arg=True)

    def _variance(self) -> Tensor:
        if is_diagonal_scale(self.scale):
            return raw.Square(self.scale.diag_part())
        # What is its own adjoint needs no second one.
        low_rank = isinstance(self.scale, LinearOperatorLowRankUpdate) and self.scale.is_self_adjoint
        square = self.scale.matmul(self.scale.to_dense(), adjoint_arg=not low_rank)
        return raw.MatrixDiagPart(square, name="diag_part")

    def _stddev(self) -> Tensor:
        if is_diagonal_scale(self.scale):
            return raw.Abs(self.scale.diag_part())
        return raw.Sqrt(self._variance())

    def _mode(self) -> Tensor:
        return self._mean()


class MultivariateNormalDiag(MultivariateNormalLinearOperator):
    """The normal distribution over vectors of independent elements.

    Args:
        loc: floating tensor of shape [..., k], the mean; zeros by default.
        scale_diag: floating tensor of shape [..., k], the deviations; ones by default.
        scale_identity_multiplier: floating tensor of shape [...], added to all deviations.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: if nothing tells the size of the vectors.

    Example:
        >>> tf.contrib.distributions.MultivariateNormalDiag([0.0, 1.0], [1.0, 2.0]).prob([0.0, 1.0])
    """

    def __init__(
        self,
        loc: TensorLike | np.ndarray | Sequence[float | Sequence[float]] | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name) as scope, name_scope("init", values=[loc, scale_diag, scale_identity_multiplier]):
            scale = make_diag_scale(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = arguments


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """As `MultivariateNormalDiag`, with `softplus(scale_diag)`."""

    def __init__(
        self,
        loc: TensorLike | np.ndarray,
        scale_diag: TensorLike | np.ndarray,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagWithSoftplusScale",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[scale_diag]) as scope:
            super().__init__(loc, softplus(scale_diag), None, validate_args, allow_nan_stats, scope)
        self._parameters = arguments


class MultivariateNormalTriL(MultivariateNormalLinearOperator):
    """The normal distribution over vectors, its scale a lower triangular matrix.

    Args:
        loc: floating tensor of shape [..., k], the mean; zeros by default.
        scale_tril: floating tensor of shape [..., k, k]; the identity by default.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        loc: Any = None,
        scale_tril: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalTriL",
    ) -> None:
        arguments = dict(locals())
        if loc is None and scale_tril is None:
            raise ValueError("Must specify one or both of `loc`, `scale_tril`.")
        with name_scope(name) as scope, name_scope("init", values=[loc, scale_tril]):
            scale: LinearOperator
            loc = None if loc is None else convert_to_tensor(loc, name="loc")
            if scale_tril is None:
                scale = LinearOperatorIdentity(
                    dimension_size(loc, -1), dtype=loc.dtype, assert_proper_shapes=validate_args
                )
            else:
                scale = LinearOperatorLowerTriangular(
                    convert_to_tensor(scale_tril, name="scale_tril"),
                    is_non_singular=True,
                    is_self_adjoint=False,
                    is_positive_definite=False,
                )
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = arguments


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """The normal distribution over vectors, given its covariance.

    Args:
        loc: floating tensor of shape [..., k], the mean; zeros by default.
        covariance_matrix: floating tensor of shape [..., k, k]; the identity by default.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        loc: TensorLike | np.ndarray | None = None,
        covariance_matrix: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalFullCovariance",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name) as scope, name_scope("init", values=[loc, covariance_matrix]):
            lower = None
            if covariance_matrix is not None:
                covariance = convert_to_tensor(covariance_matrix, name="covariance_matrix")
                if validate_args:
                    message = "Matrix was not symmetric"
                    check = assert_near(covariance, composing.matrix_transpose(covariance), message=message)
                    covariance = with_dependencies([check], covariance)
                lower = cholesky(covariance)
            super().__init__(loc, lower, validate_args, allow_nan_stats, scope)
        self._parameters = arguments


@RegisterKL(MultivariateNormalLinearOperator, MultivariateNormalLinearOperator)
def _normal_from_normal(
    a: MultivariateNormalLinearOperator, b: MultivariateNormalLinearOperator, name: str | None = None
) -> Tensor:
    with name_scope(name, "kl_mvn", values=[a.loc, b.loc, *a.scale.graph_parents, *b.scale.graph_parents]):
        if is_diagonal_scale(a.scale) and is_diagonal_scale(b.scale):
            ratio = (a.stddev() / b.stddev())[..., None]
        else:
            ratio = b.scale.solve(a.scale.to_dense())
        logs = b.scale.log_abs_determinant() - a.scale.log_abs_determinant()
        rest = -composing.cast(a.scale.domain_dimension_tensor(), a.dtype)
        rest = rest + reduce_sum(raw.Square(ratio), axis=[-2, -1])
        distance = b.scale.solve((b.mean() - a.mean())[..., None])
        result = logs + 0.5 * (rest + reduce_sum(raw.Square(distance), axis=[-2, -1]))
        result.set_shape(broadcast_static_shape(a.batch_shape, b.batch_shape))
        return result
