"""Loops, TensorArrays and stacks that the native runner takes altogether: what they give, and what they refuse."""

from __future__ import annotations

import contextlib
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace import native
from headrace.plan.native_regions import regions_from
from headrace.plan.pipeline import without
from headrace.plan.plan import make_plan
from headrace.plan.region_kernel import NativeRegion
from headrace.runtime.resources import Runtime

pytestmark = [
    pytest.mark.usefixtures("legal_graphs"),
    pytest.mark.skipif(not native.available(), reason="there is no native runner"),
]


@pytest.fixture(autouse=True)
def small_regions():
    with regions_from(1):
        yield


@contextlib.contextmanager
def native_only():
    """Within, a region that does not compute what it is given is an error."""

    def decline(region, arguments):
        raise AssertionError(f"{region.members[0].name} … {region.members[-1].name} ran plainly")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(NativeRegion, "_run_plainly", decline)
        yield


def both_ways(make, *feeds, declines: bool = False) -> list:
    """What each of the feeds gives, with loops in regions, which may decline some of them, and without regions."""
    found = []
    for plain in (False, True):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(7)
            fetches, inputs = make()
            session.run(tf.global_variables_initializer())
            if plain:
                with without("native regions"):
                    found.append([session.run(fetches, dict(zip(inputs, feed, strict=True))) for feed in feeds])
            else:
                with contextlib.nullcontext() if declines else native_only():
                    found.append([session.run(fetches, dict(zip(inputs, feed, strict=True))) for feed in feeds])
                assert "while True" not in session.plan_for(fetches, inputs).source
    for one, other in zip(*found, strict=True):
        for value, plain_value in zip(one, other, strict=True):
            if plain_value is not None:
                assert np.asarray(value).dtype == np.asarray(plain_value).dtype
                np.testing.assert_allclose(value, plain_value, rtol=1e-4, atol=1e-5)
    return found[0]


def refusals(make, feed):
    """The error that both ways raise."""
    found = []
    for way in (contextlib.nullcontext(), without("native regions")):
        with way, tf.Graph().as_default(), tf.Session() as session:
            fetches, inputs = make()
            with pytest.raises(tf.errors.OpError) as raised:
                session.run(fetches, dict(zip(inputs, feed, strict=True)))
            found.append((type(raised.value), raised.value.message, raised.value.op.name))
    assert found[0] == found[1]
    return found[0]


def rows(*shape):
    return np.random.RandomState(0).randn(*shape).astype(np.float32)


def test_a_training_step_of_a_recurrent_network():
    def make():
        x = tf.placeholder(tf.float32, [4, 5, 3])
        outputs, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(6), x, dtype=tf.float32)
        loss = tf.reduce_mean(tf.square(outputs)) + tf.reduce_sum(state.c)
        step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        return [step, loss, tf.reduce_sum(state.h)], [x]

    found = both_ways(make, [rows(4, 5, 3)], [rows(4, 5, 3) * 2.0], [rows(4, 5, 3)])
    assert found[2][1] < found[0][1]


@pytest.mark.parametrize("axis", [1, [1]], ids=str)
def test_sums_over_axes_in_a_loop_are_undone_by_the_sizes_on_stacks(axis):
    def make():
        x = tf.placeholder(tf.float32, [None, None, 3])
        weights = tf.Variable(rows(3))

        def attend(step, state):
            scores = tf.reduce_sum(weights * tf.tanh(x + tf.expand_dims(state, 1)), [2])
            return step + 1, tf.reduce_sum(tf.expand_dims(tf.nn.softmax(scores), 2) * x, axis)

        _, state = tf.while_loop(lambda step, _: step < 4, attend, [0, tf.zeros_like(x[:, 0])])
        loss = tf.reduce_sum(state * state)
        return [loss, *tf.gradients(loss, [weights, x])], [x]

    both_ways(make, [rows(4, 5, 3)], [rows(2, 7, 3)], [rows(4, 5, 3)])


