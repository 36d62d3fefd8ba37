"""One batch run eagerly, or as the body of a function: the loss, its gradients under a tape, the metrics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.autodiff.gradient_tape import GradientTape
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.tensor import Tensor
from headrace.keras.engine.training_endpoints import without_targets
from headrace.keras.engine.training_input_checks import is_composite, refuse_several_optimizers
from headrace.keras.engine.training_loop import PREDICT, TRAIN
from headrace.keras.engine.training_losses import output_loss_of, with_layer_losses
from headrace.ops.math.cast import cast
from headrace.state.replication import has_strategy
from headrace.state.scoping import makes_eager_variables
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.keras.engine.training import Model


def _targets_like(targets: Sequence[Any], outputs: Sequence[Any]) -> list[Any]:
    """Floating targets in the types of their outputs."""
    found = []
    for target, output in zip(targets, outputs):
        if (
            isinstance(target, Tensor)
            and not is_composite(target)
            and target.dtype.is_floating
            and output.dtype.is_floating
            and target.dtype != output.dtype
        ):
            target = cast(target, output.dtype)
        found.append(target)
    return found


def _for_all_outputs(model: Model, values: Sequence[Any], outputs: Sequence[TensorLike]) -> list[Any]:
    """Values for the trained outputs as a list with None for the others."""
    given = iter(values)
    endpoints = model._training_endpoints
    if not endpoints:
        return [None for _ in outputs]
    return [None if endpoint.should_skip_target() else next(given, None) for endpoint in endpoints]


class BatchLoss:
    """The loss of a batch.

    Args:
        model: the model.
        inputs, targets, weights: the batch: what the model is called with, and lists by the outputs that are trained.
        training: the argument of the call.

    Attributes:
        outputs: what the model computed.
        masks: their masks.
        losses: the loss of each output that is trained.
        total: their weighted sum with what layers add; None if there is nothing.
    """

    def __init__(
        self, model: Model, inputs: Any, targets: Sequence[Any], weights: Sequence[Any], training: bool
    ) -> None:
        self.model = model
        called = model(inputs, training=training) if model._expects_training_arg else model(inputs)
        self.outputs = nest.flatten(called)
        self.masks = [getattr(output, "_keras_mask", None) for output in self.outputs]
        self.targets = _targets_like(_for_all_outputs(model, targets, self.outputs), self.outputs)
        self.weights = _for_all_outputs(model, weights, self.outputs)
        self.losses: list[Any] = []
        total: Any = None
        with name_scope("loss"):
            for endpoint, output, target, weight, mask in zip(
                model._training_endpoints, self.outputs, self.targets, self.weights, self.masks
            ):
                if endpoint.should_skip_target():
                    continue
                if target is None:
                    if any(other is not None for other in self.targets):
                        # In 1.15 nothing takes apart a list with None in it.
                        raise ValueError(
                            f"The list of targets has None for {endpoint.output_name!r}, which has a loss."
                        )
                    raise without_targets([endpoint.output_name], True)
                weight = cast(weight, output.dtype) if isinstance(weight, Tensor) else weight
                with name_scope(endpoint.loss_name):
                    shown, loss = output_loss_of(endpoint.loss_fn, target, output, weight, mask)
                self.losses.append(shown)
                weighted = loss if endpoint.loss_weight == 1 else endpoint.loss_weight * loss
                total = weighted if total is None else total + weighted
            self.total = with_layer_losses(total, model.losses)
        if self.total is None and training:
            raise ValueError("The model cannot be run because it has no loss to optimize.")

    def numbers(self) -> list[Any]:
        """The total, the losses of several outputs, and the metrics."""
        model = self.model
        found = [convert_to_tensor(0.0) if self.total is None else self.total]
        trained = [e for e in model._training_endpoints if not e.should_skip_target()]
        if len(model._training_endpoints) > 1:
            found += [endpoint.output_loss_metric(loss) for endpoint, loss in zip(trained, self.losses)]
        model._handle_metrics(
            self.outputs,
            targets=self.targets,
            skip_target_masks=model._prepare_skip_target_masks(),
            sample_weights=self.weights,
            masks=self.masks,
            return_weighted_and_unweighted_metrics=True,
        )
        return [*found, *(metric.result() for metric in model.metrics)]


def _clipped_by(optimizer: Any) -> Any:
    return getattr(optimizer, "_clipped", None)


def train_on_batch(model: Model, inputs: Any, targets: Sequence[Any], sample_weights: Sequence[Any] = ()) -> list[Any]:
    """Trains on a batch.

    Args:
        model: the model.
        inputs: what it is called with.
        targets, sample_weights: lists by the outputs that are trained.

    Returns:
        the loss, the losses of several outputs, and the metrics, as tensors.
    """
    optimizer = model.optimizer
    with GradientTape() as tape:
        batch = BatchLoss(model, inputs, targets, sample_weights, training=True)
        scaled = optimizer.get_scaled_loss(batch.total) if hasattr(optimizer, "get_scaled_loss") else batch.total
    weights = model._unique_trainable_weights
    if hasattr(model, "_backwards"):
        # A model whose parts have optimizers of their own.
        model._backwards(tape, scaled)
    elif weights or (has_strategy() and not makes_eager_variables()):
        if not model._experimental_run_tf_function:
            refuse_several_optimizers(optimizer)
        # In a graph 1.15's replicas have a step in any case, which those of several devices refuse to make of nothing.
        grads = tape.gradient(scaled, weights)
        if hasattr(optimizer, "get_unscaled_gradients"):
            grads = optimizer.get_unscaled_gradients(grads)
        clipped = _clipped_by(optimizer)
        if clipped is not None:
            grads = clipped(grads)
        optimizer.apply_gradients(zip(grads, weights))
    else:
        tf_logging.warning(
            "The list of trainable weights is empty. Make sure that you are not setting model.trainable to False before "
            "compiling the model."
        )
    return batch.numbers()


def test_on_batch(model: Model, inputs: Any, targets: Sequence[Any], sample_weights: Sequence[Any]) -> list[Any]:
    """The loss, the losses of several outputs, and the metrics of a batch: arguments as of `train_on_batch`."""
    return BatchLoss(model, inputs, targets, sample_weights, training=False).numbers()


def predict_on_batch(model: Model, inputs: Any) -> Any:
    """The outputs for a batch, in the model's structure."""
    return model(inputs, training=False) if model._expects_training_arg else model(inputs)


def run(model: Model, mode: str, inputs: Any, targets: Sequence[Any], sample_weights: Sequence[Any]) -> Any:
    """Runs a batch in a mode: "train", "test" or "predict"."""
    if mode == PREDICT:
        return predict_on_batch(model, inputs)
    step = train_on_batch if mode == TRAIN else test_on_batch
    return step(model, inputs, targets, sample_weights)
