"""Activations, as functions of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.registry import raw
from headrace.functions.nn.dropout import dropout as dropout_of
from headrace.functions.nn.moments import l2_normalize as normalized
from headrace.ops.array.where import where
from headrace.ops.math import unary
from headrace.ops.math.cast import cast
from headrace.ops.math.clip import clip_by_value
from headrace.ops.math.comparison import greater
from headrace.ops.nn import activations as nn
from headrace.ops.nn.softmax import softmax as softmax_of
from headrace.ops.nn.topk import in_top_k as are_in_top_k

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def relu(x: Any, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0) -> Tensor:
    """The rectified linear unit: `x` where it is above the threshold.

    Args:
        x: a tensor.
        alpha: the slope below the threshold.
        max_value: the greatest output.
        threshold: below it the output is `alpha * (x - threshold)`.
    """
    if alpha != 0.0:
        if max_value is None and threshold == 0:
            return nn.leaky_relu(x, alpha=alpha)
        negative = nn.relu(-x + threshold) if threshold != 0 else nn.relu(-x)
    clipped = max_value is not None
    if threshold != 0:
        x = x * cast(greater(x, threshold), x.dtype)
    elif max_value == 6:
        # The operation that does both.
        x, clipped = nn.relu6(x), False
    else:
        x = nn.relu(x)
    if clipped:
        dtype = as_dtype(x.dtype).base_dtype
        x = clip_by_value(x, convert_to_tensor(0.0, dtype=dtype), convert_to_tensor(max_value, dtype=dtype))
    if alpha != 0.0:
        x = x - convert_to_tensor(alpha, dtype=as_dtype(x.dtype).base_dtype) * negative
    return x


def elu(x: Any, alpha: float = 1.0) -> Tensor:
    """The exponential linear unit: `x` where it is positive, else `alpha * (exp(x) - 1)`."""
    made = nn.elu(x)
    return made if alpha == 1 else where(greater(x, 0), made, alpha * made)


def softmax(x: TensorLike, axis: int = -1) -> Tensor:
    """Positive numbers that sum to one along an axis."""
    return softmax_of(x, axis=axis)


def softplus(x: TensorLike) -> Tensor:
    """`log(exp(x) + 1)`."""
    return nn.softplus(x)


def softsign(x: TensorLike) -> Tensor:
    """`x / (abs(x) + 1)`."""
    return nn.softsign(x)


def sigmoid(x: TensorLike) -> Tensor:
    """`1 / (1 + exp(-x))`."""
    return unary.sigmoid(x)


def tanh(x: TensorLike) -> Tensor:
    """The hyperbolic tangent."""
    return unary.tanh(x)


def hard_sigmoid(x: Any) -> Tensor:
    """A sigmoid of three straight lines: `0.2 * x + 0.5`, between 0 and 1."""
    dtype = as_dtype(x.dtype).base_dtype
    slope, middle = convert_to_tensor(0.2, dtype=dtype), convert_to_tensor(0.5, dtype=dtype)
    return clip_by_value(raw.Add(raw.Mul(x, slope), middle), 0.0, 1.0)


def dropout(x: TensorLike, level: float, noise_shape: Any = None, seed: int | None = None) -> Tensor:
    """The tensor with some elements set to zero and the others scaled up.

    Args:
        x: a tensor.
        level: the share of elements that become zero.
        noise_shape: the shape of what is drawn, where elements share their lot.
        seed: that of the numbers; drawn by NumPy by default.
    """
    if seed is None:
        seed = np.random.randint(10_000_000)
    return dropout_of(x, rate=level, noise_shape=noise_shape, seed=seed)


def l2_normalize(x: TensorLike, axis: Any = None) -> Tensor:
    """The tensor scaled to a norm of one along axes."""
    return normalized(x, axis=axis)


def in_top_k(predictions: TensorLike, targets: TensorLike, k: int) -> Tensor:
    """Whether the target of each row is among the `k` greatest predictions."""
    return are_in_top_k(predictions, targets, k)
