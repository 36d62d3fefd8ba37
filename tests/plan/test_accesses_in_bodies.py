"""In the bodies of functions a variable is read and written in the order of the program, whatever the writes wait for."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf

VECTORS = [tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.float32)]


def of_branch(a, w):
    return tf.cond(tf.reduce_sum(w) > 0, lambda: a * w, lambda: a)


def of_checked(a, w):
    with tf.control_dependencies([tf.debugging.assert_equal(tf.shape(a), tf.shape(w))]):
        return a * w


def of_loop(a, w):
    return tf.while_loop(lambda i, total: i < 3, lambda i, total: (i + 1, total + a * w / 3), (0, tf.zeros_like(a)))[1]


def of_python(a, w):
    return tf.py_func(lambda x, y: x * y, [a, w], tf.float32)


@pytest.mark.parametrize("computed", [of_branch, of_checked, of_loop, of_python])
def test_a_read_sees_the_writes_before_it_and_no_later_one(computed):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0, use_resource=True)

        @tf.function(input_signature=VECTORS)
        def body(a, w):
            before = v.read_value()
            v.assign_add(tf.reduce_sum(computed(a, w)))
            between = v.read_value()
            v.assign(between * 2)
            return before, between, v.read_value()

        result = body(tf.constant([1.0, 2.0]), tf.constant([0.5, 1.0]))
        session.run(v.initializer)
        np.testing.assert_allclose(session.run(result), [1.0, 3.5, 7.0], rtol=1e-6)
        np.testing.assert_allclose(session.run(result), [7.0, 9.5, 19.0], rtol=1e-6)


def test_writes_of_two_branches_come_in_order():
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable(1.0, use_resource=True)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def body(x):
            v.assign(tf.cond(x > 0, lambda: x * 10, lambda: x))
            v.assign_add(1.0)
            first = v.read_value()
            v.assign_add(tf.cond(x > 5, lambda: x, lambda: -x))
            return first, v.read_value()

        result = body(tf.constant(2.0))
        session.run(v.initializer)
        assert session.run(result) == (21.0, 19.0)


def test_what_a_loop_reads_comes_after_the_writes_that_the_loop_comes_after():
    x = tf.placeholder(tf.float64, [])
    total, seen = (tf.get_variable(name, initializer=np.float64(1.0), use_resource=True) for name in ("total", "seen"))

    def adding(i, y):
        with tf.control_dependencies([total.assign_add(y)]):
            return i + 1, tf.sin(y)

    def reading(i, y):
        with tf.control_dependencies([y]), tf.control_dependencies([seen.assign(total.read_value() * 2.0)]):
            return i + 1, tf.identity(y)

    _, y = tf.while_loop(lambda i, _: i < 3, adding, [0, x])
    _, z = tf.while_loop(lambda i, _: i < 2, reading, [0, tf.identity(y)])
    with tf.Session() as session:
        session.run([total.initializer, seen.initializer])
        # The first loop keeps what its gradient needs in stacks, which are made after all else.
        session.run([z, tf.gradients(z, x)], {x: 2.0})
        # The first loop adds three times; the second sees what is there then.
        np.testing.assert_allclose(session.run(seen), 2.0 * (1.0 + 2.0 + np.sin(2.0) + np.sin(np.sin(2.0))))
