"""Simulated quantisation with a range that is kept in variables."""

from __future__ import annotations

from typing import Any, NamedTuple

from headrace.core.collections import GraphKeys
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_max, reduce_min
from headrace.ops.array.fake_quant import fake_quant_with_min_max_vars
from headrace.ops.math.binary import maximum, minimum
from headrace.optimizers.moving_averages import assign_moving_average
from headrace.state.initializers import Constant
from headrace.state.modes import VariableAggregation
from headrace.state.updates import assign
from headrace.state.variable_scope import get_variable, variable_scope


class Precision(NamedTuple):
    """How values are quantised.

    Attributes:
        bits: of a quantised value.
        symmetric: whether the range reaches as far below zero as above it.
        narrow_range: whether the lowest of the quantised values is not used.
    """

    bits: int
    symmetric: bool
    narrow_range: bool


def fake_quant(
    inputs: Tensor,
    name: str,
    precision: Precision,
    is_training: bool,
    initial: tuple[float, float],
    decay: float | None,
    collection: str | None,
) -> Tensor:
    """`inputs` rounded as quantisation would, within a range kept in the variables `name/min` and `name/max`.

    Args:
        inputs: a tensor.
        name: the variable scope to make.
        precision: how to quantise.
        is_training: whether a run of the result updates the range.
        initial: the range at the beginning.
        decay: of the moving average that the range is; None if it is that of the last values.
        collection: the collection the variables go to beside the global variables.
    """
    with variable_scope(None, default_name=name, values=[inputs]) as scope:
        scope.set_partitioner(None)
        bounds: list[Any] = [
            get_variable(
                bound,
                shape=[],
                initializer=Constant(value),
                collections=[*([collection] if collection else []), GraphKeys.GLOBAL_VARIABLES],
                trainable=False,
                aggregation=VariableAggregation.MEAN,
            )
            for bound, value in zip(("min", "max"), initial, strict=True)
        ]
        if is_training:
            low, high = _range_of(inputs, precision)
            if decay is None:
                bounds = [assign(bounds[0], low, name="AssignMinLast"), assign(bounds[1], high, name="AssignMaxLast")]
            else:
                bounds = [
                    assign_moving_average(bounds[0], low, decay, name="AssignMinEma"),
                    assign_moving_average(bounds[1], high, decay, name="AssignMaxEma"),
                ]
        return fake_quant_with_min_max_vars(
            inputs, bounds[0], bounds[1], num_bits=precision.bits, narrow_range=precision.narrow_range
        )


def _range_of(inputs: Tensor, precision: Precision) -> tuple[Any, Any]:
    """The range of the values, zero always within (arXiv:1712.05877, section 3.1)."""
    low, high = reduce_min(inputs, name="BatchMin"), reduce_max(inputs, name="BatchMax")
    if not precision.symmetric:
        return minimum(low, 0.0), maximum(high, 0.0)
    values = 1 << precision.bits
    ratio = -1 if precision.narrow_range else -(values - 2) / values
    return minimum(low, high / ratio), maximum(high, low * ratio)
