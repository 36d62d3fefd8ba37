"""Exponential and Laplace distributions over vectors: independent ones, sent through an affine map.

The covariance of loc + scale x is scale Cov(x) scale^T; standard exponential numbers have variance 1, standard Laplace
numbers 2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distributions.affine_bijectors import AffineLinearOperator
from headrace.distributions.base import Distribution
from headrace.distributions.gamma import Exponential
from headrace.distributions.normal import Laplace
from headrace.distributions.scales import is_diagonal_scale, make_diag_scale, shapes_from_loc_and_scale
from headrace.distributions.transformed import TransformedDistribution
from headrace.functions.linalg.low_rank import LinearOperatorLowRankUpdate
from headrace.functions.linalg.operator import LinearOperator
from headrace.kernels import composing
from headrace.kernels.composing.arranging import identity

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.shapes import TensorShape
    from headrace.core.typing import TensorLike


class _AffineVector(TransformedDistribution):
    """`loc` plus `scale` times a vector of independent elements."""

    # The variance of one element before.
    _factor: float = 1.0

    _bijector: AffineLinearOperator

    def _begin(self, arguments: dict[str, Any], base: Callable[..., Any], named: bool = True) -> None:
        """The constructor, whose arguments these are.

        Args:
            arguments: by name.
            base: makes the distribution of one element, from its type.
            named: whether the scope of the arguments is that of the distribution; a second one of the name if not.

        Raises:
            ValueError: without a scale. TypeError: if it is not floating.
        """
        loc, scale, name = arguments["loc"], arguments["scale"], arguments["name"]
        if scale is None:
            raise ValueError("Missing required `scale` parameter.")
        if not scale.dtype.is_floating:
            raise TypeError("`scale` parameter must have floating-point dtype.")
        with name_scope(name, values=[loc, *scale.graph_parents]) as scope:
            loc = None if loc is None else convert_to_tensor(loc, name="loc")
            batch_shape, event_shape = shapes_from_loc_and_scale(loc, scale)
            TransformedDistribution.__init__(
                self,
                base(scale.dtype),
                AffineLinearOperator(shift=loc, scale=scale, validate_args=arguments["validate_args"]),
                batch_shape=batch_shape,
                event_shape=event_shape,
                validate_args=arguments["validate_args"],
                name=scope if named else name,
            )
        self._parameters = arguments

    @property
    def loc(self) -> Tensor | None:
        """What is added to the vectors."""
        return self._bijector.shift

    @property
    def scale(self) -> LinearOperator:
        """The operator they are multiplied with."""
        return self._bijector.scale  # type: ignore[return-value]  # there is one

    def _full_shape(self) -> Tensor | TensorShape:
        static = self.batch_shape.concatenate(self.event_shape)
        if static.is_fully_defined():
            return static
        return composing.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0)

    @property
    def _low_rank(self) -> bool:
        return isinstance(self.scale, LinearOperatorLowRankUpdate) and bool(self.scale.is_self_adjoint)

    def _covariance(self) -> Tensor:
        if is_diagonal_scale(self.scale):
            return self._times(self._factor, raw.MatrixDiag(raw.Square(self.scale.diag_part()), name="diag"))
        if self._factor == 1.0:
            return self.scale.matmul(self.scale.to_dense(), adjoint_arg=True)
        return self._factor * self.scale.matmul(self.scale.to_dense(), adjoint_arg=True)

    def _variance(self) -> Tensor:
        if is_diagonal_scale(self.scale):
            return self._times(self._factor, raw.Square(self.scale.diag_part()))
        square = self.scale.matmul(self.scale.to_dense(), adjoint_arg=not self._low_rank)
        if self._low_rank:
            return raw.MatrixDiagPart(self._times(self._factor, square), name="diag_part")
        return self._times(self._factor, raw.MatrixDiagPart(square, name="diag_part"))

    def _stddev(self) -> Tensor:
        root = np.sqrt(self._factor)
        if is_diagonal_scale(self.scale):
            return self._times(root, raw.Abs(self.scale.diag_part()))
        square = self.scale.matmul(self.scale.to_dense(), adjoint_arg=not self._low_rank)
        return self._times(root, raw.Sqrt(raw.MatrixDiagPart(square, name="diag_part")))

    @staticmethod
    def _times(factor: float, value: Tensor) -> Tensor:
        return value if factor == 1.0 else factor * value


class VectorExponentialLinearOperator(_AffineVector):
    """The distribution of `loc + scale x`, the elements of x standard exponential.

    Args:
        loc: floating tensor of shape [..., k]; zeros by default.
        scale: a LinearOperator of shape [..., k, k].
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: without a scale. TypeError: if it is not floating.
    """

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale: LinearOperator | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorExponentialLinearOperator",
    ) -> None:
        arguments = {key: value for key, value in locals().items() if key not in ("self", "__class__")}

        def base(dtype: DType) -> Distribution:
            return Exponential(composing.ones([], dtype=dtype), allow_nan_stats=allow_nan_stats)

        self._begin(arguments, base)

    def _at(self, vectors: Tensor) -> Tensor:
        scaled = self.scale.matvec(vectors)
        return scaled if self.loc is None else identity(self.loc) + scaled

    def _mean(self) -> Tensor:
        return self._at(composing.ones(self._full_shape(), self.dtype))

    def _mode(self) -> Tensor:
        return self._at(composing.zeros(self._full_shape(), self.dtype))


class VectorExponentialDiag(VectorExponentialLinearOperator):
    """The distribution of `loc + scale x`, the elements of x standard exponential.

    Args:
        loc: floating tensor of shape [..., k]; zeros by default.
        scale_diag, scale_identity_multiplier: as for `MultivariateNormalDiag`.
        validate_args, allow_nan_stats, name: as for `Distribution`.
    """

    def __init__(
        self,
        loc: TensorLike | np.ndarray | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: Any = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorExponentialDiag",
    ) -> None:
        arguments = {key: value for key, value in locals().items() if key not in ("self", "__class__")}
        with name_scope(name) as scope, name_scope("init", values=[loc, scale_diag, scale_identity_multiplier]):
            scale = make_diag_scale(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, scope)
        self._parameters = arguments


class VectorLaplaceLinearOperator(_AffineVector):
    """The distribution of `loc + scale x`, the elements of x standard Laplace.

    Arguments and errors as for `VectorExponentialLinearOperator`.
    """

    _factor = 2.0

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale: LinearOperator | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorLaplaceLinearOperator",
    ) -> None:
        arguments = {key: value for key, value in locals().items() if key not in ("self", "__class__")}

        def base(dtype: DType) -> Distribution:
            return Laplace(composing.zeros([], dtype=dtype), composing.ones([], dtype=dtype))

        # Its name comes twice in TensorFlow.
        self._begin(arguments, base, named=False)
        self._allow_nan_stats = allow_nan_stats

    def _mean(self) -> Tensor:
        whole = self._full_shape()
        if self.loc is None:
            return composing.zeros(whole, self.dtype)
        if not isinstance(whole, Tensor) and whole == self.loc.get_shape():
            return identity(self.loc)
        return identity(self.loc) + composing.zeros(whole, self.dtype)

    def _mode(self) -> Tensor:
        return self._mean()


class VectorLaplaceDiag(VectorLaplaceLinearOperator):
    """The distribution of `loc + scale x`, the elements of x standard Laplace. Arguments as for VectorExponentialDiag."""

    def __init__(
        self,
        loc: TensorLike | np.ndarray | Sequence[float] | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorLaplaceDiag",
    ) -> None:
        arguments = {key: value for key, value in locals().items() if key not in ("self", "__class__")}
        with name_scope(name), name_scope("init", values=[loc, scale_diag, scale_identity_multiplier]):
            scale = make_diag_scale(loc, scale_diag, scale_identity_multiplier)
        super().__init__(loc, scale, validate_args, allow_nan_stats, name)
        self._parameters = arguments
