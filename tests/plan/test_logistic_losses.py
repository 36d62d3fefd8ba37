"""The logistic loss and its gradient in one op each give what their element-wise ops give."""

import numpy as np
import pytest

import headrace as tf

LOGITS = np.array([0.0, -0.0, 1e-30, -1e-30, 0.5, -0.5, 3.0, -3.0, 17.0, -17.0, 40.0, -40.0, 100.0, -100.0, 1e30])


def types(session, fetches, feeds):
    return [node.type for node in session.plan_for(fetches, feeds).nodes]


def reference(x, z):
    """The loss and its slope in exact enough arithmetic: for x >= 0 both are written by exp(-x)."""
    x, z = x.astype(np.longdouble), z.astype(np.longdouble)
    small = np.exp(-np.abs(x))
    loss = np.maximum(x, 0) - x * z + np.log1p(small)
    slope = np.where(x >= 0, (1 - z) - small / (1 + small), small / (1 + small) - z)
    return loss, slope


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("batch", [None, len(LOGITS)])
@pytest.mark.parametrize("label", [0.0, 1.0, 0.3])
@pytest.mark.parametrize("also", [False, True])
def test_values_and_gradients(dtype, batch, label, also):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(dtype, [batch, 1])
        z = tf.placeholder(dtype, [batch, 1])
        loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x)
        total = tf.reduce_sum(2.0 * loss)
        if also:
            total += tf.reduce_sum(3.0 * x)
        slope = tf.gradients(total, x)[0]
        found = types(sess, [loss, slope], [x, z])
        assert {"_LogisticLoss", "_LogisticLossGrad"} <= set(found)
        assert not {"Exp", "Log1p"} & set(found)
        logits = LOGITS.astype(dtype)[:, None]
        labels = np.full_like(logits, label)
        got = sess.run([loss, slope], {x: logits, z: labels})
    wanted_loss, wanted_slope = reference(logits, labels)
    tolerance = {"float32": 3e-7, "float64": 1e-15}[dtype]
    np.testing.assert_allclose(got[0], wanted_loss.astype(np.float64), rtol=2 * tolerance, atol=1e-37)
    wanted_slope = 2 * wanted_slope + (3 if also else 0)
    np.testing.assert_allclose(got[1], wanted_slope.astype(np.float64), rtol=4 * tolerance, atol=1e-37)


def test_what_is_fetched_from_the_middle_is_there(plain_calls):
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x = tf.placeholder(tf.float32, [3])
        z = tf.constant([0.0, 1.0, 0.5])
        loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x)
        slopes = tf.gradients(loss, [x, z])
        exponential = next(op.outputs[0] for op in graph.get_operations() if op.type == "Exp")
        given = np.array([1.0, -2.0, 0.25], np.float32)
        got = sess.run([loss, exponential, *slopes], {x: given})
        alone = sess.run(loss, {x: given})
    np.testing.assert_array_equal(got[0], alone)
    np.testing.assert_allclose(got[1], np.exp(-np.abs(given)), rtol=1e-6)
    np.testing.assert_allclose(got[2], 1 / (1 + np.exp(-given)) - [0.0, 1.0, 0.5], rtol=1e-6)
    np.testing.assert_allclose(got[3], -given, rtol=1e-6)


def test_second_derivatives():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float64, [4])
        loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.constant([0.0, 1.0, 0.5, 1.0], tf.float64), logits=x)
        slope = tf.gradients(loss, x)[0]
        bend = tf.gradients(slope, x)[0]
        given = np.array([1.0, -2.0, 0.25, 5.0])
        got = sess.run([slope, bend], {x: given})
    s = 1 / (1 + np.exp(-given))
    np.testing.assert_allclose(got[0], s - [0.0, 1.0, 0.5, 1.0], rtol=1e-12)
    np.testing.assert_allclose(got[1], s * (1 - s), rtol=1e-12)


@pytest.mark.parametrize("sizes", [(1, 4), (4, 1)])
def test_one_row_against_many(sizes):
    """Labels that are spread over the logits, or the logits over the labels, where the batch size is not known."""
    state = np.random.RandomState(0)
    given, labels = state.normal(size=[sizes[0], 3]), state.uniform(size=[sizes[1], 3])
    with tf.Graph().as_default(), tf.Session() as sess:
        x, z = tf.placeholder(tf.float64, [None, 3]), tf.placeholder(tf.float64, [None, 3])
        loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x)
        slope = tf.gradients(2.0 * loss, x)[0]
        assert "_LogisticLossGrad" in types(sess, [loss, slope], [x, z])
        got = sess.run([loss, slope], {x: given, z: labels})
    wanted_loss, expected = reference(given, labels)
    np.testing.assert_allclose(got[0], wanted_loss.astype(float), rtol=1e-12)
    expected = 2 * expected.astype(float)
    np.testing.assert_allclose(got[1], expected if sizes[0] == 4 else expected.sum(0, keepdims=True), rtol=1e-12)


def test_labels_of_another_size_are_refused_where_they_are_multiplied():
    with tf.Graph().as_default(), tf.Session() as sess:
        x, z = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 3])
        loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x, name="xentropy")
        assert "_LogisticLoss" in types(sess, [loss], [x, z])
        # What 1.15.5 says, and of which operation.
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[4,3\] vs. \[2,3\]") as caught:
            sess.run(loss, {x: np.ones([4, 3]), z: np.ones([2, 3])})
    assert (caught.value.op.type, caught.value.op.name) == ("Mul", "xentropy/mul")


def test_inside_a_loop():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float64, [5, 2])
        z = np.array([[0.0, 1.0]] * 5)

        def body(i, total):
            loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.constant(z[0]), logits=x[i])
            return i + 1, total + tf.reduce_sum(loss)

        total = tf.while_loop(lambda i, _: i < 5, body, [0, tf.constant(0.0, tf.float64)])[1]
        slope = tf.gradients(total, x)[0]
        given = np.random.RandomState(0).normal(size=[5, 2])
        got = sess.run([total, slope], {x: given})
    loss, expected = reference(given, z)
    np.testing.assert_allclose(got[0], float(loss.sum()), rtol=1e-12)
    np.testing.assert_allclose(got[1], expected.astype(float), rtol=1e-9)
