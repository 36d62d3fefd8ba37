"""Normalization over batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.functions.nn.moments import batch_normalization as normalized
from headrace.functions.nn.moments import moments
from headrace.functions.nn.normalization import fused_batch_norm
from headrace.keras.backend.arrays import ndim
from headrace.keras.backend.devices import has_nchw_support
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.filling import ones_like, zeros_like
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import reshape

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def normalize_batch_in_training(
    x: Any, gamma: Any, beta: Any, reduction_axes: Sequence[int], epsilon: float = 1e-3
) -> tuple[Tensor, Tensor, Tensor]:
    """A batch scaled to mean zero and variance one, then by `gamma` and `beta`.

    Args:
        x: the batch.
        gamma, beta: scale and offset of each channel, or None.
        reduction_axes: the axes over which means are taken.
        epsilon: what is added to the variance.

    Returns:
        the normalized batch, its mean, its variance.
    """
    axes, rank = list(reduction_axes), ndim(x) or 0
    if rank == 4 and (axes == [0, 1, 2] or (axes == [0, 2, 3] and has_nchw_support())):
        channels = x.shape[1 if axes == [0, 2, 3] else 3]
        gamma = constant(1.0, dtype=x.dtype, shape=[channels]) if gamma is None else gamma
        beta = constant(0.0, dtype=x.dtype, shape=[channels]) if beta is None else beta
        order = "NCHW" if axes == [0, 2, 3] else "NHWC"
        return fused_batch_norm(x, gamma, beta, epsilon=epsilon, data_format=order)
    mean, variance = moments(x, axes, None, None, False)
    if sorted(axes) == list(range(rank))[:-1]:
        return normalized(x, mean, variance, beta, gamma, epsilon), mean, variance
    spread = stack([1 if axis in axes else shape(x)[axis] for axis in range(rank)])
    wide_mean, wide_variance = reshape(mean, spread), reshape(variance, spread)
    wide_gamma = None if gamma is None else reshape(gamma, spread)
    wide_beta = None if beta is None else reshape(beta, spread)
    return normalized(x, wide_mean, wide_variance, wide_beta, wide_gamma, epsilon), mean, variance


def batch_normalization(
    x: Any, mean: Any, var: Any, beta: Any, gamma: Any, axis: int = -1, epsilon: float = 1e-3
) -> Tensor:
    """A batch normalized by a given mean and variance.

    Args:
        x: the batch.
        mean, var: the mean and variance of each channel.
        beta, gamma: offset and scale of each channel, or None.
        axis: that of the channels.
        epsilon: what is added to the variance.
    """
    if ndim(x) == 4 and (axis in (3, -1) or (axis == 1 and has_nchw_support())):

        def flat(values: Any) -> Any:
            return reshape(values, [-1]) if len(values.shape) > 1 else values

        mean, var = flat(mean), flat(var)
        beta = zeros_like(mean) if beta is None else flat(beta)
        gamma = ones_like(mean) if gamma is None else flat(gamma)
        return fused_batch_norm(
            x,
            gamma,
            beta,
            epsilon=epsilon,
            mean=mean,
            variance=var,
            data_format="NCHW" if axis == 1 else "NHWC",
            is_training=False,
        )[0]
    return normalized(x, mean, var, beta, gamma, epsilon)
