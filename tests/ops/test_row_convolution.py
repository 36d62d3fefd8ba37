"""Convolutions as wide as the image give what the general ones give, which do not know that they are."""

import numpy as np
import pytest

import headrace as tf

CASES = [
    ((2, 7, 3, 2), (2, 3, 2, 4), 1),
    ((2, 7, 3, 2), (3, 3, 2, 4), 2),
    ((2, 8, 3, 2), (3, 3, 2, 4), 2),
    ((3, 5, 4, 1), (5, 4, 1, 3), 1),
    ((3, 5, 4, 1), (1, 4, 1, 3), 1),
    ((0, 5, 4, 1), (2, 4, 1, 3), 1),
    ((40, 60, 20, 2), (3, 20, 2, 3), 1),
]


def run(image, window, stride, known):
    rng = np.random.RandomState(0)
    fed = [rng.randn(*image), rng.randn(*window), rng.randn(window[-1])]
    with tf.Graph().as_default(), tf.Session() as session:
        sizes = [None, *image[1:]] if known else [None] * 4
        x = tf.placeholder(tf.float64, sizes)
        weights = tf.placeholder(tf.float64, window)
        bias = tf.placeholder(tf.float64, [window[-1]])
        y = tf.nn.bias_add(tf.nn.conv2d(x, weights, [1, stride, stride, 1], "VALID"), bias)
        outputs = [y, *tf.gradients(tf.reduce_sum(tf.sin(y)), [x, weights, bias])]
        return session.run(outputs, dict(zip([x, weights, bias], fed, strict=True)))


@pytest.mark.parametrize(("image", "window", "stride"), CASES)
def test_rows_give_what_windows_give(image, window, stride):
    for by_rows, by_windows in zip(run(image, window, stride, True), run(image, window, stride, False), strict=True):
        np.testing.assert_allclose(by_rows, by_windows, rtol=1e-9, atol=1e-9)


def test_images_with_too_few_rows():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, None, 3, 1])
        weights = tf.placeholder(tf.float32, [4, 3, 1, 2])
        y = tf.nn.conv2d(x, weights, [1, 1, 1, 1], "VALID")
        fed = {weights: np.ones([4, 3, 1, 2])}
        assert session.run(y, {x: np.ones([1, 4, 3, 1]), **fed}).shape == (1, 1, 1, 2)
        assert session.run(y, {x: np.ones([1, 3, 3, 1]), **fed}).shape == (1, 0, 1, 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="output size would be negative: -1"):
            session.run(y, {x: np.ones([1, 2, 3, 1]), **fed})
