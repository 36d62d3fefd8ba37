"""References of variables that a loop within a branch is given, reads in branches of its own, and changes."""

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [2])
state = tf.get_variable("state", initializer=np.float32([-0.75, -0.58]), use_resource=False)


def after(before, make):
    """What `make` gives, computed after `before`."""
    with tf.control_dependencies([before]):
        return 0.97 * tf.identity(make())


def iteration(i, a):
    def set_to_input():
        last = after(a, lambda: x)
        with tf.control_dependencies([last]):
            written = tf.assign(state, last)
        return after(written, lambda: state)

    seen = tf.cond(after(a, lambda: x)[0] > 0.0, set_to_input, lambda: after(a, lambda: a))
    handed_on = tf.cond(after(seen, lambda: tf.constant(0.5)) > 0.0, lambda: after(seen, lambda: seen), lambda: a)
    with tf.control_dependencies([handed_on]):
        written = tf.scatter_add(state, [1], [0.25])
    with tf.control_dependencies([written]):
        return i + 1, tf.tanh(0.5 * handed_on + tf.reverse(state, [0]))


def loop():
    return tf.while_loop(lambda i, a: i < 3, iteration, [0, x], parallel_iterations=1)[1]


result = tf.cond(x[1] > 0.0, loop, lambda: -x)

results = {}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for number, fed in enumerate(([0.4, 0.3], [-0.2, 0.4], [0.1, -0.3], [0.7, 0.1])):
        results[f"result_{number}"] = session.run(result, {x: fed})
        results[f"state_{number}"] = session.run(state)
