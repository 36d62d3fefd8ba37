"""Tasks that are killed, come back, stand still or cannot be reached: who trains goes on, or is told in time."""

from __future__ import annotations

import contextlib
import signal
import threading
import time

import numpy as np
import pytest
from cluster.kills import kill_at_random, saved_step
from cluster.proxy import Proxy
from cluster.task import counting_model, session, session_in_step, train_in_step

import headrace as tf
from headrace.cluster.launching import free_addresses
from headrace.cluster.state import SessionTasks
from headrace.core.waiting import with_deadline

KEEPALIVE = {"HEADRACE_CLUSTER_KEEPALIVE_SECONDS": "1", "HEADRACE_CLUSTER_KEEPALIVE_TIMEOUT_SECONDS": "1"}


def cluster_of(workers):
    server, *others = free_addresses(1 + workers)
    return {"ps": [server], "worker": others}


@pytest.fixture
def addresses():
    return cluster_of(1)


def test_a_server_that_is_killed_and_comes_back(addresses, start_task, tmp_path):
    """The session restores and goes on; no step is counted that the variables have not taken."""
    server = start_task(addresses, "ps")
    worker = tf.train.Server(addresses, "worker", 0)
    step, v, train = counting_model(addresses)
    killed = False
    with session(worker.target, str(tmp_path), 12) as sess:
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
    step, v, _ = counting_model(addresses)
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
    step, v, _ = counting_model(addresses)
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


def test_a_worker_does_not_wait_for_a_chief_that_has_gone_for_ever():
    """Who comes when the others have ended is told which task it waits for, when it has waited as long as it may."""
    addresses = cluster_of(2)
    servers = [tf.train.Server(addresses, job, index) for job, index in (("ps", 0), ("worker", 1))]
    with tf.device("/job:ps/task:0"):
        step = tf.train.create_global_step()
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables([step]), recovery_wait_secs=0)
    for target in (servers[1].target, servers[1].target.replace("localhost", "127.0.0.1")):
        with pytest.raises(tf.errors.DeadlineExceededError, match=r"/job:worker/replica:0/task:0|Deadline Exceeded"):
            manager.wait_for_session(target, max_wait_secs=0.2)


def test_a_reset_asks_only_the_tasks_that_pass_its_filters():
    """A task that is not there does not matter to a reset of the others, from the server's process or another one."""
    addresses = cluster_of(2)
    servers = [tf.train.Server(addresses, job, index) for job, index in (("ps", 0), ("worker", 1))]
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0)
    filters = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:1"])
    for target in (servers[1].target, servers[1].target.replace("localhost", "127.0.0.1")):
        sess = tf.Session(target, config=filters)
        sess.run(v.initializer)
        tf.Session.reset(target, config=filters)
        with pytest.raises(tf.errors.AbortedError, match="is not found"):
            sess.run(v)
        with tf.Session(target, config=filters) as again, pytest.raises(tf.errors.FailedPreconditionError):
            again.run(v)
    with pytest.raises(tf.errors.UnavailableError, match="/job:worker/replica:0/task:0"):
        tf.Session.reset(target)


def test_a_server_waits_for_no_task_when_its_caller_has_gone(monkeypatch):
    """A client of another process asks for devices of a cluster that is not complete, and gives up."""
    ended = threading.Event()
    connect = SessionTasks._connect

    def connecting(tasks):
        try:
            return connect(tasks)
        finally:
            ended.set()

    monkeypatch.setattr(SessionTasks, "_connect", connecting)
    server = tf.train.Server(cluster_of(2), "ps", 0)
    session = tf.Session(server.target.replace("localhost", "127.0.0.1"), graph=tf.Graph())
    with pytest.raises(tf.errors.DeadlineExceededError), with_deadline(time.perf_counter() + 0.2):
        session.list_devices()
    assert ended.wait(60)


def test_two_clusters_do_not_meet():
    """Variables of one name, in clusters of one machine."""
    servers = [tf.train.Server.create_local_server() for _ in range(2)]
    v = tf.Variable(0.0, name="v")
    sessions = [tf.Session(server.target.replace("localhost", "127.0.0.1")) for server in servers]
    for i, sess in enumerate(sessions):
        sess.run(v.initializer)
        sess.run(v.assign_add(float(i + 1)))
    assert [sess.run(v) for sess in sessions] == [1.0, 2.0]


