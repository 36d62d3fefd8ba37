"""`MultiHead`: several heads on one model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.estimator.heads.base_head import Head, Metrics, SpecifyingHead, summarize_losses, training_step
from headrace.estimator.heads.checking import split_logits
from headrace.estimator.heads.keys import DEFAULT_SERVING_KEY, PREDICT_SERVING_KEY, MetricKeys
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.keras.metrics.means import Mean
from headrace.ops.flow.grouping import no_op
from headrace.ops.math.add_n import add_n
from headrace.saved_model.export_output import ExportOutput, PredictOutput


class MultiHead(SpecifyingHead):
    """Several heads on one model, whose losses are added.

    Args:
        heads: the heads, each with a name.
        head_weights: the weight of the loss of each; 1 by default.

    Raises:
        ValueError: without heads, if one has no name or that of another, or for another number of weights.

    Example:
        >>> heads = [tf.estimator.MultiLabelHead(2, name="a"), tf.estimator.MultiLabelHead(3, name="b")]
        >>> estimator = tf.estimator.BaselineEstimator(tf.estimator.MultiHead(heads))
    """

    def __init__(self, heads: Sequence[Head], head_weights: Sequence[float] | None = None) -> None:
        if not heads:
            raise ValueError(f"Must specify heads. Given: {heads}")
        if head_weights and len(head_weights) != len(heads):
            raise ValueError(
                f"heads and head_weights must have the same size. Given len(heads): {len(heads)}. Given len(head_weights): "
                f"{len(head_weights)}."
            )
        names = [head.name for head in heads]
        for head in heads:
            if head.name is None:
                raise ValueError(f"All given heads must have name specified. Given: {head}")
        if len(set(names)) < len(names):
            raise ValueError(f"All heads must have unique names. Given: {names}")
        self._heads, self._head_weights = tuple(heads), tuple(head_weights or ())

    @property
    def name(self) -> str:
        """The names of the heads."""
        return "_".join(str(head.name) for head in self._heads)

    @property
    def logits_dimension(self) -> int:
        """That of all heads together."""
        return sum(head.logits_dimension for head in self._heads)

    @property
    def loss_reduction(self) -> str:
        """That of the heads.

        Raises:
            ValueError: if theirs differ, which keeps a model from being trained.
        """
        self._check_reductions()
        return self._heads[0].loss_reduction

    def _check_reductions(self) -> None:
        reductions = [head.loss_reduction for head in self._heads]
        if len(set(reductions)) > 1:
            raise ValueError(f"The loss_reduction must be the same for different heads. Given: {reductions}")

    def _of_heads(self, logits: Any) -> dict[str, Any]:
        """The logits of each head: those of a dict, or parts of the last dimension in the order of the heads."""
        if isinstance(logits, Mapping):
            for head in self._heads:
                if head.name not in logits:
                    raise ValueError(
                        f"logits has missing values for head(s): {head.name}. logits has {sorted(logits)} keys."
                    )
            return {str(head.name): logits[head.name] for head in self._heads}
        return split_logits(logits, {str(head.name): head.logits_dimension for head in self._heads})

    def _labels(self, labels: Any) -> dict[str, Any]:
        """The labels of each head.

        Raises:
            ValueError: if they are no dict, or those of a head are missing.
        """
        if not isinstance(labels, Mapping):
            raise ValueError(f"labels must be a dict. Given: {labels}")
        for head in self._heads:
            if head.name not in labels:
                raise ValueError(
                    f"labels has missing values for head(s): {head.name}. labels has {sorted(labels)} keys."
                )
        return dict(labels)

    def loss(
        self,
        labels: Any,
        logits: Any,
        features: Any = None,
        mode: str | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> Tensor:
        """The weighted sum of the losses of the heads; arguments as of `Head.loss`."""
        parts, by_head = self._of_heads(logits), self._labels(labels)
        losses = [
            head.loss(logits=parts[str(head.name)], labels=by_head[str(head.name)], features=features, mode=mode)
            for head in self._heads
        ]
        with name_scope("merge_losses", values=(*losses, *self._head_weights)):
            if self._head_weights:
                losses = [raw.Mul(loss, weight) for loss, weight in zip(losses, self._head_weights, strict=True)]
            merged = add_n(losses)
            more = add_n(list(regularization_losses)) if regularization_losses is not None else None
            return merged if more is None else merged + more

    def predictions(self, logits: Any, keys: Sequence[str] | None = None) -> dict[Any, Tensor]:
        """The predictions, by (name of the head, name of the prediction)."""
        made: dict[Any, Tensor] = {}
        parts = self._of_heads(logits)
        with name_scope("merge_pred"):
            for head in self._heads:
                for key, value in head.predictions(parts[str(head.name)], keys).items():
                    made[head.name, key] = value
        return made

    def _with_logits(self, logits: Any) -> list[tuple[str, Any, Head]]:
        parts = self._of_heads(logits)
        return [(str(head.name), parts[str(head.name)], head) for head in self._heads]

    def export_outputs(self, predictions: Mapping[Any, Tensor]) -> dict[str, ExportOutput]:
        """The outputs of the heads by "head/signature", that of the first as the default, and all predictions."""
        return self._merged_outputs(
            [
                head.export_outputs({key: value for (name, key), value in predictions.items() if name == head.name})
                for head in self._heads
            ]
        )

    def _merged_outputs(self, outputs: Sequence[Mapping[str, ExportOutput]]) -> dict[str, ExportOutput]:
        made: dict[str, ExportOutput] = {}
        merged: dict[str, Any] = {}
        for head, own in zip(self._heads, outputs, strict=True):
            for signature, output in own.items():
                if signature == DEFAULT_SERVING_KEY:
                    made[str(head.name)] = output
                    made.setdefault(DEFAULT_SERVING_KEY, output)
                    continue
                made[f"{head.name}/{signature}"] = output
                if signature == PREDICT_SERVING_KEY and isinstance(output, PredictOutput):
                    merged.update({f"{head.name}/{key}": value for key, value in output.outputs.items()})
        return {**made, PREDICT_SERVING_KEY: PredictOutput(merged)}

    def metrics(self, regularization_losses: Sequence[Tensor] | None = None) -> Metrics:
        """Metric objects of the loss of each head; those that the heads measure come with the first update."""
        made: Metrics = {}
        if regularization_losses is not None:
            made[self._regularization_key] = Mean(name=MetricKeys.LOSS_REGULARIZATION)
        with name_scope("merge_eval"):
            for head in self._heads:
                key = self._loss_key(head)
                made[key] = Mean(name=key)
        return made

    @property
    def _regularization_key(self) -> str:
        return self._summary_key(MetricKeys.LOSS_REGULARIZATION)

    def _loss_key(self, head: Head) -> str:
        return f"{MetricKeys.LOSS}/{head.name}"

    def _summary_key(self, key: str) -> str:
        return key

    def update_metrics(  # type: ignore[override]  # the order of 1.15's heads, which differs from their base's
        self,
        eval_metrics: Metrics,
        features: Any,
        logits: Any,
        labels: Any,
        regularization_losses: Sequence[Tensor] | None = None,
        mode: str | None = None,
    ) -> Metrics:
        """Updates the metrics of all heads by a batch; arguments as of `Head.update_metrics`."""
        by_head = self._labels(labels)
        if regularization_losses is not None:
            eval_metrics[self._regularization_key].update_state(values=add_n(list(regularization_losses)))
        for name, part, head in self._with_logits(logits):
            loss = head.loss(logits=part, labels=by_head[name], features=features, mode=mode)
            eval_metrics[self._loss_key(head)].update_state(values=loss)
            own = {key: eval_metrics.get(key, metric) for key, metric in head.metrics().items()}
            eval_metrics.update(
                head.update_metrics(own, features=features, logits=part, labels=by_head[name], mode=mode)
            )
        return eval_metrics

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
        with name_scope(self.name, "multi_head"):
            parts = self._of_heads(logits)
            by_head = None if labels is None else self._labels(labels)
            specs = [
                head.create_estimator_spec(
                    features=features,
                    mode=mode,
                    logits=parts[str(head.name)],
                    labels=None if by_head is None else by_head[str(head.name)],
                    train_op_fn=_no_step,
                )
                for head in self._heads
            ]
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                outputs = self._merged_outputs([spec.export_outputs or {} for spec in specs])
                return EstimatorSpec(mode, predictions=predictions, export_outputs=outputs)
            loss = self.loss(labels, logits, features, mode, regularization_losses)
            if mode == ModeKeys.EVAL:
                metrics = self.metrics(regularization_losses=regularization_losses)
                metrics = self.update_metrics(metrics, features, logits, labels, regularization_losses)
                return EstimatorSpec(mode, predictions=predictions, loss=loss, eval_metric_ops=metrics)
            self._check_reductions()
            train_op = training_step(loss, optimizer, trainable_variables, train_op_fn, update_ops, self.loss_reduction)
            summarize_losses(loss, regularization_losses, self._summary_key)
            return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)


def _no_step(loss: Tensor) -> Any:
    """The training step of one head, which does nothing: all are trained together."""
    del loss
    return no_op()
