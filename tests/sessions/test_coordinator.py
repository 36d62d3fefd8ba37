"""Coordinators, looper threads and queue runners: who stops, who is waited for, and what is raised where."""

from __future__ import annotations

import re
import sys
import threading

import pytest

import headrace as tf


def started(target, coord=None, daemon=True):
    thread = threading.Thread(target=target, daemon=daemon)
    if coord is not None:
        coord.register_thread(thread)
    thread.start()
    return thread


def test_join_waits_for_given_and_registered_threads():
    coord = tf.train.Coordinator()
    ended = []

    def loop():
        coord.wait_for_stop()
        ended.append(threading.current_thread())

    threads = [started(loop), started(loop, coord)]
    assert not coord.should_stop()
    assert not coord.wait_for_stop(0)
    coord.request_stop()
    coord.join(threads[:1])
    assert coord.joined
    assert set(ended) == set(threads)


@pytest.mark.parametrize("given", ["exception", "exc_info"])
def test_join_raises_what_was_reported_first(given):
    coord = tf.train.Coordinator()
    try:
        raise KeyError("first")
    except KeyError as error:
        coord.request_stop(error if given == "exception" else sys.exc_info())
    coord.request_stop(ValueError("second"))
    with pytest.raises(KeyError, match="first"):
        coord.join()
    with pytest.raises(KeyError):
        coord.raise_requested_exception()


def test_exceptions_after_join_are_raised_where_they_are_reported():
    coord = tf.train.Coordinator()
    coord.request_stop()
    coord.join()
    with pytest.raises(ValueError, match="late"):
        coord.request_stop((ValueError, ValueError("late"), None))


def test_an_exception_is_reported_where_it_is_handled():
    coord = tf.train.Coordinator()
    for given in (ValueError("stored"), "text", (ValueError, None, None)):
        with pytest.raises(TypeError, match=r"sys\.exc_info"):
            coord.request_stop(given)
    assert not coord.should_stop()


def test_stop_on_exception():
    coord = tf.train.Coordinator()

    def body():
        with coord.stop_on_exception():
            raise RuntimeError("in a thread")

    with pytest.raises(RuntimeError, match="in a thread"):
        coord.join([started(body)])
    assert coord.should_stop()


@pytest.mark.parametrize(
    ("clean", "error", "raised"),
    [
        (None, tf.errors.OutOfRangeError(None, None, "end"), False),
        ((KeyError,), KeyError("end"), False),
        ((KeyError,), tf.errors.OutOfRangeError(None, None, "end"), True),
        ((), ValueError("wrong"), True),
    ],
)
def test_clean_stop_exception_types(clean, error, raised):
    coord = tf.train.Coordinator() if clean is None else tf.train.Coordinator(clean_stop_exception_types=clean)
    coord.request_stop((type(error), error, None))
    assert coord.should_stop()
    if raised:
        with pytest.raises(type(error)):
            coord.join()
    else:
        coord.join()


def test_grace_period():
    coord = tf.train.Coordinator()
    release = threading.Event()
    thread = started(release.wait)
    coord.request_stop()
    with pytest.raises(RuntimeError, match="threads still running: " + re.escape(thread.name)):
        coord.join([thread], stop_grace_period_secs=0)
    coord.clear_stop()
    coord.request_stop()
    coord.join([thread], stop_grace_period_secs=0, ignore_live_threads=True)
    release.set()
    thread.join()


def test_clear_stop_makes_a_coordinator_new():
    coord = tf.train.Coordinator()
    coord.request_stop((ValueError, ValueError("old"), None))
    with pytest.raises(ValueError, match="old"):
        coord.join()
    coord.clear_stop()
    assert not coord.should_stop()
    assert not coord.joined
    coord.request_stop()
    coord.join()


def test_looper_threads():
    coord = tf.train.Coordinator()
    calls = []

    def call(name, last):
        calls.append(name)
        if len(calls) >= last:
            coord.request_stop()

    looper = tf.train.LooperThread.loop(coord, None, target=call, args=("a",), kwargs={"last": 3})
    coord.join([looper])
    assert calls == ["a"] * 3


