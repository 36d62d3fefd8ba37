"""Values of reference variables, computed before a write and used after it: no pattern may compute them with what uses them."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf

_KERNEL = np.float32([[1.0, 2.0], [3.0, 4.0]])
_ROW = np.float32([[1.0, -2.0]])
_BIAS = np.float32([0.5, 20.0])


def _product(x, kernel):
    return tf.matmul(x, kernel)


def _convolution(x, kernel):
    image = tf.reshape(x, [1, 1, 1, 2])
    return tf.nn.conv2d(image, tf.reshape(kernel, [1, 1, 2, 2]), [1, 1, 1, 1], "SAME")


_WAYS = {
    "sum": (lambda m, b: m + b, _ROW @ _KERNEL + _BIAS),
    "bias": (lambda m, b: tf.nn.relu(tf.nn.bias_add(m, b)), np.maximum(_ROW @ _KERNEL + _BIAS, 0.0)),
    "part": (lambda m, b: tf.reduce_sum(tf.square(m - b)), np.sum((_ROW @ _KERNEL - _BIAS) ** 2)),
}


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("make", [_product, _convolution])
@pytest.mark.parametrize("way", _WAYS)
def test_products_are_computed_before_their_kernel_is_written(way, make, resource):
    combine, expected = _WAYS[way]
    with tf.Graph().as_default(), tf.Session() as session:
        kernel = tf.get_variable("kernel", initializer=_KERNEL, use_resource=resource)
        bias = tf.get_variable("bias", initializer=_BIAS, use_resource=True)
        x = tf.placeholder(tf.float32, [1, 2])
        before = make(x, kernel)
        with tf.control_dependencies([before]):
            written = tf.assign(kernel, 100.0 * tf.ones([2, 2]))
        with tf.control_dependencies([written]):
            result = combine(before, bias)
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(np.squeeze(session.run(result, {x: _ROW})), np.squeeze(expected), rtol=1e-6)
        assert np.all(session.run(kernel) == 100.0)


def test_products_in_a_loop_are_computed_before_their_kernel_is_written():
    with tf.Graph().as_default(), tf.Session() as session:
        kernel = tf.get_variable("kernel", initializer=_KERNEL, use_resource=False)
        bias = tf.get_variable("bias", initializer=_BIAS, use_resource=True)
        x = tf.placeholder(tf.float32, [1, 2])

        def body(i, row):
            before = tf.matmul(row, kernel)
            with tf.control_dependencies([before]):
                written = tf.assign_add(kernel, tf.ones([2, 2]))
            with tf.control_dependencies([written]):
                return i + 1, 0.125 * tf.nn.bias_add(before, bias)

        result = tf.while_loop(lambda i, row: i < 3, body, [0, x], parallel_iterations=1)[1]
        session.run(tf.global_variables_initializer())
        expected = _ROW
        for i in range(3):
            expected = 0.125 * (expected @ (_KERNEL + i) + _BIAS)
        np.testing.assert_allclose(session.run(result, {x: _ROW}), expected, rtol=1e-6)
