"""Input producers and batching functions: values, names, collections, shapes."""

import os
import tempfile

import numpy as np
import tensorflow as tf

results = {}


def described(graph):
    rows = []
    for op in graph.get_operations():
        rows.append("%s %s %s" % (op.name, op.type, [t.name for t in op.inputs]))
    return rows


def collected(graph):
    runners = []
    for runner in graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
        proto = runner.to_proto()
        runners.append(
            [runner.name, list(proto.enqueue_op_name), proto.close_op_name, proto.cancel_op_name]
            + list(proto.queue_closed_exception_types)
        )
    summaries = [t.name for t in graph.get_collection(tf.GraphKeys.SUMMARIES)]
    return {"runners": runners, "summaries": summaries, "locals": [v.name for v in tf.local_variables()]}


def drained(fetches, limit=50):
    """All that comes until the end."""
    values = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            for _ in range(limit):
                values.append(sess.run(fetches))
        except tf.errors.OutOfRangeError as error:
            values.append(type(error).__name__)
        coord.request_stop()
        coord.join(threads)
    return values


def case(name, run_it=True):
    def run(build):
        with tf.Graph().as_default() as graph:
            tf.set_random_seed(3)
            fetches = build()
            results[name + " ops"] = described(graph)
            results[name + " collections"] = collected(graph)
            flat = list(tf.contrib.framework.nest.flatten(fetches))
            results[name + " shapes"] = [str(t.shape) for t in flat]
            if run_it:
                results[name] = drained(fetches)

    return run


@case("strings")
def _():
    return tf.train.string_input_producer(["a", "b", "c"], num_epochs=2, shuffle=False).dequeue()


@case("shuffled strings")
def _():
    return tf.train.string_input_producer(
        ["a", "b", "c", "d"], num_epochs=3, seed=5, capacity=7, name="names"
    ).dequeue()


@case("numbers")
def _():
    return tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue_many(3)


@case("rows")
def _():
    rows = np.arange(6, dtype=np.float32).reshape(3, 2)
    return tf.train.input_producer(rows, num_epochs=2, shuffle=False, summary_name="full").dequeue()


@case("slices")
def _():
    images = tf.reshape(tf.range(12), [4, 3])
    return tf.train.slice_input_producer([images, ["w", "x", "y", "z"]], num_epochs=1, shuffle=False)


@case("batch")
def _():
    row, word = tf.train.slice_input_producer([tf.reshape(tf.range(14), [7, 2]), list("abcdefg")], 1, shuffle=False)
    return tf.train.batch([row, word], 3)


@case("smaller batch")
def _():
    row, word = tf.train.slice_input_producer([tf.reshape(tf.range(14), [7, 2]), list("abcdefg")], 1, shuffle=False)
    return tf.train.batch({"row": row, "word": word}, 3, allow_smaller_final_batch=True, name="final")


@case("single batch")
def _():
    number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
    return tf.train.batch({"only": number}, 2)


@case("many batch")
def _():
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    return tf.train.batch([tf.stack([number, number + 10])], 3, enqueue_many=True, capacity=20)


@case("padded batch")
def _():
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
    return tf.train.batch([tf.range(number)], 3, dynamic_pad=True, shapes=None)


@case("maybe batch")
def _():
    number = tf.train.range_input_producer(9, num_epochs=1, shuffle=False).dequeue()
    return tf.train.maybe_batch([number], tf.equal(number % 2, 0), 2, allow_smaller_final_batch=True)


# Its threads would do nothing for ever.
@case("never batch", run_it=False)
def _():
    number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
    return tf.train.maybe_batch([number], False, 2, allow_smaller_final_batch=True)


@case("maybe many batch")
def _():
    number = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
    both = tf.stack([number, number * 10])
    return tf.train.maybe_batch([both], both > 9, 2, enqueue_many=True, allow_smaller_final_batch=True)


@case("sparse batch")
def _():
    number = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
    count = tf.cast(number, tf.int64)
    sparse = tf.SparseTensor(tf.expand_dims(tf.range(count), 1), tf.cast(tf.range(number), tf.float32), [count + 1])
    return tf.train.batch([sparse, number], 2)


