"""Several heads of 1.x on one model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.estimator.heads.canned_heads import CannedHead, LossSpec, training_step
from headrace.estimator.heads.checking import split_logits
from headrace.estimator.heads.keys import DEFAULT_SERVING_KEY, PREDICT_SERVING_KEY, MetricKeys, summary_key
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.metrics.means import mean
from headrace.ops.flow.grouping import no_op
from headrace.ops.math.add_n import add_n
from headrace.saved_model.export_output import ExportOutput, PredictOutput
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def multi_head(heads: Sequence[CannedHead], head_weights: Sequence[float] | None = None) -> CannedHead:
    """A head that is several ones, whose losses are added.

    Logits and labels are dicts by the names of the heads; logits may be one tensor, whose last dimension is parted in the
    order of the heads.

    Args:
        heads: the heads, each with a name.
        head_weights: the weight of the loss of each; 1 by default.

    Raises:
        ValueError: without heads, if one has no name, or for another number of weights.

    Example:
        >>> head1 = tf.contrib.estimator.multi_label_head(n_classes=2, name="head1")
        >>> head2 = tf.contrib.estimator.multi_label_head(n_classes=3, name="head2")
        >>> head = tf.contrib.estimator.multi_head([head1, head2], head_weights=[1.0, 0.5])
    """
    if head_weights and len(head_weights) != len(heads):
        raise ValueError(
            f"heads and head_weights must have the same size. Given len(heads): {len(heads)}. Given len(head_weights): "
            f"{len(head_weights)}."
        )
    if not heads:
        raise ValueError(f"Must specify heads. Given: {heads}")
    for head in heads:
        if not head.name:
            raise ValueError(f"All given heads must have name specified. Given: {head}")
    return MultipleHeads(heads, head_weights)


class MultipleHeads(CannedHead):
    """What `multi_head` returns; arguments as there."""

    def __init__(self, heads: Sequence[CannedHead], head_weights: Sequence[float] | None) -> None:
        self._heads, self._head_weights = tuple(heads), tuple(head_weights or ())

    @property
    def name(self) -> str:
        """The names of the heads."""
        return "_".join(str(head.name) for head in self._heads)

    @property
    def logits_dimension(self) -> int:
        """That of all heads together."""
        return sum(head.logits_dimension for head in self._heads)

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """The losses of a batch, all but the training loss as dicts by head.

        Args:
            features: from key to tensor, for weights.
            mode: a `ModeKeys`.
            logits: a tensor, or from the name of a head to its own.
            labels: from the name of a head to its own.
        """
        by_head = self._of_heads(logits)
        training: list[Tensor] = []
        unreduced, weights, processed = {}, {}, {}
        for i, head in enumerate(self._heads):
            name = str(head.name)
            made = head.create_loss(features=features, mode=mode, logits=by_head[name], labels=labels[name])
            training.append(made.training_loss)
            unreduced[name], processed[name] = made.unreduced_loss, made.processed_labels
            weights[name] = made.weights
            if self._head_weights:
                unreduced[name] = raw.Mul(unreduced[name], self._head_weights[i])
                weights[name] = raw.Mul(self._head_weights[i], made.weights)
        return LossSpec(self._merged(training), unreduced, weights, processed)

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Tensor], Any] | None = None,
        regularization_losses: Sequence[Tensor] | None = None,
    ) -> EstimatorSpec:
        """What a model function returns.

        Args:
            features: of the batch.
            mode: a `ModeKeys`.
            logits, labels: as for `create_loss`.
            optimizer: a `tf.train.Optimizer`.
            train_op_fn: of the loss; it returns the operation of a training step. Instead of `optimizer`.
            regularization_losses: losses that are added once.

        Raises:
            ValueError: for training, without `optimizer` and `train_op_fn` or with both.
        """
        by_head = self._of_heads(logits)
        specs = []
        for head in self._heads:
            own = labels[head.name] if labels else None
            spec = head.create_estimator_spec(
                features=features, mode=mode, logits=by_head[str(head.name)], labels=own, train_op_fn=_no_step
            )
            specs.append(spec)
        if mode == ModeKeys.PREDICT:
            return self._prediction(specs)
        loss = self._merged([spec.loss for spec in specs if spec.loss is not None])
        if regularization_losses:
            loss = add_n([loss, *regularization_losses])
        predictions = self._predictions(specs)
        if mode == ModeKeys.EVAL:
            return EstimatorSpec(mode, predictions=predictions, loss=loss, eval_metric_ops=self._metrics(specs))
        train_op = training_step(loss, optimizer, train_op_fn)
        with name_scope(""):
            scalar(MetricKeys.LOSS, loss)
        return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=train_op)

    def _merged(self, losses: Sequence[Tensor]) -> Tensor:
        with name_scope(None, "merge_losses", (*losses, *self._head_weights)):
            if self._head_weights:
                losses = [raw.Mul(loss, weight) for loss, weight in zip(losses, self._head_weights, strict=True)]
            return add_n(list(losses))

    def _of_heads(self, logits: Any) -> dict[str, Any]:
        """The logits of each head: those of a dict, or parts of the last dimension in the order of the heads."""
        if isinstance(logits, Mapping):
            return dict(logits)
        return split_logits(logits, {str(head.name): head.logits_dimension for head in self._heads})

    def _predictions(self, specs: Sequence[EstimatorSpec]) -> dict[Any, Tensor]:
        return {
            (head.name, key): value
            for head, spec in zip(self._heads, specs, strict=True)
            for key, value in spec.predictions.items()
        }

    def _prediction(self, specs: Sequence[EstimatorSpec]) -> EstimatorSpec:
        outputs: dict[str, ExportOutput] = {
            DEFAULT_SERVING_KEY: _default_output(specs[0].export_outputs or {}, self._heads[0].name)
        }
        together: dict[str, Tensor] = {}
        for head, spec in zip(self._heads, specs, strict=True):
            for key, output in (spec.export_outputs or {}).items():
                outputs[str(head.name) if key == DEFAULT_SERVING_KEY else f"{head.name}/{key}"] = output
                if key == PREDICT_SERVING_KEY and isinstance(output, PredictOutput):
                    together.update({f"{head.name}/{name}": value for name, value in output.outputs.items()})
        outputs[PREDICT_SERVING_KEY] = PredictOutput(together)
        return EstimatorSpec(ModeKeys.PREDICT, predictions=self._predictions(specs), export_outputs=outputs)

    def _metrics(self, specs: Sequence[EstimatorSpec]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        losses = [spec.loss for spec in specs]
        with name_scope(None, "merge_eval", losses):
            for head, spec in zip(self._heads, specs, strict=True):
                key = summary_key(head.name, MetricKeys.LOSS)
                if spec.loss is not None:
                    made[key] = mean(spec.loss, name=key)
                # Their names have that of the head already.
                made.update(spec.eval_metric_ops or {})
        return made


def _no_step(loss: Tensor) -> Any:
    """The training step of one head, which does nothing: all are trained together."""
    del loss
    return no_op()


def _default_output(outputs: Mapping[str, ExportOutput], head_name: str | None) -> ExportOutput:
    """What a head serves by default.

    Raises:
        ValueError: if it says nothing of that.
    """
    if DEFAULT_SERVING_KEY not in outputs:
        raise ValueError(
            f"{head_name} head did not specify export_outputs with default serving signature. Given: {sorted(outputs)}"
        )
    return outputs[DEFAULT_SERVING_KEY]
