"""Buckets of examples of one kind, and of sequences of about the same length."""

import tensorflow as tf

results = {}


def run(label, build):
    with tf.Graph().as_default() as graph:
        number = tf.train.range_input_producer(14, 1, shuffle=False).dequeue()
        fetches = build(number)
        results[label + " ops"] = [
            "%s %s" % (op.name, op.type) for op in graph.get_operations() if "input_producer" not in op.name
        ]
        results[label + " summaries"] = [t.name for t in graph.get_collection(tf.GraphKeys.SUMMARIES)]
        results[label + " shapes"] = [str(t.shape) for t in tf.contrib.framework.nest.flatten(fetches)]
        batches = []
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            try:
                while len(batches) < 40:
                    batches.append([v.tolist() for v in tf.contrib.framework.nest.flatten(sess.run(fetches))])
            except tf.errors.OutOfRangeError as error:
                results[label + " end"] = type(error).__name__
            coord.request_stop()
            coord.join(threads)
        # Which bucket is full first does not vary, but who hands its batch on first does.
        results[label] = sorted(batches, key=str)


run("parity", lambda n: tf.contrib.training.bucket([n, tf.as_string(n)], n % 2, 3, 2, allow_smaller_final_batch=True))
run("parity whole", lambda n: tf.contrib.training.bucket({"n": n}, n % 2, [3, 2], 2))
run(
    "lengths",
    lambda n: tf.contrib.training.bucket_by_sequence_length(
        n, [tf.range(n), n * 2], 3, [4, 9], dynamic_pad=True, allow_smaller_final_batch=True
    ),
)
run(
    "kept",
    lambda n: tf.contrib.training.bucket_by_sequence_length(
        n, {"n": n}, 2, [5], keep_input=tf.not_equal(n, 3), allow_smaller_final_batch=True
    ),
)
for label, boundaries in [("empty", []), ("order", [3, 3]), ("types", [1.0, 2.0]), ("number", 3)]:
    try:
        tf.contrib.training.bucket_by_sequence_length(3, [tf.constant(1)], 2, boundaries)
    except (ValueError, TypeError) as error:
        results["boundaries " + label] = type(error).__name__
