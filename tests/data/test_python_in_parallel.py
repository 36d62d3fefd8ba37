"""Functions of datasets that call Python, at once, and those that draw random numbers, from the beginning."""

import threading

import pytest

import headrace as tf
from headrace.core.eager import eager_mode


def test_calls_of_python_may_wait_for_each_other():
    together = threading.Barrier(3, timeout=30)

    def met(x):
        together.wait()
        return x

    with tf.Graph().as_default(), tf.Session() as sess:
        dataset = tf.data.Dataset.range(3).map(lambda x: tf.py_func(met, [x], tf.int64), num_parallel_calls=3)
        element = dataset.make_one_shot_iterator().get_next()
        assert [sess.run(element) for _ in range(3)] == [0, 1, 2]


@pytest.mark.parametrize("batch", [None, 2])
def test_seeded_functions_draw_the_same_in_each_iteration(batch):
    with eager_mode():
        dataset = tf.data.Dataset.range(4).map(lambda _: tf.random_uniform((), seed=11))
        dataset = dataset if batch is None else dataset.batch(batch)
        first, second = ([x.numpy().tolist() for x in dataset] for _ in range(2))
        assert first == second
