"""Tasks that are killed, come back, stand still or cannot be reached: who trains goes on, or is told in time."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import headrace as tf
from headrace.cluster.launching import free_addresses

KEEPALIVE = {"HEADRACE_CLUSTER_KEEPALIVE_SECONDS": "1", "HEADRACE_CLUSTER_KEEPALIVE_TIMEOUT_SECONDS": "1"}


@pytest.fixture
def addresses():
    one, other = free_addresses(2)
    return {"ps": [one], "worker": [other]}


def _model(cluster):
    """A variable that each step raises by one, and the step."""
    with tf.device(tf.train.replica_device_setter(cluster=tf.train.ClusterSpec(cluster))):
        step = tf.train.get_or_create_global_step()
        v = tf.get_variable("v", [3], initializer=tf.zeros_initializer())
        return step, v, tf.train.GradientDescentOptimizer(1.0).minimize(-tf.reduce_sum(v), global_step=step)


def _session(target, folder, last, **options):
    return tf.train.MonitoredTrainingSession(
        target,
        checkpoint_dir=str(folder),
        save_checkpoint_steps=5,
        save_checkpoint_secs=None,
        save_summaries_steps=None,
        save_summaries_secs=None,
        log_step_count_steps=None,
        hooks=[tf.train.StopAtStepHook(last_step=last)],
        **options,
    )


def test_a_server_that_is_killed_and_comes_back(addresses, start_task, tmp_path):
    """The session restores and goes on; no step is counted that the variables have not taken."""
    server = start_task(addresses, "ps")
    worker = tf.train.Server(addresses, "worker", 0)
    step, v, train = _model(addresses)
    killed = False
    with _session(worker.target, tmp_path, 12) as sess:
        while not sess.should_stop():
            sess.run(train)
            if sess.should_stop():
                break
            count, values = sess.run([step, v])
            np.testing.assert_array_equal(values, np.full(3, count))
            if count == 7 and not killed:
                killed = True
                server.send_signal(signal.SIGKILL)
                server.wait()
                server = start_task(addresses, "ps")
    assert killed
    reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(str(tmp_path)))
    assert reader.get_tensor("global_step") == 12
    np.testing.assert_array_equal(reader.get_tensor("v"), np.full(3, 12.0))


def test_another_plan_after_a_restart_is_told(addresses, start_task):
    server = start_task(addresses, "ps")
    worker = tf.train.Server(addresses, "worker", 0)
    step, v, _ = _model(addresses)
    sess = tf.Session(worker.target)
    sess.run(tf.global_variables_initializer())
    server.kill()
    server.wait()
    with pytest.raises((tf.errors.UnavailableError, tf.errors.AbortedError)):
        sess.run(step.initializer)
    start_task(addresses, "ps")
    again = tf.Session(worker.target)
    again.run(tf.report_uninitialized_variables())
    with pytest.raises(tf.errors.AbortedError, match="restarted"):
        sess.run(v)


def test_a_server_that_stands_still(addresses, start_task, monkeypatch):
    """A connection that does not answer meets a time limit, of the step's or of the connection's."""
    for name, value in KEEPALIVE.items():
        monkeypatch.setenv(name, value)
    server = start_task(addresses, "ps")
    worker = tf.train.Server(addresses, "worker", 0)
    step, v, _ = _model(addresses)
    sess = tf.Session(worker.target)
    sess.run(tf.global_variables_initializer())
    server.send_signal(signal.SIGSTOP)
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(v, options=tf.RunOptions(timeout_in_ms=300))
    with pytest.raises(tf.errors.UnavailableError, match="/job:ps/replica:0/task:0 does not answer"):
        sess.run(v)
    server.send_signal(signal.SIGCONT)
    sess = tf.Session(worker.target)
    assert sess.run(step) == 0


def test_a_task_that_is_not_there_meets_the_sessions_limit(addresses):
    worker = tf.train.Server(addresses, "worker", 0)
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
    sess = tf.Session(worker.target, config=tf.ConfigProto(operation_timeout_in_ms=300))
    with pytest.raises(tf.errors.DeadlineExceededError, match="/job:ps/replica:0/task:0"):
        sess.run(v.initializer)


def test_two_clusters_do_not_meet():
    """Variables of one name, in clusters of one machine."""
    servers = [tf.train.Server.create_local_server() for _ in range(2)]
    v = tf.Variable(0.0, name="v")
    sessions = [tf.Session(server.target.replace("localhost", "127.0.0.1")) for server in servers]
    for i, sess in enumerate(sessions):
        sess.run(v.initializer)
        sess.run(v.assign_add(float(i + 1)))
    assert [sess.run(v) for sess in sessions] == [1.0, 2.0]
