"""Branches inside of native loops and regions, sizes that a run tells, and decoders: all the same as without regions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf
from headrace import native
from headrace.plan.native_regions import regions_from
from headrace.plan.pipeline import without

pytestmark = [
    pytest.mark.usefixtures("legal_graphs"),
    pytest.mark.skipif(not native.available(), reason="there is no native runner"),
]


@pytest.fixture(autouse=True)
def small_regions():
    with regions_from(1):
        yield


def both_ways(make, *feeds, native_loops=True):
    """What each of the feeds gives with regions, compared with what it gives without."""
    found = []
    for plain in (False, True):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.set_random_seed(7)
            fetches, inputs = make()
            session.run(tf.global_variables_initializer())
            if plain:
                with without("native regions"):
                    found.append([_outcome(session, fetches, inputs, feed) for feed in feeds])
            else:
                found.append([_outcome(session, fetches, inputs, feed) for feed in feeds])
                if native_loops:
                    assert "while True" not in session.plan_for(fetches, inputs).source
    for one, other in zip(*found, strict=True):
        if isinstance(other, tuple):
            assert one == other
            continue
        for value, plain_value in zip(one, other, strict=True):
            if plain_value is not None:
                assert np.asarray(value).dtype == np.asarray(plain_value).dtype
                np.testing.assert_allclose(value, plain_value, rtol=1e-4, atol=1e-5)
    return found[0]


def _outcome(session, fetches, inputs, feed):
    try:
        return session.run(fetches, dict(zip(inputs, feed, strict=True)))
    except tf.errors.OpError as error:
        return type(error), error.message, error.op.name


def rows(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def test_a_branch_in_a_loop_and_its_gradient():
    def make():
        x, n = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.int32, [])

        def body(i, a):
            return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: a * 2.0 + x, lambda: tf.sin(a) * x)

        last = tf.while_loop(lambda i, a: i < n, body, [0, tf.zeros_like(x)])[1]
        return [last, tf.gradients(last, x)[0]], [x, n]

    feeds = [(rows(k, 3), n) for k in (0, 1, 4) for n in (0, 1, 2, 5)]
    both_ways(make, *feeds, [np.full((2, 3), np.nan, np.float32), 3])


def test_branches_within_branches_that_use_one_another():
    def make():
        x, n = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int32, [])

        def body(i, a):
            odd, large = tf.equal(i % 2, 1), tf.reduce_sum(a) > 3.0
            first = tf.cond(odd, lambda: tf.cond(large, lambda: a - x, lambda: a + x), lambda: a * 1.5)
            second = tf.cond(odd, lambda: first + 1.0, lambda: first - i_float(i))
            return i + 1, tf.where(large, second, first + second)

        def i_float(i):
            return tf.cast(i, tf.float32)

        last = tf.while_loop(lambda i, a: i < n, body, [0, tf.ones_like(x)])[1]
        return [last, tf.gradients(last, x)[0]], [x, n]

    both_ways(make, *[(rows(2, seed=k), k) for k in range(6)])


def test_the_position_that_a_merge_gives():
    def make():
        n = tf.placeholder(tf.int32, [])

        def body(i, total):
            no, yes = tf.raw_ops.Switch(data=i, pred=i > 2)
            merged, which = tf.raw_ops.Merge(inputs=[no + 10, yes * 2])
            return i + 1, total * 3 + merged + which

        return tf.while_loop(lambda i, t: i < n, body, [0, 0]), [n]

    both_ways(make, [0], [3], [6])


def test_branches_around_an_array():
    def make():
        x, n = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.int32, [])
        given = tf.TensorArray(tf.float32, tf.shape(x)[0]).unstack(x)
        made = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])
        start = tf.cond(n > 0, lambda: given.read(0), lambda: tf.zeros([2]))

        def body(i, a, out):
            following = tf.cond(i + 1 < n, lambda: given.read(i + 1), lambda: tf.zeros([2]))
            return i + 1, following, out.write(i, a * 2.0 + tf.to_float(i))

        out = tf.while_loop(lambda i, *_: i < n, body, [0, start, made])[2].stack()
        return [out, tf.gradients(tf.reduce_sum(out * out), x)[0]], [x, n]

    both_ways(make, *[(rows(6, 2), n) for n in (6, 1, 3, 6)])


def test_an_array_that_grows_no_more_once_its_gradients_are_asked_for():
    def make():
        x = tf.placeholder(tf.float32, [3])
        made = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False, infer_shape=False)
        out = tf.while_loop(lambda i, _: i < 4, lambda i, ta: (i + 1, ta.write(i, x * tf.to_float(i))), [0, made])[1]
        grads = out.grad("g")
        late = tf.while_loop(lambda i, _: i < 6, lambda i, ta: (i + 1, ta.write(i, x)), [4, _after(out, grads.flow)])[1]
        return [late.size()], [x]

    def _after(array, flow):
        return array.identity() if flow is None else _with_flow(array, flow)

    def _with_flow(array, flow):
        with tf.control_dependencies([flow]):
            return array.identity()

    both_ways(make, [rows(3)], native_loops=False)


def test_a_condition_that_does_not_hold_in_a_loop():
    def make():
        n = tf.placeholder(tf.int32, [])

        def body(i, total):
            with tf.control_dependencies([tf.Assert(i < 3, ["too far", i, total])]):
                return i + 1, total + tf.identity(i)

        return tf.while_loop(lambda i, _: i < n, body, [0, 0]), [n]

    found = both_ways(make, [0], [3], [5])
    assert found[2][0] is tf.errors.InvalidArgumentError
    assert "too far" in found[2][1]


@pytest.mark.parametrize("shape", ["fill", "range", "reshape", "tile", "slice", "sum", "broadcast"])
def test_sizes_that_follow_from_shapes_and_counts(shape):
    def make():
        x, n = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.int32, [None])
        most = tf.reduce_max(n)
        rows_, columns = tf.shape(x)[0], tf.shape(x)[1]
        value = {
            "fill": lambda: tf.fill([rows_, most], 2.0) * tf.reduce_sum(x),
            "range": lambda: tf.to_float(tf.range(0, most * 2, 3)) + tf.reduce_sum(x),
            "reshape": lambda: tf.reshape(tf.sin(x), [columns, rows_]),
            "tile": lambda: tf.tile(x * 2.0, [most, 1]),
            "slice": lambda: tf.slice(x * 2.0, [rows_ - 2, 0], [2, columns - 1]),
            "sum": lambda: tf.gradients(tf.reduce_sum(tf.ones([most, 1, 1]) * x[None]), x)[0],
            "broadcast": lambda: tf.broadcast_to(tf.sin(x), [most, rows_, columns]),
        }[shape]()
        return [value, tf.reduce_sum(tf.cos(value))], [x, n]

    feeds = [(rows(k, m), n) for k, m in ((1, 1), (2, 3), (3, 2), (0, 2)) for n in ([1], [2, 3], [0])]
    both_ways(make, *feeds, (rows(2, 2), [-1]), native_loops=False)


_PARTS = st.one_of(
    st.integers(-4, 3),
    st.builds(slice, *[st.none() | st.integers(-5, 5)] * 2, st.sampled_from([None, 1, 2, 3, -1, -2])),
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(_PARTS, min_size=1, max_size=2), sizes=st.lists(st.integers(0, 4), min_size=3, max_size=3))
def test_parts_of_axes_whose_sizes_a_run_tells(parts, sizes):
    def make():
        x = tf.placeholder(tf.float32, [None, None, 2])
        part = tf.sin(x)[tuple(parts)]
        return [part * 2.0, tf.gradients(part, x)[0]], [x]

    both_ways(make, *[[rows(size, sizes[0], 2)] for size in sizes], native_loops=False)


def test_parts_that_are_not_there():
    def make():
        x = tf.placeholder(tf.float32, [None, 2])
        return [tf.sin(x)[-2] * 2.0, tf.slice(tf.cos(x), [1, 0], [1, 2]) + 1.0], [x]

    found = both_ways(make, [rows(2, 2)], [rows(1, 2)], [rows(0, 2)], native_loops=False)
    assert [outcome[0] for outcome in found[1:]] == [tf.errors.InvalidArgumentError] * 2


@pytest.mark.parametrize("axes", [[1], [0, 2], [-1], [-3, -1], None])
def test_squeezing_what_has_no_known_rank(axes):
    def make():
        x = tf.placeholder(tf.float32)
        return [tf.squeeze(tf.sin(x), axes) * 2.0, tf.gradients(tf.squeeze(tf.sin(x), axes), x)[0]], [x]

    both_ways(make, *[[rows(*shape)] for shape in ((1, 1, 1), (3, 1, 2), (1, 3, 1), (2, 2, 1))], native_loops=False)


@pytest.mark.parametrize("attends", [False, True])
def test_a_translator_that_learns(attends):
    seq2seq, cells = tf.contrib.seq2seq, tf.nn.rnn_cell

    def make():
        source, target = tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.int32, [None, None])
        ends, target_ends = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None])
        embedding = tf.get_variable("embedding", [9, 4])
        cell = cells.BasicLSTMCell if attends else cells.GRUCell
        encoded, state = tf.nn.dynamic_rnn(cell(4), tf.nn.embedding_lookup(embedding, source), ends, dtype=tf.float32)
        with tf.variable_scope("decoder"):
            decoding = cell(4)
            if attends:
                attention = seq2seq.BahdanauAttention(4, encoded, ends)
                decoding = seq2seq.AttentionWrapper(decoding, attention, attention_layer_size=4)
                state = decoding.zero_state(tf.shape(source)[0], tf.float32).clone(cell_state=state)
            helper = seq2seq.TrainingHelper(tf.nn.embedding_lookup(embedding, target), target_ends)
            decoder = seq2seq.BasicDecoder(decoding, helper, state, tf.layers.Dense(9, use_bias=False))
            decoded = seq2seq.dynamic_decode(decoder)[0]
        loss = seq2seq.sequence_loss(decoded.rnn_output, target, tf.sequence_mask(target_ends, dtype=tf.float32))
        step = tf.train.AdamOptimizer(0.05).minimize(loss)
        return [step, loss, decoded.sample_id], [source, ends, target, target_ends]

    random = np.random.RandomState(1)
    feeds = []
    for time, batch in ((4, 2), (1, 1), (6, 3), (4, 2)):
        ends = random.randint(1, time + 1, batch)
        words = random.randint(0, 9, (2, batch, time))
        feeds.append((words[0], ends, words[1][:, : ends.max()], ends))
    found = both_ways(make, *feeds)
    assert found[3][1] != found[0][1]


_OPERATIONS = ("grow", "turn", "shrink", "choose", "nested")


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(_OPERATIONS), min_size=1, max_size=4),
    st.integers(0, 4),
    st.sampled_from([0, 1, 3]),
    st.integers(0, 5),
)
def test_any_loop_of_branches(operations, times, size, seed):
    def make():
        x, n = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.int32, [])
        random = np.random.RandomState(seed)

        def applied(name, i, a):
            bound = float(random.randn())
            small = tf.reduce_sum(a) < bound
            if name == "grow":
                return tf.cond(small, lambda: a + x, lambda: a * 0.5)
            if name == "turn":
                return tf.cond(tf.equal(i % 2, 0), lambda: -a, lambda: a)
            if name == "shrink":
                return tf.where(small, a - x, tf.tanh(a))
            if name == "choose":
                first, second = tf.cond(small, lambda: (a, x * 2.0), lambda: (x, tf.sin(a)))
                return first * 0.3 + second
            return tf.while_loop(lambda j, _: j < i, lambda j, b: (j + 1, applied("grow", j, b)), [0, a])[1]

        def body(i, a):
            for name in operations:
                a = applied(name, i, a)
            return i + 1, a

        last = tf.while_loop(lambda i, _: i < n, body, [0, tf.zeros_like(x) + 0.1])[1]
        return [last, tf.gradients(last + x, x)[0]], [x, n]

    both_ways(make, (rows(size, seed=seed), times), (rows(size + 1, seed=seed), times))
