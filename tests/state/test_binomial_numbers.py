"""`Generator.binomial`: the numbers and the states of TensorFlow 1.15.5, and how they are distributed."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode


def moved(seed):
    """A generator that has drawn before: only then does 1.15.5 keep the state of its binomial numbers."""
    generator = tf.random.experimental.Generator.from_seed(seed)
    generator.uniform([1])
    return generator


# Each was drawn by 1.15.5: the arguments, the sums of two draws, the beginning of the first, the low word of the state.
DRAWN = [
    (11, ([30], 4.0, 0.3, tf.int32), (38, 41), [1, 2, 1, 0, 1, 1], 2637067),
    (12, ([30], 40.0, 0.3, tf.int32), (350, 338), [11, 10, 7, 12, 12, 11], 2637068),
    (14, ([3, 40], [4.0, 50.0, 30.0], [0.3, 0.4, 0.8], tf.int64), (1773, 1827), [1, 0, 1, 1, 2, 3], 3302670),
    (15, ([2, 2, 3], [10.0, 0.0], 0.7, tf.float64), (44, 43), [9, 6, 10, 7, 5, 7], None),
    (16, ([5], 10.0, 1.0, tf.int32), (50, 50), [10, 10, 10, 10, 10], 2637072),
    (17, ([5], -1.0, 0.5, tf.int32), (0, 0), [0, 0, 0, 0, 0], 2637073),
    (19, ([250], 20.0, 0.25, tf.float32), (1217, 1267), [1, 6, 5, 4, 7, 3], None),
    (21, ([0], 3.0, 0.5, tf.int32), (0, 0), [], 277),
]


@pytest.mark.parametrize(("seed", "arguments", "sums", "first", "state"), DRAWN)
def test_the_numbers_are_those_of_tensorflow(seed, arguments, sums, first, state):
    with eager_mode():
        generator = moved(seed)
        drawn = [generator.binomial(*arguments).numpy() for _ in sums]
        assert [each.sum() for each in drawn] == list(sums)
        assert drawn[0].shape == tuple(arguments[0])
        assert drawn[0].dtype == arguments[3].as_numpy_dtype
        assert drawn[0].reshape(-1)[:6].tolist() == first
        assert state is None or generator.state.numpy().tolist() == [state, 0, 0]


@pytest.mark.parametrize(("count", "prob"), [(5.0, 0.2), (100.0, 0.4), (1000.0, 0.9), (1e6, 1e-6)])
def test_mean_and_variance(count, prob):
    with eager_mode():
        drawn = moved(3).binomial([20000], count, prob, tf.float64).numpy()
    mean, variance = count * prob, count * prob * (1 - prob)
    assert abs(drawn.mean() - mean) < 5 * np.sqrt(variance / len(drawn))
    assert abs(drawn.var() / variance - 1) < 0.1
    assert drawn.min() >= 0
    assert drawn.max() <= count


def test_a_graph_draws_the_same():
    with eager_mode():
        eager = tf.random.experimental.Generator.from_seed(9).binomial([4, 2], [30.0, 3.0, 7.0, 60.0], 0.5).numpy()
    with tf.Graph().as_default(), tf.Session() as session:
        drawn = tf.random.experimental.Generator.from_seed(9).binomial([4, 2], [30.0, 3.0, 7.0, 60.0], 0.5)
        assert drawn.shape.as_list() == [4, 2]
        session.run(tf.global_variables_initializer())
        assert session.run(drawn).tolist() == eager.tolist()


@pytest.mark.parametrize(
    ("counts", "probs", "what"),
    [([1.0, 2.0], 0.5, "counts"), (0.5, [0.1, 0.2], "probs"), ([[1.0]], 0.5, "rank"), (1.0, [[0.5]], "rank")],
)
def test_parameters_that_do_not_fit(counts, probs, what):
    with eager_mode(), pytest.raises(tf.errors.InvalidArgumentError, match=what):
        moved(5).binomial([3], counts, probs)


def test_no_probability_gives_nan():
    with eager_mode():
        assert np.isnan(moved(18).binomial([3], 10.0, float("nan"), tf.float32).numpy()).all()
