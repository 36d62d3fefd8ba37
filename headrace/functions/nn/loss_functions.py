"""Losses by formula, and how losses are scaled where several replicas add them up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import compatible_dims
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels import composing
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def log_poisson_loss(
    targets: TensorLike, log_input: TensorLike, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """The negative log-likelihood of Poisson counts, exp(c) - c z for c = log_input and z = targets.

    Args:
        targets: the counts, in the type and shape of `log_input`.
        log_input: logarithms of the rates, floats.
        compute_full_loss: add Stirling's approximation of log(z!), z log(z) - z + log(2 pi z) / 2 (DLMF 5.11.3), where
            z > 1.
        name: a name scope.

    Returns:
        a tensor of the shape of `log_input`.

    Raises:
        ValueError: if the shapes differ.
    """
    with name_scope(name, "log_poisson_loss", [log_input, targets]):
        log_input = convert_to_tensor(log_input, name="log_input")
        targets = convert_to_tensor(targets, name="targets")
        if not compatible_dims(targets.dims, log_input.dims):
            raise ValueError(
                f"log_input and targets must have the same shape ({log_input.get_shape()} vs {targets.get_shape()})"
            )
        result = raw.Exp(log_input) - log_input * targets
        if compute_full_loss:
            half = constant(0.5, dtype=targets.dtype)
            two_pi = constant(2 * math.pi, dtype=targets.dtype)
            stirling = (targets * raw.Log(targets)) - targets + (half * raw.Log(two_pi * targets))
            zeros = composing.zeros_like(targets, dtype=targets.dtype)
            ones = composing.ones_like(targets, dtype=targets.dtype)
            small = raw.LogicalAnd(targets >= zeros, targets <= ones)
            result = result + raw.Select(small, zeros, stirling)
        return result


def compute_average_loss(
    per_example_loss: TensorLike, sample_weight: TensorLike | None = None, global_batch_size: Any = None
) -> Tensor:
    """The sum of the losses of examples over the size of the batch.

    Args:
        per_example_loss: losses, their first axis being the batch.
        sample_weight: weights of the examples, or None.
        global_batch_size: the size of the batch; that of `per_example_loss` by default.

    Returns:
        a scalar.

    Raises:
        ValueError: if `per_example_loss` is a scalar.
    """
    losses = convert_to_tensor(per_example_loss)
    if losses.dims == ():
        raise ValueError(
            "Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1, got a scalar."
        )
    dtype = losses.dtype.base_dtype
    if sample_weight is not None:
        wide = composing.cast(losses, "float32")
        losses = composing.cast(wide * composing.cast(sample_weight, "float32"), dtype)
    if global_batch_size is None:
        global_batch_size = composing.cast(composing.shape(losses)[0], dtype)
    return reduce_sum(losses) / global_batch_size


def scale_regularization_loss(regularization_loss: Sequence[float]) -> Tensor:
    """The sum of the losses, to be added to the average loss of each of the devices that share a batch (here: one).

    Args:
        regularization_loss: a loss, of any shape.

    Returns:
        a scalar.
    """
    total: Tensor = reduce_sum(regularization_loss)
    return total / 1
