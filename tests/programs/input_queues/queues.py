"""Queues of every kind: what goes in and comes out, their names, shapes and errors."""

import re

import numpy as np
import tensorflow as tf

results = {}
sess = tf.Session()


def outcome(fetches, feed=None):
    try:
        value = sess.run(fetches, feed)
    except tf.errors.OpError as error:
        return [type(error).__name__, re.sub(r"'_\d+_", "'", error.message.split("\n")[0])]
    return value


def names(*things):
    return [getattr(thing, "name", None) for thing in things]


fifo = tf.FIFOQueue(3, [tf.float32, tf.string], shapes=[[2], []], name="pairs")
put = fifo.enqueue([[1.0, 2.0], "a"])
put_many = fifo.enqueue_many([[[3.0, 4.0], [5.0, 6.0]], ["b", "c"]])
take, take_two, take_up_to = fifo.dequeue(), fifo.dequeue_many(2), fifo.dequeue_up_to(5)
size, closed, close = fifo.size(), fifo.is_closed(), fifo.close()
results["names"] = names(put, put_many, *(list(take) + list(take_two) + list(take_up_to) + [size, closed, close]))
results["types"] = [t.op.type for t in (take[0], take_two[0], take_up_to[0], size, closed)] + [put.type, put_many.type]
results["shapes"] = [str(t.shape) for t in list(take) + list(take_two) + list(take_up_to) + [size, closed]]
results["queue"] = [fifo.name, str(fifo.shapes), str([t.name for t in fifo.dtypes]), str(fifo.queue_ref.dtype)]

sess.run(put)
sess.run(put_many)
results["size"] = sess.run(size)
results["one"] = sess.run(take)
results["two"] = sess.run(take_two)
sess.run(put)
results["closed before"] = bool(sess.run(closed))
sess.run(close)
results["closed after"] = bool(sess.run(closed))
results["put closed"] = outcome(put)
results["two of one"] = outcome(take_two)
results["up to of one"] = outcome(take_up_to)
results["empty"] = outcome(take)
results["up to of none"] = outcome(take_up_to)
results["closed twice"] = outcome(close)
results["cancelled when closed"] = outcome(fifo.close(cancel_pending_enqueues=True))

# Elements of any shape, one at a time.
loose = tf.FIFOQueue(4, tf.int32, name="loose")
fed = tf.placeholder(tf.int32)
sess.run(loose.enqueue(fed), {fed: [1, 2, 3]})
sess.run(loose.enqueue(fed), {fed: [[4]]})
results["loose many"] = outcome(loose.dequeue_many(1))
results["loose"] = [sess.run(loose.dequeue()) for _ in range(2)]
results["loose shape"] = str(loose.dequeue().shape)

# Wrong shapes.
vectors = tf.FIFOQueue(4, tf.float32, shapes=[[2]], name="vectors")
unknown = tf.placeholder(tf.float32)
results["wrong shape"] = outcome(vectors.enqueue(unknown), {unknown: [1.0, 2.0, 3.0]})
results["wrong rows"] = outcome(vectors.enqueue_many(unknown), {unknown: [[1.0, 2.0, 3.0]]})
results["none"] = sess.run(vectors.dequeue_many(0)).shape
for label, make in [
    ("static shape", lambda: vectors.enqueue([1.0])),
    ("static rows", lambda: vectors.enqueue_many([[1.0]])),
    ("negative", lambda: vectors.dequeue_many(-1)),
    ("named", lambda: vectors.enqueue({"x": [1.0, 2.0]})),
    ("too many shapes", lambda: tf.FIFOQueue(1, tf.float32, shapes=[[1], [2]])),
    ("unknown shape", lambda: tf.FIFOQueue(1, tf.float32, shapes=[[None]])),
    ("text shapes", lambda: tf.FIFOQueue(1, tf.float32, shapes="x")),
    ("padding without", lambda: tf.PaddingFIFOQueue(1, tf.float32, None)),
    ("padding rank", lambda: tf.PaddingFIFOQueue(1, tf.float32, [tf.TensorShape(None)])),
    ("names", lambda: tf.FIFOQueue(1, [tf.float32, tf.int32], names=["a"])),
    ("no queues", lambda: tf.QueueBase.from_list(0, [])),
    ("different", lambda: tf.QueueBase.from_list(0, [fifo, vectors])),
]:
    try:
        make()
        results[label] = "made"
    except (ValueError, TypeError) as error:
        results[label] = type(error).__name__

# Named components.
named = tf.FIFOQueue(4, [tf.int32, tf.float32], shapes=[[], []], names=["i", "f"], name="named")
sess.run(named.enqueue({"i": 1, "f": 2.0}))
sess.run(named.enqueue_many({"i": [3, 4], "f": [5.0, 6.0]}))
results["named one"] = sess.run(named.dequeue())
results["named two"] = sess.run(named.dequeue_many(2))
for label, value in [("list", [1, 2.0]), ("keys", {"i": 1, "g": 2.0})]:
    try:
        named.enqueue(value)
    except ValueError as error:
        results["named " + label] = str(error)