def test_maps_scans_and_folds():
    def make():
        x = tf.placeholder(tf.float32, [6, 2])
        w = tf.get_variable("w", initializer=np.float32([[0.5, -0.25], [1.0, 0.5]]))
        scanned = tf.scan(lambda a, row: tf.tanh(tf.squeeze(tf.matmul(a[None], w), 0) + row), x, tf.zeros([2]))
        mapped = tf.map_fn(lambda row: tf.reduce_sum(row) * row, x)
        folded = tf.foldr(lambda a, row: a * 0.5 + row, x)
        loss = tf.reduce_sum(scanned * mapped) + tf.reduce_sum(folded)
        return [scanned, mapped, folded, *tf.gradients(loss, [x, w])], [x]

    both_ways(make, [rows(6, 2)], [rows(6, 2) + 1.0])


@pytest.mark.parametrize("count", [0, 1, 7])
def test_counters_and_conditions(count):
    def make():
        n = tf.placeholder(tf.int32, [])
        x = tf.placeholder(tf.float64, [None])

        def body(i, t, stop):
            return i + 1, t * 0.5 + tf.cast(i, tf.float64), tf.reduce_max(tf.abs(t)) > 1e6

        found = tf.while_loop(lambda i, t, stop: tf.logical_and(i < n, tf.logical_not(stop)), body, [0, x, False])
        return [*found, tf.gradients(found[1], x)[0]], [n, x]

    # There is no largest of no values.
    both_ways(make, [count, np.arange(3.0)], [count, np.arange(5.0) * 1e9], [count, np.zeros(0)], declines=True)


def test_loops_in_loops():
    def make():
        x = tf.placeholder(tf.float32, [3])

        def body(i, t):
            inner = tf.while_loop(lambda j, _: j < i, lambda j, u: (j + 1, tf.sin(u) + t), [0, t])[1]
            return i + 1, inner * 0.5

        y = tf.while_loop(lambda i, _: i < 4, body, [0, x])[1]
        return [y, tf.gradients(y, x)[0]], [x]

    both_ways(make, [rows(3)])


def test_arrays_of_which_only_some_rows_are_read():
    def make():
        x = tf.placeholder(tf.float32, [4, 2])
        array = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x)
        total = tf.while_loop(
            lambda i, _: i < 4, lambda i, t: (i + 2, t + array.read(i) * array.read(0)), [0, tf.zeros([2])]
        )[1]
        return [total, tf.gradients(total, x)[0]], [x]

    both_ways(make, [rows(4, 2)])


def test_arrays_that_grow():
    def make():
        n = tf.placeholder(tf.int32, [])
        array = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])

        def body(i, t, a):
            return i + 1, t * 1.5, a.write(i, t)

        made = tf.while_loop(lambda i, *_: i < n, body, [0, tf.ones([2]), array])[2]
        return [made.gather([1, 0]), made.size()], [n]

    both_ways(make, [2], [9], [2])


def test_loops_over_other_sizes_each_time():
    def make():
        x = tf.placeholder(tf.float32, [None, 2])
        y = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, tf.nn.softmax(t + x)), [0, x])[1]
        return [y], [x]

    both_ways(make, [rows(2, 2)], [rows(5, 2)], [rows(2, 2)])


def test_values_that_change_their_sizes_go_the_plain_way():
    def make():
        x = tf.placeholder(tf.float32, [None])
        grown = tf.while_loop(
            lambda i, _: i < 3,
            lambda i, t: (i + 1, tf.concat([t, t], 0)),
            [0, x],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
        )[1]
        return [tf.reduce_sum(tf.tanh(grown) * 2.0)], [x]

    both_ways(make, [rows(3)], [rows(2)], declines=True)


