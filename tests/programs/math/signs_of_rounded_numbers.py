"""Which zeros that numbers are rounded to have a sign."""

import numpy as np
import tensorflow as tf

results = {}
numbers = [-0.3, 0.3, -0.5, 0.5, -0.75, 1.5, -2.5, 0.0, 3.0, -3.0]
with tf.Session() as sess:
    for dtype in (tf.float32, tf.float64):
        fed = tf.placeholder(dtype, [None])
        for name, rounded in [("round", tf.round(fed)), ("rint", tf.rint(fed)), ("ceil", tf.ceil(fed))]:
            value = sess.run(rounded, {fed: numbers})
            results[f"{name} {dtype.name}"] = [value, np.signbit(value)]
        value = sess.run(tf.round(fed)[0] * 2, {fed: [-0.25]})
        results["alone " + dtype.name] = [value, bool(np.signbit(value))]
    results["integers"] = sess.run(tf.round([-3, 0, 4]))
