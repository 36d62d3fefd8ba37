"""`tf.cond` among other operations: a region computes the branches with what is around them, the same as without regions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace import native
from headrace.plan.native_regions import regions_from
from headrace.plan.pipeline import without

pytestmark = [
    pytest.mark.usefixtures("legal_graphs"),
    pytest.mark.skipif(not native.available(), reason="there is no native runner"),
]


@pytest.fixture(autouse=True, params=[1, 3], ids=["any region", "regions that pay"])
def least(request):
    with regions_from(request.param):
        yield


class Step:
    """One program: what is fetched, what is fed, and the variables, which are compared after each run."""

    def __init__(self, make):
        self.session = tf.Session(graph=tf.Graph())
        with self.session.graph.as_default():
            tf.set_random_seed(3)
            self.fetches, self.feeds = make()
            self.state = [v.value() for v in tf.global_variables()]
            self.session.run(tf.global_variables_initializer())

    def outcome(self, feed):
        """What a run gives, or how it fails; and what the variables hold then."""
        values = dict(zip(self.feeds, feed, strict=True))
        try:
            found = self.session.run(self.fetches, values)
        except tf.errors.OpError as error:
            found = type(error), error.message, error.op.name
        return found, self.session.run(self.state)

    def source(self):
        """The function of the plan."""
        return self.session.plan_for(self.fetches, self.feeds).source


def compared(make, *feeds):
    """Runs a program with regions and without them; returns the former's step and what its runs gave."""
    with_regions, plain = Step(make), Step(make)
    found = []
    for feed in feeds:
        found.append(with_regions.outcome(feed))
        with without("native regions"):
            expected = plain.outcome(feed)
        for one, other in zip(found[-1], expected, strict=True):
            if isinstance(other, tuple):
                assert one == other
                continue
            for value, plain_value in zip(one, other, strict=True):
                assert np.asarray(value).dtype == np.asarray(plain_value).dtype
                np.testing.assert_allclose(value, plain_value, rtol=2e-4, atol=2e-5)
        if isinstance(expected[0], tuple):
            # Which random numbers a step has drawn when it fails is open.
            with_regions, plain = Step(make), Step(make)
    return with_regions, [values for values, _ in found]


def rows(*shape, seed=0):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


def in_one_region(step):
    """Whether the step is one call of the runner."""
    source = step.source()
    return source.count("region_") == 1 and "if " not in source


def normalized_net(x, training):
    for i in range(3):
        x = tf.layers.dense(x, 6, name=f"dense{i}")
        x = tf.layers.batch_normalization(x, training=training, momentum=0.8, name=f"norm{i}")
        x = tf.layers.dropout(tf.nn.relu(x), 0.4, training=training, seed=7 + i)
    return tf.layers.dense(x, 2, name="last")


def test_a_net_whose_placeholder_says_whether_it_trains_is_one_region():
    def make():
        x, training = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.bool, [])
        loss = tf.reduce_mean(tf.square(normalized_net(x, training)))
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
        with tf.control_dependencies([train]):
            return [loss, tf.identity(loss * 2.0)], [x, training]

    step, found = compared(make, *[(rows(n, 4, seed=n), flag) for n in (8, 5, 8) for flag in (True, True, False)])
    assert in_one_region(step)
    assert found[0][0] != found[2][0]


def test_gradients_below_the_edges_of_update_operations_are_one_region():
    def make():
        x = tf.placeholder(tf.float32, [None, 4])
        loss = tf.reduce_mean(tf.square(normalized_net(x, True)))
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
        with tf.control_dependencies([train]):
            return [loss, tf.identity(loss * 2.0)], [x]

    step, _ = compared(make, *[(rows(n, 4, seed=n),) for n in (8, 5)])
    assert in_one_region(step)


def test_a_net_whose_loss_alone_is_fetched():
    def make():
        x, training = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.bool, [])
        return [tf.reduce_mean(normalized_net(x, training))], [x, training]

    step, _ = compared(make, (rows(8, 4), True), (rows(8, 4), False), (rows(3, 4), True))
    assert in_one_region(step)


