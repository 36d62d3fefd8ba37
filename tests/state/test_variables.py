"""What variables promise beyond the recorded answers of TensorFlow in tests/programs/state."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import headrace as tf
from headrace.core.func_graph import FuncGraph
from headrace.core.registry import raw


@pytest.fixture
def sess():
    with tf.Session() as session:
        yield session


@pytest.fixture(params=[False, True], ids=["ref", "resource"])
def resource(request):
    return request.param


def variable(value, resource, **kwargs):
    return tf.Variable(np.asarray(value), use_resource=resource, **kwargs)


@pytest.mark.parametrize("kind", ["update", "add", "sub", "mul", "div", "min", "max"])
def test_a_refused_scatter_writes_nothing(sess, resource, kind):
    v = variable(np.arange(6, dtype=np.float32).reshape(3, 2), resource)
    sess.run(v.initializer)
    indices = tf.placeholder(tf.int32, [None])
    scattered = getattr(tf, f"scatter_{kind}")(v, indices, np.full([3, 2], 5, np.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[2\] = 3 is not in \[0, 3\)"):
        sess.run(scattered, {indices: [0, 1, 3]})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = -1 is not in \[0, 3\)"):
        sess.run(scattered, {indices: [0, -1, 3]})
    assert sess.run(v).tolist() == [[0, 1], [2, 3], [4, 5]]


def test_a_refused_nd_scatter_writes_nothing(sess, resource):
    v = variable(np.zeros([2, 2], np.float32), resource)
    sess.run(v.initializer)
    indices = tf.placeholder(tf.int64, [2, 2])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"indices\[1\] = \[0, 2\] does not index into shape \[2,2\]"
    ):
        sess.run(tf.scatter_nd_add(v, indices, [1.0, 1.0]), {indices: [[0, 0], [0, 2]]})
    assert not sess.run(v).any()


@pytest.mark.parametrize("count", [1, 2, 7, 200])
def test_repeated_indices_are_applied_in_order(sess, resource, count):
    rng = np.random.RandomState(count)
    start = rng.uniform(1, 2, [5, 3])
    rows = rng.randint(0, 5, count)
    updates = rng.uniform(1, 2, [count, 3])
    v = variable(start, resource)
    apply = {
        "update": lambda old, new: new,
        "div": np.divide,
        "mul": np.multiply,
        "max": np.maximum,
        "sub": np.subtract,
    }
    for kind, function in apply.items():
        sess.run(v.initializer)
        expected = start.copy()
        for row, update in zip(rows, updates, strict=True):
            expected[row] = function(expected[row], update)
        got = sess.run(getattr(tf, f"scatter_{kind}")(v, rows, updates))
        np.testing.assert_allclose(got, expected, rtol=1e-12, err_msg=kind)


@pytest.mark.parametrize(
    "change",
    [tf.transpose, lambda t: t[::-1], lambda t: tf.reverse(t, [1]), lambda t: t + 0.0, tf.identity],
    ids=["transposed", "backwards", "reversed", "plus nothing", "itself"],
)
def test_assigning_a_view_of_the_variable_itself(sess, resource, change):
    start = np.arange(9, dtype=np.float32).reshape(3, 3)
    v = variable(start, resource)
    sess.run(v.initializer)
    turned = v.assign(change(v))
    with tf.Graph().as_default():
        x = tf.constant(start)
        with tf.Session() as other:
            expected = other.run(change(x))
    assert sess.run(turned).tolist() == expected.tolist()


def test_a_feed_that_was_assigned_may_change_afterwards(sess, resource):
    fed = tf.placeholder(tf.float32, [2])
    v = variable(np.zeros(2, np.float32), resource)
    value = np.ones(2, np.float32)
    sess.run(v.assign(fed), {fed: value})
    value[:] = 5
    sess.run(v.assign_add([1.0, 1.0]))
    assert sess.run(v).tolist() == [2, 2]
    assert value.tolist() == [5, 5]


def test_initial_constants_are_not_written_to(sess, resource):
    v = variable(np.zeros(2, np.float32), resource)
    for _ in range(2):
        sess.run(v.initializer)
        assert sess.run(v.assign_add([1.0, 1.0])).tolist() == [1, 1]


def test_a_computed_value_read_before_a_write_stays(sess, resource):
    v = variable(np.float32(1.0), resource)
    sess.run(v.initializer)
    before = v.read_value() + 0.0
    with tf.control_dependencies([before]):
        written = v.assign(3.0, read_value=False)
    with tf.control_dependencies([written]):
        after = v.read_value() * 1.0
    assert sess.run([before, after]) == [1.0, 3.0]


def test_threads_may_count_together(sess):
    v = variable(np.int64(0), True)
    sess.run(v.initializer)
    count = v.assign_add(np.int64(1), read_value=False)

    def work():
        for _ in range(200):
            sess.run(count)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sess.run(v) == 800


def test_an_initial_value_may_rest_on_a_long_computation(sess):
    first = tf.Variable(1.0)
    value = first.value()
    for _ in range(3000):
        value = value + 1.0
    second = tf.Variable(value)
    sess.run(tf.global_variables_initializer())
    assert sess.run(second) == 3001


def test_variables_go_through_messages(resource):
    v = variable(np.float32(1.0), resource, name="w", trainable=False)
    message = v.to_proto()
    assert message.is_resource == resource
    again = tf.Variable.from_proto(message)
    assert (again.name, again.dtype, again.shape, again.trainable) == (v.name, v.dtype, v.shape, False)
    assert again.initializer is v.initializer
    with tf.Session() as sess:
        sess.run(again.initializer)
        assert sess.run([again, again.assign_add(1.0)])[1] == 2.0
    assert v.to_proto(export_scope="elsewhere") is None
    with tf.name_scope("scope"):
        inner = variable(np.float32(1.0), resource, name="w")
    assert inner.to_proto(export_scope="scope").variable_name == "w:0"
    assert type(tf.Variable.from_proto(message, import_scope="scope")) is type(inner)


def test_the_default_kind_can_be_changed():
    assert not tf.resource_variables_enabled()
    tf.enable_resource_variables()
    try:
        assert not tf.Variable(1.0).dtype._is_ref_dtype
        assert not tf.get_variable("w", [1]).dtype._is_ref_dtype
        with tf.variable_scope("refs", use_resource=False):
            assert tf.Variable(1.0).dtype._is_ref_dtype
    finally:
        tf.disable_resource_variables()
    assert tf.Variable(1.0).dtype._is_ref_dtype


def test_defined_twice_says_where_first():
    tf.get_variable("w", [1])  # the first definition
    with pytest.raises(ValueError, match=r"w already exists, disallowed.*(?s:.)*Originally defined at:") as caught:
        tf.get_variable("w", [1])
    assert "the first definition" in str(caught.value)


def test_variables_hash_by_identity(resource):
    v, w = variable(1.0, resource), variable(1.0, resource)
    assert v == v
    assert v != w
    assert len({v, w, v}) == 2
    with pytest.raises(TypeError, match="not iterable"):
        iter(v)


def test_operators_reach_the_value(sess, resource):
    v = variable(np.float32([1.0, 2.0]), resource)
    sess.run(v.initializer)
    got = sess.run([v + 1.0, 1.0 - v, v * v, np.float32([4.0, 4.0]) / v, -v, v > 1.5, v[1], v[::-1], abs(v)])
    expected = [[2, 3], [0, -1], [1, 4], [4, 2], [-1, -2], [False, True], 2, [2, 1], [1, 2]]
    for mine, theirs in zip(got, expected, strict=True):
        assert np.asarray(mine).tolist() == theirs


def test_slice_assignment_wants_a_variable():
    with pytest.raises(ValueError, match="only supported for variables"):
        tf.constant([1, 2])[0].assign(3)


def test_temporary_variables_live_for_one_step(sess):
    temporary = raw.TemporaryVariable(shape=[2], dtype=tf.float32, var_name="t")
    filled = raw.Assign(temporary, [4.0, 5.0])
    added = raw.AssignAdd(filled, [6.0, 7.0])
    final = raw.DestroyTemporaryVariable(added, var_name="t")
    assert sess.run(final).tolist() == [10, 12]
    assert sess.run(final).tolist() == [10, 12]


def test_destroyed_resources_have_no_value(sess):
    v = variable(np.float32(1.0), True)
    sess.run(v.initializer)
    sess.run(raw.DestroyResourceOp(v.handle))
    with pytest.raises(tf.errors.FailedPreconditionError, match="resource variable Variable"):
        sess.run(v)
    with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
        sess.run(raw.DestroyResourceOp(v.handle, ignore_lookup_error=False))


def test_distributed_settings_are_checked():
    with pytest.raises(ValueError, match="Invalid variable aggregation mode: 9"):
        tf.Variable(1.0, aggregation=9)
    assert not tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ).trainable


def test_a_scatter_into_a_number_is_refused(sess):
    v = tf.Variable(tf.placeholder_with_default(np.float32(1), None), validate_shape=False)
    rows, updates = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])
    sess.run(v.initializer)
    with pytest.raises(tf.errors.InvalidArgumentError, match="params must be at least 1-D"):
        sess.run(tf.scatter_add(v, rows, updates * 2.0).op, {rows: [0], updates: [1.0]})


def test_variables_of_functions_lie_where_the_function_asks():
    """As 1.15.5: the device scopes of the innermost function with some go out of it with the variable."""
    graph = tf.Graph()
    with graph.as_default(), tf.device("/gpu:7"), FuncGraph("outer").as_default():
        outside = tf.get_variable("outside", [], use_resource=True)
        with tf.device("/cpu:1"):
            own = tf.get_variable("own", [], use_resource=True)
            with FuncGraph("inner").as_default(), tf.device("/job:ps"):
                inner = tf.get_variable("inner", [], use_resource=True)
    assert [v.device for v in (outside, own, inner)] == ["/device:GPU:7", "/device:CPU:1", "/job:ps"]
    assert own.handle.graph is graph
