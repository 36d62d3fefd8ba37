"""Values that sessions keep between runs, and state that sessions share."""

import gc

import pytest

import headrace as tf
from headrace.core.tensor_store import TENSOR_STORE, TensorStore


def kept_by(sess):
    return sess._runtime.object(TENSOR_STORE, TensorStore)._values


def test_a_value_goes_with_its_handle():
    with tf.Graph().as_default(), tf.Session() as sess:
        h = tf.get_session_handle(tf.constant([1.0, 2.0]))
        handle = sess.run(h)
        other = sess.run(h)
        raw = other.get_raw_handle()
        assert set(kept_by(sess)) == {handle.handle, raw}
        del handle, other
        gc.collect()
        assert set(kept_by(sess)) == {raw}


def test_what_is_kept_does_not_follow_its_variable():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable([1.0], name="v")
        sess.run(v.initializer)
        handle = sess.run(tf.get_session_handle(v.value()))
        sess.run(v.assign([2.0]))
        assert handle.eval() == [1.0]
        handle.eval()[0] = 5.0
        assert handle.eval() == [1.0]


def test_partial_runs_give_handles():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [])
        h = tf.get_session_handle(x * 2.0)
        run = sess.partial_run_setup([h], [x])
        assert sess.partial_run(run, h, {x: 4.0}).eval() == 8.0


def test_a_feed_of_another_shape_is_refused():
    with tf.Graph().as_default(), tf.Session() as sess:
        handle = sess.run(tf.get_session_handle(tf.zeros([3])))
        x = tf.placeholder(tf.float32, [2])
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            sess.run(x * 1.0, {x: handle})


def test_sessions_of_a_server_end_one_by_one():
    with tf.Graph().as_default():
        server = tf.train.Server({"worker": ["localhost:0"]})
        queue = tf.FIFOQueue(2, tf.float32, shared_name="q")
        put, take = queue.enqueue(3.0), queue.dequeue()
        first, second = tf.Session(server.target), tf.Session(server.target)
        first.run(put)
        first.close()
        assert second.run(take) == 3.0
        assert second.list_devices()[0].name == "/job:worker/replica:0/task:0/device:CPU:0"
        with tf.train.MonitoredTrainingSession(server.target, is_chief=True) as sess:
            assert not sess.should_stop()


def test_targets_of_nobody():
    with tf.Graph().as_default():
        one = tf.constant(1)
        # A server may be started later: it is waited for.
        patience = tf.ConfigProto(operation_timeout_in_ms=300)
        with pytest.raises(tf.errors.DeadlineExceededError, match="no server listens at grpc://localhost:1"):
            tf.Session("grpc://localhost:1", config=patience).run(one)
    with pytest.raises(tf.errors.UnknownError, match="Could not start gRPC server"):
        tf.train.Server({"ps": ["a:1"], "worker": ["b:1"]}, job_name="worker", task_index=0)


def test_the_basic_loop_begins_again_when_aborted(tmp_path):
    steps = []
    with tf.Graph().as_default():
        tf.train.get_or_create_global_step()
        supervisor = tf.train.Supervisor(logdir=str(tmp_path))

        def step(sess, until, by=1):
            steps.append(by)
            if len(steps) == 2:
                raise tf.errors.AbortedError(None, None, "restarted")
            if len(steps) >= until:
                supervisor.request_stop()

        tf.train.basic_train_loop(supervisor, step, args=(4,), kwargs={"by": 2})
    assert steps == [2, 2, 2, 2]
