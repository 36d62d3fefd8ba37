"""Functions of datasets that call Python, at once, and those that draw random numbers, from the beginning."""

import threading
from types import SimpleNamespace

import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.kernels.data.parallel_mapped import _note_duration


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


@pytest.mark.parametrize(
    ("milliseconds", "slow"),
    [
        ([0.1] * 100, False),
        ([9.0, 0.3, 0.1] * 20, False),  # plans are made, the machine is busy
        ([4.0, 0.4, 0.4, 0.1] * 20, False),
        ([4.0, 4.0, 0.4] * 3, False),
        ([0.4] * 23, False),
        ([0.4] * 24, True),
        ([0.1, 4.0, 4.0, 4.0], True),
    ],
)
def test_threads_take_over_calls_that_are_slow_again_and_again(milliseconds, slow):
    function = SimpleNamespace(slow_calls=0, much_slower_calls=0, is_slow=False)
    for each in milliseconds:
        _note_duration(function, each / 1e3)
    assert function.is_slow is slow
