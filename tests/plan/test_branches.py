"""Conds whose predicates become known to be equal while planning."""

import numpy as np
import pytest

import headrace as tf
from headrace.core.registry import raw


def test_a_predicate_that_is_merged_with_an_equal_one_still_guards_its_branch():
    finished, chosen = tf.placeholder(tf.bool, [3]), tf.placeholder(tf.bool, [3])
    x = tf.placeholder(tf.float32, [3])

    def body(i, y, over):
        past = (i + 1) >= [3, 1, 2]
        inner = tf.cond(tf.reduce_all(past), lambda: tf.zeros([3]), lambda: x + 1.0)
        none = tf.logical_not(tf.reduce_any(chosen))
        skip = tf.logical_or(tf.reduce_all(past), none)
        outer = tf.cond(skip, lambda: inner, lambda: tf.where(chosen, y, inner))
        return i + 1, outer, tf.logical_or(over, past)

    loop = tf.while_loop(lambda i, y, over: tf.logical_not(tf.reduce_all(over)), body, (0, x, finished))
    with tf.Session() as sess:
        steps, y, _ = sess.run(loop, {finished: [False] * 3, chosen: [True, False, True], x: [1.0, 2.0, 3.0]})
    assert steps == 3
    assert y.tolist() == [0.0, 0.0, 0.0]


def test_constants_of_branches_wait_for_a_predicate_that_is_itself_chosen():
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
        inner = tf.cond(x > 2, lambda: tf.cond(y > 2, lambda: x > y, lambda: y > 2), lambda: x > 2)
        either = tf.cond(inner, lambda: inner, lambda: tf.cond(x > 2, lambda: x > 2, lambda: tf.logical_not(y > 2)))
        chosen = tf.cond(either, lambda: tf.constant(1), lambda: tf.constant(2))
        assert [sess.run(chosen, {x: a, y: b}) for a, b in ((0, 0), (0, 5), (3, 0), (5, 3))] == [1, 2, 1, 1]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_predicate_in_a_loop_that_is_a_constant(sign):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(2.0 * sign)

        def body(i, total, other):
            return i + 1, tf.cond(x > 0, lambda: total + x, lambda: total - 1), tf.cond(x > 0, lambda: i, lambda: 7)

        results = tf.while_loop(lambda i, *_: i < 3, body, [0, 0.0, -1])
        assert sess.run(results) == ((3, 6.0, 2) if sign > 0 else (3, -3.0, 7))


SHAPES_OF_BRANCHES = {
    "products": (lambda a, b: (raw.Shape(a) * 2, raw.Shape(b) * 3), [[4, 6], [6, 9]]),
    "slices": (lambda a, b: (raw.Shape(a)[:1], raw.Shape(b)[1:]), [[2], [3]]),
    "alone": (lambda a, b: (raw.Shape(a) * 5, raw.Shape(b)), [[10, 15], [2, 3]]),
    "passed on": (lambda a, b: (tf.identity(raw.Shape(a) * 5), tf.identity(raw.Shape(b))), [[10, 15], [2, 3]]),
    "of results": (lambda a, b: (raw.Shape(tf.nn.relu(a)) * 2, tf.add(raw.Rank(b), [0, 0])), [[4, 6], [2, 2]]),
    "equal": (lambda a, b: (raw.Shape(a), raw.Shape(b)), [[2, 3], [2, 3]]),
}


@pytest.mark.parametrize("case", SHAPES_OF_BRANCHES)
def test_a_merge_chooses_among_shapes_by_their_branches(case):
    build, expected = SHAPES_OF_BRANCHES[case]
    with tf.Graph().as_default(), tf.Session() as sess:
        taken = tf.placeholder(tf.bool, [])
        no, yes = raw.Switch(tf.ones([2, 3]), taken)
        merged, which = raw.Merge(list(build(no, yes)))
        for value in (False, True):
            found = sess.run([merged, which], {taken: value})
            assert [found[0].tolist(), int(found[1])] == [expected[value], int(value)]


@pytest.mark.parametrize("start", [2.0, 0.5, -1.0])
def test_a_reference_read_in_a_branch_of_a_loop_waits_for_the_branch(start):
    x = tf.placeholder(tf.float64, [])
    scale = tf.get_variable("scale", initializer=np.float64(2.0), use_resource=False)

    def body(i, y):
        inner = lambda: tf.cond(y > 1.0, lambda: tf.sin(y + scale.read_value() * x), lambda: y + 1.0)  # noqa: E731
        return i + 1, tf.cond(y > 0.0, inner, lambda: y * 3.0)

    _, y = tf.while_loop(lambda i, _: i < 2, body, [0, x])
    (gradient,) = tf.gradients(y, [x])

    def expected(x):
        y = x
        for _ in range(2):
            y = (np.sin(y + 2.0 * x) if y > 1.0 else y + 1.0) if y > 0.0 else y * 3.0
        return y

    with tf.Session() as session:
        session.run(scale.initializer)
        value, slope = session.run([y, gradient], {x: start})
    np.testing.assert_allclose(value, expected(start))
    np.testing.assert_allclose(slope, (expected(start + 1e-6) - expected(start - 1e-6)) / 2e-6, rtol=1e-6)
