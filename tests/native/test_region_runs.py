"""What a step with native regions gives, takes, and says where it fails."""

from __future__ import annotations

import threading

import numpy as np
import pytest

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


@pytest.fixture
def session():
    with tf.Session() as made:
        yield made


def both(fetches, feed, prepare=None):
    """What a step raises with regions and without, and the variables after it."""
    found = []
    for plain in (False, True):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            if plain:
                with without("native regions"):
                    error = failed(session, fetches, feed)
            else:
                assert session.plan_for(fetches, list(feed)).regions
                error = failed(session, fetches, feed)
            found.append((type(error), error.message, error.op.name, session.run(tf.global_variables())))
    return found


def failed(session, fetches, feed):
    with pytest.raises(tf.errors.OpError) as raised:
        session.run(fetches, feed)
    return raised.value


def test_a_region_is_one_line(session):
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.nn.softmax(tf.tanh(x) * 2.0)
    plan = session.plan_for(y, [x])
    assert plan.source.splitlines()[1].strip() == "v1, = region_0(f0)  # 3 ops: Tanh ... Softmax"
    assert plan.summary == "4 operations planned as 1 native region"
    assert [node.type for node in plan.nodes] == ["Tanh", "Mul", "Softmax"]
    assert plan.regions[0].dump() == "(not built yet)"


