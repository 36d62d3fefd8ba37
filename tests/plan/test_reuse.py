"""Nodes that compute in the memory of an input change nothing that anybody still sees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.runtime.session import plan_listeners


@pytest.fixture
def plans():
    made = []
    plan_listeners.append(made.append)
    yield made
    plan_listeners.remove(made.append)


def _run(fetches, feeds=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feeds)


_UNARY = {
    "relu": (tf.nn.relu, lambda x: np.maximum(x, 0)),
    "negative": (tf.negative, np.negative),
    "tanh": (tf.tanh, np.tanh),
    "sigmoid": (tf.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    "square": (tf.square, np.square),
    "abs": (tf.abs, np.abs),
    "leaky": (lambda x: tf.nn.leaky_relu(x, 0.3), lambda x: np.where(x > 0, x, 0.3 * x)),
    "there and back": (lambda x: tf.reshape(tf.reshape(x, [-1]), tf.shape(x)), lambda x: x),
    "times a constant": (lambda x: 0.5 * x, lambda x: 0.5 * x),
}


def _slope(x, y):
    x = tf.stop_gradient(x)
    return tf.gradients(tf.tanh(x * tf.stop_gradient(y)), x)[0]


_BINARY = {
    "add": (tf.add, np.add),
    "subtract": (tf.subtract, np.subtract),
    "multiply": (tf.multiply, np.multiply),
    "difference": (tf.squared_difference, lambda x, y: (x - y) ** 2),
    "total": (lambda x, y: tf.add_n([x, y, x]), lambda x, y: x + y + x),
    "product": (lambda x, y: tf.matmul(x, y, transpose_b=True) @ y, lambda x, y: (x @ y.T) @ y),
    "slope": (_slope, lambda x, y: y * (1 - np.tanh(x * y) ** 2)),
}
_steps = st.lists(
    st.tuples(st.sampled_from([*_UNARY, *_BINARY]), st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=25
)


@settings(max_examples=40, deadline=None)
@given(_steps, st.sets(st.integers(0, 30), max_size=4), st.booleans())
def test_any_program_gives_what_numpy_gives(steps, fetched, known):
    tf.reset_default_graph()
    state = np.random.RandomState(len(steps))
    x, y = (state.uniform(-1, 1, [3, 3]) for _ in range(2))
    shape = [3, 3] if known else [None, 3]
    feeds = [tf.placeholder(tf.float64, shape), tf.placeholder(tf.float64, shape)]
    weights = tf.Variable(np.eye(3))
    values = [(feeds[0], x), (feeds[1], y), (tf.matmul(feeds[0], weights), x)]
    for name, i, j in steps:
        first, second = values[i % len(values)], values[j % len(values)]
        if name in _UNARY:
            build, compute = _UNARY[name]
            values.append((build(first[0]), compute(first[1])))
        else:
            build, compute = _BINARY[name]
            values.append((build(first[0], second[0]), compute(first[1], second[1])))
        # The products of what grows would overflow.
        values[-1] = (values[-1][0] / 4.0, values[-1][1] / 4.0)
    chosen = [values[i % len(values)] for i in sorted(fetched)] + [values[-1]]
    given = {feeds[0]: x.copy(), feeds[1]: y.copy()}
    got = _run([tensor for tensor, _ in chosen], given)
    for (_, expected), value in zip(chosen, got):
        np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(given[feeds[0]], x)
    np.testing.assert_array_equal(given[feeds[1]], y)


def test_the_last_use_of_a_result_takes_its_memory(plans):
    x = tf.placeholder(tf.float32, [2, 2])
    _run(tf.nn.relu(tf.matmul(x, x)), {x: -np.ones([2, 2])})
    assert "(in place)" in plans[-1].source


@pytest.mark.parametrize(
    "other", [tf.identity, lambda v: tf.reshape(v, [4]), tf.transpose, lambda v: v[0], lambda v: v]
)
def test_views_keep_their_values(other):
    x = tf.placeholder(tf.float32, [2, 2])
    product = tf.matmul(x, x)
    seen = other(product)
    rectified = tf.nn.relu(product)
    value = np.array([[1, -2], [3, -4]], np.float32)
    first, second = _run([seen, rectified], {x: value})
    product = value @ value
    whole = {4: product.ravel(), 2: product[0]}.get(np.size(first), product)
    if np.ndim(first) == 1:
        np.testing.assert_array_equal(first, whole)
    else:
        np.testing.assert_array_equal(np.sort(first, None), np.sort(product, None))
    np.testing.assert_array_equal(second, np.maximum(product, 0))


def test_variables_and_constants_are_not_written():
    variable = tf.get_variable("v", initializer=np.array([1.0, -1.0], np.float32))
    held = tf.get_variable("r", initializer=np.array([1.0, -1.0], np.float32), use_resource=True)
    constant = tf.constant([2.0, -2.0])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        made = [tf.nn.relu(variable), tf.nn.relu(held), tf.nn.relu(constant), -variable, -held, -constant]
        first = sess.run(made)
        second = sess.run(made)
        np.testing.assert_array_equal(sess.run(variable), [1, -1])
        np.testing.assert_array_equal(sess.run(held), [1, -1])
    for one, other in zip(first, second):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("taken", [True, False])
def test_each_branch_may_use_up_what_is_made_outside(taken):
    x = tf.placeholder(tf.float32, [2, 2])
    product = tf.matmul(x, x)
    chosen = tf.cond(tf.placeholder_with_default(taken, []), lambda: tf.nn.relu(product), lambda: -product)
    both = tf.reduce_sum(product)
    value = np.array([[1, -2], [3, -4]], np.float32)
    got, total = _run([chosen, both], {x: value})
    product = value @ value
    np.testing.assert_array_equal(got, np.maximum(product, 0) if taken else -product)
    assert total == product.sum()


def test_loops_use_up_what_one_iteration_makes():
    start = tf.placeholder(tf.float32, [2, 2])

    def body(i, x, kept):
        product = tf.matmul(x, x) / 2.0
        return i + 1, tf.nn.relu(product), kept + product

    _, x, kept = tf.while_loop(lambda i, *_: i < 3, body, [0, start, tf.zeros([2, 2])])
    value = np.array([[1, -0.5], [0.25, 1]], np.float32)
    got, total = _run([x, kept], {start: value})
    expected, sum_of_all = value, np.zeros([2, 2], np.float32)
    for _ in range(3):
        product = expected @ expected / 2
        expected, sum_of_all = np.maximum(product, 0), sum_of_all + product
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    np.testing.assert_allclose(total, sum_of_all, rtol=1e-6)


def test_a_result_larger_than_the_memory_is_made_anew():
    x, y = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 2])
    total = tf.matmul(x, tf.eye(2)) + tf.matmul(y, tf.eye(2))
    one, many = np.ones([1, 2]), np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(_run(total, {x: one, y: many}), many + 1)
    np.testing.assert_array_equal(_run(total, {x: many, y: one}), many + 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        _run(total, {x: np.ones([2, 2]), y: many})
