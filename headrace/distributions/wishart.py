"""Wishart's distribution over positive definite matrices.

J. Wishart, "The generalised product moment distribution in samples from a normal multivariate population", Biometrika
20A (1928). Normalization, entropy and mean_log_det: Bishop, "Pattern recognition and machine learning" (2006), appendix
B. Drawing: Smith and Hocking, "Algorithm AS 53: Wishart variate generator", Applied Statistics 21 (1972).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.distributions.base import FULLY_REPARAMETERIZED, Distribution
from headrace.distributions.parameters import assert_symmetric, gen_new_seed
from headrace.functions.flow.checks import assert_equal, assert_less_equal, assert_positive
from headrace.functions.linalg.arguments import diagonal
from headrace.functions.linalg.operator import LinearOperator
from headrace.functions.linalg.simple import LinearOperatorLowerTriangular
from headrace.functions.math.linalg_functions import cholesky
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.shapes import rank_internal, shape_internal
from headrace.ops.array.constant import constant
from headrace.ops.array.range import linspace
from headrace.ops.array.shape import reshape
from headrace.ops.array.slice import strided_slice
from headrace.ops.array.where import where_v2
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast
from headrace.ops.random.normal import random_normal
from headrace.ops.random.sampling import random_gamma

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_LOG_2, _LOG_PI = math.log(2.0), math.log(math.pi)


class _Wishart(Distribution):
    """The base: the scale is an operator L with scale = L L^T."""

    def _begin(self, arguments: dict[str, Any], operator: LinearOperator, parents: list[Tensor], name: str) -> None:
        validate_args, factors = arguments["validate_args"], arguments["cholesky_input_output_matrices"]
        with name_scope(name) as scope, name_scope("init", values=[arguments["df"], operator]):
            if not operator.dtype.is_floating:
                raise TypeError(f"scale_operator.dtype={operator.dtype} is not a floating-point type")
            df = convert_to_tensor(arguments["df"], operator.dtype, name="df")
            size = operator.domain_dimension.value
            if size is None:
                dimension = composing.cast(operator.domain_dimension_tensor(), operator.dtype, name="dimension")
            else:
                dimension = convert_to_tensor(size, operator.dtype, name="dimension")
            known = constant_value(df)
            if known is not None and size is not None:
                if (known < size).any():
                    raise ValueError(
                        f"Degrees of freedom (df = {np.atleast_1d(known)}) cannot be less than dimension of scale matrix "
                        f"(scale.dimension = {size})"
                    )
            elif validate_args:
                message = f"Degrees of freedom (df = {df}) cannot be less than dimension of scale matrix"
                df = with_dependencies([assert_less_equal(dimension, df, message=message)], df)
        self._operator, self._df, self._dimension, self._factors = operator, df, dimension, factors
        Distribution.__init__(
            self,
            operator.dtype,
            FULLY_REPARAMETERIZED,
            validate_args,
            arguments["allow_nan_stats"],
            arguments,
            [df, dimension, *parents],
            scope,
        )

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self._df

    @property
    def dimension(self) -> Tensor:
        """How many rows the matrices have, in the type of the samples."""
        return self._dimension

    @property
    def scale_operator(self) -> LinearOperator:
        """The operator L with scale = L L^T."""
        return self._operator

    @property
    def cholesky_input_output_matrices(self) -> bool:
        """Whether values are the Cholesky factors of the matrices."""
        return self._factors

    def scale(self) -> Tensor:
        """The scale, or its factor where values are factors."""
        return self._operator.to_dense() if self._factors else self._square()

    def _square(self) -> Tensor:
        return self._operator.matmul(self._operator.to_dense(), adjoint_arg=True)

    def _event_shape_tensor(self) -> Tensor:
        size = self._operator.domain_dimension_tensor()
        return composing.stack([size, size])

    def _event_shape(self) -> TensorShape:
        size = self._operator.domain_dimension
        return TensorShape([size, size])

    def _batch_shape_tensor(self) -> Tensor:
        return self._operator.batch_shape_tensor()

    def _batch_shape(self) -> TensorShape:
        return self._operator.batch_shape

    @contextmanager
    def _named(self, name: str, *values: Any) -> Iterator[None]:
        with self._name_scope(name, values=list(values)):
            yield

    def _sequence(self, a: Tensor) -> Tensor:
        """a, a - 1/2, ... one for each dimension."""
        with self._named("multi_gamma_sequence", a, self._dimension):
            zero = constant(0.0, dtype=self.dtype)
            last = 0.5 - 0.5 * self._dimension
            return linspace(zero, last, cast(self._dimension, "int32")) + composing.expand_dims(a, [-1])

    def _lgamma(self, a: Tensor) -> Tensor:
        """The logarithm of the multivariate gamma function."""
        p = self._dimension
        with self._named("multi_lgamma", a, p):
            steps = self._sequence(a)
            return 0.25 * p * (p - 1.0) * _LOG_PI + reduce_sum(raw.Lgamma(steps), axis=[-1])

    def _digamma(self, a: Tensor) -> Tensor:
        with self._named("multi_digamma", a, self._dimension):
            return reduce_sum(raw.Digamma(self._sequence(a)), axis=[-1])

    def _sample_n(self, n: TensorLike, seed: int | None = None) -> Tensor:
        # Bartlett's decomposition: normal numbers below the diagonal, chi-squared ones on it.
        batch, event = self.batch_shape_tensor(), self.event_shape_tensor()
        rank = shape_internal(batch)[0] + 3
        x = random_normal(composing.concat([[n], batch, event], 0), 0.0, 1.0, self.dtype, seed=seed)
        df = self._df * composing.ones(self._operator.batch_shape_tensor(), dtype=self._df.dtype.base_dtype)
        squares = random_gamma(
            [n], self._sequence(0.5 * df), beta=0.5, dtype=self.dtype, seed=gen_new_seed(seed, "wishart")
        )
        x = raw.MatrixBandPart(x, -1, 0)
        x = raw.MatrixSetDiag(x, raw.Sqrt(squares), name="set_diag")
        # All samples of a batch member beside one another, as columns.
        x = composing.transpose(x, composing.concat([composing.range_(1, rank), [0]], 0))
        x = reshape(x, composing.concat([batch, [event[0]], [-1]], 0))
        x = self._operator.matmul(x)
        x = reshape(x, composing.concat([batch, event, [n]], 0))
        x = composing.transpose(x, composing.concat([[rank - 1], composing.range_(0, rank - 1)], 0))
        return x if self._factors else matmul(x, x, adjoint_b=True)

    def _log_prob(self, x: Tensor) -> Tensor:
        root = x if self._factors else cholesky(x)
        batch, event = self.batch_shape_tensor(), self.event_shape_tensor()
        rank = rank_internal(root)
        samples = rank - shape_internal(batch)[0] - 2
        sample_shape = strided_slice(shape_internal(root), [0], [samples])
        order = composing.concat([composing.range_(samples, rank), composing.range_(0, samples)], 0)
        solved = composing.transpose(root, order)
        solved = reshape(solved, composing.concat([batch, [cast(self._dimension, "int32"), -1]], 0))
        solved = self._operator.solve(solved)
        solved = reshape(solved, composing.concat([batch, event, sample_shape], 0))
        parts = [composing.range_(rank - samples, rank), composing.range_(0, rank - samples)]
        solved = composing.transpose(solved, composing.concat(parts, 0))
        trace = reduce_sum(raw.Square(solved), axis=[-2, -1])
        half_log_det = reduce_sum(raw.Log(diagonal(root)), axis=[-1])
        log_prob = (self._df - self._dimension - 1.0) * half_log_det - 0.5 * trace - self.log_normalization()
        if x.get_shape().ndims is not None:
            log_prob.set_shape(x.get_shape()[:-2])
        return log_prob

    def _prob(self, x: Tensor) -> Tensor:
        return raw.Exp(self._log_prob(x))

    def _entropy(self) -> Tensor:
        p = self._dimension
        middle, half = 0.5 * p + 0.5, 0.5 * self._df
        start = p * (half + middle * _LOG_2) + 2 * middle * self._operator.log_abs_determinant()
        return start + self._lgamma(half) + (middle - half) * self._digamma(half)

    def _mean(self) -> Tensor:
        if self._factors:
            return raw.Sqrt(self._df) * self._operator.to_dense()
        return self._df * self._square()

    def _variance(self) -> Tensor:
        x = raw.Sqrt(self._df) * self._square()
        diag = composing.expand_dims(diagonal(x), -1)
        variance = raw.Square(x) + matmul(diag, diag, adjoint_b=True)
        return cholesky(variance) if self._factors else variance

    def _stddev(self) -> Tensor:
        if self._factors:
            raise ValueError("Computing std. dev. when is cholesky_input_output_matrices=True does not make sense.")
        return cholesky(self.variance())

    def _mode(self) -> Tensor:
        s = self._df - self._dimension - 1.0
        negative = raw.Less(s, 0.0)
        s = where_v2(negative, constant(np.nan, dtype=self.dtype, name="nan"), s)
        if self._factors:
            return raw.Sqrt(s) * self._operator.to_dense()
        return s * self._square()

    def mean_log_det(self, name: str = "mean_log_det") -> Tensor:
        """The mean of the logarithm of the determinant."""
        with self._name_scope(name):
            start = self._digamma(0.5 * self._df) + self._dimension * _LOG_2
            return start + 2 * self._operator.log_abs_determinant()

    def log_normalization(self, name: str = "log_normalization") -> Tensor:
        """The logarithm of the density's constant."""
        with self._name_scope(name):
            determinant = self._df * self._operator.log_abs_determinant()
            start = determinant + 0.5 * self._df * self._dimension * _LOG_2
            return start + self._lgamma(0.5 * self._df)


