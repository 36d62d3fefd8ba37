"""Convolutions by frozen filters: equal to the single ops, and never behind a write to a variable."""

from __future__ import annotations

import numpy as np
import pytest

import headrace as tf
from headrace.core.registry import REGISTRY, find
from headrace.plan.pipeline import without


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


@pytest.fixture
def single_ops():
    """Runs fetches in a new session that does not pack."""

    def run(fetches, feeds, saved):
        with without("packed convolutions"), tf.Session() as sess:
            for variable, value in saved.items():
                variable.load(value, sess)
            assert not any("Packed" in kind for kind in calls(sess, fetches, list(feeds)))
            return sess.run(fetches, feeds)

    return run


def calls(session, fetches, feeds=()):
    """The op types a plan calls."""
    return [node.type for node in session.plan_for(fetches, feeds).lines.values()]


def numbers(*shape, seed=0, least=-1.0):
    return np.random.RandomState(seed).uniform(least, 1, shape).astype(np.float32)


def normalized(x, kind, channels):
    def vector(name, least=-1.0):
        return tf.get_variable(name, initializer=numbers(channels, seed=len(name), least=least))

    scale, offset, mean, variance = vector("scale"), vector("offset_"), vector("mean"), vector("variance", 0.1)
    if kind == "fused":
        return tf.nn.fused_batch_norm(x, scale, offset, mean, variance, is_training=False)[0]
    if kind == "unfused":
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)
    if kind == "centred":
        return (x - mean) * tf.rsqrt(variance + 1e-3) * tf.reshape(scale, [1, 1, 1, channels]) + offset
    return tf.nn.bias_add(x, offset) if kind == "bias" else x