def test_gradients_of_a_branch_use_what_it_gave():
    def make():
        x, p = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.bool, [])
        y = tf.cond(p, lambda: tf.exp(tf.sin(x)) * x, lambda: tf.tanh(x * 2.0))
        z = tf.cond(p, lambda: y * y, lambda: y + tf.cos(x))
        return [z, tf.gradients(z, x)[0]], [x, p]

    step, _ = compared(make, (rows(3), True), (rows(3), False), (np.full(3, np.nan, np.float32), True))
    assert in_one_region(step)


def test_branches_that_write_the_same_variable():
    def make():
        x, p = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.bool, [])
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
        before = tf.identity(v) * 1.0
        with tf.control_dependencies([before]):
            written = tf.cond(p, lambda: tf.assign_add(v, x), lambda: tf.assign(v, v * 0.5 - x))
        with tf.control_dependencies([written]):
            after = v.read_value() * 3.0
        return [before, written, after], [x, p]

    compared(make, *[(rows(2, seed=k), k % 2 == 0) for k in range(5)])


def test_what_is_written_in_a_branch_that_fails_later_stays_written():
    def make():
        x, p, i = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.bool, []), tf.placeholder(tf.int32, [])
        v = tf.get_variable("v", [3], initializer=tf.zeros_initializer())
        added = tf.cond(p, lambda: tf.assign_add(v, x), lambda: v + 0.0)
        with tf.control_dependencies([added]):
            picked = tf.gather(v.read_value() * 2.0, i)
        return [picked + 1.0], [x, p, i]

    compared(make, *[(rows(3), p, i) for p in (True, False) for i in (0, 3, 2)])


def test_a_failure_in_a_branch_counts_only_where_it_is_taken():
    def make():
        x, p, i = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.bool, []), tf.placeholder(tf.int32, [])
        v = tf.get_variable("v", [3], initializer=tf.zeros_initializer())
        y = tf.cond(p, lambda: tf.gather(x, i) * 2.0, lambda: tf.reduce_sum(x))
        with tf.control_dependencies([y]):
            return [y, tf.assign_add(v, x * y)], [x, p, i]

    _, found = compared(make, *[(rows(3), p, i) for p in (True, False) for i in (0, 7)])
    assert found[1][0] is tf.errors.InvalidArgumentError
    assert isinstance(found[3], list)


def test_branches_of_different_sizes_run_in_parts():
    def make():
        x, p = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.bool, [])
        y = tf.cond(p, lambda: tf.nn.relu(x[1:]) * 2.0, lambda: tf.sin(x) + 1.0)
        z = tf.reduce_sum(tf.square(y) * 0.5, 1) - 1.0
        return [y, z, tf.gradients(z, x)[0]], [x, p]

    compared(make, *[(rows(n, 3), p) for n in (4, 2) for p in (True, False)])


def test_a_variable_without_a_value_in_a_branch_that_is_not_taken():
    def make():
        x, p = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.bool, [])
        v = tf.get_variable("v", [2], initializer=tf.zeros_initializer(), collections=["late"])
        y = tf.cond(p, lambda: v * x + 1.0, lambda: tf.cos(x) * 2.0)
        return [y, tf.exp(y) - 1.0], [x, p]

    _, found = compared(make, (rows(2), False), (rows(2), True), (rows(2), False))
    assert found[1][0] is tf.errors.FailedPreconditionError


@pytest.mark.parametrize("use_resource", [True, False])
def test_a_variable_that_two_regions_of_a_branch_use(use_resource):
    def make():
        x, taken = tf.placeholder(tf.float32, [3]), tf.placeholder(tf.bool, [])
        variable = tf.get_variable("v", initializer=[1.0, 2.0, 3.0], use_resource=use_resource)
        late = tf.reshape(tf.py_func(lambda value: value * np.float32(3.0), [tf.sin(x)], tf.float32), [3])

        def changed():
            with tf.control_dependencies([tf.assign_add(variable, x * 0.1)]):
                before = tf.tanh(x)
            with tf.control_dependencies([before, tf.assign(variable, late * 2.0)]):
                return tf.exp(-before)

        found = tf.cond(taken, changed, lambda: tf.sin(x) - 1.0)
        return [tf.reduce_sum(found * found), found], [x, taken]

    compared(make, (rows(3), True), (rows(3), False), (rows(3, seed=1), True))


