"""Cross entropies of targets and predictions, from probabilities or from what they were computed of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import as_dtype
from headrace.core.eager import EagerTensor
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from headrace.keras.backend_config import epsilon
from headrace.kernels.composing.arranging import transpose
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.ops.math.clip import clip_by_value
from headrace.ops.math.unary import log
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _scores(output: Any, activation: str) -> Tensor | None:
    """What an activation was applied to, which gives exacter results; None if `output` is not of that one."""
    if isinstance(output, Tensor) and not isinstance(output, EagerTensor) and output.op.type == activation:
        return output.op.inputs[0]
    return None


def _within(output: Any) -> Tensor:
    """Probabilities that are neither 0 nor 1."""
    small = convert_to_tensor(epsilon(), dtype=as_dtype(output.dtype).base_dtype)
    return clip_by_value(output, small, 1.0 - small)


def categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Tensor:
    """The cross entropy of distributions over classes.

    Args:
        target: the true distributions.
        output: the predicted ones, or with `from_logits` what softmax would be applied to. What a softmax gave counts
            as the latter.
        from_logits: see above.
        axis: that of the classes.
    """
    if not from_logits:
        scores = _scores(output, "Softmax")
        if scores is None:
            output = _within(output / reduce_sum(output, axis, True))
            return -reduce_sum(target * log(output), axis)
        output = scores
    return softmax_cross_entropy_with_logits_v2(labels=target, logits=output, axis=axis)


def sparse_categorical_crossentropy(target: Any, output: Any, from_logits: bool = False, axis: int = -1) -> Tensor:
    """The cross entropy of distributions over classes where the truth is one class each.

    Args:
        target: the numbers of the true classes.
        output: the predicted distributions, or with `from_logits` what softmax would be applied to. What a softmax gave
            counts as the latter.
        from_logits: see above.
        axis: that of the classes.
    """
    if not from_logits:
        if not isinstance(output, (Tensor, Variable)):
            raise AttributeError(
                f"{type(output).__name__!r} object has no attribute 'op': the predicted distributions are a tensor; make one "
                "by `tf.convert_to_tensor`."
            )
        scores = _scores(output, "Softmax")
        output = log(_within(output)) if scores is None else scores
    elif isinstance(output, np.ndarray):
        output = convert_to_tensor(output)
    rank = output.shape.rank
    if rank is not None and axis % rank != rank - 1:
        axis %= rank
        output = transpose(output, perm=[*range(axis), *range(axis + 1, rank), axis])
    target = cast(target, "int64")
    sizes = shape(output)
    labels_rank = target.shape.rank
    flat = None not in (labels_rank, rank) and labels_rank != rank - 1
    if flat:
        target = reshape(target, [-1])
        output = reshape(output, [-1, sizes[-1]])
    losses = sparse_softmax_cross_entropy_with_logits(labels=target, logits=output)
    return reshape(losses, sizes[:-1]) if flat and rank >= 3 else losses


def binary_crossentropy(target: Any, output: TensorLike, from_logits: bool = False) -> Tensor:
    """The cross entropy of probabilities, for each element.

    Args:
        target: the true ones.
        output: the predicted ones, or with `from_logits` what a sigmoid would be applied to. What a sigmoid gave counts
            as the latter.
        from_logits: see above.
    """
    if not from_logits:
        scores = _scores(output, "Sigmoid")
        if scores is None:
            output = _within(output)
            loss = target * log(output + epsilon())
            loss += (1 - target) * log(1 - output + epsilon())
            return -loss
        output = scores
    return sigmoid_cross_entropy_with_logits(labels=target, logits=output)
