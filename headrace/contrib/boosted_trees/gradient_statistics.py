"""Gradients and Hessians of each example, in the shape that the strategy for several classes asks for."""

from __future__ import annotations

from typing import NamedTuple

from headrace.autodiff.gradients import gradients as gradients_of
from headrace.core.dtypes import float32
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.filling import zeros_like
from headrace.kernels.composing.shapes import expand_dims
from headrace.messages.boosted_tree_protos import LearnerConfig
from headrace.ops.array.gather import gather
from headrace.ops.array.join import unstack
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import where


class ExampleStatistics(NamedTuple):
    """A gradient and a Hessian for each example, and its weight among the quantiles, of shape [examples, 1]."""

    gradients: Tensor
    hessians: Tensor
    weights: Tensor


class GradientShapes:
    """How gradients and Hessians of an example look.

    Args:
        strategy: a number of `LearnerConfig.MultiClassStrategy`.
        logits: how many logits there are.
    """

    def __init__(self, strategy: int, logits: int) -> None:
        self.strategy, self.logits = strategy, logits
        if strategy == LearnerConfig.TREE_PER_CLASS:
            self.gradient, self.hessian = TensorShape([]), TensorShape([])
        elif strategy == LearnerConfig.FULL_HESSIAN:
            self.gradient, self.hessian = TensorShape([logits]), TensorShape([logits, logits])
        else:
            self.gradient, self.hessian = TensorShape([logits]), TensorShape([logits])

    def statistics(
        self, loss: Tensor, predictions: Tensor, class_id: Tensor, gradients: Tensor | None, hessians: Tensor | None
    ) -> ExampleStatistics:
        """The statistics of a batch.

        Args:
            loss: a scalar.
            predictions: logits, of shape [examples, logits].
            class_id: the class that the tree is of, where each tree is of one.
            gradients: of the loss by the predictions; computed if None.
            hessians: likewise.
        """
        first = gradients_of(loss, predictions, name="Gradients")[0] if gradients is None else gradients
        first = raw.Cast(first, DstT=float32) if first.dtype != float32 else first
        if self.strategy == LearnerConfig.TREE_PER_CLASS:
            found, second = self._of_one_class(first, predictions, class_id, hessians)
            return ExampleStatistics(found, second, expand_dims(second, 1))
        second = hessians if hessians is not None else self._second(first, predictions)
        weights = raw.MatrixDiagPart(second) if self.strategy == LearnerConfig.FULL_HESSIAN else second
        return ExampleStatistics(first, second, reduce_sum(weights, axis=1, keepdims=True))

    def _of_one_class(
        self, first: Tensor, predictions: Tensor, class_id: Tensor, hessians: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        if self.logits == 1:
            second = _derivative(first, predictions) if hessians is None else hessians
            return reshape(first, [-1]), reshape(second, [-1])
        second = self._diagonal(first, predictions) if hessians is None else hessians
        return gather(first, class_id, axis=1), gather(second, class_id, axis=1)

    def _second(self, first: Tensor, predictions: Tensor) -> Tensor:
        if self.strategy == LearnerConfig.FULL_HESSIAN:
            return stack([_derivative(column, predictions) for column in unstack(first, self.logits, axis=1)], axis=2)
        return self._diagonal(first, predictions)

    def _diagonal(self, first: Tensor, predictions: Tensor) -> Tensor:
        columns = unstack(first, self.logits, axis=1)
        return stack([_derivative(column, predictions)[:, place] for place, column in enumerate(columns)], axis=1)

    def bias_change(self, gradients: Tensor, hessians: Tensor) -> Tensor:
        """What makes the loss of all examples least, from its derivatives by their common bias: a step for each logit."""
        if self.strategy == LearnerConfig.FULL_HESSIAN:
            hessians = raw.MatrixDiagPart(hessians)
        steps = where(raw.Greater(hessians, 0.0), raw.RealDiv(raw.Neg(gradients), hessians), zeros_like(gradients))
        return reshape(steps, [-1])


def _derivative(values: Tensor, predictions: Tensor) -> Tensor:
    """The derivatives of the sum of values by predictions; 0 where they do not depend on them."""
    found = gradients_of(values, predictions, name="Hessian")[0]
    return zeros_like(predictions) if found is None else found
