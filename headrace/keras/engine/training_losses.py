"""The losses of a model: one for each output, and the total that an optimizer makes less."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.keras import losses
from headrace.keras.engine.training_input_checks import check_keys
from headrace.keras.utils import losses_utils
from headrace.ops.math.add_n import add_n
from headrace.ops.math.cast import cast
from headrace.state.replication import get_strategy, has_strategy
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.keras.engine.training_endpoints import TrainingEndpoint


def get_loss_function(loss: Any) -> Any:
    """The object behind a loss as programs write it; functions are averaged over batches.

    Args:
        loss: None, a `Loss`, a function of targets and outputs, a name, or settings.
    """
    if loss is None or isinstance(loss, losses.Loss):
        return loss
    if isinstance(loss, Mapping):
        loss = losses.get(loss)
        if isinstance(loss, losses.Loss):
            return loss
    if callable(loss) and not hasattr(loss, "__name__"):
        return loss
    function = losses.get(loss)
    if isinstance(function, losses.Loss):
        return function
    return losses.LossFunctionWrapper(
        function, name=function.__name__, reduction=losses_utils.ReductionV2.SUM_OVER_BATCH_SIZE
    )


def prepare_loss_functions(loss: Any, output_names: Sequence[str]) -> list[Any]:
    """The loss of each output.

    Args:
        loss: one for all outputs, or a list or dict of them.
        output_names: the names of the outputs.

    Raises:
        ValueError: if a list or dict does not fit the outputs.
    """
    if isinstance(loss, Mapping):
        check_keys(loss, output_names, "loss")
        found = []
        for name in output_names:
            if name not in loss:
                tf_logging.warning(
                    "Output %s missing from loss dictionary. We assume this was done on purpose. The fit and evaluate APIs "
                    "will not be expecting any data to be passed to %s.", name, name,
                )  # fmt: skip
            found.append(get_loss_function(loss.get(name)))
        return found
    if isinstance(loss, str) or not isinstance(loss, Sequence):
        return [get_loss_function(loss) for _ in output_names]
    if len(loss) != len(output_names):
        raise ValueError(
            "When passing a list as loss, it should have one entry per model outputs. The model has "
            f"{len(output_names)} outputs, but you passed loss={loss}"
        )
    return [get_loss_function(one) for one in loss]


def prepare_loss_weights(endpoints: Sequence[TrainingEndpoint], loss_weights: Any = None) -> None:
    """Gives each output the factor of its loss in the total, 1 by default.

    Args:
        endpoints: the outputs.
        loss_weights: a list or dict of factors.

    Raises:
        ValueError: if it does not fit the outputs; TypeError: if it is neither.
    """
    names = [endpoint.output_name for endpoint in endpoints]
    trained = [endpoint for endpoint in endpoints if not endpoint.should_skip_target()]
    if loss_weights is None:
        for endpoint in trained:
            endpoint.loss_weight = 1.0
    elif isinstance(loss_weights, Mapping):
        check_keys(loss_weights, names, "loss_weights")
        for endpoint in trained:
            endpoint.loss_weight = loss_weights.get(endpoint.output_name, 1.0)
    elif isinstance(loss_weights, list):
        if len(loss_weights) != len(endpoints):
            raise ValueError(
                "When passing a list as loss_weights, it should have one entry per model output. The model has "
                f"{len(endpoints)} outputs, but you passed loss_weights={loss_weights}"
            )
        for weight, endpoint in zip(loss_weights, endpoints):
            if not endpoint.should_skip_target():
                endpoint.loss_weight = weight
    else:
        raise TypeError(f"Could not interpret loss_weights argument: {loss_weights} - expected a list of dicts.")


def masked_weights(y_pred: Any, mask: Any, sample_weight: Any) -> Any:
    """The weights of samples where the masked ones count nothing.

    Args:
        y_pred: the output, whose type the mask takes.
        mask: its mask, or None.
        sample_weight: the weights given, or None.
    """
    if mask is None:
        return sample_weight
    mask = cast(mask, y_pred.dtype.base_dtype)
    if sample_weight is None:
        return mask
    mask, *_, sample_weight = losses_utils.squeeze_or_expand_dimensions(mask, sample_weight=sample_weight)
    return sample_weight * mask


def output_loss_of(loss_fn: Any, y_true: Any, y_pred: Any, sample_weight: Any, mask: Any) -> Any:
    """The loss of an output, over the samples that are not masked, and as a part of the total.

    Args:
        loss_fn: the loss.
        y_true, y_pred: the target and the output.
        sample_weight: the weights of the samples, or None.
        mask: the mask of the output, or None.

    Returns:
        (what the metric of the output averages over replicas as over batches, what is added to the total).
    """
    sample_weight = masked_weights(y_pred, mask, sample_weight)
    if not hasattr(loss_fn, "reduction"):
        loss = loss_fn(y_true, y_pred, sample_weight=sample_weight)
        # What a loss of a program's own gives is taken for a mean.
        return loss, of_one_replica(loss)
    per_sample = loss_fn.call(y_true, y_pred)
    weighted = losses_utils.compute_weighted_loss(
        per_sample, sample_weight=sample_weight, reduction=losses_utils.ReductionV2.NONE
    )
    reduction = loss_fn.reduction
    if reduction == losses_utils.ReductionV2.AUTO:
        reduction = losses_utils.ReductionV2.SUM_OVER_BATCH_SIZE
    loss = losses_utils.reduce_weighted_loss(weighted, reduction=reduction)
    if reduction == losses_utils.ReductionV2.SUM_OVER_BATCH_SIZE:
        return loss, of_one_replica(loss)
    return loss, loss


def with_layer_losses(total: Any, layer_losses: Sequence[Any]) -> Any:
    """A total with what layers add to it."""
    if not layer_losses:
        return total
    added = add_n(losses_utils.cast_losses_to_common_dtype(list(layer_losses)))
    added = of_one_replica(added)
    return added if total is None else total + added


def of_one_replica(loss: Any) -> Any:
    """A mean over the batch of a replica as its part of the mean over the batches of all: these parts are summed."""
    replicas = get_strategy().num_replicas_in_sync if has_strategy() else 1
    return loss if replicas == 1 else loss * (1.0 / replicas)
