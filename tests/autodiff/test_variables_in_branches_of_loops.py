"""Variables read in a branch of a loop: both kinds of variable have the same gradient."""

import numpy as np
import pytest

import headrace as tf


def matrix(x, w):
    return tf.tanh(tf.matmul(x, w))


def rows(x, w):
    return x + tf.gather(w, [0, 2, 0])


def nested(x, w):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.matmul(x, w), lambda: x * w[0])


def inner_loop(x, w):
    def body(j, y):
        return j + 1, tf.cond(j > 0, lambda: tf.matmul(y, w), lambda: y + 0.5)

    return tf.while_loop(lambda j, _: j < 3, body, [0, x])[1]


STEPS = {"matrix": matrix, "rows": rows, "nested": nested, "inner_loop": inner_loop}


def gradients(step, use_resource, which):
    with tf.Graph().as_default(), tf.Session() as sess:
        start = np.random.RandomState(0).normal(size=[3, 3]) / 2
        w = tf.get_variable("w", initializer=start, use_resource=use_resource)
        x0 = tf.placeholder(tf.float64, [3, 3])

        def body(i, x):
            branches = [lambda: step(x, w), lambda: x + 1.0]
            return i + 1, tf.cond(tf.equal(i % 2, 0), branches[which], branches[1 - which])

        x = tf.while_loop(lambda i, _: i < 4, body, [0, x0])[1]
        slopes = tf.gradients(tf.reduce_sum(x * x), [w, x0])
        sess.run(tf.global_variables_initializer())
        found = sess.run(slopes, {x0: np.random.RandomState(1).normal(size=[3, 3])})
        return [dense(slope) for slope in found]


def dense(slope):
    if isinstance(slope, np.ndarray):
        return slope
    whole = np.zeros([3, 3])
    np.add.at(whole, slope.indices, slope.values)
    return whole


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("which", [0, 1])
def test_resource_variables_have_the_gradients_of_reference_variables(name, which):
    # Those of reference variables are TensorFlow's; for resource variables 1.15 raises here.
    expected = gradients(STEPS[name], False, which)
    for got, value in zip(gradients(STEPS[name], True, which), expected, strict=True):
        np.testing.assert_allclose(got, value, rtol=1e-9)


def test_a_function_with_a_loop_and_a_branch():
    x0 = np.array([[0.3, -0.2]])
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.get_variable("w", initializer=np.eye(2), use_resource=True)

        @tf.function
        def total(x):
            for i in tf.range(4):
                if tf.equal(i % 2, 0):
                    x = tf.tanh(tf.matmul(x, w))
                else:
                    x = x + 1.0
            return tf.reduce_sum(x)

        slope = tf.gradients(total(tf.constant(x0)), w)[0]
        sess.run(tf.global_variables_initializer())
        got = sess.run(slope)

    def value(weights):
        return (np.tanh((np.tanh(x0 @ weights) + 1.0) @ weights) + 1.0).sum()

    expected = np.zeros([2, 2])
    for place in np.ndindex(2, 2):
        step = np.zeros([2, 2])
        step[place] = 1e-6
        expected[place] = (value(np.eye(2) + step) - value(np.eye(2) - step)) / 2e-6
    np.testing.assert_allclose(got, expected, rtol=1e-6)