@pytest.mark.parametrize("dtype", [tf.complex64, tf.string, tf.float16])
def test_arrays_of_other_types_stay_as_they_are(dtype):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(dtype, [3])
        y = tf.map_fn(tf.identity, x)
        given = np.array([1, 2, 3]).astype(dtype.as_numpy_dtype) if dtype != tf.string else np.array([b"a", b"b", b"c"])
        assert session.run(y, {x: given}).tolist() == given.tolist()


def test_what_is_written_after_a_loop():
    def make():
        x = tf.placeholder(tf.float32, [2])
        w = tf.get_variable("w", initializer=[1.0, 2.0])
        before = w.assign_add(x)
        with tf.control_dependencies([before]):
            y = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t * w), [0, x])[1]
        after = w.assign(y + before)
        return [y, after], [x]

    with_write_before = both_ways(make, [rows(2)], [rows(2)])
    assert np.isfinite(with_write_before[1][1]).all()


@pytest.mark.parametrize(
    "body",
    [
        lambda i, a, x: (i + 1, a.write(i * 3, x), x),
        lambda i, a, x: (i + 1, a.write(0, x), x),
        lambda i, a, x: (i + 1, a, tf.reshape(a.read(i), [2])),
        lambda i, a, x: (i + 1, a.write(i, x), tf.gather(x, i + 1) + x),
    ],
)
def test_what_fails_in_a_loop(body):
    def make():
        x = tf.placeholder(tf.float32, [2])
        array = tf.TensorArray(tf.float32, 3)
        _, array, y = tf.while_loop(lambda i, *_: i < 3, body, [0, array, tf.tanh(x)])
        return [y, array.size()], [x]

    assert issubclass(refusals(make, [rows(2)])[0], tf.errors.InvalidArgumentError)


