"""Other losses: half the squared norm, Poisson, and averages over batches."""

from __future__ import annotations

import math
from typing import Any

import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.core.shapes import compatible_dims
from headrace.ops import composing
from headrace.ops.array.constant import constant
from headrace.ops.math.reduction import reduce_sum

l2_loss_op = op("L2Loss", "t: T, *, T: floating -> output: T")


@l2_loss_op.shape
def l2_loss_shape(op):
    return [()]


@l2_loss_op.kernel
def l2_loss_kernel(node):
    if node.inputs[0].dtype.name in ("float16", "bfloat16"):
        # A sum of squares leaves the range of the short types early.
        def half_square_wide(t):
            t = t.reshape(-1).float()
            return (torch.dot(t, t) * 0.5).to(node.inputs[0].dtype.torch)

        return half_square_wide

    def half_square(t):
        t = t.reshape(-1)
        return torch.dot(t, t).mul_(0.5)

    return half_square


@l2_loss_op.gradient
def l2_loss_gradient(op, grad):
    return [op.inputs[0] * grad]


l2_loss_op.accepts([2, 3]).accepts([]).accepts([0])


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """sum(t ** 2) / 2.

    Args:
        t: floats of any shape.
        name: a name for the operation.

    Returns:
        a scalar of the type of `t`.

    Example:
        >>> tf.Session().run(tf.nn.l2_loss([3.0, 4.0]))
        12.5
    """
    return raw.L2Loss(t, name=name)


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """The negative log-likelihood of Poisson counts, exp(c) - c z for c = log_input and z = targets.

    Args:
        targets: the counts, in the type and shape of `log_input`.
        log_input: logarithms of the rates, floats.
        compute_full_loss: add Stirling's approximation of log(z!), z log(z) - z + log(2 pi z) / 2, where z > 1.
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


def compute_average_loss(per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None) -> Tensor:
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


def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of the losses, to be added to the average loss of each of the devices that share a batch (here: one).

    Args:
        regularization_loss: a loss, of any shape.

    Returns:
        a scalar.
    """
    total: Any = reduce_sum(regularization_loss)
    return total / 1