def test_a_looper_of_ones_own_starts_runs_and_stops():
    coord = tf.train.Coordinator()
    order = []

    class Own(tf.train.LooperThread):
        def start_loop(self):
            order.append("start")

        def run_loop(self):
            order.append("run")
            coord.request_stop()

        def stop_loop(self):
            order.append("stop")

    own = Own(coord, timer_interval_secs=60)
    own.start()
    coord.join()
    assert order == ["start", "run", "stop"]


def test_looper_failures_stop_the_coordinator():
    coord = tf.train.Coordinator()

    def fail():
        raise ArithmeticError("turn")

    tf.train.LooperThread.loop(coord, 0.001, target=fail)
    with pytest.raises(ArithmeticError, match="turn"):
        coord.join()


@pytest.mark.parametrize(
    ("arguments", "keywords"), [((None, 1), {}), ((tf.train.Coordinator(), 1), {"args": (1,)})], ids=["coord", "args"]
)
def test_loopers_check_their_arguments(arguments, keywords):
    with pytest.raises(ValueError, match=r"coord|target"):
        tf.train.LooperThread(*arguments, **keywords)


@pytest.fixture
def graph():
    with tf.Graph().as_default() as made:
        yield made


def counting_runner(limit=3, **options):
    """A queue, a queue runner that puts 0, 1, … into it until `limit`, and what initializes the count."""
    count = tf.Variable(0, name="count")
    number = count.count_up_to(limit)
    queue = tf.FIFOQueue(10, tf.int32, shapes=[[]], name="numbers")
    return queue, tf.train.QueueRunner(queue, [queue.enqueue(number)], **options)


def test_last_thread_closes_the_queue(graph):
    queue, runner = counting_runner()
    item = queue.dequeue()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord=coord, start=True)
        assert [sess.run(item) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(item)
        assert runner.exceptions_raised == []
        assert runner.create_threads(tf.Session(graph=graph), coord=coord)  # other sessions have threads of their own
        coord.request_stop()
        for thread in threads:
            thread.join()


def test_runner_failures_are_raised_by_join(graph):
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[2]])
    value = tf.placeholder_with_default([1.0, 2.0, 3.0], [None])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(value)])
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord=coord, start=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch"):
            coord.join(threads)


def test_threads_take_shorter_turns_while_runners_run(graph):
    usual = sys.getswitchinterval()
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2)
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord=coord, start=True)
        sess.run([queue.dequeue() for _ in range(3)])
        assert sys.getswitchinterval() < usual
        coord.request_stop()
        coord.join(threads)
    assert sys.getswitchinterval() == usual


def test_runners_as_messages(graph):
    _, runner = counting_runner(queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError))
    message = runner.to_proto()
    again = tf.train.QueueRunner.from_proto(message)
    assert again.to_proto() == message
    assert again.queue_closed_exception_types == (tf.errors.OutOfRangeError, tf.errors.CancelledError)
    item = graph.get_operation_by_name("numbers")
    assert again.name == item.name
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = again.create_threads(sess, coord=coord, start=True)
        for thread in threads[:1]:
            thread.join()
        assert sess.run(runner.queue.size()) == 3
        coord.request_stop()
        coord.join(threads)


def test_runners_in_scopes_and_graphs(graph):
    with tf.name_scope("input"):
        _, runner = counting_runner()
    tf.train.add_queue_runner(runner)
    assert runner.to_proto("elsewhere") is None
    message = runner.to_proto("input")
    assert message.queue_name == "numbers"
    assert tf.train.QueueRunner.from_proto(message, import_scope="input").name == "input/numbers"
    exported = tf.train.export_meta_graph()
    with tf.Graph().as_default() as other, tf.Session() as sess:
        tf.train.import_meta_graph(exported)
        [imported] = other.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        threads[0].join()
        assert imported.name == "input/numbers"
        coord.request_stop()
        coord.join(threads)


@pytest.mark.parametrize(
    ("error", "arguments"),
    [
        (ValueError, {"queue": None, "enqueue_ops": []}),
        (TypeError, {"queue_closed_exception_types": [tf.errors.OutOfRangeError]}),
        (TypeError, {"queue_closed_exception_types": (ValueError,)}),
    ],
)
def test_runners_check_their_arguments(graph, error, arguments):
    queue = tf.FIFOQueue(1, tf.float32)
    with pytest.raises(error):
        tf.train.QueueRunner(**{"queue": queue, "enqueue_ops": [queue.enqueue(1.0)], **arguments})
