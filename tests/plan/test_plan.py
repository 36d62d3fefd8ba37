"""Plans: rewriting changes how a result is computed, never what it is, and what is written never leaks."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


def calls(session, fetches, feeds=()):
    """The op types a plan calls."""
    return [node.type for node in session.plan_for(fetches, feeds).lines.values()]


def test_constants_are_folded_and_equal_calls_merged(session, plain_calls):
    x = tf.placeholder(tf.float32, [4])
    scale = tf.constant(2.0) * tf.constant(3.0)
    y = tf.exp(x) * scale + tf.exp(x)
    assert sorted(calls(session, y, [x])) == ["AddV2", "Exp", "Mul"]
    value = np.array([0.0, 0.5, 1.0, -1.0], np.float32)
    np.testing.assert_allclose(session.run(y, {x: value}), 7 * np.exp(value), rtol=1e-6)


def test_only_what_is_needed_runs(session):
    x = tf.placeholder(tf.float32, [4])
    tf.log(x, name="unused")
    assert calls(session, tf.exp(x), [x]) == ["Exp"]


@pytest.mark.parametrize(("x_shape", "y_shape"), [((3, 4), (4,)), ((1, 4), (4,)), ((5, 1), (4,)), ((2, 3, 4), (3, 1))])
def test_gradients_of_broadcasting_with_unknown_sizes(session, x_shape, y_shape):
    x = tf.placeholder(tf.float32, [None] * len(x_shape))
    y = tf.placeholder(tf.float32, [None] * len(y_shape))
    dx, dy = tf.gradients(x * y, [x, y])
    a = np.random.RandomState(0).rand(*x_shape).astype(np.float32)
    b = np.random.RandomState(1).rand(*y_shape).astype(np.float32)
    got_x, got_y = session.run([dx, dy], {x: a, y: b})
    ones = np.ones(np.broadcast_shapes(x_shape, y_shape), np.float32)
    np.testing.assert_allclose(got_x, reduce_to(ones * b, x_shape), rtol=1e-6)
    np.testing.assert_allclose(got_y, reduce_to(ones * a, y_shape), rtol=1e-6)
    assert "BroadcastGradientArgs" not in calls(session, [dx, dy], [x, y])


def reduce_to(array, shape):
    lead = tuple(range(array.ndim - len(shape)))
    array = array.sum(axis=lead)
    axes = tuple(i for i, size in enumerate(shape) if size == 1 and array.shape[i] != 1)
    return array.sum(axis=axes, keepdims=True)


@pytest.mark.parametrize("way", ["slices", "unstack"])
def test_long_row_sums_are_one_call(session, way):
    x = tf.placeholder(tf.float64, [50, 3])
    rows = tf.unstack(x) if way == "unstack" else [x[i] for i in range(50)]
    total = tf.ones([3], tf.float64)
    for row in rows:
        total += row
    value = np.random.RandomState(2).rand(50, 3)
    np.testing.assert_allclose(session.run(total, {x: value}), 1 + value.sum(0), rtol=1e-12)
    assert calls(session, total, [x]) == ["_AddRows"]


def test_a_partial_sum_that_is_fetched_stays(session):
    x = tf.placeholder(tf.float64, [20, 2])
    total = tf.zeros([2], tf.float64)
    partial = []
    for i in range(20):
        total += x[i]
        partial.append(total)
    value = np.random.RandomState(3).rand(20, 2)
    got = session.run([partial[9], total], {x: value})
    np.testing.assert_allclose(got, [value[:10].sum(0), value.sum(0)], rtol=1e-12)


@pytest.mark.parametrize("transposed", [(False, False), (True, False), (False, True), (True, True)])
def test_product_and_bias_are_one_call(session, transposed):
    rng = np.random.RandomState(4)
    a, w, b = rng.rand(3, 4), rng.rand(4, 5), rng.rand(5)
    x = tf.placeholder(tf.float64, [4, None] if transposed[0] else [None, 4])
    weights = tf.constant(w.T if transposed[1] else w)
    y = tf.matmul(x, weights, *transposed) + tf.constant(b)
    got = session.run(y, {x: a.T if transposed[0] else a})
    np.testing.assert_allclose(got, a @ w + b, rtol=1e-12)
    assert calls(session, y, [x]) == ["_MatMulBias"]


def test_reads_before_writes_and_reads_after_them(session):
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
    before = v.read_value()
    write = v.assign_add([10.0, 10.0])
    with tf.control_dependencies([write]):
        after = v.read_value()
        old_again = tf.identity(before) * 1.0
    session.run(tf.global_variables_initializer())
    old, new, kept = session.run([before, after, old_again])
    assert old.tolist() == [1, 2]
    assert new.tolist() == [11, 12]
    assert kept.tolist() == [1, 2]


def test_a_branch_not_taken_does_not_run(session):
    v = tf.get_variable("hits", initializer=0)
    flag = tf.placeholder(tf.bool, [])
    out = tf.cond(flag, lambda: tf.assign_add(v, 1), lambda: tf.constant(-1))
    session.run(tf.global_variables_initializer())
    assert session.run(out, {flag: False}) == -1
    assert session.run(v) == 0
    assert session.run(out, {flag: True}) == 1
    assert session.run(v) == 1


def test_gradients_go_through_the_branch_taken(session):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(x > 0.0, lambda: x * x, lambda: 3.0 * x)
    dx = tf.gradients(y, x)[0]
    assert session.run(dx, {x: 5.0}) == 10.0
    assert session.run(dx, {x: -5.0}) == 3.0


def test_nested_branches(session):
    x = tf.placeholder(tf.float32, [])
    y = tf.cond(
        x > 0.0,
        lambda: tf.cond(x > 10.0, lambda: x * 100.0, lambda: x * 10.0),
        lambda: tf.negative(x),
    )
    assert [session.run(y, {x: value}) for value in (20.0, 2.0, -2.0)] == [2000.0, 20.0, 2.0]


def test_the_source_is_readable_python(session):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    y = tf.nn.relu(tf.matmul(x, tf.constant(np.eye(2, dtype=np.float32))), name="active")
    source = session.plan_for(y, [x]).source
    assert source.startswith("def step(f0):")
    assert "# active" in source
    compile(source, "plan", "exec")


def test_equal_texts_are_compared_once(session, plain_calls):
    x = tf.placeholder(tf.string, [None])
    plan = session.plan_for([tf.not_equal(x, "a"), tf.not_equal(x, "a"), tf.not_equal(x, "b")], [x])
    assert [node.type for node in plan.nodes] == ["NotEqual"] * 2
    both = [tf.equal(x, ["a", "b"]), tf.equal(x, ["a", "c"]), tf.equal(x, ["a", "b"])]
    assert [node.type for node in session.plan_for(both, [x]).nodes] == ["Equal"] * 2
    first, second, third = session.run(both, {x: ["a", "c"]})
    assert (first.tolist(), second.tolist(), third.tolist()) == ([True, False], [True, True], [True, False])
