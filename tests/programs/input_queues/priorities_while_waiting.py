"""Priority queues give several elements together or not at all, so that they are in order whenever they came."""

import threading

import tensorflow as tf

results = {}


def queue_of(capacity):
    queue = tf.PriorityQueue(capacity, (tf.string,), ((),))
    puts = {key: queue.enqueue((tf.constant(key, tf.int64), tf.constant(str(key)))) for key in (4, 3, 2, 1)}
    return queue, puts


def outcome(run):
    try:
        return [part.tolist() for part in run()]
    except tf.errors.OpError as error:
        return type(error).__name__


with tf.Graph().as_default(), tf.Session() as sess:
    queue, puts = queue_of(10)
    take, size, found = queue.dequeue_many(4), queue.size(), []
    waiting = threading.Thread(target=lambda: found.append(outcome(lambda: sess.run(take))))
    waiting.start()
    sizes = []
    for key in (3, 1, 4):
        sess.run(puts[key])
        sizes.append(int(sess.run(size)))
    sess.run(puts[2])
    waiting.join()
    results["while one waits"] = sizes, found, int(sess.run(size))

with tf.Graph().as_default(), tf.Session() as sess:
    queue, puts = queue_of(10)
    nothing, more = queue.dequeue_many(0), queue.dequeue_up_to(3)
    sess.run(puts[3])
    sess.run(puts[2])
    sess.run(queue.close())
    results["closed"] = [outcome(lambda: sess.run(nothing)), outcome(lambda: sess.run(more))]
