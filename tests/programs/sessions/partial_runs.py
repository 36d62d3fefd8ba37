"""partial_run: a run in steps, with its refusals."""

import tensorflow as tf

results = {}
a = tf.placeholder(tf.float32, [], name="a")
b = tf.placeholder(tf.float32, [], name="b")
c = tf.placeholder(tf.float32, [], name="c")
total = tf.add(a, b, name="total")
product = tf.multiply(total, c, name="product")
draw = tf.random_uniform([]) + a
same = draw * c
sess = tf.Session()


def refused(function):
    try:
        return function()
    except (tf.errors.OpError, ValueError, RuntimeError) as error:
        return [type(error).__name__, str(error).split("\n")[0]]


handle = sess.partial_run_setup([total, product], [a, b, c])
first = sess.partial_run(handle, total, feed_dict={a: 1, b: 2})
second = sess.partial_run(handle, product, feed_dict={c: first * 5})
results["steps"] = [first, second]
results["finished"] = refused(lambda: sess.partial_run(handle, product, {c: 1}))

handle = sess.partial_run_setup([draw, same], [a, c])
value = sess.partial_run(handle, draw, {a: 0.0})
results["drawn once"] = bool(abs(sess.partial_run(handle, same, {c: 1.0}) - value) < 1e-6)

handle = sess.partial_run_setup([total, product], [a, b, c])
results["empty"] = sess.partial_run(handle, [], {a: 1, b: 2})
results["fetched later"] = sess.partial_run(handle, [total])
results["twice fed"] = refused(lambda: sess.partial_run(handle, product, {a: 1, c: 2}))
results["twice fetched"] = refused(lambda: sess.partial_run(handle, total))
results["not set up"] = refused(lambda: sess.partial_run(handle, draw))
results["bad shape"] = refused(lambda: sess.partial_run(handle, product, {c: [1, 2]}))
results["rest"] = sess.partial_run(handle, {"p": product}, {c: 2})

handle = sess.partial_run_setup([product], [a, b])
results["feed not set up"] = refused(lambda: sess.partial_run(handle, product, {a: 1, b: 2, c: 3}))
results["nothing"] = refused(lambda: sess.partial_run_setup([], [a]))
