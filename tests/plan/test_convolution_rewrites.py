"""Convolutions with bias, relu and pool, and their gradients: equal to what the single ops compute, in fewer calls."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


def calls(session, fetches, feeds=()):
    """The op types a plan calls."""
    return [node.type for node in session.plan_for(fetches, feeds).lines.values()]


def images(*shape, dtype=np.float32):
    # Few different values: windows with several largest ones, and all-negative ones, are common.
    return (np.random.RandomState(0).randint(-3, 3, shape) / 2).astype(dtype)


# ---- bias ----


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("batch", [2, None])
@pytest.mark.parametrize("add", [tf.nn.bias_add, tf.add])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_convolution_and_bias_are_one_call(session, dtype, batch, add, padding):
    x = tf.placeholder(dtype, [batch, 7, 6, 3])
    # Filters that are fed: those that stay the same are packed.
    w, b = tf.placeholder(dtype, [2, 3, 3, 4]), tf.constant(np.arange(4, dtype=dtype))
    product = tf.nn.conv2d(x, w, [1, 2, 1, 1], padding)
    y = add(product, b)
    feeds = {x: images(2, 7, 6, 3, dtype=dtype), w: images(2, 3, 3, 4, dtype=dtype)}
    got = session.run(y, feeds)
    assert calls(session, y, [x, w]) == ["_Conv2DBias"]
    both = session.run([product, y], feeds)
    np.testing.assert_allclose(got, both[0] + np.arange(4), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(both[1], got, rtol=1e-6, atol=1e-6)
    assert "_Conv2DBias" not in calls(session, [product, y], [x, w])


@pytest.mark.parametrize("kind", ["depthwise", "volume", "groups"])
def test_other_convolutions_and_bias(session, kind):
    x = tf.placeholder(
        tf.float32, {"volume": [2, 4, 5, 3, 2], "depthwise": [None, 4, 5, 3], "groups": [2, 4, 5, 4]}[kind]
    )
    filters = images(*{"volume": (2, 2, 2, 2, 6), "depthwise": (2, 2, 3, 2), "groups": (3, 3, 2, 6)}[kind])
    w = tf.placeholder(tf.float32, filters.shape)
    if kind == "volume":
        product = tf.nn.conv3d(x, w, [1] * 5, "SAME")
    elif kind == "depthwise":
        product = tf.nn.depthwise_conv2d(x, w, [1] * 4, "SAME")
    else:
        product = tf.nn.conv2d(x, w, [1] * 4, "SAME")
    y = tf.nn.bias_add(product, tf.constant(np.arange(6, dtype=np.float32)))
    feeds = {x: images(*[size or 2 for size in x.shape.as_list()]), w: filters}
    alone, got = session.run(product, feeds), session.run(y, feeds)
    np.testing.assert_allclose(got, alone + np.arange(6), rtol=1e-6, atol=1e-6)
    assert [call.endswith("Bias") for call in calls(session, y, [x, w])] == [True]


def test_a_bias_along_another_axis_stays(session):
    x = tf.placeholder(tf.float32, [2, 3, 6, 6])
    w = tf.constant(images(3, 3, 3, 6))
    product = tf.nn.conv2d(x, w, [1] * 4, "SAME", data_format="NCHW")
    bias = tf.constant(np.arange(6, dtype=np.float32))
    value = images(2, 3, 6, 6)
    along_width = tf.add(product, bias)
    got, alone = session.run(along_width, {x: value}), session.run(product, {x: value})
    np.testing.assert_allclose(got, alone + np.arange(6), rtol=1e-6, atol=1e-6)
    got = session.run(tf.nn.bias_add(product, bias, "NCHW"), {x: value})
    np.testing.assert_allclose(got, alone + np.arange(6).reshape(6, 1, 1), rtol=1e-6, atol=1e-6)


# ---- relu and pool ----

POOLS = [
    ([1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
    ([1, 2, 2, 1], [1, 2, 2, 1], "VALID"),
    ([1, 3, 3, 1], [1, 2, 2, 1], "SAME"),
    ([1, 3, 2, 1], [1, 1, 1, 1], "SAME"),
]


def pooled(x, activation, ksize, strides, padding):
    """The pool, its gradient and that of the bias, and the activation."""
    bias = tf.fill([x.shape[-1].value], np.float32(0.25))
    shifted = tf.nn.bias_add(x, bias)
    active = activation(shifted)
    pool = tf.nn.max_pool(active, ksize, strides, padding)
    dx, dbias = tf.gradients(tf.reduce_sum(pool * pool * pool + pool), [x, bias])
    return pool, dx, dbias, active


@pytest.mark.parametrize(("ksize", "strides", "padding"), POOLS)
@pytest.mark.parametrize("activation", [tf.nn.relu, tf.nn.relu6])
@pytest.mark.parametrize("batch", [2, None])
def test_relu_moves_behind_the_pool_to_the_bit(session, ksize, strides, padding, activation, batch):
    x = tf.placeholder(tf.float32, [batch, 7, 6, 3])
    pool, dx, dbias, active = pooled(x, activation, ksize, strides, padding)
    value = 4 * images(2, 7, 6, 3)
    got = session.run([pool, dx, dbias], {x: value})
    # What fetches the activation keeps it where it is.
    *plain, activated = session.run([pool, dx, dbias, active], {x: value})
    np.testing.assert_array_equal(got[0], plain[0])
    np.testing.assert_array_equal(got[1], plain[1])
    np.testing.assert_allclose(got[2], plain[2], rtol=1e-5)
    np.testing.assert_array_equal(activated, np.clip(value + 0.25, 0, 6 if activation is tf.nn.relu6 else None))

    plan = session.plan_for([pool, dx, dbias], [x])
    dims = {node.type: node.outputs[0].dims for node in plan.nodes}
    gate = "Relu6" if activation is tf.nn.relu6 else "Relu"
    assert dims[gate][1:] == tuple(pool.shape.as_list()[1:]) == dims[f"{gate}Grad"][1:]
    sums = [node for node in plan.nodes if node.type == "BiasAddGrad"]
    assert [node.inputs[0].node.type for node in sums] == [f"{gate}Grad"]


def test_relu_and_pool_of_channels_second(session):
    x = tf.placeholder(tf.float32, [2, 3, 6, 4])
    active = tf.nn.relu(x)
    pool = tf.nn.max_pool(active, [1, 1, 2, 2], [1, 1, 2, 2], "VALID", data_format="NCHW")
    dx = tf.gradients(pool * pool, x)[0]
    value = images(2, 3, 6, 4)
    got = session.run([pool, dx], {x: value})
    plain = session.run([pool, dx, active], {x: value})
    np.testing.assert_array_equal(got[0], plain[0])
    np.testing.assert_array_equal(got[1], plain[1])


@pytest.mark.parametrize("what", ["consumer", "gradient", "scattered"])
def test_relu_stays_where_something_else_takes_it(session, what):
    x = tf.placeholder(tf.float32, [2, 6, 6, 3])
    active = tf.nn.relu(x)
    pool = tf.nn.max_pool(active, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    loss = tf.reduce_sum(pool * pool)
    if what == "consumer":
        loss += tf.reduce_sum(active)
    expected = [tf.gradients(loss, x)[0]]
    if what == "gradient":
        expected += tf.gradients(loss, active)
    elif what == "scattered":
        expected.append(next(op.outputs[0] for op in session.graph.get_operations() if op.type == "MaxPoolGrad") * 2.0)
    value = images(2, 6, 6, 3)
    got = session.run(expected, {x: value})

    windows = np.maximum(value, 0).reshape(2, 3, 2, 3, 2, 3).transpose(0, 1, 3, 5, 2, 4).reshape(2, 3, 3, 3, 4)
    sent = np.zeros_like(windows)
    np.put_along_axis(sent, windows.argmax(-1)[..., None], 2 * windows.max(-1, keepdims=True), -1)
    sent = sent.reshape(2, 3, 3, 3, 2, 2).transpose(0, 1, 4, 2, 5, 3).reshape(value.shape)
    np.testing.assert_array_equal(got[0], (sent + (what == "consumer")) * (value > 0))
    if what != "consumer":
        np.testing.assert_array_equal(got[1], sent * (2 if what == "scattered" else 1))


def test_relu_and_pool_behind_an_update(session):
    v = tf.Variable(0.0, use_resource=True)
    x = tf.placeholder(tf.float32, [2, 4, 4, 3])
    with tf.control_dependencies([tf.assign_add(v, 1.0)]):
        active = tf.nn.relu(x)
        pool = tf.nn.max_pool(active, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        dx = tf.gradients(tf.reduce_sum(pool) * v, x)[0]
    with tf.control_dependencies([dx]):
        last = v.read_value()
    session.run(tf.global_variables_initializer())
    value = images(2, 4, 4, 3)
    first = session.run([pool, dx, last], {x: value})
    second = session.run([pool, dx, last, active], {x: value})
    np.testing.assert_array_equal(first[0], value.reshape(2, 2, 2, 2, 2, 3).max((2, 4)).clip(0))
    np.testing.assert_array_equal(second[0], first[0])
    assert (first[2], second[2]) == (1.0, 2.0)
    np.testing.assert_array_equal(first[1] > 0, second[1] > 0)


def test_two_layers_train_alike(session):
    x = tf.placeholder(tf.float32, [None, 8, 8, 2])
    h, kept = x, []
    variables = []
    for i, channels in enumerate((3, 4)):
        inputs = h.shape[-1].value
        w = tf.get_variable(f"w{i}", initializer=images(3, 3, inputs, channels) / 3)
        b = tf.get_variable(f"b{i}", initializer=images(channels))
        h = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(h, w, [1] * 4, "SAME"), b))
        kept.append(h)
        h = tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        variables += [w, b]
    gradients = tf.gradients(tf.reduce_mean(tf.square(h)), variables)
    session.run(tf.global_variables_initializer())
    value = images(5, 8, 8, 2)
    got = session.run(gradients, {x: value})
    plain = session.run([*gradients, *kept], {x: value})[:4]
    for ours, theirs in zip(got, plain, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("batch", [64, 1])
@pytest.mark.parametrize("height", [16, 15])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_pools_without_gradients(session, batch, height, dtype):
    x = tf.placeholder(dtype, [None, height, 16, 4])
    value = np.random.RandomState(1).standard_normal([batch, height, 16, 4]).astype(dtype)
    value[0, 0, 0, 0] = np.nan
    got = session.run(tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"), {x: value})
    even = value[:, : height // 2 * 2]
    # A number that is none is passed over.
    np.testing.assert_array_equal(got, np.nanmax(even.reshape(batch, height // 2, 2, 8, 2, 4), (2, 4)))