def test_ctrl_c_ends_a_loop():
    text = (
        "import os, signal, threading, headrace as tf\n"
        "x = tf.placeholder(tf.float32, [3])\n"
        "y = tf.while_loop(lambda t: tf.reduce_sum(t) < 1e30, lambda t: (tf.sin(t),), [x])\n"
        "session = tf.Session()\n"
        "assert 'while True' not in session.plan_for(y, [x]).source\n"
        "session.run(y, {x: [1e30, 1.0, 2.0]})\n"
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    session.run(y, {x: [0.0, 1.0, 2.0]})\n"
        "except KeyboardInterrupt:\n"
        "    print('ended', session.run(y, {x: [1e30, 1.0, 2.0]})[1])\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "ended 1.0\n", done.stderr


@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 2**20),
    steps=st.integers(1, 5),
    count=st.integers(1, 12),
    trained=st.booleans(),
)
def test_random_bodies(seed, steps, count, trained):
    """Loops of random ops with arrays that they read and fill, and their gradients."""

    def make():
        random = np.random.RandomState(seed)
        x = tf.placeholder(tf.float32, [steps, 3])
        w = tf.get_variable("w", initializer=random.randn(3).astype(np.float32))
        given = tf.TensorArray(tf.float32, steps, clear_after_read=False).unstack(x)
        filled = tf.TensorArray(tf.float32, steps)

        def body(i, t, u, a):
            values = [t, u, given.read(i), tf.cast(i, tf.float32) * t]
            for _ in range(count):
                one, other = (values[random.randint(len(values))] for _ in range(2))
                ways = [
                    lambda x, y: tf.tanh(x + y),
                    lambda x, y: x * tf.sigmoid(y),
                    lambda x, y: tf.sin(x) - w,
                    lambda x, y: tf.where(given.read(i) > 0.0, x, y),
                    lambda x, y: tf.nn.softmax(x) * tf.reduce_sum(y),
                    lambda x, y: tf.concat([x[1:], y[:1]], 0),
                    lambda x, y: given.read(steps - 1 - i) * 0.5 + x,
                ]
                values.append(ways[random.randint(len(ways))](one, other))
            made = values[-1]
            return i + 1, tf.clip_by_value(made, -3.0, 3.0), tf.tanh(values[-2]), a.write(i, made)

        _, t, u, a = tf.while_loop(lambda i, *_: i < steps, body, [0, x[0], w + x[0] * 0.0, filled])
        fetches = [t, u, a.stack()]
        if trained:
            loss = tf.reduce_sum(t * 0.1) + tf.reduce_sum(u * 0.1) + tf.reduce_mean(tf.tanh(fetches[2]))
            fetches += [tf.train.GradientDescentOptimizer(0.1).minimize(loss), loss]
            with tf.control_dependencies(fetches[3:4]):
                fetches.append(w.read_value())
        return fetches, [x]

    given_rows = np.random.RandomState(seed).randn(steps, 3).astype(np.float32)
    both_ways(make, [given_rows], [given_rows * 0.5])


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.integers(0, 3), steps=st.integers(0, 90), batch=st.integers(1, 3))
def test_values_that_grow(start, steps, batch):
    """Their loop stays in Python, with regions in it that are run for one size after the other."""

    def decoded():
        table = tf.constant(rows(7, 4))
        ids, count = tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.int32, [])

        def body(i, ids, scores):
            x = tf.nn.embedding_lookup(table, ids)
            weights = tf.nn.softmax(tf.reduce_sum(x * x[:, -1:], 2))
            logits = tf.matmul(tf.reduce_sum(x * weights[:, :, None], 1), table, transpose_b=True)
            following = tf.argmax(logits + tf.sin(tf.to_float(i)), 1, output_type=tf.int32)
            return i + 1, tf.concat([ids, following[:, None]], 1), tf.concat([scores, [tf.reduce_max(logits)]], 0)

        shapes = [tf.TensorShape([]), tf.TensorShape([None, None]), tf.TensorShape([None])]
        grown = tf.while_loop(lambda i, *_: i < count, body, [0, ids, tf.zeros([0])], shape_invariants=shapes)
        return list(grown), {ids: np.full([batch, start + 1], 2), count: steps}

    found = []
    for way in (contextlib.nullcontext(), without("native regions")):
        with way, tf.Graph().as_default(), tf.Session() as session:
            fetches, feed = decoded()
            found.append([session.run(fetches, feed) for _ in range(2)])
    for one, other in zip(found[0] + found[0], found[1] + found[0][::-1], strict=True):
        assert one[0] == other[0] == steps
        np.testing.assert_array_equal(one[1], other[1])
        assert one[1].shape == (batch, start + 1 + steps)
        np.testing.assert_allclose(one[2], other[2], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize("kind", [tf.int32, tf.int64])
def test_one_hot_vectors_as_deep_as_sizes_say(steps, kind):
    def make():
        x = tf.placeholder(tf.float32, [None, None])

        def body(i, total):
            largest = tf.argmax(total, 1, output_type=kind)
            vectors = tf.one_hot(largest, tf.shape(x)[1], 2.0, -1.0)
            for _ in range(steps):
                # Of each vector two elements are computed.
                vectors = (vectors + 3.0) / 2.0
            return i + 1, total + vectors * x

        return [tf.while_loop(lambda i, _: i < 3, body, [0, x])[1]], [x]

    both_ways(make, [rows(2, 3)], [rows(4, 5)], [rows(1, 1)])


def test_a_loop_in_a_function_needs_no_handle_of_what_is_read_before_it():
    """The variables of a traced function are its parameters, of which the runner knows nothing."""
    with tf.Graph().as_default():
        w = tf.get_variable("w", [2, 2], use_resource=True)

        @tf.function
        def loop(x):
            def step(i, h):
                return i + 1, tf.tanh(tf.matmul(h, w))

            y = tf.while_loop(lambda i, _: i < 4, step, [0, x])[1]
            return [y, *tf.gradients(y, [x, w])]

        traced = loop.get_concrete_function(tf.TensorSpec([3, 2]))
        with traced.graph.as_default():
            plan = make_plan(traced.outputs, traced.inputs, Runtime(torch.device("cpu")))
    assert "while True" not in plan.source
    assert plan.regions
