"""The nodes that tf.contrib.integrate.odeint adds to a graph: names, types, inputs; and so the seeds after it."""

import hashlib

import tensorflow as tf

results = {}


def slope(y, t):
    return -y * tf.cast(t, y.dtype)


def real(times):
    return tf.contrib.integrate.odeint(slope, tf.constant([1.0, 2.0], tf.float64), times)


def complex_with_options(times):
    return tf.contrib.integrate.odeint(
        slope,
        tf.constant([1.0 + 1j, 2.0], tf.complex128),
        times,
        method="dopri5",
        options={"first_step": 0.5, "safety": tf.constant(0.9, tf.float64)},
        full_output=True,
        name="flow",
    )


def single(times):
    return tf.contrib.integrate.odeint(slope, 1.0, tf.cast(times, tf.float32), rtol=1e-4)


for make in real, complex_with_options, single:
    for known in True, False:
        with tf.Graph().as_default() as graph, tf.Session() as sess:
            tf.set_random_seed(3)
            times = tf.constant([0.0, 0.5, 2.0], tf.float64) if known else tf.placeholder(tf.float64, [None])
            solution = make(times)
            draw = tf.random_uniform([2])
            name = "%s, times %s" % (make.__name__, "known" if known else "fed")
            nodes = [
                "%s %s %s ^%s" % (o.name, o.type, [i.name for i in o.inputs], sorted(c.name for c in o.control_inputs))
                for o in graph.get_operations()
            ]
            results[name + ": nodes"] = [len(nodes), hashlib.sha256("\n".join(nodes).encode()).hexdigest()]
            if make is real and known:
                start = "odeint/interpolate_loop/interpolate/integrate_loop"
                results["names"] = ["%s %s" % (o.name.replace(start, "~"), o.type) for o in graph.get_operations()]
            feeds = {} if known else {times: [0.0, 0.5, 2.0]}
            results[name + ": values"], results[name + ": draw"] = sess.run([solution, draw], feeds)
