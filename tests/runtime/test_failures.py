"""What errors of running plans say."""

import signal
import traceback

import numpy as np
import pytest

import headrace as tf


@pytest.mark.parametrize(("value", "found"), [([True, False], "several elements"), ([], "no elements")])
def test_predicates_that_are_no_scalars(value, found):
    with tf.Graph().as_default(), tf.Session() as sess:
        pred = tf.placeholder(tf.bool, name="asked")
        out = tf.cond(pred, lambda: tf.constant(1.0), lambda: tf.constant(2.0), name="c")
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"predicate.* must be a scalar, got {found}"):
            sess.run(out, {pred: np.array(value, bool)})


def test_values_of_loops_stay_in_their_loops():
    with tf.Graph().as_default():
        kept = []

        def body(i):
            kept.append(i + 1)
            return kept[0]

        tf.while_loop(lambda i: i < 3, body, [0])
        before = len(tf.get_default_graph().get_operations())
        with pytest.raises(
            ValueError, match=r"Cannot use 'while/add' as input to 'Neg' because 'while/add' is in a while"
        ):
            tf.negative(kept[0])
        with pytest.raises(ValueError, match=r"they are in different while loops.*test_failures\.py"):
            tf.while_loop(lambda i: i < 3, lambda i: i + kept[0], [0])
        assert before < len(tf.get_default_graph().get_operations())


def test_errors_of_python_functions_have_their_traceback():
    def fails(value):
        raise KeyError("nothing here")

    with tf.Graph().as_default(), tf.Session() as sess:
        out = tf.py_func(fails, [1.0], tf.float32, name="mine")
        with pytest.raises(tf.errors.UnknownError) as caught:
            sess.run(out)
        for part in ("KeyError: 'nothing here'", "in fails", __file__, "Node 'mine'"):
            assert part in str(caught.value)
        wrong = tf.py_func(lambda: 1.0, [1.0], tf.float64)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            sess.run(wrong)
        assert str(caught.value).count("TypeError") == 1


def test_an_error_that_is_kept_does_not_keep_what_the_step_computed():
    with tf.Graph().as_default(), tf.Session() as sess:
        step = tf.placeholder(tf.float64, [])
        value = tf.fill([1000], step)
        with tf.control_dependencies([value, tf.Assert(step > 0, ["not positive"])]):
            doubled = tf.reduce_sum(value) * 2.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="not positive") as kept:
            sess.run(doubled, {step: -1.0})
    frames = [entry for entry, _ in traceback.walk_tb(kept.value.__traceback__)]
    steps = [frame for frame in frames if frame.f_code.co_filename.startswith("<headrace plan")]
    assert steps
    assert not any(frame.f_locals for frame in steps)


@pytest.mark.parametrize("kind", [Exception, RuntimeError, BaseException])
@pytest.mark.parametrize(
    "build",
    [
        lambda: tf.while_loop(lambda i: i < 1, lambda i: i * 1, [tf.constant(0)]),
        lambda: tf.while_loop(lambda i: i < 1, lambda i: i * 1, [tf.constant(0, tf.int16)]),
        lambda: tf.FIFOQueue(1, tf.int32).dequeue(),
    ],
    ids=["native loop", "loop", "queue"],
)
def test_what_a_signal_handler_raises_comes_through(build, kind):
    class OutOfPatienceError(kind):
        pass

    def end(*_):
        raise OutOfPatienceError("that is enough")

    before = signal.signal(signal.SIGALRM, end)
    try:
        with tf.Graph().as_default(), tf.Session() as sess:
            fetch = build()
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(OutOfPatienceError, match=r"^that is enough$"):
                sess.run(fetch)
            assert sess.run(tf.constant(1) + 1) == 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
