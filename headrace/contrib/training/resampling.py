"""Batches from batches, each example taken as often as chance and its rate say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.reduction import reduce_mean
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.fill import fill
from headrace.ops.array.gather import gather
from headrace.ops.array.identity import stop_gradient
from headrace.ops.math.cast import cast
from headrace.ops.random.sampling import random_poisson
from headrace.optimizers.moving_averages import assign_moving_average
from headrace.state.variable_scope import get_local_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def resample_at_rate(
    inputs: Sequence[Any], rates: TensorLike, scope: str | None = None, seed: int | None = None, back_prop: bool = False
) -> list[Tensor]:
    """Takes each row of tensors a random number of times, on average its rate.

    Args:
        inputs: tensors of one first dimension.
        rates: float tensor of shape (rows,).
        scope: a prefix for the operations.
        seed: the seed of the random numbers.
        back_prop: whether gradients flow through the choice.

    Returns:
        a list of tensors like `inputs`, with any number of rows.

    Example:
        >>> often, = tf.contrib.training.resample_at_rate([tf.constant(["often", "seldom"])], [3.0, 1.0])
    """
    with name_scope(scope, "resample_at_rate", [*inputs, rates]):
        rates = convert_to_tensor(rates, name="rates")
        counts = cast(random_poisson(rates, (), rates.dtype, seed=seed), int32)
        indices = _repeated_range(counts)
        if not back_prop:
            indices = stop_gradient(indices)
        return [gather(value, indices) for value in inputs]


def _repeated_range(counts: Tensor) -> Tensor:
    """The numbers below the length of `counts`, each as often as its place there says."""
    with name_scope(None, "repeat_range", [counts]) as opened:
        rows = shape(counts)[0]
        copies, written = while_loop(
            lambda _, row: row < rows,
            lambda copies, row: (copies.write(row, fill(counts[row : row + 1], row)), row + 1),
            (TensorArray(int32, size=rows, infer_shape=False), 0),
        )
        return cond(written > 0, copies.concat, lambda: zeros([0], int32), name=opened)


def weighted_resample(
    inputs: Sequence[Any],
    weights: Tensor,
    overall_rate: float,
    scope: str | None = None,
    mean_decay: float = 0.999,
    seed: int | None = None,
) -> tuple[list[Tensor], Tensor]:
    """Takes rows of tensors in proportion to their weights, on average `overall_rate` times.

    The mean weight is estimated as batches come, in a local variable.

    Args:
        inputs: tensors of one first dimension.
        weights: float tensor of shape (rows,).
        overall_rate: how often a row is taken on average.
        scope: a prefix for the operations.
        mean_decay: how slowly the estimate of the mean weight follows the batches.
        seed: the seed of the random numbers.

    Returns:
        a list of tensors like `inputs`, with any number of rows, and the rate by which each of their rows was taken.

    Example:
        >>> weights = tf.constant([1.0, 2.0, 1.0, 4.0])
        >>> (examples,), rates = tf.contrib.training.weighted_resample([x], weights, overall_rate=0.5)
    """
    with name_scope(scope, "weighted_resample", inputs) as opened:
        with variable_scope(scope, "estimate_mean", inputs):
            estimate = get_local_variable("estimated_mean", initializer=cast(0, weights.dtype), dtype=weights.dtype)
            mean = assign_moving_average(estimate, reduce_mean(weights), mean_decay)
        rates = weights * overall_rate / mean
        taken = resample_at_rate([rates, *inputs], rates, scope=opened, seed=seed)
        return taken[1:], taken[0]
