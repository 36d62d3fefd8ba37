"""Waits end: by what they wait for, by close, by timeouts, by interrupts; and threads share a session."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

import headrace as tf


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


class Runner(threading.Thread):
    """Runs a function and keeps what came of it."""

    def __init__(self, function) -> None:
        super().__init__(daemon=True)
        self.function = function
        self.result = None
        self.error = None
        self.start()

    def run(self) -> None:
        try:
            self.result = self.function()
        except Exception as error:  # noqa: BLE001 (looked at by the test)
            self.error = error

    def ended(self):
        self.join(30)
        assert not self.is_alive()
        return self


def until_waiting(sess, count=1):
    """Returns once `count` operations of the session wait."""
    waiting = sess._runtime.waits._open
    pause = threading.Event()
    while len(waiting) < count:
        pause.wait(0.001)


def test_session_close_ends_waits(graph):
    queue = tf.FIFOQueue(1, tf.float32, shapes=[()])
    full = tf.FIFOQueue(0, tf.float32, shapes=[()])
    fetches = [queue.dequeue(), queue.dequeue_many(3), full.enqueue(1.0), full.enqueue_many([[1.0]])]
    sess = tf.Session()
    runners = [Runner(lambda fetch=fetch: sess.run(fetch)) for fetch in fetches]
    until_waiting(sess, len(runners))
    sess.close()
    for runner in runners:
        assert isinstance(runner.ended().error, tf.errors.CancelledError)
    with pytest.raises(RuntimeError, match="closed Session"):
        sess.run(fetches[0])


def test_session_timeout(graph):
    queue = tf.FIFOQueue(2, tf.float32, shapes=[()])
    # Long enough for the steps that do not wait, on a machine that has other work.
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=400)) as sess:
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(queue.dequeue())
        # Elements taken in vain are there again.
        sess.run(queue.enqueue_many([[1.0, 2.0]]))
        with pytest.raises(tf.errors.DeadlineExceededError):
            sess.run(queue.dequeue_many(3))
        assert sess.run(queue.size()) == 2
        assert sess.run([queue.dequeue(), queue.size()])[0] == 1.0


def test_interrupt_ends_a_wait(graph):
    queue = tf.FIFOQueue(1, tf.float32)
    take = queue.dequeue()
    with tf.Session() as sess:
        main = threading.main_thread()
        assert threading.current_thread() is main

        def interrupt():
            until_waiting(sess)
            signal.pthread_kill(main.ident, signal.SIGINT)

        Runner(interrupt)
        with pytest.raises(KeyboardInterrupt):
            sess.run(take)
        assert not sess._runtime.waits._open


def test_what_need_not_wait_runs_first(graph):
    first, second = (tf.FIFOQueue(3, tf.int32, shapes=[()], name=name) for name in ("first", "second"))
    # Each waits for what the other gives only after a wait of its own.
    a = first.dequeue()
    put_b = second.enqueue(a + 1)
    with tf.control_dependencies([put_b]):
        done = tf.constant(5) * a
    b = second.dequeue()
    counter = tf.Variable(0)
    count = counter.assign_add(1)
    with tf.Session() as sess:
        sess.run(counter.initializer)
        fetched = sess.run([b, done, count, first.enqueue(7)])
        assert fetched == [8, 35, 1, None]


def test_waits_in_branches(graph):
    queue = tf.FIFOQueue(3, tf.int32, shapes=[()])
    other = tf.FIFOQueue(3, tf.int32, shapes=[()])
    flag = tf.placeholder(tf.bool, [])
    taken = tf.cond(flag, lambda: queue.dequeue() * 2, lambda: other.dequeue() * 3)
    fetches = [taken, queue.enqueue(1), other.enqueue(10), tf.add(taken, 1)]
    with tf.Session() as sess:
        assert sess.run(fetches, {flag: True})[0] == 2
        value, _, _, after = sess.run(fetches, {flag: False})
        assert (value, after) == (30, 31)
        assert sess.run([queue.size(), other.size()]) == [1, 1]


def test_failure_of_one_ends_the_others(graph):
    empty, closed = tf.FIFOQueue(1, tf.int32, name="empty"), tf.FIFOQueue(1, tf.int32, name="closed")
    fetches = [empty.dequeue(), closed.dequeue()]
    with tf.Session() as sess:
        sess.run(closed.close())
        with pytest.raises(tf.errors.OutOfRangeError, match="closed"):
            sess.run(fetches)
        assert not sess._runtime.waits._open
        sess.run(empty.enqueue(3))
        assert sess.run(empty.size()) == 1


def test_dequeued_values_are_the_callers(graph):
    queue = tf.FIFOQueue(4, tf.float32, shapes=[(2,)])
    value = tf.constant([1.0, 2.0])
    fed = tf.placeholder(tf.float32, [2])
    put, put_fed, take = queue.enqueue(value), queue.enqueue(fed), queue.dequeue()
    with tf.Session() as sess:
        sess.run([put])
        sess.run(take)[:] = 9
        array = np.array([5.0, 6.0], np.float32)
        sess.run([put, put_fed], {fed: array})
        array[:] = 0
        rows = sorted(sess.run(take).tolist() for _ in range(2))
        assert rows == [[1.0, 2.0], [5.0, 6.0]]


@pytest.mark.parametrize("kind", ["fifo", "shuffle"])
def test_threads_share_a_queue(graph, kind):
    make = {
        "fifo": lambda: tf.FIFOQueue(7, [tf.int32, tf.string], shapes=[(), ()]),
        "shuffle": lambda: tf.RandomShuffleQueue(20, 5, [tf.int32, tf.string], shapes=[(), ()]),
    }[kind]
    queue = make()
    number = tf.placeholder(tf.int32, [])
    put, take = queue.enqueue([number, tf.as_string(number)]), queue.dequeue()
    close = queue.close()
    writers, each = 6, 60
    with tf.Session() as sess:

        def write(start):
            for i in range(start, writers * each, writers):
                sess.run(put, {number: i})

        def read():
            seen = []
            try:
                while True:
                    seen.append(sess.run(take))
            except tf.errors.OutOfRangeError:
                return seen

        readers = [Runner(read) for _ in range(4)]
        for writer in [Runner(lambda start=start: write(start)) for start in range(writers)]:
            assert writer.ended().error is None
        sess.run(close)
        pairs = [pair for reader in readers for pair in reader.ended().result]
    assert sorted(int(i) for i, _ in pairs) == list(range(writers * each))
    assert all(str(int(i)).encode() == text for i, text in pairs)


def test_twenty_threads_on_one_session(graph):
    rng = np.random.RandomState(0)
    x = tf.placeholder(tf.float32, [None, 8])
    w = tf.constant(rng.rand(8, 8).astype(np.float32))
    y = tf.reduce_sum(tf.nn.relu(tf.matmul(x, w) - 1.0), 1)
    counter = tf.Variable(0, use_resource=True)
    count = tf.assign_add(counter, 1)
    weights = np.asarray(rng.rand(20, 4, 8), np.float32)
    with tf.Session() as sess:
        sess.run(counter.initializer)
        expected = [sess.run(y, {x: value}) for value in weights]

        def work(index):
            for _ in range(30):
                got, _ = sess.run([y, count], {x: weights[index]})
                np.testing.assert_array_equal(got, expected[index])

        for runner in [Runner(lambda index=index: work(index)) for index in range(20)]:
            assert runner.ended().error is None
        assert sess.run(counter) == 600


def test_small_pipelines_leave_nothing(graph):
    number = tf.train.range_input_producer(4, shuffle=False).dequeue()
    batch = tf.train.batch([number], 2)
    before = threading.active_count()
    for _ in range(20):
        with tf.Session() as sess:
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            assert sess.run(batch).tolist() == [0, 1]
            coord.request_stop()
            coord.join(threads)
            assert not sess._runtime.waits._open
    # A thread of an earlier test may have ended meanwhile.
    assert threading.active_count() <= before
