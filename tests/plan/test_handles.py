"""A variable that is read keeps what was read when it is written, in functions planned once for all calls too."""

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.plan.pipeline import observed


@pytest.fixture(autouse=True)
def eagerly():
    with eager_mode():
        yield


def test_what_a_function_has_read_stays_when_it_writes():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def read_and_add():
        before = v.read_value()
        v.assign_add([1.0, 1.0])
        return before

    @tf.function
    def around():
        first = read_and_add()
        second = v.read_value()
        v.assign_add([1.0, 1.0])
        return first, second

    assert read_and_add().numpy().tolist() == [1, 2]
    assert read_and_add().numpy().tolist() == [2, 3]
    assert [t.numpy().tolist() for t in around()] == [[3, 4], [4, 5]]
    assert v.numpy().tolist() == [5, 6]


def test_views_of_what_was_read_stay_too():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def views():
        column, first = tf.reshape(v, [2, 1]), v[:1]
        v.assign(v * 2.0)
        return column, first

    column, first = views()
    assert column.numpy().tolist() == [[1], [2]]
    assert first.numpy().tolist() == [1]


def test_what_was_read_before_a_call_that_writes_stays():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def inner():
        v.assign_add([1.0, 1.0])

    @tf.function
    def outer():
        before = v.read_value()
        inner()
        return before + 0.0 * v, before

    total, before = outer()
    assert before.numpy().tolist() == total.numpy().tolist() == [1, 2]


def test_what_was_read_in_a_branch_or_an_iteration_stays():
    v = tf.Variable([1.0])
    before = tf.Variable([0.0])

    @tf.function
    def branch(flag):
        if flag:
            read = v.read_value()
            v.assign_add([1.0])
        else:
            read = v.read_value()
        return read

    @tf.function
    def loop(n):
        last = before.read_value()
        for _ in tf.range(n):
            last = v.read_value()
            v.assign_add([1.0])
        return last

    assert branch(tf.constant(True)).numpy().tolist() == [1]
    assert branch(tf.constant(False)).numpy().tolist() == [2]
    assert loop(tf.constant(3)).numpy().tolist() == [4]
    assert v.numpy().tolist() == [5]


def test_the_gradient_sees_what_was_read():
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def squared():
        before = v.read_value()
        result = before * before
        v.assign_add([10.0, 10.0])
        return result

    with tf.GradientTape() as tape:
        y = squared()
    assert y.numpy().tolist() == [1, 4]
    assert tape.gradient(y, v).numpy().tolist() == [2, 4]


def test_updates_of_other_variables_cost_no_copy():
    graphs = []
    a, b = tf.Variable(np.ones((3, 3), np.float32)), tf.Variable(np.ones((3, 3), np.float32))

    @tf.function
    def step():
        read = a.read_value()
        b.assign_add(read)
        return tf.matmul(read, read)

    with observed(lambda graph, _: graphs.append(graph)):
        assert step().numpy().tolist() == [[3, 3, 3]] * 3
    assert graphs
    assert not any(graph.copied for graph in graphs)
