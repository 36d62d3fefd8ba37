"""Branches and loops that are functions, taken into the plan: what they give, and that they do as they did as calls."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.functions.flow import modes
from headrace.plan import lowered_flow
from headrace.plan.pipeline import without

pytestmark = pytest.mark.usefixtures("legal_graphs", "of_functions")

CALLS = ("lower functions", "optionals", "lists in place")
DATA = np.array([[0.3, -1.2], [2.0, 0.1], [-0.4, 0.8]], np.float32)


@pytest.fixture
def of_functions(monkeypatch):
    """Branches and loops are built as functions."""
    monkeypatch.setattr(modes, "ENABLE_CONTROL_FLOW_V2", True)


def both_ways(make, feed=DATA):
    """What a program gives, with functions taken in and with calls of them; the plan of the first."""
    found = []
    for left_out in ((), CALLS):
        with tf.Graph().as_default(), tf.Session() as session, without(*left_out):
            tf.set_random_seed(3)
            x = tf.placeholder(tf.float32, [None, 2])
            fetches = make(x)
            session.run(tf.global_variables_initializer())
            found.append([session.run(fetches, {x: feed}) for _ in range(2)])
            if not left_out:
                plan = session.plan_for(fetches, [x])
    for one, other in zip(*found, strict=True):
        for value, called in zip(one, other, strict=True):
            np.testing.assert_allclose(value, called, rtol=1e-5, atol=1e-6)
    return plan


def weights():
    return tf.get_variable("w", [2, 2], use_resource=True, initializer=tf.constant_initializer([0.5, -0.3, 0.2, 0.9]))


def types_of(plan):
    return {node.type for node in plan.nodes}


# ---- what is gone


def gone(plan):
    """Whether no function is called any more, and no list or optional goes round as a value."""
    kinds = ("If", "StatelessIf", "While", "StatelessWhile", "Optional", "TensorList", "EmptyTensorList")
    return not any(kind.startswith(kinds) for kind in types_of(plan))


def test_a_branch_and_its_gradient():
    def make(x):
        y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.tanh(tf.matmul(x, weights())) * x, lambda: x * 2.0)
        return [y, *tf.gradients(y, [x])]

    for feed in (DATA, -DATA):
        assert gone(both_ways(make, feed))


def test_a_branch_in_a_branch():
    def make(x):
        total = tf.reduce_sum(x)
        inner = lambda: tf.cond(total > 1.0, lambda: tf.sin(x) * x, lambda: tf.exp(x))  # noqa: E731
        y = tf.cond(total > 0.0, inner, lambda: x * x)
        return [y, *tf.gradients(y * y, [x])]

    for feed in (DATA, -DATA, DATA * 0.1):
        assert gone(both_ways(make, feed))


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_recurrence_with_a_branch_and_its_gradient(dynamic):
    def make(x):
        count = tf.shape(x)[0] if dynamic else 3
        rows = tf.TensorArray(tf.float32, count).unstack(x)

        def step(i, h, out):
            z = tf.matmul(h + rows.read(i), weights_)
            h = tf.cond(z[0, 0] > 0.1, lambda: tf.tanh(z), lambda: z * 0.5)
            return i + 1, h, out.write(i, h[0])

        weights_ = weights()
        *_, out = tf.while_loop(lambda i, *_: i < count, step, [0, tf.zeros([1, 2]), tf.TensorArray(tf.float32, count)])
        y = tf.reduce_sum(tf.square(out.stack()))
        return [y, *tf.gradients(y, [x, weights_])]

    assert gone(both_ways(make))


def test_arrays_that_are_written_in_branches():
    def make(x):
        def step(i, out):
            return i + 1, tf.cond(x[i, 0] > 0.0, lambda: out.write(i, x[i] * 2.0), lambda: out.write(i, x[i]))

        out = tf.while_loop(lambda i, _: i < 3, step, [0, tf.TensorArray(tf.float32, 3)])[1].stack()
        return [out, *tf.gradients(out * out, x)]

    assert gone(both_ways(make))


def test_two_arrays_of_one_kind_stay_two():
    def make(x):
        arrays = [tf.TensorArray(tf.float32, 3) for _ in range(2)]

        def step(i, a, b):
            return i + 1, a.write(i, x[i]), b.write(2 - i, x[i] * 3.0)

        _, a, b = tf.while_loop(lambda i, *_: i < 3, step, [0, *arrays])
        return [a.stack(), b.stack()]

    assert gone(both_ways(make))


def test_rows_that_were_never_written_are_zeros():
    def make(x):
        array = tf.TensorArray(tf.float32, 5, element_shape=[2])
        out = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a.write(i + 1, x[i])), [0, array])[1]
        return [out.stack(), out.read(0), out.size()]

    both_ways(make)


def test_a_version_that_is_used_again_stays():
    """The list of before is asked for after another was made of it."""

    def make(x):
        array = tf.TensorArray(tf.float32, 3, element_shape=[2]).unstack(x)

        def step(i, total, a):
            later = a.write(i, a.read(i) * 2.0)
            return i + 1, total + a.read(i) + later.read(i), later

        _, total, out = tf.while_loop(lambda i, *_: i < 3, step, [0, tf.zeros([2]), array])
        return [total, out.stack(), array.stack()]

    both_ways(make)


def test_a_version_that_is_used_by_what_a_later_one_gives():
    def make(x):
        array = tf.TensorArray(tf.float32, 3, element_shape=[2]).unstack(x)

        def step(i, total, a):
            later = a.write(i, a.read(i) * 0.0)
            place = tf.cast(later.read(i)[0], tf.int32)
            return i + 1, total + a.read(place), later

        return tf.while_loop(lambda i, *_: i < 3, step, [0, tf.zeros([2]), array])[1]

    both_ways(lambda x: [make(x)])


def test_a_list_that_leaves_as_a_value():
    def make(x):
        array = tf.TensorArray(tf.float32, 3, element_shape=[2])
        loop = lambda a: tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a.write(i, x[i])), [0, a])[1]  # noqa: E731
        out = loop(array)
        twice = loop(out.write(0, x[0] * 5.0))
        return [out.stack(), twice.stack(), out.concat()]

    both_ways(make)


def test_loops_in_loops_and_gradients_of_gradients():
    def make(x):
        def inner(v):
            return tf.while_loop(lambda i, _: i < 2, lambda i, u: (i + 1, u * tf.sin(u)), [0, v])[1]

        y = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, inner(v) + v * 0.1), [0, x])[1]
        first = tf.gradients(y, x)[0]
        return [y, first, *tf.gradients(tf.reduce_sum(first * x), x)]

    both_ways(make)


# ---- effects, and what is not taken in


def test_variables_that_branches_and_loops_of_functions_change():
    """In the body of a function all of it runs, in the order of its text."""

    def make(x):
        v = tf.get_variable("v", [], use_resource=True, initializer=tf.zeros_initializer())

        @tf.function
        def run(x):
            seen = [v.assign_add(1.0)]
            tf.cond(tf.reduce_sum(x) > 0.0, lambda: [v.assign_add(10.0)], lambda: [v.assign(v * 2.0)])
            seen.append(v.read_value())
            tf.while_loop(lambda i: i < 3, lambda i: (v.assign_add(100.0), i + 1)[1:], [0])
            seen.append(v.read_value())
            return seen

        return run(x)

    both_ways(make)
    both_ways(make, -DATA)


def test_draws_keep_their_streams():
    def make(x):
        y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.random_uniform([2]), lambda: tf.random_normal([2]))
        z = tf.while_loop(lambda i, _: i < 3, lambda i, v: (i + 1, v + tf.random_uniform([])), [0, 0.0])[1]
        return [y, z]

    both_ways(make)


def test_what_is_refused_in_a_branch_names_it():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2])
        y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.check_numerics(tf.log(-x), "below"), lambda: x)
        np.testing.assert_array_equal(session.run(y, {x: -np.abs(DATA)}), -np.abs(DATA))
        with pytest.raises(tf.errors.InvalidArgumentError, match="below"):
            session.run(y, {x: np.abs(DATA)})


def test_a_branch_of_nothing_but_effects_is_waited_for():
    def make(x):
        v = tf.get_variable("v", [], use_resource=True, initializer=tf.zeros_initializer())

        def add(amount):
            with tf.control_dependencies([v.assign_add(amount)]):
                return tf.no_op()

        with tf.control_dependencies([tf.cond(tf.reduce_sum(x) > 0.0, lambda: add(1.0), lambda: add(5.0))]):
            return [v.read_value()]

    both_ways(make)
    both_ways(make, -DATA)


def test_a_condition_of_any_type_stays_a_call():
    """A number is true unless zero, where the operation is made by itself."""
    with tf.Graph().as_default(), tf.Session() as session:

        @tf.contrib.eager.defun
        def one(x):
            return x + 1.0

        x = tf.placeholder(tf.float32, [])
        traced = one.get_concrete_function(tf.TensorSpec([], tf.float32))
        traced.add_to_graph(tf.get_default_graph())
        made = tf.raw_ops.If(
            cond=x, input=[x], Tout=[tf.float32], then_branch=traced.function, else_branch=traced.function
        )
        assert session.run(made, {x: 2.0}) == [3.0]


# ---- any program


@st.composite
def expressions(draw, depth=2):
    """A function of rows and weights, as a nest of branches, loops, arrays and products."""
    kinds = ["unary"] if depth == 0 else ["unary", "product", "branch", "branch", "loop", "array"]
    kind = draw(st.sampled_from(kinds))
    if kind == "unary":
        name = draw(st.sampled_from(["tanh", "sigmoid", "sin"]))
        return lambda z, w: getattr(tf, name)(z)
    inner = draw(expressions(depth=depth - 1))
    if kind == "product":
        return lambda z, w: tf.tanh(tf.matmul(inner(z, w), w))
    if kind == "branch":
        other, bound = draw(expressions(depth=depth - 1)), draw(st.sampled_from([-1.0, 0.0, 0.5]))
        return lambda z, w: tf.cond(tf.reduce_sum(z) > bound, lambda: inner(z, w), lambda: other(z, w))
    if kind == "loop":
        times, most = draw(st.integers(0, 3)), draw(st.sampled_from([None, 2]))

        def loop(z, w):
            body = lambda i, v: (i + 1, inner(v, w))  # noqa: E731
            return tf.while_loop(lambda i, _: i < times, body, [0, z], maximum_iterations=most)[1]

        return loop

    def rows(z, w):
        given_rows = tf.TensorArray(tf.float32, 3, element_shape=[2]).unstack(z)

        def step(i, total, out):
            row = inner(tf.stack([given_rows.read(i)] * 3), w)[0]
            return i + 1, total + row, out.write(i, row * total)

        out = tf.while_loop(lambda i, *_: i < 3, step, [0, z[0], tf.TensorArray(tf.float32, 3)])[2]
        return tf.reshape(out.stack(), [3, 2])

    return rows


@given(expressions(), st.floats(-1.5, 1.5))
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_nest_gives_what_calls_give(expression, factor):
    def make(x):
        w = weights()
        y = expression(tf.reshape(x, [3, 2]), w)
        return [y, *[each for each in tf.gradients(y, [x, w]) if each is not None]]

    both_ways(make, DATA * np.float32(factor))


@pytest.mark.parametrize("most", ["_MOST_BODIES", "_MOST_NODES"])
def test_only_so_much_is_taken_in(monkeypatch, most):
    monkeypatch.setattr(lowered_flow, most, 4)

    def make(x):
        total = tf.reduce_sum(x)
        y = x
        for bound in range(4):
            y = tf.cond(total > bound, lambda y=y: tf.tanh(y) * y, lambda y=y: y + 1.0)
        return [y]

    assert {"If", "StatelessIf"} & types_of(both_ways(make))


@pytest.mark.parametrize("told", [True, False])
def test_a_condition_of_unknown_rank(told):
    with tf.Graph().as_default(), tf.Session() as session:
        asked, x = tf.placeholder(tf.bool), tf.placeholder(tf.float32, [None, 2])
        y = tf.cond(asked, lambda: tf.tanh(x) * x, lambda: x * 2.0)
        assert gone(session.plan_for([y], [asked, x]))
        expected = np.tanh(DATA) * DATA if told else DATA * 2.0
        np.testing.assert_allclose(session.run(y, {asked: told, x: DATA}), expected, rtol=1e-5)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {asked: [told, told], x: DATA})


def test_a_counter_of_unknown_shape():
    """As loops of loaded functions have it: nothing says that it is a number, though what follows on it is one."""

    def make(x):
        rank = tf.placeholder_with_default(np.int32(0), None)
        most = tf.placeholder_with_default(np.int32(4), None)

        def step(i, h):
            return tf.reshape(i + 1, []), tf.tanh(h) * x

        invariants = [tf.TensorShape(None), tf.TensorShape([None, 2])]
        return tf.while_loop(lambda i, _: tf.reshape(i < most, []), step, [rank, x], invariants)

    both_ways(make)