def _operator_of(lower: Tensor) -> LinearOperator:
    return LinearOperatorLowerTriangular(lower, is_non_singular=True, is_positive_definite=True, is_square=True)


class WishartCholesky(_Wishart):
    """Wishart's distribution, its scale given by a Cholesky factor.

    Args:
        df: floating tensor, at least as large as the matrices.
        scale: floating tensor of shape [..., k, k], the lower triangular factor of the scale.
        cholesky_input_output_matrices: whether values are the factors of matrices.
        validate_args, allow_nan_stats, name: as for `Distribution`.

    Raises:
        ValueError: if df is known to be too small.
    """

    def __init__(
        self,
        df: TensorLike,
        scale: TensorLike,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartCholesky",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name, values=[scale]) as scope:
            with name_scope("init", values=[scale]):
                lower = convert_to_tensor(scale)
                if validate_args:
                    positive = assert_positive(diagonal(lower), message="scale must be positive definite")
                    sides = shape_internal(lower)[-1], shape_internal(lower)[-2]
                    square = assert_equal(*sides, message="scale must be square")
                    lower = with_dependencies([positive, square], lower)
            self._begin(arguments, _operator_of(lower), [lower], scope)


class WishartFull(_Wishart):
    """Wishart's distribution.

    Args:
        df: floating tensor, at least as large as the matrices.
        scale: floating tensor of shape [..., k, k], symmetric and positive definite.
        cholesky_input_output_matrices, validate_args, allow_nan_stats, name: as for `WishartCholesky`.

    Raises:
        ValueError: if df is known to be too small.
    """

    def __init__(
        self,
        df: TensorLike,
        scale: TensorLike,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartFull",
    ) -> None:
        arguments = dict(locals())
        with name_scope(name) as scope:
            with name_scope("init", values=[scale]):
                whole = convert_to_tensor(scale)
                whole = assert_symmetric(whole) if validate_args else whole
                lower = cholesky(whole)
                lower = with_dependencies([assert_positive(diagonal(lower))] if validate_args else [], lower)
            self._begin(arguments, _operator_of(lower), [lower], scope)