def test_an_operation_of_python_between_branches():
    def make():
        x, p = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.bool, [])
        seen = tf.py_func(lambda a: a * 2.0, [x], tf.float32)
        seen.set_shape([2])
        first = tf.cond(p, lambda: tf.sin(x) * 2.0, lambda: x - 1.0)
        inner = tf.cond(p, lambda: tf.py_func(lambda a: a + 1.0, [first * 3.0], tf.float32), lambda: first * seen)
        inner.set_shape([2])
        last = tf.cond(p, lambda: inner * first, lambda: tf.exp(inner) + seen)
        return [first, inner, last, tf.gradients(tf.reduce_sum(first * last), x)[0]], [x, p]

    compared(make, (rows(2), True), (rows(2), False))


@st.composite
def programs(draw):
    """Operations, one after the other, as numbers that `built` reads."""
    steps = st.tuples(st.integers(0, 9), st.integers(0, 99), st.integers(0, 99), st.integers(0, 3))
    return draw(st.lists(steps, min_size=3, max_size=14))


def built(steps, sizes_known):
    """The program of such numbers: element-wise operations, conds in one another, writes, reads and what refuses values."""
    x = tf.placeholder(tf.float32, [3] if sizes_known else [None])
    flags = [tf.placeholder(tf.bool, []) for _ in range(2)]
    v = tf.get_variable("v", [3], initializer=tf.ones_initializer())
    flags.append(tf.reduce_sum(x) > 0.0)
    values = [x, x * 0.5 + 0.1]

    def simple(kind, a, b):
        return [lambda: a * 0.5 + b, lambda: tf.sin(a) - b, lambda: tf.tanh(a * b), lambda: tf.maximum(a, b) * 0.7][
            kind % 4
        ]()

    def branch(kind, a, b, depth):
        def taken():
            if depth and kind % 3 == 0:
                return tf.cond(flags[(kind + depth) % 3], branch(kind + 1, a, b, 0), branch(kind + 2, b, a, 0))
            if kind % 7 == 1:
                return tf.assign_add(v, a * 0.1) * 1.0
            if kind % 7 == 2:
                return a * v.read_value()
            if kind % 7 == 3:
                return tf.nn.dropout(a, rate=0.5, seed=kind)
            if kind % 7 == 4:
                return b
            return simple(kind, a, b)

        return taken

    def picking(flag, a, b, last):
        return tf.cond(flag, lambda: a * 2.0, lambda: tf.stop_gradient(tf.gather(b, [0, 1, last])))

    for kind, i, j, flag in steps:
        a, b = values[i % len(values)], values[j % len(values)]
        with tf.control_dependencies([values[-1]]):
            if kind < 5:
                made = tf.cond(flags[flag % 3], branch(i, a, b, 1), branch(j, b, a, 1))
            elif kind == 5:
                made = picking(flags[flag % 3], a, b, 3 if j % 5 == 0 else 2)
            elif kind == 6:
                made = tf.py_func(lambda n: n * 0.9, [a], tf.float32)
                made.set_shape(a.shape)
            elif kind == 7:
                made = tf.assign(v, v * 0.9 + b * 0.1) + 0.0
            else:
                made = simple(i, a, b)
        values.append(made)
    total = tf.add_n([tf.reduce_sum(value) for value in values[2:]])
    slope = tf.gradients(total, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)[0]
    return [values[-1], total, slope], [x, *flags[:2]]


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(programs(), st.booleans(), st.integers(0, 1000))
# What fails in a branch, after a write, is not the first node of the branch.
@example([(0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), (0, 86, 92, 0), (5, 0, 0, 0)], False, 0)
# What fails in a branch stands before a write outside of it.
@example([(0, 17, 3, 0), (5, 0, 0, 0), (7, 0, 0, 0)], False, 0)
def test_drawn_programs_give_the_same_with_regions_and_without(steps, sizes_known, seed):
    feeds = [(rows(3, seed=seed + k), one, other) for k, (one, other) in enumerate([(0, 0), (1, 0), (0, 1), (1, 1)])]
    compared(lambda: built(steps, sizes_known), *[(x, bool(a), bool(b)) for x, a, b in feeds])
