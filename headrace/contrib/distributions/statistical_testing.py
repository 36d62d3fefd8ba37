"""Tests of the means of distributions of which samples are known, with a bound on how often they err.

They go by the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart: of n samples, the distribution function lies within
sqrt(-log(error / 2) / 2n) of that of the samples, but with a probability of `error`. What a distribution of bounded values
may have as its mean then lies between the means of the two extremes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_greater_equal, assert_less_equal
from headrace.functions.math.reduction import reduce_max, reduce_min, reduce_prod, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import range as indices
from headrace.kernels.composing.arranging import identity
from headrace.ops.array.shape import broadcast_dynamic_shape
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.math.cast import cast
from headrace.ops.math.clip import clip_by_value
from headrace.ops.nn.topk import top_k

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def _batch_sort_vector(x: Tensor, ascending: bool = True, name: str | None = None) -> Any:
    """The vectors of the last axis, sorted."""
    with name_scope(name or "batch_sort_vector", values=[x]):
        count = composing.shape(x)[-1]
        return -top_k(-x, count)[0] if ascending else top_k(x, count)[0]


def _do_maximum_mean(samples: Tensor, envelope: Tensor, high: Tensor, name: str | None = None) -> Tensor:
    """The mean of the samples after the lowest ones, `envelope` of all, have been moved to `high`."""
    with name_scope(name or "do_maximum_mean", values=[samples, envelope, high]):
        rank = composing.rank(samples)
        samples = composing.transpose(samples, composing.concat([indices(1, rank), [0]], 0))
        samples = _batch_sort_vector(samples)
        count = composing.shape(samples)[-1]
        share = 1.0 / cast(count, samples.dtype)
        steps = cast(indices(1, count + 1), samples.dtype) * share
        weights = clip_by_value(steps - envelope[..., None], 0.0, share)
        mean: Tensor = reduce_sum(samples * weights, axis=-1) + high * envelope
        return mean


def _maximum_mean(samples: TensorLike, envelope: TensorLike, high: TensorLike, name: str | None = None) -> Tensor:
    """The largest mean of a distribution up to `high` whose function lies within the envelope of the samples'."""
    with name_scope(name or "maximum_mean", values=[samples, envelope, high]):
        samples = convert_to_tensor(samples, name="samples")
        envelope = convert_to_tensor(envelope, name="envelope")
        high = convert_to_tensor(high, name="high")
        most = reduce_max(samples, axis=0)
        check = assert_less_equal(most, high, message="Given sample maximum value exceeds expectations")
        return identity(with_dependencies([check], _do_maximum_mean(samples, envelope, high)))


def _minimum_mean(samples: TensorLike, envelope: TensorLike, low: TensorLike, name: str | None = None) -> Tensor:
    """The smallest mean of a distribution down to `low` whose function lies within the envelope of the samples'."""
    with name_scope(name or "minimum_mean", values=[samples, envelope, low]):
        samples = convert_to_tensor(samples, name="samples")
        envelope = convert_to_tensor(envelope, name="envelope")
        low = convert_to_tensor(low, name="low")
        least = reduce_min(samples, axis=0)
        check = assert_greater_equal(least, low, message="Given sample minimum value falls below expectations")
        return -with_dependencies([check], _do_maximum_mean(-samples, envelope, -low))


def _dkwm_cdf_envelope(n: TensorLike, error_rate: TensorLike, name: str | None = None) -> Tensor:
    """How far from the samples' a distribution function may lie, but with a probability of `error_rate`."""
    with name_scope(name or "dkwm_cdf_envelope", values=[n, error_rate]):
        rate = convert_to_tensor(error_rate, name="error_rate")
        return raw.Sqrt(-raw.Log(rate / 2.0) / (2.0 * cast(n, rate.dtype)))


def _check_shape_dominates(samples: Tensor, parameters: Sequence[Tensor]) -> Tensor:
    """The samples, after a check that no parameter has them broadcast to more."""
    for parameter in parameters:
        one = composing.shape(samples)[1:]
        both = broadcast_dynamic_shape(one, composing.shape(parameter))
        samples = with_dependencies([assert_greater_equal(composing.size(one), composing.size(both))], samples)
    return identity(samples)