def test_a_worker_that_is_killed_while_others_train_and_joins_again(start_task, start_worker, tmp_path):
    """The chief trains on; the worker, started again, goes on where the others are."""
    addresses = cluster_of(2)
    start_task(addresses, "ps")
    chief = start_worker(addresses, 0, str(tmp_path), 1_000_000)
    chief.said()
    worker = start_worker(addresses, 1, str(tmp_path), 1_000_000)
    before = [worker.said() for _ in range(5)][-1]
    worker.kill()
    reported = [chief.said() for _ in range(20)]
    assert reported == sorted(set(reported))
    again = start_worker(addresses, 1, str(tmp_path), 1_000_000)
    assert again.said() > before
    again.kill()
    while chief.said() <= reported[-1] + 10:
        pass
    chief.kill()
    assert saved_step(str(tmp_path), most=2) > before


def test_a_chief_that_is_killed_restores_and_goes_on(addresses, start_task, start_worker, tmp_path):
    start_task(addresses, "ps")
    chief = start_worker(addresses, 0, str(tmp_path), 40)
    while chief.said() < 23:
        pass
    chief.kill()
    saved = saved_step(str(tmp_path))
    assert saved >= 20
    chief = start_worker(addresses, 0, str(tmp_path), 40)
    reported = list(iter(chief.said, "done"))
    assert reported[0] == saved
    assert saved_step(str(tmp_path)) == 40


# That thread has a step on the server when the session is closed, and says that the step was cancelled.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_of_synchronous_steps_that_is_killed_and_joins_again(start_task, start_worker):
    """The steps go on with it; the chief ends, though the thread that applies its updates waits for another gradient."""
    addresses = cluster_of(2)
    start_task(addresses, "ps")
    chief = tf.train.Server(addresses, "worker", 0)
    sess, train, v = session_in_step(addresses, 0, chief.target, 6)
    values = []
    with sess:
        worker = start_worker(addresses, 1, 6, train=train_in_step)
        sess.run(train)
        assert worker.said() == "step"
        worker.kill()
        worker = start_worker(addresses, 1, 6, train=train_in_step)
        while not sess.should_stop():
            sess.run(train)
            values.append(sess.run_step_fn(lambda step_context: step_context.session.run(v)))
    assert list(iter(worker.said, "done"))
    assert worker.wait() == 0
    assert [value[0] for value in values] == sorted(value[0] for value in values)
    # A gradient that the killed worker had pushed may have made a step more.
    np.testing.assert_array_equal(values[-1], np.full(3, values[-1][0]))
    assert values[-1][0] in (6, 7)


def test_kills_at_random_moments_lose_no_checkpoint(tmp_path):
    killed = list(kill_at_random(str(tmp_path), 10, seed=3))
    assert {which for which, _ in killed} == {"ps", "chief"}
    assert killed[-1][1] > 0


@pytest.fixture
def proxied(request, start_task, monkeypatch):
    """What stands between a worker of this process and a server, the session, and a variable of the server."""
    for name, value in {**KEEPALIVE, **getattr(request, "param", {})}.items():
        monkeypatch.setenv(name, value)
    server, between, worker = free_addresses(3)
    start_task({"ps": [server], "worker": [worker]}, "ps")
    proxy = Proxy(between, server)
    worker = tf.train.Server({"ps": [between], "worker": [worker]}, "worker", 0)
    with tf.device("/job:ps/task:0"):
        v = tf.get_variable("v", [50_000], initializer=tf.ones_initializer())
    with tf.Session(worker.target) as sess:
        sess.run(v.initializer)
        assert sess.run(v)[0] == 1.0
        yield proxy, sess, v
    proxy.close()


def test_a_connection_that_is_cut(proxied):
    proxy, sess, v = proxied
    proxy.cut()
    with contextlib.suppress(tf.errors.UnavailableError):
        sess.run(v)
    # The task is the same: its state is there, and the session goes on.
    assert sess.run(v.assign_add(tf.ones([50_000])))[0] == 2.0


# On one machine steps go another way, which goes on.
@pytest.mark.parametrize("proxied", [{"HEADRACE_CLUSTER_SHARED_MEMORY_BYTES": "0"}], indirect=True)
def test_a_connection_that_carries_nothing_any_more(proxied):
    proxy, sess, v = proxied
    proxy.stall()
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run(v, options=tf.RunOptions(timeout_in_ms=300))
    with pytest.raises(tf.errors.UnavailableError, match="/job:ps/replica:0/task:0 does not answer"):
        sess.run(v)
    proxy.cut()
    assert sess.run(v)[0] == 1.0
