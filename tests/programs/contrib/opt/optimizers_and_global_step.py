"""The optimizers of tf.contrib.opt, and the global step of tf.contrib.framework."""

import numpy as np
import tensorflow as tf

opt = tf.contrib.opt
results = {}
for make in (opt.LazyAdamOptimizer, opt.NadamOptimizer, opt.AdaMaxOptimizer):
    for use_resource in (False, True):
        tf.reset_default_graph()
        with tf.variable_scope("net", use_resource=use_resource):
            initial = tf.constant_initializer(np.arange(8).reshape(4, 2) * 0.25 - 1)
            w = tf.get_variable("w", [4, 2], initializer=initial)
            b = tf.get_variable("b", [2], initializer=tf.constant_initializer([0.5, -0.25]))
        step = tf.contrib.framework.get_or_create_global_step()
        y = tf.gather(w, [0, 2, 0]) * tf.constant([[1.0], [2.0], [3.0]]) + b
        optimizer = make(0.1)
        train = optimizer.minimize(tf.reduce_sum(tf.square(y - 0.3)), global_step=step)
        key = "%s %s" % (make.__name__, use_resource)
        results[key + " ops"] = [
            "%s = %s(%s)" % (op.name, op.type, ", ".join(t.name for t in op.inputs))
            for op in tf.get_default_graph().get_operations()
            if op.name.startswith(optimizer.get_name())
        ]
        results[key + " variables"] = [v.name for v in tf.global_variables()]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(train)
            results[key] = sess.run(tf.global_variables())