@pytest.mark.parametrize("depthwise", [False, True])
@pytest.mark.parametrize("kind", ["fused", "unfused", "centred", "bias", "none"])
@pytest.mark.parametrize("activation", [None, tf.nn.relu, tf.nn.relu6])
@pytest.mark.parametrize("resource", [False, True])
def test_it_gives_what_the_single_ops_give(session, single_ops, depthwise, kind, activation, resource):
    x = tf.placeholder(tf.float32, [None, 9, None, 3])
    with tf.variable_scope("", use_resource=resource):
        w = tf.get_variable("w", initializer=4 * numbers(3, 2, 3, 4))
        convolve = tf.nn.depthwise_conv2d if depthwise else tf.nn.conv2d
        y = normalized(convolve(x, w, [1, 2, 2, 1], "SAME"), kind, 12 if depthwise else 4)
    if activation is not None:
        y = activation(y)
    session.run(tf.global_variables_initializer())
    saved = dict(zip(tf.global_variables(), session.run(tf.global_variables()), strict=True))
    for batch, width in ((2, 7), (1, 8), (0, 8), (5, 1)):
        value = numbers(batch, 9, width, 3)
        got = session.run(y, {x: value})
        np.testing.assert_allclose(got, single_ops(y, {x: value}, saved), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(got, session.run(y, {x: value}))
    assert calls(session, y, [x]) == ["_PackedDepthwiseConv2dNative" if depthwise else "_PackedConv2D"]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(("dilation", "groups"), [(2, 1), (1, 2)])
def test_dilations_groups_and_constants(session, single_ops, padding, dilation, groups):
    x = tf.placeholder(tf.float32, [None, 8, 8, 4])
    w = tf.constant(numbers(3, 3, 4 // groups, 6))
    product = tf.nn.conv2d(x, w, [1] * 4, padding, dilations=[1, dilation, dilation, 1])
    y = tf.nn.relu(product * numbers(6, seed=1) - numbers(6, seed=2))
    value = numbers(2, 8, 8, 4)
    got = session.run(y, {x: value})
    assert calls(session, y, [x]) == ["_PackedConv2D"]
    np.testing.assert_allclose(got, single_ops(y, {x: value}, {}), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("activation", [None, tf.nn.relu])
@pytest.mark.parametrize("size", [1, 3])
def test_several_of_one_image(session, single_ops, activation, size):
    x = tf.placeholder(tf.float32, [None, None, 9, 5])
    branches = []
    for i, (kind, channels) in enumerate([("fused", 3), ("bias", 4), ("none", 2)]):
        with tf.variable_scope(f"branch{i}"):
            w = tf.get_variable("w", initializer=numbers(size, size, 5, channels, seed=i))
            y = normalized(tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME"), kind, channels)
            branches.append(y if activation is None else activation(y))
    further = tf.nn.conv2d(branches[1], tf.constant(numbers(3, 3, 4, 2)), [1] * 4, "SAME")
    fetches = [tf.concat([branches[0], further, branches[2]], 3), branches[1]]
    session.run(tf.global_variables_initializer())
    for turn in range(2):
        saved = dict(zip(tf.global_variables(), session.run(tf.global_variables()), strict=True))
        # Many rows are done one by one.
        for batch, height in ((1, 9), (2, 3), (0, 4), (40, 500)):
            value = numbers(batch, height, 9, 5, seed=turn)
            for got, wanted in zip(
                session.run(fetches, {x: value}), single_ops(fetches, {x: value}, saved), strict=True
            ):
                np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
        assert calls(session, fetches, [x]).count("_PackedConv2Ds") == 1
        for variable in tf.global_variables():
            variable.load(session.run(variable) + 0.5, session)


def test_filters_of_groups_stay_apart(session, single_ops):
    x = tf.placeholder(tf.float32, [None, 6, 6, 4])
    fetches = [tf.nn.conv2d(x, tf.constant(numbers(1, 1, 2, 4, seed=i)), [1] * 4, "SAME") for i in range(2)]
    value = numbers(2, 6, 6, 4)
    for got, wanted in zip(session.run(fetches, {x: value}), single_ops(fetches, {x: value}, {}), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
    assert calls(session, fetches, [x]) == ["_PackedConv2D"] * 2


def test_what_is_not_a_number_stays_so(session):
    x = tf.placeholder(tf.float32, [1, 1, 2, 1])
    product = tf.nn.conv2d(x, tf.constant(numbers(1, 1, 1, 2)), [1] * 4, "SAME")
    for activation in (tf.nn.relu, tf.nn.relu6):
        y = activation(product)
        got = session.run(y, {x: np.array([np.nan, 0], np.float32).reshape(1, 1, 2, 1)})
        assert calls(session, y, [x]) == ["_PackedConv2D"]
        np.testing.assert_array_equal(np.isnan(got[0, 0]), [[True, True], [False, False]])


@pytest.mark.parametrize("activation", [None, tf.nn.relu])
@pytest.mark.parametrize("other", ["image", "convolution", "broadcast", "wider", "itself"])
def test_what_is_added_to_the_result(session, single_ops, other, activation):
    x = tf.placeholder(tf.float32, [None, 4, 5, 3])
    h = normalized(tf.nn.conv2d(x, tf.constant(numbers(3, 3, 3, 3)), [1] * 4, "SAME"), "fused", 3)
    feeds = {x: numbers(1, 4, 5, 3)}
    if other == "convolution":
        y = h + normalized_again(tf.nn.conv2d(x, tf.constant(numbers(1, 1, 3, 3, seed=4)), [1] * 4, "SAME"))
    elif other == "itself":
        y = h + h
    else:
        given = tf.placeholder(tf.float32, {"image": [None, 4, 5, 3], "broadcast": [5, 1], "wider": None}[other])
        feeds[given] = numbers(*{"image": (1, 4, 5, 3), "broadcast": (5, 1), "wider": (2, 4, 5, 3)}[other], seed=7)
        y = given + h
    if activation is not None:
        y = activation(y)
    # The sum's own scale cannot go into the filters.
    z = y * tf.constant(numbers(3))
    session.run(tf.global_variables_initializer())
    saved = dict(zip(tf.global_variables(), session.run(tf.global_variables()), strict=True))
    kept = {key: value.copy() for key, value in feeds.items()}
    for fetch in (y, z):
        np.testing.assert_allclose(session.run(fetch, feeds), single_ops(fetch, feeds, saved), rtol=1e-5, atol=1e-5)
    for key, value in feeds.items():
        np.testing.assert_array_equal(value, kept[key])
    kinds = calls(session, z, list(feeds))
    if other != "itself":
        assert kinds == ["_PackedConv2D"] * (1 + (other == "convolution")) + ["Mul"]


def normalized_again(x):
    with tf.variable_scope("again"):
        return normalized(x, "unfused", 3)


# ---- writes ----


def writers(variable):
    """Every way a program has to write a variable, by name: what to run."""
    ones = tf.ones_like(variable)
    optimizers = {
        "descent": tf.train.GradientDescentOptimizer(0.1),
        "momentum": tf.train.MomentumOptimizer(0.1, 0.9),
        "adam": tf.train.AdamOptimizer(0.1),
        "adagrad": tf.train.AdagradOptimizer(0.1),
        "rmsprop": tf.train.RMSPropOptimizer(0.1),
        "adadelta": tf.train.AdadeltaOptimizer(0.1, epsilon=0.1),
        "ftrl": tf.train.FtrlOptimizer(0.1),
    }
    found = {name: optimizer.apply_gradients([(ones, variable)]) for name, optimizer in optimizers.items()}
    loss = tf.reduce_sum(tf.square(variable)) + tf.reduce_sum(tf.square(tf.get_variable("other", [100, 200])))
    found["many"] = tf.train.AdamOptimizer(0.1).minimize(loss)
    found["average"] = tf.train.ExponentialMovingAverage(0.5).apply([variable])
    found["assign"] = tf.assign(variable, 3 * ones)
    found["add"] = tf.assign_add(variable, ones)
    found["sub"] = tf.assign_sub(variable, ones)
    found["scatter"] = tf.scatter_update(variable, [0], 7 * ones[:1])
    found["slices"] = variable[0].assign(9 * ones[0])
    found["branch"] = tf.cond(
        tf.constant(True) & (tf.size(ones) > 0), lambda: tf.assign_add(variable, ones), lambda: variable
    )

    def body(i):
        with tf.control_dependencies([tf.assign_add(variable, ones)]):
            return [i + 1]

    found["loop"] = tf.while_loop(lambda i: i < 2, body, [0])
    found["initializer"] = variable.initializer
    return found


@pytest.mark.parametrize("resource", [False, True])
def test_every_write_is_seen(session, resource):
    x = tf.placeholder(tf.float32, [1, 4, 4, 2])
    w = tf.get_variable("w", initializer=numbers(3, 3, 2, 3), use_resource=resource)
    y = tf.nn.conv2d(x, w, [1] * 4, "SAME")
    runs = writers(w)
    session.run(tf.global_variables_initializer())
    value, given = numbers(1, 4, 4, 2), tf.placeholder(tf.float32, [3, 3, 2, 3])
    expected = tf.nn.conv2d(x, given, [1] * 4, "SAME")
    assert calls(session, y, [x]) == ["_PackedConv2D"]
    assert calls(session, expected, [x, given]) == ["Conv2D"]

    def check(name):
        now = session.run(w)
        np.testing.assert_allclose(
            session.run(y, {x: value}),
            session.run(expected, {x: value, given: now}),
            rtol=1e-5,
            atol=1e-5,
            err_msg=name,
        )
        return now

    for name, run in runs.items():
        before = check(name)
        session.run(run)
        after = check(name)
        assert name == "average" or not np.array_equal(before, after), name
    w.load(numbers(3, 3, 2, 3, seed=5), session)
    check("load")


def test_a_write_that_fails_midway_is_seen(session):
    x = tf.placeholder(tf.float32, [1, 2, 2, 1])
    w = tf.get_variable("w", initializer=np.ones([1, 1, 1, 1], np.float32), use_resource=True)
    y = tf.nn.conv2d(x, w, [1] * 4, "SAME")
    session.run(w.initializer)
    ones = np.ones([1, 2, 2, 1], np.float32)
    assert session.run(y, {x: ones}).tolist() == ones.tolist()
    with tf.control_dependencies([tf.assign(w, [[[[5.0]]]])]):
        fails = tf.Assert(tf.size(x) < 0, [x])
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(fails, {x: ones})
    assert session.run(y, {x: ones}).tolist() == (5 * ones).tolist()


def test_restored_and_reset_variables(session, tmp_path):
    x = tf.placeholder(tf.float32, [1, 2, 2, 1])
    w = tf.get_variable("w", initializer=np.full([1, 1, 1, 1], 2, np.float32))
    y = tf.nn.conv2d(x, w, [1] * 4, "SAME")
    saver = tf.train.Saver()
    ones = np.ones([1, 2, 2, 1], np.float32)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value w") as caught:
        session.run(y, {x: ones})
    assert caught.value.op.name == "w/read"
    session.run(w.initializer)
    path = saver.save(session, str(tmp_path / "model"))
    assert session.run(y, {x: ones}).max() == 2
    session.run(tf.assign(w, w * 4))
    assert session.run(y, {x: ones}).max() == 8
    saver.restore(session, path)
    assert session.run(y, {x: ones}).max() == 2


def test_sessions_keep_their_own(session):
    x = tf.placeholder(tf.float32, [1, 2, 2, 1])
    w = tf.get_variable("w", initializer=np.full([1, 1, 1, 1], 2, np.float32))
    y = tf.nn.conv2d(x, w, [1] * 4, "SAME")
    ones = np.ones([1, 2, 2, 1], np.float32)
    with tf.Session() as other:
        for sess, value in ((session, 3), (other, 5)):
            w.load(np.full([1, 1, 1, 1], value, np.float32), sess)
        assert [sess.run(y, {x: ones}).max() for sess in (session, other, session)] == [3, 5, 3]


def test_every_op_that_takes_a_variable_by_reference_declares_its_writes():
    """Versions rest on these declarations."""
    find("Assign")
    harmless = {"IsVariableInitialized", "VarIsInitializedOp", "VariableShape", "ReadVariableOp", "_ReadRef"}
    changing = ("Apply", "Assign", "Scatter", "CountUpTo", "SparseApply")
    for kind, decl in REGISTRY.items():
        plain = kind.removeprefix("_").removeprefix("Resource")
        if kind in harmless or not plain.startswith(changing):
            continue
        takes = any(
            arg.is_ref or (arg.dtype is not None and arg.dtype.name == "resource") for arg in decl.signature.inputs
        )
        assert not takes or decl.writes_state, kind


# ---- where it must not be done ----


def test_a_step_that_trains_does_not_pack_what_it_writes(session):
    x = tf.placeholder(tf.float32, [2, 64, 64, 2])
    first = tf.get_variable("first", initializer=numbers(3, 3, 2, 8), trainable=False)
    second = tf.get_variable("second", initializer=numbers(3, 3, 8, 2))
    y = tf.nn.conv2d(tf.nn.conv2d(x, first, [1] * 4, "SAME"), second, [1] * 4, "SAME")
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
    session.run(tf.global_variables_initializer())
    # Too large to be part of a native region.
    kinds = calls(session, [train, y], [x])
    assert kinds.count("_PackedConv2D") == 1
    assert kinds.count("Conv2D") == 1


def test_values_that_are_fetched_or_taken_twice_stay(session):
    x = tf.placeholder(tf.float32, [2, 4, 4, 2])
    w, b = tf.constant(numbers(3, 3, 2, 3)), tf.constant(numbers(3))
    product = tf.nn.conv2d(x, w, [1] * 4, "SAME")
    added = tf.nn.bias_add(product, b)
    y = tf.nn.relu(added)
    z = y + tf.reduce_sum(added)
    value = numbers(2, 4, 4, 2)
    one, two, three, four = session.run([product, added, y, z], {x: value})
    np.testing.assert_allclose(two, one + session.run(b), rtol=1e-6)
    np.testing.assert_array_equal(three, two.clip(0))
    np.testing.assert_allclose(session.run(z, {x: value}), four, rtol=1e-5)
    fed = session.run(y, {x: value, added: -value[..., :1] * np.ones(3, np.float32)})
    np.testing.assert_array_equal(fed, (-value[..., :1] * np.ones(3, np.float32)).clip(0))


def test_training_statistics_and_other_axes_stay(session):
    x = tf.placeholder(tf.float32, [2, 3, 3, 2])
    product = tf.nn.conv2d(x, tf.constant(numbers(3, 3, 2, 3)), [1] * 4, "SAME")
    trained = tf.nn.fused_batch_norm(product, numbers(3), numbers(3), is_training=True)[0]
    assert "FusedBatchNormV3" in calls(session, trained, [x])
    along_width = product * tf.constant(numbers(3, 1))
    assert calls(session, along_width, [x]) == ["_PackedConv2D", "Mul"]
    subtracted = tf.constant(numbers(3)) - product
    assert calls(session, subtracted, [x]) == ["_PackedConv2D", "Sub"]


def test_what_a_constant_waits_for_still_runs(session):
    x = tf.placeholder(tf.float32, [1, 2, 2, 1])
    count = tf.get_variable("count", initializer=0)
    with tf.control_dependencies([tf.assign_add(count, 1)]):
        w = tf.constant(np.ones([1, 1, 1, 1], np.float32))
    y = tf.nn.conv2d(x, w, [1] * 4, "SAME")
    session.run(count.initializer)
    for expected in (1, 2):
        session.run(y, {x: np.ones([1, 2, 2, 1], np.float32)})
        assert session.run(count) == expected
