"""Sparsemax: like softmax, but with probabilities of exactly 0 (Martins and Astudillo, arXiv:1602.02068)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


__all__ = ["sparsemax", "sparsemax_loss"]


def sparsemax(logits: TensorLike, name: str | None = None) -> Tensor:
    """The point of the probability simplex nearest to each row.

    Args:
        logits: float32 or float64 matrix [batch, classes].
        name: a name for the operations.

    Returns:
        a matrix of the same shape whose rows add up to 1; NaN for rows that have NaN, or nothing but minus infinity.

    Example:
        >>> tf.Session().run(tf.contrib.sparsemax.sparsemax([[1.0, 0.5, -1.0]]))
        array([[0.75, 0.25, 0.  ]], dtype=float32)
    """
    with name_scope(name, "sparsemax", [logits]):
        z = convert_to_tensor(logits, name="logits")
        shape = composing.shape(z)
        rows, classes = shape[0], shape[1]
        descending = raw.TopKV2(z, classes)[0]
        sums = raw.Cumsum(descending, 1)
        numbers = composing.cast(raw.Range(1, classes + 1, 1), z.dtype)
        # The support is as large as 1 + k z_(k) stays above the sum of the k largest.
        inside = composing.cast(raw.Greater(1.0 + numbers * descending, sums), "int32")
        size = raw.Sum(inside, 1)
        places = raw.Pack([raw.Range(0, rows, 1), raw.Maximum(size, 1) - 1], axis=1)
        threshold = (raw.GatherNd(sums, places) - 1.0) / composing.cast(size, z.dtype)
        projected = raw.Maximum(convert_to_tensor(0, z.dtype), z - composing.expand_dims(threshold, 1))
        wrong = raw.LogicalOr(raw.Equal(size, 0), raw.IsNan(sums[:, -1]))
        nothing = raw.Fill(shape, convert_to_tensor(float("nan"), z.dtype))
        return raw.Select(wrong, nothing, projected)


def sparsemax_loss(logits: TensorLike, sparsemax: TensorLike, labels: TensorLike, name: str | None = None) -> Tensor:
    """The loss whose gradient is the difference of sparsemax and labels.

    Args:
        logits: float32 or float64 matrix [batch, classes].
        sparsemax: the sparsemax of `logits`.
        labels: probabilities [batch, classes].
        name: a name for the operations.

    Returns:
        a vector [batch].

    Example:
        >>> probabilities = tf.contrib.sparsemax.sparsemax(logits)
        >>> loss = tf.contrib.sparsemax.sparsemax_loss(logits, probabilities, tf.one_hot(labels, 2))
    """
    with name_scope(name, "sparsemax_loss", [logits, sparsemax, labels]):
        z = convert_to_tensor(logits, name="logits")
        p = convert_to_tensor(sparsemax, name="sparsemax")
        q = convert_to_tensor(labels, name="labels")
        zero = convert_to_tensor(0, z.dtype)
        # Minus infinity times a probability of 0 is nothing.
        there = raw.LogicalOr(raw.Greater(p, zero), raw.IsNan(p))
        ours = raw.Select(there, p * (z - 0.5 * p), raw.ZerosLike(p))
        absent = raw.LogicalAnd(raw.Equal(q, zero), raw.IsInf(z))
        theirs = raw.Select(absent, raw.ZerosLike(z), q * (0.5 * q - z))
        return raw.Sum(ours + theirs, 1)
