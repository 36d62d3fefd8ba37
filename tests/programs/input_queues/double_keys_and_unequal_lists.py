"""Queues whose parts do not match: one key twice in a barrier, priority queues without shapes, lists of other lengths."""

import tensorflow as tf
from tensorflow.python.ops import data_flow_ops

results = {}


def told(name, function):
    with tf.Graph().as_default():
        try:
            results[name] = function()
        except Exception as error:
            results[name] = type(error).__name__


def twice(types, keys):
    barrier = data_flow_ops.Barrier(types, shapes=((),) * len(types))
    insert = barrier.insert_many(0, keys, [float(i) for i, _ in enumerate(keys)])
    with tf.Session() as session:
        try:
            session.run(insert)
            outcome = "inserted"
        except tf.errors.OpError as error:
            outcome = type(error).__name__
        return [outcome, session.run([barrier.ready_size(), barrier.incomplete_size()])]


told("whole by then", lambda: twice((tf.float32,), ["a", "b", "a"]))
told("not whole", lambda: twice((tf.float32, tf.float32), ["b", "a", "a", "c"]))
told("no shapes", lambda: tf.PriorityQueue(10, [tf.string], None).name)
told("too few shapes", lambda: tf.PriorityQueue(10, [tf.string, tf.int32], [()]).name)

a = 1
told("shorter", lambda: str(tf.train.batch_join([(tf.constant(a), tf.constant(a)), (tf.constant(a),)], 2)))
told("longer", lambda: str(tf.train.batch_join([(tf.constant(a),), (tf.constant(a), tf.constant(a))], 2)))
told(
    "longer, shuffled",
    lambda: str(tf.train.shuffle_batch_join([(tf.constant(a),), (tf.constant(a), tf.constant(a))], 2, 10, 4)),
)
