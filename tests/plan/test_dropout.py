"""Dropout multiplies by one factor, forwards and backwards, and gives what mask and scale give."""

import numpy as np
import pytest

import headrace as tf


def types(plan):
    return [node.type for node in plan.nodes]


def scaled_by_hand(x, noise, rate):
    return x * np.float32(1 / (1 - rate)) * (noise >= np.float32(rate))


@pytest.mark.parametrize("batch", [4, None])
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("fed_rate", [False, True])
def test_values_and_gradients(batch, layers, fed_rate):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        tf.set_random_seed(1)
        x = tf.placeholder(tf.float32, [batch, 5])
        rate = tf.placeholder_with_default(np.float32(0.4), []) if fed_rate else 0.4
        y = x
        for _ in range(layers):
            y = tf.nn.dropout(y, rate=rate)
        gradient = tf.gradients(tf.reduce_sum(y * y), x)[0]
        given = np.random.RandomState(0).randn(4, 5).astype(np.float32)
        plan = sess.plan_for([y, gradient], [x])
        assert types(plan).count("_DropoutFactor") == layers
        assert "Cast" not in types(plan)
        found, slope = sess.run([y, gradient], {x: given})
        noises = [op.outputs[0] for op in graph.get_operations() if op.type == "RandomUniform"]
    # Another session begins its streams anew.
    with tf.Session(graph=graph) as sess:
        drawn = sess.run(noises, {x: given})
    expected = given
    for noise in drawn:
        expected = scaled_by_hand(expected, noise, 0.4)
    np.testing.assert_array_equal(found, expected)
    kept = expected != 0
    np.testing.assert_allclose(slope, np.where(kept, 2 * given * (1 / 0.6) ** (2 * layers), 0), rtol=1e-5)


def test_layers_between_dropouts():
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        tf.set_random_seed(2)
        x = tf.placeholder(tf.float32, [None, 3])
        weights = tf.constant(np.random.RandomState(1).randn(3, 3).astype(np.float32))
        hidden = tf.tanh(tf.matmul(tf.nn.dropout(x, rate=0.5), weights))
        y = tf.nn.dropout(hidden, rate=0.5)
        gradient = tf.gradients(y, x)[0]
        given = np.random.RandomState(0).randn(6, 3).astype(np.float32)
        assert types(sess.plan_for([y, gradient], [x])).count("_DropoutFactor") == 2
        found, slope = sess.run([y, gradient], {x: given})
        noises = [op.outputs[0] for op in graph.get_operations() if op.type == "RandomUniform"]
        matrix = sess.run(weights)
    with tf.Session(graph=graph) as sess:
        one, two = sess.run(noises, {x: given, hidden: np.zeros((6, 3))})
    one, two = (one >= 0.5) * 2.0, (two >= 0.5) * 2.0
    inner = np.tanh((given * one) @ matrix)
    np.testing.assert_allclose(found, inner * two, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(slope, ((two * (1 - inner**2)) @ matrix.T) * one, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("also", ["mask", "noise", "kept", "scaled", "sum"])
def test_what_else_is_asked_for_keeps_its_value(also):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 50])
        noise = tf.random_uniform(tf.shape(x))
        kept = noise >= 0.5
        mask = tf.cast(kept, tf.float32)
        scaled = x * 2.0
        y = scaled * mask
        asked = {"mask": mask, "noise": noise, "kept": kept, "scaled": scaled, "sum": tf.reduce_sum(mask)}[also]
        found = "_DropoutFactor" in types(sess.plan_for([y, asked], [x]))
        assert found is (also == "scaled")
        given = np.ones((2, 50), np.float32)
        value, other = sess.run([y, asked], {x: given})
        assert set(np.unique(value)) == {0.0, 2.0}
        kept_here = value > 0
        expected = {"mask": kept_here, "kept": kept_here, "scaled": given * 2, "sum": kept_here.sum()}
        if also == "noise":
            np.testing.assert_array_equal(other >= 0.5, kept_here)
        else:
            np.testing.assert_array_equal(other, expected[also])


def test_a_mask_without_a_scale_stays():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [3, 4])
        y = x * tf.cast(tf.random_uniform([3, 4]) >= 0.5, tf.float32)
        assert "_DropoutFactor" not in types(sess.plan_for([y], [x]))
        assert set(np.unique(sess.run(y, {x: np.ones((3, 4))}))) <= {0.0, 1.0}


def test_noise_of_a_smaller_shape():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 8])
        y = tf.nn.dropout(x, rate=0.5, noise_shape=[1, 8])
        gradient = tf.gradients(y, x)[0]
        found, slope = sess.run([y, gradient], {x: np.ones((3, 8))})
        assert (found == found[0]).all()
        np.testing.assert_array_equal(found, slope)
