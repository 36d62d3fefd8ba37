"""Every optimizer on a model with a dense and a sparse gradient: names of all it makes, and three steps."""

import numpy as np
import tensorflow as tf

OPTIMIZERS = {
    "descent": lambda step: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda step: tf.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda step: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True, use_locking=True),
    "adam": lambda step: tf.train.AdamOptimizer(0.1),
    "adagrad": lambda step: tf.train.AdagradOptimizer(0.1),
    "adagrad_da": lambda step: tf.train.AdagradDAOptimizer(
        0.1, step, l1_regularization_strength=0.01, l2_regularization_strength=0.01
    ),
    "adadelta": lambda step: tf.train.AdadeltaOptimizer(1.0),
    "rmsprop": lambda step: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
    "centered_rmsprop": lambda step: tf.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
    "ftrl": lambda step: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.01),
    "ftrl_power": lambda step: tf.train.FtrlOptimizer(0.1, learning_rate_power=-0.6, accum_name="sums"),
    "ftrl_shrinkage": lambda step: tf.train.FtrlOptimizer(
        0.1, l1_regularization_strength=0.01, l2_shrinkage_regularization_strength=0.02
    ),
    "proximal_descent": lambda step: tf.train.ProximalGradientDescentOptimizer(
        0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.01
    ),
    "proximal_adagrad": lambda step: tf.train.ProximalAdagradOptimizer(
        0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.01
    ),
}


def described(op):
    inputs = ", ".join(t.name for t in op.inputs)
    return "%s = %s(%s) ^%s" % (op.name, op.type, inputs, " ".join(sorted(c.name for c in op.control_inputs)))


results = {}
for name in sorted(OPTIMIZERS):
    for use_resource in (False, True):
        tf.reset_default_graph()
        with tf.variable_scope("net", use_resource=use_resource):
            initial = tf.constant_initializer(np.arange(8).reshape(4, 2) * 0.25 - 1)
            w = tf.get_variable("w", [4, 2], initializer=initial)
            b = tf.get_variable("b", [2], initializer=tf.constant_initializer([0.5, -0.25]))
        step = tf.train.get_or_create_global_step()
        y = tf.gather(w, [0, 2, 0]) * tf.constant([[1.0], [2.0], [3.0]]) + b
        loss = tf.reduce_sum(tf.square(y - 0.3))
        optimizer = OPTIMIZERS[name](step)
        train = optimizer.minimize(loss, global_step=step)
        kept = results[name + (" resource" if use_resource else "")] = {
            "operations": len(tf.get_default_graph().get_operations()),
            "of the optimizer": [
                described(op)
                for op in tf.get_default_graph().get_operations()
                if op.name.startswith(optimizer.get_name())
            ],
            "variables": [v.name for v in tf.global_variables()],
            "own": [v.name for v in optimizer.variables()] + optimizer.get_slot_names(),
        }
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(3):
                sess.run(train)
            kept["values"] = sess.run(tf.global_variables())
