"""Small things that models of time series share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.timeseries.feature_keys import FilteringResults
from headrace.core.dtypes import float32
from headrace.kernels.composing.arithmetic import matmul
from headrace.ops.nn.activations import relu
from headrace.state.initializers import Zeros
from headrace.state.variable_scope import get_variable

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike


def fully_connected(
    inp: Tensor,
    inp_size: int,
    layer_size: int,
    name: str,
    activation: Callable[[Tensor], Tensor] | None = relu,
    dtype: DTypeLike = float32,
) -> Tensor:
    """A layer of a network.

    Args:
        inp: [batch, inp_size].
        inp_size, layer_size: how many numbers go in and come out.
        name: what the names of its variables start with.
        activation: a function of the result, or None.
        dtype: the type of its variables.
    """
    weights = get_variable(f"{name}_weight", [inp_size, layer_size], dtype)
    bias = get_variable(f"{name}_bias", [layer_size], dtype, Zeros())
    output = matmul(inp, weights) + bias
    return output if activation is None else activation(output)


def parameter_switch(parameter_overrides: Mapping[Any, Any]) -> Callable[[Any], Any]:
    """A function that evaluates parameters, save those whose values are given.

    Args:
        parameter_overrides: from tensor to value.
    """
    return lambda parameter: parameter_overrides[parameter] if parameter in parameter_overrides else parameter.eval()


def canonicalize_times_or_steps_from_output(
    times: Any, steps: int | None, previous_model_output: Mapping[str, Any]
) -> np.ndarray:
    """The times of predictions that follow earlier results.

    Args:
        times: [series, window] or [window], or None.
        steps: how many times follow, each a unit after the one before, or None.
        previous_model_output: results with their "times", [series, window].

    Returns:
        [series, window].

    Raises:
        ValueError: if none or both are given, or the times do not follow.
    """
    if steps is None and times is None:
        raise ValueError("One of `steps` and `times` must be specified.")
    if steps is not None and times is not None:
        raise ValueError("Only one of `steps` and `times` may be specified.")
    last = np.asarray(previous_model_output[FilteringResults.TIMES])[:, -1:]
    if steps is not None:
        return last + 1 + np.arange(steps)
    times = np.asarray(times)
    if times.ndim == 1:
        times = times[None]
    if times.shape[0] != last.shape[0]:
        raise ValueError(
            f"Expected times for {last.shape[0]} series, as in the previous model output, but got times of shape "
            f"{times.shape}."
        )
    if not (last < times).all():
        raise ValueError("Prediction times must be after the corresponding previous model output.")
    return times
