"""Losses by formula, and how losses are scaled where several replicas add them up."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import compatible_dims
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
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
