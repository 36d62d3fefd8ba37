"""tf.contrib's helpers for many workers: gradients that come late, failures that pass, machines that are not there."""

import time

import numpy as np
import pytest

import headrace as tf


@pytest.fixture
def clock(monkeypatch):
    """A clock that only waiting moves; what was waited for."""
    waits, now = [], [1000.0]

    def sleep(seconds):
        waits.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(time, "sleep", sleep)
    monkeypatch.setattr(time, "time", lambda: now[0])
    return waits, now


def _fail(tolerator, error):
    with tolerator.forgive():
        raise error


def test_failures_are_forgiven_up_to_a_limit_with_longer_and_longer_waits(clock):
    waits, _ = clock
    tolerator = tf.contrib.training.FailureTolerator(limit=4, init_delay=2.0, backoff_factor=3.0)
    for _ in range(3):
        _fail(tolerator, tf.errors.AbortedError(None, None, "gone"))
    with pytest.raises(tf.errors.AbortedError):
        _fail(tolerator, tf.errors.AbortedError(None, None, "gone"))
    assert waits == [2.0, 6.0, 18.0]


def test_old_failures_do_not_count_and_waiting_does_not_make_them_old(clock):
    waits, now = clock
    tolerator = tf.contrib.training.FailureTolerator(
        limit=2, init_delay=200.0, forgive_after_seconds=100.0, handled_exceptions=[KeyError]
    )
    _fail(tolerator, KeyError())
    with pytest.raises(KeyError):
        _fail(tolerator, KeyError())
    now[0] += 150.0
    _fail(tolerator, KeyError())
    assert waits == [200.0]


def test_other_failures_are_raised():
    with pytest.raises(ValueError, match="no"):
        _fail(tf.contrib.training.FailureTolerator(), ValueError("no"))


@pytest.mark.parametrize("resource", [False, True])
def test_late_gradients_are_compensated_for_each_worker(resource):
    grad, rate, variance = np.array([0.5, -0.25]), 0.1, 2.0
    with tf.Graph().as_default(), tf.Session() as sess:
        var = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=resource)
        optimizer = tf.contrib.opt.DelayCompensatedGradientDescentOptimizer(rate, variance, num_workers=2)
        steps = [optimizer.apply_gradients([(tf.constant(grad, tf.float32), var)], worker_index=i) for i in range(2)]
        sess.run(tf.global_variables_initializer())
        expected, seen = np.array([1.0, 2.0]), [np.array([1.0, 2.0])] * 2
        for worker in (0, 0, 1, 0, 1, 1):
            sess.run(steps[worker])
            expected = expected - rate * (grad + variance * grad * grad * (expected - seen[worker]))
            seen[worker] = expected
            np.testing.assert_allclose(sess.run(var), expected, rtol=1e-6)
        assert optimizer.get_slot_names() == ["shadow_0", "shadow_1"]
        with pytest.raises(ValueError, match="worker index"):
            optimizer.minimize(tf.reduce_sum(var), worker_index=2)
    with pytest.raises(ValueError, match="num_workers"):
        tf.contrib.opt.DelayCompensatedGradientDescentOptimizer(rate, variance, num_workers=0)


def test_other_machines_are_refused():
    with pytest.raises(NotImplementedError, match="remote_host"):
        tf.config.experimental_connect_to_host("machine:2222")
    with pytest.raises(ValueError, match="remote_host"):
        tf.config.experimental_connect_to_host()
    with pytest.raises(NotImplementedError, match="cluster_spec_or_resolver"):
        tf.config.experimental_connect_to_cluster(tf.train.ClusterSpec({"worker": ["a:1"]}))


def test_executors_of_functions_have_names():
    with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
        pass
    with pytest.raises(ValueError, match="executor_type"), tf.experimental.function_executor_type("FAST"):
        pass
    tf.experimental.output_all_intermediates(None)
    with pytest.raises(TypeError, match="state"):
        tf.experimental.output_all_intermediates("all")
