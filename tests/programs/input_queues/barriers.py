"""Barriers: elements whose components come one by one, taken when they are whole."""

import numpy as np
import tensorflow as tf
from tensorflow.python.ops import data_flow_ops

results = {}


def run(name, fetch, session, feed=None):
    try:
        value = session.run(fetch, feed)
        results[name] = [np.asarray(part).tolist() for part in value] if isinstance(value, tuple) else value
    except tf.errors.OpError as error:
        results[name] = type(error).__name__


def take(name, barrier, session, count, **options):
    indices, keys, values = barrier.take_many(count, **options)
    run(name, (indices, keys) + tuple(values), session)


with tf.Graph().as_default(), tf.Session() as sess:
    barrier = data_flow_ops.Barrier((tf.float32, tf.string), shapes=((2,), ()), name="B")
    first = barrier.insert_many(0, ["a", "b", "c"], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    taken = barrier.take_many(2)
    results["names"] = [
        barrier.name,
        barrier.barrier_ref.name,
        first.name,
        first.type,
        taken[0].name,
        barrier.ready_size().name,
        barrier.incomplete_size().name,
        barrier.close().name,
    ]
    results["shapes"] = [t.shape.as_list() for t in (taken[0], taken[1]) + tuple(taken[2])]
    small = barrier.take_many(2, allow_small_batch=True)
    results["small_shapes"] = [t.shape.as_list() for t in (small[0], small[1]) + tuple(small[2])]
    results["fields"] = list(taken._fields)
    sizes = (barrier.ready_size(), barrier.incomplete_size())
    run("sizes", sizes, sess)
    sess.run(first)
    run("sizes_after", sizes, sess)
    run("again", first, sess)
    sess.run(barrier.insert_many(1, ["b"], ["B"]))
    sess.run(barrier.insert_many(0, ["d"], [[7.0, 8.0]]))
    sess.run(barrier.insert_many(1, ["d", "a"], ["D", "A"]))
    run("sizes_ready", sizes, sess)
    take("two", barrier, sess, 2)
    take("third", barrier, sess, 1)
    run("sizes_left", sizes, sess)
    run("none", barrier.insert_many(0, tf.zeros([0], tf.string), tf.zeros([0, 2])), sess)
    run("other_type", barrier.insert_many(1, ["x"], [1.0]), sess)
    run("no_component", barrier.insert_many(7, ["x"], [1.0]), sess)

    # Closed: elements that have begun may be completed, new ones may not begin.
    sess.run(barrier.close())
    run("closed_new", barrier.insert_many(0, ["new"], [[0.0, 0.0]]), sess)
    run("closed_completes", barrier.insert_many(1, ["c"], ["C"]), sess)
    run("sizes_closed", sizes, sess)
    take("too_many", barrier, sess, 2)
    take("small", barrier, sess, 2, allow_small_batch=True)
    take("small_empty", barrier, sess, 2, allow_small_batch=True)
    run("close_again", barrier.close(), sess)

with tf.Graph().as_default(), tf.Session() as sess:
    barrier = data_flow_ops.Barrier((tf.int32, tf.int64), shapes=((), ()))
    sess.run(barrier.insert_many(0, ["a", "b"], [1, 2]))
    sess.run(barrier.insert_many(1, ["a"], tf.constant([10], tf.int64)))
    sess.run(barrier.close(cancel_pending_enqueues=True))
    run("cancelled_completes", barrier.insert_many(1, ["b"], tf.constant([20], tf.int64)), sess)
    take("cancelled_takes", barrier, sess, 1)
    take("cancelled_more", barrier, sess, 1)

with tf.Graph().as_default(), tf.Session() as sess:
    # Shapes not said.
    barrier = data_flow_ops.Barrier(tf.float32)
    run("unshaped", barrier.insert_many(0, ["a", "b"], [1.0, 2.0]), sess)
    take("unshaped_taken", barrier, sess, 2)
    try:
        data_flow_ops.Barrier((tf.float32, tf.float32), shapes=((0,), ()))
    except ValueError as error:
        results["empty_shape"] = str(error)
    shared = data_flow_ops.Barrier(tf.float32, shapes=((),), shared_name="s")
    same = data_flow_ops.Barrier(tf.float32, shapes=((),), shared_name="s")
    sess.run(shared.insert_many(0, ["k"], [1.0]))
    take("shared", same, sess, 1)
    other = data_flow_ops.Barrier(tf.int32, shapes=((),), shared_name="s")
    run("shared_other", other.ready_size(), sess)
