"""Functions of `make_callable`, which keep their plan from call to call."""

from __future__ import annotations

import pytest

import headrace as tf


def test_callables_follow_the_graph_and_the_session():
    with tf.Graph().as_default():
        x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32)
        total = tf.reduce_sum(x) * y
        sess = tf.Session()
        call = sess.make_callable({"total": total}, [x, y])
        assert [call([1.0, 2.0], 3.0) for _ in range(3)] == [{"total": 9.0}] * 3
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            call([[1.0]], 3.0)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=f"must feed a value for placeholder tensor '{y.op.name}'"
        ):
            call([1.0])
        with pytest.raises(TypeError, match="Expected 2 arguments"):
            call([1.0], 3.0, 4.0)
        # With feeds there are always options, as in 1.15; without, only where they are asked for.
        assert call([1.0], 1.0, options=None) == {"total": 1.0}
        with pytest.raises(TypeError, match="Unexpected keyword arguments"):
            sess.make_callable(tf.constant(1.0))(options=None)
        # What is added to the graph may change what a step does.
        tf.constant(1.0)
        assert call([4.0], 0.5) == {"total": 2.0}
        constant = sess.make_callable(tf.constant(1.0))
        assert constant() == 1.0
        sess.close()
        with pytest.raises(RuntimeError, match="closed Session"):
            call([4.0], 0.5)
        with pytest.raises(tf.errors.CancelledError, match="closed"):
            constant()


def test_callables_of_composite_feeds_and_options():
    with tf.Graph().as_default(), tf.Session() as sess:
        sparse = tf.sparse_placeholder(tf.float32)
        call = sess.make_callable(tf.sparse_reduce_sum(sparse), [sparse], accept_options=True)
        value = tf.SparseTensorValue([[0], [2]], [1.0, 2.0], [3])
        for _ in range(3):
            assert call(value) == 3.0
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        assert call(value, options=options, run_metadata=metadata) == 3.0
        assert metadata.step_stats.dev_stats
