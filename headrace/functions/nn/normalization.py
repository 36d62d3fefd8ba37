"""Batch normalization of images by one op (Ioffe and Szegedy, arXiv:1502.03167)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


# cuDNN takes no smaller one.
_MIN_EPSILON = 1.001e-5


def fused_batch_norm(
    x: TensorLike,
    scale: Any,
    offset: Any,
    mean: TensorLike | None = None,
    variance: TensorLike | None = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalization of images: (x - mean) / sqrt(variance + epsilon) * scale + offset, for each channel.

    Args:
        x: float32, float16 or bfloat16, [batch, height, width, channels] ("NHWC") or "NCHW".
        scale, offset: float32, [channels].
        mean, variance: float32, [channels], to normalize with; None in training, where those of `x` are used.
        epsilon: added to the variance; at least 1.001e-5.
        data_format: "NHWC" or "NCHW".
        is_training: whether to use the mean and variance of `x`.
        name: a name for the operation.

    Returns:
        (y, batch_mean, batch_variance): in training the mean and the unbiased variance of `x`, else those given.

    Raises:
        ValueError: if mean or variance is given in training, or shapes do not fit.
    """
    x = convert_to_tensor(x, name="input")
    scale = convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    if is_training and (mean is not None or variance is not None):
        raise ValueError("Both 'mean' and 'variance' must be None if is_training is True.")
    mean = constant([]) if mean is None else mean
    variance = constant([]) if variance is None else variance
    found = raw.FusedBatchNormV3(
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon=max(epsilon, _MIN_EPSILON),
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return found[0], found[1], found[2]
