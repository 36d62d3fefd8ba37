"""When generators are begun and let go: at the end of what they give, and where nothing more is asked of them."""

import tensorflow as tf

results = {}
D = tf.data.Dataset
events = []


def yielded(tag, count=100):
    def generator():
        events.append("begin " + tag)
        try:
            yield from range(count)
        finally:
            events.append("end " + tag)

    return D.from_generator(generator, tf.int64)


def show(name, make, most=50):
    del events[:]
    with tf.Graph().as_default(), tf.Session() as sess:
        iterator = tf.data.make_initializable_iterator(make())
        element, count = iterator.get_next(), 0
        sess.run(iterator.initializer)
        try:
            while count < most:
                sess.run(element)
                count += 1
        except tf.errors.OutOfRangeError:
            pass
        at_end = list(events)
    results[name] = count, at_end, list(events)


show("take", lambda: yielded("a").take(2))
show("take and repeat", lambda: yielded("a").take(2).repeat(3))
show("first ends", lambda: D.zip((yielded("a", 3), yielded("b", 9))))
show("second ends", lambda: D.zip((yielded("a", 9), yielded("b", 3))))
show("batches", lambda: yielded("a").batch(2).take(2))
show("map", lambda: yielded("a").map(lambda x: x + 1).take(2))
show("concatenate", lambda: yielded("a", 2).concatenate(yielded("b", 2)))
show("flat_map", lambda: D.range(3).flat_map(lambda _: yielded("a", 2)))
show("interleave", lambda: D.range(3).interleave(lambda _: yielded("a", 2), cycle_length=2))
show("shuffle", lambda: yielded("a", 5).shuffle(3))
show("take_while", lambda: yielded("a", 5).apply(tf.data.experimental.take_while(lambda x: x < 2)))
show("given up", lambda: yielded("a"), 2)
