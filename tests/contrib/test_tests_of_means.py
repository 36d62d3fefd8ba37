"""Statistical tests of means, by the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart."""

import math

import numpy as np
import pytest

import headrace as tf
from headrace.contrib.distributions import sample_counts, statistical_testing

UNIFORM = np.linspace(0.0, 1.0, 2001)[1::2].astype("float32")  # mean 1/2


def run(result):
    with tf.Session() as sess:
        return sess.run(result)


def far(n, rate):
    return math.sqrt(-math.log(rate / 2) / (2 * n))


def test_the_extremes_of_few_samples():
    samples = np.array([0.2, 0.5, 0.9, 0.1, 0.4], "float32")
    # 0.3 of the mass is taken from the lowest (0.1 whole, half of 0.2) and put at 1; or from the highest, to 0.
    assert run(statistical_testing._maximum_mean(samples, 0.3, 1.0)) == pytest.approx(0.2 * 1.8 + 0.1 * 0.2 + 0.3)
    assert run(statistical_testing._minimum_mean(samples, 0.3, 0.0)) == pytest.approx(0.2 * 0.7 + 0.1 * 0.5)
    assert run(statistical_testing._maximum_mean(samples, 0.0, 1.0)) == pytest.approx(samples.mean())
    with pytest.raises(tf.errors.InvalidArgumentError, match="sample maximum value exceeds"):
        run(statistical_testing._maximum_mean(samples, 0.1, 0.5))
    with pytest.raises(tf.errors.InvalidArgumentError, match="sample minimum value falls below"):
        run(statistical_testing._minimum_mean(samples, 0.1, 0.15))


def test_intervals_share_the_error_rate_of_a_batch():
    batch = np.stack([UNIFORM, UNIFORM], 1)
    low, high = run(statistical_testing.true_mean_confidence_interval_by_dkwm(batch, [0.0, 0.0], 1.0, 1e-3))
    away = far(1000, 1e-3 / 2)
    # Moving the highest `away` of a uniform distribution to 0 takes (1 - (1 - away) ** 2) / 2 from its mean.
    np.testing.assert_allclose(low, [(1 - away) ** 2 / 2] * 2, rtol=1e-3)
    np.testing.assert_allclose(low + high, [1.0, 1.0], rtol=1e-5)


def test_checks_of_means_pass_and_fail():
    check = statistical_testing.assert_true_mean_equal_by_dkwm
    run(check(UNIFORM, 0.0, 1.0, 0.5))
    run(statistical_testing.assert_true_mean_in_interval_by_dkwm(UNIFORM, 0.0, 1.0, 0.2, 0.45))
    for expected, word in ((0.9, "smaller"), (0.1, "greater")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"true mean {word} than expected"):
            run(check(UNIFORM, 0.0, 1.0, expected))
    two = statistical_testing.assert_true_mean_equal_by_dkwm_two_sample
    run(two(UNIFORM, 0.0, 1.0, UNIFORM[::2], 0.0, 1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match="greater than expected"):
        run(two(UNIFORM, 0.0, 1.0, UNIFORM * 0.1, 0.0, 1.0))


def test_bounds_do_not_make_more_of_the_samples():
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(statistical_testing.true_mean_confidence_interval_by_dkwm(UNIFORM, [0.0, 0.0], 1.0))


def test_differences_found_and_samples_needed():
    fail, missed = np.float32(1e-3), np.float32(1e-4)
    found = sample_counts.min_discrepancy_of_true_means_detectable_by_dkwm(
        [100, 200, 300], 0.0, [[2.0], [1.0]], fail, missed
    )
    expected = [[size * (far(n, 1e-3 / 6) + far(n, 1e-4)) for n in (100, 200, 300)] for size in (2, 1)]
    np.testing.assert_allclose(run(found), expected, rtol=1e-5)
    needed = sample_counts.min_num_samples_for_dkwm_mean_test(0.1, 0.0, 2.0, fail, missed)
    assert far(run(needed), 1e-4) == pytest.approx(0.1 / 4)
    both = sample_counts.min_num_samples_for_dkwm_mean_two_sample_test(0.1, 0.0, 2.0, 0.0, 1.0, fail, missed)
    first, second = run(both)
    assert far(first, 0.5e-4) == pytest.approx(0.05 / 4)
    assert far(second, 0.5e-4) == pytest.approx(0.05 / 2)
    found = sample_counts.min_discrepancy_of_true_means_detectable_by_dkwm_two_sample(
        100, 0.0, 2.0, 400, 0.0, 1.0, fail, missed
    )
    parts = [size * (far(n, 5e-4) + far(n, 5e-5)) for n, size in ((100, 2), (400, 1))]
    assert run(found) == pytest.approx(sum(parts), rel=1e-5)
