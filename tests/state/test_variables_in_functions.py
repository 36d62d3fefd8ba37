"""Functions that read and write variables in branches and loops: as the statements of the program stand, one after the other."""

from __future__ import annotations

import gc
import math
import weakref

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.core.eager import eager_mode

NAMES = range(3)

simple = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("add"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("mix"), st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.tuples(st.just("use"), st.sampled_from(NAMES)),
)


def blocks(inner):
    body = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        inner,
        st.tuples(st.just("if"), st.sampled_from(NAMES), body, body),
        st.tuples(st.just("loop"), st.integers(0, 3), body),
    )


programs = st.lists(st.recursive(simple, blocks, max_leaves=9), min_size=1, max_size=4)
starts = st.lists(st.sampled_from([-1.5, -0.3, 0.4, 1.2]), min_size=3, max_size=3)


def expected(program, values, y):
    """What the statements do to Python's numbers."""
    for statement in program:
        match statement:
            case "write", v, w:
                values[v] = math.sin(values[w] * 1.5 + 0.2)
            case "add", v, w:
                values[v] += math.sin(values[w])
            case "mix", v, w:
                values[v] = math.sin(y + values[w])
            case "use", w:
                y = math.sin(y + values[w])
            case "if", w, then, otherwise:
                y = expected(then if values[w] > 0.1 else otherwise, values, y)
            case "loop", count, body:
                for _ in range(count):
                    y = expected(body, values, y)
    return y


def built(program, variables, y):
    """The same as operations."""
    for statement in program:
        match statement:
            case "write", v, w:
                variables[v].assign(tf.sin(variables[w] * 1.5 + 0.2))
            case "add", v, w:
                variables[v].assign_add(tf.sin(variables[w]))
            case "mix", v, w:
                variables[v].assign(tf.sin(y + variables[w]))
            case "use", w:
                y = tf.sin(y + variables[w])
            case "if", w, then, otherwise:
                y = tf.cond(
                    variables[w] > 0.1,
                    lambda s=then, y=y: built(s, variables, y),
                    lambda s=otherwise, y=y: built(s, variables, y),
                )
            case "loop", count, body:
                _, y = tf.while_loop(
                    lambda i, _, count=count: i < count, lambda i, y, s=body: (i + 1, built(s, variables, y)), [0, y]
                )
    return y


# A branch that writes what the condition of a branch in it reads; a write behind a loop that reads; a loop in a loop that
# reads what the outer one has written; a scalar that is read between writes, and used behind a branch with a loop.
@example(
    [("if", 1, [("write", 1, 0), ("if", 1, [("add", 0, 1)], [("use", 0)])], [("use", 2)])], [-1.5, 0.4, 1.2], False
)
@example(
    [("if", 0, [("loop", 2, [("use", 1), ("write", 0, 2)]), ("write", 2, 0)], [("use", 2)])], [0.4, 0.4, 1.2], True
)
@example([("loop", 2, [("add", 0, 1), ("add", 2, 0), ("loop", 2, [("use", 2)])])], [0.4, -0.3, 1.2], False)
@example(
    [
        ("if", 0, [("write", 0, 0)], [("loop", 0, [("write", 0, 0)])]),
        ("write", 0, 0),
        ("mix", 1, 0),
        ("write", 0, 0),
    ],
    [-1.5, -1.5, -1.5],
    False,
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(programs, starts, st.booleans())
def test_every_access_comes_where_the_program_has_it(program, start, is_recorded):
    with eager_mode():
        variables = [tf.Variable(value, dtype=tf.float64) for value in start]
        function = tf.function(lambda y: built(program, variables, y), autograph=False)
        values, y = list(start), 0.5
        for _ in range(2):
            x = tf.constant(y, tf.float64)
            y = expected(program, values, y)
            if is_recorded:
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    found = function(x)
                tape.gradient(found, [x, *variables])
            else:
                found = function(x)
            np.testing.assert_allclose(found.numpy(), y, rtol=1e-9)
            np.testing.assert_allclose([variable.numpy() for variable in variables], values, rtol=1e-9)


def test_the_plan_of_a_call_knows_the_variables_that_the_function_has_captured():
    with eager_mode():
        total = tf.Variable(0.0)

        @tf.function
        def count(n):
            for _ in tf.range(n):
                total.assign_add(2.0)
            return total.read_value()

        assert [float(count(tf.constant(n))) for n in (3, 0, 4)] == [6.0, 6.0, 14.0]
        total.assign(-1.0)
        assert float(count(tf.constant(1))) == 1.0


def test_a_function_called_with_many_variables_serves_all_of_them():
    with eager_mode():

        @tf.function
        def double(variable):
            return variable.assign(variable * 2.0)

        @tf.function
        def through(handle, value):
            tf.raw_ops.AssignAddVariableOp(resource=handle, value=value)
            return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)

        variables = [tf.Variable(float(i)) for i in range(40)]
        assert [float(double(each)) for each in variables[:3]] == [0.0, 2.0, 4.0]
        for _ in range(2):
            found = [float(through(each.handle, tf.constant(1.0))) for each in variables]
        assert found == [2.0, 4.0, 6.0, *[float(i + 2) for i in range(3, 40)]]


