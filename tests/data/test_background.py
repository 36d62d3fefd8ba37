"""Work beside the step: order, errors in their places, threads that end."""

import threading

import numpy as np
import pytest

import headrace as tf
from headrace.devices import pool
from headrace.kernels.data.base import Iteration
from headrace.ops.data import background


def counting(limit, failing=()):
    place = iter(range(limit))

    def upstream():
        n = next(place, None)
        if n in failing:
            raise ValueError(f"element {n}")
        return None if n is None else (n,)

    return upstream


def taken(following):
    found = []
    while True:
        try:
            element = following()
        except ValueError as error:
            found.append(str(error))
            continue
        if element is None:
            return found
        found.append(element[0])


@pytest.mark.parametrize("size", [1, 3, 100])
def test_ahead_keeps_order_and_errors(size):
    following = background.ahead(counting(20, failing={0, 7, 19}), size, Iteration())
    expected = list(range(20))
    for n in (0, 7, 19):
        expected[n] = f"element {n}"
    assert taken(following) == expected
    assert following() is None


def test_closing_ends_the_work():
    iteration = Iteration()
    following = background.ahead(counting(10**9), 10**8, iteration)
    following()
    iteration.close()
    done = threading.Event()
    pool.submit(done.set)
    assert done.wait(10)


def test_slow_functions_run_side_by_side_in_order():
    running, most = [0], [0]
    lock = threading.Lock()
    together = threading.Barrier(2, timeout=10)

    def slow(x):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        if 4 <= x < 6:
            # Passes only where two elements are worked on at once.
            together.wait()
        threading.Event().wait(0.002)
        with lock:
            running[0] -= 1
        return x * 2

    with tf.Graph().as_default():
        dataset = tf.data.Dataset.range(12).map(lambda x: tf.py_func(slow, [x], tf.int64), num_parallel_calls=2)
        value = dataset.make_one_shot_iterator().get_next()
        with tf.Session() as sess:
            assert [sess.run(value) for _ in range(12)] == [2 * n for n in range(12)]
    assert most[0] >= 2


def test_many_threads_share_one_iterator():
    with tf.Graph().as_default():
        value = tf.data.Dataset.range(400).prefetch(4).make_one_shot_iterator().get_next()
        found = []
        with tf.Session() as sess:

            def work():
                while True:
                    try:
                        found.append(int(sess.run(value)))
                    except tf.errors.OutOfRangeError:
                        return

            threads = [threading.Thread(target=work) for _ in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert sorted(found) == list(range(400))


def test_a_failing_function_names_its_line():
    with tf.Graph().as_default():
        dataset = tf.data.Dataset.from_tensors(np.float32(0.0)).map(lambda x: tf.check_numerics(1.0 / x, "not finite"))
        value = dataset.make_one_shot_iterator().get_next()
        with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=r"test_background\.py"):
            sess.run(value)