def _itemwise_error_rate(
    total_error_rate: TensorLike,
    param_tensors: Sequence[Tensor],
    sample_tensor: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """The share of an error rate that one member of a batch has."""
    with name_scope(name or "itemwise_error_rate", values=[total_error_rate, *param_tensors]):
        sizes: Any = composing.shape(sample_tensor)[1:] if sample_tensor is not None else convert_to_tensor([], "int32")
        for parameter in param_tensors:
            sizes = broadcast_dynamic_shape(composing.shape(parameter), sizes)
        rate = convert_to_tensor(total_error_rate)
        return rate / cast(reduce_prod(sizes), rate.dtype)


def true_mean_confidence_interval_by_dkwm(
    samples: TensorLike, low: TensorLike, high: TensorLike, error_rate: TensorLike = 1e-6, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Bounds of the means of the distributions that samples were drawn from.

    Args:
        samples: samples along the first axis; the others are a batch of distributions.
        low, high: between which values the distributions lie; they broadcast to the batch.
        error_rate: how probable it may be that any mean of the batch is out of its bounds.
        name: name for the operations.

    Returns:
        the lower and the upper bounds.

    Raises:
        InvalidArgumentError: when run, if samples are not between `low` and `high`, or have less axes than these.

    Example:
        >>> low, high = true_mean_confidence_interval_by_dkwm(tf.random_uniform([1000]), low=0.0, high=1.0)
    """
    with name_scope(name or "true_mean_confidence_interval_by_dkwm", values=[samples, low, high, error_rate]):
        samples = convert_to_tensor(samples, name="samples")
        dtype = samples.dtype.base_dtype
        low = convert_to_tensor(low, dtype, name="low")
        high = convert_to_tensor(high, dtype, name="high")
        rate = convert_to_tensor(error_rate, dtype, name="error_rate")
        samples = _check_shape_dominates(samples, [low, high])
        rate = _itemwise_error_rate(rate, [low, high], samples)
        envelope = _dkwm_cdf_envelope(composing.shape(samples)[0], rate)
        return _minimum_mean(samples, envelope, low), _maximum_mean(samples, envelope, high)


def assert_true_mean_in_interval_by_dkwm(
    samples: TensorLike,
    low: TensorLike,
    high: TensorLike,
    expected_low: TensorLike,
    expected_high: TensorLike,
    false_fail_rate: TensorLike = 1e-6,
    name: str | None = None,
) -> Operation:
    """An operation that fails if means are outside of intervals by all evidence of the samples.

    Args:
        samples, low, high: as those of `true_mean_confidence_interval_by_dkwm`.
        expected_low, expected_high: the bounds that are expected of the means.
        false_fail_rate: how probable it may be that it fails, for any member of the batch, where it should not.
        name: name for the operations.

    Returns:
        the operation; when run it raises `InvalidArgumentError` where a mean's bounds and those expected do not meet.

    Example:
        >>> check = assert_true_mean_in_interval_by_dkwm(tf.random_uniform([1000]), 0.0, 1.0, 0.45, 0.55)
    """
    values = [samples, low, high, expected_low, expected_high, false_fail_rate]
    with name_scope(name or "assert_true_mean_in_interval_by_dkwm", values=values):
        samples = convert_to_tensor(samples, name="samples")
        dtype = samples.dtype.base_dtype
        low = convert_to_tensor(low, dtype, name="low")
        high = convert_to_tensor(high, dtype, name="high")
        least = convert_to_tensor(expected_low, dtype, name="expected_low")
        most = convert_to_tensor(expected_high, dtype, name="expected_high")
        rate = convert_to_tensor(false_fail_rate, dtype, name="false_fail_rate")
        samples = _check_shape_dominates(samples, [low, high, least, most])
        min_mean, max_mean = true_mean_confidence_interval_by_dkwm(samples, low, high, rate)
        apart = "Confidence interval does not intersect: true mean {} than expected"
        above = assert_greater_equal(max_mean, least, message=apart.format("smaller"))
        with control_dependencies([above]):
            return assert_less_equal(min_mean, most, message=apart.format("greater"))


def assert_true_mean_equal_by_dkwm(
    samples: TensorLike,
    low: TensorLike,
    high: TensorLike,
    expected: TensorLike,
    false_fail_rate: TensorLike = 1e-6,
    name: str | None = None,
) -> Operation:
    """An operation that fails if means are not what is expected, by all evidence of the samples.

    Args:
        samples, low, high: as those of `true_mean_confidence_interval_by_dkwm`.
        expected: the means that are expected.
        false_fail_rate: how probable it may be that it fails, for any member of the batch, where it should not.
        name: name for the operations.

    Returns:
        the operation; when run it raises `InvalidArgumentError` where a mean's bounds leave out the expected one.

    Example:
        >>> check = assert_true_mean_equal_by_dkwm(tf.random_uniform([1000]), 0.0, 1.0, expected=0.5)
    """
    with name_scope(name or "assert_true_mean_equal_by_dkwm", values=[samples, low, high, expected, false_fail_rate]):
        return assert_true_mean_in_interval_by_dkwm(samples, low, high, expected, expected, false_fail_rate)


def assert_true_mean_equal_by_dkwm_two_sample(
    samples1: TensorLike,
    low1: TensorLike,
    high1: TensorLike,
    samples2: TensorLike,
    low2: TensorLike,
    high2: TensorLike,
    false_fail_rate: TensorLike = 1e-6,
    name: str | None = None,
) -> Operation:
    """An operation that fails if the means of two distributions are not the same, by all evidence of their samples.

    Args:
        samples1, low1, high1: samples of the one, and between which values it lies.
        samples2, low2, high2: those of the other.
        false_fail_rate: how probable it may be that it fails, for any member of the batch, where it should not.
        name: name for the operations.

    Returns:
        the operation; when run it raises `InvalidArgumentError` where the bounds of the two means do not meet.

    Example:
        >>> first, second = tf.random_uniform([1000]), tf.random_uniform([1000])
        >>> check = assert_true_mean_equal_by_dkwm_two_sample(first, 0.0, 1.0, second, 0.0, 1.0)
    """
    values = [samples1, low1, high1, samples2, low2, high2, false_fail_rate]
    with name_scope(name or "assert_true_mean_equal_by_dkwm_two_sample", values=values):
        samples1 = convert_to_tensor(samples1, name="samples1")
        dtype = samples1.dtype.base_dtype
        samples2 = convert_to_tensor(samples2, dtype, name="samples2")
        bounds = [
            convert_to_tensor(bound, dtype, name=label)
            for bound, label in ((low1, "low1"), (high1, "high1"), (low2, "low2"), (high2, "high2"))
        ]
        rate = convert_to_tensor(false_fail_rate, dtype, name="false_fail_rate")
        samples1 = _check_shape_dominates(samples1, bounds)
        samples2 = _check_shape_dominates(samples2, bounds)
        # One half of the rate for each of the intervals.
        min_mean, max_mean = true_mean_confidence_interval_by_dkwm(samples2, bounds[2], bounds[3], rate / 2.0)
        return assert_true_mean_in_interval_by_dkwm(samples1, bounds[0], bounds[1], min_mean, max_mean, rate / 2.0)
