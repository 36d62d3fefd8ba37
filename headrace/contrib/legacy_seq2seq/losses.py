"""The cross entropy of lists of logits, and models for sequences of several lengths."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import name_scope
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.cross_entropy import sparse_softmax_cross_entropy_with_logits
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.shape import reshape
from headrace.ops.math.add_n import add_n
from headrace.ops.math.cast import cast
from headrace.state.variable_scope import get_variable_scope, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def _named(function: Callable[..., Any]) -> Callable[..., Any]:
    """A loss function that takes `labels` and `logits` by name, as since 1.1.

    In 1.0 they took labels and what is predicted in this order, before it in the other one, under any names.
    """
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return function
    if {"labels", "logits"} <= set(parameters) or any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return function
    labels_first = next(iter(parameters), "").startswith(("label", "target"))

    def in_order(labels: Any, logits: Any) -> Any:
        return function(labels, logits) if labels_first else function(logits, labels)

    return in_order


def sequence_loss_by_example(
    logits: list[Any],
    targets: list[Any],
    weights: list[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """The weighted cross entropy of each sequence.

    Args:
        logits: a list of float [batch, classes].
        targets: a list of int32 [batch].
        weights: a list of float [batch].
        average_across_timesteps: whether the sums over the steps are divided by those of the weights.
        softmax_loss_function: takes `labels` and `logits`, by name; or else labels and what is predicted in this order, as
            in 1.0, if its first argument is called labels or targets, and in the other order, as before, if not. Returns
            losses; cross entropy by default.
        name: a name for the operations.

    Returns:
        float [batch].

    Raises:
        ValueError: for lists of other lengths.
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(
            f"Lengths of logits, weights, and targets must be the same {len(logits)}, {len(weights)}, {len(targets)}."
        )
    with name_scope(name, "sequence_loss_by_example", [*logits, *targets, *weights]):
        losses = []
        for logit, target, weight in zip(logits, targets, weights, strict=True):
            if softmax_loss_function is None:
                loss = sparse_softmax_cross_entropy_with_logits(labels=reshape(target, [-1]), logits=logit)
            else:
                loss = _named(softmax_loss_function)(labels=target, logits=logit)
            losses.append(loss * weight)
        total = add_n(losses)
        # The little keeps sequences without weight from dividing by zero.
        return total / (add_n(weights) + 1e-12) if average_across_timesteps else total


def sequence_loss(
    logits: list[Any],
    targets: list[Any],
    weights: list[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """The sum of `sequence_loss_by_example`, or the mean over the batch; a scalar.

    Args:
        logits, targets, weights, average_across_timesteps, softmax_loss_function: as for it.
        average_across_batch: whether the sum is divided by the batch size.
        name: a name for the operations.
    """
    with name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        by_example = sequence_loss_by_example(
            logits,
            targets,
            weights,
            average_across_timesteps=average_across_timesteps,
            softmax_loss_function=softmax_loss_function,
        )
        total = reduce_sum(by_example)
        return total / cast(shape(targets[0])[0], total.dtype) if average_across_batch else total


def model_with_buckets(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    targets: list[Any],
    weights: list[Any],
    buckets: list[tuple[int, int]],
    seq2seq: Callable[[Any, Any], Any],
    softmax_loss_function: Callable[..., Any] | None = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list[Any], list[Any]]:
    """A model for sequences of several lengths, which share their weights.

    Args:
        encoder_inputs, decoder_inputs, targets, weights: lists as long as the longest bucket.
        buckets: the lengths of inputs and outputs, rising.
        seq2seq: takes the inputs of the encoder and the decoder, returns outputs and a state.
        softmax_loss_function: as for `sequence_loss`.
        per_example_loss: whether losses are [batch].
        name: a name for the operations.

    Returns:
        the outputs and the losses of the buckets.

    Raises:
        ValueError: for lists shorter than the last bucket.
    """
    for kind, items, length in (
        ("encoder_inputs", encoder_inputs, buckets[-1][0]),
        ("targets", targets, buckets[-1][1]),
        ("weights", weights, buckets[-1][1]),
    ):
        if len(items) < length:
            raise ValueError(f"Length of {kind} ({len(items)}) must be at least that of last bucket ({length}).")
    loss_of = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    with name_scope(name, "model_with_buckets", [*encoder_inputs, *decoder_inputs, *targets, *weights]):
        for i, (sources, words) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if i else None):
                bucket_outputs, _ = seq2seq(encoder_inputs[:sources], decoder_inputs[:words])
                outputs.append(bucket_outputs)
                losses.append(
                    loss_of(
                        bucket_outputs,
                        targets[:words],
                        weights[:words],
                        softmax_loss_function=softmax_loss_function,
                    )
                )
    return outputs, losses
