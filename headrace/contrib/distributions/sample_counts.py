"""How many samples tests of means need, and which differences they find: for the tests of `statistical_testing`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.contrib.distributions.statistical_testing import _dkwm_cdf_envelope, _itemwise_error_rate
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def min_discrepancy_of_true_means_detectable_by_dkwm(
    n: TensorLike,
    low: TensorLike,
    high: TensorLike,
    false_fail_rate: TensorLike,
    false_pass_rate: TensorLike,
    name: str | None = None,
) -> Tensor:
    """How far a mean may be from the expected one before a test of `n` samples finds it.

    Args:
        n: the number of samples.
        low, high: between which values the distributions lie.
        false_fail_rate: how probable it may be that the test of any member of the batch fails where it should not.
        false_pass_rate: how probable it may be that a test passes where it should not.
        name: name for the operations.

    Returns:
        the smallest differences that are found.

    Example:
        >>> found = min_discrepancy_of_true_means_detectable_by_dkwm(1000, 0.0, 1.0, 1e-6, 1e-6)
    """
    values = [n, low, high, false_fail_rate, false_pass_rate]
    with name_scope(name or "min_discrepancy_of_true_means_detectable_by_dkwm", values=values):
        n = convert_to_tensor(n, name="n")
        low = convert_to_tensor(low, name="low")
        high = convert_to_tensor(high, name="high")
        fail = convert_to_tensor(false_fail_rate, name="false_fail_rate")
        passing = convert_to_tensor(false_pass_rate, name="false_pass_rate")
        of_test = _dkwm_cdf_envelope(n, _itemwise_error_rate(fail, [n, low, high]))
        of_samples = _dkwm_cdf_envelope(n, passing)
        return (high - low) * (of_test + of_samples)


def min_num_samples_for_dkwm_mean_test(
    discrepancy: TensorLike,
    low: TensorLike,
    high: TensorLike,
    false_fail_rate: TensorLike = 1e-6,
    false_pass_rate: TensorLike = 1e-6,
    name: str | None = None,
) -> Tensor:
    """How many samples a test needs to find means that are `discrepancy` away from the expected ones.

    Args:
        discrepancy: the differences that are to be found.
        low, high: between which values the distributions lie.
        false_fail_rate: how probable it may be that the test of any member of the batch fails where it should not.
        false_pass_rate: how probable it may be that a test passes where it should not.
        name: name for the operations.

    Returns:
        the numbers of samples, of the type of `discrepancy`.

    Example:
        >>> count = min_num_samples_for_dkwm_mean_test(0.1, 0.0, 1.0)
    """
    values = [low, high, false_fail_rate, false_pass_rate, discrepancy]
    with name_scope(name or "min_num_samples_for_dkwm_mean_test", values=values):
        discrepancy = convert_to_tensor(discrepancy, name="discrepancy")
        dtype = discrepancy.dtype
        low = convert_to_tensor(low, dtype, name="low")
        high = convert_to_tensor(high, dtype, name="high")
        fail = convert_to_tensor(false_fail_rate, dtype, name="false_fail_rate")
        passing = convert_to_tensor(false_pass_rate, dtype, name="false_pass_rate")
        # One half of the difference for the test, and one for what the samples deviate by.
        envelope = discrepancy / (2.0 * (high - low))
        fail = _itemwise_error_rate(fail, [low, high, discrepancy])
        for_test = -raw.Log(fail / 2.0) / (2.0 * raw.Square(envelope))
        for_samples = -raw.Log(passing / 2.0) / (2.0 * raw.Square(envelope))
        return raw.Maximum(for_test, for_samples)


def min_discrepancy_of_true_means_detectable_by_dkwm_two_sample(
    n1: TensorLike,
    low1: TensorLike,
    high1: TensorLike,
    n2: TensorLike,
    low2: TensorLike,
    high2: TensorLike,
    false_fail_rate: TensorLike,
    false_pass_rate: TensorLike,
    name: str | None = None,
) -> Tensor:
    """How far two means may be from one another before a test of samples of both finds it.

    Args:
        n1, low1, high1: the number of samples of the one, and between which values it lies.
        n2, low2, high2: those of the other.
        false_fail_rate, false_pass_rate: as those of `min_discrepancy_of_true_means_detectable_by_dkwm`.
        name: name for the operations.

    Returns:
        the smallest differences that are found.

    Example:
        >>> found = min_discrepancy_of_true_means_detectable_by_dkwm_two_sample(
        ...     1000, 0.0, 1.0, 500, 0.0, 1.0, 1e-6, 1e-6)
    """
    values = [n1, low1, high1, n2, low2, high2, false_fail_rate, false_pass_rate]
    with name_scope(name or "min_discrepancy_of_true_means_detectable_by_dkwm_two_sample", values=values):
        fail = convert_to_tensor(false_fail_rate, name="false_fail_rate") / 2.0
        passing = convert_to_tensor(false_pass_rate, name="false_pass_rate") / 2.0
        first = min_discrepancy_of_true_means_detectable_by_dkwm(n1, low1, high1, fail, passing)
        return first + min_discrepancy_of_true_means_detectable_by_dkwm(n2, low2, high2, fail, passing)


def min_num_samples_for_dkwm_mean_two_sample_test(
    discrepancy: TensorLike,
    low1: TensorLike,
    high1: TensorLike,
    low2: TensorLike,
    high2: TensorLike,
    false_fail_rate: TensorLike = 1e-6,
    false_pass_rate: TensorLike = 1e-6,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """How many samples of two distributions a test needs to find that their means differ by `discrepancy`.

    Args:
        discrepancy: the differences that are to be found.
        low1, high1: between which values the one lies.
        low2, high2: between which the other.
        false_fail_rate, false_pass_rate: as those of `min_num_samples_for_dkwm_mean_test`.
        name: name for the operations.

    Returns:
        the numbers of samples of the one and of the other.

    Example:
        >>> of_first, of_second = min_num_samples_for_dkwm_mean_two_sample_test(0.1, 0.0, 1.0, 0.0, 2.0)
    """
    values = [low1, high1, low2, high2, false_fail_rate, false_pass_rate, discrepancy]
    with name_scope(name or "min_num_samples_for_dkwm_mean_two_sample_test", values=values):
        half = convert_to_tensor(discrepancy, name="discrepancy") / 2.0
        fail = convert_to_tensor(false_fail_rate, half.dtype, name="false_fail_rate") / 2.0
        passing = convert_to_tensor(false_pass_rate, half.dtype, name="false_pass_rate") / 2.0
        return (
            min_num_samples_for_dkwm_mean_test(half, low1, high1, fail, passing),
            min_num_samples_for_dkwm_mean_test(half, low2, high2, fail, passing),
        )