def test_plans_go_with_their_function():
    with eager_mode():

        def one():
            variable = tf.Variable(tf.zeros([1000]))

            @tf.function
            def add(x):
                for _ in tf.range(2):
                    variable.assign_add(x)
                return tf.reduce_sum(variable)

            with tf.GradientTape() as tape:
                total = add(tf.ones([1000]))
            tape.gradient(total, variable)
            assert float(add(tf.ones([1000]))) == 4000.0
            return weakref.ref(variable.handle._value.value)

        memory = [one() for _ in range(8)]
        gc.collect()
        # What ran last may be remembered.
        assert [each() for each in memory[:4]] == [None] * 4


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_variable_that_no_taken_branch_uses_has_zeros_of_its_shape_as_gradient(sign):
    with eager_mode():
        a, b = tf.Variable([sign, sign]), tf.Variable([1.0, 2.0])

        @tf.function
        def branch(y):
            if tf.reduce_sum(a) > 0.5:
                y = y * a
            else:
                b.assign(y)
                y = y * 2.0
            return y

        x = tf.constant([3.0, 4.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = branch(x)
        of_x, of_a, of_b = (each.numpy().tolist() for each in tape.gradient(y, [x, a, b]))
        assert of_x == ([1.0, 1.0] if sign > 0 else [2.0, 2.0])
        assert of_a == ([3.0, 4.0] if sign > 0 else [0.0, 0.0])
        assert of_b == [0.0, 0.0]


def test_a_function_may_give_a_variable_its_first_value_and_read_it():
    x = tf.placeholder(tf.float64, [2])
    v = tf.Variable(tf.zeros([2], tf.float64), use_resource=True)

    @tf.function
    def first(x):
        v.assign(x * 2.0)
        v.assign_add(tf.tanh(x))
        return v * x + 1.0

    result = first(x)
    with tf.Session() as session:
        given = np.array([0.5, -1.0])
        np.testing.assert_allclose(
            session.run(result, {x: given}), (2 * given + np.tanh(given)) * given + 1, rtol=1e-12
        )


def test_a_graph_with_a_loop_goes_with_its_session():
    def one():
        with tf.Graph().as_default() as graph, tf.Session() as session:
            x = tf.placeholder(tf.float32, [])
            _, y = tf.while_loop(lambda i, _: i < 5, lambda i, y: (i + 1, tf.sin(y) + x), [0, x])
            session.run(y, {x: 1.0})
            return weakref.ref(graph)

    graphs = [one() for _ in range(3)]
    gc.collect()
    assert [each() for each in graphs[:2]] == [None, None]


def test_operations_beside_a_variable_made_eagerly_are_beside_its_read():
    with eager_mode():
        variable = tf.Variable([1.0, 2.0])

        @tf.function
        def body(value):
            with tf.colocate_with(variable):
                return value + 1.0

        graph = body.get_concrete_function(tf.TensorSpec([2])).graph
        kinds = [op.type for op in graph.get_operations()]
        assert kinds == ["Placeholder", "Placeholder", "ReadVariableOp", "Identity", "Const", "AddV2", "Identity"]
        read, added = graph.get_operations()[2], graph.get_operations()[5]
        assert added.colocation_groups() == [b"loc:@" + read.name.encode()]
        assert body(tf.constant([1.0, 1.0])).numpy().tolist() == [2.0, 2.0]


def test_random_numbers_after_an_embedding_are_those_of_the_graph_s_seed():
    """1.15.5's stream follows from the operations before it, of which the read beside the gather is one."""
    with eager_mode():
        tf.set_random_seed(3)
        table = tf.Variable(np.ones((4, 2), np.float32))

        @tf.function
        def body(rows):
            return tf.nn.dropout(tf.nn.embedding_lookup(table, rows), rate=0.5)

        expected = [[2.0, 0.0], [2.0, 0.0], [2.0, 0.0], [0.0, 0.0]]
        try:
            assert body(tf.constant([0, 1, 2, 3])).numpy().tolist() == expected
        finally:
            tf.set_random_seed(None)
