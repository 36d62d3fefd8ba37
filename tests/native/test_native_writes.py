"""Native loops that draw numbers and write variables, and what is left of a write where such a loop fails."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import headrace as tf
from headrace import native
from headrace.plan.native_regions import regions_from
from headrace.plan.pipeline import without

pytestmark = [
    pytest.mark.usefixtures("legal_graphs"),
    pytest.mark.skipif(not native.available(), reason="there is no native runner"),
]


@pytest.fixture(autouse=True)
def small_regions():
    with regions_from(1):
        yield


def both_ways(make, runs=2, feed=None) -> list:
    """What some runs of a program give, and its variables after them, with loops in regions and without regions."""
    found = []
    for plain in (False, True):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(7)
            fetches = make()
            session.run(tf.global_variables_initializer())
            if plain:
                with without("native regions"):
                    values = [session.run(fetches, feed) for _ in range(runs)]
            else:
                values = [session.run(fetches, feed) for _ in range(runs)]
                assert "while True" not in session.plan_for(fetches, list(feed or ())).source
            found.append([*values, session.run(tf.global_variables())])
    for one, other in zip(*found, strict=True):
        for value, plain_value in zip(one, other, strict=True):
            if plain_value is not None:
                np.testing.assert_allclose(value, plain_value, rtol=1e-5, atol=1e-6)
    return found[0]


def loop(count, body, *start):
    return tf.while_loop(lambda i, *_: i < count, lambda i, *rest: (i + 1, *body(i, *rest)), [0, *start])[1:]


@pytest.mark.parametrize(
    "draw",
    [
        lambda: tf.random_uniform([3], seed=4),
        lambda: tf.random_normal([2, 3], stddev=2.0),
        lambda: tf.truncated_normal([3], seed=1),
        lambda: tf.cast(tf.random_uniform([3], 0, 10, tf.int32), tf.float32),
        lambda: tf.cast(tf.multinomial([[0.1, 2.0, -1.0]], 3, seed=2)[0], tf.float32),
        lambda: tf.nn.dropout(tf.ones([3]), rate=0.4, seed=5),
    ],
)
def test_draws_in_loops(draw):
    def make():
        return loop(5, lambda i, t: [t * 0.5 + tf.reduce_sum(draw())], 0.0)

    one, other, _ = both_ways(make)
    assert one[0] != other[0]


def test_draws_of_stateless_ops_in_loops():
    def make():
        def body(i, t):
            seed = tf.stack([i, 3])
            return [t + tf.random.stateless_normal([4], seed) * tf.random.stateless_uniform([4], seed)]

        return loop(4, body, tf.zeros([4]))

    one, other, _ = both_ways(make)
    np.testing.assert_array_equal(one[0], other[0])


def test_draws_beside_loops_and_without():
    def make():
        x = tf.random_uniform([2, 3], seed=1)
        return [tf.reduce_sum(x * 2.0), *loop(3, lambda i, t: [t + x[0]], tf.zeros([3]))]

    both_ways(make, 3)


def test_an_unseeded_draw_is_another_each_time():
    with tf.Session() as session:
        (total,) = loop(2, lambda i, t: [t + tf.random_uniform([3])], tf.zeros([3]))
        assert "while True" not in session.plan_for(total, []).source
        drawn = [session.run(total) for _ in range(3)]
    assert len({value.tobytes() for value in drawn}) == 3
    assert all((value >= 0).all() and (value < 2).all() for value in drawn)


@pytest.mark.parametrize("use_resource", [False, True])
def test_counters(use_resource):
    def make():
        v = tf.get_variable("v", initializer=np.float32([1.0, 2.0]), use_resource=use_resource)

        def body(i, t):
            with tf.control_dependencies([tf.assign_add(v, [1.0, 0.5])]):
                return [t + tf.identity(v.read_value())]

        return loop(4, body, tf.zeros([2]))

    found = both_ways(make)
    np.testing.assert_allclose(found[-1][0], [9.0, 6.0])


@pytest.mark.parametrize("use_resource", [False, True])
def test_rows_that_are_written(use_resource):
    def make():
        table = tf.get_variable("table", initializer=np.zeros([4, 2], np.float32), use_resource=use_resource)

        def body(i, t):
            with tf.control_dependencies([tf.scatter_add(table, [i % 4, 0], tf.ones([2, 2]))]):
                return [t + tf.gather(table, i % 4)]

        return loop(6, body, tf.zeros([2]))

    both_ways(make)


def test_training_in_the_graph():
    def make():
        w = tf.get_variable("w", initializer=np.float32([[0.5], [-0.5]]))
        x = tf.constant([[1.0, 2.0], [3.0, 1.0], [0.0, 1.0]])
        y = tf.constant([[1.0], [0.0], [2.0]])
        optimizer = tf.train.GradientDescentOptimizer(0.05)

        def body(i, _):
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
            with tf.control_dependencies([optimizer.minimize(loss)]):
                return [tf.identity(loss)]

        return loop(10, body, 0.0)

    one, other, _ = both_ways(make)
    assert other[0] < one[0]


def test_what_a_branch_in_a_loop_writes():
    def make():
        v = tf.get_variable("v", initializer=0.0, use_resource=True)

        def body(i, t):
            written = tf.cond(i % 2 > 0, lambda: v.assign_add(1.0).value() * 1.0, lambda: tf.identity(t))
            with tf.control_dependencies([written]):
                return [t + v.read_value()]

        return loop(5, body, 0.0)

    both_ways(make)


def test_loops_one_after_the_other_that_write_the_same():
    def make():
        v = tf.get_variable("v", initializer=1.0)

        def double(i, t):
            with tf.control_dependencies([tf.assign(v, v * 2.0)]):
                return [t + 1.0]

        (first,) = loop(3, double, 0.0)
        with tf.control_dependencies([first]):
            (second,) = loop(2, lambda i, t: [t + v.read_value()], tf.identity(first))
        return [first, second]

    found = both_ways(make, 1)
    assert found[-1] == [8.0]
    assert found[0] == [3.0, 19.0]


def test_loops_deep_in_one_another():
    v = tf.get_variable("v", initializer=0.0)

    def nest(depth, x):
        if not depth:
            with tf.control_dependencies([tf.assign_add(v, 1.0)]):
                return x + tf.random_uniform([], seed=1)
        return tf.while_loop(lambda i, _: i < 1, lambda i, t: (i + 1, nest(depth - 1, t)), [0, x])[1]

    # Python's own loops lie in at most 18 others.
    y = nest(25, tf.constant(1.0))
    with tf.Session() as session:
        session.run(v.initializer)
        assert 1 <= session.run(y) < 2
        assert session.run(v) == 1.0


def refusals(make, feed_of):
    """What both ways raise, and the variables and a next draw after it."""
    found = []
    for plain in (False, True):
        with tf.Graph().as_default(), tf.Session() as session:
            fetches, inputs, later = make()
            session.run(tf.global_variables_initializer())
            feed = feed_of(inputs)

            def attempt(session=session, fetches=fetches, feed=feed, later=later):
                with pytest.raises(tf.errors.OpError) as raised:
                    session.run(fetches, feed)
                return raised.value, session.run([*tf.global_variables(), *later])

            if plain:
                with without("native regions"):
                    error, after = attempt()
            else:
                error, after = attempt()
                assert "while True" not in session.plan_for(fetches, list(feed)).source
            found.append((type(error), error.message, error.op.name, after))
    return found


def test_a_loop_that_fails_has_written_what_came_before():
    def make():
        last = tf.placeholder(tf.int32, [])
        table = tf.get_variable("table", initializer=np.arange(4.0, dtype=np.float32))
        count = tf.get_variable("count", initializer=0.0)
        noise = tf.random_uniform([], seed=3)

        def body(i, t):
            row = tf.gather(table, i + last)
            with tf.control_dependencies([row]), tf.control_dependencies([tf.assign_add(count, 1.0)]):
                return [t + row]

        return [loop(6, body, noise)[0]], [last], []

    one, other = refusals(make, lambda inputs: {inputs[0]: 1})
    assert one[:3] == other[:3]
    assert "indices = 4 is not in [0, 4)" in one[1]
    for value, plain in zip(one[3], other[3], strict=True):
        np.testing.assert_array_equal(value, plain)
    assert one[3][1] == 3.0


def test_draws_are_not_lost_where_a_region_fails():
    def make():
        row = tf.placeholder(tf.int32, [])
        noise = tf.random_uniform([4], seed=3)
        return [tf.gather(noise * 2.0, row) + 1.0], [row], [noise]

    one, other = refusals(make, lambda inputs: {inputs[0]: 9})
    assert one[:3] == other[:3]
    np.testing.assert_array_equal(one[3][0], other[3][0])


def test_threads_draw_different_numbers():
    (total,) = loop(3, lambda i, t: [t + tf.random_uniform([], seed=2)], 0.0)
    with tf.Session() as session:
        session.run(total)
        found: list = []
        threads = [
            threading.Thread(target=lambda: found.extend(session.run(total) for _ in range(50))) for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    with tf.Session() as session:
        one_after_the_other = [session.run(total) for _ in range(151)][1:]
    assert sorted(found) == sorted(one_after_the_other)


def _written_after(view):
    """A program that takes a view of a reference variable, uses it in a loop, and writes the variable after that."""
    weights = tf.get_variable("weights", initializer=tf.constant([0.5, -1.0, 2.0, 0.25]), use_resource=False)
    seen = view(weights)
    (sums,) = loop(3, lambda i, t: [t * 0.5 + tf.reduce_sum(tf.square(seen))], 0.0)
    return weights, seen, sums


VIEWS = [
    lambda v: tf.reshape(v, [2, 2]),
    lambda v: tf.expand_dims(v, 0),
    lambda v: tf.squeeze(tf.reshape(v, [4, 1]), 1),
]


@pytest.mark.parametrize("view", VIEWS)
def test_views_of_variables_that_are_used_before_they_are_written(view):
    def make():
        weights, _, sums = _written_after(view)
        with tf.control_dependencies([sums]):
            return sums, tf.assign_sub(weights, tf.gradients(sums, weights)[0] * 0.01).op

    (first, _), (second, _), _ = both_ways(make)
    # Half of the sum of squares, and a half and a quarter of it again.
    assert first == pytest.approx(5.3125 * 1.75)
    assert second < first


@pytest.mark.parametrize("view", VIEWS)
def test_views_of_variables_that_are_used_after_they_are_written(view):
    """They show what has been written, as TensorFlow's do."""
    with tf.Graph().as_default(), tf.Session() as session:
        weights, seen, sums = _written_after(view)
        with tf.control_dependencies([sums]):
            written = tf.assign_add(weights, [1.0, 1.0, 1.0, 1.0])
        with tf.control_dependencies([written]):
            late = tf.reduce_sum(tf.square(seen)) + 0.0
        session.run(tf.global_variables_initializer())
        sum_before, sum_after = session.run([sums, late])
        assert sum_before == pytest.approx(5.3125 * 1.75)
        assert sum_after == pytest.approx(np.sum(np.square([1.5, 0.0, 3.0, 1.25])))
