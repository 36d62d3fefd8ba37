"""A head of `tf.contrib.learn` with a loss of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.target_columns import ProblemType
from headrace.contrib.learn.heads import Head
from headrace.contrib.learn.metric_spec import ModeKeys, PredictionKey
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.core.composite import SparseTensor
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_mean
from headrace.kernels.composing.filling import ones_like
from headrace.kernels.composing.shapes import expand_dims
from headrace.metrics.means import mean

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.current_scope import VariableScope


class CustomLossHead(Head):
    """A head whose loss is a function of labels, weights and logits.

    Args:
        loss_fn: of labels, weights and logits; returns the losses of examples, and an operation.
        link_fn: what makes predictions of logits.
        logit_dimension: how many logits there are.
        head_name: a name for summaries.
        weight_column_name: the key of the examples' weights among the features.
        metrics_fn: of predictions and labels, or of predictions, labels and weights; returns metrics by name.
    """

    def __init__(
        self,
        loss_fn: Callable[[Any, Any, Tensor], tuple[Tensor, Any]],
        link_fn: Callable[[Tensor], Any],
        logit_dimension: int,
        head_name: str | None = None,
        weight_column_name: str | None = None,
        metrics_fn: Callable[..., Mapping[str, Any]] | None = None,
    ) -> None:
        self._loss_fn, self._link_fn, self._logit_dimension = loss_fn, link_fn, logit_dimension
        self._head_name, self._weight_column_name, self._metrics_fn = head_name, weight_column_name, metrics_fn

    @property
    def logits_dimension(self) -> int:
        """How many logits there are for an example."""
        return self._logit_dimension

    def _weights(self, features: Mapping[str, Any], logits: Tensor) -> Tensor:
        if self._weight_column_name is None:
            return ones_like(logits[:, :1])
        weights: Tensor = features[self._weight_column_name]
        return expand_dims(weights, 1) if weights.shape.ndims == 1 else weights

    def create_model_fn_ops(
        self,
        features: Mapping[str, Any],
        mode: str,
        labels: TensorLike | SparseTensor | Mapping[str, Tensor] | None = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        logits: TensorLike | None = None,
        logits_input: TensorLike | None = None,
        scope: str | VariableScope | None = None,
    ) -> ModelFnOps:
        if logits is None or logits_input is not None:
            raise ValueError("A head with a loss of one's own takes logits, and no logits_input.")
        if not isinstance(logits, Tensor):
            raise TypeError(f"logits must be a tensor, got {logits!r}")
        predictions = {PredictionKey.SCORES: self._link_fn(logits)}
        alternatives: dict[Any, Any] = {None: (ProblemType.UNSPECIFIED, predictions)}
        if mode == ModeKeys.INFER:
            return ModelFnOps(mode, predictions, output_alternatives=alternatives)
        weights = self._weights(features, logits)
        known = labels if not isinstance(labels, Tensor) or labels.shape.ndims != 1 else expand_dims(labels, 1)
        losses = self._loss_fn(known, weights, logits)[0]
        loss = reduce_mean(losses)
        metrics = dict(self._metrics_fn(predictions, known, weights)) if self._metrics_fn else {"loss": mean(loss)}
        if mode == ModeKeys.TRAIN and train_op_fn is None:
            raise ValueError("train_op_fn can not be None in TRAIN mode.")
        train_op = train_op_fn(loss) if mode == ModeKeys.TRAIN and train_op_fn is not None else None
        return ModelFnOps(mode, predictions, loss, train_op, metrics, alternatives)
