"""Updates of one variable and of many at once: the same steps, whatever the gradients look like in memory."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import headrace as tf
from headrace.core.registry import raw

OPTIMIZERS = {
    "descent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "no_momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.0),
    "nesterov": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda: tf.train.AdamOptimizer(0.1),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
}


@pytest.fixture(autouse=True)
def new_graph():
    tf.reset_default_graph()


def steps(make, count, feeds, transposed=True, shape=(4, 3), **variable):
    """The value of the first of `count` variables after one step a feed, all with the same gradient."""
    with tf.Graph().as_default():
        fed = tf.placeholder(tf.float32, None)
        gradient = tf.transpose(fed) if transposed else fed
        variables = [tf.Variable(np.ones(shape, np.float32), **variable) for _ in range(count)]
        train = make().apply_gradients([(gradient, v) for v in variables])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for value in feeds:
                sess.run(train, {fed: value})
            values = sess.run(variables)
    for value in values[1:]:
        np.testing.assert_array_equal(value, values[0])
    return values[0]


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_many_variables_take_the_steps_of_one(name, use_resource):
    random = np.random.RandomState(0)
    feeds = [random.normal(size=[3, 4]) for _ in range(3)]
    one = steps(OPTIMIZERS[name], 1, feeds, use_resource=use_resource)
    three = steps(OPTIMIZERS[name], 3, feeds, use_resource=use_resource)
    np.testing.assert_allclose(three, one, rtol=1e-5)
    # A transposed view and an array that lies in that order are the same gradient.
    straight = steps(OPTIMIZERS[name], 3, [f.T for f in feeds], transposed=False, use_resource=use_resource)
    np.testing.assert_allclose(straight, one, rtol=1e-5)


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("count", [1, 3])
def test_a_gradient_of_another_shape_is_refused_before_anything_is_written(name, count):
    fed = tf.placeholder(tf.float32, None)
    variables = [tf.Variable(np.ones([4, 3], np.float32)) for _ in range(count)]
    train = OPTIMIZERS[name]().apply_gradients([(fed, v) for v in variables])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        before = sess.run(tf.global_variables())
        for shape in ([1, 3], [3], [4, 3, 1], [5, 3], []):
            with pytest.raises(tf.errors.InvalidArgumentError, match="do not have the same shape"):
                sess.run(train, {fed: np.ones(shape)})
        for now, then in zip(sess.run(tf.global_variables()), before, strict=True):
            np.testing.assert_array_equal(now, then)


def test_adam_is_the_formula_of_the_paper():
    random = np.random.RandomState(1)
    gradients = random.normal(size=[20, 5, 2])
    w, m, v = np.ones([5, 2]), np.zeros([5, 2]), np.zeros([5, 2])
    for t, g in enumerate(gradients, 1):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        w -= 0.01 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 0.1)
    for count in (1, 2):
        got = steps(lambda: tf.train.AdamOptimizer(0.01, epsilon=0.1), count, gradients, transposed=False, shape=(5, 2))
        np.testing.assert_allclose(got, w, rtol=2e-5)


def test_a_learning_rate_may_be_fed():
    rate = tf.placeholder(tf.float32, [])
    w = tf.Variable(1.0)
    train = tf.train.GradientDescentOptimizer(rate).minimize(w)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train, {rate: 0.5})
        sess.run(train, {rate: 0.25})
        assert sess.run(w) == 0.25


def test_locked_updates_of_several_threads_all_count():
    w = tf.Variable(np.zeros(1000, np.float32))
    train = tf.train.GradientDescentOptimizer(1.0, use_locking=True).apply_gradients([(-tf.ones([1000]), w)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        threads = [threading.Thread(target=lambda: [sess.run(train) for _ in range(50)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_array_equal(sess.run(w), np.full(1000, 200.0))


@pytest.mark.parametrize("use_resource", [False, True])
def test_rows_that_come_again_are_updated_one_after_the_other(use_resource):
    w, a = np.array([[1.0], [2.0]]), np.array([[0.5], [0.5]])
    variables = [tf.Variable(x, use_resource=use_resource) for x in (w, a)]
    inputs = [v.handle if use_resource else v._ref() for v in variables]
    apply = raw.ResourceSparseApplyMomentum if use_resource else raw.SparseApplyMomentum
    fed, at = tf.placeholder(tf.float64, [None, 1]), tf.placeholder(tf.int64, [None])
    rate = tf.constant(0.1, tf.float64)
    update = apply(*inputs, rate, fed, at, 0.9)
    indices, gradients = [1, 0, 1, 1], [[1.0], [2.0], [3.0], [4.0]]
    for i, g in zip(indices, gradients, strict=True):
        a[i] = 0.9 * a[i] + g
        w[i] -= 0.1 * a[i]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(update, {fed: gradients, at: indices})
        got = sess.run(variables)
    np.testing.assert_allclose(got[0], w)
    np.testing.assert_allclose(got[1], a)


def test_an_update_without_a_value_names_the_variable():
    w = tf.Variable(1.0, name="weight")
    train = tf.train.GradientDescentOptimizer(1.0).apply_gradients([(1.0, w)])
    with tf.Session() as sess, pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value weight"):
        sess.run(train)


def test_integers_have_no_update():
    w = tf.Variable(3)
    update = raw.ApplyGradientDescent(w._ref(), 1, 2)
    with tf.Session() as sess:
        sess.run(w.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="No OpKernel was registered"):
            sess.run(update)


def test_training_with_an_embedding_lowers_the_loss():
    random = np.random.RandomState(2)
    table = tf.get_variable("table", [20, 4], initializer=tf.random_normal_initializer(seed=1))
    ids, target = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None, 4])
    loss = tf.reduce_mean(tf.square(tf.nn.embedding_lookup(table, ids) - target))
    goal = random.normal(size=[20, 4])
    for make in (OPTIMIZERS["adam"], OPTIMIZERS["adagrad"], OPTIMIZERS["rmsprop"], OPTIMIZERS["momentum"]):
        train = make().minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            losses = []
            for _ in range(60):
                batch = random.randint(20, size=8)
                losses.append(sess.run([loss, train], {ids: batch, target: goal[batch]})[0])
        assert np.mean(losses[-10:]) < 0.75 * np.mean(losses[:10])


@pytest.mark.parametrize(
    "name", sorted(name for name in dir(tf.train) if name.endswith("Optimizer") and name != "Optimizer")
)
def test_the_base_of_an_optimizer_is_the_base_class(name):
    """Programs tell optimizers by it."""
    assert getattr(tf.train, name).__base__ is tf.train.Optimizer
