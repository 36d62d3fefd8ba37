"""Sessions: what may be fetched and fed, what is refused, and that state and results stay apart."""

from __future__ import annotations

import collections
import itertools
import threading

import numpy as np
import pytest

import headrace as tf
from headrace.core import errors
from headrace.runtime import session as session_module


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


def test_fetch_structures(session):
    a, b = tf.constant(1.0), tf.constant([2, 3])
    pair = collections.namedtuple("pair", ["x", "y"])
    got = session.run({"list": [a, (b, a)], "named": pair(a, b), "op": a.op, "name": "Const_1:0"})
    assert got["list"][0] == 1.0
    assert isinstance(got["list"][1], tuple)
    assert got["named"].y.tolist() == [2, 3]
    assert got["op"] is None
    assert got["name"].tolist() == [2, 3]
    assert session.run([]) == []
    assert isinstance(session.run(a), np.float32)


def test_fetched_arrays_are_the_callers_own(session):
    x = tf.placeholder(tf.float32, [3])
    same, constant = tf.identity(x), tf.constant([1.0, 2.0, 3.0])
    fed = np.array([4, 5, 6], np.float32)
    for fetch in (same, x, constant):
        got = session.run(fetch, {x: fed})
        got += 100
        assert fed.tolist() == [4, 5, 6]
    assert session.run(constant).tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (np.ones([2, 2]), ValueError, ["(2, 2)", "'x:0'", "(?, 3)"]),
        (np.ones([3]), ValueError, ["(3,)", "(?, 3)"]),
        ("text", ValueError, ["x:0"]),
        (tf.DType, TypeError, []),
    ],
)
def test_wrong_feeds_are_refused(session, value, error, words):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    with pytest.raises(error) as raised:
        session.run(x * 2.0, {x: value})
    for word in words:
        assert word in str(raised.value)
    assert session.run(x * 2.0, {x: np.ones([1, 3])}).tolist() == [[2, 2, 2]]


def test_a_large_int_does_not_fit(session):
    x = tf.placeholder(tf.int32, [])
    with pytest.raises(TypeError, match="not compatible"):
        session.run(x, {x: 123456789012})


def test_tensors_cannot_be_fed_as_values(session):
    x = tf.placeholder(tf.float32)
    with pytest.raises(TypeError, match=r"cannot be a tf\.Tensor"):
        session.run(x, {x: tf.constant(1.0)})


def test_unfed_placeholders_name_themselves_and_their_line(session):
    x = tf.placeholder(tf.float32, [2, 3], name="pixels")
    with pytest.raises(errors.InvalidArgumentError) as raised:
        session.run(x * 2.0)
    assert (
        "You must feed a value for placeholder tensor 'pixels' with dtype float and shape [2,3]" in raised.value.message
    )
    assert raised.value.op is x.op
    assert "test_session.py" in str(raised.value)


def test_fetches_of_other_graphs_and_things_are_refused(session):
    tf.constant(2.0)
    with tf.Graph().as_default():
        elsewhere = tf.constant(1.0)
    with pytest.raises(ValueError, match="not an element of this graph"):
        session.run(elsewhere)
    for wrong in (None, 3.5, object()):
        with pytest.raises(TypeError, match="Fetch argument"):
            session.run(wrong)
    with pytest.raises(ValueError, match="cannot be interpreted as a Tensor"):
        session.run("nowhere:0")
    with pytest.raises(TypeError, match="Cannot interpret feed_dict key"):
        session.run(tf.constant(1.0), {"nowhere:0": 1.0})


def test_any_tensor_may_be_fed(session):
    a = tf.constant(2.0)
    b = a * 3.0
    c = b + 1.0
    assert session.run([b, c], {b: 10.0}) == [10.0, 11.0]
    assert session.run(c, {"mul:0": 20.0}) == 21.0


def test_a_closed_session_refuses(session):
    other = tf.Session()
    other.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        other.run(tf.constant(1.0))


def test_default_session_rules():
    with tf.Graph().as_default():
        a = tf.constant(4.0)
        with pytest.raises(ValueError, match="No default session"):
            a.eval()
        with tf.Session().as_default():
            assert a.eval() == 4.0
        with tf.Graph().as_default(), tf.Session(), pytest.raises(ValueError, match="different from"):
            a.eval()


def test_make_callable(session):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    add = session.make_callable(x + y, [x, y])
    assert add(1.0, 2.0) == 3.0
    with pytest.raises(errors.InvalidArgumentError, match="must feed a value for placeholder tensor"):
        add(1.0)
    with pytest.raises(TypeError, match="2 arguments"):
        add(1.0, 2.0, 3.0)


def test_sessions_over_one_graph_have_their_own_state(session):
    v = tf.get_variable("v", initializer=1.0)
    bump = tf.assign_add(v, 1.0)
    init = tf.global_variables_initializer()
    session.run(init)
    session.run(bump)
    with tf.Session() as other:
        with pytest.raises(errors.FailedPreconditionError, match="uninitialized value v"):
            other.run(v)
        other.run(init)
        assert other.run(v) == 1.0
    assert session.run(v) == 2.0


def test_many_threads_may_run_one_session(session):
    v = tf.get_variable("count", initializer=0)
    x = tf.placeholder(tf.float32, [4])
    total = tf.reduce_sum(x * x)
    session.run(tf.global_variables_initializer())
    failures = []

    def work(number: int) -> None:
        try:
            for _ in range(50):
                assert session.run(total, {x: np.full(4, number)}) == 4.0 * number * number
        except Exception as error:  # noqa: BLE001 (told by the main thread)
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert session.run(v) == 0


