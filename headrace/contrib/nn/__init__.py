"""What 1.x kept of neural networks in contrib."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from headrace.kernels import composing
from headrace.ops.random.uniform import random_uniform

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


# What selu tends to far below 0: -scale * alpha.
_SELU_LIMIT = -1.7580993408473766


def alpha_dropout(
    x: TensorLike,
    keep_prob: TensorLike,
    noise_shape: Sequence[int] | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Dropout for networks of selu units: mean and variance stay as they are.

    Klambauer et al., "Self-normalizing neural networks", arXiv:1706.02515.

    Args:
        x: a floating-point tensor.
        keep_prob: scalar: the probability that an element is kept.
        noise_shape: int vector: the shape of the choices, which are broadcast; by default that of `x`.
        seed: the seed of the operation.
        name: a name for the operations.

    Returns:
        a tensor like `x`; `x` itself if everything is kept.

    Raises:
        ValueError: if `keep_prob` is not in (0, 1] or no scalar.

    Example:
        >>> tf.contrib.nn.alpha_dropout(tf.nn.selu(x), 0.9)
    """
    with name_scope(name, "alpha_dropout", [x]):
        x = convert_to_tensor(x, name="x")
        if isinstance(keep_prob, numbers.Real) and not 0 < float(keep_prob) <= 1.0:
            raise ValueError(f"keep_prob must be a scalar tensor or a float in the range (0, 1], got {keep_prob:g}")
        keep = convert_to_tensor(keep_prob, x.dtype, name="keep_prob")
        keep.get_shape().assert_has_rank(0)
        if constant_value(keep) == 1:
            return x
        shape = composing.shape(x) if noise_shape is None else noise_shape
        kept = raw.GreaterEqual(random_uniform(shape, seed=seed, dtype=x.dtype), 1 - keep)
        kept = composing.cast(kept, x.dtype)
        x = x * kept + _SELU_LIMIT * (1 - kept)
        # The affine map back to mean 0 and variance 1.
        scale = (keep + keep * (1 - keep) * _SELU_LIMIT**2) ** -0.5
        shift = -scale * _SELU_LIMIT * (1 - keep)
        return scale * x + shift


def deprecated_flipped_softmax_cross_entropy_with_logits(
    logits: TensorLike, labels: TensorLike, dim: int = -1, name: str | None = None
) -> Tensor:
    """`tf.nn.softmax_cross_entropy_with_logits` with its arguments in the order of TensorFlow 0.x."""
    return softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def deprecated_flipped_sparse_softmax_cross_entropy_with_logits(
    logits: TensorLike, labels: Sequence[TensorLike], name: str | None = None
) -> Tensor:
    """`tf.nn.sparse_softmax_cross_entropy_with_logits` with its arguments in the order of TensorFlow 0.x."""
    return sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def deprecated_flipped_sigmoid_cross_entropy_with_logits(
    logits: TensorLike, targets: TensorLike, name: str | None = None
) -> Tensor:
    """`tf.nn.sigmoid_cross_entropy_with_logits` with its arguments in the order of TensorFlow 0.x."""
    return sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)


def scaled_softplus(
    x: TensorLike, alpha: TensorLike, clip: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """`alpha * log(1 + exp(x / alpha))`, no more than `clip`.

    Args:
        x: a floating-point tensor.
        alpha: a tensor that broadcasts to `x`: how far below 0 the bend begins.
        clip: a tensor that broadcasts to `x`, or None.
        name: a name for the operations.

    Returns:
        a tensor like `x`.

    Example:
        >>> tf.contrib.nn.scaled_softplus(x, 0.1, clip=6.0)
    """
    with name_scope(name, "scaled_softplus", [x, alpha, clip]):
        x = convert_to_tensor(x, name="x")
        alpha = convert_to_tensor(alpha, x.dtype, name="alpha")
        y = alpha * raw.Softplus(x / alpha)
        return y if clip is None else raw.Minimum(y, convert_to_tensor(clip, x.dtype, name="clip"))