# Padding.
padding = tf.PaddingFIFOQueue(9, [tf.int32, tf.string], shapes=[[None, 2], [None]], name="padding")
rows, words = tf.placeholder(tf.int32, [None, 2]), tf.placeholder(tf.string, [None])
put_padded = padding.enqueue([rows, words])
for n in (1, 3, 2):
    sess.run(put_padded, {rows: np.arange(2 * n).reshape(n, 2) + 1, words: ["w%d" % i for i in range(n - 1)]})
results["padded"] = sess.run(padding.dequeue_many(3))
results["padded shapes"] = [str(t.shape) for t in padding.dequeue_many(3)]
sess.run(padding.enqueue_many([tf.ones([2, 1, 2], tf.int32), [["x"], ["y"]]]))
sess.run(padding.close())
results["padded rest"] = sess.run(padding.dequeue_up_to(4))

# Priorities.
priority = tf.PriorityQueue(9, [tf.string], [()], name="priority")
sess.run(priority.enqueue_many([np.array([5, -1, 3], np.int64), ["five", "minus", "three"]]))
sess.run(priority.enqueue([tf.constant(4, tf.int64), "four"]))
results["priority"] = [sess.run(priority.dequeue()), sess.run(priority.dequeue_many(3))]

# Seeded order.
shuffled = tf.RandomShuffleQueue(40, 5, tf.int32, shapes=[()], seed=7, name="shuffled")
sess.run(shuffled.enqueue_many([tf.range(30)]))
results["shuffled"] = [sess.run(shuffled.dequeue()) for _ in range(5)]
results["shuffled many"] = sess.run(shuffled.dequeue_many(20))
sess.run(shuffled.close())
results["shuffled rest"] = sess.run(shuffled.dequeue_up_to(9))
results["shuffled end"] = outcome(shuffled.dequeue())
results["seeds"] = [int(shuffled.queue_ref.op.get_attr(a)) for a in ("seed", "seed2", "min_after_dequeue", "capacity")]
results["bad reserve"] = outcome(tf.RandomShuffleQueue(2, 3, tf.int32).size())

# Shared names.
first = tf.FIFOQueue(4, tf.int32, shapes=[()], shared_name="shared", name="first")
second = tf.FIFOQueue(4, tf.int32, shapes=[()], shared_name="shared", name="second")
sess.run(first.enqueue(8))
results["shared"] = sess.run(second.dequeue())
for i, make in enumerate(
    [
        lambda: tf.FIFOQueue(5, tf.int32, shapes=[()], shared_name="shared"),
        lambda: tf.FIFOQueue(4, tf.int64, shapes=[()], shared_name="shared"),
        lambda: tf.FIFOQueue(4, tf.int32, shapes=[(2,)], shared_name="shared"),
        lambda: tf.RandomShuffleQueue(4, 0, tf.int32, shapes=[()], shared_name="shared"),
    ]
):
    results["unlike %d" % i] = outcome(make().size())

# One of several, chosen by a tensor.
which = tf.placeholder(tf.int32, [])
several = [tf.FIFOQueue(4, tf.int32, shapes=[()], name="several") for _ in range(3)]
chosen = tf.QueueBase.from_list(which, several)
put_chosen, take_chosen = chosen.enqueue(which * 10), chosen.dequeue()
for i in range(3):
    sess.run(put_chosen, {which: i})
results["chosen"] = [sess.run(take_chosen, {which: i}) for i in (2, 0, 1)]
results["chosen names"] = [chosen.name, put_chosen.name, take_chosen.name, several[2].name, str(chosen.shapes)]
results["chosen beyond"] = outcome(take_chosen, {which: 3})[0]

# Put and taken in one step, more than fits.
small = tf.FIFOQueue(2, tf.int32, shapes=[()], name="small")
flood = small.enqueue_many([tf.range(7)])
seen = sess.run([small.dequeue() for _ in range(3)] + [flood] + [small.dequeue_many(4)])
results["flood"] = sorted(list(seen[:3]) + list(seen[4]))
results["left"] = sess.run(small.size())

# What waits too long.
full = tf.FIFOQueue(1, tf.int32, name="full")
put_full, take_full = full.enqueue(1), full.dequeue()
options = tf.RunOptions(timeout_in_ms=30)
for label, fetch, count in (("put", put_full, 2), ("take", take_full, 2)):
    for _ in range(count):
        try:
            sess.run(fetch, options=options)
            results["late " + label] = "in time"
        except tf.errors.DeadlineExceededError as error:
            results["late " + label] = type(error).__name__
results["full size"] = sess.run(full.size())
sess.close()
