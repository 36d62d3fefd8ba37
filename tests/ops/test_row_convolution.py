"""Convolutions as wide as the image give what the general ones give, which do not know that they are."""

import numpy as np
import pytest

import headrace as tf
from headrace.kernels.nn import row_convolution

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


@pytest.mark.parametrize("convolves_many", [True, False])
@pytest.mark.parametrize(
    ("window", "biased"), [((3, 20, 2, 3), True), ((60, 20, 2, 3), False), ((59, 20, 2, 1), False)]
)
def test_batches_of_more_windows_than_are_copied_at_once(monkeypatch, convolves_many, window, biased):
    monkeypatch.setattr(row_convolution, "_CONVOLVES_MANY", convolves_many)
    monkeypatch.setattr(row_convolution, "_AT_ONCE", 100_000)
    rng = np.random.RandomState(0)
    image, weights = rng.randn(67, 60, 20, 2), rng.randn(*window)
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.nn.conv2d(tf.placeholder_with_default(image, [None, 60, 20, 2]), weights, 1, "VALID")
        y = session.run(tf.nn.bias_add(y, np.arange(3.0)) if biased else y)
    rows = np.stack([image[:, i : i + window[0]] for i in range(60 - window[0] + 1)], 1).reshape(67, y.shape[1], -1)
    expected = rows @ weights.reshape(-1, window[-1]) + (np.arange(3.0) if biased else 0)
    np.testing.assert_allclose(y[:, :, 0], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("constant", [False, True], ids=["fed", "constant"])
@pytest.mark.parametrize("depthwise", [False, True], ids=["conv2d", "depthwise"])
@pytest.mark.parametrize(
    ("stride", "counts", "refused"),
    [(1, {4: 1, 3: 0}, {2: -1, 0: -3}), (2, {4: 1, 3: 0, 2: 0, 1: 0}, {0: -1}), (3, {4: 1, 3: 0, 0: 0}, {})],
)
def test_images_with_too_few_rows(constant, depthwise, stride, counts, refused):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, None, 3, 1])
        ones = np.ones([4, 3, 1, 2], np.float32)
        weights = tf.constant(ones) if constant else tf.placeholder(tf.float32, ones.shape)
        fed = {} if constant else {weights: ones}
        convolve = tf.nn.depthwise_conv2d if depthwise else tf.nn.conv2d
        y = tf.nn.relu(convolve(x, weights, [1, stride, stride, 1], "VALID"))
        for rows, count in counts.items():
            assert session.run(y, {x: np.ones([1, rows, 3, 1]), **fed}).shape == (1, count, 1, 2)
        for rows, count in refused.items():
            with pytest.raises(tf.errors.InvalidArgumentError, match=f"output size would be negative: {count}"):
                session.run(y, {x: np.ones([1, rows, 3, 1]), **fed})
