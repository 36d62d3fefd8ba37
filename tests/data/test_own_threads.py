"""Pipelines with threads of their own: how many of them call functions."""

import threading

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.data.tuning import PrivateThreadPool, override_threadpool

Dataset = tf.data.Dataset


def thread_of(x):
    return tf.py_func(lambda value: np.int64(threading.get_ident()), [x], tf.int64)


def overridden(dataset, count):
    return override_threadpool(dataset, PrivateThreadPool(count, "own"))


def with_options(dataset, count):
    options = tf.data.Options()
    options.experimental_threading.private_threadpool_size = count
    return dataset.with_options(options)


@pytest.mark.parametrize("on_threads", [overridden, with_options])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_no_more_threads_than_given_call_functions(on_threads, count):
    with eager_mode():
        dataset = on_threads(Dataset.range(60).map(thread_of, num_parallel_calls=8).prefetch(4), count)
        seen = {int(thread) for thread in dataset}
    assert 1 <= len(seen) <= count
    assert threading.get_ident() not in seen


def test_a_call_on_the_only_thread_may_iterate_over_another_pipeline():
    def total(x):
        inner = Dataset.range(4).map(lambda y: tf.py_func(np.add, [y, x], tf.int64), num_parallel_calls=2)
        return inner.reduce(np.int64(0), lambda a, b: a + b)

    with eager_mode():
        dataset = overridden(Dataset.range(5).map(total, num_parallel_calls=4), 1)
        assert [int(x) for x in dataset] == [6 + 4 * x for x in range(5)]


@pytest.mark.parametrize(("setting", "least"), [("private_threadpool_size", 1), ("max_intra_op_parallelism", 0)])
def test_too_few_threads_are_refused(setting, least):
    with eager_mode():
        options = tf.data.Options()
        setattr(options.experimental_threading, setting, least - 1)
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"must be >= {least}"):
            list(Dataset.range(3).with_options(options))
