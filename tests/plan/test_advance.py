"""Updates that run as soon as their gradient is there."""

import numpy as np
import pytest

import headrace as tf

LARGE = 512


def calls(session, fetches, feeds=()):
    return [node.type for node in session.plan_for(fetches, list(feeds)).lines.values()]


def network(optimizer, batch=4, resource=False):
    """Three large layers under a loss; the gradient of the last is there first."""
    state = np.random.RandomState(0)
    feed = tf.placeholder(tf.float32, [batch, LARGE])
    value = feed
    variables = []
    for i in range(3):
        start = state.normal(size=[LARGE, LARGE]).astype(np.float32) / 30
        variables.append(tf.get_variable(f"w{i}", initializer=start, use_resource=resource))
        value = tf.tanh(tf.matmul(value, variables[-1]))
    loss = tf.reduce_sum(tf.square(value))
    return feed, loss, variables, optimizer.minimize(loss)


OPTIMIZERS = {
    "momentum": lambda: tf.train.MomentumOptimizer(0.01, 0.9),
    "adam": lambda: tf.train.AdamOptimizer(0.01),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.01),
}


@pytest.mark.parametrize("kind", OPTIMIZERS)
@pytest.mark.parametrize("batch", [4, None])
@pytest.mark.parametrize("resource", [False, True])
def test_each_update_follows_its_gradient_and_computes_the_same(kind, batch, resource):
    data = np.random.RandomState(1).normal(size=[4, LARGE]).astype(np.float32)
    results = []
    for observed in (False, True):
        with tf.Graph().as_default(), tf.Session() as session:
            feed, loss, variables, train = network(OPTIMIZERS[kind](), batch, resource)
            session.run(tf.global_variables_initializer())
            # Fetched gradients are held to the end; variables read after the step are read then.
            fetches = [train, loss, *tf.gradients(loss, variables)] if observed else [train, loss]
            for _ in range(3):
                session.run(fetches, {feed: data})
            results.append(session.run(variables))
            if not observed:
                types = calls(session, [train, loss], [feed])
                updates = [i for i, name in enumerate(types) if "Apply" in name]
                products = [i for i, name in enumerate(types) if name == "MatMul"]
                assert len(updates) == 3
                assert updates[0] < products[-1]
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("fetched", ["value", "slice", "sum"])
def test_what_is_read_from_the_variable_in_the_step_is_not_its_new_value(fetched, plain_calls):
    with tf.Graph().as_default(), tf.Session() as session:
        feed, loss, variables, _ = network(OPTIMIZERS["momentum"](), resource=True)
        read = variables[-1].read_value()
        extra = {"value": tf.identity(read), "slice": read[:2], "sum": tf.reduce_sum(read)}[fetched]
        # The update waits for the read, and what is made of the read is computed after all gradients.
        slope = tf.gradients(loss, variables[0])[0]
        with tf.control_dependencies([slope]):
            late = tf.identity(extra)
        optimizer = OPTIMIZERS["momentum"]()
        pairs = optimizer.compute_gradients(loss)
        with tf.control_dependencies([read]):
            train = optimizer.apply_gradients(pairs)
        session.run(tf.global_variables_initializer())
        before, start = session.run([extra, variables[-1]])
        feeds = {feed: np.ones([4, LARGE], np.float32)}
        got = session.run([train, late], feeds)[1]
        np.testing.assert_array_equal(got, before)
        assert (session.run(variables[-1]) != start).any()


def test_a_step_that_fails_in_something_else_changes_nothing():
    with tf.Graph().as_default(), tf.Session() as session:
        feed, loss, variables, train = network(OPTIMIZERS["momentum"](), batch=None)
        other = tf.placeholder(tf.float32, [None])
        metric = tf.reduce_sum(tf.reshape(loss, [1]) * other + tf.ones([2]) * other)
        unequal = tf.placeholder(tf.float32, [None]) + other
        session.run(tf.global_variables_initializer())
        before = session.run(variables)
        feeds = {feed: np.ones([4, LARGE], np.float32), other: np.ones(3, np.float32)}
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run([train, metric], feeds)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run([train, unequal], {**feeds, unequal.op.inputs[0]: np.ones(2, np.float32)})
        for one, other_value in zip(before, session.run(variables), strict=True):
            np.testing.assert_array_equal(one, other_value)


def test_a_loss_that_fails_by_its_values_comes_before_the_updates_of_another():
    with tf.Graph().as_default(), tf.Session() as session:
        feed, _, variables, first = network(OPTIMIZERS["momentum"]())
        rows = tf.placeholder(tf.int32, [2])
        table = tf.get_variable("table", [LARGE, LARGE])
        second = OPTIMIZERS["momentum"]().minimize(tf.reduce_sum(tf.gather(tf.tanh(table), rows)))
        session.run(tf.global_variables_initializer())
        variables = [*variables, table]
        before = session.run(variables)
        feeds = {feed: np.ones([4, LARGE], np.float32), rows: [0, LARGE]}
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run([first, second], feeds)
        for one, other in zip(before, session.run(variables), strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_check_of_the_gradients_comes_before_the_updates():
    with tf.Graph().as_default(), tf.Session() as session:
        feed, loss, variables, _ = network(OPTIMIZERS["momentum"]())
        optimizer = OPTIMIZERS["momentum"]()
        pairs = [(tf.check_numerics(g, "bad"), v) for g, v in optimizer.compute_gradients(loss)]
        train = optimizer.apply_gradients(pairs)
        session.run(tf.global_variables_initializer())
        before = session.run(variables)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(train, {feed: np.full([4, LARGE], np.nan, np.float32)})
        for one, other in zip(before, session.run(variables), strict=True):
            np.testing.assert_array_equal(one, other)
