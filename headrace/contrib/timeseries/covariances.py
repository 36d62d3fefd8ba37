"""Covariance matrices of free parameters, and logarithms of probability densities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.contrib.layers.dense import fully_connected
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.functions.math.linalg_functions import cholesky, matrix_determinant, matrix_triangular_solve
from headrace.functions.math.matrices import matrix_band_part, matrix_diag_part, matrix_set_diag
from headrace.functions.math.reduction import reduce_max, reduce_sum
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import identity, matrix_transpose
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.ops.array.shape import reshape
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import exp, log, log1p, sqrt, square
from headrace.ops.nn.activations import softsign
from headrace.state.initializers import Constant, Zeros
from headrace.state.variable_scope import get_variable

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike


def sign_magnitude_positive_definite(
    raw: TensorLike, off_diagonal_scale: TensorLike = 0.0, overall_scale: TensorLike = 0.0
) -> Tensor:
    """A positive definite matrix of free parameters, by its Cholesky factor.

    The diagonal of the factor is the exponential of half that of `raw`. Below it, the parameters below the diagonal
    give the sign, by softsign, and those above it the logarithm of the squared magnitude.

    Args:
        raw: [..., n, n].
        off_diagonal_scale: [...], added to the logarithms of the magnitudes.
        overall_scale: [...], the logarithm of a factor of the whole matrix.

    Returns:
        [..., n, n].
    """
    raw = convert_to_tensor(raw)
    off_diagonal_scale = convert_to_tensor(off_diagonal_scale, dtype=raw.dtype)
    overall_scale = convert_to_tensor(overall_scale, dtype=raw.dtype)

    def scalars(values: Tensor) -> Tensor:
        return values if values.shape.ndims == 0 else expand_dims(expand_dims(values, -1), -1)

    magnitudes = exp((raw + scalars(off_diagonal_scale) + scalars(overall_scale)) / 2.0)
    above = matrix_band_part(magnitudes * softsign(matrix_transpose(raw)), 0, -1)
    of_rows = overall_scale if overall_scale.shape.ndims == 0 else expand_dims(overall_scale, -1)
    factor = matrix_set_diag(above, exp((matrix_diag_part(raw) + of_rows) / 2.0))
    return matmul(factor, factor, transpose_a=True)


def transform_to_covariance_matrices(input_vectors: Tensor, matrix_size: int) -> Tensor:
    """A covariance matrix of each vector, by a linear layer.

    Args:
        input_vectors: [batch, n].
        matrix_size: m.

    Returns:
        [batch, m, m].
    """
    parameters = fully_connected(input_vectors, matrix_size**2 + 2, activation_fn=None)
    raw = reshape(parameters[..., :-2], [-1, matrix_size, matrix_size])
    return sign_magnitude_positive_definite(raw, parameters[..., -2], parameters[..., -1])


def variable_covariance_matrix(
    size: int,
    name: str,
    dtype: DTypeLike,
    initial_diagonal_values: Sequence[float] | Tensor | None = None,
    initial_overall_scale_log: TensorLike = 0.0,
) -> Tensor:
    """A covariance matrix of trained variables; without more it starts as the identity.

    Args:
        size: n.
        name: what the variables' names start with.
        dtype: the type of its entries.
        initial_diagonal_values: [n], factors of the variances.
        initial_overall_scale_log: the logarithm of a factor of the whole matrix.

    Returns:
        [n, n].
    """
    raw: Tensor = get_variable(f"{name}_pre_transform", [size, size], dtype, Zeros())
    off_diagonal = get_variable(f"{name}_off_diagonal_scale", [], dtype, Constant(-5.0))
    overall = get_variable(f"{name}_overall_scale", [], dtype, Zeros())
    if initial_diagonal_values is not None:
        diagonal = log(convert_to_tensor(initial_diagonal_values, dtype=dtype))
        raw = matrix_set_diag(identity(raw), matrix_diag_part(raw) + diagonal)
    scale = convert_to_tensor(initial_overall_scale_log, dtype=dtype) + overall
    matrix = sign_magnitude_positive_definite(raw, off_diagonal, scale)
    with name_scope(None):
        return identity(matrix, name=name)


def clip_covariance(covariance_matrix: Tensor, maximum_variance_ratio: float, minimum_variance: float) -> Tensor:
    """Raises small variances, so that the matrix stays well conditioned.

    Args:
        covariance_matrix: [batch, n, n].
        maximum_variance_ratio: how many times larger the largest variance may be than the smallest.
        minimum_variance: what no variance is below.
    """
    variances = matrix_diag_part(covariance_matrix)
    floor = reduce_max(variances, axis=-1, keepdims=True) / maximum_variance_ratio
    return matrix_set_diag(covariance_matrix, maximum(maximum(variances, floor), minimum_variance))


def log_noninformative_covariance_prior(covariance: TensorLike) -> Tensor:
    """The logarithm of the Jeffreys prior of a covariance matrix, -(n + 1) / 2 log det; not normalized.

    Args:
        covariance: [n, n].
    """
    covariance = convert_to_tensor(covariance)
    size = cast(shape(covariance)[0] + 1, covariance.dtype)
    return -(size / 2.0) * log(matrix_determinant(covariance))


def normal_log_prob(loc: TensorLike, scale: TensorLike, x: TensorLike) -> Tensor:
    """The log-likelihood that 1.15's autoregressive models optimize for normal errors.

    As there, the logarithm of the scale counts half of what it does in the density of the normal distribution.

    Args:
        loc, scale: mean and standard deviation.
        x: where to evaluate.
    """
    loc = convert_to_tensor(loc)
    scale = convert_to_tensor(scale, dtype=loc.dtype)
    return -0.5 * (square((loc - x) / scale) + math.log(2 * math.pi) + log(scale))


def cauchy_log_prob(loc: TensorLike, scale: TensorLike, x: TensorLike) -> Tensor:
    """The logarithm of the density of a Cauchy distribution.

    Args:
        loc, scale: the middle and half the width at half the height.
        x: where to evaluate.
    """
    loc = convert_to_tensor(loc)
    scale = convert_to_tensor(scale, dtype=loc.dtype)
    return -math.log(math.pi) - log(scale) - log1p(square((loc - x) / scale))


def mvn_tril_log_prob(loc: TensorLike, scale_tril: TensorLike, x: TensorLike) -> Tensor:
    """The logarithm of the density of a multivariate normal distribution.

    Args:
        loc: the mean, [..., n].
        scale_tril: the Cholesky factor of the covariance, [..., n, n].
        x: where to evaluate, [..., n].
    """
    scale_tril = convert_to_tensor(scale_tril)
    standard = matrix_triangular_solve(scale_tril, expand_dims(x - convert_to_tensor(loc), -1))[..., 0]
    log_determinant = 2.0 * reduce_sum(log(matrix_diag_part(scale_tril)), axis=-1)
    size = cast(shape(scale_tril)[-1], scale_tril.dtype)
    return -0.5 * (reduce_sum(square(standard), axis=-1) + size * math.log(2 * math.pi) + log_determinant)


def entropy_matched_cauchy_scale(covariance: TensorLike) -> Tensor:
    """The scales of Cauchy distributions that have the entropies of the normal ones along the axes.

    The entropies are log(4 pi scale) and log(2 pi e variance) / 2.

    Args:
        covariance: [..., n, n].

    Returns:
        [..., n].
    """
    covariance = convert_to_tensor(covariance)
    return math.sqrt(math.e / (8 * math.pi)) * sqrt(matrix_diag_part(covariance))


def multivariate_log_prob(mean: Tensor, covariance: Tensor, x: Tensor) -> Tensor:
    """As `mvn_tril_log_prob`, of a covariance.

    Args:
        mean: [..., n].
        covariance: [..., n, n].
        x: [..., n].
    """
    symmetric = 0.5 * (covariance + matrix_transpose(covariance))
    return mvn_tril_log_prob(mean, cholesky(symmetric), x)
