"""Activations, losses and samplers: what mathematics says of them, and the forms in which 0.x called them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.autodiff.gradients import gradients
from headrace.core.convert import convert_to_tensor
from headrace.core.errors import InvalidArgumentError
from headrace.core.graph import Graph
from headrace.functions.nn import activations as activations_functions
from headrace.functions.nn import cross_entropy as cross_entropy_functions
from headrace.functions.nn import dropout
from headrace.ops.array.constant import constant, placeholder
from headrace.ops.nn import activations, bias, l2_loss, softmax, topk
from headrace.ops.nn.candidates import log_uniform_candidate_sampler, uniform_candidate_sampler
from headrace.runtime.session import Session

POINTS = np.array([-4.0, -1.5, -0.3, 0.2, 0.9, 2.5, 5.5, 8.0])


def run(*tensors, feeds=None):
    with Session() as sess:
        result = sess.run(list(tensors), feeds)
    return result[0] if len(result) == 1 else result


def numerical(function, x, step=1e-6):
    """The derivative of the sum of `function`, by central differences."""
    result = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        result[i] = (function(up) - function(down)) / (2 * step)
    return result


SCALARS = {
    "relu": activations.relu,
    "relu6": activations.relu6,
    "leaky_relu": activations.leaky_relu,
    "elu": activations.elu,
    "selu": activations.selu,
    "softplus": activations.softplus,
    "softsign": activations.softsign,
    "swish": activations_functions.swish,
    "crelu": activations.crelu,
}


@pytest.mark.parametrize("name", sorted(SCALARS))
def test_gradient_of_activation_is_its_slope(name):
    x = placeholder("float64", [None])
    y = SCALARS[name](x)
    slope = gradients(y, x)[0]
    with Session() as sess:
        expected = numerical(lambda v: sess.run(y, {x: v}).sum(), POINTS)
        np.testing.assert_allclose(sess.run(slope, {x: POINTS}), expected, atol=1e-6)


@pytest.mark.parametrize("name", ["elu", "selu", "softplus"])
def test_second_derivative_of_activation(name):
    x = placeholder("float64", [None])
    slope = gradients(SCALARS[name](x), x)[0]
    curvature = gradients(slope, x)[0]
    with Session() as sess:
        expected = numerical(lambda v: sess.run(slope, {x: v}).sum(), POINTS)
        np.testing.assert_allclose(sess.run(curvature, {x: POINTS}), expected, atol=1e-5)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("function", [softmax.softmax, softmax.log_softmax])
def test_gradient_of_softmax(function, axis):
    values = np.random.RandomState(0).normal(size=[3, 4])
    weights = np.random.RandomState(1).normal(size=[3, 4])
    x = placeholder("float64", [None, 4])
    y = function(x, axis=axis)
    g = gradients(y, x, grad_ys=constant(weights))[0]
    with Session() as sess:
        expected = numerical(lambda v: (sess.run(y, {x: v}) * weights).sum(), values)
        np.testing.assert_allclose(sess.run(g, {x: values}), expected, atol=1e-6)


def test_cross_entropies_agree_with_their_definitions():
    random = np.random.RandomState(2)
    logits = random.normal(size=[6, 5])
    labels = random.randint(0, 5, size=6)
    one_hot = np.eye(5)[labels]
    log_q = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    dense = cross_entropy_functions.softmax_cross_entropy_with_logits_v2(labels=one_hot, logits=logits)
    sparse = cross_entropy_functions.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    sigmoid = cross_entropy_functions.sigmoid_cross_entropy_with_logits(labels=one_hot, logits=logits)
    q = 1 / (1 + np.exp(-logits))
    np.testing.assert_allclose(run(dense), -(one_hot * log_q).sum(1))
    np.testing.assert_allclose(run(sparse), run(dense))
    np.testing.assert_allclose(run(sigmoid), -(one_hot * np.log(q) + (1 - one_hot) * np.log(1 - q)))


CALLS_OF_0X = [
    (cross_entropy_functions.softmax_cross_entropy_with_logits, [[0.2, 0.8]], {}),
    (cross_entropy_functions.sigmoid_cross_entropy_with_logits, [[0.2, 0.8]], {}),
    (cross_entropy_functions.sparse_softmax_cross_entropy_with_logits, [1], {}),
]


@pytest.mark.parametrize(("function", "labels", "options"), CALLS_OF_0X)
def test_positional_arguments_are_logits_then_labels(function, labels, options):
    logits = constant([[1.0, 3.0]])
    labels = convert_to_tensor(labels)
    named = function(labels=labels, logits=logits)
    for positional in (function(logits, labels), function(logits, labels, "xent"), function(logits, labels, name="y")):
        np.testing.assert_array_equal(run(positional), run(named))
    for wrong in (lambda: function(logits), lambda: function(logits, labels, logits)):
        with pytest.raises(ValueError, match="named arguments"):
            wrong()


def test_positional_class_axis_of_0x():
    logits, labels = constant([[1.0], [3.0]]), constant([[0.25], [0.75]])
    old = cross_entropy_functions.softmax_cross_entropy_with_logits(logits, labels, 0)
    new = cross_entropy_functions.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=0)
    np.testing.assert_array_equal(run(old), run(new))


def test_label_out_of_range():
    labels = placeholder("int32", [None])
    loss = cross_entropy_functions.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=np.zeros([2, 10], np.float32)
    )
    message = r"Received a label value of 10 which is outside the valid range of \[0, 10\).  Label values: 3 10"
    with pytest.raises(InvalidArgumentError, match=message):
        run(loss, feeds={labels: [3, 10]})


def test_kernels_leave_their_inputs_alone():
    logits, labels = placeholder("float32", [None, 3]), placeholder("float32", [None, 3])
    x, p = np.array([[1.0, 2.0, 3.0]], np.float32), np.array([[0.5, 0.25, 0.25]], np.float32)
    loss = cross_entropy_functions.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
    g = gradients(loss, logits)[0]
    with Session() as sess:
        once = sess.run([loss, g], {logits: x, labels: p})
        again = sess.run([loss, g, logits, labels], {logits: x, labels: p})
    for a, b in zip([*once, x, p], again, strict=True):
        np.testing.assert_array_equal(a, b)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12), st.data())
def test_top_k_puts_equal_elements_in_their_order(values, data):
    k = data.draw(st.integers(0, len(values)))
    with Graph().as_default():
        found, at = topk.top_k(np.array([values], np.float32), k)
        found, at = run(found, at)
    order = np.argsort(-np.array(values), kind="stable")[:k]
    np.testing.assert_array_equal(at[0], order)
    np.testing.assert_array_equal(found[0], np.array(values)[order])


@pytest.mark.parametrize("dtype", ["uint16", "uint32"])
def test_top_k_of_wide_unsigned_integers(dtype):
    largest = np.iinfo(dtype).max
    found, at = run(*topk.top_k(constant(np.array([1, largest, 0, largest - 1], dtype)), 3))
    assert found.dtype == dtype
    assert found.tolist() == [largest, largest - 1, 1]
    assert at.tolist() == [1, 3, 0]


def test_in_top_k_counts_ties_and_refuses_what_is_not_finite():
    predictions = np.array([[0.3, 0.3, 0.3, 0.1], [0.1, np.nan, 0.5, 0.4]], np.float32)
    assert run(topk.in_top_k(predictions, [2, 2], 1)).tolist() == [True, False]


def test_bias_gradient_is_the_sum_over_all_other_axes():
    value = np.random.RandomState(3).normal(size=[2, 3, 4, 5])
    for data_format, axes, channels in (("NHWC", (0, 1, 2), 5), ("NCHW", (0, 2, 3), 3)):
        x, b = constant(value), constant(np.zeros(channels))
        y = bias.bias_add(x, b, data_format)
        g = gradients(y, b, grad_ys=constant(value))[0]
        np.testing.assert_allclose(run(g), value.sum(axes))


def test_dropout_keeps_the_expected_sum():
    kept = run(dropout.dropout(np.ones([200, 200], np.float32), rate=0.25, seed=3))
    assert sorted(set(kept.ravel().tolist())) == pytest.approx([0.0, 4 / 3])
    assert kept.mean() == pytest.approx(1.0, abs=0.02)


def test_l2_loss_of_short_type_does_not_overflow_on_the_way():
    assert run(l2_loss.l2_loss(constant(np.full([4], 150.0, np.float16)))) == np.float16(45000.0)


def test_log_uniform_sampler_follows_zipf():
    drawn, _, counts = log_uniform_candidate_sampler(np.zeros([1, 1], np.int64), 1, 20000, False, 9, seed=1)
    drawn, counts = run(drawn, counts)
    expected = np.log((np.arange(9) + 2) / (np.arange(9) + 1)) / np.log(10)
    np.testing.assert_allclose(np.bincount(drawn, minlength=9) / 20000, expected, atol=0.02)
    np.testing.assert_allclose(counts, 20000 * expected[drawn], rtol=1e-5)


def test_unseeded_samplers_differ_from_session_to_session():
    drawn = uniform_candidate_sampler(np.zeros([1, 1], np.int64), 1, 16, True, 10**6)[0]
    first, second = run(drawn), run(drawn)
    assert len(set(first.tolist())) == 16
    assert first.tolist() != second.tolist()


@pytest.mark.parametrize(("images", "filters"), [(0, 2), (2, 0)])
def test_gradients_of_convolutions_of_nothing(images, filters):
    with tf.Graph().as_default(), tf.Session() as session:
        x, gradient = tf.zeros([images, 3, 4, 1]), tf.zeros([images, 2, 3, filters])
        weights = tf.ones([2, 2, 1, filters])
        setting = {"strides": [1, 1, 1, 1], "padding": "VALID"}
        of_filter = tf.nn.conv2d_backprop_filter(x, [2, 2, 1, filters], gradient, **setting)
        of_input = tf.nn.conv2d_backprop_input([images, 3, 4, 1], weights, gradient, **setting)
        found = session.run([of_filter, of_input])
        assert [value.shape for value in found] == [(2, 2, 1, filters), (images, 3, 4, 1)]
        assert not any(value.any() for value in found)
