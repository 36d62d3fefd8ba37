"""Loops that take a matrix in parts: what one product gives, read before the loop, is what the parts gave in it.

The reference is the same program without a loop: its iterations one behind the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace.plan.graph import all_nodes


class Program(NamedTuple):
    """What a loop does in an iteration."""

    parts: int
    # How the matrix comes apart: "split" or "slices".
    apart: str
    biased: bool
    masked: bool
    clipped: bool
    # Iterations of a loop inside the loop; 0 for none.
    inner: int
    guarded: bool
    # Whether all parts are used, so that they make up the whole.
    whole: bool
    dtype: str


PROGRAMS = st.builds(
    Program,
    parts=st.integers(1, 4),
    apart=st.sampled_from(["split", "slices"]),
    biased=st.booleans(),
    masked=st.booleans(),
    clipped=st.booleans(),
    inner=st.integers(0, 2),
    guarded=st.booleans(),
    whole=st.booleans(),
    dtype=st.sampled_from(["float32", "float64"]),
)
UNITS, ROWS = 3, 2


def in_parts(matrix, count, apart):
    if apart == "split":
        return tf.split(matrix, count, axis=-1)
    if matrix.shape.ndims == 1:
        return [matrix[at * UNITS : (at + 1) * UNITS] for at in range(count)]
    return [matrix[:, at * UNITS : (at + 1) * UNITS] for at in range(count)]


class Weights:
    """The variables of a program."""

    def __init__(self, program: Program) -> None:
        def variable(name, *shape):
            start = tf.random_uniform_initializer(-0.6, 0.6, seed=len(name))
            return tf.get_variable(name, shape, program.dtype, start, use_resource=True)

        width = UNITS * program.parts
        self.kernel, self.recurrent = variable("kernel", UNITS, width), variable("recurrent", UNITS, width)
        self.bias = variable("bias", width)

    def all(self):
        return [self.kernel, self.recurrent, self.bias]


def iteration(program: Program, weights: Weights, x, h, mask, loops):
    """The next state; `loops` says how the inner iterations are repeated."""
    kernels = in_parts(weights.kernel, program.parts, program.apart)
    recurrent = in_parts(weights.recurrent, program.parts, program.apart)
    biases = in_parts(weights.bias, program.parts, program.apart)
    if not program.whole:
        kernels, recurrent, biases = kernels[:-1] or kernels, recurrent[:-1] or recurrent, biases[:-1] or biases
    mapped = [tf.matmul(x, kernel) for kernel in kernels]
    if program.biased:
        mapped = [tf.nn.bias_add(value, bias) for value, bias in zip(mapped, biases, strict=True)]
    gates = [value + tf.matmul(h, side) for value, side in zip(mapped, recurrent, strict=True)]
    if program.clipped:
        gates[0] = tf.clip_by_value(0.2 * gates[0] + 0.5, 0.0, 1.0)
    following = h
    for at, gate in enumerate(gates):
        following = following * tf.sigmoid(gate) if at % 2 else tf.tanh(gate) + 0.5 * following
    if program.inner:
        following = loops(program.inner, lambda s: tf.sin(sum(tf.matmul(s, side) for side in recurrent)), following)
    if program.guarded:
        extra = weights.recurrent
        following = tf.cond(
            tf.reduce_sum(h) > 0,
            lambda: following + tf.matmul(h, in_parts(extra, program.parts, program.apart)[0]),
            lambda: following * 0.9,
        )
    return tf.where(mask, following, h) if program.masked else following


def looped(count, step, start):
    return tf.while_loop(lambda i, _: i < count, lambda i, s: (i + 1, step(s)), [0, start])[1]


def unrolled(count, step, start):
    for _ in range(count):
        start = step(start)
    return start


def results(program: Program, loops, count, values):
    """The end, its gradients, the weights themselves, and the gradient of a gradient where no loop has another inside."""
    with tf.Graph().as_default(), tf.Session() as session:
        x, h = (tf.placeholder(program.dtype, [None, UNITS]) for _ in range(2))
        mask = tf.placeholder(tf.bool, [None])
        steps = count if loops is unrolled else tf.placeholder_with_default(count, [])
        weights = Weights(program)
        end = loops(steps, lambda s: iteration(program, weights, x, s, mask, loops), h)
        loss = tf.reduce_sum(tf.sin(end))
        gradients = tf.gradients(loss, [x, h, *weights.all()])
        # A gradient that there is not is one of zeros: without an iteration nothing leads to the weights.
        gradients = [
            tf.zeros_like(of) if gradient is None else tf.convert_to_tensor(gradient)
            for gradient, of in zip(gradients, [x, h, *weights.all()], strict=True)
        ]
        fetches = [end, *gradients, *(tf.reduce_sum(weight) for weight in weights.all())]
        session.run(tf.global_variables_initializer())
        feed = dict(zip([x, h, mask], values, strict=True))
        types = {node.type for node in all_nodes(session.plan_for(fetches, list(feed)).graph.nodes)}
        return session.run(fetches, feed), types


@settings(max_examples=15, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(PROGRAMS, st.integers(0, 3), st.integers(0, 2**16))
def test_a_loop_gives_what_its_iterations_give(program, count, seed):
    rng = np.random.RandomState(seed)
    values = [*(rng.uniform(-1, 1, (ROWS, UNITS)) for _ in range(2)), rng.uniform(size=ROWS) < 0.6]
    found, _ = results(program, looped, count, values)
    expected, _ = results(program, unrolled, count, values)
    tolerance = 2e-5 if program.dtype == "float32" else 1e-11
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("inner", [0, 2])
@pytest.mark.parametrize("apart", ["split", "slices"])
def test_parts_are_put_together(apart, inner):
    program = Program(4, apart, True, True, False, inner, False, True, "float32")
    values = [np.ones((ROWS, UNITS)), np.ones((ROWS, UNITS)), np.array([True, False])]
    _, types = results(program, looped, 2, values)
    assert "_Columns" in types


def test_parts_of_a_bias_for_products_of_other_rows():
    """Their gradients do not stand side by side."""
    rng = np.random.RandomState(0)
    results = []
    for loops in (looped, unrolled):
        with tf.Graph().as_default(), tf.Session() as session:
            start = tf.random_uniform_initializer(-1, 1, seed=1)
            weights = tf.get_variable("weights", [3, 6], tf.float64, start, use_resource=True)
            bias = tf.get_variable("bias", [6], tf.float64, start, use_resource=True)
            x, z = tf.placeholder(tf.float64, [None, 3]), tf.placeholder(tf.float64, [None, 3])

            def step(scale, weights=weights, bias=bias, x=x, z=z):
                (one, other), (first, second) = tf.split(weights, 2, axis=1), tf.split(bias, 2)
                p = tf.nn.bias_add(tf.matmul(x * scale, one), first)
                q = tf.nn.bias_add(tf.matmul(z * scale, other), second)
                return tf.tanh(tf.reduce_sum(tf.sin(p)) + tf.reduce_sum(tf.cos(q)))

            end = loops(2, step, tf.constant(0.5, tf.float64))
            session.run(tf.global_variables_initializer())
            feed = {x: rng.rand(2, 3), z: rng.rand(4, 3)} if not results else feed_of(results[0][1], x, z)
            values = session.run([end, *tf.gradients(end, [weights, bias]), weights + 0, bias + 0], feed)
            results.append((values, list(feed.values())))
    for one, other in zip(results[0][0], results[1][0], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def feed_of(values, *tensors):
    return dict(zip(tensors, values, strict=True))


def reading(count):
    """A loop that reads a variable in parts, and the variable."""
    weights = tf.get_variable("weights", [3, 6], initializer=tf.ones_initializer(), use_resource=True)

    def step(h):
        one, other = tf.split(weights, 2, axis=1)
        return tf.matmul(h, one) * tf.matmul(h, other)

    return looped(count, step, tf.ones([2, 3])), weights


def test_a_loop_that_may_not_run_reads_nothing_before():
    with tf.Graph().as_default(), tf.Session() as session:
        count = tf.placeholder(tf.int32, [])
        end, weights = reading(count)
        np.testing.assert_array_equal(session.run(end, {count: 0}), np.ones((2, 3)))
        with pytest.raises(tf.errors.FailedPreconditionError, match="weights"):
            session.run(end, {count: 1})
        session.run(weights.initializer)
        np.testing.assert_array_equal(session.run(end, {count: 1}), np.full((2, 3), 9.0))


def test_a_loop_that_is_known_to_run_reads_before():
    with tf.Graph().as_default(), tf.Session() as session:
        end, weights = reading(2)
        plan = session.plan_for([end], [])
        assert "_Columns" in {node.type for node in all_nodes(plan.graph.nodes)}
        with pytest.raises(tf.errors.FailedPreconditionError, match="weights"):
            session.run(end)
        session.run(weights.initializer)
        np.testing.assert_array_equal(session.run(end), np.full((2, 3), 27.0 * 27.0))
        session.run(weights.assign(2 * tf.ones([3, 6])))
        np.testing.assert_array_equal(session.run(end), np.full((2, 3), (36.0 * 6) ** 2))


def test_what_a_loop_writes_is_read_in_each_iteration():
    with tf.Graph().as_default(), tf.Session() as session:
        scale = tf.get_variable("scale", [1, 4], initializer=tf.ones_initializer(), use_resource=True)

        def step(h):
            with tf.control_dependencies([h]):
                grown = scale.assign_add(tf.ones([1, 4]))
            with tf.control_dependencies([grown]):
                one, other = tf.split(scale.read_value(), 2, axis=1)
                return h * one + other

        end = looped(3, step, tf.ones([2, 2]))
        session.run(tf.global_variables_initializer())
        # ((1·2 + 2)·3 + 3)·4 + 4
        np.testing.assert_array_equal(session.run(end), np.full((2, 2), 64.0))


@pytest.mark.parametrize("x_shape", [(1, 3), (3,), (2, 3, 1)])
def test_a_choice_of_other_sizes_is_refused_where_it_lets_gradients_through(x_shape):
    with tf.Graph().as_default(), tf.Session() as session:
        x, grad = tf.placeholder(tf.float32, None), tf.placeholder(tf.float32, None)
        chosen = tf.where(x >= 0.5, grad, tf.zeros_like(grad))
        types = {node.type for node in all_nodes(session.plan_for([chosen], [x, grad]).graph.nodes)}
        assert "_WithinBound" in types
        with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
            session.run(chosen, {x: np.ones(x_shape), grad: np.ones((2, 3))})
        rows = session.run(chosen, {x: [0.0, 1.0], grad: np.ones((2, 3))})
        np.testing.assert_array_equal(rows, [[0] * 3, [1] * 3])


def _adding_in_nested_loops():
    """A graph of a loop of three steps around one of two, each of which adds 10 to a variable of 1."""
    with tf.Graph().as_default() as graph:
        variable = tf.Variable(1.0, use_resource=False, name="v")

        def inner(j):
            with tf.control_dependencies([tf.assign_add(variable, 10.0, name="add")]):
                return tf.identity(j + 1)

        def outer(i):
            with tf.control_dependencies([tf.while_loop(lambda j: j < 2, inner, [0])]):
                return tf.identity(i + 1)

        tf.while_loop(lambda i: i < 3, outer, [0])
    (add,) = (operation.name for operation in graph.get_operations() if operation.type == "AssignAdd")
    return graph.as_graph_def(), add


@pytest.mark.parametrize("waits", [False, True])
def test_what_is_run_inside_of_an_imported_loop_runs_in_each_step(waits):
    # 1.15.5 gives 61 for both: what is imported may be run, and the loop runs with it.
    definition, add = _adding_in_nested_loops()
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
        run = graph.get_operation_by_name(add)
        if waits:
            with tf.control_dependencies([run]):
                run = tf.no_op()
        with tf.Session() as sess:
            sess.run("v/Assign")
            sess.run(run)
            assert sess.run("v:0") == 61


@pytest.mark.parametrize(("goes_on", "expected"), [(True, 90), (False, 10)])
def test_loops_whose_switches_ask_a_value_that_no_loop_condition_marks(goes_on, expected):
    with tf.Graph().as_default():
        first = tf.raw_ops.Enter(data=tf.constant(10), frame_name="f")
        limit, factor, never = (
            tf.raw_ops.Enter(data=tf.constant(value), frame_name="f", is_constant=True) for value in (70, 3, False)
        )
        merged, _ = tf.raw_ops.Merge(inputs=[first, first])
        ends, goes = tf.raw_ops.Switch(data=merged, pred=tf.less(merged, limit) if goes_on else never)
        result = tf.raw_ops.Exit(data=ends)
        merged.op._update_input(1, tf.raw_ops.NextIteration(data=tf.raw_ops.Mul(x=goes, y=factor)))
        with tf.Session() as sess:
            assert sess.run(result) == expected
