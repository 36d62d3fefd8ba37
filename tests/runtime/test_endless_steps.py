"""Steps without an end: closing the session ends them, wherever they turn, and so does the time that a step is given."""

import threading

import pytest

import headrace as tf


def _begun(reached, value):
    """`value`, of a step that has begun once it is there."""
    with tf.control_dependencies([tf.py_func(reached.set, [], [])]):
        return tf.identity(value)


def _counting(first):
    return tf.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 1000, [first])


def _of_texts(reached):
    first = _begun(reached, tf.constant("a"))
    return tf.while_loop(lambda s: tf.not_equal(s, "b"), lambda s: tf.strings.substr(s + "a", 0, 1), [first])


def _of_large_products(reached):
    first = _begun(reached, tf.eye(200))
    return tf.while_loop(lambda x: x[0, 0] >= 0.0, lambda x: tf.linalg.inv(x), [first])


def _in_a_function(reached):
    return tf.function(_counting)(_begun(reached, tf.constant(0)))


def _next_of(dataset):
    return tf.data.make_one_shot_iterator(dataset).get_next()


def _noting(reached):
    """A dataset without an end, whose first element tells that it has begun."""
    numbers = tf.data.Dataset.range(1 << 40)
    return numbers.map(lambda x: tf.cond(x > 0, lambda: x, lambda: _begun(reached, x)))


ENDLESS = {
    "loop": lambda reached: _counting(_begun(reached, tf.constant(0))),
    "loop of texts": _of_texts,
    "loop of large products": _of_large_products,
    "loop in a function": _in_a_function,
    "loop in a branch": lambda reached: tf.cond(
        _begun(reached, tf.constant(True)), lambda: _counting(tf.constant(0)), lambda: tf.constant(1)
    ),
    "filter": lambda reached: _next_of(_noting(reached).filter(lambda x: x < 0)),
    "skip": lambda reached: _next_of(_noting(reached).skip(1 << 39)),
    "repeated nothing": lambda reached: _next_of(
        _noting(reached).take(2).repeat().flat_map(lambda x: tf.data.Dataset.range(0))
    ),
    "random numbers": lambda reached: _next_of(
        tf.data.Dataset.zip((_noting(reached), tf.data.experimental.RandomDataset(1))).filter(lambda x, y: y < 0)
    ),
    "shuffles": lambda reached: _next_of(
        _noting(reached).take(2).apply(tf.data.experimental.shuffle_and_repeat(2)).filter(lambda x: x < 0)
    ),
    "loop of a dataset": lambda reached: _next_of(_noting(reached).map(_counting)),
    "loop of a dataset beside": lambda reached: _next_of(_noting(reached).map(_counting, 2).prefetch(1)),
    "function of Python": lambda reached: _next_of(
        tf.data.Dataset.from_generator(lambda: iter(lambda: reached.set() or 1, 2), tf.int32, []).filter(
            lambda x: x < 0
        )
    ),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_closing_the_session_cancels_the_step(kind):
    reached, raised = threading.Event(), []
    with tf.Graph().as_default():
        fetched = ENDLESS[kind](reached)
        session = tf.Session()

        def run():
            with pytest.raises(tf.errors.CancelledError, match="cancelled") as caught:
                session.run(fetched)
            raised.append(caught.value)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        assert reached.wait(60)
        session.close()
        thread.join(60)
        assert not thread.is_alive()
        assert raised[0].op is not None


@pytest.mark.parametrize("kind", ["loop", "loop in a function", "loop in a branch"])
def test_a_loop_ends_with_the_time_of_its_step(kind):
    with tf.Graph().as_default(), tf.Session() as session:
        fetched = ENDLESS[kind](threading.Event())
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(fetched, options=tf.RunOptions(timeout_in_ms=100))
        # The session goes on.
        assert session.run(tf.constant(3)) == 3


def test_other_sessions_go_on():
    with tf.Graph().as_default():
        total = tf.while_loop(lambda i: i < 100, lambda i: i + 1, [tf.constant(0)])
        with tf.Session() as session:
            tf.Session().close()
            closed = tf.Session()
            assert closed.run(total) == 100
            closed.close()
            assert session.run(total) == 100


def test_planning_does_not_run_loops_of_functions():
    with tf.Graph().as_default(), tf.Session() as session:
        endless = tf.function(_counting)(tf.constant(0))
        plan = session.plan_for(endless)
        assert any(node.decl.signature.calls for node in plan.nodes)
