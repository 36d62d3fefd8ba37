"""The way back over a tape as one plan: what is planned, and what is walked one operation at a time."""

import numpy as np
import pytest

import headrace as tf
from headrace.autodiff import planned_walks
from headrace.contrib.eager import callbacks
from headrace.core.eager import eager_mode


@pytest.fixture(autouse=True)
def walks():
    """Runs a test eagerly, with no walk planned before."""
    planned_walks._known.clear()
    with eager_mode():
        yield


def planned():
    return [walk for walk in planned_walks._known.values() if isinstance(walk, planned_walks._Walk)]


def test_a_recording_that_comes_again_is_planned_and_follows_its_values():
    w = tf.Variable([[1.0, -2.0], [0.5, 3.0]])
    for step in range(8):
        x = tf.constant(np.full([3, 2], step, "float32"))
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(tf.matmul(x, w)))
        gradient = tape.gradient(loss, w)
        expected = 2 * x.numpy().T @ (x.numpy() @ w.numpy())
        np.testing.assert_allclose(gradient.numpy(), expected, rtol=1e-5)
        w.assign_sub(gradient * 0.01)
    assert len(planned()) == 1


def test_what_no_source_needs_is_left_out():
    x, w = tf.constant(np.ones([4, 3], "float32")), tf.Variable(np.ones([3, 2], "float32"))
    for _ in range(6):
        with tf.GradientTape() as tape:
            y = tf.matmul(x, w)
        tape.gradient(y, w)
    (walk,) = planned()
    # The product that would be the gradient of x is not among its nodes.
    assert [node.type for node in walk.kernel.plan.nodes].count("MatMul") <= 1


def test_a_tape_around_sees_the_operations_of_the_gradient():
    x = tf.constant(2.0)
    for _ in range(6):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x * x * x
            first = inner.gradient(y, x)
        assert (first.numpy(), outer.gradient(first, x).numpy()) == (12.0, 12.0)


def test_gradient_functions_of_the_program_are_called_each_time():
    called = []

    @tf.custom_gradient
    def f(x):
        def backwards(dy):
            called.append(dy)
            return dy * 5.0

        return x * 2.0, backwards

    x = tf.constant(1.0)
    for _ in range(6):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        assert tape.gradient(y, x).numpy() == 5.0
    assert len(called) == 6
    assert not planned()


def test_a_persistent_tape_records_the_gradients_taken_while_it_does():
    x = tf.constant(3.0)
    for _ in range(6):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            first = tape.gradient(x * x, x)
        assert tape.gradient(first, x).numpy() == 2.0


def test_other_sources_of_the_same_recording_have_a_walk_of_their_own():
    x, y = tf.constant(2.0), tf.constant(5.0)
    for _ in range(6):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            z = x * y
        assert tape.gradient(z, x).numpy() == 5.0
        assert [g.numpy() for g in tape.gradient(z, [y, x])] == [2.0, 5.0]
        assert tape.gradient(z, y, output_gradients=tf.constant(3.0)).numpy() == 6.0
    assert len(planned()) == 3


def test_callbacks_see_the_operations_of_the_gradient():
    x, seen = tf.constant(2.0), []

    def gradient():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.exp(x)
        return tape.gradient(y, x)

    for _ in range(6):
        gradient()
    assert planned()
    callbacks.add_execution_callback(lambda op_type, *rest: seen.append(op_type))
    try:
        gradient()
    finally:
        callbacks.clear_execution_callbacks()
    assert "Exp" in seen
    assert "Mul" in seen


def test_a_read_before_a_write_keeps_its_gradient():
    v = tf.Variable([1.0, 2.0])
    for step in range(6):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v)
        before = v.numpy()
        v.assign_add([1.0, 1.0])
        np.testing.assert_array_equal(tape.gradient(y, v).numpy(), 2 * before)
        assert v.numpy()[0] == step + 2.0


def test_a_variable_as_target_is_read_while_the_tape_looks_on():
    v, other = tf.Variable([[2.0]]), tf.Variable([[1.0]])
    for target, expected in ((v, [[1.0]]), ([v, v * 2.0], [[1.0]]), (other, None)):
        with tf.GradientTape() as tape:
            pass
        gradient = tape.gradient(target, v)
        assert (None if gradient is None else gradient.numpy().tolist()) == expected
    with tf.GradientTape() as tape:
        both = [v, v * 2.0]
        assert tape.gradient(both, v).numpy().tolist() == [[3.0]]
    with tf.GradientTape() as tape:
        determinant = tf.linalg.LinearOperatorDiag(v).determinant()
        assert tape.gradient(determinant, v).numpy().tolist() == [[1.0]]
    with tf.GradientTape(persistent=True) as tape, pytest.raises(ValueError, match="already recording"):
        tape.gradient(v, v)
