"""The weights of mixtures beside what they weigh, and the deviations of mixtures."""

from __future__ import annotations

from typing import Any

from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.distributions.base import Distribution
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import where_v2


def _batch_rank(distribution: Distribution) -> Any:
    known = distribution.batch_shape.ndims
    return shape_internal(distribution.batch_shape_tensor())[0] if known is None else known


def pad_mixture_dimensions(
    x: Tensor, mixture_distribution: Distribution, categorical_distribution: Distribution, event_ndims: Any
) -> Tensor:
    """Weights with dimensions for the batch, where they have none, and for the values.

    Args:
        x: tensor of shape [*sample, *batch, components].
        mixture_distribution: the mixture.
        categorical_distribution: what draws the component, with the mixture's batch or none.
        event_ndims: how many dimensions a value has.

    Returns:
        tensor of shape [*sample, *batch, components, *(1 for each dimension of a value)].
    """
    with name_scope("pad_mix_dims", values=[x]):
        ranks = _batch_rank(mixture_distribution), _batch_rank(categorical_distribution)
        missing = where_v2(categorical_distribution.is_scalar_batch(), ranks[0], ranks[0] - ranks[1])
        shape = shape_internal(x)
        outer, batch = shape[:-1], composing.ones([missing], dtype="int32")
        last, event = shape[-1:], composing.ones([event_ndims], dtype="int32")
        return reshape(x, composing.concat([outer, batch, last, event], 0))


def mixture_stddev(mixture_weight_vector: Tensor, mean_vector: Tensor, stddev_vector: Tensor) -> Tensor:
    """The deviations of mixtures of numbers: the variance is the mean of variances plus the variance of means.

    Args:
        mixture_weight_vector, mean_vector, stddev_vector: tensors of shape [batch, components].

    Returns:
        tensor of shape [batch].

    Raises:
        ValueError: if the shapes differ or are no matrices'.
    """
    weights = mixture_weight_vector
    weights.get_shape().assert_has_rank(2)
    for vector, what in ((mean_vector, "means"), (stddev_vector, "stddevs")):
        if not vector.get_shape().is_compatible_with(weights.get_shape()):
            raise ValueError(f"Expecting {what} to have same shape as mixture weights.")
    row = composing.expand_dims(weights, 1)
    means, deviations = composing.expand_dims(mean_vector, 2), composing.expand_dims(stddev_vector, 2)
    mean = reshape(matmul(row, means), [-1])
    within = reshape(matmul(row, raw.Square(deviations)), [-1])
    squares = reshape(matmul(row, raw.Square(means)), [-1])
    return raw.Sqrt(within + squares - raw.Square(mean))
