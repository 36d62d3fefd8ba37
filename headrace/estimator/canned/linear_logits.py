"""The logits of linear models, with the summaries of their variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from headrace.core.tensor import Tensor
from headrace.estimator.canned.layer_summaries import fraction_of_zero
from headrace.feature_column.linear_layer import LinearModel
from headrace.state.partitioned import PartitionedVariable
from headrace.summary.operations import histogram, scalar


def linear_layer_logits(
    features: Mapping[str, Any],
    columns: Iterable[Any],
    units: int,
    sparse_combiner: str,
    name: str,
    bias_in_parts: bool = False,
) -> tuple[Tensor, LinearModel]:
    """The logits of a linear model, and the layer that makes them.

    Args:
        features: from key to tensor.
        columns: columns that keep their variables in layers.
        units: how many logits.
        sparse_combiner: how the weights of an example's classes become one: "sum", "mean" or "sqrtn".
        name: that of the layer.
        bias_in_parts: whether the bias is summarized as a list, also where it has one part only.
    """
    model = LinearModel(columns, units=units, sparse_combiner=sparse_combiner, name=name)
    logits = model(features)
    bias = parts_of(model.bias)
    of_bias = {id(part) for part in bias}
    weights = [part for each in model.variables for part in parts_of(each) if id(part) not in of_bias]
    in_parts = bias_in_parts or isinstance(model.bias, (PartitionedVariable, list))
    summarize_linear(bias if in_parts else model.bias, weights, units)
    return logits, model


def summarize_linear(bias: Any, weights: Sequence[Any], units: int) -> None:
    """Writes the bias, and how many weights are 0.

    Args:
        bias: a variable, or the list of its parts.
        weights: variables, or their parts.
        units: how many logits.
    """
    if units > 1:
        histogram("bias", bias)
    else:
        scalar("bias", bias[0][0] if isinstance(bias, list) else bias[0])
    scalar("fraction_of_zero_weights", fraction_of_zero(weights))


def parts_of(variable: Any) -> list[Any]:
    """The parts of a variable: itself, where it is in one piece."""
    return list(variable) if isinstance(variable, (PartitionedVariable, list)) else [variable]