def test_tracing_names_each_call(session):
    from headrace.messages.protos import RunMetadata, RunOptions

    x = tf.placeholder(tf.float32, [8, 8])
    y = tf.matmul(x, x, name="square")
    metadata = RunMetadata()
    session.run(y, {x: np.eye(8)}, options=RunOptions(trace_level=RunOptions.FULL_TRACE), run_metadata=metadata)
    names = [node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats]
    assert "square" in names


def test_a_timeout_ends_a_step_between_two_calls(session, monkeypatch):
    from types import SimpleNamespace

    from headrace.messages.protos import RunOptions
    from headrace.runtime import configuration

    seconds = itertools.count()
    monkeypatch.setattr(configuration, "time", SimpleNamespace(perf_counter=lambda: next(seconds), time=lambda: 0.0))
    x = tf.placeholder(tf.float32, [])
    y = tf.exp(tf.sin(x))
    with pytest.raises(errors.DeadlineExceededError, match="timeout_in_ms=1"):
        session.run(y, {x: 1.0}, options=RunOptions(timeout_in_ms=1))
    assert session.run(y, {x: 0.0}, options=RunOptions(timeout_in_ms=1_000_000)) == 1.0


def test_runtime_errors_name_op_place_and_inputs(session):
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    total = tf.add(a, b, name="total")
    with pytest.raises(errors.InvalidArgumentError, match="Incompatible shapes") as raised:
        session.run(total, {a: np.ones([2, 3]), b: np.ones([4])})
    assert raised.value.op is total.op
    assert "test_session.py" in str(raised.value)
    assert session.run(total, {a: 1.0, b: 2.0}) == 3.0


def test_a_finalized_graph_runs_and_refuses_new_ops():
    with tf.Graph().as_default() as graph:
        a = tf.constant(2.0)
        graph.finalize()
        with pytest.raises(RuntimeError, match="finalized"):
            tf.constant(3.0)
        assert tf.Session().run(a) == 2.0


def test_tensors_have_numbers_in_the_order_they_are_made():
    made = []
    for _ in range(2):
        with tf.Graph().as_default():
            made += [tf.constant(1), *tf.split(tf.constant([1, 2]), 2)]
    numbers = [tensor._id for tensor in made]
    assert numbers == sorted(set(numbers))


def test_lists_of_integers_that_are_too_large_keep_their_last_bits():
    with tf.Graph().as_default(), tf.Session() as session:
        small = tf.placeholder(tf.uint8, [None])
        assert session.run(small, {small: [300, -1]}).tolist() == [300 - 256, 255]
        with pytest.raises(OverflowError, match=r"for Tensor 'Placeholder.*' of type uint8"):
            session.run(small, {small: [2**70]})


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (2**40, TypeError, "not compatible with Tensor type int32 of 'ids:0'"),
        (["a"], ValueError, "Tensor 'ids:0' of type int32"),
        ([[1], [1, 2]], ValueError, "Tensor 'ids:0' of type int32"),
        (None, TypeError, "Tensor 'ids:0' of type int32"),
    ],
)
def test_what_cannot_be_fed_is_told_with_the_placeholder(value, error, words):
    with tf.Graph().as_default(), tf.Session() as session:
        ids = tf.placeholder(tf.int32, name="ids")
        with pytest.raises(error, match=words):
            session.run(tf.identity(ids), {ids: value})


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (([[0]], [1.0]), tf.errors.InvalidArgumentError, "must feed a value for placeholder tensor 'sp/shape'"),
        (3.0, TypeError, "'sp' is fed .indices, values, dense_shape."),
        ([1, 2, 3], ValueError, r"Cannot feed value of shape \(\) for Tensor 'sp/indices:0'"),
    ],
)
def test_what_is_no_sparse_value_is_told_with_the_placeholder(value, error, words):
    with tf.Graph().as_default(), tf.Session() as session:
        sparse = tf.sparse_placeholder(tf.float32, name="sp")
        with pytest.raises(error, match=words):
            session.run(tf.sparse_tensor_to_dense(sparse), {sparse: value})


@pytest.mark.parametrize("target", ["grpc://", "grpc://:::", "grpc://a b", "grpc://host", "grpc://host:port"])
def test_targets_that_are_no_host_with_a_port(target):
    with pytest.raises(tf.errors.InvalidArgumentError, match="as a host-port pair"):
        tf.Session(target)


@pytest.mark.parametrize("target", ["bogus://x", "GRPC://x:1"])
def test_targets_that_nobody_serves(target):
    with pytest.raises(tf.errors.NotFoundError, match="No session factory registered"):
        tf.Session(target)


def test_as_many_plans_are_kept_as_a_session_may_keep(session, monkeypatch):
    monkeypatch.setattr(session_module, "MOST_ENTRIES", 3)
    parts = [tf.constant(float(i)) for i in range(4)]
    combinations = [[a, b] for a in parts for b in parts]
    for _ in range(2):
        for a, b in combinations:
            assert session.run([a, b]) == [float(parts.index(a)), float(parts.index(b))]
        assert len(session._entries) == 3


def test_a_variable_that_is_fed_cannot_be_changed():
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(1.0, use_resource=False)
        session.run(variable.initializer)
        assert session.run(variable + 1.0, {variable: 5.0}) == 6.0
        for change in (variable.initializer, variable.assign_add(1.0), tf.assign_sub(variable, 1.0)):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"incompatible with expected float_ref"):
                session.run(change, {variable: 5.0})
        assert session.run(variable) == 1.0