def test_what_is_fetched_is_as_without(session):
    x = tf.placeholder(tf.float32, [None])
    fetches = [tf.reduce_sum(x), x * 2.0, tf.argmax(x), tf.reshape(x, [-1, 1]), x > 1.0]
    values = session.run(fetches, {x: [1.0, 3.0]})
    with without("native regions"):
        plain = tf.Session().run(fetches, {x: [1.0, 3.0]})
    assert [type(value) for value in values] == [type(value) for value in plain]
    for one, other in zip(values, plain, strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_is_fetched_does_not_change_with_the_next_step(session):
    x = tf.placeholder(tf.float32, [2])
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    fetches = [x * 2.0, tf.reshape(x, [2, 1]), v.assign_add(x)]
    session.run(v.initializer)
    first = session.run(fetches, {x: [1.0, 2.0]})
    kept = [value.copy() for value in first]
    session.run(fetches, {x: [5.0, 6.0]})
    for one, other in zip(first, kept, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "fed", [np.arange(12.0).reshape(3, 4)[:, ::2], np.arange(6.0)[::-1].reshape(3, 2), [[1, 2]] * 3]
)
def test_feeds_of_any_layout(session, fed):
    x = tf.placeholder(tf.float32, [3, 2])
    np.testing.assert_allclose(session.run(tf.transpose(x) * 2.0, {x: fed}), np.transpose(fed) * 2.0)
    array = np.asarray(fed, np.float32)
    np.testing.assert_allclose(session.run(tf.transpose(x) * 2.0, {x: array[::-1]}), np.transpose(array[::-1]) * 2.0)


def test_feeds_of_a_wrong_shape_are_refused(session):
    x = tf.placeholder(tf.float32, [3, 2])
    with pytest.raises(ValueError, match="Cannot feed value of shape"):
        session.run(x * 2.0, {x: np.ones([2, 2])})


def test_an_index_out_of_range():
    ids = tf.placeholder(tf.int32, [None])
    table = tf.get_variable("table", initializer=np.eye(4, dtype=np.float32))
    one, other = both(tf.tanh(tf.gather(table, ids)) + 1.0, {ids: [1, 7]})
    assert one[:3] == other[:3]
    assert "indices[1] = 7 is not in [0, 4)" in one[1]


def test_what_was_written_before_a_failure_is_written_once():
    ids = tf.placeholder(tf.int32, [None])
    count = tf.get_variable("count", initializer=0.0)
    table = tf.get_variable("table", initializer=np.eye(4, dtype=np.float32))
    with tf.control_dependencies([tf.assign_add(count, 1.0)]):
        row = tf.gather(table, ids) * count
    one, other = both(row, {ids: [9]})
    assert one[:3] == other[:3]
    assert one[3][0] == other[3][0] == 1.0


def test_shapes_that_do_not_fit():
    x = tf.placeholder(tf.float32, [None])
    w = tf.get_variable("w", initializer=np.ones(3, np.float32))
    one, other = both(tf.tanh(x * w) + 1.0, {x: np.ones(4)})
    assert one[:3] == other[:3]
    total = tf.add_n([x, tf.tanh(w)])
    one, other = both(total, {x: np.ones(1)})
    assert one[:3] == other[:3]


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_variable_without_a_value(session, use_resource):
    w = tf.get_variable("w", [3], use_resource=use_resource)
    y = tf.tanh(w * 2.0)
    error = failed(session, y, {})
    with without("native regions"):
        other = failed(tf.Session(), y, {})
    assert isinstance(error, tf.errors.FailedPreconditionError)
    assert (error.message, error.op.name) == (other.message, other.op.name)
    session.run(w.initializer)
    assert session.run(y).shape == (3,)


def test_a_variable_of_another_shape_than_before(session):
    w = tf.Variable([1.0, 2.0], validate_shape=False)
    x = tf.placeholder(tf.float32, [None])
    session.run(w.initializer)
    y, longer = tf.reduce_sum(w * 2.0), tf.assign(w, x, validate_shape=False)
    assert session.run(y) == 6.0
    session.run(longer, {x: [1.0, 2.0, 3.0]})
    assert session.run(y) == 12.0


def test_what_is_computed_from_variables_sees_writes_of_regions(session):
    """Packed filters are kept until a version changes."""
    x = tf.placeholder(tf.float32, [1, 4, 4, 1])
    w = tf.get_variable("w", initializer=np.ones([3, 3, 1, 2], np.float32))
    y = tf.reduce_sum(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"))
    session.run(w.initializer)
    image = np.ones([1, 4, 4, 1], np.float32)
    first = session.run(y, {x: image})
    session.run(tf.assign(w, w * 2.0).op)
    assert session.run(y, {x: image}) == 2.0 * first


def test_steps_run_at_once(session):
    x = tf.placeholder(tf.float32, [None, 8])
    h = x
    for _ in range(20):
        h = tf.tanh(tf.matmul(h, tf.constant(np.eye(8, dtype=np.float32))) + tf.reduce_mean(h, 0))
    halved = tf.py_func(lambda a: a * np.float32(0.5), [h], tf.float32)
    y = tf.reshape(halved, tf.shape(x)) + h
    inputs = [np.random.RandomState(i).randn(3 + i, 8).astype(np.float32) for i in range(4)]
    expected = [session.run(y, {x: array}) for array in inputs]
    wrong = []

    def work(i: int) -> None:
        for _ in range(30):
            if not np.array_equal(session.run(y, {x: inputs[i]}), expected[i]):
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_traced_step_calls_kernels(session):
    x = tf.placeholder(tf.float32, [None])
    y = tf.reduce_sum(tf.tanh(x) * 2.0)
    metadata = tf.RunMetadata()
    traced = session.run(y, {x: [0.5]}, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
    np.testing.assert_allclose(traced, session.run(y, {x: [0.5]}), rtol=1e-6)
    names = {stats.node_name for device in metadata.step_stats.dev_stats for stats in device.node_stats}
    assert {"Tanh", "Sum"} <= names


def test_loops_and_branches_hold_regions(session):
    x = tf.placeholder(tf.float32, [3])
    y = tf.while_loop(lambda i, _: i < 5, lambda i, t: (i + 1, tf.tanh(t * 2.0 + 1.0) - x), [0, x])[1]
    z = tf.cond(tf.reduce_sum(y) > 0.0, lambda: tf.exp(y) * 2.0 + 1.0, lambda: tf.sin(y) - 1.0)
    assert len(session.plan_for(z, [x]).regions) == 1
    given = np.array([0.1, -0.2, 0.3], np.float32)
    with without("native regions"):
        plain = tf.Session().run(z, {x: given})
    np.testing.assert_allclose(session.run(z, {x: given}), plain, rtol=1e-5)


def test_an_update_of_several_variables_is_a_region_alone(session):
    x = tf.placeholder(tf.float32, [3])
    gradients = tf.py_func(lambda value: [value] * 4, [tf.tanh(tf.tanh(tf.tanh(x)))], [tf.float32] * 4)
    variables = [tf.get_variable(name, initializer=np.ones(3, np.float32)) for name in "abcd"]
    for gradient in gradients:
        gradient.set_shape([3])
    train = tf.train.MomentumOptimizer(0.5, 0.9).apply_gradients(list(zip(gradients, variables, strict=True)))
    with regions_from(3):
        plan = session.plan_for(train, [x])
        types = [[node.type for node in region.members] for region in plan.regions]
        assert types == [["Tanh"] * 3, ["_ApplyMomentumMany", "NoOp"]]
        session.run(tf.global_variables_initializer())
        session.run(train, {x: [1, 2, 3]})
    expected = 1 - 0.5 * np.tanh(np.tanh(np.tanh([1, 2, 3])))
    np.testing.assert_allclose(session.run(variables[3]), expected, rtol=1e-6)
