"""Each thread has a default graph of its own, until it enters another."""

import threading

import tensorflow as tf

results = {}


def in_thread(function):
    seen = []
    thread = threading.Thread(target=lambda: seen.append(function()))
    thread.start()
    thread.join()
    return seen[0]


main = tf.get_default_graph()
kept = tf.constant(1, name="kept")


def build():
    """The same names and variables in every thread: they do not meet."""
    own = tf.get_default_graph()
    v = tf.get_variable("v", initializer=[1.0, 2.0])
    c = tf.constant(2.0, name="kept")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return own is main, own is tf.get_default_graph(), v.name, c.name, sess.run(v * c).tolist()


def build_in_main():
    with main.as_default():
        return tf.constant(3, name="kept").name, tf.get_default_graph() is main


def reset():
    tf.reset_default_graph()
    return len(tf.get_default_graph().get_operations())


results["first"] = str(in_thread(build))
results["second"] = str(in_thread(build))
results["entered"] = str(in_thread(build_in_main))
results["reset"] = in_thread(reset)
results["session"] = str(in_thread(lambda: tf.get_default_session()))
results["main"] = [op.name for op in main.get_operations()]
results["still main"] = str(tf.get_default_graph() is main)

sess = tf.Session()
# A session keeps its graph wherever it runs.
results["session's graph"] = int(in_thread(lambda: sess.run("kept:0")))
