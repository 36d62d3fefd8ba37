"""Layers against NumPy: the shapes they announce are those they have, what they share, and what normalization keeps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf

drawn = settings(max_examples=25, deadline=None)


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


@drawn
@given(batch=st.integers(1, 4), depth=st.integers(1, 5), units=st.integers(1, 5), bias=st.booleans())
def test_a_dense_layer_is_a_product_and_a_sum(batch, depth, units, bias):
    random = np.random.RandomState(units)
    x, kernel = random.normal(size=(batch, depth)), random.normal(size=(depth, units))
    with tf.Graph().as_default():
        layer = tf.layers.Dense(
            units,
            use_bias=bias,
            kernel_initializer=tf.constant_initializer(kernel),
            bias_initializer=tf.ones_initializer(),
        )
        y = run(layer(tf.constant(x)))
        assert [v.shape.as_list() for v in layer.weights] == [[depth, units], [units]][: 1 + bias]
    np.testing.assert_allclose(y, x @ kernel + bias)


@drawn
@given(
    size=st.integers(3, 9),
    window=st.integers(1, 3),
    stride=st.integers(1, 3),
    padding=st.sampled_from(["valid", "same"]),
    kind=st.sampled_from(["Conv2D", "Conv2DTranspose", "SeparableConv2D", "MaxPooling2D", "AveragePooling2D"]),
)
def test_a_layer_has_the_shape_it_announces(size, window, stride, padding, kind):
    with tf.Graph().as_default():
        filters = (4,) if "Conv" in kind else ()
        layer = getattr(tf.layers, kind)(*filters, window, strides=stride, padding=padding)
        image = np.ones((2, size, size, 3), np.float32)
        y = layer(tf.constant(image))
        announced = layer.compute_output_shape(tf.TensorShape(image.shape)).as_list()
        assert list(run(y).shape) == y.shape.as_list() == announced


@drawn
@given(steps=st.integers(1, 6), momentum=st.floats(0.1, 0.95))
def test_moving_averages_approach_what_they_see_geometrically(steps, momentum):
    x = np.array([[1.0], [3.0]], np.float32)
    with tf.Graph().as_default():
        layer = tf.layers.BatchNormalization(momentum=momentum, fused=False)
        y = layer(tf.constant(x), training=True)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(steps):
                normalized, _ = session.run([y, layer.updates])
            mean, variance = session.run([layer.moving_mean, layer.moving_variance])
    np.testing.assert_allclose(normalized, [[-1], [1]], atol=1e-3)
    np.testing.assert_allclose(mean, [2 * (1 - momentum**steps)], rtol=1e-4)
    np.testing.assert_allclose(variance, [momentum**steps + 1 * (1 - momentum**steps)], rtol=1e-4)


def test_one_layer_twice_has_one_set_of_weights_and_two_layers_have_two():
    x = tf.ones([2, 3])
    layer = tf.layers.Dense(4)
    assert layer(x) is not layer(x)
    assert len(tf.trainable_variables()) == 2
    tf.layers.dense(x, 4)
    tf.layers.dense(x, 4, name="shared")
    tf.layers.dense(x, 4, name="shared", reuse=True)
    assert [v.op.name for v in tf.trainable_variables()][2:] == [
        "dense_1/kernel", "dense_1/bias", "shared/kernel", "shared/bias",
    ]  # fmt: skip


@drawn
@given(rate=st.floats(0.1, 0.9), seed=st.integers(1, 100))
def test_dropout_keeps_what_it_keeps_at_the_scale_that_keeps_the_mean(rate, seed):
    with tf.Graph().as_default():
        x = tf.ones([1000])
        training, inference = run([
            tf.layers.dropout(x, rate, seed=seed, training=True), tf.layers.dropout(x, rate, training=False)
        ])  # fmt: skip
    np.testing.assert_allclose(np.unique(training[training != 0]), [1 / (1 - rate)], rtol=1e-5)
    # Within five standard deviations of a binomial count.
    assert abs((training != 0).mean() - (1 - rate)) < 5 * np.sqrt(rate * (1 - rate) / 1000)
    assert inference.tolist() == [1.0] * 1000


def test_regularizers_become_losses_and_activities_too():
    layer = tf.layers.Dense(
        2, kernel_initializer=tf.ones_initializer(), kernel_regularizer=tf.contrib.layers.l2_regularizer(0.5),
        activity_regularizer=tf.reduce_sum,
    )  # fmt: skip
    layer(tf.ones([4, 3]))
    # That of an activity is the mean over the batch.
    assert sorted(run(layer.losses)) == [0.5 * 6 / 2, 2 * 3.0]
    assert sorted(run(tf.losses.get_regularization_losses())) == [1.5, 6.0]


@pytest.mark.parametrize("bad", [np.ones((2, 3)), np.ones((2, 3, 4, 5, 6))])
def test_inputs_of_other_ranks_are_refused_by_name(bad):
    with pytest.raises(ValueError, match=r"Input 0 of layer conv2d_1 is incompatible with the layer"):
        tf.layers.conv2d(tf.constant(bad), 2, 1)
