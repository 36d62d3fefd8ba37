"""`Head`: what a model's logits mean."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.estimator.heads.checking import checked_list
from headrace.estimator.heads.keys import MetricKeys, summary_key
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.functions.weights import broadcast_weights
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.keras.utils.losses_utils import ReductionV2, compute_weighted_loss, scale_loss_for_distribution
from headrace.ops.flow.grouping import group
from headrace.ops.math.add_n import add_n
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.keras.metrics.base import Metric
    from headrace.saved_model.export_output import ExportOutput

Metrics = dict[str, Any]


class Head(abc.ABC):
    """What a model's logits mean: its loss, predictions, metrics and exports.

    Example:
        >>> head = tf.estimator.BinaryClassHead()
        >>> estimator = tf.estimator.BaselineEstimator(head)
    """

    @property
    @abc.abstractmethod
    def name(self) -> str | None:
        """Its name, which is part of those of its metrics."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """The size of the last dimension of the logits."""

    @property
    @abc.abstractmethod
    def loss_reduction(self) -> str:
        """How the losses of a batch become one."""

    @abc.abstractmethod
    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: str | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> Tensor:
        """The loss of a batch, a scalar.

        Args:
            labels, logits: tensors.
            features: from key to tensor, for weights.
            mode: a `ModeKeys`.
            regularization_losses: losses that are added.
        """

    @abc.abstractmethod
    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[str, Tensor]:
        """The predictions by name.

        Args:
            logits: tensor.
            keys: which ones; all by default.
        """

    @abc.abstractmethod
    def metrics(self, regularization_losses: Sequence[Tensor] | None = None) -> Metrics:
        """Metric objects by name.

        Args:
            regularization_losses: for their mean, if there are any.
        """

    @abc.abstractmethod
    def update_metrics(
        self,
        eval_metrics: Metrics,
        features: Any,
        logits: Any,
        labels: Any,
        mode: str | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> Metrics:
        """Updates what `metrics` made by a batch, and returns it.

        Args:
            eval_metrics: the metric objects.
            features, logits, labels: of the batch.
            mode: a `ModeKeys`.
            regularization_losses: as for `loss`.
        """

    def _summary_key(self, key: str) -> str:
        return summary_key(self.name, key)

    def export_outputs(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        """The outputs of an exported model by signature."""
        raise NotImplementedError(f"{type(self).__name__} exports nothing by itself: give `create_estimator_spec`.")

    def _create_tpu_estimator_spec(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("TPUEstimatorSpec not available for this model head.")

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Sequence[Any] | None = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        update_ops: Sequence[Any] | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> EstimatorSpec:
        """What a model function returns.

        Args:
            features, labels: of the batch.
            mode: a `ModeKeys`.
            logits: a tensor whose last dimension is `logits_dimension`.
            optimizer: a `tf.keras.optimizers.Optimizer`, which trains `trainable_variables`.
            trainable_variables: a list.
            train_op_fn: of the loss; it returns the operation of a training step. Instead of `optimizer`.
            update_ops: what each training step runs besides, such as updates of moving averages.
            regularization_losses: losses that are added.

        Raises:
            ValueError: for training, without `optimizer` and `train_op_fn` or with both.
        """
        # Heads of programs may have written the other one instead.
        try:
            spec = self._create_tpu_estimator_spec(
                features=features,
                mode=mode,
                logits=logits,
                labels=labels,
                optimizer=optimizer,
                trainable_variables=trainable_variables,
                train_op_fn=train_op_fn,
                update_ops=update_ops,
                regularization_losses=regularization_losses,
            )
        except NotImplementedError as error:
            raise NotImplementedError(
                "Subclasses of Head must implement `create_estimator_spec()` or _create_tpu_estimator_spec()."
            ) from error
        return spec.as_estimator_spec()


class SpecifyingHead(Head):
    """A head that makes its `EstimatorSpec` of its loss, predictions, metrics and exports."""

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        trainable_variables: Sequence[Any] | None = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        update_ops: Sequence[Any] | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> EstimatorSpec:
        """What a model function returns; arguments as of `Head.create_estimator_spec`."""
        with name_scope(self.name, "head"):
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions=predictions, export_outputs=self.export_outputs(predictions))
            loss = self.loss(
                labels=labels,
                logits=logits,
                features=features,
                mode=mode,
                regularization_losses=regularization_losses,
            )
            if mode == ModeKeys.EVAL:
                metrics = self.metrics(regularization_losses=regularization_losses)
            else:
                train_op = training_step(
                    loss, optimizer, trainable_variables, train_op_fn, update_ops, self.loss_reduction
                )
        if mode == ModeKeys.EVAL:
            metrics = self.update_metrics(
                metrics,
                features=features,
                logits=logits,
                labels=labels,
                regularization_losses=regularization_losses,
            )
            return EstimatorSpec(mode, predictions=predictions, loss=loss, eval_metric_ops=metrics)
        summarize_losses(loss, regularization_losses, self._summary_key)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)


class SingleHead(SpecifyingHead):
    """What heads of one label share.

    Args:
        weight_column: the key or numeric column of the weights of examples.
        loss_reduction: how the losses of a batch become one.
        name: its name.
    """

    # The scope of the check that labels are classes, and what it says.
    label_check: tuple[str, str] = ("check_label_range", "Labels must be <= n_classes - 1")
    # Whether operations come in the order of 1.15's canned heads, which is another one.
    in_canned_order = False
    _weight_column: Any
    _loss_reduction: str
    _name: str | None

    @property
    def name(self) -> str | None:
        """Its name."""
        return self._name

    @property
    def loss_reduction(self) -> str:
        """How the losses of a batch become one."""
        return self._loss_reduction

    @property
    def weight_column(self) -> Any:
        """The key or column of the weights of examples."""
        return self._weight_column

    @abc.abstractmethod
    def processed_labels(self, logits: Tensor, labels: Any) -> Tensor:
        """Labels as the losses take them."""

    @abc.abstractmethod
    def checked_logits(self, logits: Any) -> Tensor:
        """Logits, whose last dimension was checked."""

    @abc.abstractmethod
    def losses_and_weights(self, logits: Tensor, labels: Tensor, features: Any) -> tuple[Tensor, Any]:
        """The losses of examples before weighting, [batch, …, 1], and their weights."""

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: str | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> Tensor:
        """The loss of a batch; arguments as of `Head.loss`."""
        with name_scope(None, "losses", (logits, labels, regularization_losses, features)):
            logits = self.checked_logits(logits)
            labels = self.processed_labels(logits, labels)
            losses, weights = self.losses_and_weights(logits, labels, features)
            loss = compute_weighted_loss(losses, sample_weight=weights, reduction=self._loss_reduction)
            more = add_n(list(regularization_losses)) if regularization_losses is not None else None
            return loss if more is None else loss + more

    @property
    def _regularization_key(self) -> str:
        return self._summary_key(MetricKeys.LOSS_REGULARIZATION)

    def _update_regularization(self, metrics: Metrics, losses: Sequence[Tensor] | None) -> None:
        if losses is not None:
            metrics[self._regularization_key].update_state(values=add_n(list(losses)))


def update_broadcast(eval_metric: Metric, values: Tensor, weights: Any) -> None:
    """Updates a mean by values whose weights are those of their examples."""
    if weights is not None:
        weights = broadcast_weights(weights, values)
    eval_metric.update_state(values=values, sample_weight=weights)


def check_optimizer(optimizer: object) -> None:
    """Raises ValueError unless an optimizer is one of Keras."""
    if not isinstance(optimizer, OptimizerV2):
        raise ValueError(f"The given optimizer is not a tf.keras.optimizers.Optimizer instance. Given: {optimizer}")


def check_trainable_variables(trainable_variables: Sequence[Any] | None = None) -> None:
    """Raises ValueError unless variables to train are a list or a tuple."""
    if trainable_variables is None:
        raise ValueError("trainable_variables cannot be None. Given None.")
    checked_list(trainable_variables, "trainable_variables")


def training_step(
    loss: Tensor,
    optimizer: Any,
    trainable_variables: Sequence[Any] | None,
    train_op_fn: Callable[[Tensor], Any] | None,
    update_ops: Sequence[Any] | None,
    loss_reduction: str,
) -> Any:
    """The operation of a training step; arguments as of `Head.create_estimator_spec`, and how the loss was reduced."""
    # The scope in which Keras's own models make their optimizers' variables.
    with name_scope(""), name_scope("training"):
        if optimizer is not None:
            if train_op_fn is not None:
                raise ValueError("train_op_fn and optimizer cannot both be set.")
            check_optimizer(optimizer)
            check_trainable_variables(trainable_variables)
            if loss_reduction == ReductionV2.SUM_OVER_BATCH_SIZE:
                loss = scale_loss_for_distribution(loss)
            train_op = optimizer.get_updates(loss, trainable_variables)[0]
        elif train_op_fn is not None:
            train_op = train_op_fn(loss)
        else:
            raise ValueError("train_op_fn and optimizer cannot both be None.")
        if update_ops is not None:
            train_op = group(train_op, *checked_list(update_ops, "update_ops"))
        return train_op


def summarize_losses(
    loss: Tensor, regularization_losses: Sequence[Tensor] | None, key_of: Callable[[str], str]
) -> None:
    """Writes the summaries of a training step's losses."""
    with name_scope(""):
        scalar(key_of(MetricKeys.LOSS), loss)
        if regularization_losses is not None:
            scalar(key_of(MetricKeys.LOSS_REGULARIZATION), add_n(list(regularization_losses)))


def dense(labels: Any) -> Any:
    """Labels of several classes, sparse ones as numbers filled up with -1 or ""."""
    if not isinstance(labels, SparseTensor):
        return labels
    return raw.SparseToDense(
        labels.indices, labels.dense_shape, labels.values, "" if labels.dtype.name == "string" else -1
    )