@case("sparse many")
def _():
    number = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    offset = tf.cast(number, tf.int64)
    sparse = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], tf.stack([offset, offset + 1, offset + 2]), [2, 3])
    return tf.train.batch([sparse], 2, enqueue_many=True)


@case("shuffle one")
def _():
    number = tf.train.range_input_producer(6, num_epochs=1, shuffle=False, capacity=1).dequeue()
    # As many must stay as there are, so that all are there before the first is taken.
    return tf.train.shuffle_batch([number], 2, capacity=20, min_after_dequeue=6, seed=11)


# Several sources: the order between them varies, what comes does not.
def joined(name, build):
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(3)
        fetches = build()
        results[name + " ops"] = described(graph)
        results[name + " collections"] = collected(graph)
        values = drained(fetches)
        results[name + " end"] = values[-1]
        results[name] = sorted(int(v) for batch in values[:-1] for v in np.ravel(batch))


def sources():
    return [[tf.train.range_input_producer(5, 1, name="s%d" % i).dequeue() + 10 * i] for i in range(3)]


joined("batch_join", lambda: tf.train.batch_join(sources(), 3))
joined("batch_join rest", lambda: tf.train.batch_join(sources(), 4, allow_smaller_final_batch=True, capacity=9))
joined("shuffle_batch_join", lambda: tf.train.shuffle_batch_join(sources(), 5, 30, 4, seed=2))
joined("maybe_batch_join", lambda: tf.train.maybe_batch_join(sources(), tf.constant(True), 5, name="perhaps"))
joined(
    "maybe_shuffle",
    lambda: tf.train.maybe_shuffle_batch([sources()[0][0]], 1, 9, 2, tf.constant(True), num_threads=2),
)
joined(
    "maybe_shuffle_join",
    lambda: tf.train.maybe_shuffle_batch_join(sources(), 3, 9, 2, tf.constant(True), enqueue_many=False),
)

# Several threads for one source.
with tf.Graph().as_default():
    number = tf.train.range_input_producer(40, 1).dequeue()
    batches = drained(tf.train.shuffle_batch([number], 8, 30, 10, num_threads=4))
    results["threads"] = sorted(int(v) for batch in batches[:-1] for v in batch)

# Files found once.
folder = tempfile.mkdtemp()
for name in ("b.txt", "a.txt", "c.csv"):
    with open(os.path.join(folder, name), "w") as f:
        f.write(name + "\n")
with tf.Graph().as_default() as graph, tf.Session() as sess:
    found = tf.train.match_filenames_once(os.path.join(folder, "*.txt"))
    results["found ops"] = [op.name for op in graph.get_operations()]
    results["found"] = [found.name, str(found.shape), [v.name for v in tf.local_variables()]]
    sess.run(tf.local_variables_initializer())
    results["found names"] = [os.path.basename(n).decode() for n in sess.run(found)]
    results["limited"] = str(tf.train.limit_epochs(tf.constant([1.0]), 2).name)
    results["unlimited"] = tf.train.limit_epochs(tf.constant([1.0], name="same")).name

# Errors while the graph is built.
x = tf.placeholder(tf.float32)
v = tf.placeholder(tf.float32, [3])
for label, make in [
    ("no strings", lambda: tf.train.string_input_producer([])),
    ("no epochs", lambda: tf.train.limit_epochs(x, 0)),
    ("unknown rows", lambda: tf.train.input_producer(x)),
    ("unknown rank", lambda: tf.train.batch([x], 2)),
    ("no tensors", lambda: tf.train.batch([], 2)),
    ("no sets", lambda: tf.train.batch_join([], 2)),
    ("keys", lambda: tf.train.batch_join([{"a": v}, {"b": v}], 2)),
    ("small", lambda: tf.train.shuffle_batch([v], 2, 4, 4)),
    ("keep vector", lambda: tf.train.maybe_batch([v], [True, False, True], 2)),
    ("keep matrix", lambda: tf.train.maybe_batch([v], [[True]], 2, enqueue_many=True)),
    ("types", lambda: tf.train.batch_join([[v], [tf.constant([1, 2, 3])]], 2)),
    ("no slices", lambda: tf.train.slice_input_producer([])),
]:
    try:
        make()
        results[label] = "made"
    except (ValueError, TypeError) as error:
        results[label] = [type(error).__name__, str(error)[:60]]
