"""The services of a Supervisor beside the steps of its caller."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import headrace as tf


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def _events(folder):
    [path] = [file for file in folder.iterdir() if "tfevents" in file.name]
    return list(tf.train.summary_iterator(str(path)))


def test_services_come_before_the_first_step(graph, tmp_path):
    tf.set_random_seed(4)
    step = tf.train.get_or_create_global_step()
    drawn = tf.random_uniform([], seed=1)
    tf.summary.scalar("drawn", drawn)
    count = tf.assign_add(step, 1)
    supervisor = tf.train.Supervisor(logdir=str(tmp_path))
    with supervisor.managed_session() as sess:
        second = sess.run(drawn)
        for _ in range(3):
            sess.run(count)
    with tf.Session() as sess:
        draws = [sess.run(drawn), sess.run(drawn)]
    assert second == draws[1]
    [first] = [
        (event.step, value.simple_value)
        for event in _events(tmp_path)
        for value in event.summary.value
        if value.tag == "drawn"
    ]
    assert first == (0, draws[0])
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-0")


def test_a_summary_of_a_queue_takes_the_first_element(graph, tmp_path):
    tf.train.get_or_create_global_step()
    queue = tf.train.range_input_producer(5, num_epochs=1, shuffle=False)
    taken = queue.dequeue()
    tf.summary.scalar("taken", taken)
    supervisor = tf.train.Supervisor(logdir=str(tmp_path))
    with supervisor.managed_session() as sess:
        assert sess.run(taken) == 1
    values = [
        value.simple_value for event in _events(tmp_path) for value in event.summary.value if value.tag == "taken"
    ]
    assert values == [0]


def test_python_in_the_graph_may_wait_for_the_caller(graph, tmp_path):
    tf.train.get_or_create_global_step()
    go = threading.Event()

    def wait():
        go.wait()
        return np.float32(2)

    tf.summary.scalar("waited", tf.py_func(wait, [], tf.float32))
    supervisor = tf.train.Supervisor(logdir=str(tmp_path))
    with supervisor.managed_session():
        go.set()


def test_a_service_that_fails_does_not_hold_up(graph, tmp_path):
    tf.train.get_or_create_global_step()
    tf.summary.scalar("checked", tf.check_numerics(tf.constant(np.nan), "no number"))
    supervisor = tf.train.Supervisor(logdir=str(tmp_path))
    with pytest.raises(tf.errors.InvalidArgumentError, match="no number"), supervisor.managed_session():
        supervisor.wait_for_stop()


class _Seen:
    """A lock that tells when somebody stands before it."""

    def __init__(self, lock):
        self.lock = lock
        self.wanted = threading.Semaphore(0)

    def __enter__(self):
        self.wanted.release()
        self.lock.acquire()

    def __exit__(self, *args):
        self.lock.release()


def test_saves_come_one_after_the_other(graph, tmp_path, monkeypatch):
    step = tf.train.get_or_create_global_step()
    count = tf.assign_add(step, 1)
    saver = tf.train.Saver()
    saver._saving = seen = _Seen(saver._saving)
    exported, go = threading.Event(), threading.Event()
    export = saver.export_meta_graph

    def slow_export(*args, **kwargs):
        if not exported.is_set():
            exported.set()
            go.wait()
        return export(*args, **kwargs)

    monkeypatch.setattr(saver, "export_meta_graph", slow_export)
    with tf.Session() as sess:
        sess.run(step.initializer)
        path = str(tmp_path / "model")
        first = threading.Thread(target=saver.save, args=(sess, path, step), daemon=True)
        first.start()
        exported.wait()
        sess.run(count)
        last = threading.Thread(target=saver.save, args=(sess, path, step), daemon=True)
        last.start()
        seen.wanted.acquire()
        seen.wanted.acquire()
        go.set()
        first.join()
        last.join()
    state = tf.train.get_checkpoint_state(str(tmp_path))
    assert [file.rpartition("-")[2] for file in state.all_model_checkpoint_paths] == ["0", "1"]
    assert state.model_checkpoint_path.endswith("-1")
